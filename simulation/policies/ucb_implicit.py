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

from simulation.jit import folded, step
from simulation.learning.action import Action
from simulation.learning.allocations import (
    State,
    allocations,
    begin,
    end_slot,
    learn,
    play_place,
    spread_of_total,
)
from simulation.policies import Options, Policy, Setup
from simulation.world.elementary import log


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    """Play every action once, then the one with the largest index."""
    if t > 1:
        end_slot(state)
    untried = t <= state.order.size
    place = t - 1 if untried else highest(state.mean, state.width, math.sqrt(2.0 * log(t)))
    play_place(state, place, action)


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
