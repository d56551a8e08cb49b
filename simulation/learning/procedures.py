"""Procedures of the policies in appendices F to H: estimate, rank, fill, explore (algorithm 3).

Where the pseudo-code is incomplete or cannot be meant as printed, we read it as follows.

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
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.random import Generator

from simulation.errors import InputError, shown
from simulation.jit import folded, step
from simulation.learning.action import Action, clear, put
from simulation.learning.arms import (
    explored_individually,
    explored_unitedly,
    introduced,
    narrow,
    report_bounds,
)
from simulation.learning.capacity import Confidence
from simulation.numbers import exact
from simulation.world.elementary import log

if TYPE_CHECKING:
    from simulation.policies import Setup

INDIVIDUAL, UNITED = 0, 1  # phases under which explorations are recorded
READINGS = ("resolved", "literal")

NOW = np.dtype(
    [
        ("procedure", np.int64),  # INDIVIDUAL, UNITED, or one of the policy's own
        ("place", np.int64),  # slots of it so far
        ("slots", np.int64),  # slots of it in total
        ("size", np.int64),  # how many arms are explored, or filled
        ("standing", np.int64),  # candidates
    ]
)


class State(NamedTuple):
    """The arms of a run, its lists of arms, and where in a procedure it is."""

    arms: np.ndarray
    order: np.ndarray  # by score, best first
    unknown: np.ndarray  # the arms whose bounds differ
    explored: np.ndarray  # whether this slot's reward of an arm is used
    learned: np.ndarray  # the slot after which m^l = m^u
    score: np.ndarray  # the ranking criterion, if it is not muhat
    now: np.ndarray  # one record, see NOW
    plays: int
    confidence: Confidence
    literal: bool
    gamma: float
    horizon: int


def assembled(
    gen: Generator,
    plays: int,
    lower: np.ndarray,
    upper: np.ndarray,
    confidence: Confidence,
    literal: bool,
    gamma: float,
    horizon: int,
) -> State:
    """The state before the first slot, with these bounds, in a random order."""
    arms, order = introduced(gen, lower, upper)
    unknown, learned = np.zeros_like(order), np.zeros_like(order)
    marks, score, now = np.zeros(order.size, np.bool_), np.zeros(order.size), np.zeros(1, NOW)
    now["standing"] = order.size
    told = (plays, confidence, literal, gamma, horizon)
    return State(arms, order, unknown, marks, learned, score, now, *told)


@step
def rank_by(score: np.ndarray, arms: np.ndarray, order: np.ndarray) -> None:
    """Sort the arms by a score other than muhat, best first."""
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
def start(state: State, procedure: int, size: int, slots: int) -> None:
    """Start a procedure of `slots` slots on the first `size` arms (of the order, or unknown)."""
    now = state.now[0]
    now.procedure, now.size, now.slots, now.place = procedure, size, slots, 0


@step
def start_individual(state: State, size: int) -> None:
    """Start one observation per load of each of `size` arms."""
    start(state, INDIVIDUAL, size, (size + state.plays - 1) // state.plays)


@step
def explore_individually(
    state: State, explored: np.ndarray, pool: np.ndarray, action: Action
) -> None:
    """The next slot of an individual exploration: the next subset of the arms in `explored`.

    Arms in `pool` may take the plays left over. Both are ranked.
    """
    now, arms, loads = state.now[0], state.arms, action.loads
    clear(action, INDIVIDUAL)
    state.explored[:] = False
    first = now.place * now.size // now.slots
    after = (now.place + 1) * now.size // now.slots
    left = state.plays - (after - first)
    for place in range(first, after):
        put(action, explored[place], 1)
        state.explored[explored[place]] = True
    now.place += 1
    if state.literal:
        return
    for place in range(first, after):
        k = explored[place]
        extra = min(left, arms[k].lower - 1)
        loads[k] += extra
        left -= extra
    for k in pool:
        if left > 0 and loads[k] == 0:
            put(action, k, min(left, arms[k].lower))
            left -= loads[k]


@step
def explore_unitedly(state: State, action: Action) -> None:
    """The next slot of a united exploration: all plays on the next unknown arm."""
    clear(action, UNITED)
    put(action, state.unknown[state.now[0].place], state.plays)
    state.now[0].place += 1


@step
def conclude(state: State, t: int) -> None:
    """Update the bounds, if slot t was the last of a united exploration."""
    now = state.now[0]
    if now.procedure == UNITED and now.place == now.slots > 0:
        for place in range(now.slots):
            k = state.unknown[place]
            narrow(state.arms, k, state.confidence, state.plays, t, state.learned)
        now.place = now.slots = 0


@folded
def learn(
    state: State, t: int, gen: Generator, phase: int, k: int, load: int, reward: float
) -> None:
    """Count an arm's reward at full load or, if it is used, per load."""
    if phase == UNITED:
        explored_unitedly(state.arms[k], reward)
    elif phase != INDIVIDUAL or state.explored[k]:
        explored_individually(state.arms[k], reward / load)


@step
def unlearned(state: State, size: int) -> int:
    """Write those of the best `size` arms whose bounds differ; returns their number."""
    count = 0
    for k in state.order[:size]:
        if state.arms[k].lower != state.arms[k].upper:
            state.unknown[count] = k
            count += 1
    return count


@step
def deviation(count: int, horizon: int) -> float:
    """U(tau, T) = 2 sqrt(2 / tau max(log(T / tau), 1)); infinite without observations.

    It is valid for differences with variance proxy 1: two laws on [0, 1], or two normal laws of
    variance up to 1/2.
    """
    if count == 0:
        return math.inf
    return 2.0 * math.sqrt(2.0 / count * max(log(horizon / count), 1.0))


@step
def report_learned(
    state: State, t: int, learned: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> None:
    """Write m^l, m^u, and the slot after which they were equal."""
    conclude(state, t)
    report_bounds(state.arms, lower, upper)
    for k in range(learned.size):
        learned[k] = state.learned[k]


def literally(options: Mapping[str, Any]) -> bool:
    """Whether the pseudo-code is run as printed (see the notes above)."""
    reading = options["reading"]
    if reading not in READINGS:
        raise InputError("options", "reading", shown(reading), f"one of {', '.join(READINGS)}")
    return bool(reading == "literal")


def positive_option(options: Mapping[str, Any], name: str) -> float:
    """A tuning parameter, gamma or xi."""
    try:
        number = float(exact(options[name]))
    except (ValueError, OverflowError):
        number = 0.0
    if not 0.0 < number < math.inf:
        raise InputError("options", name, shown(options[name]), "a finite number above 0")
    return number


def spending(setup: Setup, options: Mapping[str, Any]) -> Confidence:
    """The interval with delta = 2 xi / T, cut to 1 because it is a probability."""
    confidence = Confidence.of(setup, setup.horizon, options["interval"], options["width"])
    return confidence._replace(delta=min(positive_option(options, "xi") * confidence.delta, 1.0))
