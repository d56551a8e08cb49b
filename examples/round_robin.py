"""Round robin: a policy that never learns, and a bound on its regret. The example of the docs.

boundcheck --plugin examples/round_robin.py simulate paper --policy round-robin --runs 20
boundcheck --plugin examples/round_robin.py verify paper --claim ex-round-robin
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from boundcheck import symbols as s
from boundcheck.claim import EVERY_ARM, Claim, Kind, Quantity, Term, Trivial
from simulation.jit import kernel
from simulation.policies import Policy
from simulation.trace import Trace, settle
from simulation.world import World, earn, regret


@kernel
def round_robin(gen: Generator, world: World, horizon: int, trace: Trace) -> None:
    """One run: N arms in turn, one play each."""
    arms, loads = world.means.size, np.zeros(world.means.size, dtype=np.int64)
    first = 0
    for t in range(1, horizon + 1):
        loads[:] = 0
        earned = 0.0
        for turn in range(world.plays):
            arm = (first + turn) % arms
            loads[arm] = 1
            earned += earn(gen, world, arm)
        first = (first + world.plays) % arms
        settle(trace, t, 0, regret(world, loads), earned)


ROUND_ROBIN = Policy("round-robin", "Round robin", ("play",), round_robin, lambda *_: ())

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
