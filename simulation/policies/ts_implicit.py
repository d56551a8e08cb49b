"""Thompson sampling over all allocations: capacities are learnt only implicitly (section 8).

Every action once, in a random order; then a value is drawn for each action from

    Normal(mean, (sigma N)^2 / n)

in that order, and the action with the largest is played. This is the posterior under a flat prior
if the total reward were normal with the largest variance it can have (see `allocations`), the
usual Gaussian form of Thompson sampling for rewards that are not binary.
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
from simulation.world.draws import shuffled, standard_normal


class State(NamedTuple):
    """Statistics of each action, in random order."""

    actions: np.ndarray
    order: np.ndarray
    counts: np.ndarray
    total: np.ndarray
    mean: np.ndarray
    deviation: np.ndarray  # of the posterior
    reward: np.ndarray  # one number: the total of this slot so far
    place: np.ndarray  # one number: the action of this slot
    spread: float


def begin(gen: Generator, arms: int, plays: int, actions: np.ndarray, spread: float) -> State:
    order = shuffled(gen, actions.shape[0])
    total, mean, deviation = (np.zeros(order.size) for _ in range(3))
    count, place = np.zeros(order.size, dtype=np.int64), np.zeros(1, dtype=np.int64)
    return State(actions, order, count, total, mean, deviation, np.zeros(1), place, spread)


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    """Play every action once, then the one with the largest sampled value."""
    if t > 1:
        _take_in(state)
    untried = t <= state.order.size
    place = t - 1 if untried else luckiest(gen, state.mean, state.deviation)
    state.place[0] = place
    play_allocation(state.actions[state.order[place]], action)


@step
def _take_in(state: State) -> None:
    """Add the total reward of the last slot."""
    place = state.place[0]
    state.total[place] += state.reward[0]
    state.counts[place] += 1
    state.mean[place] = state.total[place] / state.counts[place]
    state.deviation[place] = state.spread / 2.0 / math.sqrt(state.counts[place])
    state.reward[0] = 0.0


@folded
def learn(
    state: State, t: int, gen: Generator, phase: int, k: int, load: int, reward: float
) -> None:
    """Only the total reward of a slot is used."""
    state.reward[0] += reward


@step
def luckiest(gen: Generator, mean: np.ndarray, deviation: np.ndarray) -> int:
    """The position of the largest value sampled from the posteriors."""
    best, best_value = 0, -math.inf
    for place in range(mean.size):
        value = mean[place] + deviation[place] * standard_normal(gen)
        if value > best_value:
            best, best_value = place, value
    return best


def _arguments(setup: Setup, options: Options) -> tuple[Any, ...]:
    return allocations(setup), spread_of_total(setup)


POLICIES = (
    Policy(
        "ts-implicit",
        "Thompson sampling, every allocation an arm of its own",
        arguments=_arguments,
        told="scale",
        begin=begin,
        decide=decide,
        learn=learn,
    ),
)
