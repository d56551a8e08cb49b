"""A policy of our own: play what the likelihood says, explore what it cannot yet exclude.

Every observation counts, whatever its load. In slot t, with the likeliest capacity mhat_k and mean
muhat_k of each arm (`likelihoods`), fill arms in the order of muhat; the last arm filled is L.

- An arm that is not filled is worth a play while a mean of muhat_L or more costs at most log t of
  log-likelihood, whatever its capacity; an arm never seen gets one at once (after L was).
- An arm before L is worth a surplus play while a larger capacity has a gap of at most
  log t + 2 log log t. (Excluded at a lower level, a true capacity might stay excluded for ever:
  the loads that would tell are not played. See docs/likelihood.md.)

If there are such arms, explore with probability 1/2: one of them gets a play, at random within its
kind, and the kind by a coin if there are both. Arms before L whose capacity is quite open (a larger
one has a gap of at most 2 log log t) are all tried at once, in the order of muhat, at the largest
capacity of that kind, at most at twice mhat. Plays are taken from L, then from the arms before it,
never from an arm on trial, nor from one better than the receiver.

Exploiting, the action is not computed anew every slot. As the distance to muhat_L does not decrease
in muhat_L, all arms outside stay excluded while muhat_L >= floor and f(t) is at most the value they
exceed there: the results are those of computing everything every slot, bit for bit.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from simulation.arms import comes_before, rank
from simulation.certificates import ROUNDING
from simulation.draws import coin, pick, shuffled
from simulation.elementary import log
from simulation.instance import Instance
from simulation.jit import kernel, step
from simulation.leaping import caution, longest_try, settle_block
from simulation.likelihood_blocks import EVENTS, capacity_stays, mean_span, observe_block
from simulation.likelihoods import ARM, CANDIDATE, OWN, Model, distance, largest_within, observe
from simulation.policies import Options, Policy
from simulation.trace import Trace, count_plays, settle
from simulation.world import World, earn, regret

PHASES = ("exploitation", "means", "capacities")
EXPLOITATION, MEANS, CAPACITIES = range(3)


class Team(NamedTuple):
    """The arms with the candidates for their capacities, and the action."""

    arms: np.ndarray
    candidates: np.ndarray  # (arms, plays)
    order: np.ndarray  # all arms, by muhat
    loads: np.ndarray
    worth: np.ndarray  # places in the order of the arms worth a play


class Calm(NamedTuple):
    """How long the exploiting action surely stays: up to a slot, above a muhat_L and a doubt."""

    until: int
    floor: float
    doubt: float


@kernel
def likelihood(gen: Generator, world: World, horizon: int, trace: Trace, model: Model) -> None:
    """One run."""
    count = world.means.size
    order, arms = shuffled(gen, count), np.zeros(count, dtype=ARM)
    for place in range(count):
        arms[order[place]].priority, arms[order[place]].capacity = place, 1
    candidates = np.zeros((count, world.plays), dtype=CANDIDATE)
    nothing = np.zeros(count, dtype=np.int64)
    team = Team(arms, candidates, order, nothing, nothing.copy())
    play(gen, world, horizon, trace, model, team)
    level = log(horizon) + margin(horizon)
    for k in range(count):
        trace.lower[k], trace.upper[k] = bounds(team, k, level)


@step
def margin(t: int) -> float:
    """How much longer than a mean a capacity is believed; up to this gap it is quite open."""
    return 2.0 * log(log(t)) if t > 2 else 0.0


@step
def play(
    gen: Generator, world: World, horizon: int, trace: Trace, model: Model, team: Team
) -> None:
    """All slots."""
    t = 1
    while t <= horizon:
        first = t
        rank(team.arms, team.order)
        size = oracle(team, world.plays)
        phase, receiver, calm = MEANS, never_seen(team, size), Calm(t, -math.inf, -math.inf)
        length = 1
        if receiver < 0:
            outside, found = worth_a_play(team, size, model, t)
            if found == 0:
                phase = EXPLOITATION
                if trace.caution < math.inf:
                    length = certified(team, size, world, trace, model, t, horizon)
                else:
                    calm = calm_from(team, size, model, t, horizon)
            elif coin(gen):
                chosen = one_of(gen, outside, found)
                phase, receiver = MEANS if chosen < outside else CAPACITIES, team.worth[chosen]
            else:
                phase = EXPLOITATION
        if receiver >= 0:
            explore(team, size, receiver, margin(t))
        if length > 1:
            t = leap(gen, world, trace, model, team, size, t, length)
        else:
            t = observe_slots(gen, world, trace, model, team, size, phase, t, calm)
        count_plays(trace, world.capacities, team.loads, t - first + 1)
        if receiver >= 0 and trace.learned[receiver] == 0:
            lower, upper = bounds(team, receiver, log(t) + margin(t))
            if lower == upper:
                trace.learned[receiver] = t
        t += 1


@step
def oracle(team: Any, plays: int) -> int:
    """Oracle(muhat, mhat) of any team with an order: writes the loads, returns how many arms are
    filled."""
    team.loads[:] = 0
    size = 0
    while plays > 0:
        k = team.order[size]
        team.loads[k] = min(plays, team.arms[k].capacity)
        plays -= team.loads[k]
        size += 1
    return size


@step
def never_seen(team: Team, size: int) -> int:
    """An arm outside the action that was never seen, if its last arm was; -1 if there is none."""
    if team.arms[team.order[size - 1]].count > 0:
        for k in team.order[size:]:
            if team.arms[k].count == 0:
                return int(k)
    return -1


@step
def worth_a_play(team: Team, size: int, model: Model, t: int) -> tuple[int, int]:
    """Writes the arms worth a play, outside the action first; how many there, and in all."""
    arms, order = team.arms, team.order
    x, level = arms[order[size - 1]].muhat, log(t)
    found = 0
    for place in range(size, order.size):
        k = order[place]
        if distance(model, arms[k], team.candidates[k], x) <= level:
            team.worth[found] = k
            found += 1
    outside, level = found, log(t) + margin(t)
    for place in range(size - 1):
        k = order[place]
        if arms[k].count > 0 and arms[k].doubt <= level:
            team.worth[found] = k
            found += 1
    return outside, found


@step
def one_of(gen: Generator, outside: int, found: int) -> int:
    """One of the arms worth a play; if there are both kinds, a coin decides between them first."""
    if 0 < outside < found:
        if coin(gen):
            return pick(gen, outside)
        return outside + pick(gen, found - outside)
    return pick(gen, found)


@step
def explore(team: Team, size: int, receiver: int, level: float) -> None:
    """Move plays to the receiver, then to the arms whose capacity is quite open."""
    team.loads[receiver] += taken(team, size, receiver, max(1, in_reach(team, receiver, level)))
    for place in range(size - 1):
        k = team.order[place]
        if k != receiver and team.arms[k].count > 0:
            team.loads[k] += taken(team, size, k, in_reach(team, k, level))


@step
def in_reach(team: Team, k: int, level: float) -> int:
    """How many plays above mhat to try the arm at; none unless it has its mhat plays."""
    capacity = team.arms[k].capacity
    if team.loads[k] < capacity:
        return 0
    largest = largest_within(team.arms[k], team.candidates[k], level)
    return int(min(largest - capacity, capacity))


@step
def taken(team: Team, size: int, receiver: int, wanted: int) -> int:
    """Take up to so many plays from the last arms of the action that come after the receiver."""
    left = wanted
    for place in range(size - 1, -1, -1):
        k = team.order[place]
        if k == receiver or left == 0:
            break
        if team.loads[k] <= team.arms[k].capacity:
            given = min(left, team.loads[k])
            team.loads[k] -= given
            left -= given
    return wanted - left


@step
def calm_from(team: Team, size: int, model: Model, t: int, horizon: int) -> Calm:
    """To be called when no arm is worth a play at slot t.

    Half of the least excess over the levels is left for time to pass: both levels are concave in
    log t, with a slope of at most 1 + 2 / log t. Then a floor is sought by halving.
    """
    arms, order = team.arms, team.order
    x = arms[order[size - 1]].muhat
    for_means, for_capacities = log(t), log(t) + margin(t)
    slack = 2.0
    for place in range(size, order.size):
        slack = min(slack, clear_distance(team, order[place], model, x) - for_means)
    for place in range(size - 1):
        slack = min(slack, arms[order[place]].doubt - for_capacities)
    if t <= 2 or slack <= 0.0:
        return Calm(t, x, math.inf)
    half = slack / 2.0
    until = t * (1.0 + (half - ROUNDING) / (1.0 + 2.0 / log(t)))
    fall = 1.0 + abs(x)
    for _ in range(30):
        if all_clear(team, size, model, x - fall, for_means + half):
            return Calm(int(min(until, float(horizon))), x - fall, for_capacities + half)
        fall /= 2.0
    return Calm(t, x, math.inf)


@step
def all_clear(team: Team, size: int, model: Model, x: float, level: float) -> bool:
    """Whether all arms outside the action are farther from x than the level."""
    for place in range(size, team.order.size):
        if clear_distance(team, team.order[place], model, x) <= level:
            return False
    return True


@step
def clear_distance(team: Team, k: int, model: Model, x: float) -> float:
    """The distance, rounding taken off."""
    found = distance(model, team.arms[k], team.candidates[k], x)
    return found - ROUNDING * (team.arms[k].count + found) if found < math.inf else found


@step
def certified(
    team: Team, size: int, world: World, trace: Trace, model: Model, t: int, horizon: int
) -> int:
    """For how many slots from t on, where no arm is worth a play, the action stays, but for eta."""
    length = longest_try(trace, t, horizon)
    while length > 1 and not goes_on(team, size, world, trace, model, t, length):
        length //= 2
    trace.stride[0] = length
    return length


@step
def goes_on(
    team: Team, size: int, world: World, trace: Trace, model: Model, t: int, length: int
) -> bool:
    """Whether in all these slots the last arm stays last, and no arm becomes worth a play."""
    care, end = caution(trace, EVENTS * size), t + length
    lowest, highest = -math.inf, math.inf
    for place in range(size - 1, -1, -1):
        k = team.order[place]
        arm, load = team.arms[k], team.loads[k]
        low, high = mean_span(world, k, arm, load, length, care)
        level = 0.0
        if place == size - 1:
            lowest, highest = low, high
        else:
            level = log(end) + margin(end)
            if low <= highest:
                return False
        if not capacity_stays(
            world, k, arm, team.candidates[k], load, length, care, low, high, level
        ):
            return False
    for k in team.order[size:]:
        if distance(model, team.arms[k], team.candidates[k], lowest) <= log(end):
            return False
    return True


@step
def leap(
    gen: Generator,
    world: World,
    trace: Trace,
    model: Model,
    team: Team,
    size: int,
    t: int,
    length: int,
) -> int:
    """Exploit for so many slots from t on at once; returns the last."""
    reward = 0.0
    for k in team.order[:size]:
        reward += observe_block(
            gen, world, k, model, team.arms[k], team.candidates[k], team.loads[k], length
        )
    return settle_block(trace, t, length, EXPLOITATION, regret(world, team.loads), reward)


@step
def observe_slots(
    gen: Generator,
    world: World,
    trace: Trace,
    model: Model,
    team: Team,
    size: int,
    phase: int,
    t: int,
    calm: Calm,
) -> int:
    """Play the action at slot t and as long as it surely stays; returns the last slot played."""
    arms, order, loads = team.arms, team.order, team.loads
    slot_regret = regret(world, loads)
    last = order[size - 1]
    span = size if phase == EXPLOITATION else order.size
    while True:
        reward, changed = 0.0, False
        for place in range(span):
            k = order[place]
            if loads[k] > 0:
                x = earn(gen, world, k)
                y = min(loads[k], world.capacities[k]) * x
                reward += y
                capacity = arms[k].capacity
                observe(model, arms[k], team.candidates[k], loads[k], y)
                if arms[k].capacity != capacity or (k != last and arms[k].doubt <= calm.doubt):
                    changed = True
        settle(trace, t, phase, slot_regret, reward)
        if changed or t >= calm.until or arms[last].muhat < calm.floor:
            return t
        for place in range(size):
            if comes_before(arms, order[place + 1], order[place]):
                return t
        t += 1


@step
def bounds(team: Team, k: int, level: float) -> tuple[int, int]:
    """The smallest and the largest capacity with a gap of at most `level`."""
    arm, candidates = team.arms[k], team.candidates[k]
    lower = arm.capacity
    for c in range(1, min(lower, arm.top)):
        if candidates[c - 1].gap <= level:
            lower = c
            break
    return lower, largest_within(arm, candidates, level)


def _arguments(instance: Instance, horizon: int, options: Options) -> tuple[Any, ...]:
    return (Model.of("likelihood", instance, options["law"]),)


POLICIES = (
    Policy(
        "likelihood",
        "Plays what looks best, explores what the likelihood cannot exclude",
        PHASES,
        likelihood,
        _arguments,
        {"law": OWN},
        told="law",
        leaps=True,
    ),
)
