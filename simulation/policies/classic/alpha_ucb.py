"""UCB with a factor: the largest mean + sqrt(alpha log t / (2 n)) in slot t.

Bubeck and Cesa-Bianchi take the logarithm of the number of the slot; UCB1 has that of the number of
plays so far.
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
        play(action, widest(state, state.scale * log(float(t))))


_PARTS: dict[str, Any] = {"begin": begin, "decide": decide, "learn": learn}
POLICIES = (
    Policy(
        "alpha-ucb",
        "UCB with a factor alpha",
        arguments=IndexArguments("alpha-ucb", 0.5),
        defaults={"alpha": 3.0},
        **_PARTS,
    ),
    Policy(
        "alpha-ucb-subgaussian",
        "UCB with a factor alpha for subgaussian rewards",
        arguments=IndexArguments("alpha-ucb-subgaussian", 2.0, 1.0),
        defaults={"alpha": 3.0},
        **_PARTS,
    ),
)
