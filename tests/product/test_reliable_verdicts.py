"""Wrong bounds that were planted, and what a verdict about them means.

Each of these came out as not contradicted, or as decided by the wrong side, before evidence for a
claim was measured like evidence against it.
"""

from __future__ import annotations

import json
from dataclasses import replace
from math import log10
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from paper import theory_with
from power import COMMITS
from power import EXPLORED as EACH
from scipy.stats import binom
from sympy import Rational, sqrt

from boundcheck import verify
from boundcheck.calculator.question import Question
from boundcheck.claims import symbols as s
from boundcheck.claims.card import Claim, Kind, Quantity, Term, Trivial
from boundcheck.cli import main
from boundcheck.judging.finding import NO_BETTER, Finding, Leaning, Verdict
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theory import Theory
from simulation.policies import Policy
from simulation.rewards.laws import Gaussian
from simulation.running.replicate import replicate
from simulation.world.instance import Instance

EXAMPLES = Path(__file__).parents[2] / "examples"
COINS = Instance.load(str(EXAMPLES / "coins.toml"))
TWO = Instance(["0.9", "0.8"], [1, 1], 1, name="two coins")
NAIVE = Instance(["0.75", "0.25"], [1, 1], 1, name="far apart")


# -- a policy with rare large losses ---------------------------------------------------------


def chance_of_wrong(instance: Instance) -> float:
    """That the worse one of two coins earns strictly more while both are explored."""
    better, worse = (binom.pmf(np.arange(EACH + 1), EACH, float(m)) for m in instance.means)
    return float(sum(worse[k] * better[:k].sum() for k in range(1, EACH + 1)))


# -- planted cards ---------------------------------------------------------------------------


def planted(policy: str | Policy, expression: object) -> Claim:
    words = {"title": "-", "source": "-", "statement": "-", "reading": "-", "checked_by": "-"}
    term = Term("all", expression)
    quantity = Quantity("regret", "reward", (term,), trivial=Trivial.REGRET)
    return Claim("mine", kind=Kind.UPPER_BOUND, policy=policy, quantities=(quantity,), **words)


def judged(card: Claim, instance: Instance, effort: str, horizon: int) -> list[Finding]:
    asked = Question(horizon=horizon)
    found = verify(instance, effort, claims=[card], question=asked, seed=3, jobs=1).findings
    for finding in found:
        assert_meaning(finding)
    return list(found)


def assert_meaning(finding: Finding) -> None:
    """What `supported` says, wherever it stands."""
    if finding.verdict is Verdict.SUPPORTED:
        seen = finding.evidence
        assert seen["log10_e_value_for"] >= log10(20)
        assert seen["mean"] < seen["bound"] < float(seen["trivial_bound"])
        assert finding.informative is True


def mean_regret(policy: str | Policy, instance: Instance, horizon: int, runs: int) -> float:
    found = replicate(instance, [THEORY.policy(policy)], horizon, runs, seed=99)
    return float(found[THEORY.policy(policy).name].total[:, -1].mean())


@pytest.fixture(scope="module")
def true_mean() -> float:
    return mean_regret("ts-kc", COINS, 1_000, 10_000)


@pytest.mark.parametrize(("effort", "share"), [("quick", "0.75"), ("standard", "0.9")])
def test_a_bound_a_little_too_low_is_refuted(effort: str, share: str, true_mean: float) -> None:
    card = planted("ts-kc", Rational(str(round(float(share) * true_mean, 6))))
    found = judged(card, COINS, effort, 1_000)
    assert found[0].verdict is Verdict.REFUTED
    assert found[0].evidence["mean"] > found[0].evidence["bound"]


@pytest.mark.parametrize("share", ["1", "1.1", "3"])
def test_a_true_bound_is_not_refuted_and_a_wide_one_is_supported(
    share: str, true_mean: float
) -> None:
    """Thompson sampling gets worse with T: a constant is judged at its own horizon alone."""
    card = planted("ts-kc", Rational(str(round(float(share) * true_mean, 6))))
    first = judged(card, COINS, "quick", 1_000)[0]
    if share == "1":
        assert first.verdict is not Verdict.REFUTED
    else:
        assert first.verdict is Verdict.SUPPORTED


def test_a_bound_of_the_right_shape_a_third_too_low_is_refuted(true_mean: float) -> None:
    """A third too low, and a shape that is right: as MOSS with 0.3 sqrt(KT)."""
    card = planted("ts-kc", Rational(str(round(0.65 * true_mean / 1000**0.5, 6))) * sqrt(s.T))
    assert judged(card, COINS, "quick", 1_000)[0].verdict is Verdict.REFUTED


def test_open_evidence_says_where_it_points_and_how_many_runs_would_decide(
    true_mean: float,
) -> None:
    card = planted("ts-kc", Rational(str(round(0.985 * true_mean, 6))))
    first = judged(card, COINS, "quick", 1_000)[0]
    assert (first.verdict, first.leans) == (Verdict.UNDECIDED, Leaning.AGAINST)
    assert first.explanation.startswith("leans against: ")
    assert " more runs would decide" in first.explanation


