"""Strategies for extreme instances: what an instance file admits, and the degenerate ones."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from boundcheck.search.degenerate import DEGENERATE
from boundcheck.search.strategies import (
    LAWS,
    decimals,
    gaussian_means,
    many_of,
    one_capacity,
    variances,
)
from simulation.rewards.laws import Bernoulli, Beta, Gaussian, RewardLaw
from simulation.world.instance import Instance


@st.composite
def admitted_instances(draw: DrawFn, *, largest: int = 40, laws: Sequence[str] = LAWS) -> Instance:
    """Everything that the model admits: up to `largest` arms with any legal numbers.

    Instances are drawn in kinds, so that ordinary ones occur as well as extreme ones.

    >>> from hypothesis import find
    >>> find(admitted_instances(largest=3), lambda instance: True).arms
    2
    """
    count = draw(st.one_of(st.integers(2, min(6, largest)), st.integers(2, largest)))
    plays = draw(st.one_of(st.just(1), st.just(count - 1), st.integers(1, count - 1)))
    law = draw(st.sampled_from(list(laws)))
    reward = draw(_any_law(law))
    means = draw(many_of(draw(st.sampled_from(_mean_kinds(law))), count))
    for k in draw(st.lists(st.integers(1, count - 1), max_size=3)):
        means[k] = draw(_beside(means[k - 1], reward))
    # capacities as in the theory, sometimes above the plays, or the largest legal one
    usual = one_capacity(plays)
    kinds = (usual, usual, usual | st.integers(plays + 1, 4 * plays), usual | st.just(2**31 - 1))
    held = draw(many_of(draw(st.sampled_from(kinds)), count))
    instance = Instance(means, held, plays, reward)
    if law != "gaussian" or not draw(st.booleans()):
        return instance
    idle = [k for k in instance.order if not instance.optimal_action[k]]
    for k in draw(st.sets(st.sampled_from(idle))):
        means[k] = -means[k]  # negative means are legal only for arms without plays
    return instance.with_(means=means)


@st.composite
def _beside(draw: DrawFn, mean: Fraction, law: RewardLaw) -> Fraction:
    """The same mean again, or one that differs by as little as 1e-40."""
    gap = draw(st.one_of(st.just(Fraction(0)), _tiny()))
    return next(near for near in (mean - gap, mean + gap) if near >= 0 and law.admits(near))


@cache
def _tiny() -> SearchStrategy[Fraction]:
    return st.integers(1, 40).map(lambda exponent: Fraction(1, 10**exponent))


@cache
def _mean_kinds(law: str) -> tuple[SearchStrategy[Fraction], ...]:
    """Round means, means at and close to the edges, quotients, mixtures; also far from 1."""
    kinds: list[SearchStrategy[Fraction]] = [
        decimals(0, 1, 2),
        st.one_of(
            _tiny(), _tiny().map(lambda x: 1 - x), st.sampled_from((Fraction(0), Fraction(1)))
        ),
        st.integers(2, 97).flatmap(lambda q: st.integers(0, q).map(lambda p: Fraction(p, q))),
    ]
    if law == "beta":
        kinds = [kind.filter(lambda mean: 0 < mean < 1) for kind in kinds]
    if law == "gaussian":
        huge = st.integers(0, 40).flatmap(lambda e: st.integers(1, 99).map(lambda d: d * 10**e))
        kinds += [gaussian_means(), huge.map(Fraction)]
    return (*kinds, st.one_of(kinds))


@cache
def _any_law(name: str) -> SearchStrategy[RewardLaw]:
    """The law with a parameter of any size: round, a quotient, or from 1e-40 to 1e40."""
    sizes = st.integers(-40, 40).map(lambda e: Fraction(10) ** e)
    usual = st.sampled_from([Fraction(x) for x in ("1/2", "1/4", "1/3", "4", "1", "1000", "0.01")])
    parameter = st.one_of(usual, usual, sizes)
    if name == "gaussian":
        return st.one_of(variances(), parameter).map(Gaussian)
    return parameter.map(Beta) if name == "beta" else st.just(Bernoulli())


def extreme_instances() -> SearchStrategy[Instance]:
    """The catalogue of degenerate instances.

    >>> from hypothesis import find
    >>> find(extreme_instances(), lambda instance: min(instance.means) < 0).name
    'negative-suboptimal-mean'
    """
    return st.sampled_from(sorted(DEGENERATE)).map(DEGENERATE.__getitem__)
