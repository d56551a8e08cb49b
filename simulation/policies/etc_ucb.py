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
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from simulation.arms import rank
from simulation.capacity import Confidence
from simulation.elementary import log
from simulation.instance import Instance
from simulation.jit import kernel, step
from simulation.policies import Options, Policy
from simulation.procedures import (
    Team,
    assembled,
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


class Rules(NamedTuple):
    """What the policy is told before the first slot."""

    confidence: Confidence
    literal: bool


@kernel
def etc_ucb(gen: Generator, world: World, horizon: int, trace: Trace, rules: Rules) -> None:
    """One run."""
    ones = np.ones(world.means.size, dtype=np.int64)
    team = assembled(gen, ones, world.plays * ones)
    t = explore(gen, world, horizon, trace, rules, team)
    report_bounds(team, trace)
    commit(team, world.plays)
    rank_and_fill(gen, world, horizon, trace, team, np.zeros(ones.size), t)


@step
def explore(
    gen: Generator, world: World, horizon: int, trace: Trace, rules: Rules, team: Team
) -> int:
    """The ETC phase; returns its last slot."""
    everyone = team.order
    S = team.unknown[: unlearned(team, everyone.size)]
    t = 0
    while S.size > 0 and t < horizon:
        t = individual_exploration(gen, world, horizon, trace, team, S, everyone, rules.literal, t)
        t = united_exploration(gen, world, horizon, trace, team, S, rules.confidence, t)
        rank(team.arms, everyone)
        S = team.unknown[: unlearned(team, everyone.size)]
    return t


@step
def commit(team: Team, plays: int) -> None:
    """Take the rounded quotient of the estimates for the capacity of every arm."""
    for k in range(team.arms.size):
        arm = team.arms[k]
        if arm.muhat > 0.0 and arm.united > 0:
            nuhat = arm.united_sum / arm.united
            rounded = math.floor(min(nuhat / arm.muhat, float(plays)) + 0.5)
            arm.lower = min(max(int(rounded), 1), plays)


@step
def rank_and_fill(
    gen: Generator, world: World, horizon: int, trace: Trace, team: Team, index: np.ndarray, t: int
) -> None:
    """The UCB phase, from slot t + 1 on. `index` is scratch."""
    while t < horizon:
        t += 1
        upper_confidence(team.arms, t, index)
        rank_by(index, team)
        size = fill(team, world.plays)
        exploit(gen, world, trace, team, size, UCB, t)


@step
def upper_confidence(arms: np.ndarray, t: int, index: np.ndarray) -> None:
    """Write muhat_k + sqrt(2 log t / n_k) for every arm."""
    spend = 2.0 * log(t)
    for k in range(arms.size):
        arm = arms[k]
        if arm.individual == 0:
            index[k] = math.inf
        else:
            index[k] = arm.muhat + math.sqrt(spend / arm.individual)


def _arguments(instance: Instance, horizon: int, options: Options) -> tuple[Rules]:
    return (Rules(spending(instance, horizon, options), literally(options)),)


OPTIONS = {"xi": 1.0, "interval": "uniform", "width": "paper", "reading": "resolved"}
POLICIES = (
    Policy(
        "etc-ucb",
        "ETC-UCB: learns all capacities, then fills arms by UCB index",
        PHASES,
        etc_ucb,
        _arguments,
        OPTIONS,
        told="horizon",
    ),
    Policy(
        "etc-ucb-hfd",
        "ETC-UCB with Hoeffding's interval for capacities",
        PHASES,
        etc_ucb,
        _arguments,
        {**OPTIONS, "interval": "hoeffding"},
        told="horizon",
    ),
)
