"""The evidence layer against exact enumeration, exact tails and seeded repetition.

Statistical tests have fixed seeds, so they give the same answer every time; the false-alarm rate
stated in each is the chance that a fresh seed would turn correct code red.
"""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from math import comb, exp, log, log10

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import binom, norm

from boundcheck.evidence import betting, binomial
from boundcheck.evidence.betting import lower_limit, mean_at_least, mean_at_most, upper_limit
from boundcheck.evidence.binomial import proportion_at_least, proportion_at_most
from boundcheck.evidence.error_plan import ErrorPlan
from boundcheck.evidence.groups import log_slope
from boundcheck.evidence.rare import coverage_failure, crossing
from boundcheck.judging.finding import ANSWERS, DOES_NOT_APPLY, NO_BETTER, Finding, Leaning, Verdict
from simulation.errors import InputError

FloatArray = npt.NDArray[np.float64]


# --- probabilities from counts


def tail_by_summation(hits: int, trials: int, p: float) -> float:
    return sum(comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(hits, trials + 1))


@pytest.mark.parametrize(("hits", "trials"), [(1, 10), (3, 7), (40, 200), (7, 7)])
@pytest.mark.parametrize("level", [0.1, 1e-8])
def test_a_limit_is_where_the_binomial_tail_equals_the_level(hits, trials, level):
    low = binomial.proportion_lower_limit(hits, trials, level)
    assert tail_by_summation(hits, trials, low) == pytest.approx(level, rel=1e-9, abs=0)
    high = binomial.proportion_upper_limit(trials - hits, trials, level)
    assert high == pytest.approx(1 - low, rel=1e-12)


@given(trials=st.integers(1, 60), hits=st.integers(1, 60), p=st.floats(0.001, 0.999))
@settings(max_examples=100)
def test_a_binomial_tail_is_rounded_from_its_exact_value(trials, hits, p):
    exact = tail_by_summation(min(hits, trials), trials, Fraction(p))
    assert binomial.at_least_hits(min(hits, trials), trials, p) == float(exact)


def test_a_binomial_tail_far_out_costs_no_time_and_no_digits():
    assert [binomial.at_least_hits(hits, 10**6, 0.003) for hits in (1, 5, 9, 2000)] == [1.0] * 4
    assert binomial.at_least_hits(5000, 10**6, 0.003) == pytest.approx(4.190329e-244, rel=1e-6)
    assert binomial.at_least_hits(19_999, 20_000, 0.1) == 0.0


def test_no_hits_and_only_hits_give_one_sided_intervals():
    assert binomial.interval(0, 30, 0.05) == (0.0, pytest.approx(1 - 0.025 ** (1 / 30)))
    assert binomial.interval(30, 30, 0.05) == (pytest.approx(0.025 ** (1 / 30)), 1.0)


@pytest.mark.parametrize("trials", [1, 6, 25])
def test_coverage_by_enumeration_never_falls_below_nominal(trials):
    level = 0.1
    ends = [binomial.interval(hits, trials, level) for hits in range(trials + 1)]
    for p in np.linspace(0.001, 0.999, 333):
        mass = binom.pmf(np.arange(trials + 1), trials, p)
        missed = sum(m for m, (low, high) in zip(mass, ends, strict=True) if not low <= p <= high)
        assert missed <= level * (1 + 1e-9)


def test_a_one_sided_limit_errs_exactly_at_the_level_somewhere():
    trials, level = 25, 0.1
    p = binomial.proportion_lower_limit(9, trials, level)
    errs = sum(
        tail_by_summation(hits, trials, p) - tail_by_summation(hits + 1, trials, p)
        for hits in range(trials + 1)
        if binomial.proportion_lower_limit(hits, trials, level) >= p
    )
    assert errs == pytest.approx(level, rel=1e-9)


@given(
    trials=st.integers(1, 3000),
    bound=st.floats(1e-6, 0.999),
    level=st.floats(1e-12, 0.2),
    share=st.floats(0, 1),
)
@settings(deadline=None, max_examples=200)
def test_refuting_by_count_by_p_value_and_by_limit_agree(trials, bound, level, share):
    hits = round(share * trials)
    check = proportion_at_most(hits, trials, bound, level)
    assert check.refuted == (hits >= binomial.refuting_hits(trials, bound, level))
    if abs(check.evidence["p_value"] / level - 1) > 1e-6:
        assert check.refuted == (check.evidence["limit"] > bound)


