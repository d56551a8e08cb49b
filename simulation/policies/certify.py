"""A policy of our own, made for its proof: explore until the best action is certified.

Its regret is (C + o(1)) log T with the exact constant C of `sharp-4.3`, for all three laws
(docs/theorems/attainment.md). At moderate horizons others lose far less: it is there to be
believed, not to be recommended.

What arm j showed at load a is the stack (j, a). In slot t, R_j are the means and capacities that
all stacks of arm j leave possible at the level beta_t = log t + 2 log log t; lo_j and hi_j are the
ends of the means in R_j. The candidate is Oracle(muhat, mhat), estimated from forced plays only; L
is the last arm it fills. It is certified if R leaves no doubt that

- the arms before L have just these capacities, and larger means than L;
- L holds its plays, and has a larger mean than all arms outside.

An arm outside is open while hi_k >= lo_L, an arm before L while it may hold more than its plays.
Slots without a certificate are ticks; the s-th of them, the first that applies:

    fewer than K ceil(log(1 + s)^2) forced plays: all plays on the next arm, in turn
    the candidate's stacks have fewer than max(beta_t^(3/2), s/2) entries: play it
    some arm is open: play it with one play moved from L to the first of them
    else: play it

"First", and equal estimates: in the order of muhat, then in a random order drawn once.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from simulation.arms import rank
from simulation.draws import BERNOULLI, GAUSSIAN, shuffled
from simulation.elementary import log
from simulation.instance import Instance
from simulation.jit import kernel, step
from simulation.likelihoods import OWN, Model
from simulation.policies import Options, Policy
from simulation.stacks import STACK, add, span
from simulation.trace import Trace, count_plays, settle
from simulation.world import World, earn, regret

PHASES = ("exploitation", "forced", "repetition", "means", "capacities")
EXPLOITATION, FORCED, REPETITION, MEANS, CAPACITIES = range(5)

ARM = np.dtype(
    [
        ("muhat", np.float64),  # from the forced plays, as all of the estimates
        ("mhat", np.int64),
        ("forced", np.int64),
        ("mean", np.float64),  # of the forced observations
        ("spread", np.float64),  # sum of their squares about it
        ("largest", np.float64),
        ("lo", np.float64),  # of the means in the region; infinite if it is empty
        ("hi", np.float64),
        ("fewest", np.int64),  # of the capacities in the region; N + 1 if it is empty
        ("most", np.int64),  # 0 if it is empty
        ("priority", np.int64),  # the smaller comes first among equal muhat
    ]
)


class Team(NamedTuple):
    """The arms with their stacks, and the action."""

    arms: np.ndarray
    stacks: np.ndarray  # (arms, plays)
    rests: np.ndarray  # (arms, plays, plays), for Beta rewards only
    order: np.ndarray  # all arms, by muhat
    turns: np.ndarray  # all arms, as they are forced
    loads: np.ndarray


@kernel
def certify(gen: Generator, world: World, horizon: int, trace: Trace, model: Model) -> None:
    """One run."""
    count, plays = world.means.size, world.plays
    turns, arms = shuffled(gen, count), np.zeros(count, dtype=ARM)
    for place in range(count):
        arms[turns[place]].priority = place
    deep = plays if model.law not in (BERNOULLI, GAUSSIAN) else 0
    team = Team(
        arms,
        np.zeros((count, plays), dtype=STACK),
        np.zeros((count, plays, deep)),
        turns.copy(),
        turns,
        np.zeros(count, dtype=np.int64),
    )
    play(gen, world, horizon, trace, model, team)
    for k in range(count):
        settle_region(team, k, model, level_at(horizon))
        empty = arms[k].most == 0
        trace.lower[k] = 1 if empty else arms[k].fewest
        trace.upper[k] = plays if empty else arms[k].most


@step
def play(
    gen: Generator, world: World, horizon: int, trace: Trace, model: Model, team: Team
) -> None:
    """All slots."""
    count = world.means.size
    ticks, forced, size = 0, 0, 0
    for t in range(1, horizon + 1):
        level = level_at(t)
        if forced >= count:
            size = candidate(team, world.plays)
            for k in range(count):
                settle_region(team, k, model, level)
                if trace.learned[k] == 0 and team.arms[k].fewest == team.arms[k].most:
                    trace.learned[k] = t
        if forced >= count and certified(team, size):
            phase = EXPLOITATION
        else:
            ticks += 1
            if forced < count * math.ceil(log(1.0 + ticks) * log(1.0 + ticks)):
                phase = FORCED
                team.loads[:] = 0
                team.loads[team.turns[forced % count]] = world.plays
                forced += 1
            elif fewest_entries(team, size) < max(level * math.sqrt(level), ticks / 2.0):
                phase = REPETITION
            else:
                place = first_open(team, size)
                phase = REPETITION if place < 0 else MEANS if place >= size else CAPACITIES
                if place >= 0:
                    team.loads[team.order[size - 1]] -= 1
                    team.loads[team.order[place]] += 1
        observe(gen, world, trace, model, team, phase, t)


@step
def level_at(t: int) -> float:
    """beta_t."""
    log_t = log(max(t, 3))
    return log_t + 2.0 * log(log_t)


@step
def candidate(team: Team, plays: int) -> int:
    """Oracle(muhat, mhat): writes the loads, returns how many arms are filled."""
    rank(team.arms, team.order)
    team.loads[:] = 0
    size = 0
    while plays > 0:
        k = team.order[size]
        team.loads[k] = min(plays, team.arms[k].mhat)
        plays -= team.loads[k]
        size += 1
    return size


@step
def settle_region(team: Team, k: int, model: Model, level: float) -> None:
    """Write the ends of R_k. Capacities from the largest load in a stack on are told by none."""
    arm, stacks = team.arms[k], team.stacks[k]
    arm.lo, arm.hi, arm.fewest, arm.most = math.inf, -math.inf, stacks.size + 1, 0
    top = 1
    for load in range(1, stacks.size + 1):
        if stacks[load - 1].count > 0:
            top = load
    for c in range(1, top + 1):
        low, high = (-math.inf, math.inf) if model.law == GAUSSIAN else (0.0, 1.0)
        for load in range(1, top + 1):
            if stacks[load - 1].count > 0 and low <= high:
                rests = team.rests[k, load - 1]
                left, right = span(model, stacks[load - 1], rests, min(load, c), level)
                low, high = max(low, left), min(high, right)
        if low <= high:
            arm.lo, arm.hi = min(arm.lo, low), max(arm.hi, high)
            arm.fewest = min(arm.fewest, c)
            arm.most = stacks.size if c == top else c


@step
def certified(team: Team, size: int) -> bool:
    """Whether the regions leave no doubt about the candidate."""
    arms, order, loads = team.arms, team.order, team.loads
    last = order[size - 1]
    if arms[last].fewest < loads[last]:
        return False
    for place in range(order.size):
        k = order[place]
        if place < size - 1:
            if arms[k].fewest < loads[k] or arms[k].most > loads[k]:
                return False
            if arms[k].lo <= arms[last].hi:
                return False
        elif place >= size and arms[k].hi >= arms[last].lo:
            return False
    return True


@step
def fewest_entries(team: Team, size: int) -> int:
    """In the stacks of the candidate."""
    fewest = np.iinfo(np.int64).max
    for k in team.order[:size]:
        fewest = min(fewest, team.stacks[k, team.loads[k] - 1].count)
    return int(fewest)


@step
def first_open(team: Team, size: int) -> int:
    """The place in the order of the first open arm; -1 if there is none."""
    arms, order = team.arms, team.order
    for place in range(order.size):
        k = order[place]
        if place < size - 1 and arms[k].most > team.loads[k]:
            return place
        if place >= size and arms[k].hi >= arms[order[size - 1]].lo:
            return place
    return -1


@step
def observe(
    gen: Generator, world: World, trace: Trace, model: Model, team: Team, phase: int, t: int
) -> None:
    """Play the loads, arms in the order of muhat, and keep what they show."""
    reward = 0.0
    for k in team.order:
        load = team.loads[k]
        if load > 0:
            x = earn(gen, world, k)
            y = min(load, world.capacities[k]) * x
            reward += y
            if phase == FORCED:
                estimate(model, team.arms[k], world.plays, y)
            else:
                add(model, team.stacks[k, load - 1], team.rests[k, load - 1], load, y)
    settle(trace, t, phase, regret(world, team.loads), reward)
    count_plays(trace, world.capacities, team.loads, 1)


@step
def estimate(model: Model, arm: Any, plays: int, y: float) -> None:
    """muhat and mhat with one more observation at load N."""
    arm.forced += 1
    arm.largest = max(arm.largest, y)
    before = y - arm.mean
    arm.mean += before / arm.forced
    arm.spread += before * (y - arm.mean)
    shown = arm.largest
    if model.law == GAUSSIAN:
        shown = math.sqrt(arm.spread / arm.forced / model.parameter) - 0.5
    arm.mhat = min(max(math.ceil(shown), 1), plays)
    arm.muhat = arm.mean / arm.mhat


def _arguments(instance: Instance, horizon: int, options: Options) -> tuple[Any, ...]:
    return (Model.of("certify", instance, options["law"]),)


POLICIES = (
    Policy(
        "certify",
        "Explores until the best action is certain; made for its proof",
        PHASES,
        certify,
        _arguments,
        {"law": OWN},
        told="law",
    ),
)
