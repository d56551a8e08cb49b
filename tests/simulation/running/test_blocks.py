"""Many rewards in one draw: the binomial and chi-square samplers against their exact laws."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from numpy.random import Generator
from scipy import stats

from simulation.jit import kernel
from simulation.running.blocks import (
    PEAK,
    SMALL_MEAN,
    _product,
    below,
    binomial,
    block_total,
    chi_square,
    deviation_of_sum,
    likeliest,
    log_ratio,
    squares_around_mean,
)
from simulation.world.draws import stream

FALSE_ALARM = 1e-6  # how often, over all seeds, each of the tests of fit fails a right sampler
DRAWS = 200_000


@kernel
def binomials(gen: Generator, n: int, p: float, draws: int) -> np.ndarray:
    """An array of binomial values."""
    values = np.empty(draws, dtype=np.int64)
    for i in range(draws):
        values[i] = binomial(gen, n, p)
    return values


@kernel
def chi_squares(gen: Generator, freedom: int, draws: int) -> np.ndarray:
    """An array of chi-square values."""
    values = np.empty(draws)
    for i in range(draws):
        values[i] = chi_square(gen, freedom)
    return values


LARGEST = 9 * 10**18
SIZES = (300, 1000, 10**5, 10**9, 10**12, 2**53 + 1, 10**17, LARGEST)
CHANCES = (0.5, 0.4999, 0.3, 0.1, 1e-3, 1e-9, 1e-15)
LARGE = [(n, p) for n, p in product(SIZES, CHANCES) if n * p >= SMALL_MEAN]


def log_chance(n: int, p: float, k: int) -> mpmath.mpf:
    """log P(k), with as many digits as `mpmath` works with."""
    chance = mpmath.mpf(p)
    ways = mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1)
    return ways + k * mpmath.log(chance) + (n - k) * mpmath.log(1 - chance)


@pytest.mark.parametrize(("n", "p"), LARGE)
def test_the_likeliest_value_is_exact_and_the_law_falls_off_from_it_as_computed(n, p) -> None:
    m, excess = likeliest(n, p)
    assert m == math.floor((n + 1) * Fraction(p))
    assert abs(n * Fraction(p) - m - Fraction(excess)) < 1e-12
    sigma = math.sqrt(n * p * (1 - p))
    with mpmath.workdps(60):
        peak = log_chance(n, p, m)
        assert mpmath.exp(peak) * sigma > PEAK
        for deviations in (-8, -4, -2, -1, -0.3, 0.2, 0.7, 1.5, 3, 5, 8):
            d = int(deviations * sigma)
            found = log_ratio(n, p, m, excess, d)
            error = abs(found - (log_chance(n, p, m + d) - peak))
            # what an acceptance probability may be wrong by, and its logarithm far out
            assert math.exp(found) * error < 5e-15
            assert error < 1e-13


def test_products_are_split_exactly() -> None:
    for x, y in ((2.0**62 + 2.0**31, 0.1), (4294967295.0, 1 / 3), (3.0, 1e-15)):
        product, rest = _product(x, y)
        assert Fraction(product) + Fraction(rest) == Fraction(x) * Fraction(y)


def pooled(counts: np.ndarray, expected: np.ndarray) -> float:
    """The p-value of a chi-square test, cells that expect less than 10 taken together."""
    rare = expected < 10
    observed = np.append(counts[~rare], counts[rare].sum())
    total = np.append(expected[~rare], max(expected[rare].sum(), 1e-300))
    if total[-1] < 1:
        observed, total = observed[:-1], total[:-1]
    total *= observed.sum() / total.sum()
    return float(stats.chisquare(observed, total).pvalue)


def binomial_fit(n: int, p: float, drawn: np.ndarray) -> float:
    counts = np.bincount(drawn, minlength=n + 1)
    return pooled(counts, stats.binom(n, p).pmf(np.arange(n + 1)) * drawn.size)


@pytest.mark.parametrize(
    ("n", "p"), [(3, 0.9), (8, 0.3), (50, 0.2), (300, 0.5), (1000, 0.3), (1000, 0.86)]
)
def test_successes_of_few_slots_follow_the_binomial_law(n, p) -> None:
    drawn = binomials(stream(1, n), n, p, DRAWS)
    assert binomial_fit(n, p, drawn) > FALSE_ALARM
    assert binomial_fit(n, min(p + 0.03 / math.sqrt(n), 1.0), drawn) < FALSE_ALARM, "no power"


@pytest.mark.parametrize(("n", "p"), [(10**9, 0.7), (10**12, 0.9), (10**15, 0.3), (LARGEST, 0.3)])
def test_successes_of_many_slots_follow_the_normal_law_they_are_close_to(n, p) -> None:
    drawn = binomials(stream(2, 0), n, p, DRAWS)
    centre = math.floor(n * Fraction(p))
    scaled = (drawn - centre).astype(float) / math.sqrt(n * p * (1 - p))
    assert stats.kstest(scaled, "norm").pvalue > FALSE_ALARM
    assert stats.kstest(scaled + 0.03, "norm").pvalue < FALSE_ALARM, "no power"
    # whole numbers, not the floats near them, which are even beyond 2^53
    odd = int((drawn & 1).sum())
    assert stats.binomtest(odd, DRAWS).pvalue > FALSE_ALARM


def test_certain_and_impossible_successes() -> None:
    for n in (2, 10**6, LARGEST):
        assert set(binomials(stream(0, 0), n, 0.0, 9)) == {0}
        assert set(binomials(stream(0, 0), n, 1.0, 9)) == {n}


def test_whole_numbers_below_a_bound_are_equally_likely() -> None:
    gen = stream(3, 0)
    drawn = np.bincount([below(gen, 7) for _ in range(7_000)], minlength=7)
    assert stats.chisquare(drawn).pvalue > FALSE_ALARM


@pytest.mark.parametrize("freedom", [1, 2, 3, 10, 10**6])
def test_chi_square_values_follow_their_law(freedom) -> None:
    drawn = chi_squares(stream(4, freedom), freedom, DRAWS)
    assert stats.kstest(drawn, stats.chi2(freedom).cdf).pvalue > FALSE_ALARM
    off = stats.chi2(freedom, scale=1 + 0.03 / math.sqrt(freedom))
    assert stats.kstest(drawn, off.cdf).pvalue < FALSE_ALARM, "no power"


def test_chi_square_values_of_the_largest_freedom_are_normal() -> None:
    scaled = (chi_squares(stream(4, 0), LARGEST, DRAWS) - LARGEST) / math.sqrt(2 * LARGEST)
    assert stats.kstest(scaled, "norm").pvalue > FALSE_ALARM


def test_sums_of_normal_rewards_have_their_law_and_that_of_their_squares() -> None:
    gen, count, variance = stream(5, 0), 5, 0.5
    sums = np.array([deviation_of_sum(gen, variance, count) for _ in range(20_000)])
    squares = [squares_around_mean(gen, variance, count, each) for each in sums.tolist()]
    assert stats.kstest(sums / math.sqrt(count * variance), "norm").pvalue > FALSE_ALARM
    assert stats.kstest(np.array(squares) / variance, stats.chi2(count).cdf).pvalue > FALSE_ALARM
    # what is left of the squares around the mean of the block does not depend on the sum
    within = np.array(squares) - sums**2 / count
    assert stats.pearsonr(within, np.abs(sums)).pvalue > FALSE_ALARM
    assert block_total(stream(6, 0), 1, variance, 0.3, 4) == pytest.approx(
        1.2 + deviation_of_sum(stream(6, 0), variance, 4)
    )
