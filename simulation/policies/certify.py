"""The policy `certify`, designed for a regret proof: explore until the best action is certified.

Its regret is (C + o(1)) log T with the exact constant C of `sharp-4.3`, for all three laws
(docs/theorems/attainment.md). At moderate horizons other policies have far less regret: use it for
the theorem, not in practice.

The observations of arm j at load a are the stack (j, a). In slot t, R_j are the means and
capacities that all stacks of arm j leave possible at the level beta_t = log t + 2 log log t; lo_j
and hi_j are the ends of the means in R_j. The candidate is Oracle(muhat, mhat), estimated from
forced plays only; L is the last arm it fills. It is certified if R leaves no doubt that

- the arms before L have exactly these capacities, and larger means than L;
- L has capacity for its plays, and a larger mean than all arms outside.

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

from simulation.jit import folded, step
from simulation.learning.action import Action, clear, in_order, put
from simulation.learning.arms import rank
from simulation.learning.likelihoods import OWN, Model
from simulation.learning.load_mixtures import STACK, add, span
from simulation.policies import Options, Policy, Setup
from simulation.policies.likelihood import oracle
from simulation.world.draws import BERNOULLI, GAUSSIAN, shuffled
from simulation.world.elementary import log

PHASES = ("exploitation", "forced", "repetition", "means", "capacities")
EXPLOITATION, FORCED, REPETITION, MEANS, CAPACITIES = range(5)

ARM = np.dtype(
    [
        ("muhat", np.float64),  # from forced plays, like all estimates
        ("capacity", np.int64),  # mhat
        ("forced", np.int64),
        ("mean", np.float64),  # of the forced observations
        ("spread", np.float64),  # sum of squared deviations from it
        ("largest", np.float64),
        ("lo", np.float64),  # the least mean in the region; infinite if it is empty
        ("hi", np.float64),
        ("fewest", np.int64),  # the least capacity in the region; N + 1 if it is empty
        ("most", np.int64),  # 0 if it is empty
        ("priority", np.int64),  # the smaller comes first among equal muhat
    ]
)


NOW = np.dtype(
    [
        ("ticks", np.int64),  # slots without a certificate
        ("forced", np.int64),  # forced plays
        ("size", np.int64),  # arms that the candidate fills
    ]
)


class State(NamedTuple):
    """The arms with their stacks."""

    arms: np.ndarray
    stacks: np.ndarray  # (arms, plays)
    rests: np.ndarray  # (arms, plays, plays), for Beta rewards only
    order: np.ndarray  # all arms, by muhat
    turns: np.ndarray  # all arms, in the order of forced plays
    learned: np.ndarray  # the slot in which one capacity remained
    now: np.ndarray  # one record, see NOW
    plays: int
    model: Model


def begin(gen: Generator, arms: int, plays: int, model: Model) -> State:
    turns, table = shuffled(gen, arms), np.zeros(arms, dtype=ARM)
    table["priority"][turns] = np.arange(arms)
    deep = plays if model.law not in (BERNOULLI, GAUSSIAN) else 0
    stacks, rests = np.zeros((arms, plays), dtype=STACK), np.zeros((arms, plays, deep))
    learned, now = np.zeros(arms, dtype=np.int64), np.zeros(1, dtype=NOW)
    return State(table, stacks, rests, turns.copy(), turns, learned, now, plays, model)


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    """One slot of the algorithm above."""
    count, level, now, plan = state.arms.size, beta_at(t), state.now[0], action.plan[0]
    clear(action, EXPLOITATION)
    if now.forced >= count:
        rank(state.arms, state.order)
        now.size = oracle(state.arms, state.order, state.plays, action)
        for k in range(count):
            settle_region(state, k, level)
            if state.learned[k] == 0 and state.arms[k].fewest == state.arms[k].most:
                state.learned[k] = t
        if certified(state, action.loads, now.size):
            return
    now.ticks += 1
    if now.forced < count * math.ceil(log(1.0 + now.ticks) * log(1.0 + now.ticks)):
        clear(action, FORCED)
        put(action, state.turns[now.forced % count], state.plays)
        now.forced += 1
        return
    plan.phase = REPETITION
    if not fewest_entries(state, action.loads, now.size) < max(
        level * math.sqrt(level), now.ticks / 2.0
    ):
        place = first_open(state, action.loads, now.size)
        if place >= 0:
            plan.phase = MEANS if place >= now.size else CAPACITIES
            action.loads[state.order[now.size - 1]] -= 1
            action.loads[state.order[place]] += 1
            in_order(action, state.order)


@folded
def learn(
    state: State, t: int, gen: Generator, phase: int, k: int, load: int, reward: float
) -> None:
    """A forced play updates the estimates, any other one the stacks."""
    if phase == FORCED:
        _estimate(state.model, state.arms[k], state.plays, reward)
    else:
        add(state.model, state.stacks[k, load - 1], state.rests[k, load - 1], load, reward)


@step
def report(state: State, t: int, learned: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
    """Write the capacities that remain at the level of slot t."""
    for k in range(learned.size):
        learned[k] = state.learned[k]
        settle_region(state, k, beta_at(t))
        empty = state.arms[k].most == 0
        lower[k] = 1 if empty else state.arms[k].fewest
        upper[k] = state.plays if empty else state.arms[k].most


@step
def beta_at(t: int) -> float:
    """beta_t."""
    log_t = log(max(t, 3))
    return log_t + 2.0 * log(log_t)


@step
def settle_region(state: State, k: int, level: float) -> None:
    """Write the ends of R_k. No stack distinguishes capacities from the largest observed load
    on.
    """
    arm, stacks, model = state.arms[k], state.stacks[k], state.model
    arm.lo, arm.hi, arm.fewest, arm.most = math.inf, -math.inf, stacks.size + 1, 0
    top = 1
    for load in range(1, stacks.size + 1):
        if stacks[load - 1].count > 0:
            top = load
    for c in range(1, top + 1):
        low, high = (-math.inf, math.inf) if model.law == GAUSSIAN else (0.0, 1.0)
        for load in range(1, top + 1):
            if stacks[load - 1].count > 0 and low <= high:
                rests = state.rests[k, load - 1]
                left, right = span(model, stacks[load - 1], rests, min(load, c), level)
                low, high = max(low, left), min(high, right)
        if low <= high:
            arm.lo, arm.hi = min(arm.lo, low), max(arm.hi, high)
            arm.fewest = min(arm.fewest, c)
            arm.most = stacks.size if c == top else c


@step
def certified(state: State, loads: np.ndarray, size: int) -> bool:
    """Whether the regions prove that the candidate is optimal."""
    arms, order = state.arms, state.order
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
def fewest_entries(state: State, loads: np.ndarray, size: int) -> int:
    """The smallest number of entries in the candidate's stacks."""
    fewest = np.iinfo(np.int64).max
    for k in state.order[:size]:
        fewest = min(fewest, state.stacks[k, loads[k] - 1].count)
    return int(fewest)


