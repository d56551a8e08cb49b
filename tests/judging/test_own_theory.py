"""A second theory, as a plug-in: true results get their verdicts, planted ones are refuted.

Verdicts come from the kinds of the cards alone; the chances behind them are compared with sums and
draws made here.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from math import comb, erfc, sqrt
from math import log as ln
from pathlib import Path
from typing import Any

import pytest
from flint import arb
from paper import theory_with
from sympy import Rational, log

from boundcheck import falsify, verify
from boundcheck import report as write_report
from boundcheck.calculator.numbers.balls import ball, precision
from boundcheck.claims import symbols as s
from boundcheck.claims.card import EVERY_ARM, Claim, Kind, Quantity, Term, Trivial
from boundcheck.cli import main
from boundcheck.judging.comparison import Relation
from boundcheck.judging.default_statements.one_mean import (
    Rewards,
    binomial_deviation,
    deviation_enclosed,
    deviations_counted,
    size,
)
from boundcheck.judging.effort import EFFORTS, Effort
from boundcheck.judging.finding import NO_BETTER, Finding, Leaning, Verdict
from boundcheck.judging.measured import Enclosed, Observed
from boundcheck.pages import audit
from boundcheck.theory import Theory
from simulation.errors import InputError
from simulation.rewards.laws import Beta, Gaussian
from simulation.world.instance import Instance

EXAMPLES = Path(__file__).parents[2] / "examples"
FILE = str(EXAMPLES / "own_theory.py")
COINS = Instance.load(str(EXAMPLES / "coins.toml"))
TINY = Effort("tiny", trials=20_000, runs=40, horizon=1_000)


@pytest.fixture(scope="module")
def classic() -> Theory:
    return theory_with([FILE])


def finding(theory: Theory, card: Claim, instance: Instance = COINS) -> Finding:
    """On an instance, in little time."""
    from boundcheck.calculator.question import Question
    from boundcheck.judging.verification import verified

    spoken = theory.with_cards([theory.find(card)])
    context = spoken.context(TINY)
    question = Question(horizon=TINY.horizon, digits=15)
    return next(iter(verified(spoken, card, instance, question, context)))


def verdict(theory: Theory, card: Claim, instance: Instance = COINS) -> Verdict | None:
    return finding(theory, card, instance).verdict


def test_the_command_line_gives_each_claim_its_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    coins = str(EXAMPLES / "coins.toml")
    with pytest.raises(SystemExit) as left:
        main(["--plugin", FILE, "verify", coins, "--effort", "quick", "--json"])
    assert left.value.code == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["claim"]: (row["verdict"], row["leans"]) for row in rows} == {
        "ucb1": ("supported", None),
        "lai-robbins": ("undecided", "for"),  # no finite T decides a limit
        "kl-ucb": ("undecided", "for"),
        "hoeffding": ("holds", None),
        "enough-rewards": ("holds", None),
        "ucb1-tenth": ("refuted", None),
        "lai-robbins-twice": ("refuted", None),
    }
    assert "contradict" not in json.dumps(rows)
    (twice,) = (row for row in rows if row["claim"] == "lai-robbins-twice")
    assert twice["rests_on"] == ["kl-ucb"]
    assert {row["severity"] for row in rows if row["verdict"] == "refuted"} == {"substance"}


@pytest.mark.parametrize("claim", ["ucb1-tenth", "lai-robbins-twice"])
def test_what_is_planted_has_a_small_counterexample(
    classic: Theory, claim: str, tmp_path: Path
) -> None:
    (row,) = falsify(claim, examples=40, theory=classic)
    assert row.found
    assert row.instance is not None
    assert row.instance.arms == 2
    assert row.instance.plays == 1
    saved = Instance.load(str(tmp_path / row.saved(tmp_path / "found.toml").file))
    assert saved.means == row.instance.means
    true = claim.removesuffix("-tenth").removesuffix("-twice")
    assert verdict(classic, classic.cards[true], saved) is not Verdict.REFUTED


def test_the_theory_takes_the_place_of_the_paper(classic: Theory) -> None:
    assert classic.name == "my bandits"
    assert "thm-7.1" not in classic.cards
    (found,) = verify(Instance.load("textbook"), "quick", claims=["ucb1"], theory=classic).findings
    assert not found.applies
    assert found.evidence["failing"][0]["name"] == "one-play"


def test_its_report_speaks_of_some_claims_and_knows_the_others(
    classic: Theory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(EFFORTS, "tiny", TINY)
    twice = ["lai-robbins-twice"]
    path = write_report(COINS, tmp_path, "tiny", claims=twice, policies=["ucb1"], theory=classic)
    text = path.read_text(encoding="utf-8")
    assert (
        "Refuted as their authors use them: lai-robbins-twice (" in text
    )  # by what kl-ucb attains
    details = (tmp_path / "details.md").read_text(encoding="utf-8")
    assert re.search(r"^\| ucb1 +\|", details, re.M)  # the policy, not the claim
    assert "### lai-robbins-twice" in details
    assert "### ucb1" not in details
    assert "`ucb1`, " not in text


def test_its_audit_has_a_page_for_each_claim(
    classic: Theory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(EFFORTS, "tiny", TINY)
    monkeypatch.setitem(audit.EXAMPLES, "tiny", 20)
    two = replace(classic, cards={c: classic.cards[c] for c in ("hoeffding", "ucb1-tenth")})
    rows: list[dict[str, Any]] = []
    path = audit.write_audit(tmp_path, "tiny", told=rows.extend, theory=two)
    assert [(row["claim"], row["verdict"]) for row in rows] == [
        ("hoeffding", "holds"),  # on the coins, and in every case that was searched
        ("ucb1-tenth", "refuted"),
    ]
    assert (tmp_path / rows[1]["counterexamples"][0]).is_file()
    assert path.read_text(encoding="utf-8").startswith("# The audit: my bandits\n\n")
    assert (tmp_path / "claims" / "hoeffding.md").is_file()
    assert not (tmp_path / "pseudo-code.md").exists()
    with pytest.raises(InputError, match="audit: theory: my bandits: expected a theory that"):
        audit.write_audit(tmp_path, "tiny", theory=replace(two, audited=()))


# -- kinds: each refutes what is false ---------------------------------------------------------


def card(kind: Kind, **more: object) -> Claim:
    fields = {"title": "-", "source": "-", "statement": "-", "reading": "-", "checked_by": "-"}
    return Claim("mine", kind=kind, **fields, **more)  # type: ignore[arg-type]


def regret(expression: object) -> tuple[Quantity, ...]:
    return (Quantity("regret", "reward", (Term("all", expression),), trivial=Trivial.ZERO),)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (s.T / 15, "refuted"),  # of at most T/10
        (Rational(1, 10) * log(s.T), "supported"),
        (s.T / 10 * 0, NO_BETTER),
    ],
)
def test_a_lower_bound_on_the_regret_of_a_policy(
    classic: Theory, expression: object, expected: str
) -> None:
    wide = Instance(["0.9", "0.8"], [1, 1], 1)
    mine = card(Kind.LOWER_BOUND, policy="ucb1", quantities=regret(expression))
    assert finding(classic, mine, wide).answer == expected


def test_values_without_a_range_say_nothing_of_a_bound_from_below() -> None:
    import numpy as np

    values = np.full(400, 3.0)
    with pytest.raises(ValueError, match="upper range"):
        Observed(values).compare(Relation.AT_LEAST, 5, 1e-6)
    assert Observed(values, most=10.0).compare(Relation.AT_LEAST, 5, 1e-6).refutes
    assert not Observed(values, most=10.0).compare(Relation.AT_LEAST, 2, 1e-6).refutes


def test_an_upper_point_refutes_only_what_is_claimed_above_it() -> None:
    known = Enclosed.at_most(arb(3))
    assert known.compare(Relation.AT_LEAST, 4).refutes
    beside = known.compare(Relation.AT_LEAST, 3)
    assert beside.holds is None
    assert beside.leans is Leaning.FOR
    assert beside.missing == "nothing above 3 can be claimed; a proof would decide"


def test_a_width_that_is_too_narrow_is_refuted_and_shrunk(classic: Theory) -> None:
    narrow = replace(classic.cards["hoeffding"], id="mine")
    narrow = replace(narrow, formula=narrow.formula / 3)
    assert verdict(classic, narrow) is Verdict.REFUTED
    (row,) = falsify(narrow, examples=50, theory=classic)
    assert row.found
    assert int(row.parameters["rewards"]) <= 20
    assert row.instance is not None


def test_a_size_that_is_too_small_is_refuted(classic: Theory) -> None:
    enough = classic.cards["enough-rewards"]
    few = (Quantity("rewards", "rewards", (Term("rewards", 5 * log(2 / s.delta)),), EVERY_ARM),)
    assert verdict(classic, replace(enough, id="mine", quantities=few)) is Verdict.REFUTED
    half = (Quantity("rewards", "rewards", (Term("rewards", 25 * log(2 / s.delta)),), EVERY_ARM),)
    (row,) = falsify(replace(enough, id="mine", quantities=half), examples=80, theory=classic)
    assert row.found  # though not at every mean: here Hoeffding is almost sharp


def test_a_claim_about_the_law_of_one_mean_on_every_law(classic: Theory) -> None:
    hoeffding = classic.cards["hoeffding"]
    context = classic.context(TINY)
    gaussian = Rewards.of(
        Instance([1, 0], [1, 1], 1, Gaussian(Fraction(1, 4))), Fraction(1, 20), 1, 10
    )
    found = deviation_enclosed(hoeffding, gaussian, context)
    assert isinstance(found, Enclosed)
    assert float(found.lower) == pytest.approx(erfc(sqrt(ln(40))), rel=1e-12)
    beta = Instance(["0.7", "0.5"], [1, 1], 1, Beta(Fraction(2)))
    case = Rewards.of(beta, Fraction(1, 5), 1, 3)
    sampled, between = (
        deviations_counted(hoeffding, case, context),
        deviation_enclosed(hoeffding, case, context),
    )
    assert sampled is not None
    assert isinstance(between, Enclosed)
    assert float(between.lower) <= sampled.hits / sampled.trials <= float(between.upper)  # type: ignore[attr-defined]
    assert (
        size(classic.cards["enough-rewards"], Rewards.of(COINS, Fraction(1, 5), 1, None), classic)
        == 116
    )


@pytest.mark.parametrize("p", ["0", "0.3", "0.5", "1"])
def test_deviations_of_coins_are_summed_exactly(p: str) -> None:
    mean, count = Fraction(p), 12
    for allowed in (Fraction(1, 10), Fraction(1, 4), Fraction(3, 10)):
        expected = sum(
            comb(count, j) * mean**j * (1 - mean) ** (count - j)
            for j in range(count + 1)
            if abs(Fraction(j, count) - mean) > allowed
        )
        with precision(128):
            low, high = binomial_deviation(mean, count, ball(allowed))
        assert float(low) == pytest.approx(float(expected), abs=1e-15)
        assert float(high) >= float(low)
