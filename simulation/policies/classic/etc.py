"""Explore-then-commit: m plays of each arm, then always the arm that earned most."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from simulation.errors import InputError, shown
from simulation.jit import folded, step
from simulation.learning.action import Action
from simulation.policies import Options, Policy, Setup
from simulation.policies.classic.one_play import State, above_zero, begin, play, require_served


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    arms = state.counts.size
    play(action, (t - 1) % arms if t <= arms * state.scale else largest_of(state.sums))


@step
def largest_of(sums: np.ndarray) -> int:
    """The first arm with the largest sum."""
    best = 0
    for k in range(sums.size):
        if sums[k] > sums[best]:
            best = k
    return best


@folded
def learn(
    state: State, t: int, gen: Generator, phase: int, arm: int, load: int, reward: float
) -> None:
    """Add a reward; only the first m plays of an arm count."""
    if state.counts[arm] < state.scale:
        state.sums[arm] += reward
        state.counts[arm] += 1


def arguments(setup: Setup, options: Options) -> tuple[Any, ...]:
    require_served("etc", setup, 1.0)
    plays = above_zero("etc", "m", options["m"])
    if plays != int(plays):
        raise InputError("etc", "m", shown(options["m"]), "a whole number of 1 or more")
    return plays, 0


POLICIES = (
    Policy(
        "etc",
        "explore, then commit",
        arguments=arguments,
        defaults={"m": 10},
        begin=begin,
        decide=decide,
        learn=learn,
    ),
)
