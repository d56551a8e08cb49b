"""Confidence intervals for a capacity, from individual and united explorations (section 5).

An arm explored tau times at a load within its capacity has per-load mean estimate muhat; explored
iota times at a load of at least its capacity it has full-load estimate nuhat. With a width s,

    m lies in [nuhat / (muhat + s), nuhat / (muhat - s)]      (lemma 5.1; J.1; sharp-5.1)

    uniform    s = phi(tau) + phi(iota), phi(x) = sqrt((1 + 1/x) log(2 sqrt(x + 1) / delta) / (2 x))
    hoeffding  s = rho(tau) + rho(iota), rho(x) = sqrt(log(2 / delta) / (2 x))
    joint      s = psi(tau, iota) = sigma sqrt(2 ((tau + 1) / tau^2 + (iota + 1) / iota^2)
                                               log(sqrt((tau + 1)(iota + 1)) / delta))

    likelihood  without a width: a set of capacities from likelihood ratios, see `likely_bounds`

phi and rho are for sigma = 1/2, the laws on [0, 1]. The published width uses them for any
law; the scaled width multiplies them by 2 sigma, which is valid for every Gaussian.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulation.errors import InputError, shown
from simulation.jit import step
from simulation.parameters import probability
from simulation.world.elementary import exp, log
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from simulation.policies import Setup

INTERVALS = ("uniform", "hoeffding", "joint", "likelihood")
WIDTHS = ("paper", "scaled")
HOEFFDING, JOINT, LIKELIHOOD = 1, 2, 3


def intervals_for(instance: Instance | Setup) -> tuple[str, ...]:
    """The intervals that are available for this reward law."""
    likelihood = instance.reward.name in ("bernoulli", "gaussian")
    return INTERVALS if likelihood else INTERVALS[:LIKELIHOOD]


class Confidence(NamedTuple):
    """The type of interval, the scale of its width (2 sigma), and its error probability."""

    interval: int
    scale: float
    delta: float
    # for the likelihood interval: the variance of a Gaussian law, 0 for Bernoulli
    variance: float = 0.0

    @classmethod
    def of(
        cls,
        instance: Instance | Setup,
        horizon: float | None,
        interval: str = "uniform",
        width: str = "paper",
        delta: float | None = None,
    ) -> Confidence:
        """delta is 2/T unless given. Hoeffding's interval holds at one time only; as in appendix J,
        it is made to hold at all T times by using delta/T for each.
        """
        for field, value, known in (("interval", interval, INTERVALS), ("width", width, WIDTHS)):
            if value not in known:
                raise InputError("options", field, shown(value), f"one of {', '.join(known)}")
        assert horizon is not None  # policies without the horizon have no such interval
        level = 2 / horizon if delta is None else probability("options", "delta", delta)
        sigma = math.sqrt(instance.reward.proxy_variance) if width == "scaled" else 0.5
        code = INTERVALS.index(interval)
        if code == LIKELIHOOD:
            if interval not in intervals_for(instance):
                expected = "a Bernoulli or Gaussian law for the likelihood interval"
                raise InputError("options", "interval", f"law {instance.reward.name}", expected)
            return cls(code, 2 * sigma, level, float(instance.reward.parameter))
        return cls(code, 2 * sigma, level / horizon if code == HOEFFDING else level)


@step
def phi(count: int, delta: float) -> float:
    """Half-width of the time-uniform interval of a mean (lemma D.1); infinite without samples."""
    if count == 0:
        return math.inf
    return math.sqrt(
        (1.0 + 1.0 / count) * log(2.0 * math.sqrt(count + 1.0) / delta) / (2.0 * count)
    )


@step
def rho(count: int, delta: float) -> float:
    """Hoeffding's half-width at one time; infinite without samples."""
    if count == 0:
        return math.inf
    return math.sqrt(log(2.0 / delta) / (2.0 * count))


@step
def psi(individual: int, united: int, delta: float, sigma: float) -> float:
    """Width of the joint interval (sharp-5.1); infinite without samples of both kinds."""
    if individual == 0 or united == 0:
        return math.inf
    tau, iota = float(individual), float(united)
    spread = (tau + 1.0) / (tau * tau) + (iota + 1.0) / (iota * iota)
    return sigma * math.sqrt(2.0 * spread * log(math.sqrt((tau + 1.0) * (iota + 1.0)) / delta))


