"""Warnings about instances that are legal but outside the paper's model."""

from __future__ import annotations

from fractions import Fraction

from simulation.numbers import decimal
from simulation.world.instance import Instance

MOST_VARIANCE = Fraction(1, 2)


def outside(instance: Instance) -> tuple[str, ...]:
    """One line for each assumption of the model that fails."""
    found = []
    variance = instance.reward.variance
    if variance is not None and variance > MOST_VARIANCE:
        found.append(f"reward.variance: {decimal(variance, 12)}: the theory assumes at most 1/2")
    for arm, capacity in enumerate(instance.capacities, 1):
        if capacity > instance.plays:
            most = f"the theory assumes at most plays = {instance.plays}"
            found.append(f"capacities[{arm}]: {capacity}: {most}")
            break
    return tuple(found)