@pytest.mark.parametrize(("trials", "bound"), [(50, 0.1), (2000, 0.01), (10**6, 1e-4)])
def test_detectable_probability_is_detected_with_the_stated_power(trials, bound):
    level, power = 1e-6, 0.9
    seen = binomial.detectable(trials, bound, level)
    hits = binomial.refuting_hits(trials, bound, level)
    assert seen is not None
    assert seen > bound
    assert binom.sf(hits - 1, trials, bound) <= level < binom.sf(hits - 2, trials, bound)
    assert binom.sf(hits - 1, trials, seen) == pytest.approx(power, rel=1e-8)


def test_at_least_mirrors_at_most():
    few = proportion_at_least(2, 100, 0.3, level=1e-6)
    many = proportion_at_most(98, 100, 0.7, level=1e-6)
    assert few.refuted
    p_value = few.evidence["p_value"]
    assert p_value == pytest.approx(many.evidence["p_value"], rel=1e-9, abs=0)
    assert p_value == pytest.approx(binom.cdf(2, 100, 0.3), rel=1e-9, abs=0)
    assert few.evidence["detectable"] == pytest.approx(1 - many.evidence["detectable"])
    assert not proportion_at_least(25, 100, 0.3, level=1e-6).refuted


def test_too_few_trials_detect_nothing_and_support_nothing():
    check = proportion_at_most(3, 3, 0.5, level=1e-6)
    assert (check.refuted, check.supported, check.against) == (False, False, True)
    assert check.evidence["detectable"] is None
    assert check.needed == pytest.approx(log(1e6) / log(2))  # all hits: half as likely each time


@given(trials=st.integers(1, 400), hits=st.integers(0, 400), bound=st.floats(0.001, 0.999))
@settings(deadline=None, max_examples=150)
def test_a_probability_is_supported_exactly_where_its_opposite_has_chance_at_most_005(
    trials, hits, bound
):
    """P(so few hits) <= 0.05 for every probability above the bound."""
    hits = min(hits, trials)
    few = 1 - tail_by_summation(hits + 1, trials, bound)  # smaller still beyond the bound
    for check in (
        proportion_at_most(hits, trials, bound, level=1e-6),
        proportion_at_least(trials - hits, trials, 1 - bound, level=1e-6),
    ):
        if abs(few - 0.05) > 1e-6:
            assert check.supported == (few < 0.05 and hits < trials)
        assert not (check.refuted and check.supported)


@pytest.mark.parametrize(
    ("hits", "supported", "against"), [(0, True, None), (4, False, False), (9, False, True)]
)
def test_an_undecided_probability_leans_and_says_how_many_trials_would_decide(
    hits, supported, against
):
    check = proportion_at_most(hits, 60, 0.1, level=1e-6)
    assert (check.supported, check.against, check.refuted) == (supported, against, False)
    if supported:
        assert check.needed is None
        return
    share, level = hits / 60, 1e-6 if against else 0.05
    entropy = share * log(share / 0.1) + (1 - share) * log((1 - share) / 0.9)
    assert check.needed == pytest.approx(-log(level) / entropy)


# --- means by betting


def tree(steps: int, value: float) -> FloatArray:
    return np.array(list(product([0.0, value], repeat=steps)))


def chances(paths: FloatArray, p: float) -> FloatArray:
    ups = (paths > 0).sum(axis=1)
    return p**ups * (1 - p) ** (paths.shape[1] - ups)


def wealths(paths: FloatArray, bound: float) -> FloatArray:
    return np.exp([betting.log_wealth(path, bound) for path in paths])


@pytest.mark.parametrize("p", [0.05, 0.5, 0.9])
def test_expected_wealth_is_one_at_the_boundary_and_falls_inside_the_claim(p):
    paths = tree(9, 3.0)
    at_boundary = chances(paths, p) @ wealths(paths, 3.0 * p)
    assert at_boundary == pytest.approx(np.ones(9), rel=1e-12)
    inside = chances(paths, p) @ wealths(paths, 3.3 * p)
    assert (np.diff(inside, prepend=1.0) < 0).all()


