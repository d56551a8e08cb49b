"""An instance for kernels, as numbers and arrays.

The regret of an action follows from the gap identity. With arms in the order of their means and L
the last arm of the optimal action,

    f(a*) - f(a) =   sum_{k<L} (m_k - a_k)^+ (mu_k - mu_L)
                   + sum_{k>L} min(a_k, m_k) (mu_L - mu_k)
                   + sum_k     (a_k - m_k)^+ mu_L

Every term is at least 0, so regret never goes negative, and an optimal action loses exactly 0.0,
equal means included: the gaps are exact differences, rounded once.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from simulation.jit import inlined, step
from simulation.rewards.laws import RewardLaw
from simulation.rewards.samples import Empirical
from simulation.world.draws import earned
from simulation.world.instance import Instance


class World(NamedTuple):
    """What the simulator knows of an instance; policies do not see it."""

    means: np.ndarray
    capacities: np.ndarray  # cut to `plays`: larger capacities make no difference
    plays: int
    law: int
    parameter: float  # the variance (the largest of several) or the concentration
    table: np.ndarray  # table for sampling rewards (see `draws`)
    shortfall: np.ndarray  # loss per play missing from an arm better than L: mu_k - mu_L
    detour: np.ndarray  # loss per play served by an arm worse than L: mu_L - mu_k
    surplus: float  # loss per play beyond a capacity: mu_L

    @classmethod
    def of(cls, instance: Instance) -> World:
        last = instance.means[instance.last_arm]
        better = set(instance.order[: instance.L - 1])
        worse = set(instance.order[instance.L :])
        gaps = [mean - last for mean in instance.means]
        return cls(
            means=np.array([float(mean) for mean in instance.means]),
            capacities=np.minimum(np.array(instance.capacities, dtype=np.int64), instance.plays),
            plays=instance.plays,
            law=instance.reward.code,
            parameter=float(instance.reward.parameter),
            table=table_of(instance.reward, instance.arms),
            shortfall=np.array([float(g) if k in better else 0.0 for k, g in enumerate(gaps)]),
            detour=np.array([float(-g) if k in worse else 0.0 for k, g in enumerate(gaps)]),
            surplus=float(last),
        )


def table_of(law: RewardLaw, arms: int) -> np.ndarray:
    """The table for sampling rewards of this many arms."""
    if not isinstance(law, Empirical):
        parameters = [float(law.of_arm(k).parameter) for k in range(arms)]
        return np.array([[parameter, math.sqrt(parameter), 0.0] for parameter in parameters])
    heads: list[tuple[int, int, int]] = []
    rows: list[tuple[Fraction, Fraction, Fraction]] = []
    for sample in law.samples:
        heads.append((arms + len(rows), len(sample.values), 0))
        rows += sample.alias_rows()
    return np.array([[float(x) for x in row] for row in (*heads, *rows)])


@inlined
def earn(gen: Generator, world: World, k: int) -> float:
    """One reward X_k: what a play served by arm k earns."""
    return earned(gen, world.law, world.table, k, world.means[k])


@step
def lost(world: World, arm: int, load: int) -> float:
    """The contribution of `load` plays on this arm to the regret of a slot."""
    capacity = world.capacities[arm]
    if load < capacity:
        return float((capacity - load) * world.shortfall[arm] + load * world.detour[arm])
    return float(capacity * world.detour[arm] + (load - capacity) * world.surplus)


@step
def regret(world: World, loads: np.ndarray) -> float:
    """f(a*) - f(a) for the action that puts loads[k] plays on arm k, summed from arm 0 on.

    A play that is put on no arm loses as much as one beyond a capacity.
    """
    total, idle = 0.0, world.plays
    for arm in range(loads.size):
        total += lost(world, arm, loads[arm])
        idle -= loads[arm]
    return total + idle * world.surplus
