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
from simulation.world.draws import standard_normal


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    """Play every action once, then the one with the largest sampled value."""
    if t > 1:
        end_slot(state)
    untried = t <= state.order.size
    place = t - 1 if untried else luckiest(gen, state.mean, state.width)
    play_place(state, place, action)


@step
def luckiest(gen: Generator, mean: np.ndarray, width: np.ndarray) -> int:
    """The position of the largest value sampled from the posteriors."""
    best, best_value = 0, -math.inf
    for place in range(mean.size):
        value = mean[place] + width[place] * standard_normal(gen)
        if value > best_value:
            best, best_value = place, value
    return best


def _arguments(setup: Setup, options: Options) -> tuple[Any, ...]:
    return allocations(setup), spread_of_total(setup) / 2.0  # sigma N


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
