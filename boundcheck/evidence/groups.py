"""How fast regret grows with log T: between groups of runs, one for each time, or within runs.

Between groups: a slope, or the difference of two neighbours, is a weighted sum of means. Groups are
independent, so variances add; the interval is Student's, with degrees of freedom by Welch and
Satterthwaite. It assumes that sums of weighted means are nearly Gaussian.

Within runs: each run gives the least-squares slope of its regret against log T over the last
decades of its checkpoints. Runs are independent, so the mean slope has a valid standard error
whatever the dependence between checkpoints of one run. Regret never decreases, so no slope is
negative, and the betting e-process gives a lower limit for the mean slope without further
assumptions; the Student interval is an approximation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, log, sqrt
from typing import Any

import numpy as np

from boundcheck.calculator.numbers.domains import FloatArray
from boundcheck.evidence.betting import lower_limit
from boundcheck.evidence.binomial import quantile
from boundcheck.evidence.inputs import open_unit, positive
from simulation.errors import InputError, shown

CAVEAT = (
    "the interval is Student's and takes the mean slope as nearly Gaussian; only sure_lower holds "
    "for any law, and an upper limit of that kind needs a known range; the slope up to this "
    "horizon need not be its limit"
)


def student(freedom: float, level: float) -> float:
    """The two-sided quantile of Student's t: |t| exceeds it with probability `level`."""
    share = quantile(0.5, freedom / 2, 1 - level)
    return sqrt(freedom * share / (1 - share))


@dataclass(frozen=True)
class Estimate:
    """An estimate with its standard error and degrees of freedom."""

    value: float
    error: float
    freedom: float

    def interval(self, level: float) -> tuple[float, float]:
        reach = self.error * student(self.freedom, level) if self.error > 0 else 0.0
        return self.value - reach, self.value + reach


@dataclass(frozen=True, eq=False)
class Groups:
    """At least two values at each of at least two times.

    >>> seen = Groups((10, 100, 1000), ([1.0, 3.0], [2.0, 6.0], [6.0, 6.0]))
    >>> [step.value for _, _, step in seen.differences()]
    [2.0, 2.0]
    >>> round(seen.slope().value * log(10), 12)
    2.0
    """

    times: Sequence[int]
    values: Sequence[Sequence[float] | FloatArray]

    @property
    def means(self) -> list[float]:
        return [float(np.mean(group)) for group in self.values]

    @property
    def errors(self) -> list[float]:
        """The standard error of each mean."""
        return [float(np.std(group, ddof=1)) / sqrt(len(group)) for group in self.values]

    def slope(self) -> Estimate:
        """The least-squares slope of the means per log T."""
        places = [log(time) for time in self.times]
        middle = sum(places) / len(places)
        spread = sum((place - middle) ** 2 for place in places)
        return self._sum([(place - middle) / spread for place in places])

    def differences(self) -> Iterator[tuple[int, int, Estimate]]:
        """The differences of means from each time to the next."""
        for place, (before, after) in enumerate(pairwise(self.times)):
            weights = [0.0] * len(self.times)
            weights[place], weights[place + 1] = -1.0, 1.0
            yield before, after, self._sum(weights)

    def _sum(self, weights: Sequence[float]) -> Estimate:
        parts = [(w * error) ** 2 for w, error in zip(weights, self.errors, strict=True)]
        value = sum(w * mean for w, mean in zip(weights, self.means, strict=True))
        squares = sum(
            part**2 / (len(group) - 1) for part, group in zip(parts, self.values, strict=True)
        )
        freedom = sum(parts) ** 2 / squares if squares > 0 else inf
        return Estimate(value, sqrt(sum(parts)), freedom)


def log_slope(
    checkpoints: FloatArray, regret: FloatArray, decades: float = 1.0, level: float = 0.05
) -> dict[str, Any]:
    """Slopes of `regret[run, checkpoint]` over the last `decades` powers of ten, averaged over
    runs.

    >>> times = np.array([10, 100, 300, 1000])
    >>> runs = np.outer([1.9, 2.1], np.log(times))
    >>> round(log_slope(times, runs)["slope"], 12)
    2.0
    """
    from simulation.world.elementary import logs

    open_unit("log_slope", "level", level)
    times, values = _last(checkpoints, regret, positive("log_slope", "decades", decades))
    centred = logs(times) - logs(times).mean()
    growth = values - values[:, :1]  # so that constant regret has slope 0 exactly
    # sums instead of matrix products, whose last digits depend on the processor
    slopes = np.maximum((growth * centred).sum(axis=1) / (centred * centred).sum(), 0.0)
    runs = slopes.size
    mean, error = float(slopes.mean()), float(slopes.std(ddof=1)) / sqrt(runs)
    reach = student(runs - 1, level) * error
    return {
        "method": "least-squares slope of regret on log T in each run",
        "slope": mean,
        "standard_error": error,
        "interval": [mean - reach, mean + reach],
        "sure_lower": lower_limit(slopes, level),
        "level": level,
        "runs": runs,
        "from": int(times[0]),
        "to": int(times[-1]),
        "caveat": CAVEAT,
    }


def _last(
    checkpoints: FloatArray, regret: FloatArray, decades: float
) -> tuple[FloatArray, FloatArray]:
    times, values = np.asarray(checkpoints, np.float64), np.asarray(regret, np.float64)
    if values.ndim != 2 or values.shape[0] < 2 or values.shape[1:] != times.shape:
        found = f"{values.shape} for {times.size} checkpoints"
        raise InputError("log_slope", "regret", found, "two or more runs by the checkpoints")
    if not (np.diff(times) > 0).all() or not times[0] > 0:
        raise InputError("log_slope", "checkpoints", shown(times), "increasing times above 0")
    rounding = 1e-9 * np.abs(values).max()
    if not np.isfinite(values).all() or (np.diff(values, axis=1) < -rounding).any():
        raise InputError("log_slope", "regret", "a value that falls", "regret that never falls")
    kept = times >= times[-1] / 10**decades * (1 - 1e-12)
    if kept.sum() < 2:
        raise InputError("log_slope", "decades", shown(decades), "two checkpoints or more in them")
    return times[kept], values[:, kept]
