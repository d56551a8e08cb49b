"""Successive elimination over all allocations: capacities are learnt only implicitly (section 8).

All actions that are left are played once each, in a random order fixed at the start; those whose
mean is then at most the best mean less gamma 2 sigma N U(tau, T) are eliminated, where tau counts
the rounds (see `allocations` for the factor and `procedures.deviation` for U).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from simulation.allocations import act, allocations, spread_of_total
from simulation.draws import shuffled
from simulation.instance import Instance
from simulation.jit import kernel, step
from simulation.policies import Options, Policy
from simulation.procedures import deviation, positive
from simulation.trace import Trace
from simulation.world import World


@kernel
def se_implicit(
    gen: Generator, world: World, horizon: int, trace: Trace, actions: np.ndarray, scale: float
) -> None:
    """One run."""
    left = shuffled(gen, actions.shape[0])
    size = left.size  # the actions left are left[:size]
    total = np.zeros(left.size)
    loads = np.zeros(world.means.size, dtype=np.int64)
    t = rounds = 0
    while t < horizon:
        if rounds > 0 and size > 1:
            size = elimination(left, size, total, rounds, scale * deviation(rounds, horizon))
        for action in left[:size]:
            if t < horizon:
                t += 1
                total[action] += act(gen, world, t, trace, actions[action], loads)
        rounds += 1


@step
def elimination(left: np.ndarray, size: int, total: np.ndarray, rounds: int, width: float) -> int:
    """Keep the actions whose mean is less than `width` below the best; returns how many.

    The best stays, also where the width is too small to make a difference to large means: there is
    always one to play.
    """
    best = total[left[0]]
    for action in left[:size]:
        best = max(best, total[action])
    threshold = best / rounds - width
    kept = 0
    for action in left[:size]:
        if total[action] == best or not total[action] / rounds <= threshold:
            left[kept] = action
            kept += 1
    return kept


def _arguments(instance: Instance, horizon: int, options: Options) -> tuple[Any, ...]:
    return allocations(instance), positive(options, "gamma") * spread_of_total(instance)


POLICIES = (
    Policy(
        "se-implicit",
        "Successive elimination, every allocation an arm of its own",
        ("play",),
        se_implicit,
        _arguments,
        {"gamma": 1.0},
        told="horizon, scale",
    ),
)
