"""What the policies of appendices F to H do alike: estimate, rank, fill, explore (algorithm 3).

Where the pseudo-code is silent or cannot be meant as printed, we read it as follows.

- Counts are per arm and start at 0: tau_k observations per load, iota_k at full load. (Printed:
  one count for all arms, which the arms of J'_t do not share, that starts at 1.)
- Equal scores are ranked by a random order of the arms, drawn once at the start of the run.
- An individual exploration takes its arms in the order of the ranking and cuts them into
  ceil(|J| / N) subsets whose sizes differ by one at most; each gets a slot.
- The plays that a subset of fewer than N arms leaves over go to its arms, best first, up to m^l,
  and then to the best arms outside it, up to m^l, whose rewards are not used for estimation.
  Reading "literal" gives each explored arm one play and leaves the others idle: an idle play
  costs what a surplus one does.
- m^l and m^u are updated when all arms of a united exploration have had their slot.
- A slot is an action. The horizon may end a procedure half-way: nothing is updated after it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from simulation.arms import explored_individually, explored_unitedly, introduced, narrow
from simulation.capacity import Confidence
from simulation.elementary import log
from simulation.errors import InputError, shown
from simulation.instance import Instance
from simulation.jit import kernel, step
from simulation.leaping import explore_block, settle_block
from simulation.numbers import exact
from simulation.trace import Trace, count_plays, settle
from simulation.world import World, earn, regret

INDIVIDUAL, UNITED = 0, 1  # the phases under which explorations are booked
READINGS = ("resolved", "literal")


class Team(NamedTuple):
    """The arms of a run and its lists of arms; the sizes of the lists are kept apart."""

    arms: np.ndarray
    order: np.ndarray  # by score, best first
    loads: np.ndarray  # the action
    played: np.ndarray  # the arms of an exploration, in the order of playing
    unknown: np.ndarray  # the arms whose bounds differ


@kernel
def assembled(gen: Generator, lower: np.ndarray, upper: np.ndarray) -> Team:
    """The arms before the first slot, with these bounds, in a random order."""
    arms, order = introduced(gen, lower, upper)
    return Team(arms, order, np.zeros_like(order), np.zeros_like(order), np.zeros_like(order))


@step
def rank_by(score: np.ndarray, team: Team) -> None:
    """Sort the arms by a score other than muhat, best first."""
    arms, order = team.arms, team.order
    for start in range(1, order.size):
        k, place = order[start], start
        while place > 0:
            ahead = order[place - 1]
            if score[ahead] > score[k] or (
                score[ahead] == score[k] and arms[ahead].priority < arms[k].priority
            ):
                break
            order[place] = ahead
            place -= 1
        order[place] = k


@step
def fill(team: Team, plays: int) -> int:
    """Write the action that gives the best arms m^l plays each; returns how many arms it plays.

    That number is L~, the expected size of the candidate set.
    """
    team.loads[:] = 0
    size = 0
    while plays > 0:
        k = team.order[size]
        team.loads[k] = min(plays, team.arms[k].lower)
        plays -= team.loads[k]
        size += 1
    return size


@step
def observe(gen: Generator, world: World, team: Team, played: np.ndarray, explored: int) -> float:
    """Play these arms and learn from the first `explored` of them; returns the total reward."""
    reward = 0.0
    for place in range(played.size):
        k = played[place]
        load, served = team.loads[k], min(team.loads[k], world.capacities[k])
        per_load = earn(gen, world, k)
        reward += served * per_load
        if place < explored:
            if served < load:  # m^l was wrong: the observation R / a is less than X
                per_load = served * per_load / load
            explored_individually(team.arms[k], per_load)
    return reward


@step
def exploit(
    gen: Generator, world: World, trace: Trace, team: Team, size: int, phase: int, t: int
) -> None:
    """Slot t: play what `fill` has written, and learn the per-load mean of every arm played."""
    reward = observe(gen, world, team, team.order[:size], size)
    settle(trace, t, phase, regret(world, team.loads), reward)
    count_plays(trace, world.capacities, team.loads, 1)


@step
def exploit_block(
    gen: Generator,
    world: World,
    trace: Trace,
    team: Team,
    size: int,
    phase: int,
    t: int,
    length: int,
) -> int:
    """What `exploit` does in so many slots from t on, at once (see `leaping`); returns the last."""
    reward = 0.0
    for k in team.order[:size]:
        reward += explore_block(gen, world, k, team.arms[k], team.loads[k], length, True)
    count_plays(trace, world.capacities, team.loads, length)
    return settle_block(trace, t, length, phase, regret(world, team.loads), reward)


@step
def individual_exploration(
    gen: Generator,
    world: World,
    horizon: int,
    trace: Trace,
    team: Team,
    explored: np.ndarray,
    pool: np.ndarray,
    literal: bool,
    t: int,
) -> int:
    """One observation per load of every arm in `explored`, from slot t + 1 on; returns the last.

    `pool` has the arms that may take the plays left over. Both are ranked.
    """
    size = explored.size
    subsets = (size + world.plays - 1) // world.plays
    for i in range(subsets):
        if t == horizon:
            return t
        t += 1
        subset = explored[i * size // subsets : (i + 1) * size // subsets]
        count, idle = spread(team, subset, pool, literal, world.plays)
        reward = observe(gen, world, team, team.played[:count], subset.size)
        settle(trace, t, INDIVIDUAL, regret(world, team.loads) + idle * world.surplus, reward)
        count_plays(trace, world.capacities, team.loads, 1)
    return t


@step
def spread(
    team: Team, subset: np.ndarray, pool: np.ndarray, literal: bool, plays: int
) -> tuple[int, int]:
    """Write the action that explores `subset`; returns how many arms it plays, and idle plays."""
    loads, left, count = team.loads, plays, 0
    loads[:] = 0
    for k in subset:
        loads[k] = 1
        left -= 1
        team.played[count] = k
        count += 1
    if literal:
        return count, left
    for k in subset:
        extra = min(left, team.arms[k].lower - 1)
        loads[k] += extra
        left -= extra
    for k in pool:
        if left > 0 and loads[k] == 0:
            loads[k] = min(left, team.arms[k].lower)
            left -= loads[k]
            team.played[count] = k
            count += 1
    return count, left


@step
def unlearned(team: Team, size: int) -> int:
    """Write those of the best `size` arms whose bounds differ; returns how many there are."""
    count = 0
    for k in team.order[:size]:
        if team.arms[k].lower != team.arms[k].upper:
            team.unknown[count] = k
            count += 1
    return count


@step
def united_exploration(
    gen: Generator,
    world: World,
    horizon: int,
    trace: Trace,
    team: Team,
    explored: np.ndarray,
    confidence: Confidence,
    t: int,
) -> int:
    """One observation at full load of every arm in `explored`, from slot t + 1 on, then new bounds.

    Returns the last slot.
    """
    for k in explored:
        if t == horizon:
            return t
        t += 1
        team.loads[:] = 0
        team.loads[k] = world.plays
        full_load = world.capacities[k] * earn(gen, world, k)
        explored_unitedly(team.arms[k], full_load)
        settle(trace, t, UNITED, regret(world, team.loads), full_load)
        count_plays(trace, world.capacities, team.loads, 1)
    for k in explored:
        narrow(team.arms, k, confidence, world.plays, t, trace.learned)
    return t


@step
def deviation(count: int, horizon: int) -> float:
    """U(tau, T) = 2 sqrt(2 / tau max(log(T / tau), 1)); infinite without observations.

    It allows for differences of variance proxy 1: two laws on [0, 1], or two normal laws of
    variance up to 1/2.
    """
    if count == 0:
        return math.inf
    return 2.0 * math.sqrt(2.0 / count * max(log(horizon / count), 1.0))


@step
def report_bounds(team: Team, trace: Trace) -> None:
    """Write down m^l and m^u as they are."""
    for k in range(team.arms.size):
        trace.lower[k], trace.upper[k] = team.arms[k].lower, team.arms[k].upper


def literally(options: Mapping[str, Any]) -> bool:
    """Whether the pseudo-code is run as printed (see the notes on how it is read)."""
    reading = options["reading"]
    if reading not in READINGS:
        raise InputError("options", "reading", shown(reading), f"one of {', '.join(READINGS)}")
    return bool(reading == "literal")


def positive(options: Mapping[str, Any], name: str) -> float:
    """A tuning parameter, gamma or xi."""
    try:
        number = float(exact(options[name]))
    except (ValueError, OverflowError):
        number = 0.0
    if not 0.0 < number < math.inf:
        raise InputError("options", name, shown(options[name]), "a finite number above 0")
    return number


def spending(instance: Instance, horizon: int, options: Mapping[str, Any]) -> Confidence:
    """The interval with delta = 2 xi / T, an error probability and so at most 1."""
    confidence = Confidence.of(instance, horizon, options["interval"], options["width"])
    return confidence._replace(delta=min(positive(options, "xi") * confidence.delta, 1.0))
