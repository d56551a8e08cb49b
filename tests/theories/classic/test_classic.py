"""The classic theory: errata are found by search or exact computation, corrected forms stand, and
variants with other constants are caught.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import erfc, exp, sqrt
from math import log as ln

import pytest
from classic_checks import FALSE, LONG, refuted, times, why_not
from sympy import Rational, Tuple

from boundcheck import verify
from boundcheck.calculator.question import Question
from boundcheck.claims import symbols as s
from boundcheck.claims.card import Claim
from boundcheck.judging.decide import decide
from boundcheck.judging.default_statements.regret import AtHorizon, bound
from boundcheck.judging.effort import EFFORTS, Effort
from boundcheck.judging.falsification import Falsification
from boundcheck.judging.falsify import falsify
from boundcheck.judging.finding import Verdict
from boundcheck.proof_steps.ledger import ledger
from boundcheck.theories import classic
from boundcheck.theories.classic.best_arm import TwoArms, by_likelihood, by_mixture
from boundcheck.theories.classic.greedy import FORMULA, Slot, claimed
from boundcheck.trying.almanac_rows import measured
from simulation.rewards.laws import Gaussian
from simulation.running.replicate import replicate
from simulation.world.instance import Instance

THEORY = classic.THEORY
NORMAL = Gaussian(Fraction(1))
TINY = Effort("tiny", trials=2_000, runs=10, horizon=1_000, slots=10**5)
PRINTED = {
    "alpha-ucb-printed": "alpha-ucb-subgaussian",
    "epsilon-greedy-printed": "epsilon-greedy",
    "regression-printed": "regression",
    "best-arm-printed": "best-arm",
    "minimax-bernoulli-printed": "minimax-bernoulli",
}


def searched(claim: str | Claim, examples: int = 60) -> Falsification:
    return falsify(claim, examples=examples, seconds=240, theory=THEORY)[0]


# -- errata --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("printed", "corrected"), PRINTED.items())
def test_a_printed_statement_is_refuted_and_its_repair_is_not(printed: str, corrected: str) -> None:
    row = searched(printed, 100)
    assert row.found
    assert THEORY.cards[printed].instead == corrected
    assert not searched(corrected, 30).found


def test_the_missing_gap_is_that_of_two_arms_far_apart() -> None:
    """Two Gaussian arms, two slots: the regret is the gap, the bound 24 log 2/gap + 3."""
    printed = THEORY.cards["alpha-ucb-printed"]
    for gap in ("5", "6"):
        pair = Instance([gap, 0], [1, 1], 1, NORMAL)
        number = bound(printed, AtHorizon.at(pair, 2), THEORY).value
        assert float(number) == pytest.approx(24 * ln(2) / float(gap) + 3)  # type: ignore[arg-type]
        found = verify(pair, "quick", claims=[printed], theory=THEORY, horizon=2)
        refuted = found.findings[0].verdict is Verdict.REFUTED
        assert refuted == (float(gap) > 24 * ln(2) / float(gap) + 3)


def test_the_bound_on_a_probability_is_the_printed_formula() -> None:
    case = Slot(
        Instance(["0.6", "0.5"], [1, 1], 1), given_c=Fraction(5), given_d=Fraction(1, 10), slot=100
    )
    card = THEORY.cards["epsilon-greedy-printed"]
    x = 99 * 0.01 * sqrt(exp(1)) / (5 * 2)
    by_hand = 5 + 2 * 500 * ln(x) * x ** (-100) + 400 * exp(1) * x ** (-2.5)
    assert float(claimed(card, case)) == pytest.approx(by_hand)
    assert by_hand < -9e81
    assert FORMULA is card.formula


def test_the_regression_fails_from_the_delta_that_a_normal_tail_says() -> None:
    row = searched("regression-printed")
    r, delta = (float(row.parameters[name]) for name in ("r", "delta"))
    assert erfc(sqrt((1 + 1 / r) * ln((1 + r) / delta) / 2)) > delta


def test_what_two_points_take_is_attained() -> None:
    """With an error that is exactly that of j steps, the lower bound is an equality."""
    pair = Instance(["0.6", "0.4"], [1, 1], 1)
    card, context = THEORY.cards["best-arm-two-points"], THEORY.context(EFFORTS["quick"])
    for j in (1, 4):
        delta = 1 / (1 + Fraction(3, 2) ** j)
        case = TwoArms.of(pair, delta)
        taken = by_likelihood(card, case, context)
        lower = bound(card, case, THEORY).value  # type: ignore[arg-type]
        assert float(taken.upper) == pytest.approx(float(lower))  # type: ignore[union-attr, arg-type]
    assert searched(times(THEORY.cards["best-arm-two-points"], Rational("1.01")), 200).found


@pytest.mark.parametrize("m", [12, 13, 20, 100])
def test_a_bound_with_a_part_that_is_linear_in_T_is_informative_from_where_it_crosses(
    m: int,
) -> None:
    """19 arms with gap 1: 19 m + (T - 20 m) x = T, x = 19 exp(-m/4)."""
    arms = Instance([1, *[0] * 19], [1] * 20, 1, NORMAL)
    case = AtHorizon.at(arms, 10**4, question=Question(samples=m))
    found = bound(THEORY.cards["etc"], case, THEORY, since=True).informative_from
    x = 19 * exp(-m / 4)
    assert float(found) == pytest.approx(m * (19 - 20 * x) / (1 - x), rel=2e-3)  # type: ignore[arg-type]


# -- tails ---------------------------------------------------------------------------------------


def test_three_for_four_is_false_from_58_degrees_on() -> None:
    card = THEORY.cards["chi-square-tail"]
    threshold, number = card.formula.args  # type: ignore[union-attr]
    row = searched(replace(card, formula=Tuple(threshold * Rational(3, 4), number)), 200)
    assert row.found
    assert row.parameters == {"nu": "58"}
    (steps,) = {str(entry.verdict) for entry in ledger(card.id, theory=THEORY)}
    assert steps == "holds"


def test_a_tail_of_students_law_that_is_too_thin_is_refuted() -> None:
    card = THEORY.cards["student-tail"]
    a, number = card.formula.args  # type: ignore[union-attr]
    assert searched(replace(card, formula=Tuple(a, number**2)), 100).found
    assert not searched(card, 100).found


# -- constants -----------------------------------------------------------------------------------


# what a search refutes: the number of a card times this
REFUTED = {
    **dict.fromkeys(("ucb1", "ucb", "ucb-asymptotic", "alpha-ucb", "etc"), "1/10"),
    **dict.fromkeys(("alpha-ucb-subgaussian", "epsilon-greedy", "mixture"), "1/10"),
    **dict.fromkeys(("moss-ls", "ucb-worst"), "1/10"),
    **dict.fromkeys(("hoeffding", "maurer-pontil", "regression"), "1/2"),
    **dict.fromkeys(("student-tail", "chi-square-tail"), "1/10"),
    **dict.fromkeys(("lai-robbins", "best-arm", "best-arm-two-points"), "2"),
}
# bounds of which a tenth may be true: this share of the bound is refuted
LOOSE = {"moss": "1/100", "thompson": "1/300"}
# what other tests below say of the rest: long runs, growth that contradicts another card, or no
# evidence
OTHERWISE = (
    *("kl-ucb", "ucb-asymptotic-limit", "kl-ucb-limit"),
    *("minimax-gaussian", "minimax-bernoulli"),
)


def test_a_variant_of_every_card_is_planted() -> None:
    planted = (*REFUTED, *LOOSE, *OTHERWISE, *PRINTED)
    assert sorted(planted) == sorted(THEORY.cards)


@pytest.mark.parametrize(("claim", "factor"), REFUTED.items())
def test_another_constant_is_refuted(claim: str, factor: str) -> None:
    assert searched(times(THEORY.cards[claim], Rational(factor)), 300).found


@pytest.mark.parametrize(("claim", "factor"), LOOSE.items())
def test_a_tenth_of_a_loose_bound_is_out_of_reach(claim: str, factor: str) -> None:
    """The reason is measured: regret that a search climbs to stays below a tenth of the bound."""
    assert searched(times(THEORY.cards[claim], Rational(factor)), 300).found
    entry = measured(THEORY.cards[claim], THEORY.context(TINY), 0)
    assert float(Rational(factor)) < (entry.largest_share or 0.0) < 0.1
    assert "a tenth of it was not refuted" in entry.out_of_reach


@pytest.mark.parametrize("words", FALSE)
def test_a_variant_that_is_false_is_refuted(words: str) -> None:
    how = refuted(FALSE[words])
    if words == "ucb1 grows like 1/gap":  # its growth is 2/gap, above what any policy can have
        assert how is None
        assert "no finite T decides a limit" in why_not(FALSE[words])
    else:
        assert how is not None


def test_a_tenth_of_the_bound_on_kl_ucb_is_refuted_by_long_runs() -> None:
    """The share of the bound that is reached grows with T: 0.09 at T = 1e4, 0.11 at T = 1e5."""
    tenth = times(THEORY.cards["kl-ucb"], Rational(1, 10))
    theory = THEORY.with_card(tenth)
    case = AtHorizon.at(Instance(["0.6", "0.2"], [1, 1], 1), LONG.horizon)
    found = decide(tenth, theory.statements("kl-ucb")[0], [case], theory.context(LONG))
    assert found.verdict is Verdict.REFUTED


@pytest.mark.parametrize("claim", ["ucb-asymptotic-limit", "kl-ucb-limit"])
def test_a_tenth_of_a_growth_contradicts_the_least_growth(claim: str) -> None:
    law = NORMAL if claim.startswith("ucb") else None
    means = ["0.6", "0.4"]
    pair = Instance(means, [1, 1], 1, law) if law else Instance(means, [1, 1], 1)
    tenth = times(THEORY.cards[claim], Rational(1, 10))
    found = verify(pair, "quick", claims=[tenth], theory=THEORY, horizon=1000)
    assert found.findings[0].verdict is Verdict.REFUTED
    assert found.findings[0].rests_on == ("lai-robbins",)


def test_twice_a_lower_bound_on_the_worst_regret_is_not_refuted() -> None:
    """No policy is known whose regret on all instances is below it: the reason that is printed."""
    pair = Instance(["0.6", "0.4"], [1, 1], 1, NORMAL)
    coins = Instance(["0.6", "0.4"], [1, 1], 1)
    for claim, arms in (("minimax-gaussian", pair), ("minimax-bernoulli", coins)):
        twice = times(THEORY.cards[claim], Rational(2))
        found = verify(arms, "quick", claims=[twice], theory=THEORY, horizon=1000)
        assert "nothing above" in found.findings[0].explanation
        entry = measured(THEORY.cards[claim], THEORY.context(TINY), 0)
        assert "twice it was not refuted" in entry.out_of_reach


def test_the_samples_of_two_gaussian_arms_are_bounded_by_what_runs_take() -> None:
    """The certified sum is above the mean of runs, and near it."""
    pair = Instance(["1", "0"], [1, 1], 1, NORMAL)
    for delta in ("0.1", "1e-6"):
        case = TwoArms.of(pair, Fraction(delta))
        upper = by_mixture(THEORY.cards["best-arm"], case, THEORY.context(EFFORTS["quick"])).upper
        options = {"delta": float(delta)}
        runs = replicate(pair, ["gaussian-stop"], 2_000, 2_000, 0, options=options)["gaussian-stop"]
        taken = runs.learned.max(axis=1)
        assert taken.min() > 0
        assert taken.mean() < float(upper) < 1.25 * taken.mean()


def test_every_card_has_a_source_conditions_and_a_statement() -> None:
    assert len(THEORY.cards) == 30
    for card, other in product(THEORY.cards.values(), repeat=2):
        assert card is other or card.id != other.id
    for card in THEORY.cards.values():
        assert card.source
        assert THEORY.statements(card.id), card.id
        assert card.instead is None or card.instead in THEORY.cards
    assert s.sample_variance in THEORY.cards["maurer-pontil"].formula.free_symbols  # type: ignore[union-attr]
