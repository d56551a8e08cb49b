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
from simulation.elementary import NORMAL, above_log, exp, log
from simulation.instance import Instance
from simulation.jit import kernel, step
from simulation.leaping import caution, longest_try, span_of_arm
from simulation.policies import Options, Policy
from simulation.procedures import (
    Team,
    assembled,
    exploit,
    exploit_block,
    fill,
    rank_by,
    report_bounds,
)
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
    size, t = 0, 0
    while t < horizon:
        t += 1
        refresh(team, size, world, exploration_level(t), indices)
        rank_by(indices.value, team)
        size = fill(team, world.plays)
        length = 1
        if trace.caution < math.inf:
            length = certified(team, size, world, trace, t, horizon)
        if length > 1:
            t = exploit_block(gen, world, trace, team, size, 0, t, length)
        else:
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
def certified(team: Team, size: int, world: World, trace: Trace, t: int, horizon: int) -> int:
    """For how many slots from t on the same arms are played and the same is last, but for eta."""
    length = longest_try(trace, t, horizon)
    while length > 1 and not goes_on(team, size, world, trace, t, length):
        length //= 2
    trace.stride[0] = length
    return length


@step
def goes_on(team: Team, size: int, world: World, trace: Trace, t: int, length: int) -> bool:
    """Whether in all these slots the last arm's index stays below the others' and above the rest's.

    An index grows with the estimate and the level and falls with the count.
    """
    care = caution(trace, 2 * size)
    level, last_level = exploration_level(t), exploration_level(t + length)
    lowest, highest = -math.inf, math.inf
    for place in range(size - 1, -1, -1):
        k = team.order[place]
        arm = team.arms[k]
        if arm.individual == 0:
            return False
        low, high = span_of_arm(world, k, arm, team.loads[k], length, care)
        count = arm.individual
        least = upper_index(low, count + length, level, world.law, world.parameter)
        if place == size - 1:
            lowest = least
            highest = upper_index(high, count, last_level, world.law, world.parameter)
        elif least <= highest:
            return False
    for k in team.order[size:]:
        arm = team.arms[k]
        index = upper_index(arm.muhat, arm.individual, last_level, world.law, world.parameter)
        if index >= lowest:
            return False
    return True


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


def _arguments(instance: Instance, horizon: int, options: Options) -> tuple[Any, ...]:
    return (World.of(instance).capacities,)


POLICIES = (
    Policy(
        "kl-ucb-kc",
        "KL-UCB, told the capacities: fills arms by an optimistic mean",
        PHASES,
        kl_ucb_kc,
        _arguments,
        told="capacities, scale",
        leaps=True,
    ),
)
