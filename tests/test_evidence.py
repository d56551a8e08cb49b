"""The evidence layer against exact enumeration, exact tails and seeded repetition.

Statistical tests have fixed seeds, so they give the same answer every time; the false-alarm rate
stated in each is the chance that a fresh seed would turn correct code red.
"""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from math import comb, exp, log

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
from boundcheck.finding import Finding, Verdict
from simulation.errors import InputError

FloatArray = npt.NDArray[np.float64]


# --- probabilities from counts


def tail_by_summation(hits: int, trials: int, p: float) -> float:
    return sum(comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(hits, trials + 1))


@pytest.mark.parametrize(("hits", "trials"), [(1, 10), (3, 7), (40, 200), (7, 7)])
@pytest.mark.parametrize("level", [0.1, 1e-8])
def test_a_limit_is_where_the_binomial_tail_equals_the_level(hits, trials, level):
    low = binomial.lower_limit(hits, trials, level)
    assert tail_by_summation(hits, trials, low) == pytest.approx(level, rel=1e-9, abs=0)
    high = binomial.upper_limit(trials - hits, trials, level)
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
    p = binomial.lower_limit(9, trials, level)
    errs = sum(
        tail_by_summation(hits, trials, p) - tail_by_summation(hits + 1, trials, p)
        for hits in range(trials + 1)
        if binomial.lower_limit(hits, trials, level) >= p
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
    assert few.detectable == pytest.approx(1 - many.detectable)
    assert not proportion_at_least(25, 100, 0.3, level=1e-6).refuted


def test_too_few_trials_detect_nothing_and_cannot_be_called_consistent():
    check = proportion_at_most(3, 3, 0.5, level=1e-6)
    assert not check.refuted
    assert check.detectable is None


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
    assert near.evidence["limit"] < 0.4 < far.evidence["limit"]
    assert near.evidence["range"] == [0.0, 1.0]


@pytest.mark.parametrize("law", ["exponential", "lognormal", "coin", "reflected"])
def test_detectable_mean_is_detected_with_the_stated_power_and_not_much_overstated(law):
    """False-alarm rate below 1e-6 if the power is 0.9 or more (binomial quantile)."""
    runs, level, power, repeats, bound = 400, 1e-6, 0.9, 300, 1.0
    rng = np.random.default_rng(77)
    draws = {
        "exponential": rng.standard_exponential,
        "lognormal": lambda n: rng.lognormal(-0.125, 0.5, n),
        "coin": lambda n: 5.0 * (rng.random(n) < 0.2),
        "reflected": lambda n: rng.uniform(0.0, 2.0, n),
    }
    draw = draws[law]
    top = 2.0 if law == "reflected" else None
    pilot = draw(20_000)
    seen = betting.detectable(pilot, bound, top, runs, level)
    assert seen is not None

    def refutations(truth: float) -> int:
        count = 0
        for _ in range(repeats):
            values = truth * draw(runs)
            gain = values / bound if top is None else (top - values) / (top - bound)
            count += betting.log_wealth(gain, 1.0).max() >= -log(level)
        return count

    assert refutations(seen) >= binom.ppf(1e-6, repeats, power)
    assert refutations(bound + 0.6 * (seen - bound)) < power * repeats


def test_one_large_value_among_zeros_gives_no_power_at_any_mean():
    values = np.zeros(200)
    values[17] = 1.0
    check = mean_at_most(values, 1.0, level=1e-6)
    assert not check.refuted
    assert check.detectable is None  # P(no large value in 200 runs) is about 1/e whatever its size


def test_runs_without_any_regret_still_state_what_they_could_have_seen():
    check = mean_at_most(np.zeros(100), 10.0, level=1e-6)
    assert not check.refuted
    assert check.evidence["limit"] == 0
    assert 10 < check.detectable < 14


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


def test_verdicts_are_the_six_words_and_each_has_a_meaning():
    words = ["refuted", "inconclusive", "consistent", "holds", "vacuous", "not-applicable"]
    assert [str(verdict) for verdict in Verdict] == words
    assert len({verdict.meaning for verdict in Verdict}) == 6


@pytest.mark.parametrize("verdict", [v for v in Verdict if v is not Verdict.INCONCLUSIVE])
def test_no_verdict_without_evidence(verdict):
    with pytest.raises(ValueError, match="needs evidence"):
        Finding("thm-7.1", "as printed", verdict, {}, "because")


@pytest.mark.parametrize("stated", [None, float("inf"), float("nan"), ""])
def test_consistent_must_state_what_it_could_have_seen(stated):
    with pytest.raises(ValueError, match="could have seen"):
        Finding("thm-7.1", "as printed", Verdict.CONSISTENT, {"mean": 3.0, "detectable": stated})
    assert Finding("thm-7.1", "", Verdict.CONSISTENT, {"detectable": 4.0}).evidence


def test_inconclusive_must_say_what_would_decide_it():
    with pytest.raises(ValueError, match="what would decide"):
        Finding("thm-7.1", "as printed", Verdict.INCONCLUSIVE, {"mean": 3.0})


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
        "verdict": "refuted",
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
