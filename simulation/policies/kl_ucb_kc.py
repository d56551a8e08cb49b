"""KL-UCB with known capacities: fill arms in the order of their KL-UCB index (section 8).

The index of an arm is the largest q with n_k kl(muhat_k, q) <= f(t), for the level f(t) and the
divergence that OrchExplore uses; an arm never observed has an infinite one. Every arm played is
observed per load, since no load passes a known capacity. Equal indices, such as those of arms
with equal counts and estimates, are ranked by a random order drawn once at the start.

This is the only policy that needs the index itself, a root. It is computed, from the count, the
estimate and the level alone, for an arm that was played, and for another only when the arm might
pass one of those: for fixed count and estimate the index is concave in the level, so it stays
below the tangent at the level where it was last computed. The action is therefore the one that
computing all indices every slot would give.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from simulation.jit import folded, step
from simulation.learning.action import Action, clear
from simulation.learning.arms import explored_individually, fill, introduced, report_bounds
from simulation.learning.kl_index import upper_index
from simulation.learning.likelihoods import Model
from simulation.learning.procedures import rank_by
from simulation.policies import Options, Policy, Setup
from simulation.world.draws import GAUSSIAN, exploration_level

ROUNDING = 1e-11  # more than the rounding error of a root, less than differences of indices


class State(NamedTuple):
    """The arms, their indices as last computed, and bounds on their growth since then."""

    arms: np.ndarray
    order: np.ndarray  # by index
    indices: np.ndarray
    level: np.ndarray  # f(t) when it was computed
    slope: np.ndarray  # how fast it can grow with f(t)
    plays: int
    model: Model


def begin(gen: Generator, arms: int, plays: int, capacities: np.ndarray, model: Model) -> State:
    table, order = introduced(gen, capacities, capacities)
    unseen, level, slope = np.full(arms, math.inf), np.zeros(arms), np.zeros(arms)
    return State(table, order, unseen, level, slope, plays, model)


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    """Fill arms in the order of their indices, updated for as many arms as were played last."""
    refresh(state, action.plan[0].count, exploration_level(t))
    rank_by(state.indices, state.arms, state.order)
    clear(action, 0)
    fill(state.arms, state.order, state.plays, action)
    action.plan[0].quiet = True


@step
def refresh(state: State, size: int, level: float) -> None:
    """Compute the index of the `size` arms played last, and of any that may pass one of them."""
    law, parameter = state.model.law, state.model.parameter
    lowest = math.inf
    for place in range(state.order.size):
        k = state.order[place]
        most = state.indices[k] + state.slope[k] * (level - state.level[k]) + ROUNDING
        if place >= size and most < lowest:
            continue
        muhat, count = state.arms[k].muhat, state.arms[k].individual
        index = upper_index(muhat, count, level, law, parameter)
        slope = index_slope(muhat, count, index, law, parameter)
        state.indices[k], state.level[k], state.slope[k] = index, level, slope
        if place < size:
            lowest = min(lowest, index)


@folded
def learn(
    state: State, t: int, gen: Generator, phase: int, k: int, load: int, reward: float
) -> None:
    """Count one observation per load."""
    explored_individually(state.arms[k], reward / load)


@step
def report(state: State, t: int, learned: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
    """Write the capacities, which are known."""
    report_bounds(state.arms, lower, upper)


@step
def index_slope(muhat: float, count: int, index: float, law: int, parameter: float) -> float:
    """An upper bound on the index's growth with the level from now on; infinite if unknown."""
    if count == 0 or not index > muhat:
        return 0.0 if law != GAUSSIAN and index >= 1.0 else math.inf
    if law == GAUSSIAN:
        return parameter / (count * (index - muhat))
    return index * (1.0 - index) / (count * (index - muhat))


def _arguments(setup: Setup, options: Options) -> tuple[Any, ...]:
    return setup.capacities, Model.bare(setup)


POLICIES = (
    Policy(
        "kl-ucb-kc",
        "KL-UCB, told the capacities: fills arms by an optimistic mean",
        arguments=_arguments,
        told="capacities, scale",
        begin=begin,
        decide=decide,
        learn=learn,
        report=report,
        leaps="kl-ucb",
    ),
)