@step
def first_open(state: State, loads: np.ndarray, size: int) -> int:
    """The place in the order of the first open arm; -1 if there is none."""
    arms, order = state.arms, state.order
    for place in range(order.size):
        k = order[place]
        if place < size - 1 and arms[k].most > loads[k]:
            return place
        if place >= size and arms[k].hi >= arms[order[size - 1]].lo:
            return place
    return -1


@step
def _estimate(model: Model, arm: Any, plays: int, y: float) -> None:
    """Update muhat and mhat with an observation at load N."""
    arm.forced += 1
    arm.largest = max(arm.largest, y)
    before = y - arm.mean
    arm.mean += before / arm.forced
    arm.spread += before * (y - arm.mean)
    shown = arm.largest
    if model.law == GAUSSIAN:
        shown = math.sqrt(arm.spread / arm.forced / model.parameter) - 0.5
    arm.capacity = min(max(math.ceil(shown), 1), plays)
    arm.muhat = arm.mean / arm.capacity


def _arguments(setup: Setup, options: Options) -> tuple[Any, ...]:
    return (Model.of("certify", setup, options["law"]),)


POLICIES = (
    Policy(
        "certify",
        "Explores until the best action is certain; made for its proof",
        PHASES,
        arguments=_arguments,
        defaults={"law": OWN},
        told="law",
        begin=begin,
        decide=decide,
        learn=learn,
        report=report,
    ),
)
