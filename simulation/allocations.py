"""Every allocation of the plays as an arm of a plain bandit (section 8, implicit learning).

An action is written as the sorted list of the N arms its plays go to: C(K + N - 1, N) lists. What
a learner sees of a slot is its total reward, a number with the sub-Gaussian scale sigma N at most,
where sigma = 1/2 for the laws on [0, 1]. Rules made for rewards in [0, 1] are used for it with
their widths multiplied by `spread_of_total` = 2 sigma N, which is N for those laws.
"""

from __future__ import annotations

import math
from itertools import chain, combinations_with_replacement

import numpy as np
from numpy.random import Generator

from simulation.errors import InputError
from simulation.instance import Instance
from simulation.jit import step
from simulation.trace import Trace, count_plays, settle
from simulation.world import World, earn, regret

LIMIT = 200_000


def allocations(instance: Instance) -> np.ndarray:
    """All actions, one row each; refused when there are more than can be tried.

    >>> allocations(Instance(means=[0.9, 0.5, 0.1], capacities=[1, 1, 1], plays=2)).tolist()
    [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]]
    """
    arms, plays = instance.arms, instance.plays
    count = math.comb(arms + plays - 1, plays)
    if count > LIMIT:
        found = f"{count} ways to place {plays} plays on {arms} arms"
        expected = f"at most {LIMIT} for a policy that learns each of them"
        raise InputError(instance.name, "allocations", found, expected)
    rows = chain.from_iterable(combinations_with_replacement(range(arms), plays))
    return np.fromiter(rows, dtype=np.int64, count=count * plays).reshape(count, plays)


def spread_of_total(instance: Instance) -> float:
    """2 sigma N: what the width of a rule for rewards in [0, 1] is multiplied by."""
    return 2.0 * math.sqrt(instance.reward.proxy_variance) * instance.plays


@step
def act(
    gen: Generator, world: World, t: int, trace: Trace, action: np.ndarray, loads: np.ndarray
) -> float:
    """Slot t: play the action and return its total reward. `loads` is scratch, all zero."""
    for k in action:
        loads[k] += 1
    reward = 0.0
    for place in range(action.size):
        k = action[place]
        if place == 0 or action[place - 1] != k:
            served = min(loads[k], world.capacities[k])
            reward += served * earn(gen, world, k)
    settle(trace, t, 0, regret(world, loads), reward)
    count_plays(trace, world.capacities, loads, 1)
    for k in action:
        loads[k] = 0
    return reward
