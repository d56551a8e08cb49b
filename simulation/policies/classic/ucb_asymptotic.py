"""Asymptotically optimal UCB: the largest mean + sqrt(2 log(1 + t log^2 t) / n) in slot t."""

from __future__ import annotations

from numpy.random import Generator

from simulation.jit import folded, step
from simulation.learning.action import Action
from simulation.policies import Policy
from simulation.policies.classic.one_play import IndexArguments, State, begin, learn, play, widest
from simulation.world.elementary import log


@step
def level(t: int) -> float:
    """log(1 + t log^2 t), also the larger budget of KL-UCB."""
    return log(1.0 + t * log(float(t)) * log(float(t)))


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    if t <= state.counts.size:
        play(action, t - 1)
    else:
        play(action, widest(state, state.scale * level(t)))


POLICIES = (
    Policy(
        "ucb-asymptotic",
        "asymptotically optimal UCB",
        arguments=IndexArguments("ucb-asymptotic", 2.0, 1.0),
        begin=begin,
        decide=decide,
        learn=learn,
    ),
)
