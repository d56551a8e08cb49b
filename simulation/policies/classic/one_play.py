"""Functions that textbook policies share: playing an arm, learning, checks of the instance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from simulation.errors import InputError, shown
from simulation.jit import folded, step
from simulation.learning.action import Action, clear, put
from simulation.policies import Options, Setup


class State(NamedTuple):
    """Counts and sums of rewards."""

    scale: float  # a constant of the policy, such as the factor of a squared width
    horizon: int  # 0: not given
    counts: np.ndarray
    sums: np.ndarray


def begin(gen: Generator, arms: int, plays: int, scale: float, horizon: int) -> State:
    return State(scale, horizon, np.zeros(arms, dtype=np.int64), np.zeros(arms))


@step
def play(action: Action, arm: int) -> None:
    """Put the play on this arm."""
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
def widest(state: State, spend: float) -> int:
    """The arm of the largest mean + sqrt(spend / n)."""
    counts, sums = state.counts, state.sums
    best, largest = 0, -math.inf
    for k in range(counts.size):
        index = sums[k] / counts[k] + math.sqrt(spend / counts[k])
        if index > largest:
            best, largest = k, index
    return best


# -- who may be asked ----------------------------------------------------------------------------


def require_served(name: str, setup: Setup, spread: float | None) -> None:
    """Raise unless there is one play, and rewards are in [0, 1] or have at most this variance
    proxy.
    """
    if setup.plays != 1:
        expected = "1: one arm is played in a slot"
        raise InputError(name, "plays", shown(setup.plays), expected)
    law = setup.reward
    if spread is None and not law.bounded:
        raise InputError(name, "reward", law.name, "rewards in [0, 1]")
    if spread is not None and not law.bounded and law.proxy_variance > spread:
        raise InputError(name, "reward", law.words(), f"a variance of at most {spread:g}")


def above_zero(name: str, option: str, value: Any) -> float:
    """The value of an option that must be a positive number."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = math.nan
    if not 0.0 < found < 1e9:
        raise InputError(name, option, shown(value), "a number above 0, up to 1e9")
    return found


@dataclass(frozen=True)
class IndexArguments:
    """Computes the arguments of `begin` for an index policy from a setup and options."""

    name: str
    scale: float  # multiplied by the option, if there is one
    spread: float | None = None

    def __call__(self, setup: Setup, options: Options) -> tuple[Any, ...]:
        require_served(self.name, setup, self.spread)
        scale = self.scale
        for option in options:
            scale *= above_zero(self.name, option, options[option])
        return scale, setup.horizon or 0
