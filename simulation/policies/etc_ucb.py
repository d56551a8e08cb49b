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

from simulation.arms import introduced, rank
from simulation.capacity import Confidence
from simulation.instance import Instance
from simulation.jit import kernel, step
from simulation.policies import Options, Policy
from simulation.procedures import (
    exploit,
    fill,
    individual_exploration,
    literally,
    rank_by,
    report_bounds,
    spending,
    united_exploration,
    unlearned,
)
from simulation.trace import Trace
from simulation.world import World

PHASES = ("etc-individual", "etc-united", "ucb")
UCB = 2


@kernel
def etc_ucb(
    gen: Generator,
    world: World,
    horizon: int,
    trace: Trace,
    confidence: Confidence,
    lower: np.ndarray,
    upper: np.ndarray,
    literal: bool,
) -> None:
    """One run. `lower` and `upper` are the bounds at the start."""
    arms, order = introduced(gen, lower, upper)
    loads = np.zeros(order.size, dtype=np.int64)
    played, unknown = loads.copy(), loads.copy()
    t, count = 0, unlearned(arms, order, unknown)
    while count > 0 and t < horizon:
        members = unknown[:count]  # S
        t = individual_exploration(
            gen, world, horizon, t, trace, literal, arms, members, order, played, loads
        )
        t = united_exploration(gen, world, horizon, t, trace, confidence, arms, members, loads)
        rank(arms, order)
        count = unlearned(arms, order, unknown)
    report_bounds(arms, trace)

    commit(arms, world.plays)
    index = np.zeros(order.size)
    while t < horizon:
        t += 1
        upper_confidence(arms, t, index)
        rank_by(index, arms, order)
        size = fill(arms, order, world.plays, loads)
        exploit(gen, world, t, trace, UCB, arms, order[:size], loads)


@step
def commit(arms: np.ndarray, plays: int) -> None:
    """Take the rounded quotient of the estimates for the capacity of every arm."""
    for k in range(arms.size):
        arm = arms[k]
        if arm.muhat > 0.0 and arm.united > 0:
            nuhat = arm.united_sum / arm.united
            rounded = math.floor(min(nuhat / arm.muhat, float(plays)) + 0.5)
            arm.lower = min(max(int(rounded), 1), plays)


@step
def upper_confidence(arms: np.ndarray, t: int, index: np.ndarray) -> None:
    """Write muhat_k + sqrt(2 log t / n_k) for every arm."""
    spend = 2.0 * math.log(t)
    for k in range(arms.size):
        arm = arms[k]
        if arm.individual == 0:
            index[k] = math.inf
        else:
            index[k] = arm.muhat + math.sqrt(spend / arm.individual)


def _arguments(instance: Instance, horizon: int, options: Options) -> tuple[Any, ...]:
    ones = np.ones(instance.arms, dtype=np.int64)
    confidence = spending(instance, horizon, options)
    return confidence, ones, instance.plays * ones, literally(options)


OPTIONS = {"xi": 1.0, "interval": "uniform", "width": "paper", "reading": "resolved"}
POLICIES = (
    Policy("etc-ucb", "ETC-UCB", PHASES, etc_ucb, _arguments, OPTIONS),
    Policy(
        "etc-ucb-hfd",
        "ETC-UCB with Hoeffding's interval",
        PHASES,
        etc_ucb,
        _arguments,
        {**OPTIONS, "interval": "hoeffding"},
    ),
)
