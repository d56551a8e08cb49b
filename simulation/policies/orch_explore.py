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

The loop below does what the pseudo-code does but not all of it in every slot: the action, E_t and
the bounds are recomputed when they may have changed, and `certificates` says when they cannot
have. The results are those of computing everything every slot, bit for bit.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator

from simulation.capacity import Confidence, narrowed, width
from simulation.certificates import FOREVER, bounds_hold, no_candidate
from simulation.draws import coin, draw, exploration_level, kl, pick, shuffled
from simulation.errors import InputError, shown
from simulation.instance import Instance
from simulation.jit import kernel, step
from simulation.policies import Options, Policy
from simulation.trace import Trace, settle
from simulation.world import World, regret

PHASES = ("pie-base", "deliberate", "pue", "exploitation")
PIE_BASE, DELIBERATE, PUE, EXPLOITATION = range(4)

READINGS = ("resolved", "literal")

ARM = np.dtype(
    [
        ("muhat", np.float64),  # per-load mean estimate, 0 before the first IE
        ("individual_sum", np.float64),
        ("individual", np.int64),  # tau, effective IE
        ("united_sum", np.float64),
        ("united", np.int64),  # iota, effective UE
        ("lower", np.int64),  # m^l
        ("upper", np.int64),  # m^u
        ("priority", np.int64),  # the smaller comes first among equal muhat
        ("steady_above", np.float64),  # the bounds cannot change while muhat is between these
        ("steady_below", np.float64),
        ("steady_until", np.int64),  # and tau is at most this
    ]
)


@kernel
def orch_explore(
    gen: Generator,
    world: World,
    horizon: int,
    trace: Trace,
    confidence: Confidence,
    lower: np.ndarray,
    upper: np.ndarray,
    strict: bool,
) -> None:
    """One run. `lower` and `upper` are the bounds at the start; `strict` counts IE by a < m^l."""
    arms, order = introduced(gen, lower, upper)
    loads = np.zeros(order.size, dtype=np.int64)  # a_t
    chosen = np.zeros(order.size, dtype=np.int64)  # S_t as the oracle filled it, L_t at its end
    candidates, united = chosen.copy(), chosen.copy()  # E_t, and the arms that PUE plays
    deserving = np.zeros(order.size, dtype=np.bool_)  # Y_t
    size = deserving_count = 0
    t = 1
    while t <= horizon:
        rank(arms, order)
        if t % 2 == 1 or deserving_count == 0:
            # parsimonious individual exploration
            size = oracle_lower(arms, order, world.plays, chosen, loads)
            last, played = chosen[size - 1], size
            candidate_count = explorable(arms, order, size, world, t, candidates)
            phase, until, floor = PIE_BASE, t, arms[last].muhat
            if candidate_count > 0 and coin(gen):
                other = candidates[pick(gen, candidate_count)]
                loads[last] -= 1
                loads[other] = 1
                chosen[size], played = other, size + 1
                phase = DELIBERATE
            elif candidate_count == 0 and deserving_count == 0:
                phase = EXPLOITATION
                floor, until = no_candidate(arms, order, size, world, t, horizon)
            t = explore_individually(
                gen,
                world,
                t,
                until,
                floor,
                trace,
                phase,
                confidence,
                strict,
                arms,
                order,
                chosen,
                played,
                loads,
            )
        else:
            # parsimonious united exploration
            played = oracle_upper(arms, order, deserving, world.plays, united, loads)
            explore_unitedly(gen, world, t, trace, confidence, arms, united, played, loads)
        deserving_count = unlearned(arms, chosen, size - 1, deserving)
        t += 1

    for k in range(order.size):
        trace.lower[k], trace.upper[k] = arms[k].lower, arms[k].upper


