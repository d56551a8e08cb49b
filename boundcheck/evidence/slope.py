"""How fast regret grows with log T: one regression per run, then the spread across runs.

Each run gives the least-squares slope of its regret against log T over the last decades of its
checkpoints. Runs are independent, so the mean slope has an honest standard error, whatever the
dependence between the checkpoints of one run. Regret never falls, so neither is a slope negative
(both series are increasing), and the betting e-process gives a lower limit for the mean slope with
no further assumption; the Student interval is an approximation.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from boundcheck.evidence.betting import lower_limit
from boundcheck.evidence.incomplete_beta import quantile
from boundcheck.evidence.inputs import FloatArray, open_unit, positive
from simulation.errors import InputError, shown

CAVEAT = (
    "the interval is Student's and takes the mean slope as nearly Gaussian; only sure_lower holds "
    "for any law, and an upper limit of that kind needs a known range; the slope up to this "
    "horizon need not be its limit"
)


@dataclass(frozen=True)
class LogSlope:
    """The mean slope of regret against log T."""

    slope: float
    standard_error: float
    low: float
    high: float
    sure_lower: float
    level: float
    runs: int
    checkpoints: tuple[int, ...]

    def evidence(self) -> dict[str, Any]:
        return {
            "method": "least-squares slope of regret on log T in each run",
            "slope": self.slope,
            "standard_error": self.standard_error,
            "interval": [self.low, self.high],
            "sure_lower": self.sure_lower,
            "level": self.level,
            "runs": self.runs,
            "from": self.checkpoints[0],
            "to": self.checkpoints[-1],
            "caveat": CAVEAT,
        }


def log_slope(
    checkpoints: FloatArray, regret: FloatArray, decades: float = 1.0, level: float = 0.05
) -> LogSlope:
    """`regret[run, checkpoint]`, over the checkpoints of the last `decades` powers of ten.

    >>> times = np.array([10, 100, 300, 1000])
    >>> runs = np.outer([1.9, 2.1], np.log(times))
    >>> round(log_slope(times, runs).slope, 12)
    2.0
    """
    from simulation.elementary import logs

    open_unit("log_slope", "level", level)
    times, values = _last(checkpoints, regret, positive("log_slope", "decades", decades))
    centred = logs(times) - logs(times).mean()
    growth = values - values[:, :1]  # so that a run that stands still has slope 0 exactly
    # sums, not products of matrices, whose last digits are the processor's
    slopes = np.maximum((growth * centred).sum(axis=1) / (centred * centred).sum(), 0.0)
    runs = slopes.size
    mean, error = float(slopes.mean()), float(slopes.std(ddof=1)) / sqrt(runs)
    reach = student(runs - 1, level) * error
    return LogSlope(
        slope=mean,
        standard_error=error,
        low=mean - reach,
        high=mean + reach,
        sure_lower=lower_limit(slopes, level),
        level=level,
        runs=runs,
        checkpoints=tuple(int(time) for time in times),
    )


def student(freedom: float, level: float) -> float:
    """What a Student variable T exceeds in size with this probability: T^2 / (T^2 + n) is Beta."""
    share = quantile(0.5, freedom / 2, 1 - level)
    return sqrt(freedom * share / (1 - share))


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
