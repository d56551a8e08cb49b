"""OrchExplore (section 6, algorithm 1): individual and united explorations, orchestrated.

Where the pseudo-code is silent or cannot be meant as printed, we read it as follows.

1. An individual exploration (IE) is a load a with 1 <= a <= m^l. Printed is a < m^l, which with
   m^l = 1 counts nothing, so nothing is learnt: kept as reading "literal".
2. Counts start at 0 and an interval without both kinds of samples says nothing, so m^l = 1 and
   m^u = N until then. (Printed: counts start at 1, as if every arm had been seen to give 0.)
3. An arm never seen has an infinite index. u_k >= x is decided without computing u_k: it means
   muhat_k >= x or tau_k kl(muhat_k, x) <= f(t), with f(t) = max(log t + 4 log log t, 0).
4. Equal estimates are ranked by a random order of the arms, drawn once at the start of the run.
   L_t is the last arm the oracle fills.
5. See `capacity.narrowed` for m^l and m^u.
6. IE count in PIE slots only, united explorations (UE) in PUE slots only, there for every arm
   with a >= m^u. In PUE the arms of Y_t come first, then the others, each by muhat (in print: a
   number M large enough is added to muhat).
7. Y_t is built from S_t and L_t of the last PIE slot and the bounds after the current slot.
   delta = 2/T.

A slot's regret is booked under one phase: PUE; deliberate (PIE with a play moved to an arm of
E_t); exploitation (PIE with E_t and Y_t empty); PIE base (every other PIE slot).

Two things are not computed anew every slot: the bounds of an arm, and the action of PIE while it
exploits. `certificates` says how long they surely stay as they are, so the results are those of
computing everything every slot, bit for bit.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from simulation.arms import (
    comes_before,
    explored_individually,
    explored_unitedly,
    introduced,
    narrow,
    rank,
    steady,
)
from simulation.capacity import Confidence
from simulation.certificates import no_candidate
from simulation.draws import coin, exploration_level, kl, pick
from simulation.instance import Instance
from simulation.jit import inlined, kernel, step
from simulation.leaping import caution, explore_block, longest_try, settle_block, span_of_arm
from simulation.policies import Options, Policy
from simulation.procedures import literally
from simulation.trace import Trace, count_plays, settle
from simulation.world import World, earn, regret

PHASES = ("pie-base", "deliberate", "pue", "exploitation")
PIE_BASE, DELIBERATE, PUE, EXPLOITATION = range(4)


class Rules(NamedTuple):
    """What the policy is told before the first slot."""

    confidence: Confidence
    strict: bool  # count IE by a < m^l
    lower: np.ndarray  # m^l and m^u to start with
    upper: np.ndarray


class Team(NamedTuple):
    """The arms, and the sets of the pseudo-code; the sizes of the sets are kept apart."""

    arms: np.ndarray
    order: np.ndarray  # all arms, by muhat
    loads: np.ndarray  # a_t
    chosen: np.ndarray  # S_t in the order of filling, so that L_t is its last
    candidates: np.ndarray  # E_t
    deserving: np.ndarray  # Y_t, as marks
    united: np.ndarray  # the arms that a^ue plays, in the order of filling


@kernel
def orch_explore(gen: Generator, world: World, horizon: int, trace: Trace, rules: Rules) -> None:
    """One run."""
    arms, order = introduced(gen, rules.lower, rules.upper)
    nothing, nobody = np.zeros(order.size, dtype=np.int64), np.zeros(order.size, dtype=np.bool_)
    team = Team(arms, order, nothing, nothing.copy(), nothing.copy(), nobody, nothing.copy())
    play(gen, world, horizon, trace, rules, team)
    for k in range(order.size):
        trace.lower[k], trace.upper[k] = arms[k].lower, arms[k].upper


@step
def play(
    gen: Generator, world: World, horizon: int, trace: Trace, rules: Rules, team: Team
) -> None:
    """Algorithm 1 from its first slot to its last."""
    arms, loads, chosen = team.arms, team.loads, team.chosen
    size = deserving_count = 0
    t = 1
    while t <= horizon:
        first = t
        rank(arms, team.order)
        if t % 2 == 1 or deserving_count == 0:
            # parsimonious individual exploration
            size = oracle_lower(team, world.plays)
            candidate_count = explorable(team, size, world, t)
            phase, played, until, floor, length = PIE_BASE, size, t, -math.inf, 1
            if candidate_count > 0 and coin(gen):
                other = team.candidates[pick(gen, candidate_count)]
                loads[chosen[size - 1]] -= 1
                loads[other] = 1
                chosen[size] = other
                phase, played = DELIBERATE, size + 1
            elif candidate_count == 0 and deserving_count == 0:
                phase = EXPLOITATION
                if unlearned(team, size - 1) == 0:  # S_t may be new, and Y_t no longer empty
                    if trace.caution < math.inf:
                        length = certified(team, size, world, trace, rules, t, horizon)
                    else:
                        floor, until = no_candidate(arms, team.order, size, world, t, horizon)
            if length > 1:
                t = leap(gen, world, trace, rules, team, size, t, length)
            else:
                t = explore_individually(
                    gen, world, trace, rules, team, played, phase, t, until, floor
                )
        else:
            # parsimonious united exploration
            played = oracle_upper(team, world.plays)
            explore_unitedly(gen, world, trace, rules, team, played, t)
        count_plays(trace, world.capacities, loads, t - first + 1)
        deserving_count = unlearned(team, size - 1)
        t += 1


@step
def oracle_lower(team: Team, plays: int) -> int:
    """Oracle(muhat, m^l): writes S_t and the loads, returns the size of S_t."""
    team.loads[:] = 0
    size = 0
    while plays > 0:
        k = team.order[size]
        team.chosen[size] = k
        team.loads[k] = min(plays, team.arms[k].lower)
        plays -= team.loads[k]
        size += 1
    return size


@step
def oracle_upper(team: Team, plays: int) -> int:
    """Oracle(muhat', m^u): the arms of Y_t first, then the others; returns how many are played."""
    team.loads[:] = 0
    size = 0
    for first in (True, False):
        for k in team.order:
            if plays > 0 and team.deserving[k] == first:
                team.united[size] = k
                team.loads[k] = min(plays, team.arms[k].upper)
                plays -= team.loads[k]
                size += 1
    return size


@step
def explorable(team: Team, size: int, world: World, t: int) -> int:
    """E_t: writes the arms after L_t with an index of muhat_L or more, returns how many."""
    x, level = team.arms[team.order[size - 1]].muhat, exploration_level(t)
    count = 0
    for place in range(size, team.order.size):
        k = team.order[place]
        if reaches(team.arms[k], x, world, level):
            team.candidates[count] = k
            count += 1
    return count


@inlined
def reaches(arm: Any, x: float, world: World, level: float) -> bool:
    """Whether the index of an arm is x or more at this level."""
    tau, muhat = arm.individual, arm.muhat
    return bool(tau == 0 or muhat >= x or tau * kl(world.law, world.parameter, muhat, x) <= level)


@step
def unlearned(team: Team, size: int) -> int:
    """Y_t: marks those of the first arms chosen whose bounds differ, returns how many."""
    team.deserving[:] = False
    count = 0
    for k in team.chosen[:size]:
        if team.arms[k].lower != team.arms[k].upper:
            team.deserving[k] = True
            count += 1
    return count


@step
def explore_individually(
    gen: Generator,
    world: World,
    trace: Trace,
    rules: Rules,
    team: Team,
    size: int,
    phase: int,
    t: int,
    until: int,
    floor: float,
) -> int:
    """Play a^ie on the first arms chosen at slot t; returns the last slot played.

    It is played again, up to slot `until`, while it surely stays the action of PIE: no bound
    changes, the ranking of S_t holds, and muhat_L >= floor.
    """
    arms, order, chosen, loads = team.arms, team.order, team.chosen, team.loads
    slot_regret = regret(world, loads)
    while True:
        reward, changed = 0.0, False
        for place in range(size):
            k = chosen[place]
            load = loads[k]
            if load > 0:  # it is 0 for L_t when its only play was moved
                per_load = earn(gen, world, k)
                served = min(load, world.capacities[k])
                reward += served * per_load
                if counted(rules, load, arms[k]):
                    if served < load:  # m^l was wrong: R / a is less than X
                        per_load = served * per_load / load
                    explored_individually(arms[k], per_load)
                    if not steady(arms[k]):
                        changed |= narrow(arms, k, rules.confidence, world.plays, t, trace.learned)
        settle(trace, t, phase, slot_regret, reward)
        if changed or t >= until or arms[chosen[size - 1]].muhat < floor:
            return t
        for place in range(size):
            if comes_before(arms, order[place + 1], order[place]):
                return t
        t += 1


@inlined
def counted(rules: Rules, load: int, arm: Any) -> bool:
    """Whether PIE learns from this load."""
    return not rules.strict or load < arm.lower


@step
def certified(
    team: Team, size: int, world: World, trace: Trace, rules: Rules, t: int, horizon: int
) -> int:
    """For how many slots from t on PIE exploits as it does at slot t, but for eta."""
    length = longest_try(trace, t, horizon)
    while length > 1 and not goes_on(team, size, world, trace, rules, t, length):
        length //= 2
    trace.stride[0] = length
    return length


@step
def goes_on(
    team: Team, size: int, world: World, trace: Trace, rules: Rules, t: int, length: int
) -> bool:
    """Whether in all these slots no bound changes, L_t stays last, and no index reaches muhat_L.

    Arms before L_t may change places: that changes neither S_t nor a load.
    """
    care = caution(trace, 2 * size)
    low, high = -math.inf, math.inf
    for place in range(size - 1, -1, -1):
        k = team.chosen[place]
        arm, load = team.arms[k], team.loads[k]
        least = most = arm.muhat
        if counted(rules, load, arm):
            least, most = span_of_arm(world, k, arm, load, length, care)
            if arm.lower != arm.upper and (
                least < arm.steady_above
                or most > arm.steady_below
                or length > arm.steady_until - arm.individual
            ):
                return False
        if place == size - 1:
            low, high = least, most
        elif least <= high:
            return False
    level = exploration_level(t + length)
    for place in range(size, team.order.size):
        if reaches(team.arms[team.order[place]], low, world, level):
            return False
    return True


@step
def leap(
    gen: Generator,
    world: World,
    trace: Trace,
    rules: Rules,
    team: Team,
    size: int,
    t: int,
    length: int,
) -> int:
    """Exploit for so many slots from t on at once; returns the last."""
    reward, end = 0.0, t + length - 1
    for k in team.chosen[:size]:
        arm, load = team.arms[k], team.loads[k]
        learns = counted(rules, load, arm)
        reward += explore_block(gen, world, k, arm, load, length, learns)
        if learns and arm.united > 0:
            narrow(team.arms, k, rules.confidence, world.plays, end, trace.learned)
    return settle_block(trace, t, length, EXPLOITATION, regret(world, team.loads), reward)


@step
def explore_unitedly(
    gen: Generator, world: World, trace: Trace, rules: Rules, team: Team, size: int, t: int
) -> None:
    """Play a^ue at slot t."""
    arms, loads = team.arms, team.loads
    reward = 0.0
    for k in team.united[:size]:
        served = min(loads[k], world.capacities[k])
        full_load = served * earn(gen, world, k)
        reward += full_load
        if loads[k] >= arms[k].upper:
            explored_unitedly(arms[k], full_load)
            narrow(arms, k, rules.confidence, world.plays, t, trace.learned)
    settle(trace, t, PUE, regret(world, loads), reward)


def _unknown(instance: Instance, horizon: int, options: Options) -> tuple[Any, ...]:
    confidence = Confidence.of(
        instance, horizon, options["interval"], options["width"], options["delta"]
    )
    ones = np.ones(instance.arms, dtype=np.int64)
    return (Rules(confidence, literally(options), ones, instance.plays * ones),)


def _known(instance: Instance, horizon: int, options: Options) -> tuple[Any, ...]:
    capacities = World.of(instance).capacities
    return (Rules(Confidence.of(instance, horizon), False, capacities, capacities),)


OPTIONS = {"interval": "uniform", "width": "paper", "delta": None, "reading": "resolved"}
POLICIES = (
    Policy(
        "orch-explore",
        "OrchExplore: plays what looks best, explores means and capacities in turn",
        PHASES,
        orch_explore,
        _unknown,
        OPTIONS,
        told="horizon, scale",
        leaps=True,
    ),
    Policy(
        "orch-explore-hfd",
        "OrchExplore with Hoeffding's interval for capacities",
        PHASES,
        orch_explore,
        _unknown,
        {**OPTIONS, "interval": "hoeffding"},
        told="horizon, scale",
        leaps=True,
    ),
    Policy(
        "orch-explore-kc",
        "OrchExplore, told the capacities: explores means only",
        PHASES,
        orch_explore,
        _known,
        told="capacities, scale",
        leaps=True,
    ),
)
