"""Every allocation of the plays as one arm of a standard bandit (section 8, implicit learning).

An action is written as the sorted list of the N arms that get its plays: C(K + N - 1, N) lists. A
learner sees only the total reward of a slot, which has sub-Gaussian scale at most sigma N, where
sigma = 1/2 for laws on [0, 1]. Rules made for rewards in [0, 1] are used with their widths
multiplied by `spread_of_total` = 2 sigma N, which is N for those laws.

UCB and Thompson sampling keep the same records of the actions (`State`); the width of each is
scale / sqrt(n) after n slots, and what a policy multiplies it by is its own.
"""

from __future__ import annotations

import math
from itertools import chain, combinations_with_replacement
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.random import Generator

from simulation.errors import InputError
from simulation.jit import folded, step
from simulation.learning.action import Action, clear, put
from simulation.world.draws import shuffled

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


class State(NamedTuple):
    """Statistics of each action, in random order."""

    actions: np.ndarray
    order: np.ndarray
    counts: np.ndarray
    total: np.ndarray
    mean: np.ndarray
    width: np.ndarray  # scale / sqrt(n)
    reward: np.ndarray  # one number: the total of this slot so far
    place: np.ndarray  # one number: the action of this slot
    scale: float


def begin(gen: Generator, arms: int, plays: int, actions: np.ndarray, scale: float) -> State:
    order = shuffled(gen, actions.shape[0])
    total, mean, width = (np.zeros(order.size) for _ in range(3))
    count, place = np.zeros(order.size, dtype=np.int64), np.zeros(1, dtype=np.int64)
    return State(actions, order, count, total, mean, width, np.zeros(1), place, scale)


@step
def end_slot(state: State) -> None:
    """Add the total reward of the last slot to its action."""
    place = state.place[0]
    state.total[place] += state.reward[0]
    state.counts[place] += 1
    state.mean[place] = state.total[place] / state.counts[place]
    state.width[place] = state.scale / math.sqrt(state.counts[place])
    state.reward[0] = 0.0


@step
def play_place(state: State, place: int, action: Action) -> None:
    """Play the action at this place of the order."""
    state.place[0] = place
    play_allocation(state.actions[state.order[place]], action)


@folded
def learn(
    state: State, t: int, gen: Generator, phase: int, k: int, load: int, reward: float
) -> None:
    """Only the total reward of a slot is used."""
    state.reward[0] += reward
