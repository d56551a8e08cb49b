"""Thompson sampling: play the arm with the largest mean drawn from the posteriors.

For rewards in [0, 1] the prior is Beta(1, 1), and a reward strictly inside (0, 1) counts as a
success with that probability. For normal rewards the prior is flat, and every arm is played once
first.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from simulation.jit import folded, step
from simulation.learning.action import Action
from simulation.learning.likelihoods import Model
from simulation.policies import Options, Policy, Setup
from simulation.policies.classic.one_play import play, require_served
from simulation.world.draws import BERNOULLI, GAUSSIAN, standard_normal, unimodal_beta


class State(NamedTuple):
    model: Model
    counts: np.ndarray
    sums: np.ndarray


def begin(gen: Generator, arms: int, plays: int, model: Model) -> State:
    return State(model, np.zeros(arms, dtype=np.int64), np.zeros(arms))


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    play(action, likely(state, gen))


@step
def likely(state: State, gen: Generator) -> int:
    """The arm of the largest mean drawn from the posteriors."""
    best, largest = 0, -math.inf
    for k in range(state.counts.size):
        count, total = state.counts[k], state.sums[k]
        if state.model.law != GAUSSIAN:
            theta = unimodal_beta(gen, 1.0 + total, 1.0 + count - total)
        elif count == 0:
            return k
        else:
            width = math.sqrt(state.model.parameter / count)
            theta = total / count + width * standard_normal(gen)
        if theta > largest:
            best, largest = k, theta
    return best


@folded
def learn(
    state: State, t: int, gen: Generator, phase: int, arm: int, load: int, reward: float
) -> None:
    if state.model.law != GAUSSIAN and state.model.law != BERNOULLI:
        reward = 1.0 if gen.random() < reward else 0.0
    state.sums[arm] += reward
    state.counts[arm] += 1


def arguments(setup: Setup, options: Options) -> tuple[Any, ...]:
    require_served("thompson", setup, math.inf)
    return (Model.bare(setup),)


POLICIES = (
    Policy(
        "thompson",
        "Thompson sampling",
        arguments=arguments,
        told="scale",
        begin=begin,
        decide=decide,
        learn=learn,
    ),
)
