"""UCB for subgaussian rewards, given T: the largest mean + sqrt(4 log T / n)."""

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
        play(action, widest(state, state.scale * log(float(state.horizon))))


POLICIES = (
    Policy(
        "ucb",
        "UCB for subgaussian rewards, given T",
        arguments=IndexArguments("ucb", 4.0, 1.0),
        told="horizon",
        begin=begin,
        decide=decide,
        learn=learn,
    ),
)