@pytest.mark.parametrize("effort", ["quick", "standard"])
def test_rare_large_losses_are_never_supported_away(effort: str) -> None:
    """About one run in 400 commits wrongly and loses for ever; the bound knows only the others."""
    horizon, usual = 100_000, 0.5 * EACH
    chance = chance_of_wrong(NAIVE)
    assert 1 / 500 < chance < 1 / 200
    claimed = 3 * usual
    assert usual + chance * 0.5 * (horizon - 2 * EACH) > 4 * claimed
    first = judged(planted(COMMITS, Rational(str(claimed))), NAIVE, effort, horizon)[0]
    assert first.verdict in (Verdict.UNDECIDED, Verdict.REFUTED)
    if first.verdict is Verdict.UNDECIDED and first.leans is not Leaning.AGAINST:
        assert "losses of 50,000 in fewer than one run of " in first.explanation


def test_what_is_not_below_the_trivial_bound_is_not_supported() -> None:
    for factor in (1, 2):
        card = planted("ts-kc", factor * s.T / 10)
        (finding,) = judged(card, TWO, "quick", 1_000)
        assert finding.answer == NO_BETTER
        assert finding.verdict is Verdict.HOLDS  # nobody can lose more


def test_no_supported_verdict_of_the_theory_lacks_its_evidence() -> None:
    found = verify(Instance.load("textbook"), "quick", claims=["thm-G.5", "sharp-7.1"])
    supported = [f for f in found.findings if f.verdict is Verdict.SUPPORTED]
    assert supported
    for finding in supported:
        assert_meaning(finding)


# -- premises --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def classic() -> Theory:
    return theory_with([str(EXAMPLES / "own_theory.py")])


def halved(classic: Theory, *, premise: bool) -> Theory:
    """Lai and Robbins, and Thompson sampling at half of their constant."""
    least = replace(classic.cards["lai-robbins"], premise=premise)
    (quantity,) = least.quantities
    terms = tuple(replace(t, expression=t.expression / 2) for t in quantity.terms)
    half = replace(
        classic.cards["kl-ucb"],
        id="thompson-half",
        policy="ts-kc",
        premise=False,
        quantities=(replace(quantity, terms=terms),),
    )
    return replace(classic, cards={card.id: card for card in (least, half)})


def of_limits(theory: Theory) -> dict[str, Finding]:
    found = verify(COINS, "quick", claims=list(theory.cards), theory=theory).findings
    return {finding.claim: finding for finding in found}


def test_a_premise_refutes_what_contradicts_it_and_is_named(classic: Theory) -> None:
    found = of_limits(halved(classic, premise=True))
    assert found["thompson-half"].verdict is Verdict.REFUTED
    assert found["thompson-half"].rests_on == ("lai-robbins",)
    assert found["lai-robbins"].verdict is Verdict.UNDECIDED
    assert "contradiction" not in found["lai-robbins"].evidence


def test_two_cards_without_a_proof_contradict_each_other_and_neither_is_refuted(
    classic: Theory,
) -> None:
    found = of_limits(halved(classic, premise=False))
    for one, other in (("thompson-half", "lai-robbins"), ("lai-robbins", "thompson-half")):
        assert found[one].verdict is Verdict.UNDECIDED
        assert found[one].evidence["contradiction"] == f"{one} and {other}"
        assert "one of them is false" in found[one].explanation


# -- values that are not finite --------------------------------------------------------------


@pytest.fixture
def odd(tmp_path: Path) -> str:
    """Of cor-G.2 and sharp-4.1-test some numbers are not finite here, or speak of no arm."""
    means, law = ["-2.56", "0.913", "-0.58"], Gaussian("0.01")
    file = tmp_path / "odd.toml"
    file.write_text(Instance(means, [2, 3, 1], 2, law, name="odd").to_toml(), encoding="utf-8")
    return str(file)


def rows(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    with pytest.raises(SystemExit) as left:
        main([*arguments, "--json"])
    assert left.value.code == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["rows"]
    return found


def test_bounds_and_check_agree_where_a_value_is_not_finite(
    odd: str, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = ("--claim", "cor-G.2", "--claim", "sharp-4.1-test")
    calculated, checked = (rows(capsys, command, odd, *chosen) for command in ("bounds", "check"))
    assert [row["value"] for row in calculated if row["claim"] == "cor-G.2"] == [None]
    for row in calculated:
        stated = [
            c["holds"]
            for c in checked
            if c["claim"] == row["claim"]
            and not c["implicit"]
            and (c["arm"] is None or c["arm"] == row["arm"])
        ]
        assert row["applies"] == all(stated)
        assert row["applies"] == (row["failing"] == [])
    (found,) = (
        f
        for f in verify(Instance.load(odd), "quick", claims=["cor-G.2"]).findings
        if f.statement == "intended"
    )
    assert (found.applies, found.verdict, found.answer) == (True, None, NO_BETTER)
    assert "not a finite number" in found.explanation
