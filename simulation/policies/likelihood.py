"""The policy `likelihood`: play by maximum likelihood, explore what it cannot yet exclude.

All observations are used, at any load. In slot t, with the likeliest capacity mhat_k and mean
muhat_k of each arm (`likelihoods`), fill arms in the order of muhat; the last arm filled is L.

- An arm that is not filled is worth a play while a mean of muhat_L or more costs at most log t of
  log-likelihood, whatever its capacity; an arm never seen gets one at once (after L was). With
  Gaussian rewards (exclusion "mixture") a capacity excludes such a mean if it costs more than log t
  beside the likeliest mean under that capacity, or more than log t + 2 log log t beside the mixture
  likelihood of the arm: more arms are worth a play, and the regret then has a theorem
  (docs/theorems). Option exclusion=likelihood: as for the other laws.
- An arm before L is worth a surplus play while a larger capacity has a gap of at most
  log t + 2 log log t. (Excluded at a lower level, a true capacity might stay excluded forever:
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

from simulation.errors import InputError, shown
from simulation.jit import folded, step
from simulation.learning.action import Action, clear, in_order, put
from simulation.learning.arms import in_rank, rank
from simulation.learning.certificates import ROUNDING
from simulation.learning.likelihoods import (
    ARM,
    CANDIDATE,
    OWN,
    Model,
    distance,
    excess,
    largest_within,
    observe,
)
from simulation.policies import Options, Policy, Setup
from simulation.world.draws import GAUSSIAN, coin, pick, shuffled
from simulation.world.elementary import log

PHASES = ("exploitation", "means", "capacities")
EXPLOITATION, MEANS, CAPACITIES = range(3)
EXCLUSIONS = ("mixture", "likelihood")  # relative to what a mean is excluded, for Gaussian rewards

NOW = np.dtype(
    [
        ("size", np.int64),  # arms filled
        ("receiver", np.int64),  # the arm that gets plays to explore it; -1: none
        ("changed", np.bool_),  # whether a capacity changed in this slot, or came into doubt
        ("until", np.float64),  # the action surely stays up to this slot,
        ("floor", np.float64),  # while muhat_L is at least this
        ("doubt", np.float64),  # and the doubt of the arms before L above this
    ]
)


class State(NamedTuple):
    """The arms with the candidates for their capacities."""

    arms: np.ndarray
    candidates: np.ndarray  # (arms, plays)
    order: np.ndarray  # all arms, by muhat
    worth: np.ndarray  # the arms worth a play
    learned: np.ndarray  # the slot after which one capacity remained
    now: np.ndarray  # one record, see NOW
    plays: int
    model: Model
    mixture: bool  # whether means are excluded relative to the mixture likelihood


def begin(gen: Generator, arms: int, plays: int, model: Model, mixture: bool) -> State:
    order, table = shuffled(gen, arms), np.zeros(arms, dtype=ARM)
    table["priority"][order], table["capacity"] = np.arange(arms), 1
    candidates, now = np.zeros((arms, plays), dtype=CANDIDATE), np.zeros(1, dtype=NOW)
    worth, learned = np.zeros(arms, dtype=np.int64), np.zeros(arms, dtype=np.int64)
    now["receiver"] = -1
    return State(table, candidates, order, worth, learned, now, plays, model, mixture)


@step
def margin(t: int) -> float:
    """The extra level for excluding a capacity; up to this gap a capacity is "quite open"."""
    return 2.0 * log(log(t)) if t > 2 else 0.0


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    """One slot of the algorithm above."""
    now, plan = state.now[0], action.plan[0]
    look_back(state, t - 1)
    now.changed, now.until, now.floor, now.doubt = False, t, -math.inf, -math.inf
    rank(state.arms, state.order)
    clear(action, EXPLOITATION)
    now.size = oracle(state.arms, state.order, state.plays, action)
    now.receiver = never_seen(state)
    if now.receiver >= 0:
        plan.phase = MEANS
    else:
        outside, found = arms_worth_a_play(state, t)
        if found == 0:
            plan.quiet = True
            calm_from(state, t)
        elif coin(gen):
            chosen = one_of(gen, outside, found)
            plan.phase = MEANS if chosen < outside else CAPACITIES
            now.receiver = state.worth[chosen]
    if now.receiver >= 0:
        explore(state, action, now.receiver, margin(t))
        in_order(action, state.order)


@step
def look_back(state: State, t: int) -> None:
    """Record the slot if the exploration of slot t left one capacity."""
    receiver = state.now[0].receiver
    if receiver >= 0 and state.learned[receiver] == 0:
        lower, upper = _bounds(state, receiver, log(t) + margin(t))
        if lower == upper:
            state.learned[receiver] = t


@step
def oracle(arms: np.ndarray, order: np.ndarray, plays: int, action: Action) -> int:
    """Oracle(muhat, mhat) for arms with a capacity; returns how many arms are filled."""
    while plays > 0:
        k = order[action.plan[0].count]
        put(action, k, min(plays, arms[k].capacity))
        plays -= action.loads[k]
    return int(action.plan[0].count)


@step
def never_seen(state: State) -> int:
    """An arm outside the action that was never played, if the last filled arm was; -1 if none."""
    size = state.now[0].size
    if state.arms[state.order[size - 1]].count > 0:
        for place in range(size, state.order.size):
            if state.arms[state.order[place]].count == 0:
                return int(state.order[place])
    return -1


@step
def arms_worth_a_play(state: State, t: int) -> tuple[int, int]:
    """Write the arms worth a play, those outside the action first; returns their number and the
    total.
    """
    arms, order, size = state.arms, state.order, state.now[0].size
    x, level = arms[order[size - 1]].muhat, log(t) + margin(t)
    found = 0
    for place in range(size, order.size):
        if not over(state, order[place], x, log(t), level, 0.0) > 0.0:
            state.worth[found] = order[place]
            found += 1
    outside = found
    for place in range(size - 1):
        k = order[place]
        if arms[k].count > 0 and arms[k].doubt <= level:
            state.worth[found] = k
            found += 1
    return outside, found


@step
def one_of(gen: Generator, outside: int, found: int) -> int:
    """A random arm worth a play; if there are both kinds, a coin chooses the kind first."""
    if 0 < outside < found:
        if coin(gen):
            return pick(gen, outside)
        return outside + pick(gen, found - outside)
    return pick(gen, found)


@step
def explore(state: State, action: Action, receiver: int, level: float) -> None:
    """Move plays to the receiver, then to the arms whose capacity is quite open."""
    loads = action.loads
    wanted = max(1, in_reach(state, loads, receiver, level))
    loads[receiver] += _taken(state, loads, receiver, wanted)
    for place in range(state.now[0].size - 1):
        k = state.order[place]
        if k != receiver and state.arms[k].count > 0:
            loads[k] += _taken(state, loads, k, in_reach(state, loads, k, level))


@step
def in_reach(state: State, loads: np.ndarray, k: int, level: float) -> int:
    """How many plays above mhat to try on the arm; 0 unless it has its mhat plays."""
    capacity = state.arms[k].capacity
    if loads[k] < capacity:
        return 0
    largest = largest_within(state.arms[k], state.candidates[k], level)
    return int(min(largest - capacity, capacity))


@step
def _taken(state: State, loads: np.ndarray, receiver: int, wanted: int) -> int:
    """Take up to `wanted` plays from the last arms of the action that come after the receiver."""
    left = wanted
    for place in range(state.now[0].size - 1, -1, -1):
        k = state.order[place]
        if k == receiver or left == 0:
            break
        if loads[k] <= state.arms[k].capacity:
            given = min(left, loads[k])
            loads[k] -= given
            left -= given
    return wanted - left


@step
def calm_from(state: State, t: int) -> None:
    """Determine how long the action surely stays; no arm may be worth a play at slot t.

    Half of the least excess over the levels is kept for the passage of time: both levels are
    concave in log t, with a slope of at most 1 + 2 / log t. Then a floor for muhat_L is found by
    bisection.
    """
    arms, order, now = state.arms, state.order, state.now[0]
    size = now.size
    x = arms[order[size - 1]].muhat
    for_means, for_capacities = log(t), log(t) + margin(t)
    slack = 2.0
    for place in range(size, order.size):
        slack = min(slack, over(state, order[place], x, for_means, for_capacities, ROUNDING))
    for place in range(size - 1):
        slack = min(slack, arms[order[place]].doubt - for_capacities)
    now.floor, now.doubt = x, math.inf
    if t <= 2 or slack <= 0.0:
        return
    half = slack / 2.0
    until = t * (1.0 + (half - ROUNDING) / (1.0 + 2.0 / log(t)))
    fall = 1.0 + abs(x)
    for _ in range(30):
        if all_clear(state, x - fall, for_means + half, for_capacities + half):
            now.until, now.floor = until, x - fall
            now.doubt = for_capacities + half
            return
        fall /= 2.0


@step
def all_clear(state: State, x: float, for_means: float, for_mixture: float) -> bool:
    """Whether all arms outside the action exceed the levels at x."""
    for place in range(state.now[0].size, state.order.size):
        if not over(state, state.order[place], x, for_means, for_mixture, ROUNDING) > 0.0:
            return False
    return True


@step
def over(
    state: State, k: int, x: float, for_means: float, for_mixture: float, rounding: float
) -> float:
    """By how much a mean of at least x is excluded for an arm, minus a margin for rounding."""
    arm, candidates = state.arms[k], state.candidates[k]
    if state.mixture:
        return excess(state.model, arm, candidates, x, (for_means, for_mixture, rounding))
    found = distance(state.model, arm, candidates, x)
    if found < math.inf:
        found -= rounding * (arm.count + found)
    return found - for_means


@folded
def learn(
    state: State, t: int, gen: Generator, phase: int, k: int, load: int, reward: float
) -> None:
    """Add an observation, at any load."""
    arm, now = state.arms[k], state.now[0]
    capacity = arm.capacity
    observe(state.model, arm, state.candidates[k], load, reward)
    last = state.order[now.size - 1]
    if arm.capacity != capacity or (k != last and arm.doubt <= now.doubt):
        now.changed = True


@folded
def stands(state: State, t: int) -> bool:
    """Whether the exploiting action, and the order of its arms, certainly stay the same."""
    now, arms, order = state.now[0], state.arms, state.order
    if now.changed or t > now.until or arms[order[now.size - 1]].muhat < now.floor:
        return False
    return in_rank(arms, order, now.size)


@step
def report(state: State, t: int, learned: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
    """Write the capacities that remain at the level of slot t."""
    look_back(state, t)
    level = log(t) + margin(t)
    for k in range(learned.size):
        learned[k] = state.learned[k]
        lower[k], upper[k] = _bounds(state, k, level)


@step
def _bounds(state: State, k: int, level: float) -> tuple[int, int]:
    """The smallest and the largest capacity with a gap of at most `level`."""
    arm, candidates = state.arms[k], state.candidates[k]
    lower = arm.capacity
    for c in range(1, min(lower, arm.top)):
        if candidates[c - 1].gap <= level:
            lower = c
            break
    return lower, largest_within(arm, candidates, level)


def _arguments(setup: Setup, options: Options) -> tuple[Any, ...]:
    model, exclusion = Model.of("likelihood", setup, options["law"]), options["exclusion"]
    if exclusion not in EXCLUSIONS:
        raise InputError("likelihood", "exclusion", shown(exclusion), " or ".join(EXCLUSIONS))
    return model, model.law == GAUSSIAN and exclusion == "mixture"


POLICIES = (
    Policy(
        "likelihood",
        "Plays what looks best, explores what the likelihood cannot exclude",
        PHASES,
        arguments=_arguments,
        defaults={"law": OWN, "exclusion": EXCLUSIONS[0]},
        told="law",
        begin=begin,
        decide=decide,
        learn=learn,
        stands=stands,
        report=report,
        leaps="likelihood",
    ),
)
