"""epsilon_n-greedy: with probability min(1, c K / (d^2 n)) any arm, else the best mean so far.

Auer, Cesa-Bianchi and Fischer 2002, Figure 3. It is given c and d, a lower bound of the smallest
gap. An arm that was never played comes first where the best mean is played.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from simulation.errors import InputError, shown
from simulation.jit import folded, step
from simulation.learning.action import Action, clear, put
from simulation.policies import Options, Policy, Setup


class State(NamedTuple):
    """Counts and sums of rewards; `first` is c K / d^2, the number of slots that are all random."""

    first: float
    counts: np.ndarray
    sums: np.ndarray


def begin(gen: Generator, arms: int, plays: int, first: float) -> State:
    return State(first, np.zeros(arms, dtype=np.int64), np.zeros(arms))


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    """Play one arm."""
    arm = chosen(state, t, gen)
    clear(action, 0)
    put(action, arm, 1)


@folded
def learn(
    state: State, t: int, gen: Generator, phase: int, arm: int, load: int, reward: float
) -> None:
    """Add a reward of an arm."""
    state.sums[arm] += reward
    state.counts[arm] += 1


@step
def chosen(state: State, t: int, gen: Generator) -> int:
    """The arm for slot t."""
    counts, sums = state.counts, state.sums
    if t <= state.first or gen.random() * t < state.first:
        return int(gen.random() * counts.size)
    best, largest = 0, -1.0
    for k in range(counts.size):
        if counts[k] == 0:
            return k
        mean = sums[k] / counts[k]
        if mean > largest:
            best, largest = k, mean
    return best


def arguments(setup: Setup, options: Options) -> tuple[Any, ...]:
    """c K / d^2; raises for more than one play and for rewards outside [0, 1]."""
    if setup.plays != 1:
        raise InputError("epsilon-greedy", "plays", shown(setup.plays), "1")
    if not setup.reward.bounded:
        raise InputError("epsilon-greedy", "reward", setup.reward.name, "rewards in [0, 1]")
    for name, most in (("c", 1e9), ("d", 1.0)):
        if not 0.0 < float(options[name]) <= most:
            expected = f"a number above 0, up to {most:g}"
            raise InputError("epsilon-greedy", name, shown(options[name]), expected)
    return (float(options["c"]) * setup.arms / float(options["d"]) ** 2,)


POLICIES = (
    Policy(
        "epsilon-greedy",
        "epsilon_n-greedy, given c and d",
        arguments=arguments,
        defaults={"c": 6.0, "d": 0.1},
        begin=begin,
        decide=decide,
        learn=learn,
    ),
)
