"""One question, one answer: all commands, the page and Python say the same of every claim.

Does it apply, does it say anything, what is its value, is it true? Each is asked of every way to
ask, on eight instances, two of them random; what is verified, on four of them.
"""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

import boundcheck
from boundcheck.calculator.one_claim import here
from boundcheck.calculator.question import Question
from boundcheck.cli import main
from boundcheck.judging import effort
from boundcheck.judging.finding import Role
from boundcheck.pages.headline import headline_of
from boundcheck.terminal.screens import bounds_screen, first_screen
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.web import answers, jobs
from simulation.files.reading import parsed
from simulation.rewards.laws import Bernoulli, Gaussian
from simulation.world.instance import Instance

TINY = effort.Effort("quick", trials=200, runs=4, horizon=300, slots=6_000)
ASKED = {"horizon": "2e5", "delta": "0.01"}
QUESTION = Question(**ASKED)


def _random(seed: int) -> Instance:
    rng = Random(seed)
    arms = rng.randint(3, 6)
    means = rng.sample([Fraction(k, 40) for k in range(1, 40)], arms)
    capacities = [rng.randint(1, 4) for _ in means]
    law = Bernoulli() if seed % 2 else Gaussian(Fraction(1, rng.randint(2, 100)))
    return Instance(means, capacities, rng.randint(1, arms - 1), law, name=f"random {seed}")


INSTANCES = {
    **{name: Instance.load(name) for name in ("paper", "paper-gaussian", "textbook")},
    "a tie": Instance(["0.9", "0.5", "0.5"], [2, 1, 1], 2),
    "one play": Instance(["0.9", "0.5", "0.1"], [1, 1, 1], 1),
    "not finite": Instance(["-2.56", "0.913", "-0.58"], [2, 3, 1], 2, Gaussian("0.01")),
    "random 1": _random(1),
    "random 2": _random(2),
}
Answers = dict[str, tuple[bool, bool | None]]


@pytest.fixture(autouse=True)
def _tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(effort.EFFORTS, "quick", TINY)


@pytest.fixture(params=INSTANCES)
def instance(request: pytest.FixtureRequest) -> Instance:
    return INSTANCES[request.param]


