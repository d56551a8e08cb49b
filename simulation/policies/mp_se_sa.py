"""MP-SE-SA (appendix F, algorithms 2 and 3): successive elimination with shareable arms.

A candidate set J_t, at first all arms, loses the arms that are surely worse than the L~-th best
of them, where L~ arms surely serve all plays: the sum of their m^l is N or more. While J_t is
larger than L~ its arms are individually explored; when it is not, it is exploited, and the arms
whose capacity is not known are unitedly explored in turn. Here delta = 2 xi / T.

Told the capacities (m^l = m^u = m) the loop is MP-SE-SA-KC (algorithm 5), and told that every
capacity is 1 it is MP-SE (algorithm 4), where L~ = N and no arm ever gets two plays.

`procedures` says how the pseudo-code is read. Two remarks on the loop itself. An arm is
eliminated only if L~ better ones stay, and m^l never falls, so J_t always serves N plays and
L~ <= |J_t|. The paper asks for gamma >= 1 but takes 0.1 in its 5G/4G study: any gamma > 0 is
allowed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from simulation.jit import folded, step
from simulation.learning.action import Action, clear
from simulation.learning.arms import fill, rank
from simulation.learning.capacity import Confidence
from simulation.learning.procedures import (
    INDIVIDUAL,
    UNITED,
    State,
    assembled,
    conclude,
    deviation,
    explore_individually,
    explore_unitedly,
    learn,
    literally,
    positive_option,
    report_learned,
    spending,
    start,
    start_individual,
    unlearned,
)
from simulation.policies import Options, Policy, Setup

PHASES = ("individual", "united", "exploitation")
EXPLOITATION = 2


def begin(gen: Generator, arms: int, plays: int, *told: Any) -> State:
    return assembled(gen, plays, *told)


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    """Algorithm 2: the next slot of a procedure, or a new turn of the loop.

    J_t is the first `standing` arms of the order, ranked.
    """
    now = state.now[0]
    conclude(state, t - 1)
    if now.place == now.slots:
        turn(state, action)
    elif now.procedure == UNITED:
        explore_unitedly(state, action)
    if now.procedure == INDIVIDUAL:
        J = state.order[: now.standing]
        explore_individually(state, J, J, action)
    action.plan[0].standing = now.standing


@step
def turn(state: State, action: Action) -> None:
    """Eliminate and explore J_t while it is larger than L~; else exploit it."""
    now = state.now[0]
    rank(state.arms, state.order[: now.standing])
    clear(action, EXPLOITATION)
    expected = fill(state.arms, state.order, state.plays, action)  # L~
    if expected < now.standing:
        now.standing = elimination(state, now.standing, expected)
        start_individual(state, now.standing)
    else:
        unknown = unlearned(state, expected)  # J'_t, unitedly explored from the next slot on
        action.plan[0].quiet = unknown == 0
        start(state, UNITED, unknown, unknown)


@step
def elimination(state: State, size: int, expected: int) -> int:
    """The number of candidates left without those that are surely worse than the L~-th of them.

    The first L~ always stay, even where the width is too small to matter in floats for large means.
    """
    weakest = state.arms[state.order[expected - 1]]
    threshold = weakest.muhat - state.gamma * deviation(weakest.individual, state.horizon)
    while size > expected and state.arms[state.order[size - 1]].muhat <= threshold:
        size -= 1
    return size


def _unknown(setup: Setup, options: Options) -> tuple[Any, ...]:
    ones = np.ones(setup.arms, dtype=np.int64)
    return _told(setup, options, spending(setup, options), ones, setup.plays * ones)


def _known(setup: Setup, options: Options) -> tuple[Any, ...]:
    confidence = Confidence.of(setup, setup.horizon)
    return _told(setup, options, confidence, setup.capacities, setup.capacities)


def _unit(setup: Setup, options: Options) -> tuple[Any, ...]:
    ones = np.ones(setup.arms, dtype=np.int64)
    return _told(setup, options, Confidence.of(setup, setup.horizon), ones, ones)


def _told(
    setup: Setup, options: Options, confidence: Confidence, lower: Any, upper: Any
) -> tuple[Any, ...]:
    gamma = positive_option(options, "gamma")
    return lower, upper, confidence, literally(options), gamma, setup.horizon


KNOWN = {"gamma": 1.0, "reading": "resolved"}
OPTIONS = {**KNOWN, "xi": 1.0, "interval": "uniform", "width": "paper"}
PARTS: dict[str, Any] = {
    "begin": begin,
    "decide": decide,
    "learn": learn,
    "report": report_learned,
    "leaps": "mp-se-sa",
}
POLICIES = (
    Policy(
        "mp-se-sa",
        "MP-SE-SA: explores all arms, eliminates the surely worse ones",
        PHASES,
        arguments=_unknown,
        defaults=OPTIONS,
        told="horizon",
        **PARTS,
    ),
    Policy(
        "mp-se-sa-hfd",
        "MP-SE-SA with Hoeffding's interval for capacities",
        PHASES,
        arguments=_unknown,
        defaults={**OPTIONS, "interval": "hoeffding"},
        told="horizon",
        **PARTS,
    ),
    Policy(
        "mp-se",
        "MP-SE: eliminates arms as if every capacity were 1",
        PHASES,
        arguments=_unit,
        defaults=KNOWN,
        told="horizon",
        **PARTS,
    ),
    Policy(
        "se-kc",
        "MP-SE-SA, told the capacities: explores means only",
        PHASES,
        arguments=_known,
        defaults=KNOWN,
        told="horizon, capacities",
        **PARTS,
    ),
)