def test_stopping_at_the_first_refutation_keeps_the_error_below_the_level():
    p, level = 0.3, 0.2
    paths = tree(12, 1.0)
    grown = wealths(paths, p)
    reached = grown >= 1 / level
    stop = np.where(reached.any(axis=1), reached.argmax(axis=1), 11)
    stopped = grown[np.arange(len(paths)), stop]
    assert chances(paths, p) @ stopped == pytest.approx(1.0, rel=1e-12)  # optional stopping
    false_alarms = chances(paths, p)[reached.any(axis=1)].sum()
    assert 0.01 < false_alarms <= level


def test_log_wealth_is_the_average_of_plain_products():
    values, bound = np.array([0.5, 4.0, 0.0, 2.5]), 1.25
    plain = np.mean(
        [np.prod([1 + s * (x / bound - 1) for x in values]) for s in betting.STAKES.tolist()]
    )
    assert betting.log_wealth(values, bound)[-1] == pytest.approx(log(plain), rel=1e-12)


def test_false_alarms_under_optional_stopping_stay_below_the_level():
    """Exponential and lognormal values exactly at the bound, looked at after every value.

    False-alarm rate of this test below 1e-6 for each law (binomial quantile at the level).
    """
    level, repeats, length = 0.05, 1500, 300
    rng = np.random.default_rng(20240501)
    most = binom.isf(1e-6, repeats, level)
    for draw in (rng.standard_exponential, lambda n: rng.lognormal(-0.5, 1.0, n)):
        alarms = sum(
            betting.log_wealth(draw(length), 1.0).max() >= -log(level) for _ in range(repeats)
        )
        assert 0 < alarms <= most


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30), st.sampled_from([0.3, 0.01, 1e-7]))
@example(values=[5e-324], level=0.3)
@example(values=[1e-280, 0.0], level=1e-7)
@example(values=[1e-300, 1e6], level=0.3)
@settings(deadline=None, max_examples=60)
def test_lower_limit_separates_refuted_bounds_from_the_others(values, level):
    limit = betting.lower_limit(values, level)
    assert 0 <= limit <= max(values)
    if limit > 1e-300:
        assert mean_at_most(values, limit * (1 - 1e-9), level).refuted
        assert not mean_at_most(values, limit * (1 + 1e-9), level).refuted


def limits(values, top, level):
    """Each end errs with at most half of the level."""
    return lower_limit(values, level / 2), upper_limit(values, top, level / 2)


def test_limits_for_a_known_range_mirror_each_other():
    values = np.random.default_rng(3).beta(2, 5, 400)
    low, high = limits(values, 1.0, 1e-6)
    mirrored = limits(1 - values, 1.0, 1e-6)
    assert (1 - mirrored[1], 1 - mirrored[0]) == pytest.approx((low, high), rel=1e-9)
    assert low < 2 / 7 < high  # false-alarm rate 1e-6
    assert high - low < 0.15


def test_a_lower_bound_on_a_mean_is_refuted_only_with_its_range():
    values = np.random.default_rng(4).beta(2, 5, 400)
    near, far = (mean_at_least(values, 0.4, top, level=1e-6) for top in (1.0, 100.0))
    assert near.refuted
    assert not far.refuted  # the same values, but a rare 100 could carry the mean
    assert upper_limit(values, 1.0, 1e-6) < 0.4 < upper_limit(values, 100.0, 1e-6)
    assert near.evidence["range"] == [0.0, 1.0]


# --- and against the opposite of the claim


def favours(paths: FloatArray, bound: float, top: float) -> FloatArray:
    dual = (betting.ALMOST_ALL, betting.HALF_ON_ALL)
    return np.exp([betting.log_wealth(top - path, top - bound, *dual) for path in paths])


@pytest.mark.parametrize("p", [0.05, 0.5, 0.9])
def test_expected_wealth_of_the_opposite_bet_is_one_at_the_boundary(p):
    paths = tree(9, 3.0)
    at_boundary = chances(paths, p) @ favours(paths, 3.0 * p, 3.0)
    assert at_boundary == pytest.approx(np.ones(9), rel=1e-12)
    false_claim = chances(paths, p) @ favours(paths, 2.7 * p, 3.0)
    assert (np.diff(false_claim, prepend=1.0) < 0).all()


