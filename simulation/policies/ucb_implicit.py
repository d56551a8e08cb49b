"""UCB1 over all allocations: capacities are learnt only implicitly (section 8).

Every action once, in a random order; then always the action with the largest

    mean + 2 sigma N sqrt(2 log t / n)

(see `allocations` for the factor), the earlier in that order among equals.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator

from simulation.allocations import act, allocations, spread_of_total
from simulation.draws import shuffled
from simulation.elementary import log
from simulation.instance import Instance
from simulation.jit import kernel, step
from simulation.policies import Options, Policy
from simulation.trace import Trace
from simulation.world import World


@kernel
def ucb_implicit(
    gen: Generator, world: World, horizon: int, trace: Trace, actions: np.ndarray, spread: float
) -> None:
    """One run."""
    order = shuffled(gen, actions.shape[0])
    count, total = np.zeros(order.size, dtype=np.int64), np.zeros(order.size)
    mean, width = np.zeros(order.size), np.zeros(order.size)  # width: spread / sqrt(n)
    loads = np.zeros(world.means.size, dtype=np.int64)
    for t in range(1, horizon + 1):
        place = t - 1 if t <= order.size else highest(mean, width, math.sqrt(2.0 * log(t)))
        total[place] += act(gen, world, t, trace, actions[order[place]], loads)
        count[place] += 1
        mean[place] = total[place] / count[place]
        width[place] = spread / math.sqrt(count[place])


@step
def highest(mean: np.ndarray, width: np.ndarray, factor: float) -> int:
    """Where mean + factor width is largest: one multiplication per action, no root."""
    best, best_index = 0, -math.inf
    for place in range(mean.size):
        index = mean[place] + factor * width[place]
        if index > best_index:
            best, best_index = place, index
    return best


def _arguments(instance: Instance, horizon: int, options: Options) -> tuple[Any, ...]:
    return allocations(instance), spread_of_total(instance)


POLICIES = (
    Policy(
        "ucb-implicit",
        "UCB1, every allocation an arm of its own",
        ("play",),
        ucb_implicit,
        _arguments,
        told="scale",
    ),
)
