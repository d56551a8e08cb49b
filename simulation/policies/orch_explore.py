"""OrchExplore (section 6, algorithm 1): individual and united explorations, orchestrated.

Where the pseudo-code is incomplete or cannot be meant as printed, we read it as follows.

1. An individual exploration (IE) is a load a with 1 <= a <= m^l. Printed is a < m^l, which with
   m^l = 1 counts nothing, so nothing is learnt: kept as reading "literal".
2. Counts start at 0 and an interval without both kinds of samples is trivial, so m^l = 1 and
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

from simulation.jit import folded, inlined, step
from simulation.learning.action import Action, clear, put
from simulation.learning.arms import (
    explored_individually,
    explored_unitedly,
    fill,
    in_rank,
    introduced,
    narrow,
    rank,
    report_bounds,
    steady,
)
from simulation.learning.capacity import Confidence
from simulation.learning.certificates import no_candidate
from simulation.learning.likelihoods import Model
from simulation.learning.procedures import literally
from simulation.policies import Options, Policy, Setup
from simulation.world.draws import coin, exploration_level, kl, pick
from simulation.world.slots import odd_slot

PHASES = ("pie-base", "deliberate", "pue", "exploitation")
PIE_BASE, DELIBERATE, PUE, EXPLOITATION = range(4)

NOW = np.dtype(
    [
        ("size", np.int64),  # size of S_t
        ("changed", np.bool_),  # whether a bound changed in this slot
        ("until", np.float64),  # the action of PIE surely stays up to this slot,
        ("floor", np.float64),  # while muhat of L_t is at least this
    ]
)


class State(NamedTuple):
    """The arms, the sets of the pseudo-code, and the parameters."""

    arms: np.ndarray
    order: np.ndarray  # all arms, by muhat
    chosen: np.ndarray  # S_t in the order of filling, so that L_t is its last
    candidates: np.ndarray  # E_t
    deserving: np.ndarray  # Y_t, as marks
    learned: np.ndarray  # the slot after which m^l = m^u
    now: np.ndarray  # one record, see NOW
    plays: int
    strict: bool  # count IE by a < m^l
    model: Model  # whose divergence the index has
    confidence: Confidence


def begin(
    gen: Generator,
    arms: int,
    plays: int,
    model: Model,
    confidence: Confidence,
    strict: bool,
    lower: np.ndarray,
    upper: np.ndarray,
) -> State:
    table, order = introduced(gen, lower, upper)
    chosen, candidates, learned = (np.zeros(arms, dtype=np.int64) for _ in range(3))
    now, nobody = np.zeros(1, dtype=NOW), np.zeros(arms, dtype=np.bool_)
    now["size"] = 1
    return State(
        table, order, chosen, candidates, nobody, learned, now, plays, strict, model, confidence
    )


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    """One iteration of algorithm 1, up to the play."""
    now = state.now[0]
    now.changed, now.until, now.floor = False, t, -math.inf
    unknown = deserve(state)
    rank(state.arms, state.order)
    if odd_slot(t) or unknown == 0:
        _explore_individually(state, t, gen, action, unknown)
    else:
        clear(action, PUE)
        oracle_upper(state, action)


@step
def _explore_individually(
    state: State, t: int, gen: Generator, action: Action, unknown: int
) -> None:
    """Parsimonious individual exploration."""
    now, plan = state.now[0], action.plan[0]
    clear(action, PIE_BASE)
    size = oracle_lower(state, action)
    count = explorable(state, t)
    if count > 0 and coin(gen):
        plan.phase = DELIBERATE
        last, other = state.chosen[size - 1], state.candidates[pick(gen, count)]
        action.loads[last] -= 1
        if action.loads[last] == 0:
            plan.count -= 1
        put(action, other, 1)
    elif count == 0 and unknown == 0:
        plan.phase = EXPLOITATION
        if deserve(state) == 0:  # S_t may be new, and Y_t no longer empty
            plan.quiet = True
            now.floor, now.until = no_candidate(state.arms, state.order, size, state.model, t)


@step
def oracle_lower(state: State, action: Action) -> int:
    """Oracle(muhat, m^l): writes S_t and the loads, returns the size of S_t."""
    size = fill(state.arms, state.order, state.plays, action)
    for place in range(size):
        state.chosen[place] = state.order[place]
    state.now[0].size = size
    return size


@step
def oracle_upper(state: State, action: Action) -> None:
    """Oracle(muhat', m^u): the arms of Y_t first, then the others."""
    plays = state.plays
    for first in (True, False):
        for k in state.order:
            if plays > 0 and state.deserving[k] == first:
                put(action, k, min(plays, state.arms[k].upper))
                plays -= action.loads[k]


@step
def explorable(state: State, t: int) -> int:
    """E_t: writes the arms after L_t with an index of muhat_L or more, returns how many."""
    size = state.now[0].size
    x, level = state.arms[state.order[size - 1]].muhat, exploration_level(t)
    count = 0
    for place in range(size, state.order.size):
        k = state.order[place]
        if reaches(state.arms[k], x, state.model, level):
            state.candidates[count] = k
            count += 1
    return count


@inlined
def reaches(arm: Any, x: float, model: Model, level: float) -> bool:
    """Whether the index of an arm is at least x at this level."""
    tau, muhat = arm.individual, arm.muhat
    return bool(tau == 0 or muhat >= x or tau * kl(model.law, model.parameter, muhat, x) <= level)


@step
def deserve(state: State) -> int:
    """Y_t: marks the arms of S_t before L_t whose bounds differ, returns how many."""
    state.deserving[:] = False
    count = 0
    for place in range(state.now[0].size - 1):
        k = state.chosen[place]
        if state.arms[k].lower != state.arms[k].upper:
            state.deserving[k] = True
            count += 1
    return count


@folded
def learn(
    state: State, t: int, gen: Generator, phase: int, k: int, load: int, reward: float
) -> None:
    """Count the exploration if it is one, and narrow the arm's bounds."""
    arm = state.arms[k]
    if phase == PUE:
        if load >= arm.upper:
            explored_unitedly(arm, reward)
            narrow(state.arms, k, state.confidence, state.plays, t, state.learned)
    elif not state.strict or load < arm.lower:
        explored_individually(arm, reward / load)
        if not steady(arm) and narrow(
            state.arms, k, state.confidence, state.plays, t, state.learned
        ):
            state.now[0].changed = True


@folded
def stands(state: State, t: int) -> bool:
    """Whether PIE certainly repeats its action: no bound changed, and the ranking of S_t holds."""
    now, arms, order = state.now[0], state.arms, state.order
    if now.changed or t > now.until or arms[state.chosen[now.size - 1]].muhat < now.floor:
        return False
    return in_rank(arms, order, now.size)


@step
def report(state: State, t: int, learned: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
    """Write m^l, m^u, and the slot after which they were equal."""
    report_bounds(state.arms, lower, upper)
    for k in range(learned.size):
        learned[k] = state.learned[k]


def _unknown(setup: Setup, options: Options) -> tuple[Any, ...]:
    confidence = Confidence.of(
        setup, setup.horizon, options["interval"], options["width"], options["delta"]
    )
    ones = np.ones(setup.arms, dtype=np.int64)
    return Model.bare(setup), confidence, literally(options), ones, setup.plays * ones


def _known(setup: Setup, options: Options) -> tuple[Any, ...]:
    return Model.bare(setup), Confidence(0, 1.0, 1.0), False, setup.capacities, setup.capacities


OPTIONS = {"interval": "uniform", "width": "paper", "delta": None, "reading": "resolved"}
PARTS: dict[str, Any] = {
    "begin": begin,
    "decide": decide,
    "learn": learn,
    "stands": stands,
    "report": report,
    "leaps": "orch-explore",
}
POLICIES = (
    Policy(
        "orch-explore",
        "OrchExplore: plays what looks best, explores means and capacities in turn",
        PHASES,
        arguments=_unknown,
        defaults=OPTIONS,
        told="horizon, scale",
        **PARTS,
    ),
    Policy(
        "orch-explore-hfd",
        "OrchExplore with Hoeffding's interval for capacities",
        PHASES,
        arguments=_unknown,
        defaults={**OPTIONS, "interval": "hoeffding"},
        told="horizon, scale",
        **PARTS,
    ),
    Policy(
        "orch-explore-kc",
        "OrchExplore, told the capacities: explores means only",
        PHASES,
        arguments=_known,
        told="capacities, scale",
        **PARTS,
    ),
)