@pytest.mark.parametrize("chance", [1 / 300, 0.02, 0.3])
def test_a_false_claim_is_supported_no_more_often_than_005(chance):
    """Rare large losses: 1,000 with a small chance, the bound just below the mean, looked at after
    every run. False-alarm rate below 1e-6 (binomial quantile)."""
    repeats, length, top = 600, 1200, 1000.0
    bound, rng = 0.999 * chance * top, np.random.default_rng(31)
    wrong = 0
    for _ in range(repeats):
        values = top * (rng.random(length) < chance)
        wrong += mean_at_most(values, bound, level=1e-6, top=top).evidence[
            "log10_e_value_for"
        ] >= log10(20)
    assert wrong <= binom.isf(1e-6, repeats, 0.05)


def test_support_takes_about_log_40_times_the_trivial_bound_over_the_bound_runs():
    """Without any loss; a half of the fortune is staked on none."""
    for ratio in (2, 10, 100):
        needed = log(40) * ratio
        enough, few = (
            mean_at_most(np.zeros(round(share * needed)), 1.0, level=1e-6, top=float(ratio))
            for share in (1.1, 0.5)
        )
        assert (enough.supported, few.supported) == (True, False)
        assert (few.refuted, few.against) == (False, False)
        assert 0.5 < few.needed / needed < 1.2


@pytest.mark.parametrize(
    ("bound", "said_after"), [(2.0, 150), (2.7, 1500), (3.3, 500), (4.0, 150), (20.0, 12)]
)
def test_the_number_of_runs_that_would_decide_is_right_within_a_factor_of_two(bound, said_after):
    """Said of an exponential law cut off at 100, after about a quarter of them; seeded."""
    rng, truth, level, top = np.random.default_rng(5), 3.0, 1e-8, 100.0
    values = np.minimum(rng.exponential(truth, 200_000), top)
    first = mean_at_most(values[:said_after], bound, level, top)
    assert first.against == (truth > bound)
    runs = int(first.needed / 2)
    assert not (early := mean_at_most(values[:runs], bound, level, top)).refuted
    assert not early.supported
    late = mean_at_most(values[: 4 * runs], bound, level, top)
    assert (late.refuted, late.supported) == (truth > bound, truth < bound)


def test_without_a_range_nothing_is_supported():
    check = mean_at_most(np.zeros(1000), 10.0, level=1e-6)
    assert (check.refuted, check.supported) == (False, False)
    assert check.evidence["log10_e_value_for"] is None
    assert lower_limit(np.zeros(1000), 1e-6) == 0


def test_one_large_value_among_zeros_decides_nothing():
    values = np.zeros(200)
    values[17] = 100.0
    check = mean_at_most(values, 1.0, level=1e-6, top=100.0)
    assert (check.refuted, check.supported) == (False, False)


def test_what_is_above_the_bound_in_the_end_is_not_supported():
    """The opposite was excluded after 40 runs; those after them contradict the claim."""
    values = np.concatenate([np.zeros(40), np.full(40, 5.0)])
    check = mean_at_most(values, 2.0, level=1e-60, top=10.0)
    assert check.evidence["mean"] > 2.0
    assert check.evidence["log10_e_value_for"] > log10(20)
    assert (check.supported, check.against) == (False, True)


