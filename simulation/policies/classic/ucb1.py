"""UCB1: the largest mean + sqrt(2 log(t - 1) / n) in slot t; and the largest mean +
sqrt(alpha log t / (2 n)).

Auer, Cesa-Bianchi and Fischer take the logarithm of the number of plays so far, Bubeck and
Cesa-Bianchi that of the number of the slot.
"""

from __future__ import annotations

from typing import Any

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


@folded
def decide_by_slot(state: State, t: int, gen: Generator, action: Action) -> None:
    if t <= state.counts.size:
        play(action, t - 1)
    else:
        play(action, widest(state, state.scale * log(float(t))))


_PARTS: dict[str, Any] = {"begin": begin, "learn": learn}
POLICIES = (
    Policy("ucb1", "UCB1", arguments=IndexArguments("ucb1", 2.0), decide=decide, **_PARTS),
    Policy(
        "alpha-ucb",
        "UCB with a factor alpha",
        arguments=IndexArguments("alpha-ucb", 0.5),
        defaults={"alpha": 3.0},
        decide=decide_by_slot,
        **_PARTS,
    ),
    Policy(
        "alpha-ucb-subgaussian",
        "UCB with a factor alpha for subgaussian rewards",
        arguments=IndexArguments("alpha-ucb-subgaussian", 2.0, 1.0),
        defaults={"alpha": 3.0},
        decide=decide_by_slot,
        **_PARTS,
    ),
)
