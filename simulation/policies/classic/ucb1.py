"""UCB1: the largest mean + sqrt(2 log(t - 1) / n) in slot t, after t - 1 plays."""

from __future__ import annotations

from numpy.random import Generator

from simulation.jit import folded
from simulation.learning.action import Action
from simulation.policies import Policy
from simulation.policies.classic.one_play import IndexArguments, State, begin, learn, play, widest
from simulation.world.elementary import log


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    if t <= state.counts.size:
        play(action, t - 1)
    else:
        play(action, widest(state, state.scale * log(float(t - 1))))


POLICIES = (
    Policy(
        "ucb1",
        "UCB1",
        arguments=IndexArguments("ucb1", 2.0),
        begin=begin,
        decide=decide,
        learn=learn,
    ),
)
