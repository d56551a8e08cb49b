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

from simulation.draws import GAUSSIAN, exploration_level
from simulation.elementary import NORMAL, exp, log
from simulation.instance import Instance
from simulation.jit import kernel, step
from simulation.policies import Options, Policy
from simulation.procedures import Team, assembled, exploit, fill, rank_by, report_bounds
from simulation.trace import Trace
from simulation.world import World

PHASES = ("play",)
ROUNDING = 1e-11  # more than rounding can move a root, less than indices differ by
PRECISION = 1e-16
NEGLIGIBLE = 1e-15  # an index this close to 1 is 1, as floats go
STEPS = 30  # of Newton's method, which needs 5 or 6


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
def above_log(w: float, d: float) -> float:
    """w (x - log(1 + x)) for x = d / w.

    For small x by s = x / (2 + x), as log(1 + x) = 2 (s + s^3/3 + s^5/5 + ...) and x - 2 s = x s.
    """
    if abs(d) > 0.1 * w:
        return d - w * log((w + d) / w)
    s = d / (w + w + d)
    z = s * s
    series = (1 / 3 + z / 5.0) + z * z * ((1 / 7 + z / 9.0) + z * z * (1 / 11 + z / 13.0))
    return d * s - 2.0 * w * s * z * series


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


POLICIES = (
    Policy(
        "kl-ucb-kc",
        "KL-UCB, capacities known",
        PHASES,
        kl_ucb_kc,
        _arguments,
        told="capacities, law",
    ),
)
