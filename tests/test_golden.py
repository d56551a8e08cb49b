"""What was true before statements took the place of readings, and where it differs today.

tests/golden holds the verdicts of four instances at quick effort, every search, the ledger, the
bounds and the selftest as they were; changes.toml has a line for each reading that went elsewhere
or came out otherwise, with the reason.
"""

from __future__ import annotations

import json
import tomllib
from decimal import Decimal
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from boundcheck.calculator import bounds
from boundcheck.finding import Severity, Verdict
from boundcheck.proofs import ledger
from boundcheck.question import Question
from boundcheck.record import Recorded, recorded
from boundcheck.shareable_arms import THEORY
from simulation.instance import Instance

GOLDEN = Path(__file__).parent / "golden"
REPORTS = Path(__file__).parents[1] / "reports"
CHANGES = tomllib.loads((GOLDEN / "changes.toml").read_text(encoding="utf-8"))["change"]


def frozen(name: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads((GOLDEN / name).read_text(encoding="utf-8"))
    return rows


@pytest.mark.parametrize("name", ["textbook", "paper", "paper-gaussian", "5g-4g"])
def test_every_bound_is_the_number_it_was(name: str) -> None:
    found = bounds(Instance.load(name), Question())
    now = {(b.claim, b.quantity, b.arm): b.value for b in found}
    changed = {(change["claim"], change["quantity"]) for change in CHANGES if "quantity" in change}
    for row in frozen(f"bounds-{name}.json"):
        value = now[row["claim"], row["quantity"], row["arm"]]
        before = row["value"]
        if (row["claim"], row["quantity"]) in changed:
            assert value is not None, row
            assert before is None or Decimal(value) != Decimal(str(before)), row
            continue
        assert (value is None) == (before is None), row
        if value is not None:
            assert Decimal(value) == Decimal(str(before)), row


def test_every_step_of_the_ledger_has_the_verdict_it_had() -> None:
    now = {entry.step.step: str(entry.verdict) for entry in ledger()}
    changed = {change["step"]: change["new"] for change in CHANGES if "step" in change}
    for row in frozen("proofs.json"):
        step = str(row["step"])
        assert now[step] == changed.get(step, row["verdict"]), step


def explained(claim: object, reading: object, verdict: object) -> bool:
    """Whether a line speaks of that reading and of the verdict it had."""
    return any(
        fnmatchcase(str(reading), change.get("reading", "").replace("[", "[[]"))
        and str(verdict) in change["old"]
        for change in CHANGES
        if change["claim"] == claim
    )


@pytest.mark.parametrize("name", ["textbook", "paper", "paper-gaussian", "5g-4g"])
def test_every_verdict_on_an_instance_is_as_it_was_or_has_a_line_that_says_why(name: str) -> None:
    report = json.loads((REPORTS / name / "verdicts.json").read_text(encoding="utf-8"))
    now = {(row["claim"], row["statement"], row["verdict"]) for row in report["rows"]}
    for row in frozen(f"verify-{name}.json"):
        claim, reading, verdict = row["claim"], row["reading"], row["verdict"]
        statement = "printed" if str(reading).startswith("as printed") else "intended"
        same = (claim, statement, verdict) in now
        assert same or explained(claim, reading, verdict), (claim, reading, verdict)


def test_every_search_comes_to_what_it_came_to_or_has_a_line_that_says_why() -> None:
    """A claim that had a counterexample as published has a statement that fails, and no other."""
    failed = {row["claim"] for row in frozen("falsify.json") if is_counterexample(row)}
    searched = {row["claim"] for row in frozen("falsify.json")}
    fails_still = {claim for claim, known in recorded().items() if fails(known)}
    lines = {change["claim"] for change in CHANGES if change["old"] != change["new"]}
    assert ((failed ^ fails_still) & searched) <= lines


def is_counterexample(row: dict[str, object]) -> bool:
    return row["dropped"] is None and row["kind"] == "counterexample"


def fails(known: Recorded) -> bool:
    literally = (Severity.PSEUDO_CODE, Severity.WORDING)
    return known.verdict is Verdict.REFUTED or known.severity in literally


def test_a_change_names_a_claim_what_it_was_what_it_is_and_why() -> None:
    for change in CHANGES:
        assert change["claim"] in THEORY.cards
        assert change["old"]
        assert change["new"]
        assert change["why"] or change["old"] == change["new"], change
