"""Thompson sampling over all allocations: capacities are learnt only implicitly (section 8).

Every action once, in a random order; then a value is drawn for each action from

    Normal(mean, (sigma N)^2 / n)

in that order, and the action with the largest is played. This is the posterior under a flat prior
if the total reward were normal with the largest variance it can have (see `allocations`), the
usual Gaussian form of Thompson sampling for rewards that are not binary.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator

from simulation.allocations import act, allocations, spread_of_total
from simulation.draws import shuffled, standard_normal
from simulation.instance import Instance
from simulation.jit import kernel, step
from simulation.policies import Options, Policy
from simulation.trace import Trace
from simulation.world import World


@kernel
def ts_implicit(
    gen: Generator, world: World, horizon: int, trace: Trace, actions: np.ndarray, spread: float
) -> None:
    """One run."""
    order = shuffled(gen, actions.shape[0])
    count, total = np.zeros(order.size, dtype=np.int64), np.zeros(order.size)
    mean, deviation = np.zeros(order.size), np.zeros(order.size)
    loads = np.zeros(world.means.size, dtype=np.int64)
    for t in range(1, horizon + 1):
        place = t - 1 if t <= order.size else luckiest(gen, mean, deviation)
        total[place] += act(gen, world, t, trace, actions[order[place]], loads)
        count[place] += 1
        mean[place] = total[place] / count[place]
        deviation[place] = spread / 2.0 / math.sqrt(count[place])


@step
def luckiest(gen: Generator, mean: np.ndarray, deviation: np.ndarray) -> int:
    """Where the value drawn from the posterior is largest."""
    best, best_value = 0, -math.inf
    for place in range(mean.size):
        value = mean[place] + deviation[place] * standard_normal(gen)
        if value > best_value:
            best, best_value = place, value
    return best


def _arguments(instance: Instance, horizon: int, options: Options) -> tuple[Any, ...]:
    return allocations(instance), spread_of_total(instance)


POLICIES = (
    Policy(
        "ts-implicit",
        "Thompson sampling, every allocation an arm of its own",
        ("play",),
        ts_implicit,
        _arguments,
        told="scale",
    ),
)
