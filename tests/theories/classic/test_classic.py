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
from sympy import Rational, Tuple

from boundcheck import verify as crossvalidate
from boundcheck.claims import symbols as s
from boundcheck.claims.card import Claim
from boundcheck.judging.default_statements.regret import AtHorizon, bound
from boundcheck.judging.falsification import Falsification
from boundcheck.judging.falsify import falsify
from boundcheck.judging.finding import Verdict
from boundcheck.judging.run_context import EFFORTS
from boundcheck.proof_steps.ledger import ledger
from boundcheck.theories import classic
from boundcheck.theories.classic.best_arm import TwoArms, by_likelihood
from boundcheck.theories.classic.greedy import FORMULA, Slot, claimed
from simulation.rewards.laws import Gaussian
from simulation.world.instance import Instance

THEORY = classic.THEORY
NORMAL = Gaussian(Fraction(1))
PRINTED = {
    "alpha-ucb-printed": "alpha-ucb-subgaussian",
    "epsilon-greedy-printed": "epsilon-greedy",
    "regression-printed": "regression",
    "best-arm-printed": "best-arm",
    "minimax-bernoulli-printed": "minimax-bernoulli",
}


def searched(claim: str | Claim, examples: int = 60) -> Falsification:
    return falsify(claim, examples=examples, seconds=20, theory=THEORY)[0]


def times(claim: str, factor: str) -> Claim:
    """The card with all of its terms multiplied; no premise."""
    card = THEORY.cards[claim]
    (quantity,) = card.quantities
    terms = tuple(replace(t, expression=Rational(factor) * t.expression) for t in quantity.terms)
    return replace(card, quantities=(replace(quantity, terms=terms),), premise=False)


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
        found = crossvalidate(pair, "quick", claims=[printed], theory=THEORY, horizon=2)
        refuted = found.findings[0].verdict is Verdict.REFUTED
        assert refuted == (float(gap) > 24 * ln(2) / float(gap) + 3)


def test_the_bound_on_a_probability_is_the_printed_formula() -> None:
    case = Slot(
        Instance(["0.6", "0.5"], [1, 1], 1), told_c=Fraction(5), told_d=Fraction(1, 10), slot=100
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
    assert searched(times("best-arm-two-points", "1.01"), 200).found


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


@pytest.mark.parametrize("claim", ["ucb1", "ucb", "ucb-asymptotic", "alpha-ucb", "etc"])
def test_a_tenth_of_an_upper_bound_is_refuted(claim: str) -> None:
    assert searched(times(claim, "0.1"), 300).found


@pytest.mark.parametrize("claim", ["ucb-asymptotic-limit", "kl-ucb-limit"])
def test_a_tenth_of_a_growth_contradicts_the_least_growth(claim: str) -> None:
    law = NORMAL if claim.startswith("ucb") else None
    means = ["0.6", "0.4"]
    pair = Instance(means, [1, 1], 1, law) if law else Instance(means, [1, 1], 1)
    tenth = times(claim, "0.1")
    found = crossvalidate(pair, "quick", claims=[tenth], theory=THEORY, horizon=1000)
    assert found.findings[0].verdict is Verdict.REFUTED
    assert found.findings[0].rests_on == ("lai-robbins",)


def test_twice_a_lower_bound_is_refuted_or_no_evidence_can() -> None:
    for claim in ("lai-robbins", "best-arm-two-points"):
        assert searched(times(claim, "2"), 100).found
    pair = Instance(["0.6", "0.4"], [1, 1], 1, NORMAL)
    found = crossvalidate(
        pair, "quick", claims=[times("minimax-gaussian", "2")], theory=THEORY, horizon=1000
    )
    assert "nothing above" in found.findings[0].explanation
    found = crossvalidate(pair, "quick", claims=[times("best-arm", "2")], theory=THEORY)
    assert "runs of some policies cannot show that none does" in found.findings[0].explanation


def test_every_card_has_a_source_conditions_and_a_statement() -> None:
    assert len(THEORY.cards) == 30
    for card, other in product(THEORY.cards.values(), repeat=2):
        assert card is other or card.id != other.id
    for card in THEORY.cards.values():
        assert card.source
        assert THEORY.statements(card.id), card.id
        assert card.instead is None or card.instead in THEORY.cards
    assert s.sample_variance in THEORY.cards["maurer-pontil"].formula.free_symbols  # type: ignore[union-attr]
