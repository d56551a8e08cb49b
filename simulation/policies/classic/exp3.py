"""EXP3, given T: weights exp(-eta estimated loss) for the arms, eta = sqrt(c log K / (T K))."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from simulation.jit import folded, step
from simulation.learning.action import Action
from simulation.policies import Options, Policy, Setup
from simulation.policies.classic.one_play import above_zero, play, require_served
from simulation.world.elementary import exp, log

SMALL = 1e-100  # weights with a smaller sum are rescaled


class State(NamedTuple):
    rate: float
    weights: np.ndarray


def begin(gen: Generator, arms: int, plays: int, rate: float) -> State:
    return State(rate, np.ones(arms))


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    play(action, drawn_by(gen, state.weights))


@folded
def learn(
    state: State, t: int, gen: Generator, phase: int, arm: int, load: int, reward: float
) -> None:
    loss = (1.0 - reward) * total_of(state.weights) / state.weights[arm]
    state.weights[arm] *= exp(-state.rate * loss)


@step
def total_of(weights: np.ndarray) -> float:
    total = 0.0
    for k in range(weights.size):
        total += weights[k]
    return total


@step
def drawn_by(gen: Generator, weights: np.ndarray) -> int:
    """An arm, with probability weight / total; never one of weight 0."""
    total = total_of(weights)
    if total < SMALL:
        for k in range(weights.size):
            weights[k] /= total
        total = 1.0
    left, chosen = gen.random() * total, 0
    for k in range(weights.size):
        if weights[k] > 0.0:
            chosen = k
            left -= weights[k]
            if left < 0.0:
                break
    return chosen


def arguments(setup: Setup, options: Options) -> tuple[Any, ...]:
    require_served("exp3", setup, None)
    factor = above_zero("exp3", "c", options["c"])
    slots = (setup.horizon or 0) * setup.arms
    return (math.sqrt(factor * log(float(setup.arms)) / slots),)


POLICIES = (
    Policy(
        "exp3",
        "EXP3, given T",
        arguments=arguments,
        defaults={"c": 1.0},
        told="horizon",
        begin=begin,
        decide=decide,
        learn=learn,
    ),
)
