"""Successive elimination over all allocations: capacities are learnt only implicitly (section 8).

All actions that are left are played once each, in a random order fixed at the start; those whose
mean is then at most the best mean less gamma 2 sigma N U(tau, T) are eliminated, where tau counts
the rounds (see `allocations` for the factor and `procedures.deviation` for U).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from simulation.jit import folded, step
from simulation.learning.action import Action
from simulation.learning.allocations import allocations, play_allocation, spread_of_total
from simulation.learning.procedures import deviation, positive_option
from simulation.policies import Options, Policy, Setup
from simulation.world.draws import shuffled

NOW = np.dtype(
    [
        ("size", np.int64),  # the actions left are left[:size]
        ("place", np.int64),  # of the next of them
        ("rounds", np.int64),  # so far
        ("action", np.int64),  # of the slot before
        ("reward", np.float64),  # and its total so far
    ]
)


class State(NamedTuple):
    """Total rewards of each action, and the remaining actions in random order."""

    actions: np.ndarray
    left: np.ndarray
    total: np.ndarray
    now: np.ndarray  # one record, see NOW
    scale: float
    horizon: int


def begin(
    gen: Generator, arms: int, plays: int, actions: np.ndarray, scale: float, horizon: int
) -> State:
    left, now = shuffled(gen, actions.shape[0]), np.zeros(1, dtype=NOW)
    now["size"] = left.size
    return State(actions, left, np.zeros(left.size), now, scale, horizon)


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    """Play the next remaining action; after a round, eliminate those far below the best."""
    now = state.now[0]
    state.total[now.action] += now.reward
    now.reward = 0.0
    if now.place == now.size:
        now.rounds += 1
        now.place = 0
        if now.size > 1:
            _elimination(state)
    now.action = state.left[now.place]
    now.place += 1
    play_allocation(state.actions[now.action], action)


@folded
def learn(
    state: State, t: int, gen: Generator, phase: int, k: int, load: int, reward: float
) -> None:
    """Only the total reward of a slot is used."""
    state.now[0].reward += reward


@step
def _elimination(state: State) -> None:
    """Keep the actions whose mean is less than the width below the best.

    The best always stays, even where the width is too small to matter in floats for large means.
    """
    left, total, now = state.left, state.total, state.now[0]
    width = state.scale * deviation(now.rounds, state.horizon)
    best = total[left[0]]
    for action in left[: now.size]:
        best = max(best, total[action])
    threshold = best / now.rounds - width
    kept = 0
    for action in left[: now.size]:
        if total[action] == best or not total[action] / now.rounds <= threshold:
            left[kept] = action
            kept += 1
    now.size = kept


def _arguments(setup: Setup, options: Options) -> tuple[Any, ...]:
    scale = positive_option(options, "gamma") * spread_of_total(setup)
    return allocations(setup), scale, setup.horizon


POLICIES = (
    Policy(
        "se-implicit",
        "Successive elimination, every allocation an arm of its own",
        arguments=_arguments,
        defaults={"gamma": 1.0},
        told="horizon, scale",
        begin=begin,
        decide=decide,
        learn=learn,
    ),
)
