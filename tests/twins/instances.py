"""Small instances of every kind for the twins to be compared on."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from simulation.rewards.laws import Bernoulli, Beta, Gaussian
from simulation.world.instance import Instance

LAWS = (
    Bernoulli(),
    Gaussian(Fraction(1, 2)),
    Gaussian(Fraction(1, 100)),
    Beta(Fraction(4)),
    Beta(Fraction(1, 2)),
)


@st.composite
def small_instances(draw: st.DrawFn, arms: int = 6) -> Instance:
    """Two to `arms` arms with means on a coarse grid, so that ties are common.

    Capacities may exceed the plays; one play, one optimal arm, a full or a single remaining play
    all occur.
    """
    plays = draw(st.integers(1, arms - 1))
    count = draw(st.integers(plays + 1, arms))
    law = draw(st.sampled_from(LAWS))
    inner = isinstance(law, Beta)
    steps = st.integers(1, 9) if inner else st.integers(0, 10)
    means = [Fraction(draw(steps), 10) for _ in range(count)]
    capacities = [draw(st.integers(1, plays + 1)) for _ in range(count)]
    return Instance(means, capacities, plays, law)
