"""Confidence intervals for a capacity, from individual and united explorations (section 5).

An arm explored tau times at a load within its capacity has per-load mean estimate muhat; explored
iota times at a load of at least its capacity it has full-load estimate nuhat. With a width s,

    m lies in [nuhat / (muhat + s), nuhat / (muhat - s)]      (lemma 5.1; J.1; sharp-5.1)

    uniform    s = phi(tau) + phi(iota), phi(x) = sqrt((1 + 1/x) log(2 sqrt(x + 1) / delta) / (2 x))
    hoeffding  s = rho(tau) + rho(iota), rho(x) = sqrt(log(2 / delta) / (2 x))
    joint      s = psi(tau, iota) = sigma sqrt(2 ((tau + 1) / tau^2 + (iota + 1) / iota^2)
                                               log(sqrt((tau + 1)(iota + 1)) / delta))

phi and rho are made for sigma = 1/2, the laws on [0, 1]. The published width uses them whatever the
law; the scaled width multiplies them by 2 sigma, which is valid for every Gaussian.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from simulation.errors import InputError, shown
from simulation.instance import Instance
from simulation.jit import step

INTERVALS = ("uniform", "hoeffding", "joint")
WIDTHS = ("paper", "scaled")
HOEFFDING, JOINT = 1, 2


class Confidence(NamedTuple):
    """Which interval, how its width is scaled (2 sigma), and its error probability."""

    interval: int
    scale: float
    delta: float

    @classmethod
    def of(
        cls,
        instance: Instance,
        horizon: int,
        interval: str = "uniform",
        width: str = "paper",
        delta: float | None = None,
    ) -> Confidence:
        """delta is 2/T unless given. Hoeffding's interval holds at one time only: as appendix J
        does, it is made to hold at all T of them by spending delta/T on each.
        """
        for field, value, known in (("interval", interval, INTERVALS), ("width", width, WIDTHS)):
            if value not in known:
                raise InputError("options", field, shown(value), f"one of {', '.join(known)}")
        if delta is not None and not 0 < delta < 1:
            raise InputError("options", "delta", shown(delta), "a number strictly between 0 and 1")
        level = 2 / horizon if delta is None else float(delta)
        sigma = math.sqrt(instance.reward.proxy_variance) if width == "scaled" else 0.5
        code = INTERVALS.index(interval)
        return cls(code, 2 * sigma, level / horizon if code == HOEFFDING else level)


@step
def phi(count: int, delta: float) -> float:
    """Half-width of the time-uniform interval of a mean (lemma D.1); infinite without samples."""
    if count == 0:
        return math.inf
    return math.sqrt(
        (1.0 + 1.0 / count) * math.log(2.0 * math.sqrt(count + 1.0) / delta) / (2.0 * count)
    )


@step
def rho(count: int, delta: float) -> float:
    """Hoeffding's half-width at one time; infinite without samples."""
    if count == 0:
        return math.inf
    return math.sqrt(math.log(2.0 / delta) / (2.0 * count))


@step
def psi(individual: int, united: int, delta: float, sigma: float) -> float:
    """Width of the joint interval (sharp-5.1); infinite until both kinds have been seen."""
    if individual == 0 or united == 0:
        return math.inf
    tau, iota = float(individual), float(united)
    spread = (tau + 1.0) / (tau * tau) + (iota + 1.0) / (iota * iota)
    return sigma * math.sqrt(2.0 * spread * math.log(math.sqrt((tau + 1.0) * (iota + 1.0)) / delta))


@step
def width(confidence: Confidence, individual: int, united: int) -> float:
    """s, the width of the interval after so many individual and united explorations."""
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
    """The bounds (m^l, m^u) after one more look at the interval of width s.

    Resolutions: an end whose denominator is not positive says nothing (1, or N); both ends are
    clipped to [1, N]; what was excluded stays excluded; an interval that contradicts the bounds
    held so far is ignored.
    """
    low, high = 1.0, float(plays)
    if muhat + s > 0.0:
        low = min(max(np.ceil(nuhat / (muhat + s)), 1.0), float(plays))
    if muhat - s > 0.0:
        high = min(max(np.floor(nuhat / (muhat - s)), 1.0), float(plays))
    tighter_lower, tighter_upper = max(lower, int(low)), min(upper, int(high))
    if tighter_lower > tighter_upper:
        return lower, upper
    return tighter_lower, tighter_upper