def _printed(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    options = [text for name, value in ASKED.items() for text in (f"--{name}", value)]
    with pytest.raises(SystemExit) as stopped:
        main([*arguments, *options, "--json"])
    assert stopped.value.code == 0
    return list(json.loads(capsys.readouterr().out)["rows"])


@cache
def _calculated(name: str) -> Answers:
    cards = THEORY.cards.values()
    found = {card.id: here(card, INSTANCES[name], QUESTION, THEORY) for card in cards}
    return {claim: (now.applies, now.informative) for claim, now in found.items()}


def expected(instance: Instance) -> Answers:
    return _calculated(next(name for name, one in INSTANCES.items() if one is instance))


def _file(instance: Instance, folder: Path) -> str:
    path = folder / "instance.toml"
    path.write_text(instance.to_toml())
    return str(path)


def _of_rows(rows: list[dict[str, Any]]) -> Answers:
    """Of a claim with a row for each arm or quantity: some row applies, and says something."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["claim"], []).append(row)
    answers: Answers = {}
    for claim, group in found.items():
        said = {row["informative"] for row in group if row["applies"]}
        informative = True if True in said else None if None in said or not said else False
        answers[claim] = any(row["applies"] for row in group), informative
    return answers


def test_bounds_on_the_command_line_in_python_and_on_the_page(
    instance: Instance, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = _printed(["bounds", _file(instance, tmp_path), "--digits", "30"], capsys)
    printed = _of_rows(rows)
    wanted = expected(instance)
    assert printed == {claim: wanted[claim] for claim in printed}
    python = boundcheck.bounds(instance, QUESTION)
    assert [row["value"] for row in rows] == [bound.text for bound in python]
    assert [row["refuted"] for row in rows] == [bound.refuted for bound in python]
    table = parsed(instance.to_toml(), "instance")
    page = answers.answer({"table": table, "question": ASKED}, THEORY)["bounds"]
    for shown in page:
        same = [b for b in python if (b.claim, b.quantity) == (shown["claim"], shown["quantity"])]
        assert shown["applies"] == sum(b.applies for b in same)
        values = sorted(b.value for b in same if b.value is not None)
        ends = [end[1] for end in shown["ends"]]
        assert ends == list(dict.fromkeys(str(v) for v in (values[:1] + values[-1:])))


def test_check_says_that_a_claim_applies_where_bounds_does(
    instance: Instance, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = _printed(["check", _file(instance, tmp_path)], capsys)
    wanted = expected(instance)
    with_bounds = {bound.claim for bound in boundcheck.bounds(instance, QUESTION)}
    for claim in THEORY.cards:
        stated = [row for row in rows if row["claim"] == claim and not row["implicit"]]
        whole = all(row["holds"] for row in stated if row["arm"] is None)
        arms = {row["arm"] for row in stated if row["arm"] is not None}
        bad = {row["arm"] for row in stated if not row["holds"]}
        needs_all = THEORY.cards[claim].quantities and all(
            quantity.rows is None for quantity in THEORY.cards[claim].quantities
        )
        some = not bad - {None} if needs_all else not arms or bool(arms - bad)
        if claim in with_bounds or not THEORY.cards[claim].quantities:
            assert (whole and some) == wanted[claim][0], claim


@pytest.mark.parametrize("name", ["paper", "a tie", "not finite", "random 1"])
def test_verify_report_and_the_page_give_the_same_answers_and_verdicts(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    instance = INSTANCES[name]
    file = _file(instance, tmp_path)
    rows = _printed(["verify", file, "--effort", "quick"], capsys)
    first: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row["role"] == Role.INTENDED:
            first.setdefault(row["claim"], row)
    assert {c: (r["applies"], r["informative"]) for c, r in first.items() if r["applies"]} == {
        claim: now for claim, now in expected(instance).items() if now[0]
    }
    for row in rows:
        assert row["applies"] or row["verdict"] is None
    python = boundcheck.verify(Instance.load(file), "quick", question=QUESTION)
    assert json.loads(json.dumps(python.to_json_rows())) == rows
    told: list[dict[str, Any]] = []
    table = parsed(instance.to_toml(), "instance")
    jobs.verify({"table": table, "question": ASKED}, THEORY, told.append)
    page = {row["claim"]: row for message in told for row in message["verdicts"]}
    for claim, row in first.items():
        assert page[claim]["applies"] == row["applies"], claim
        assert page[claim]["informative"] == row["informative"], claim
        assert page[claim]["verdict"] == row["verdict"], claim


def test_the_report_keeps_the_rows_of_verify(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = _file(INSTANCES["one play"], tmp_path)
    rows = _printed(["verify", file, "--effort", "quick"], capsys)
    _printed(["report", file, "--effort", "quick", "-o", str(tmp_path / "report")], capsys)
    kept = json.loads((tmp_path / "report" / "verdicts.json").read_text())
    assert kept["rows"] == rows
    assert kept["parameters"]["horizon"] == "200000"


def test_no_refuted_result_is_listed_as_applying(instance: Instance) -> None:
    found = boundcheck.bounds(instance, QUESTION)
    refuted = {bound.claim for bound in found if bound.refuted}
    assert {"thm-G.1", "cor-G.2", "thm-4.3"} <= refuted
    assert not any(bound.listed for bound in found if bound.refuted)
    head = headline_of(found, THEORY, instance.label)
    grouped = {said.card.id for group in head.groups for said in group.said}
    assert not grouped & refuted
    asked = [said for section in head.questions for said in section.said]
    assert refuted <= {said.card.id for said in [*asked, *head.refuted]}
    for said in asked:
        assert said.here.startswith("refuted: do not rely on it") == (said.card.id in refuted)
    screen = list(first_screen(instance, QUESTION, found, THEORY))
    for claim in refuted:
        told = [n for n, line in enumerate(screen) if claim in line.replace(":", " ").split()]
        assert all("do not rely on" in " ".join(screen[n : n + 2]) for n in told), claim
    shown = list(bounds_screen(instance, QUESTION, found, every=False, digits=4))
    apart = {line.split(":")[0] for line in shown if "refuted: do not" in str(line)}
    assert apart == refuted
