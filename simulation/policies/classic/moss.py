"""MOSS: the largest mean + sqrt(scale log+(T / (K n)) / n), with t for T if T is not known."""

from __future__ import annotations

import math
from typing import Any

from numpy.random import Generator

from simulation.jit import folded, step
from simulation.learning.action import Action
from simulation.policies import Policy
from simulation.policies.classic.one_play import IndexArguments, State, begin, learn, play
from simulation.world.elementary import log


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    if t <= state.counts.size:
        play(action, t - 1)
    else:
        play(action, largest_index(state, state.horizon if state.horizon > 0 else t - 1))


@step
def largest_index(state: State, slots: int) -> int:
    counts, sums, scale = state.counts, state.sums, state.scale
    best, largest = 0, -math.inf
    for k in range(counts.size):
        spend = scale * max(log(slots / (counts.size * counts[k])), 0.0)
        index = sums[k] / counts[k] + math.sqrt(spend / counts[k])
        if index > largest:
            best, largest = k, index
    return best


_PARTS: dict[str, Any] = {"begin": begin, "decide": decide, "learn": learn}
_GIVEN: dict[str, Any] = {"told": "horizon", **_PARTS}
POLICIES = (
    Policy("moss", "MOSS, given T", arguments=IndexArguments("moss", 1.0), **_GIVEN),
    Policy(
        "moss-ls",
        "MOSS for subgaussian rewards, given T",
        arguments=IndexArguments("moss-ls", 4.0, 1.0),
        **_GIVEN,
    ),
    Policy(
        "moss-anytime",
        "MOSS, without T",
        arguments=IndexArguments("moss-anytime", 1.175, 0.25),
        **_PARTS,
    ),
)
