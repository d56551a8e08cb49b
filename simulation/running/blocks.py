"""Sums of rewards over many slots, drawn at once for leaping.

The number of successes in n Bernoulli slots is binomial, the sum of n normal rewards is normal and
the sum of their squares around their mean an independent chi-square. For Beta laws no way is known
to draw the sum without drawing its terms.

Given exact uniform, normal and integer random numbers, and acceptance probabilities without
rounding, all laws here are exact for every n below 2^63. Rounding changes the logarithm of an
acceptance probability by about 1e-15 (the tests give a bound). No result is a rounded real number:
candidates for a binomial are integers made of random bits, because floats between 0 and 1 would be
too coarse a grid for n beyond 10^12. For n beyond 9e18, up to 10^30, n is a float; the number of
successes is drawn from the same exact law and then rounded to a float.
"""

from __future__ import annotations

import math

import numpy as np
from numba.np.random.generator_core import next_uint64
from numpy.random import Generator

from simulation.jit import step
from simulation.parameters import LARGEST_COUNTED
from simulation.world.draws import BERNOULLI, standard_normal
from simulation.world.elementary import above_log, exp, log, log1p

LAWS = ("bernoulli", "gaussian")  # those whose sums can be drawn
SMALL_MEAN = 128.0  # with fewer expected successes, a binomial is drawn by inversion
MOST_SUCCESSES = 1000  # limit for inversion: more successes have probability below 1e-300
LEAST = 16.0  # limit for rejection: fewer successes, or failures, have probability below 1e-35
PEAK = 0.39  # lower bound on the mode's probability times the standard deviation
TRIES = 1000  # each succeeds with probability above 1/6: this many failures have one below 1e-70
_SPLIT = 2.0**27 + 1.0


@step
def block_total(gen: Generator, law: int, parameter: float, mean: float, count: float) -> float:
    """The sum of so many rewards; a count beyond 64 bits is a float."""
    if law == BERNOULLI:
        return successes(gen, count, mean)
    return count * mean + deviation_of_sum(gen, parameter, count)


@step
def deviation_of_sum(gen: Generator, variance: float, count: float) -> float:
    """The deviation of the sum of `count` normal rewards from its mean."""
    return math.sqrt(variance * count) * standard_normal(gen)


@step
def squares_around_mean(gen: Generator, variance: float, count: int, deviation: float) -> float:
    """The sum of (X - mu)^2 over `count` normal rewards, given the deviation of their sum."""
    within = variance * chi_square(gen, count - 1) if count > 1 else 0.0
    return within + deviation * (deviation / count)


@step
def successes(gen: Generator, n: float, p: float) -> float:
    """How many of n slots succeed, rounded to a float; n may be one, too."""
    if n <= LARGEST_COUNTED:
        return float(binomial(gen, int(n), p))
    if not 0.0 < p < 1.0:
        return float(n) if p >= 1.0 else 0.0
    rare = p if p <= 0.5 else 1.0 - p
    drawn = _far_binomial(gen, float(n), rare)
    return drawn if p <= 0.5 else n - drawn


@step
def _far_binomial(gen: Generator, n: float, p: float) -> float:
    """The same for p <= 1/2: how far it is from the likeliest value is a whole number, exactly."""
    if n * p < SMALL_MEAN:
        return float(_added_up(gen, n, p))
    first, rest, excess = likeliest_beyond(n, p)
    return first + (rest + _from_likeliest(gen, n, p, first + rest, excess))


@step
def binomial(gen: Generator, n: int, p: float) -> int:
    """The number of successes in n slots, each with probability p."""
    if not 0.0 < p < 1.0:
        return n if p >= 1.0 else 0
    rare = p if p <= 0.5 else 1.0 - p
    if n * rare < SMALL_MEAN:
        drawn = _added_up(gen, n, rare)
    else:
        m, excess = likeliest(n, rare)
        drawn = m + _from_likeliest(gen, n, rare, m, excess)
    return drawn if p <= 0.5 else n - drawn


@step
def _added_up(gen: Generator, n: float, p: float) -> int:
    """The smallest k such that at most k successes have a chance above a uniform number."""
    left, chance, odds = gen.random(), exp(n * log1p(-p)), p / (1.0 - p)
    k = 0
    while left >= chance and k < n and k < MOST_SUCCESSES:
        left -= chance
        chance *= odds * ((n - k) / (k + 1.0))
        k += 1
    return k