def test_a_tiny_bound_is_refuted_without_a_warning():
    assert mean_at_most([1.0, 1.0], 1e-310, level=1e-6).refuted


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda: mean_at_most([], 1.0, 0.1), "values"),
        (lambda: mean_at_most([1.0, -1e-9], 1.0, 0.1), "values"),
        (lambda: mean_at_most([float("nan")], 1.0, 0.1), "values"),
        (lambda: mean_at_most([1.0], 0.0, 0.1), "bound"),
        (lambda: mean_at_most([1.0], 1.0, 0.0), "level"),
        (lambda: mean_at_least([2.0], 0.5, 1.0, 0.1), "values"),
        (lambda: mean_at_least([0.5], 1.0, 1.0, 0.1), "bound"),
        (lambda: proportion_at_most(4, 3, 0.5, 0.1), "hits"),
        (lambda: proportion_at_most(0, 0, 0.5, 0.1), "trials"),
        (lambda: proportion_at_most(1, 3, 1.5, 0.1), "bound"),
        (lambda: crossing([-1.0], 10, np.random.default_rng(0)), "boundary"),
        (lambda: crossing([np.nan], 10, np.random.default_rng(0)), "boundary"),
        (lambda: crossing([1.0], 1, np.random.default_rng(0)), "paths"),
        (lambda: crossing([1.0], 10, np.random.default_rng(0), sd=0.0), "sd"),
    ],
)
def test_bad_arguments_are_named(call, field):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.field == field


# --- rare events


def crossing_by_quadrature(boundary: list[float], sides: int, nodes: int = 200) -> float:
    """P(walk of N(0,1) steps crosses), by carrying its density on Gauss-Legendre nodes."""
    points, scales = np.polynomial.legendre.leggauss(nodes)
    place, mass, crossed = np.array([0.0]), np.array([1.0]), 0.0
    for level in boundary:
        low = -level if sides == 2 else place.min() - 14.0
        crossed += mass @ (norm.sf(level - place) + (sides == 2) * norm.cdf(-level - place))
        half = (level - low) / 2
        onward = low + half * (points + 1)
        mass = (half * scales) * (norm.pdf(onward[:, None] - place) @ mass)
        place = onward
    return float(crossed)


def standard_error(weights: FloatArray) -> float:
    return float(weights.std(ddof=1) / len(weights) ** 0.5)


def test_gaussian_tail_by_tilting_agrees_with_its_exact_value_and_variance():
    """Both within 5 of their exact standard errors: false-alarm rate about 1e-6.

    The estimated variance has a relative standard error of 1.14 %, from the moments up to E[w^4].
    """
    height, paths = 6.0, 100_000
    tail = crossing([height], paths, np.random.default_rng(11), sides=1)
    exact = norm.sf(height)
    variance = exp(height**2) * norm.sf(2 * height) - exact**2  # E[w^2] = e^(a^2) P(Z > 2a)
    assert abs(tail.mean() - exact) < 5 * np.sqrt(variance / paths)
    assert tail.var(ddof=1) == pytest.approx(variance, rel=0.057, abs=0)
    assert standard_error(tail) / tail.mean() < 0.01
    assert tail.max() <= exp(-(height**2) / 2) * (1 + 1e-6)  # the weight at the boundary itself


def test_the_quadrature_oracle_knows_one_step_and_two_steps():
    assert crossing_by_quadrature([3.0], 2) == pytest.approx(2 * norm.sf(3.0), rel=1e-12)
    both = crossing_by_quadrature([50.0, 4.0], 1)  # the first step never crosses
    assert both == pytest.approx(norm.sf(4.0 / np.sqrt(2)), rel=1e-10)


@pytest.mark.parametrize(
    ("name", "boundary", "sides"),
    [
        ("line", [6.0 + 0.5 * t for t in range(1, 41)], 1),
        ("line, two sides", [8.0 + 0.3 * t for t in range(1, 26)], 2),
        ("square root", [5.5 * t**0.5 for t in range(1, 26)], 2),
        ("likely", [1.5 * t**0.5 + 1 for t in range(1, 11)], 2),
    ],
)
def test_crossing_probability_agrees_with_quadrature(name, boundary, sides):
    """Within 5 standard errors: false-alarm rate about 1e-6. The interval errs at 1e-6."""
    event = crossing(boundary, 20_000, np.random.default_rng(2), sides=sides)
    exact = crossing_by_quadrature(boundary, sides)
    assert abs(event.mean() - exact) < 5 * standard_error(event), name
    assert standard_error(event) < 0.05 * event.mean()
    assert lower_limit(event, 1e-6) < exact
    assert not mean_at_most(event, exact, 1e-6).refuted
    assert mean_at_most(event, exact / 2, 1e-6).refuted


