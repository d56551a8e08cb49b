"""Find the better of two Gaussian arms: play them in turn, and stop when the sums are far apart.

After v plays of each arm the difference S of their sums has variance 2 s2 v. The rule stops when
|S| >= scale sqrt((V + r) log((V + r) / (r delta^2))), V = 2 s2 v and r = 2 s2: by the mixture of
normal laws (Robbins 1970) a wrong arm is named with probability delta at most, for scale = 1. It
names the arm with the larger sum and plays it from then on. `report` writes the slot after which it
stopped at the arm that it names.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from simulation.errors import InputError, shown
from simulation.jit import folded, step
from simulation.learning.action import Action
from simulation.policies import Options, Policy, Setup
from simulation.policies.classic.one_play import play
from simulation.world.elementary import log


class State(NamedTuple):
    """The sums, and when the rule stopped (0: not yet)."""

    delta: float
    scale: float
    variance: float
    sums: np.ndarray
    stopped: np.ndarray


def begin(
    gen: Generator, arms: int, plays: int, delta: float, scale: float, variance: float
) -> State:
    return State(delta, scale, variance, np.zeros(2), np.zeros(1, dtype=np.int64))


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    """Alternate between the arms; once stopped, play the named arm."""
    play(action, _named(state) if state.stopped[0] > 0 else (t - 1) % 2)


@folded
def learn(
    state: State, t: int, gen: Generator, phase: int, arm: int, load: int, reward: float
) -> None:
    """Add a reward; the rule may stop after both arms were played equally often."""
    _take_in(state, t, arm, reward)


@step
def _take_in(state: State, t: int, arm: int, reward: float) -> None:
    if state.stopped[0] > 0:
        return
    state.sums[arm] += reward
    if t % 2 == 0:
        spread = 2.0 * state.variance
        ratio = 1.0 + t / 2
        level = log(ratio / (state.delta * state.delta))
        width = state.scale * math.sqrt(spread * ratio * max(level, 0.0))
        if abs(state.sums[0] - state.sums[1]) >= width:
            state.stopped[0] = t


@step
def _named(state: State) -> int:
    return 0 if state.sums[0] >= state.sums[1] else 1


@step
def report(state: State, t: int, learned: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
    """Write the slot after which it stopped, at the arm that it names."""
    if state.stopped[0] > 0:
        learned[_named(state)] = state.stopped[0]


def arguments(setup: Setup, options: Options) -> tuple[Any, ...]:
    """delta, the scale and the variance; raises unless there are two arms and one play."""
    for name, found, wanted in (("plays", setup.plays, 1), ("arms", setup.arms, 2)):
        if found != wanted:
            raise InputError("gaussian-stop", name, shown(found), str(wanted))
    if not 0.0 < float(options["delta"]) < 1.0:
        expected = "a number between 0 and 1"
        raise InputError("gaussian-stop", "delta", shown(options["delta"]), expected)
    if not float(options["scale"]) > 0.0:
        raise InputError("gaussian-stop", "scale", shown(options["scale"]), "a number above 0")
    variance = float(setup.reward.proxy_variance)
    return float(options["delta"]), float(options["scale"]), variance


POLICIES = (
    Policy(
        "gaussian-stop",
        "two arms in turn until one is named",
        arguments=arguments,
        defaults={"delta": 0.05, "scale": 1.0},
        told="scale",
        begin=begin,
        decide=decide,
        learn=learn,
        report=report,
    ),
)
