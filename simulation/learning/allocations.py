"""Every allocation of the plays as one arm of a standard bandit (section 8, implicit learning).

An action is written as the sorted list of the N arms that get its plays: C(K + N - 1, N) lists. A
learner sees only the total reward of a slot, which has sub-Gaussian scale at most sigma N, where
sigma = 1/2 for laws on [0, 1]. Rules made for rewards in [0, 1] are used with their widths
multiplied by `spread_of_total` = 2 sigma N, which is N for those laws.
"""

from __future__ import annotations

import math
from itertools import chain, combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np

from simulation.errors import InputError
from simulation.jit import step
from simulation.learning.action import Action, clear, put

if TYPE_CHECKING:
    from simulation.policies import Setup

LIMIT = 200_000


def allocations(setup: Setup) -> np.ndarray:
    """All actions, one row each; an error if there are too many.

    >>> from simulation.policies import Setup
    >>> from simulation.rewards.laws import Bernoulli
    >>> allocations(Setup(arms=3, plays=2, reward=Bernoulli())).tolist()
    [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]]
    """
    arms, plays = setup.arms, setup.plays
    count = math.comb(arms + plays - 1, plays)
    if count > LIMIT:
        found = f"{count} ways to place {plays} plays on {arms} arms"
        expected = f"at most {LIMIT} for a policy that learns each of them"
        raise InputError(setup.name, "allocations", found, expected)
    rows = chain.from_iterable(combinations_with_replacement(range(arms), plays))
    return np.fromiter(rows, dtype=np.int64, count=count * plays).reshape(count, plays)


def spread_of_total(setup: Setup) -> float:
    """2 sigma N, the factor for the width of a rule made for rewards in [0, 1]."""
    return 2.0 * math.sqrt(setup.reward.proxy_variance) * setup.plays


@step
def play_allocation(allocation: np.ndarray, action: Action) -> None:
    """Write an allocation as the action of a slot."""
    clear(action, 0)
    for place in range(allocation.size):
        k = allocation[place]
        if place == 0 or allocation[place - 1] != k:
            put(action, k, 1)
        else:
            action.loads[k] += 1
