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

from simulation.draws import GAUSSIAN, exploration_level, kl
from simulation.instance import Instance
from simulation.jit import kernel, step
from simulation.policies import Options, Policy
from simulation.procedures import Team, assembled, exploit, fill, rank_by, report_bounds
from simulation.trace import Trace
from simulation.world import World

PHASES = ("play",)
ROUNDING = 1e-11  # more than rounding can move a root, less than indices differ by
PRECISION = 1e-16
NEARLY_ONE = 1.0 - 1e-15  # an index above this is 1, as floats go


class Indices(NamedTuple):
    """The index of every arm as last computed, and what bounds its growth since then."""

    value: np.ndarray
    level: np.ndarray  # f(t) when it was computed
    slope: np.ndarray  # how fast it can grow with f(t)


@kernel
def kl_ucb_kc(
    gen: Generator, world: World, horizon: int, trace: Trace, capacities: np.ndarray
) -> None:
    """One run."""
    team = assembled(gen, capacities, capacities)
    unseen, nothing = np.full(capacities.size, math.inf), np.zeros(capacities.size)
    play(gen, world, horizon, trace, team, Indices(unseen, nothing, nothing.copy()))
    report_bounds(team, trace)


@step
def play(
    gen: Generator, world: World, horizon: int, trace: Trace, team: Team, indices: Indices
) -> None:
    """All slots."""
    size = 0
    for t in range(1, horizon + 1):
        refresh(team, size, world, exploration_level(t), indices)
        rank_by(indices.value, team)
        size = fill(team, world.plays)
        exploit(gen, world, trace, team, size, 0, t)


@step
def refresh(team: Team, size: int, world: World, level: float, indices: Indices) -> None:
    """Compute the index of the `size` arms played last, and of any that may pass one of them."""
    lowest = math.inf
    for place in range(team.order.size):
        k = team.order[place]
        most = indices.value[k] + indices.slope[k] * (level - indices.level[k]) + ROUNDING
        if place >= size and most < lowest:
            continue
        muhat, count = team.arms[k].muhat, team.arms[k].individual
        index = upper_index(muhat, count, level, world.law, world.parameter)
        slope = index_slope(muhat, count, index, world.law, world.parameter)
        indices.value[k], indices.level[k], indices.slope[k] = index, level, slope
        if place < size:
            lowest = min(lowest, index)


@step
def upper_index(muhat: float, count: int, level: float, law: int, parameter: float) -> float:
    """The largest q with count kl(muhat, q) <= level.

    On [0, 1], Newton's method: kl is convex in q, so from the second point on it comes down to the
    root without passing it, each error at most about error^2 / (q - muhat) / (1 - q) of the last.
    It starts where the quadratic approximation has its root, and never leaves the bound that
    follows from p log(p / q) >= p log p.
    """
    if count == 0:
        return math.inf
    spend = level / count
    if law == GAUSSIAN:
        return muhat + math.sqrt(2.0 * parameter * spend)
    if muhat >= 1.0 or spend <= 0.0:
        return muhat
    certain = muhat * math.log(muhat) if muhat > 0.0 else 0.0
    largest = 1.0 - (1.0 - muhat) * math.exp((certain - spend) / (1.0 - muhat))
    if largest >= NEARLY_ONE:
        return 1.0
    q, step_down = muhat + math.sqrt(2.0 * muhat * (1.0 - muhat) * spend), 1.0
    q = min(q, largest) if muhat > 0.0 else largest
    while step_down * step_down > PRECISION * (q - muhat) * (1.0 - q):
        excess = kl(law, parameter, muhat, q) - spend
        step_down = excess * q * (1.0 - q) / (q - muhat)
        q = min(q - step_down, largest)
    return q


@step
def index_slope(muhat: float, count: int, index: float, law: int, parameter: float) -> float:
    """How fast the index grows with the level, at most from now on; infinite where unknown."""
    if count == 0 or not index > muhat:
        return math.inf if index < 1.0 else 0.0
    if law == GAUSSIAN:
        return parameter / (count * (index - muhat))
    return index * (1.0 - index) / (count * (index - muhat))


def _arguments(instance: Instance, horizon: int, options: Options) -> tuple[Any, ...]:
    return (World.of(instance).capacities,)


POLICIES = (Policy("kl-ucb-kc", "KL-UCB, capacities known", PHASES, kl_ucb_kc, _arguments),)
