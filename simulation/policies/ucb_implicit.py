"""UCB1 over all allocations: capacities are learnt only implicitly (section 8).

Every action once, in a random order; then always the action with the largest

    mean + 2 sigma N sqrt(2 log t / n)

(see `allocations` for the factor), the earlier in that order among equals.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from simulation.jit import folded, step
from simulation.learning.action import Action
from simulation.learning.allocations import allocations, play_allocation, spread_of_total
from simulation.policies import Options, Policy, Setup
from simulation.world.draws import shuffled
from simulation.world.elementary import log


class State(NamedTuple):
    """Statistics of each action, in random order."""

    actions: np.ndarray
    order: np.ndarray
    counts: np.ndarray
    total: np.ndarray
    mean: np.ndarray
    width: np.ndarray  # spread / sqrt(n)
    reward: np.ndarray  # one number: the total of this slot so far
    place: np.ndarray  # one number: the action of this slot
    spread: float


def begin(gen: Generator, arms: int, plays: int, actions: np.ndarray, spread: float) -> State:
    order = shuffled(gen, actions.shape[0])
    total, mean, width = (np.zeros(order.size) for _ in range(3))
    count, place = np.zeros(order.size, dtype=np.int64), np.zeros(1, dtype=np.int64)
    return State(actions, order, count, total, mean, width, np.zeros(1), place, spread)


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    """Play every action once, then the one with the largest index."""
    if t > 1:
        _take_in(state)
    untried = t <= state.order.size
    place = t - 1 if untried else highest(state.mean, state.width, math.sqrt(2.0 * log(t)))
    state.place[0] = place
    play_allocation(state.actions[state.order[place]], action)


@step
def _take_in(state: State) -> None:
    """Add the total reward of the last slot."""
    place = state.place[0]
    state.total[place] += state.reward[0]
    state.counts[place] += 1
    state.mean[place] = state.total[place] / state.counts[place]
    state.width[place] = state.spread / math.sqrt(state.counts[place])
    state.reward[0] = 0.0


@folded
def learn(
    state: State, t: int, gen: Generator, phase: int, k: int, load: int, reward: float
) -> None:
    """Only the total reward of a slot is used."""
    state.reward[0] += reward


@step
def highest(mean: np.ndarray, width: np.ndarray, factor: float) -> int:
    """The position of the largest mean + factor width: one multiplication per action, no root."""
    best, best_index = 0, -math.inf
    for place in range(mean.size):
        index = mean[place] + factor * width[place]
        if index > best_index:
            best, best_index = place, index
    return best


def _arguments(setup: Setup, options: Options) -> tuple[Any, ...]:
    return allocations(setup), spread_of_total(setup)


POLICIES = (
    Policy(
        "ucb-implicit",
        "UCB1, every allocation an arm of its own",
        arguments=_arguments,
        told="scale",
        begin=begin,
        decide=decide,
        learn=learn,
    ),
)