@step
def width(confidence: Confidence, individual: int, united: int) -> float:
    """s, the width of the interval after these numbers of individual and united explorations."""
    delta, scale = confidence.delta, confidence.scale
    if confidence.interval == JOINT:
        return psi(individual, united, delta, scale / 2.0)
    if confidence.interval == HOEFFDING:
        return scale * (rho(individual, delta) + rho(united, delta))
    return scale * (phi(individual, delta) + phi(united, delta))


@step
def narrowed(
    lower: int, upper: int, muhat: float, nuhat: float, s: float, plays: int
) -> tuple[int, int]:
    """The bounds (m^l, m^u) updated with an interval of width s.

    Conventions: an end whose denominator is not positive gives no bound (1, or N); both ends are
    clipped to [1, N]; what was excluded stays excluded; an interval that contradicts the current
    bounds is ignored.
    """
    low, high = 1.0, float(plays)
    if muhat + s > 0.0:
        low = min(max(np.ceil(nuhat / (muhat + s)), 1.0), float(plays))
    if muhat - s > 0.0:
        high = min(max(np.floor(nuhat / (muhat - s)), 1.0), float(plays))
    return tightened(lower, upper, int(low), int(high))


@step
def tightened(lower: int, upper: int, low: int, high: int) -> tuple[int, int]:
    """The bounds (m^l, m^u) intersected with [low, high]; unchanged if the intersection is
    empty.
    """
    tighter_lower, tighter_upper = max(lower, low), min(upper, high)
    if tighter_lower > tighter_upper:
        return lower, upper
    return tighter_lower, tighter_upper


class Sums(NamedTuple):
    """Sums over all explorations of an arm: individual ones x, per load, and united ones y."""

    first: float  # the first x
    individual: int
    individual_sum: float
    individual_squares: float
    united: int
    united_sum: float
    united_squares: float


@step
def likely_bounds(confidence: Confidence, seen: Sums, plays: int) -> tuple[int, int]:
    """The smallest and the largest likely capacity; (1, N) without samples of both kinds."""
    if seen.individual == 0 or seen.united == 0:
        return 1, plays
    bar = likelihood_bar(confidence, seen, plays)
    low, high = plays + 1, 0
    for c in range(1, plays + 1):
        if is_likely(confidence, seen, c, bar):
            low, high = min(low, c), c
    return low, high


@step
def is_likely(confidence: Confidence, seen: Sums, c: int, bar: float) -> bool:
    """Whether c is in the confidence set: its maximum likelihood is not below the bar.

    A Bernoulli success at full load reveals m: then y is 0 or m, so m is the sum of y^2 over the
    sum of y.
    """
    if confidence.variance == 0.0:
        return seen.united_sum == 0.0 or seen.united_squares == c * seen.united_sum
    if seen.individual + seen.united == 1:
        return True
    return _log_likelihood(confidence.variance, seen, c, 1) >= bar


@step
def likelihood_bar(confidence: Confidence, seen: Sums, plays: int) -> float:
    """log of delta times the likelihood of a mixture over all capacities and means.

    This is conditional on the first individual sample, whose law does not depend on m: capacities
    are equally likely, and the mean is normal around that sample, with the variance of the law. By
    Ville's inequality the likelihood of the truth, and hence the maximum under m, falls below delta
    times that of the mixture at some time with probability at most delta.
    """
    if confidence.variance == 0.0:
        return 0.0
    count = seen.individual + seen.united
    largest, total = -math.inf, 0.0
    for c in range(1, plays + 1):
        value = _log_likelihood(confidence.variance, seen, c, 0)
        if value > largest:
            largest, total = value, total * exp(largest - value) + 1.0
        else:
            total += exp(value - largest)
    mixture = largest + log(total / plays) - 0.5 * log(count)
    return mixture + log(confidence.delta)


@step
def _log_likelihood(variance: float, seen: Sums, c: int, left_out: int) -> float:
    """The maximum log-likelihood under capacity c, without constants common to all capacities.

    The data are x - first and y / c - first. The first of them, 0, is left out or counted (as a
    prior worth one sample); this affects only the number of data points.
    """
    total = seen.individual_sum - seen.individual * seen.first
    squares = seen.individual_squares - seen.first * (seen.individual_sum + total)
    united = seen.united_sum / c - seen.united * seen.first
    squares += seen.united_squares / (c * c) - seen.first * (seen.united_sum / c + united)
    total += united
    spread = squares - total * total / (seen.individual + seen.united - left_out)
    return -seen.united * log(c) - spread / (2.0 * variance)
