"""Round robin: a policy that never learns, and a bound on its regret. The example of the docs.

boundcheck --plugin examples/round_robin.py simulate paper --policy round-robin --runs 20
boundcheck --plugin examples/round_robin.py verify paper --claim ex-round-robin
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from boundcheck.claims import symbols as s
from boundcheck.claims.card import EVERY_ARM, Claim, Kind, Quantity, Term, Trivial
from simulation.jit import folded
from simulation.learning.action import Action, clear, put
from simulation.policies import Policy


def begin(gen: Generator, arms: int, plays: int) -> tuple[int, np.ndarray]:
    """The plays, and the arm that is first in its turn."""
    return plays, np.zeros(1, dtype=np.int64)


@folded
def decide(state: tuple[int, np.ndarray], slot: int, gen: Generator, action: Action) -> None:
    """N arms in turn, one play each."""
    plays, first = state
    clear(action, 0)
    for turn in range(plays):
        put(action, (first[0] + turn) % action.loads.size, 1)
    first[0] = (first[0] + plays) % action.loads.size


ROUND_ROBIN = Policy("round-robin", "Round robin", begin=begin, decide=decide)

LINEAR = Claim(
    id="ex-round-robin",
    title="Regret of round robin",
    source="docs/extending.md",
    kind=Kind.UPPER_BOUND,
    policy=ROUND_ROBIN,
    statement="The expected regret of round robin up to T is at most this.",
    reading="any T",
    checked_by="simulated regret",
    quantities=(
        Quantity(
            "regret",
            "reward",
            (
                Term("optimal reward", s.T * s.f_star),
                Term("reward of all arms in turn", -s.T * s.N / s.K * s.mu, EVERY_ARM),
                Term("an unfinished turn", s.K * s.f_star),
            ),
            trivial=Trivial.REGRET,
        ),
    ),
    ours=True,
)

POLICIES = (ROUND_ROBIN,)
CLAIMS = (LINEAR,)
