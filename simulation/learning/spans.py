"""Ranges in which an estimate stays while more observations are added."""

from __future__ import annotations

import math

from simulation.jit import step
from simulation.world.draws import GAUSSIAN

GROWTH = 4  # growth of a block relative to the last one, at most


@step
def span(
    muhat: float, count: int, mean: float, variance: float, length: int, care: float, law: int
) -> tuple[float, float]:
    """The range of an estimate during `length` more observations.

    Each end is passed with probability at most e^-care. `mean` and `variance` (sub-Gaussian) are
    those of one observation.
    """
    if count == 0:
        return -math.inf, math.inf
    d = math.sqrt(2.0 * variance * length * care)
    drift, total = length * (mean - muhat), float(count) + length
    low = min(muhat - d / count, muhat + (drift - d) / total)
    high = max(muhat + d / count, muhat + (drift + d) / total)
    return (low, high) if law == GAUSSIAN else (max(low, 0.0), min(high, 1.0))
