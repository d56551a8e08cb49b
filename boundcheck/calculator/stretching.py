"""Stretch means so that the smallest gap between them has a given size."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from boundcheck.calculator.numbers.evaluate import Array
from simulation.errors import InputError
from simulation.world.instance import Instance


def stretched(instance: Instance, means: Array, gap: Array) -> Array:
    """Scale the distances of all means from the best one until the smallest gap is `gap`."""
    if len(means) > 1 or instance.equal_means:
        found = "beside a mean" if len(means) > 1 else "equal means"
        raise InputError("--vary", "gap", found, "distinct means, and no mean varied with it")
    smallest = float(np.diff(np.sort(means[0])).min())
    best = float(means.max())
    changed = best - (best - means) * (gap / smallest)
    for value in (float(changed.min()), float(changed.max())):
        if not instance.reward.admits(Fraction(value)):
            found = f"a mean of {value:.4g}"
            raise InputError("--vary", "gap", found, instance.reward.mean_range)
    return np.asarray(changed)