@kernel
def introduced(
    gen: Generator, lower: np.ndarray, upper: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The arms before the first slot, and the random order that decides between equal estimates."""
    order = shuffled(gen, lower.size)
    arms = np.zeros(lower.size, dtype=ARM)
    for place in range(order.size):
        arm = arms[order[place]]
        arm.priority = place
        arm.lower, arm.upper = lower[order[place]], upper[order[place]]
        arm.steady_above, arm.steady_below, arm.steady_until = -math.inf, math.inf, FOREVER
    return arms, order


@step
def comes_before(arms: np.ndarray, one: int, other: int) -> bool:
    """Whether the ranking by estimated mean puts one arm before the other."""
    if arms[one].muhat == arms[other].muhat:
        return bool(arms[one].priority < arms[other].priority)
    return bool(arms[one].muhat > arms[other].muhat)


@step
def rank(arms: np.ndarray, order: np.ndarray) -> None:
    """Put `order` right again: estimates move little, so few arms have to."""
    for start in range(1, order.size):
        arm, place = order[start], start
        while place > 0 and comes_before(arms, arm, order[place - 1]):
            order[place] = order[place - 1]
            place -= 1
        order[place] = arm


@step
def oracle_lower(
    arms: np.ndarray, order: np.ndarray, plays: int, chosen: np.ndarray, loads: np.ndarray
) -> int:
    """Oracle(muhat, m^l): writes S_t and the loads, returns the size of S_t."""
    loads[:] = 0
    size = 0
    while plays > 0:
        k = order[size]
        chosen[size] = k
        loads[k] = min(plays, arms[k].lower)
        plays -= loads[k]
        size += 1
    return size


@step
def oracle_upper(
    arms: np.ndarray,
    order: np.ndarray,
    deserving: np.ndarray,
    plays: int,
    chosen: np.ndarray,
    loads: np.ndarray,
) -> int:
    """Oracle(muhat', m^u): the arms of Y_t first, then the others; returns how many are played."""
    loads[:] = 0
    size = 0
    for first in (True, False):
        for k in order:
            if plays > 0 and deserving[k] == first:
                chosen[size] = k
                loads[k] = min(plays, arms[k].upper)
                plays -= loads[k]
                size += 1
    return size


@step
def explorable(
    arms: np.ndarray, order: np.ndarray, size: int, world: World, t: int, candidates: np.ndarray
) -> int:
    """E_t: writes the arms after L_t with an index of muhat_L or more, returns how many."""
    x, level = arms[order[size - 1]].muhat, exploration_level(t)
    count = 0
    for place in range(size, order.size):
        k = order[place]
        tau, muhat = arms[k].individual, arms[k].muhat
        if tau == 0 or muhat >= x or tau * kl(world.law, world.parameter, muhat, x) <= level:
            candidates[count] = k
            count += 1
    return count


@step
def unlearned(arms: np.ndarray, chosen: np.ndarray, size: int, deserving: np.ndarray) -> int:
    """Y_t: marks those of the first arms chosen whose bounds differ, returns how many."""
    deserving[:] = False
    count = 0
    for k in chosen[:size]:
        if arms[k].lower != arms[k].upper:
            deserving[k] = True
            count += 1
    return count


@step
def explore_individually(
    gen: Generator,
    world: World,
    t: int,
    until: int,
    floor: float,
    trace: Trace,
    phase: int,
    confidence: Confidence,
    strict: bool,
    arms: np.ndarray,
    order: np.ndarray,
    chosen: np.ndarray,
    size: int,
    loads: np.ndarray,
) -> int:
    """Play a^ie at slot t, and again up to slot `until` while it surely stays the action of PIE:
    no bound changes, the ranking of S_t holds, muhat_L >= floor. Returns the last slot played.
    """
    slot_regret = regret(world, loads)
    while True:
        reward, changed = 0.0, False
        for place in range(size):
            k = chosen[place]
            load = loads[k]
            if load > 0:  # it is 0 for L_t when its only play was moved
                per_load = draw(gen, world.law, world.parameter, world.means[k])
                served = min(load, world.capacities[k])
                reward += served * per_load
                if not strict or load < arms[k].lower:
                    if served < load:  # m^l was wrong: R / a is less than X
                        per_load = served * per_load / load
                    arms[k].individual += 1
                    arms[k].individual_sum += per_load
                    muhat = arms[k].individual_sum / arms[k].individual
                    arms[k].muhat = muhat
                    steady = arms[k].steady_above <= muhat <= arms[k].steady_below
                    if not steady or arms[k].individual > arms[k].steady_until:
                        changed |= narrow(arms, k, confidence, world.plays, t, trace.learned)
        settle(trace, t, phase, slot_regret, reward)
        if changed or t >= until or arms[chosen[size - 1]].muhat < floor:
            return t
        for place in range(size):
            if comes_before(arms, order[place + 1], order[place]):
                return t
        t += 1


@step
def explore_unitedly(
    gen: Generator,
    world: World,
    t: int,
    trace: Trace,
    confidence: Confidence,
    arms: np.ndarray,
    chosen: np.ndarray,
    size: int,
    loads: np.ndarray,
) -> None:
    """Play a^ue at slot t."""
    reward = 0.0
    for k in chosen[:size]:
        served = min(loads[k], world.capacities[k])
        full_load = served * draw(gen, world.law, world.parameter, world.means[k])
        reward += full_load
        if loads[k] >= arms[k].upper:
            arms[k].united += 1
            arms[k].united_sum += full_load
            narrow(arms, k, confidence, world.plays, t, trace.learned)
    settle(trace, t, PUE, regret(world, loads), reward)


@step
def narrow(
    arms: np.ndarray, k: int, confidence: Confidence, plays: int, t: int, learned: np.ndarray
) -> bool:
    """Update m^l and m^u of an arm once it has been seen in UE; returns whether they changed."""
    arm = arms[k]
    if arm.lower == arm.upper:
        return False
    nuhat = arm.united_sum / arm.united
    s = width(confidence, arm.individual, arm.united)
    lower, upper = narrowed(arm.lower, arm.upper, arm.muhat, nuhat, s, plays)
    changed = lower != arm.lower or upper != arm.upper
    arm.lower, arm.upper = lower, upper
    if lower == upper:
        learned[k] = t
    arm.steady_above, arm.steady_below, arm.steady_until = bounds_hold(
        lower, upper, arm.individual, arm.muhat, nuhat, s
    )
    return bool(changed)


def _unknown(instance: Instance, horizon: int, options: Options) -> tuple[Any, ...]:
    reading = options["reading"]
    if reading not in READINGS:
        raise InputError("options", "reading", shown(reading), f"one of {', '.join(READINGS)}")
    confidence = Confidence.of(
        instance, horizon, options["interval"], options["width"], options["delta"]
    )
    ones = np.ones(instance.arms, dtype=np.int64)
    return confidence, ones, instance.plays * ones, reading == "literal"


def _known(instance: Instance, horizon: int, options: Options) -> tuple[Any, ...]:
    capacities = World.of(instance).capacities
    return Confidence.of(instance, horizon), capacities, capacities, False


OPTIONS = {"interval": "uniform", "width": "paper", "delta": None, "reading": "resolved"}
POLICIES = (
    Policy("orch-explore", "OrchExplore", PHASES, orch_explore, _unknown, OPTIONS),
    Policy(
        "orch-explore-hfd",
        "OrchExplore with Hoeffding's interval",
        PHASES,
        orch_explore,
        _unknown,
        {**OPTIONS, "interval": "hoeffding"},
    ),
    Policy("orch-explore-kc", "OrchExplore, capacities known", PHASES, orch_explore, _known),
)