def test_the_variance_claim_holds_over_repetitions():
    """60 estimates scatter as their standard errors say: the chi-square ratio has standard
    deviation 0.18 (0.19 with some kurtosis), and 5 of those is a false-alarm rate of about 1e-5."""
    boundary = [6.0 + 0.5 * t for t in range(1, 21)]
    exact = crossing_by_quadrature(boundary, 2)
    rng = np.random.default_rng(8)
    events = [crossing(boundary, 1000, rng) for _ in range(60)]
    squares = [((e.mean() - exact) / standard_error(e)) ** 2 for e in events]
    assert abs(np.mean(squares) - 1) < 0.95


def test_times_that_are_not_watched_do_not_count():
    """Within 5 standard errors: false-alarm rate 6e-7."""
    boundary = [np.inf] * 99 + [70.0]
    event = crossing(boundary, 10_000, np.random.default_rng(6))
    assert abs(event.mean() - 2 * norm.sf(7.0)) < 5 * standard_error(event)
    assert standard_error(event) < 0.05 * event.mean()


def test_coverage_failure_is_crossing_in_units_of_the_step():
    """Within 5 standard errors: false-alarm rate about 1e-6."""
    width = lambda t: np.sqrt((1 + 1 / t) * np.log(2 * np.sqrt(t + 1) / 1e-7) / (2 * t))  # noqa: E731
    event = coverage_failure(width, 30, 20_000, np.random.default_rng(9), sd=0.5)
    times = np.arange(1.0, 31.0)
    exact = crossing_by_quadrature((times * width(times) / 0.5).tolist(), 2)
    assert abs(event.mean() - exact) < 5 * standard_error(event)
    assert mean_at_most(event, 1e-7, 1e-6).refuted is False
    assert mean_at_most(event, exact / 3, 1e-6).refuted
    assert np.count_nonzero(event) > 10_000


# --- the budget


@given(total=st.floats(1e-12, 0.5), count=st.integers(1, 40), parts=st.integers(1, 9))
@settings(deadline=None, max_examples=200)
def test_the_budget_is_never_overspent(total, count, parts):
    named = {f"statement {i}" for i in range(count)}
    plan = ErrorPlan(total, named)
    levels = [plan.level(name) for name in named]
    spent = sum(Fraction(level) for level in levels)
    assert all(level > 0 for level in levels)
    assert spent <= Fraction(total)
    assert float(spent) == pytest.approx(total, rel=1e-9, abs=0)
    assert len(set(levels)) == 1
    assert parts * Fraction(plan.level("statement 0", parts)) <= Fraction(total)


def test_a_plan_refuses_a_total_that_is_none_and_statements_it_does_not_know():
    with pytest.raises(InputError, match="total"):
        ErrorPlan(1.5, {"coverage"})
    with pytest.raises(KeyError):
        ErrorPlan(1e-6, {"coverage"}).level("surprise")


# --- verdicts


def test_verdicts_are_four_words_and_each_answer_has_a_meaning():
    assert [str(verdict) for verdict in Verdict] == ["refuted", "undecided", "supported", "holds"]
    assert list(ANSWERS) == [*Verdict, NO_BETTER, DOES_NOT_APPLY]
    assert len(set(ANSWERS.values())) == 6


@pytest.mark.parametrize("verdict", [v for v in Verdict if v is not Verdict.UNDECIDED] + [None])
def test_no_verdict_without_evidence(verdict):
    with pytest.raises(ValueError, match="needs evidence"):
        Finding("thm-7.1", "as printed", verdict, {}, "because")


def test_undecided_must_say_what_would_decide_it_and_only_it_leans():
    with pytest.raises(ValueError, match="what would decide"):
        Finding("thm-7.1", "as printed", Verdict.UNDECIDED, {"mean": 3.0})
    found = Finding("thm-7.1", "as printed", Verdict.UNDECIDED, {"mean": 3.0}, "more runs")
    assert found.leans is Leaning.NONE
    with pytest.raises(ValueError, match="only an undecided"):
        Finding("thm-7.1", "", Verdict.SUPPORTED, {"mean": 3.0}, leans=Leaning.FOR)


def test_what_does_not_apply_has_no_verdict():
    with pytest.raises(ValueError, match="has no verdict"):
        Finding("thm-7.1", "as printed", Verdict.HOLDS, {"failing": "B"}, applies=False)
    found = Finding("thm-7.1", "as printed", None, {"failing": "B"}, applies=False)
    assert (found.answer, found.to_json()["verdict"]) == (DOES_NOT_APPLY, None)


