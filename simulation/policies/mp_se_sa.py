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

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from simulation.arms import rank
from simulation.capacity import Confidence
from simulation.instance import Instance
from simulation.jit import kernel, step
from simulation.leaping import caution, longest_try, span_of_arm
from simulation.policies import Options, Policy
from simulation.procedures import (
    Team,
    assembled,
    deviation,
    exploit,
    exploit_block,
    fill,
    individual_exploration,
    literally,
    positive,
    report_bounds,
    spending,
    united_exploration,
    unlearned,
)
from simulation.trace import Trace
from simulation.world import World

PHASES = ("individual", "united", "exploitation")
EXPLOITATION = 2


class Rules(NamedTuple):
    """What the policy is told before the first slot."""

    confidence: Confidence
    lower: np.ndarray  # m^l and m^u to start with
    upper: np.ndarray
    gamma: float
    literal: bool


@kernel
def mp_se_sa(gen: Generator, world: World, horizon: int, trace: Trace, rules: Rules) -> None:
    """One run."""
    team = assembled(gen, rules.lower, rules.upper)
    play(gen, world, horizon, trace, rules, team)
    report_bounds(team, trace)


@step
def play(
    gen: Generator, world: World, horizon: int, trace: Trace, rules: Rules, team: Team
) -> None:
    """Algorithm 2 from its first slot to its last."""
    size = team.order.size  # J_t is team.order[:size], ranked
    t = 0
    while t < horizon:
        rank(team.arms, team.order[:size])
        expected = fill(team, world.plays)  # L~
        if expected < size:
            size = elimination(team, size, expected, rules.gamma, horizon)
            trace.standing[0] = size
            J = team.order[:size]
            t = individual_exploration(gen, world, horizon, trace, team, J, J, rules.literal, t)
        else:
            unknown = team.unknown[: unlearned(team, size)]  # J'_t
            length = 1
            if unknown.size == 0 and trace.caution < math.inf:
                length = certified(team, size, world, trace, t + 1, horizon)
            if length > 1:
                t = exploit_block(gen, world, trace, team, size, EXPLOITATION, t + 1, length)
            else:
                t += 1
                exploit(gen, world, trace, team, size, EXPLOITATION, t)
            if unknown.size > 0:
                t = united_exploration(
                    gen, world, horizon, trace, team, unknown, rules.confidence, t
                )


@step
def elimination(team: Team, size: int, expected: int, gamma: float, horizon: int) -> int:
    """How many candidates are left without those that are surely worse than the L~-th of them.

    The first L~ stay, also where the width is too small to make a difference to large means.
    """
    weakest = team.arms[team.order[expected - 1]]
    threshold = weakest.muhat - gamma * deviation(weakest.individual, horizon)
    while size > expected and team.arms[team.order[size - 1]].muhat <= threshold:
        size -= 1
    return size


@step
def certified(team: Team, size: int, world: World, trace: Trace, t: int, horizon: int) -> int:
    """For how many slots from t on J_t, with all capacities known, is exploited alike, but for eta.

    No arm is eliminated any more: the action changes if another arm becomes the last.
    """
    length = longest_try(trace, t, horizon)
    while length > 1 and not last_stays(team, size, world, trace, length):
        length //= 2
    trace.stride[0] = length
    return length


@step
def last_stays(team: Team, size: int, world: World, trace: Trace, length: int) -> bool:
    """Whether the estimates of all other arms stay above that of the last."""
    care, highest = caution(trace, 2 * size), -math.inf
    for place in range(size - 1, -1, -1):
        k = team.order[place]
        low, high = span_of_arm(world, k, team.arms[k], team.loads[k], length, care)
        if place == size - 1:
            highest = high
        elif low <= highest:
            return False
    return True


def _unknown(instance: Instance, horizon: int, options: Options) -> tuple[Rules]:
    ones = np.ones(instance.arms, dtype=np.int64)
    confidence = spending(instance, horizon, options)
    return (_rules(confidence, ones, instance.plays * ones, options),)


def _known(instance: Instance, horizon: int, options: Options) -> tuple[Rules]:
    capacities = World.of(instance).capacities
    return (_rules(Confidence.of(instance, horizon), capacities, capacities, options),)


def _unit(instance: Instance, horizon: int, options: Options) -> tuple[Rules]:
    ones = np.ones(instance.arms, dtype=np.int64)
    return (_rules(Confidence.of(instance, horizon), ones, ones, options),)


def _rules(confidence: Confidence, lower: np.ndarray, upper: np.ndarray, options: Options) -> Rules:
    return Rules(confidence, lower, upper, positive(options, "gamma"), literally(options))


KNOWN = {"gamma": 1.0, "reading": "resolved"}
OPTIONS = {**KNOWN, "xi": 1.0, "interval": "uniform", "width": "paper"}
POLICIES = (
    Policy(
        "mp-se-sa",
        "MP-SE-SA: explores all arms, eliminates the surely worse ones",
        PHASES,
        mp_se_sa,
        _unknown,
        OPTIONS,
        told="horizon",
        leaps=True,
    ),
    Policy(
        "mp-se-sa-hfd",
        "MP-SE-SA with Hoeffding's interval for capacities",
        PHASES,
        mp_se_sa,
        _unknown,
        {**OPTIONS, "interval": "hoeffding"},
        told="horizon",
        leaps=True,
    ),
    Policy(
        "mp-se",
        "MP-SE: eliminates arms as if every capacity were 1",
        PHASES,
        mp_se_sa,
        _unit,
        KNOWN,
        told="horizon",
        leaps=True,
    ),
    Policy(
        "se-kc",
        "MP-SE-SA, told the capacities: explores means only",
        PHASES,
        mp_se_sa,
        _known,
        KNOWN,
        told="horizon, capacities",
        leaps=True,
    ),
)
