"""The proof of `sharp-4.3`: page and ledger agree, and what it is called follows from its steps."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path

import pytest
from paper import card_text

from boundcheck import find, ledger
from boundcheck.judging.finding import Verdict
from boundcheck.judging.severity import Standing
from boundcheck.proof_steps.ledger import Entry
from boundcheck.terminal.run_proofs import ledger_markdown, ledger_summary
from simulation.world.instance import Instance

DOCS = Path(__file__).parents[4] / "docs"
PAGES = [DOCS / name for name in ("theorems/attainment.md", "graves-lai.md", "likelihood.md")]


@pytest.fixture(scope="module")
def entries() -> list[Entry]:
    return ledger("sharp-4.3")


def called(entries: list[Entry]) -> str | None:
    return Standing(find("sharp-4.3"), (), tuple(entries)).proved


def with_verdict(entries: list[Entry], verdict: Verdict) -> list[Entry]:
    """The second step made to come out so."""
    changed = replace(entries[1], checked=replace(entries[1].checked, verdict=verdict))
    return [entries[0], changed, *entries[2:]]


def test_the_pages_name_every_step_and_no_other(entries: list[Entry]) -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    cited = re.findall(r"\[(\d[a-z](?:, \d[a-z])*)\]", pages)
    labels = {label for group in cited for label in group.split(", ")}
    assert {f"sharp-4.3-{label}" for label in labels} == {entry.step.step for entry in entries}


@pytest.mark.parametrize(
    "claim", ["sharp-4.1", "sharp-4.1-test", "sharp-5.1", "sharp-5.3a", "sharp-5.3b"]
)
def test_the_theory_page_names_every_step_of_the_sharp_results(claim: str) -> None:
    steps = {entry.step.step: entry.verdict for entry in ledger(claim)}
    cited = re.findall(r"\[(sharp-[^\]]+)\]", (DOCS / "theory.md").read_text(encoding="utf-8"))
    labels = {label for group in cited for label in group.split(", ")}
    assert {label for label in labels if label.rpartition("-")[0] == claim} == set(steps)
    assert set(steps.values()) == {Verdict.HOLDS}


def test_it_is_a_theorem_only_if_every_step_holds(entries: list[Entry]) -> None:
    assert str(called(entries)).startswith("theorem; quoted: chain rule of relative entropy")
    sampled = with_verdict(entries, Verdict.SUPPORTED)
    assert str(called(sampled)).startswith("proved up to steps sharp-4.3-1b; quoted")
    assert called(with_verdict(entries, Verdict.REFUTED)) == ("not proved: steps sharp-4.3-1b fail")
    assert called([]) is None
    paper = Standing(find("thm-4.3"), (), tuple(entries))
    assert paper.proved is None


def test_the_card_says_what_the_ledger_says(entries: list[Entry]) -> None:
    assert f"proved: {called(entries)}" in card_text(find("sharp-4.3"))
    assert "proved:" not in card_text(find("thm-4.3"))


def test_our_steps_stand_apart_from_the_papers(entries: list[Entry]) -> None:
    theirs = [*ledger("lem-D.1")]
    mixed = [*entries, *theirs]
    paper, ours = ledger_markdown(mixed).split("Proofs of our own:")
    assert "`lem-D.1`" in paper
    assert "`lem-D.1`" not in ours
    assert "`sharp-4.3`" in ours
    assert "`sharp-4.3`" not in paper
    first, second, *_ = ledger_summary(mixed).splitlines()
    assert first.startswith(f"{len(theirs)} steps: ")
    assert second == f"{len(entries)} steps of ours: {len(entries)} holds"


# -- by enumeration, with nothing of the ledger -------------------------------------------------


def instances() -> list[Instance]:
    """All with two or three arms of round means, every order and every capacity."""
    found = []
    for means in [("0.9", "0.2"), *permutations(("0.9", "0.5", "0.2"))]:
        for plays in range(1, len(means)):
            for held in product(range(1, plays + 1), repeat=len(means)):
                found.append(Instance(means, held, plays))
    return found


def actions(instance: Instance) -> list[tuple[int, ...]]:
    loads = product(range(instance.plays + 1), repeat=instance.arms)
    return [action for action in loads if sum(action) == instance.plays]


def test_the_gap_identity_is_what_actions_lose() -> None:
    for instance in instances():
        last = instance.means[instance.last_arm]
        rank = {k: place for place, k in enumerate(instance.order)}
        for action in actions(instance):
            lost = 0
            for k, load in enumerate(action):
                mean, held = instance.means[k], instance.capacities[k]
                lost += max(load - held, 0) * last
                if rank[k] < instance.L - 1:
                    lost += max(held - load, 0) * (mean - last)
                if rank[k] > instance.L - 1:
                    lost += min(load, held) * (last - mean)
            assert lost == instance.regret(action)
            assert (lost == 0) == (action == instance.optimal_action)


def test_what_a_certificate_wants_is_the_best_action() -> None:
    """Step 2e: conditions on the true means and capacities that only a* meets."""
    certified = 0
    for instance in instances():
        means, held = instance.means, instance.capacities
        for action in actions(instance):
            for last in (k for k in range(instance.arms) if action[k] > 0):
                others = [k for k in range(instance.arms) if k != last]
                if (
                    held[last] >= action[last]
                    and all(held[k] == action[k] for k in others if action[k] > 0)
                    and all((means[k] > means[last]) == (action[k] > 0) for k in others)
                ):
                    certified += 1
                    assert action == instance.optimal_action
    assert certified == len(instances())