def test_a_bound_no_better_than_the_trivial_one_is_called_that():
    found = Finding("thm-7.1", "as printed", Verdict.HOLDS, {"bound": 3}, informative=False)
    assert found.answer == NO_BETTER


def test_an_unknown_verdict_and_opaque_evidence_are_rejected():
    with pytest.raises(ValueError, match="probably"):
        Finding("thm-7.1", "", "probably", {"mean": 1.0})
    with pytest.raises(TypeError, match="object"):
        Finding("thm-7.1", "", Verdict.HOLDS, {"proof": object()})


def test_a_finding_is_a_verify_row_in_json():
    evidence = {"bound": Fraction(9, 10), "loads": np.arange(3), "pair": (np.float64(0.5), True)}
    row = Finding("thm-4.3", "variance known", Verdict.REFUTED, evidence, "see loads").to_json()
    assert row.pop("rests_on") == []
    assert json.loads(json.dumps(row, allow_nan=False)) == {
        "claim": "thm-4.3",
        "statement": "intended",
        "role": "intended",
        "reading": "variance known",
        "at": {},
        "applies": True,
        "informative": None,
        "verdict": "refuted",
        "leans": None,
        "extent": "a grid of 1 case",
        "severity": None,
        "evidence": {"bound": "0.9", "loads": [0, 1, 2], "pair": [0.5, True]},
        "explanation": "see loads",
    }


# --- slope against log T


def test_slope_of_logarithmic_regret_is_recovered_within_its_interval():
    """The mean of 200 slopes, level 1e-6 for the Student interval: false-alarm rate 1e-6."""
    rng = np.random.default_rng(12)
    times = np.unique(np.geomspace(10, 1e5, 41).astype(int))
    rates = rng.gamma(9.0, 12.0 / 9.0, 200)
    regret = rng.exponential(50.0, (200, 1)) + np.outer(rates, np.log(times))
    found = log_slope(times, regret, decades=2, level=1e-6)
    assert found["slope"] == pytest.approx(rates.mean(), rel=1e-9)
    assert found["standard_error"] == pytest.approx(rates.std(ddof=1) / 200**0.5, rel=1e-9)
    low, high = found["interval"]
    assert low < 12.0 < high
    assert 0.7 * 12 < found["sure_lower"] < low
    assert found["from"] >= 1000


def test_only_the_last_decades_count():
    times = np.array([1, 10, 100, 1000, 10_000])
    bent = np.array([[0.0, 50.0, 100.0, 103.0, 106.0]] * 2)
    assert log_slope(times, bent, decades=2)["slope"] == pytest.approx(3 / log(10))
    assert log_slope(times, bent, decades=4)["slope"] > 20 / log(10)


def test_student_interval_matches_its_textbook_quantile():
    times = np.array([10, 100])
    slopes = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    found = log_slope(times, np.outer(slopes, np.log(times)), level=0.05)
    reach = 2.776445 * (2.5**0.5) / 5**0.5  # t quantile 0.975 with 4 degrees of freedom
    assert found["interval"] == pytest.approx([3 - reach, 3 + reach], rel=1e-6)


def test_regret_that_stands_still_has_slope_zero():
    found = log_slope(np.array([10, 30, 100]), np.full((3, 3), 7.7))
    assert (found["slope"], found["sure_lower"]) == (0.0, 0.0)
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize(
    ("times", "regret", "field"),
    [
        ([10, 100], [[1.0, 2.0]], "regret"),
        ([10, 100], [[1.0, 2.0, 3.0]] * 2, "regret"),
        ([10, 100], [[2.0, 1.0]] * 2, "regret"),
        ([100, 10], [[1.0, 2.0]] * 2, "checkpoints"),
        ([1, 100], [[1.0, 2.0]] * 2, "decades"),
    ],
)
def test_a_slope_needs_runs_increasing_times_and_enough_checkpoints(times, regret, field):
    with pytest.raises(InputError) as caught:
        log_slope(np.array(times), np.array(regret))
    assert caught.value.field == field
