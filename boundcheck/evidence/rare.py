"""Very small probabilities that a Gaussian random walk crosses a boundary, by importance sampling.

S_t is a walk with independent N(0, sd^2) steps, the event is {|S_t| >= c_t for some t <= n}. Paths
are drawn from a mixture of walks with drift, and stopped at their first crossing t. With
S and c in units of sd, drifts theta_j with probabilities q_j, both signs alike, a stopped path has
the likelihood ratio (Wald)

    w = 1 / sum_j q_j cosh(theta_j S_t) exp(-theta_j^2 t / 2),                                (1)

so the mean of w over crossing paths (0 for the others) is the probability, and the betting
e-process decides on bounds of it. One-sided crossing has exp for cosh.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Literal

import numpy as np
from scipy.special import log_ndtr

from boundcheck.calculator.numbers.domains import FloatArray
from boundcheck.evidence.inputs import Values, positive
from simulation.errors import InputError, shown

_DRIFTS = 24
# this part of the mixture is uniform, in case the estimate of the likely times is wrong
_EVEN_PART = 0.1


def crossing(
    boundary: Values,
    paths: int,
    rng: np.random.Generator,
    sd: float = 1.0,
    sides: Literal[1, 2] = 2,
) -> FloatArray:
    """Weights with mean P(|S_t| >= boundary_t for some t), or P(S_t >= boundary_t ...) if sides
    is 1: one for each path, 0 where it did not cross.

    boundary[0] is for t = 1; infinity where the walk is not checked.

    >>> tail = crossing([6.0], 20_000, np.random.default_rng(1), sides=1)  # P(Z >= 6) = 9.866e-10
    >>> f"{tail.mean():.2e}"
    '9.66e-10'
    """
    from simulation.world.draws import GAUSSIAN, rewards
    from simulation.world.elementary import exps

    levels = np.asarray(boundary, dtype=np.float64) / positive("crossing", "sd", sd)
    if levels.ndim != 1 or not np.isfinite(levels).any() or not (levels > 0).all():
        found = f"{levels.size} values from {levels.min(initial=np.inf) * sd}"
        raise InputError("crossing", "boundary", found, "numbers above 0, some of them finite")
    if paths < 2:
        raise InputError("crossing", "paths", shown(paths), "2 or more")
    tilts = _tilts(levels, sides)
    drift = rng.choice(tilts.drifts, paths, p=tilts.chances)
    if sides == 2:
        drift = drift * rng.choice([-1.0, 1.0], paths)
    weights, walking, place = np.zeros(paths), np.arange(paths), np.zeros(paths)
    for time, level in enumerate(levels, start=1):
        place += drift + rewards(rng, GAUSSIAN, 1.0, 0.0, place.size)
        crossed = (place if sides == 1 else np.abs(place)) >= level
        if crossed.any():
            weights[walking[crossed]] = exps(tilts.log_weight(place[crossed], float(time)))
            walking, drift, place = walking[~crossed], drift[~crossed], place[~crossed]
    return weights


def coverage_failure(
    width: Callable[[FloatArray], FloatArray],
    horizon: int,
    paths: int,
    rng: np.random.Generator,
    sd: float = 1.0,
) -> FloatArray:
    """Weights with mean P(|S_t / t| >= width(t) for some t <= horizon), the error of an
    interval.
    """
    times = np.arange(1, horizon + 1, dtype=np.float64)
    return crossing(times * width(times), paths, rng, sd)


@dataclass(frozen=True)
class _Tilts:
    drifts: FloatArray
    chances: FloatArray
    sides: Literal[1, 2]

    def log_weight(self, place: FloatArray, time: float) -> FloatArray:
        """The log of (1) for a path at `place` at `time`."""
        from simulation.world.elementary import exps, log_sums, logs, logs1p

        push = np.abs(place)[:, None] * self.drifts  # a one-sided crossing is at place > 0
        if self.sides == 2:
            push = push + logs1p(exps(-2 * push)) - log(2)
        return -log_sums(logs(self.chances) + push - time * self.drifts**2 / 2)


def _tilts(levels: FloatArray, sides: Literal[1, 2]) -> _Tilts:
    """Drifts that lead to the boundary at log-spaced times, with likely times most often."""
    times = np.flatnonzero(np.isfinite(levels)) + 1.0
    heights = levels[np.isfinite(levels)] / np.sqrt(times)
    spaced = np.searchsorted(times, np.geomspace(times[0], times[-1], _DRIFTS))
    chosen = np.union1d(np.minimum(spaced, times.size - 1), heights.argmin())
    log_tails = log_ndtr(-heights[chosen])
    likely = np.exp(log_tails - log_tails.max())
    chances = (1 - _EVEN_PART) * likely / likely.sum() + _EVEN_PART / chosen.size
    drifts = heights[chosen] / np.sqrt(times[chosen])
    coarse = np.array([_coarse(chance) for chance in chances])
    return _Tilts(np.array([_coarse(drift) for drift in drifts]), coarse / coarse.sum(), sides)


def _coarse(value: float) -> float:
    """Rounded to nine digits: any drifts are valid, so these need not depend on the machine."""
    return float(f"{value:.9g}")
