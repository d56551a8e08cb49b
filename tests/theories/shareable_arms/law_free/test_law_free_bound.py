"""`sharp-law-free`, told a range or a scale, and the lower bound beside it: what they catch."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import rel_entr
from sympy import Rational

from boundcheck import bounds, find
from boundcheck.calculator.numbers.domains import FLOATS, Digits
from boundcheck.calculator.question import Question
from boundcheck.judging.decide import decide
from boundcheck.judging.effort import EFFORTS
from boundcheck.judging.finding import Leaning, Verdict
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.exact.beta_rates import rates_of_beta
from boundcheck.theories.shareable_arms.exact.law_free_scale import ScaleNumbers
from boundcheck.theories.shareable_arms.law_free.sharp_4_3_law_free import (
    actions,
    discretised,
    least_divergence,
    least_growth,
)
from simulation.rewards.laws import Bernoulli, Beta, Gaussian, GaussianByArm, RewardLaw
from simulation.rewards.samples import Empirical
from simulation.running.runs import run_many
from simulation.world.instance import Instance

LOWER, UPPER, SCALE = "sharp-4.3-law-free", "sharp-law-free", "sharp-law-free-scale"
SMALL = Instance(["0.8", "0.6", "0.4", "0.1"], [1, 2, 2, 1], 2, name="small")
MEASURED = Empirical.measured([[8, 8, 8], [2, 10], [4, 4], [0, 2]], scale=10)
# the means of `paper`, by values of which nothing but the mean is used
PAPER_SAMPLES = Empirical.measured([[10] * k + [0] * (10 - k) for k in range(9, 0, -1)], scale=10)
LAWS = (Bernoulli(), Beta(Fraction(4)), Beta(Fraction(1, 2)), Beta(Fraction(50)), MEASURED)


def value(claim: str, instance: Instance, horizon: str = "1e5") -> float:
    (found,) = bounds(instance, Question(horizon=horizon, digits=12), [claim])
    assert found.applies
    return float(found.upper)


# -- the bound


PAPER = Instance.load("paper")
NEAR = {  # at 10^5, and what the theorem's own evaluation, on a coarser grid, came to
    Bernoulli(): (16_100, 16_074),
    Beta(Fraction(4)): (12_100, 12_047),
    Beta(Fraction(100)): (26_000, None),
    PAPER_SAMPLES: (33_600, 33_487),
}


@pytest.mark.parametrize("law", NEAR, ids=lambda law: f"{law.name} {float(law.parameter):g}")
def test_on_the_papers_arms_it_is_what_the_theorem_says(law: RewardLaw) -> None:
    most, other = NEAR[law]
    found = value(UPPER, PAPER.with_(reward=law))
    assert found <= most
    assert other is None or found == pytest.approx(other, rel=0.005)


def test_from_a_few_thousand_slots_on_it_is_better_than_trivial() -> None:
    (early,) = bounds(PAPER, Question(horizon="2400", digits=12), [UPPER])
    (later,) = bounds(PAPER, Question(horizon="2600", digits=12), [UPPER])
    assert (early.informative, later.informative) == (False, True)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: f"{law.name} {float(law.parameter):g}")
def test_it_is_above_what_is_lost_and_grows_like_log(law: RewardLaw) -> None:
    instance = SMALL.with_(reward=law)
    lost = run_many(instance, "law-free", 10_000, np.array([10_000]), 3, 0, 5).regret.sum(axis=1)
    assert lost.max() < value(UPPER, instance, "1e4")
    far, farther = (value(UPPER, instance, horizon) for horizon in ("1e50", "1e100"))
    assert farther < 2.1 * far


def test_no_law_but_its_mean_costs_more() -> None:
    sure, unknown = (value(UPPER, SMALL.with_(reward=law)) for law in (Bernoulli(), MEASURED))
    assert sure < unknown


# -- told a scale

GAUSSIAN = Instance.load("paper-gaussian")
BELOW_ZERO = Instance(["0.8", "0.6", "0", "-0.4"], [1, 2, 2, 2], 2, Gaussian(Fraction(1, 4)))


@pytest.mark.parametrize(
    ("horizon", "other"), [("1e4", 383_466), ("1e5", 469_460), ("1e6", 522_367)]
)
def test_told_a_scale_it_is_near_another_evaluation_of_the_theorem(
    horizon: str, other: float
) -> None:
    assert value(SCALE, GAUSSIAN, horizon) == pytest.approx(other, rel=0.02)


def test_told_a_scale_it_is_above_what_is_lost_and_grows_like_log() -> None:
    for instance in (SMALL.with_(reward=Gaussian(Fraction(1, 2))), BELOW_ZERO):
        lost = run_many(instance, "law-free", 10_000, np.array([10_000]), 3, 0, 5).regret
        assert lost.sum(axis=1).max() < value(SCALE, instance, "1e4")
        far, farther = (value(SCALE, instance, horizon) for horizon in ("1e50", "1e100"))
        assert farther < 2.1 * far


def test_a_scale_counts_whatever_the_variances_of_single_arms_are() -> None:
    one = SMALL.with_(reward=Gaussian(Fraction(1, 2)))
    several = SMALL.with_(reward=GaussianByArm((Fraction(1, 2), *[Fraction(1, 8)] * 3)))
    assert value(SCALE, several) == value(SCALE, one)
    assert value(SCALE, SMALL.with_(reward=Gaussian(Fraction(1, 8)))) < value(SCALE, one)


def test_told_a_scale_it_has_no_number_for_other_laws_and_few_slots() -> None:
    (bounded,) = bounds(SMALL, Question(), [SCALE])
    (early,) = bounds(GAUSSIAN, Question(horizon="215"), [SCALE])
    assert (bounded.value, bounded.applies) == (None, False)
    assert [condition.name for condition in early.failing] == ["horizon-at-least-216"]


def test_one_count_stands_for_all_larger_ones() -> None:
    """What is found for h is what the evidence says at every n from h to T, for a few h beyond."""
    T, b = 3_000, 2
    numbers = ScaleNumbers(FLOATS, float(T), 0.5)
    for rate, below in ((0.04, True), (0.02, False), (0.3, True)):
        chosen = np.array([below])
        (h,) = numbers.tests_end(np.array([rate]), np.array([b]), chosen)
        for start in (h, h + 1, 2 * h, 3 * h):
            n = np.arange(start, T + 1)
            for one, other in [(n, start), (start, n)][: 2 if below else 1]:
                assert (
                    evidence(rate, one, other, b) + (2 if below else 3) > np.log(1 + T / 4)
                ).all()


def evidence(rate: float, n: Any, other: Any, b: int) -> Any:
    """E_b of averages of n low and `other` high plays whose difference has this rate."""
    low, high = 1 / (8 * (b + 1) ** 2), 2 / (b + 1) ** 2
    one, two = low * n**2 / (1 + low * n), high * other**2 / (1 + high * other)
    price = (np.log(1 + low * n) + np.log(1 + high * other)) / 2
    return rate * one * two / (one + two) - price


# -- the lower bound


@st.composite
def laws(draw: st.DrawFn) -> tuple[tuple[np.ndarray, np.ndarray], float]:
    values = np.array(draw(st.lists(st.integers(0, 20), min_size=1, max_size=6, unique=True))) / 20
    size = {"min_size": len(values), "max_size": len(values)}
    weights = np.array(draw(st.lists(st.integers(1, 9), **size)), dtype=float)
    return (values, weights / weights.sum()), draw(st.integers(1, 19)) / 20


@given(laws())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_the_nearest_law_is_found(case: tuple[tuple[np.ndarray, np.ndarray], float]) -> None:
    (values, weights), x = case
    found = least_divergence((values, weights), x)
    mean = values @ weights
    assume(mean < x)
    assert found <= np.log((1 - mean) / (1 - x)) + 1e-9  # the mixture with the mass at 1
    bernoulli = rel_entr(mean, x) + rel_entr(1 - mean, 1 - x)
    assert found >= bernoulli - 1e-9
    # any other law of that mean on the same values and 1 is no nearer
    for share in (0.3, 0.6, 0.9):
        tilted = weights * np.exp(share * values)
        tilted /= tilted.sum()
        if tilted @ values < x:
            w = (x - tilted @ values) / (1 - tilted @ values)
            at_one = np.where(values == 1.0, w, 0.0)
            assert found <= weights @ np.log(weights / ((1 - w) * tilted + at_one)) + 1e-9


def test_all_actions_are_there_once() -> None:
    found = list(actions(3, 4))
    assert len(found) == len(set(found)) == 15
    assert all(sum(loads) == 4 for loads in found)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: f"{law.name} {float(law.parameter):g}")
def test_the_program_has_no_less_than_the_formula(law: RewardLaw) -> None:
    instance = SMALL.with_(reward=law)
    values, weights = discretised(instance, 1)
    assert values @ weights == pytest.approx(0.6)
    assert value(LOWER, instance) <= least_growth(instance) * (1 + 1e-9)


def test_for_bernoulli_rewards_it_is_the_constant_of_the_known_law() -> None:
    assert value(LOWER, SMALL) == pytest.approx(value("sharp-4.3", SMALL), rel=1e-9)
    assert value(LOWER, SMALL) == pytest.approx(least_growth(SMALL), rel=1e-6)


def test_a_constant_that_is_too_large_is_refuted() -> None:
    card = find(LOWER)
    (quantity,) = card.quantities
    terms = tuple(replace(t, expression=t.expression * Rational(101, 100)) for t in quantity.terms)
    larger = replace(card, quantities=(replace(quantity, terms=terms),))
    context = THEORY.context(EFFORTS["quick"])
    (statement,) = THEORY.statements(LOWER)
    expected = {Verdict.UNDECIDED: (card, Leaning.FOR), Verdict.REFUTED: (larger, None)}
    for verdict, (each, leans) in expected.items():
        cases = statement.cases(each, SMALL, Question(), context)
        found = decide(each, statement, cases, context)
        assert (found.verdict, found.leans) == (verdict, leans)


@pytest.mark.parametrize("mean", ["1/2", "1/1000", "99/100"])
@pytest.mark.parametrize("concentration", ["1/2", "1", "50"])
def test_rates_of_beta_rewards_are_the_same_in_floats_to_a_millionth(mean, concentration):
    digits, x = Digits(40), [Fraction(k, 64) for k in (1, 9, 20, 31, 40, 50, 63)]
    exact = rates_of_beta(
        digits,
        np.array([digits.number(Fraction(mean))], dtype=object),
        digits.number(Fraction(concentration)),
        np.array([digits.number(one) for one in x], dtype=object),
    )
    mu, c = float(Fraction(mean)), float(Fraction(concentration))
    found = rates_of_beta(FLOATS, np.array([mu]), c, np.array(x, dtype=float))
    assert found == pytest.approx(exact.astype(float), rel=1e-6, abs=1e-12)
