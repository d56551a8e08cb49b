"""KL-UCB with known capacities: fill arms in the order of their KL-UCB index (section 8).

The index of an arm is the largest q with n_k kl(muhat_k, q) <= f(t), for the level f(t) and the
divergence that OrchExplore uses; an arm never observed has an infinite one. Every arm played is
observed per load, since no load passes a known capacity. Equal indices, such as those of arms
with equal counts and estimates, are ranked by a random order drawn once at the start.

This is the one policy that needs the root itself. It is computed anew, from the count, the
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

from simulation.action import Action, clear
from simulation.arms import explored_individually, fill, introduced, report_bounds
from simulation.draws import GAUSSIAN, exploration_level
from simulation.elementary import NORMAL, above_log, exp, log
from simulation.jit import folded, step
from simulation.likelihoods import Model
from simulation.policies import Options, Policy, Setup
from simulation.procedures import rank_by

ROUNDING = 1e-11  # more than rounding can move a root, less than indices differ by
PRECISION = 1e-16
NEGLIGIBLE = 1e-15  # an index this close to 1 is 1, as floats go
STEPS = 30  # of Newton's method, which needs 5 or 6


class State(NamedTuple):
    """The arms, the index of each as last computed, and what bounds its growth since then."""

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
    """Fill arms in the order of their indices. As many as were played last are computed anew."""
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
    """One observation per load."""
    explored_individually(state.arms[k], reward / load)


@step
def report(state: State, t: int, learned: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
    """The capacities, which are known."""
    report_bounds(state.arms, lower, upper)


@step
def upper_index(muhat: float, count: int, level: float, law: int, parameter: float) -> float:
    """The largest q with count kl(muhat, q) <= level."""
    if count == 0:
        return math.inf
    spend = level / count
    if law == GAUSSIAN:
        return muhat + math.sqrt(2.0 * parameter * spend)
    if muhat >= 1.0 or spend <= 0.0:
        return muhat
    certain = muhat * log(muhat) if muhat > 0.0 else 0.0
    exponent = (spend - certain) / (1.0 - muhat)
    share = exp(-exponent)
    if (1.0 - muhat) * share <= NEGLIGIBLE:
        return 1.0
    most = (1.0 - muhat) * (1.0 - share if exponent > 1e-3 else exponent)
    return muhat + reach(muhat, spend, most)


@step
def reach(p: float, spend: float, most: float) -> float:
    """The d with kl(p, p + d) = spend, which is at most `most`, by Newton's method.

    kl is convex in d, so from the second point on d comes down to the root without passing it, each
    error at most about error^2 / d / (1 - q) of the last. It starts near the root of the cubic
    approximation, and never leaves the bound that follows from p log(p / q) >= p log p: there kl
    exceeds `spend` by 1 - p at most. So a handful of steps is enough; should `STEPS` of them not
    be, halving finds the root.
    """
    d = most
    if p > 0.0:
        quadratic = math.sqrt(2.0 * p * (1.0 - p)) * math.sqrt(spend)
        d = min(max(quadratic + (2.0 / 3.0) * (1.0 - 2.0 * p) * spend, quadratic / 2.0), most)
    for _ in range(STEPS):
        left = (1.0 - p) - d
        step_down = (divergence(p, d) - spend) * (p + d) * left / d
        d = min(d - step_down, most)
        if not step_down * step_down > PRECISION * d * left:
            return d
    return halved(p, spend, most)


@step
def halved(p: float, spend: float, most: float) -> float:
    """The d with kl(p, p + d) = spend, which is at most `most`, to 2^-60 of that."""
    low, high = 0.0, most
    for _ in range(60):
        d = (low + high) / 2.0
        if divergence(p, d) > spend:
            high = d
        else:
            low = d
    return low


@step
def divergence(p: float, d: float) -> float:
    """kl(p, p + d) of Bernoulli laws, for d >= 0: two terms of 0 or more, so nothing cancels."""
    success = above_log(p, d) if p >= NORMAL else d
    return success + above_log(1.0 - p, -d)


@step
def index_slope(muhat: float, count: int, index: float, law: int, parameter: float) -> float:
    """How fast the index grows with the level, at most from now on; infinite where unknown."""
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
