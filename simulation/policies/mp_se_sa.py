"""MP-SE-SA (appendix F, algorithms 2 and 3): successive elimination with shareable arms.

A candidate set J_t, at first all arms, loses the arms that are surely worse than the L~-th best
of them, where L~ arms surely serve all plays: the sum of their m^l is N or more. While J_t is
larger than L~ its arms are individually explored; when it is not, it is exploited, and the arms
whose capacity is not known are unitedly explored in turn. Here delta = 2 xi / T.

Told the capacities (m^l = m^u = m) the loop is MP-SE-SA-KC (algorithm 5), and told that every
capacity is 1 it is MP-SE (algorithm 4), where L~ = N and no arm ever gets two plays.

`procedures` says how the pseudo-code is read. Two remarks on the loop itself. An arm is
eliminated only if L~ better ones stay, and m^l never falls, so J_t always serves N plays and
L~ <= |J_t|. The paper asks for gamma >= 1 but evaluates gamma = 0.1: any gamma > 0 is allowed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from simulation.arms import introduced, rank
from simulation.capacity import Confidence
from simulation.instance import Instance
from simulation.jit import kernel, step
from simulation.policies import Options, Policy
from simulation.procedures import (
    deviation,
    exploit,
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


@kernel
def mp_se_sa(
    gen: Generator,
    world: World,
    horizon: int,
    trace: Trace,
    confidence: Confidence,
    lower: np.ndarray,
    upper: np.ndarray,
    gamma: float,
    literal: bool,
) -> None:
    """One run. `lower` and `upper` are the bounds at the start."""
    arms, order = introduced(gen, lower, upper)
    size = order.size  # J_t is order[:size], ranked
    loads = np.zeros(order.size, dtype=np.int64)
    played, unknown = loads.copy(), loads.copy()
    t = 0
    while t < horizon:
        rank(arms, order[:size])
        expected = fill(arms, order, world.plays, loads)  # L~
        if expected < size:
            size = elimination(arms, order, size, expected, gamma, horizon)
            candidates = order[:size]
            t = individual_exploration(
                gen, world, horizon, t, trace, literal, arms, candidates, candidates, played, loads
            )
        else:
            t += 1
            exploit(gen, world, t, trace, EXPLOITATION, arms, order[:size], loads)
            count = unlearned(arms, order[:size], unknown)
            if count > 0:
                t = united_exploration(
                    gen, world, horizon, t, trace, confidence, arms, unknown[:count], loads
                )
    report_bounds(arms, trace)


@step
def elimination(
    arms: np.ndarray, order: np.ndarray, size: int, expected: int, gamma: float, horizon: int
) -> int:
    """How many candidates are left without those that are surely worse than the L~-th of them."""
    weakest = arms[order[expected - 1]]
    threshold = weakest.muhat - gamma * deviation(weakest.individual, horizon)
    while arms[order[size - 1]].muhat <= threshold:
        size -= 1
    return size


def _unknown(instance: Instance, horizon: int, options: Options) -> tuple[Any, ...]:
    ones = np.ones(instance.arms, dtype=np.int64)
    confidence = spending(instance, horizon, options)
    return confidence, ones, instance.plays * ones, positive(options, "gamma"), literally(options)


def _known(instance: Instance, horizon: int, options: Options) -> tuple[Any, ...]:
    return _told(World.of(instance).capacities, instance, horizon, options)


def _unit(instance: Instance, horizon: int, options: Options) -> tuple[Any, ...]:
    return _told(np.ones(instance.arms, dtype=np.int64), instance, horizon, options)


def _told(
    capacities: np.ndarray, instance: Instance, horizon: int, options: Options
) -> tuple[Any, ...]:
    confidence = Confidence.of(instance, horizon)
    return confidence, capacities, capacities, positive(options, "gamma"), literally(options)


KNOWN = {"gamma": 1.0, "reading": "resolved"}
OPTIONS = {**KNOWN, "xi": 1.0, "interval": "uniform", "width": "paper"}
POLICIES = (
    Policy("mp-se-sa", "MP-SE-SA", PHASES, mp_se_sa, _unknown, OPTIONS),
    Policy(
        "mp-se-sa-hfd",
        "MP-SE-SA with Hoeffding's interval",
        PHASES,
        mp_se_sa,
        _unknown,
        {**OPTIONS, "interval": "hoeffding"},
    ),
    Policy("mp-se", "MP-SE, told that every capacity is 1", PHASES, mp_se_sa, _unit, KNOWN),
    Policy("se-kc", "MP-SE-SA, capacities known", PHASES, mp_se_sa, _known, KNOWN),
)