@step
def _from_likeliest(gen: Generator, n: float, p: float, m: float, excess: float) -> int:
    """How far from the likeliest value m, where n p = m + excess: by rejection from steps around m.

    A law with concave logarithm, such as this one, has P(m + d) <= P(m) min(1, e^(1 - |d| P(m)))
    (Devroye, 1987). So the steps to either side, each as wide as halves that bound, have heights 1,
    1, 1, 1/2, 1/4, ...: the first two have half of the candidates. P(m) >= 0.39 / sigma follows
    from Stirling's formula if at least 128 successes and failures are expected.
    """
    width = int(math.sqrt(n * p * (1.0 - p)) * (0.6931471805599453 / PEAK)) + 1
    for _ in range(TRIES):
        bits = bits63(gen)
        place, height = bits & 1, 1.0
        if bits & 2:
            place, rest = 2, bits >> 3
            while rest & 1:
                place, rest, height = place + 1, rest >> 1, height * 0.5
        d = place * width + below(gen, width)
        if bits & 4:
            d = -1 - d
        if gen.random() * height < exp(log_ratio(n, p, m, excess, d)):
            return d
    return 0


@step
def below(gen: Generator, count: int) -> int:
    """One of 0, ..., count - 1, uniformly."""
    most = (2**63 - 1) // count * count
    drawn = bits63(gen)
    while drawn >= most:
        drawn = bits63(gen)
    return drawn % count


@step
def bits63(gen: Generator) -> int:
    """A 63-bit random integer; with 64 bits it would be unsigned, which turns sums into floats."""
    return int(np.int64(next_uint64(gen.bit_generator) >> np.uint64(1)))


@step
def likeliest(n: int, p: float) -> tuple[int, float]:
    """m = floor((n + 1) p), and n p - m, accurate even if n p has more digits than a float."""
    high, low = n >> 32, n & (2**32 - 1)
    first, first_rest = _product(float(high) * 2.0**32, p)
    second, second_rest = _product(float(low), p)
    first_whole, second_whole = np.floor(first), np.floor(second)
    rest = ((first - first_whole) + (second - second_whole)) + first_rest + second_rest
    whole = np.floor(rest)
    excess = rest - whole
    m = int(first_whole) + int(second_whole) + int(whole)
    if excess + p >= 1.0:
        return m + 1, excess - 1.0
    return m, excess


@step
def likeliest_beyond(n: float, p: float) -> tuple[float, float, float]:
    """The same for n beyond 64 bits: floor((n + 1) p) as the sum of two whole floats; n p - m."""
    product, lost = _product(n, p)
    first = np.floor(product)
    left = (product - first) + lost
    rest = np.floor(left)
    excess = left - rest
    if excess + p >= 1.0:
        return first, rest + 1.0, excess - 1.0
    return first, rest, excess


@step
def _product(x: float, y: float) -> tuple[float, float]:
    """x y rounded, and its exact rounding error (Dekker, 1971)."""
    product = x * y
    x_high = x * _SPLIT - (x * _SPLIT - x)
    y_high = y * _SPLIT - (y * _SPLIT - y)
    x_low, y_low = x - x_high, y - y_high
    rest = ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low
    return product, rest


@step
def log_ratio(n: float, p: float, m: float, excess: float, d: int) -> float:
    """log P(m + d) / P(m) for a binomial, where n p = m + excess; -inf where P is negligible.

    Stirling's formula for the four factorials, sorted so that no large terms cancel.
    """
    a, b, x = float(m), float(n - m), float(d)
    if a + x < LEAST or b - x < LEAST:
        return -math.inf
    main = above_log(a + x, -x) + above_log(b - x, x)
    root = 0.5 * log1p((x / a) * ((b - a - x) / b))
    tilt = x * log1p(excess / ((1.0 - p) * a))
    series = (_stirling(a + x) - _stirling(a)) + (_stirling(b - x) - _stirling(b))
    return tilt - main - root - series


@step
def _stirling(k: float) -> float:
    """The remainder of Stirling's formula for log k!, for k >= 16."""
    square = 1.0 / (k * k)
    return (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / k


@step
def chi_square(gen: Generator, freedom: int) -> float:
    """A chi-square value with `freedom` degrees of freedom.

    For two or more: twice a Gamma value (Marsaglia and Tsang, 2000), with a logarithm that is
    accurate for shapes of any size.
    """
    if freedom == 1:
        z = standard_normal(gen)
        return z * z
    d = 0.5 * freedom - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    for _ in range(TRIES):
        x = standard_normal(gen)
        y = c * x
        if y > -1.0:
            lost = y * y * (3.0 + y) + 3.0 * above_log(1.0, y)  # v - 1 - log v, v = (1 + y)^3
            if log(1.0 - gen.random()) < 0.5 * x * x - d * lost:
                return 2.0 * d * (1.0 + y) * (1.0 + y) * (1.0 + y)
    return float(freedom)
