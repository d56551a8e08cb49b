"""Every number of the catalogue against a formula written a second time (`reference`)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from paper import exact_setting
from reference import (
    BY_ARM,
    IN_ALL,
    World,
    beta_divergence_by_quadrature,
    exp,
    log,
    mp,
    number,
    over,
    ranks,
)

from boundcheck import bounds, catalogue, check
from boundcheck.calculator.bounds import Bound
from boundcheck.calculator.numbers.balls import precision
from boundcheck.calculator.numbers.evaluate import BALLS, FLOATS, Digits, Evaluator
from boundcheck.calculator.optimise import best_levels
from boundcheck.calculator.values import term_values
from boundcheck.claims.functions import kl_beta
from boundcheck.claims.symbols import concentration as concentration_symbol
from boundcheck.claims.symbols import epsilon as epsilon_symbol
from boundcheck.search.extreme import extreme_instances
from boundcheck.search.strategies import (
    confidences,
    decimals,
    fractions_of_one,
    horizons,
    instances,
)
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms.exact.beta_law import (
    _series,
    digits_mean_log,
    enclosed_mean_log,
    float_mean_logs,
)
from boundcheck.theories.shareable_arms.question import Question
from simulation import Beta, Gaussian, Instance
from simulation.numbers import exact

NO_NUMBER = {
    *("last-mean-above-others", "last-mean-below-filled"),
    *("rewards-in-unit-interval", "rewards-of-a-scale", "horizon-at-least-216"),
}
# its whole numbers are chosen in floats; the second formula has the best ones
COUNTS_CHOSEN = "sharp-law-free"
FOUND_RATES = {"sharp-7.1", "sharp-law-free"}  # those of Beta laws, by a search over s
SLOW = "sharp-4.1-test"  # its reference integrates numerically
CLAIMS = sorted({claim for claim, _ in (*IN_ALL, *BY_ARM)} - {SLOW})


@st.composite
def asked(draw: Any, instance: Instance) -> Question:
    """A question with an admissible epsilon, where there is one."""
    means = sorted(instance.means)
    gap = min(b - a for a, b in pairwise(means))
    share = draw(st.sampled_from(["0.5", "0.999999", "0.001", "0.25"]))
    return Question(
        delta=draw(confidences()),
        horizon=draw(horizons()),
        epsilon=gap / 2 * Fraction(share) if gap > 0 else None,
        threshold=draw(st.none() | st.integers(1, instance.plays + 1)),
        gamma=draw(st.sampled_from([1, 2, Fraction(3, 2)])),
        xi=draw(st.sampled_from([1, 5, Fraction(1, 10)])),
    )


any_instance = instances() | extreme_instances()
cases = any_instance.flatmap(lambda i: st.tuples(st.just(i), asked(i)))


def expected(world: World, claim: str) -> dict[tuple[str, int | None], list[Any]]:
    """(quantity, arm) -> terms."""
    found: dict[tuple[str, int | None], list[Any]] = {}
    for (name, quantity), formula in IN_ALL.items():
        if name == claim:
            found[quantity, None] = formula(world)
    for (name, quantity), (arms, formula) in BY_ARM.items():
        if name == claim:
            found |= {(quantity, world.arms[k]): formula(world, k) for k in ranks(world, arms)}
    return found


def close(found: Any, truth: Any, digits: int = 25) -> bool:
    """Equal to that many digits; what is not finite must be inf or missing."""
    finite = found is not None and mp.isfinite(mp.mpf(found))
    if not (finite and mp.isfinite(truth)):
        return not finite and not mp.isfinite(truth)
    return bool(abs(mp.mpf(found) - truth) <= abs(truth) * mp.mpf(10) ** -digits)


def uses_epsilon(claim: str) -> bool:
    return any(epsilon_symbol in q.symbols for q in catalogue()[claim].quantities)


def test_every_quantity_has_a_second_formula():
    numbers = {(card.id, q.name) for card in catalogue().values() for q in card.quantities}
    assert numbers == IN_ALL.keys() | BY_ARM.keys()


@pytest.mark.parametrize("claim", CLAIMS)
@settings(max_examples=25)
@given(case=cases)
def test_value_terms_and_rows_agree_with_the_second_formula(claim, case):
    instance, question = case
    rows = {(b.quantity, b.arm): b for b in bounds(instance, question, [claim])}
    if uses_epsilon(claim) and question.epsilon is None:
        assert all(b.value is None and not b.applies for b in rows.values())
        return
    world = World.of(instance, question)
    free = any(q.levels for q in catalogue()[claim].quantities)
    if free:
        (bound,) = rows.values()
        if bound.value is None:
            assert NO_NUMBER & unmet(bound)
            return
        world = world.at(bound)
    truth = expected(world, claim)
    assert rows.keys() == truth.keys()
    for key, terms in truth.items():
        bound = rows[key]
        assert len(bound.terms) == len(terms)
        if claim == COUNTS_CHOSEN:
            assert close(bound.value, sum(terms), 12), (key, bound.value, sum(terms))
            continue
        for (name, value), term in zip(bound.terms, terms, strict=True):
            assert close(value, term), (key, name, value, term)
        assert_enclosed(bound, sum(terms))


def unmet(bound: Bound) -> set[str]:
    return {condition.name for condition in bound.assumptions if not condition.holds}


def assert_enclosed(bound: Bound, truth: Any) -> None:
    assert close(bound.value, truth), (bound.claim, bound.value, truth)
    if mp.isfinite(truth):
        assert bound.lower is not None
        assert bound.upper is not None
        slack = abs(truth) * mp.mpf(10) ** -55
        low, high = number(exact(bound.lower)), number(exact(bound.upper))
        assert low - slack <= truth <= high + slack
        assert high - low <= abs(truth) * mp.mpf(10) ** -28


@settings(max_examples=30)
@given(
    mean=decimals(0, 2, 1),
    capacity=st.integers(1, 5),
    variance=st.sampled_from(["0.5", "0.2"]),
    samples=st.integers(1, 3),
)
def test_the_two_point_error_agrees_with_numerical_integration(mean, capacity, variance, samples):
    instance = Instance([mean, 0], [capacity, 1], 1, Gaussian(Fraction(variance)))
    question = Question(samples=samples, digits=20)
    found = next(b for b in bounds(instance, question, [SLOW]) if b.arm == 1)
    world = World.of(instance, question)
    arms, formula = BY_ARM[SLOW, "minimax error"]
    assert arms == "all"
    (truth,) = formula(world, world.arms.index(1))
    assert close(found.value, truth, 12)


def test_a_two_point_error_too_small_for_the_mixture_is_still_enclosed():
    sharp = Instance([1, 0], [1, 1], 1, Gaussian(Fraction(1, 10**9)))
    found = bounds(sharp, Question(samples=1), [SLOW])[0]
    # one play: two normals whose means are 1/sigma apart overlap by less than exp(-10^7)
    assert found.lower is not None
    assert found.upper is not None
    # (the radius of a ball is rounded up, so its lower end may dip below 0)
    assert abs(mp.mpf(found.lower)) < mp.mpf(found.upper) < exp(-(10**7))


def test_a_tiny_two_point_error_is_enclosed_as_sharply_as_any():
    # its mixture is summed up to an absolute error first, so more bits must be asked for
    clear = Instance([20, 0], [1, 1], 1, Gaussian(Fraction(1, 10)))
    found = bounds(clear, Question(), [SLOW])[0]
    low, value, high = (exact(x) for x in (found.lower, found.value, found.upper))
    assert 0 < low <= value <= high < Fraction(1, 10**300)
    assert high - low < value / 10**28


def test_a_mean_a_hair_below_one_keeps_all_digits():
    hair = Fraction(1, 10**300)
    instance = Instance([1 - hair, Fraction(1, 2)], [1, 1], 1)
    (bound,) = bounds(instance, Question(), ["lem-C.3"])
    # kl(1/2, 1 - x) = -log(4 x (1 - x))/2
    with mp.workdps(400):
        truth = -2 / log(4 * number(hair) * (1 - number(hair)))
    assert close(bound.value, truth, 28)


@pytest.mark.parametrize("concentration", [0.5, 2, 4, 30, 1000])
@pytest.mark.parametrize("mean", [0.1, 0.5, 0.75, 0.97])
def test_the_divergences_of_beta_laws_are_those_of_their_densities(mean, concentration):
    given = {concentration_symbol: np.array([[float(concentration)]])}
    evaluator = Evaluator(FLOATS, given, "beta")

    def close_to(found: Any, r: float, other: float) -> bool:
        truth = beta_divergence_by_quadrature(mean, other, r, concentration)
        return found.item() == pytest.approx(truth, rel=1e-9)

    for other in (0.05, 0.4, 0.9):
        found = evaluator.call(kl_beta, np.array([[mean]]), np.array([[other]]))
        assert close_to(found, 1, other)
    for m in (1, 2, 9, 500):
        found = evaluator.call(
            fn.capacity_divergence_beta, np.array([[float(m)]]), np.array([[mean]])
        )
        assert close_to(found, m / (m + 1), mean)


@settings(max_examples=60)
@given(
    mean=fractions_of_one(),
    concentration=st.sampled_from(["0.01", "1", "4", "1000", "1e6"]),
    m=st.integers(1, 60),
)
def test_a_mean_logarithm_of_a_beta_reward_is_the_same_in_floats_digits_and_balls(
    mean, concentration, m
):
    a, b = mean * Fraction(concentration), (1 - mean) * Fraction(concentration)
    fine, rough = Digits(40), (np.array([[float(x)]]) for x in (a, b, m))
    truth = digits_mean_log(fine.context, *(fine.number(Fraction(x)) for x in (a, b, m)))
    assert float_mean_logs(*rough).item() == pytest.approx(float(truth), rel=1e-13)
    with precision(200):
        ball = enclosed_mean_log(*(BALLS.number(Fraction(x)) for x in (a, b, m)))
        middle = BALLS.number(Fraction(str(truth)))
        assert ball.rel_accuracy_bits() > 180
        assert abs(ball - middle) < abs(middle) * BALLS.number(Fraction(1, 10**40))


@pytest.mark.parametrize("a", [0.01, 1, 50])
@pytest.mark.parametrize("b", [0.001, 0.5, 20])
@pytest.mark.parametrize("m", [1, 3, 40])
def test_what_is_left_of_the_series_is_at_most_its_bound(a, b, m):
    given = [mp.mpf(x) for x in (a, b, m)]
    truth = -digits_mean_log(mp, *given)
    for precision_asked in (0.5, 0.01, 1e-6):
        total, rest = _series(*given, mp.mpf(precision_asked))
        assert 0 < truth - total <= rest <= truth * precision_asked


def test_a_beta_law_of_tiny_concentration_gives_capacities_away_and_means_not_as_bernoulli_does():
    """B(a, b) is about 1/a + 1/b: how close to 0 or 1 a reward lies still tells of the mean."""
    theta = Instance(["0.9", "0.5", "0.3"], [1, 1, 1], 2, Beta("1e-9"))
    (bound,) = bounds(theta, Question(), ["sharp-4.3"])
    means, capacities = (float(value) for _, value in bound.terms)
    limit = log(mp.mpf("0.21") / mp.mpf("0.25")) + mp.mpf("0.08") / mp.mpf("0.21")
    assert means == pytest.approx(float(mp.mpf("0.2") / limit), rel=1e-7)
    assert 0 < capacities < 1e-8


def test_the_divergence_of_capacities_of_a_peaked_beta_law_grows_like_its_concentration():
    """The density at x is about exp(-c kl(mu, x)); m X lies near r mu in units of m + 1."""
    m, mu, c = 2.0, 0.5, 1e9
    evaluator = Evaluator(FLOATS, {concentration_symbol: np.array([[c]])}, "beta")
    found = evaluator.call(fn.capacity_divergence_beta, np.array([[m]]), np.array([[mu]])).item()
    seen = mu * m / (m + 1)
    rate = mu * np.log(mu / seen) + (1 - mu) * np.log((1 - mu) / (1 - seen))
    assert found / c == pytest.approx(rate, rel=1e-6)


# -- the three kinds of numbers ----------------------------------------------------------

# floats lose digits where means (or means shifted by epsilon) nearly coincide
mild = instances(distinct=True, largest=5).filter(
    lambda i: (
        all(x.denominator <= 1000 and 0 < x < 50 for x in i.means)
        and i.reward.proxy_variance > Fraction(1, 1000)
    )
)


@settings(max_examples=15)
@given(case=mild.flatmap(lambda i: st.tuples(st.just(i), asked(i))))
def test_floats_digits_and_balls_agree(case):
    instance, question = case
    setting = exact_setting(instance, question)
    assume(question.horizon < 10**300 and Fraction(1, 10**15) < question.delta < 0.99)
    assume(question.epsilon * 4 <= min(b - a for a, b in pairwise(sorted(instance.means))))
    digits = Digits(60)
    for card in catalogue().values():
        for quantity in card.quantities:
            if card.id == SLOW:
                continue
            rows = [np.flatnonzero(setting.mask(quantity.rows))[-1] + 1] if quantity.rows else None
            levels = best_levels(quantity, setting)
            assert levels is not None
            at = setting.given(levels)
            for term in quantity.terms:
                with np.errstate(all="ignore"):
                    rough = term_values(term, at, FLOATS, rows).item()
                fine = term_values(term, at, digits, rows).item()
                ball = term_values(term, at, BALLS, rows).item()
                if not digits.context.isfinite(fine):
                    assert not np.isfinite(rough)
                    continue
                if card.id in FOUND_RATES and isinstance(instance.reward, Beta):
                    # any s gives a rate that is not too large, hence a bound that is not too small
                    assert rough >= float(fine) * (1 - 1e-6) - 1e-12, term
                    assert rough == pytest.approx(float(fine), rel=1e-2, abs=1e-9), term
                    continue
                assert rough == pytest.approx(float(fine), rel=1e-9, abs=1e-12), term
                mantissa, exponent = abs(fine).man_exp
                truth = Fraction(mantissa) * Fraction(2) ** exponent * (-1 if fine < 0 else 1)
                with precision(400):
                    assert ball.contains(BALLS.number(truth)), (card.id, term.name)


# -- assumptions -------------------------------------------------------------------------


def _snr(w: World, k: int) -> Any:
    return over(mp.mpf(1), w.square_ratio(k) * w.s2)


def _snr_threshold(w: World, k: int, d: int) -> tuple[Any, Any]:
    return _snr(w, k) * (w.capacities[k] - d + 1) ** 2, 2 * log(over(mp.mpf(w.N), mp.mpf(d - 1)))


# name -> (left, relation, right) for an arm of rank k, written from the statements
SIDES: dict[str, Any] = {
    "variance-at-most-half": lambda w, k: (w.s2, "<=", mp.mpf(1) / 2),
    "sub-gaussian-half": lambda w, k: (w.s2, "<=", mp.mpf(1) / 4),
    "means-in-unit-interval": lambda w, k: (w.means[k], "<=", mp.mpf(1)),
    "mean-within-capacity": lambda w, k: (w.means[k], "<=", mp.mpf(w.capacities[k])),
    "distinct-means": lambda w, k: (gap_of(w), ">", mp.mpf(0)),
    "last-mean-above-others": lambda w, k: (w.mu_L, ">", w.means[k]),
    "last-mean-below-filled": lambda w, k: (w.means[k], ">", w.mu_L),
    "positive-mean": lambda w, k: (w.means[k], ">", mp.mpf(0)),
    "non-negative-means": lambda w, k: (w.means[k], ">=", mp.mpf(0)),
    "horizon-at-least-3": lambda w, k: (w.T, ">=", mp.mpf(3)),
    "horizon-at-least-216": lambda w, k: (w.T, ">=", mp.mpf(216)),
    "positive-last-mean": lambda w, k: (w.mu_L, ">", mp.mpf(0)),
    "capacity-within-plays": lambda w, k: (mp.mpf(w.capacities[k]), "<=", mp.mpf(w.N)),
    "capacity-below-plays": lambda w, k: (mp.mpf(w.capacities[k]), "<", mp.mpf(w.N)),
    "unit-capacities": lambda w, k: (mp.mpf(w.capacities[k]), "==", mp.mpf(1)),
    "signal-to-noise": lambda w, k: (_snr(w, k), ">=", mp.mpf(2)),
    "threshold-signal-to-noise": lambda w, k: split(_snr_threshold(w, k, w.d)),
    "last-arm-signal-to-noise": lambda w, k: split(_snr_threshold(w, w.L - 1, w.mbar)),
    "last-arm-shared": lambda w, k: (mp.mpf(w.mbar), ">", mp.mpf(1)),
    "threshold-at-least-2": lambda w, k: (mp.mpf(w.d), ">=", mp.mpf(2)),
    "threshold-within-plays": lambda w, k: (mp.mpf(w.d), "<=", mp.mpf(w.N)),
    "confidence-below-even-odds": lambda w, k: (w.delta, "<=", mp.mpf(1) / 2),
    "capacity-reaches-threshold": lambda w, k: (mp.mpf(w.capacities[k]), ">=", mp.mpf(w.d)),
    "confidence-range": lambda w, k: (w.delta, "<=", 2 * exp(-49 * w.square_ratio(k))),
    "threshold-confidence-range": lambda w, k: (
        w.delta,
        "<=",
        2 * exp(-over(49 * w.square_ratio(k), mp.mpf(w.capacities[k] - w.d + 1) ** 2)),
    ),
    "horizon": lambda w, k: (w.T, ">=", exp(49 * w.square_ratio(k))),
    "elimination-horizon": lambda w, k: (
        w.T,
        ">=",
        w.xi * exp(over(mp.mpf(1), 64 * w.capacities[k] ** 2 * w.means[k] ** 2)),
    ),
    "epsilon-range": lambda w, k: (w.epsilon, "<", gap_of(w) / 2),
    "gamma-at-least-1": lambda w, k: (w.gamma, ">=", mp.mpf(1)),
    "xi-positive": lambda w, k: (w.xi, ">", mp.mpf(0)),
    "small-mean": lambda w, k: (
        over(mp.mpf(4 * w.capacities[k] + 3) ** 2, w.means[k] ** 2),
        ">=",
        mp.mpf(49),
    ),
    "more-than-two-arms": lambda w, k: (mp.mpf(w.K * w.N**2), ">", mp.mpf(2)),
}
# which ranks an assumption speaks of, by claim where claims differ
SPEAKS_OF = {
    ("thm-4.3", "signal-to-noise"): lambda w: list(w.filled),
    ("thm-4.3", "last-arm-signal-to-noise"): lambda w: [w.L - 1],
    ("sharp-4.3", "last-mean-above-others"): lambda w: list(range(w.L, w.K)),
    ("sharp-4.3", "last-mean-below-filled"): lambda w: list(w.filled),
    ("sharp-7.1", "last-mean-above-others"): lambda w: list(range(w.L, w.K)),
    ("sharp-7.1", "last-mean-below-filled"): lambda w: list(w.filled),
    ("thm-7.1", "horizon"): lambda w: list(range(w.L)),
    ("thm-G.1", "elimination-horizon"): lambda w: list(range(w.N)),
}


def gap_of(w: World) -> Any:
    return min(a - b for a, b in pairwise(w.means))


def split(sides: tuple[Any, Any]) -> tuple[Any, str, Any]:
    return sides[0], ">=", sides[1]


COMPARE = {
    "<=": lambda a, b: a <= b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    ">": lambda a, b: a > b,
    "==": lambda a, b: a == b,
}
LAW_OF = {
    "gaussian-rewards": ("gaussian",),
    "known-law": ("gaussian", "bernoulli", "beta"),
    "rewards-in-unit-interval": ("bernoulli", "beta"),
    "rewards-of-a-scale": ("gaussian",),
}


@settings(max_examples=40)
@given(case=cases)
def test_assumptions_agree_with_a_second_reading(case):
    instance, question = case
    world = World.of(instance, question)
    spoken: dict[tuple[str, str], set[int | None]] = {}
    for row in check(instance, question):
        condition = row.condition
        spoken.setdefault((row.claim, condition.name), set()).add(condition.arm)
        if condition.name in LAW_OF:
            assert condition.holds == (world.law in LAW_OF[condition.name])
            continue
        if condition.name == "epsilon-range" and question.epsilon is None:
            assert not condition.holds
            continue
        rank = 0 if condition.arm is None else world.arms.index(condition.arm)
        left, relation, right = SIDES[condition.name](world, rank)
        assert condition.holds == COMPARE[relation](left, right), (row.claim, condition)
        assert close(condition.lhs, left), (row.claim, condition, left)
        assert close(condition.rhs, right), (row.claim, condition, right)
    for key, of in SPEAKS_OF.items():
        assert spoken.get(key, set()) == {world.arms[k] for k in of(world)}, key


def test_the_closed_form_is_said_to_apply_only_to_small_means():
    instance = Instance([8, 1], [2, 1], 1, Gaussian(Fraction(1, 4)))
    rows = {(b.quantity, b.arm): b.applies for b in bounds(instance, Question(), ["sharp-5.3a"])}
    assert rows["explorations of each kind", 1]
    assert not rows["closed form", 1]
    assert rows["closed form", 2]


# -- what is informative, and the default epsilon


@settings(max_examples=25)
@given(case=cases)
def test_a_bound_is_informative_where_it_is_better_than_the_trivial_one(case):
    instance, question = case
    world = World.of(instance, question)
    upper = {"reward": world.T * world.f_star, "slots": world.T}
    for bound in bounds(instance, question, ["thm-7.1", "thm-G.1", "lem-E.4", "thm-4.1a"]):
        if bound.value is None:
            assert bound.informative is False  # it says nothing
        elif bound.value == float("inf"):
            assert bound.informative is False  # not a number, whatever it bounds
        elif bound.claim == "thm-4.1a":
            # below delta = 1/2 a guess must be beaten, which takes at least one exploration
            needed = 0 if world.delta >= mp.mpf(1) / 2 else 1
            above = bound.value != float("-inf") and exact(bound.value) > needed
            assert bound.informative == above
        else:
            assert bound.informative == (number(exact(bound.value)) < upper[bound.unit])


@settings(max_examples=15)
@given(instance=instances(distinct=True, largest=5), power=st.integers(2, 12))
def test_the_default_epsilon_is_the_best_admissible_one(instance, power):
    question = Question(horizon=10**power)
    for bound in bounds(instance, question, ["thm-7.1"]):
        assume(bound.value not in (None, float("inf")))
        limit = gap_of(World.of(instance, question)) / 2
        assert 0 < number(exact(bound.epsilon)) < limit
        for share in ("0.05", "0.2", "0.5", "0.8", "0.95", "0.9999999"):
            other = Question(horizon=10**power, epsilon=exact(str(limit)) * Fraction(share))
            world = World.of(instance, other)
            rival = sum(IN_ALL[bound.claim, "regret"](world))
            # it is given to six digits
            assert number(exact(bound.value)) <= rival * (1 + mp.mpf(10) ** -5)


@settings(max_examples=15)
@given(
    instance=instances(distinct=True, largest=5),
    power=st.integers(2, 12),
    moves=st.lists(st.integers(-9, 9), min_size=40, max_size=40),
)
def test_free_levels_lie_between_their_ends_and_others_make_the_bound_no_smaller(
    instance, power, moves
):
    """By more than 1 %: the search is by three parabolas."""
    (bound,) = bounds(instance, Question(horizon=10**power), ["sharp-7.1"])
    assume(bound.value not in (None, float("inf")))
    world = World.of(instance, Question(horizon=10**power)).at(bound)
    other = {}
    for ((name, k), here), move in zip(world.levels.items(), moves, strict=False):
        low, high = ends(world, k)[name]
        assert low < here < high, (name, k)
        other[name, k] = here + abs(move) * ((high if move > 0 else low) - here) / 10
    rival = sum(IN_ALL["sharp-7.1", "regret"](replace(world, levels=other)))
    assert number(exact(bound.value)) <= rival * mp.mpf("1.01")


def ends(w: World, k: int | None) -> dict[str, tuple[Any, Any]]:
    """Between what each free level of sharp-7.1 may stand, for the arm of rank k if it has one."""
    after, before = w.means[w.L], w.means[max(w.L - 2, 0)]
    shares = ("theta_b", "theta_e", "theta_k", "theta_y", "theta_z")
    return {
        **dict.fromkeys(shares, (0, 1)),
        "x_1": (after, before),
        **dict.fromkeys(("x_2", "x_3", "x_4"), (w.mu_L, before)),
        **dict.fromkeys(("x_5", "y_L"), (after, w.mu_L)),
    }


@pytest.mark.parametrize("claim", ["thm-7.1", "thm-G.1", "thm-H.1", "sharp-7.1"])
def test_a_regret_bound_becomes_informative_at_the_horizon_it_names(claim):
    """At the epsilon and the levels that were chosen for the horizon asked about."""
    paper = Instance.load("paper")
    (bound,) = bounds(paper, Question(), [claim])
    since = exact(bound.informative_from)
    for factor, informative in ((Fraction(1), True), (Fraction(995, 1000), False)):
        question = Question(horizon=since * factor, epsilon=bound.epsilon)
        if bound.levels:
            world = World.of(paper, question).at(bound)
            assert (sum(IN_ALL[claim, "regret"](world)) < world.T * world.h) is informative
        else:
            (there,) = bounds(paper, question, [claim])
            assert there.informative is informative
