"""ETC-UCB (appendix H, algorithm 6): learn every capacity first, then rank arms by their UCB.

Explore: while some capacities are unknown (S), explore their arms individually, then unitedly.
Commit: m_k is nuhat_k / muhat_k, rounded. UCB: give arms m_k plays in the order of
muhat_k + sqrt(2 log t / n_k), where n_k counts the observations per load of arm k. delta = 2 xi/T.

`procedures` says how its procedures are read. Besides that:
- S is every arm at the start; in the UCB phase all arms are ranked.
- The committed m_k is clipped to [1, N]. Where muhat_k <= 0 the quotient means nothing, and m^l,
  then equal to m^u, is taken.
- The UCB phase fills arms with the committed m_k. (Printed: m_k in its size, m^l in its loads.)
- An arm never observed (N = 1: all capacities are known at the start) has an infinite index.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator

from simulation.jit import folded, step
from simulation.learning.action import Action, clear, put
from simulation.learning.arms import rank
from simulation.learning.procedures import (
    INDIVIDUAL,
    UNITED,
    State,
    assembled,
    conclude,
    explore_individually,
    explore_unitedly,
    learn,
    literally,
    rank_by,
    report_learned,
    spending,
    start,
    start_individual,
    unlearned,
)
from simulation.policies import Options, Policy, Setup
from simulation.world.elementary import log

PHASES = ("etc-individual", "etc-united", "ucb")
UCB = 2


def begin(gen: Generator, arms: int, plays: int, *told: Any) -> State:
    ones = np.ones(arms, dtype=np.int64)
    state = assembled(gen, plays, ones, plays * ones, *told)
    state.now["procedure"] = UNITED  # as if a united exploration had just ended
    return state


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    """Explore S individually and unitedly in turn until it is empty; then rank and fill."""
    now = state.now[0]
    if now.procedure == INDIVIDUAL and now.place == now.slots:
        start(state, UNITED, now.size, now.size)
    elif now.procedure == UNITED and now.place == now.slots:
        conclude(state, t - 1)
        rank(state.arms, state.order)
        left = unlearned(state, state.order.size)
        if left > 0:
            start_individual(state, left)
        else:
            commit(state)
    if now.procedure == INDIVIDUAL:
        explore_individually(state, state.unknown, state.order, action)
    elif now.procedure == UNITED:
        explore_unitedly(state, action)
    else:
        rank_and_fill(state, t, action)


@step
def commit(state: State) -> None:
    """Set the capacity of every arm to the rounded quotient of its estimates.

    They are stored in `unknown`, which is not needed any more.
    """
    for k in range(state.arms.size):
        arm = state.arms[k]
        state.unknown[k] = arm.lower
        if arm.muhat > 0.0 and arm.united > 0:
            nuhat = arm.united_sum / arm.united
            rounded = math.floor(min(nuhat / arm.muhat, float(state.plays)) + 0.5)
            state.unknown[k] = min(max(int(rounded), 1), state.plays)
    start(state, UCB, 0, 0)


@step
def rank_and_fill(state: State, t: int, action: Action) -> None:
    """Give arms the committed m_k in the order of muhat_k + sqrt(2 log t / n_k)."""
    spend, plays = 2.0 * log(t), state.plays
    for k in range(state.arms.size):
        arm = state.arms[k]
        if arm.individual == 0:
            state.score[k] = math.inf
        else:
            state.score[k] = arm.muhat + math.sqrt(spend / arm.individual)
    rank_by(state.score, state.arms, state.order)
    clear(action, UCB)
    while plays > 0:
        k = state.order[action.plan[0].count]
        put(action, k, min(plays, state.unknown[k]))
        plays -= action.loads[k]


def _arguments(setup: Setup, options: Options) -> tuple[Any, ...]:
    return spending(setup, options), literally(options), 1.0, setup.horizon


OPTIONS = {"xi": 1.0, "interval": "uniform", "width": "paper", "reading": "resolved"}
PARTS: dict[str, Any] = {
    "begin": begin,
    "decide": decide,
    "learn": learn,
    "report": report_learned,
    "arguments": _arguments,
    "told": "horizon",
}
POLICIES = (
    Policy(
        "etc-ucb",
        "ETC-UCB: learns all capacities, then fills arms by UCB index",
        PHASES,
        defaults=OPTIONS,
        **PARTS,
    ),
    Policy(
        "etc-ucb-hfd",
        "ETC-UCB with Hoeffding's interval for capacities",
        PHASES,
        defaults={**OPTIONS, "interval": "hoeffding"},
        **PARTS,
    ),
)
