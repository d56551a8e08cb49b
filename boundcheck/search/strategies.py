"""Hypothesis strategies for instances and parameters, biased towards cases that break theories.

For the property tests of this package and of others:

    from hypothesis import given
    from boundcheck.search.strategies import instances, as_file

    @given(instances(laws=("gaussian",)))
    def test_my_theorem(instance):
        assert conclusion(instance), as_file(instance)

Uniformly random instances rarely find errors. These draw ties, capacities 1 and N, a single optimal
arm, one play left for it or as many as it holds, means at 0 and 1 or far above 1, K = N + 1, two
arms with one play, confidence levels at the edge of a claim's range, horizons near e and beyond
10^500. All numbers are exact decimals and shrink to round ones; instances shrink to few arms.

`DEGENERATE` is a catalogue of named extreme instances, `extreme_instances()` draws from it.
`admitted_instances()` covers every extreme of the model, for programs that must handle all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import TypeVar

from hypothesis import currently_in_test_context, note
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from simulation.rewards.laws import Bernoulli, Beta, Gaussian, GaussianByArm, RewardLaw
from simulation.rewards.samples import Empirical, Sample
from simulation.world.instance import Instance

LAWS = ("bernoulli", "gaussian", "beta")
BY_ARM = ("empirical", "gaussian-by-arm")  # drawn only on request
_T = TypeVar("_T")


def as_file(instance: Instance) -> str:
    """The instance file of a failing example; it is also added to hypothesis' report.

    >>> print(as_file(Instance([0.5, 0.2], [1, 1], 1)).splitlines()[2])
    means = [0.5, 0.2]
    """
    text = instance.to_toml()
    if currently_in_test_context():
        note("instance file:\n" + text)
    return text


@st.composite
def decimals(draw: DrawFn, low: int, high: int, places: int = 3) -> Fraction:
    """Decimals from low to high with at most `places` places; those with few places are simplest.

    All places are drawn and then truncated, so that the shrinker can truncate more and stay close.

    >>> from hypothesis import find
    >>> find(decimals(0, 10), lambda x: x >= 4)
    Fraction(4, 1)
    """
    kept = draw(st.integers(0, places))
    whole = draw(st.integers(low * 10**places, high * 10**places))
    return Fraction(whole // 10 ** (places - kept), 10**kept)


@st.composite
def fractions_of_one(draw: DrawFn, places: int = 3) -> Fraction:
    """Decimals strictly between 0 and 1, drawn without rejection.

    >>> from hypothesis import find
    >>> find(fractions_of_one(), lambda x: True)
    Fraction(1, 10)
    """
    kept = 10 ** draw(st.integers(1, places))
    return Fraction(draw(st.integers(1, kept - 1)), kept)


@cache  # hypothesis validates a strategy once, not at every draw
def unit_means() -> SearchStrategy[Fraction]:
    """Means of a law on [0, 1]: anywhere, at 0 and 1, and close to these.

    >>> from hypothesis import find
    >>> find(unit_means(), lambda x: x > 0)
    Fraction(1, 1)
    """
    edges = ("0", "1", "0.5", "0.001", "0.999", "1e-9", "0.999999999")
    return st.one_of(decimals(0, 1), st.sampled_from(edges).map(Fraction))


@cache
def gaussian_means() -> SearchStrategy[Fraction]:
    """Means of a Gaussian: as in [0, 1], a few units, or far above 1.

    >>> from hypothesis import find
    >>> find(gaussian_means(), lambda x: x > 100)
    Fraction(101, 1)
    """
    return st.one_of(unit_means(), decimals(0, 10, 2), decimals(0, 10**4, 0))


@cache
def variances(largest: Fraction = Fraction(1, 2)) -> SearchStrategy[Fraction]:
    """Known variances up to `largest`, with 1/2, 1/4 and tiny ones.

    >>> from hypothesis import find
    >>> find(variances(), lambda x: x <= Fraction(1, 10**9))
    Fraction(1, 1000000000)
    """
    edges = map(Fraction, ("0.5", "0.25", "0.251", "0.01", "0.0001", "1e-9"))
    own = decimals(0, 1, 2).filter(lambda v: 0 < v <= largest)
    return st.one_of(st.sampled_from([v for v in edges if v <= largest]), own)


def confidences(limit: Fraction = Fraction(1)) -> SearchStrategy[Fraction]:
    """delta in (0, limit], limit itself excluded only at 1: round, tiny, or next to the limit.

    >>> from hypothesis import find
    >>> find(confidences(), lambda delta: delta < Fraction(1, 10**100)) < Fraction(1, 10**100)
    True
    """
    tiny = st.integers(1, 300).map(lambda n: Fraction(1, 10**n) * min(limit, Fraction(1)))
    near = st.integers(1, 12).map(lambda n: limit * (1 - Fraction(1, 10**n)))
    inside = st.integers(1, 99).map(lambda n: limit * Fraction(n, 100))
    at = st.just(limit if limit < 1 else Fraction(1, 2))
    return st.one_of(inside, near, tiny, at)


def horizons() -> SearchStrategy[Fraction]:
    """T: small (2, next to e), ordinary, and beyond what a float holds.

    >>> from hypothesis import find
    >>> find(horizons(), lambda T: T < 10)
    Fraction(2, 1)
    """
    small = st.sampled_from(["2", "2.7", "2.72", "3", "15", "16", "100"]).map(Fraction)
    ordinary = st.integers(2, 9).map(lambda n: Fraction(10**n))
    enormous = st.integers(300, 3000).map(lambda n: Fraction(10**n))
    return st.one_of(ordinary, small, enormous)


def exploration_counts(largest: int = 10**6) -> SearchStrategy[int]:
    """Numbers of explorations: few, many, powers of two and their neighbours.

    >>> from hypothesis import find
    >>> find(exploration_counts(), lambda n: n > 1000)
    1001
    """
    top = largest.bit_length() - 1
    powers = st.integers(0, top).flatmap(lambda p: st.sampled_from((2**p - 1, 2**p, 2**p + 1)))
    every = st.one_of(st.integers(1, 12), powers, st.integers(1, largest))
    return every.map(lambda n: max(1, min(n, largest)))


@cache
def one_capacity(plays: int) -> SearchStrategy[int]:
    """1, the number of plays, and values in between.

    >>> from hypothesis import find
    >>> find(one_capacity(7), lambda m: m > 1)
    7
    """
    return st.one_of(st.just(1), st.just(plays), st.integers(1, plays))


@st.composite
def one_arm(draw: DrawFn, law: str = "gaussian", plays: int = 8) -> tuple[Fraction, int]:
    """One arm: its mean and its capacity.

    >>> from hypothesis import find
    >>> find(one_arm("bernoulli", plays=3), lambda arm: arm[0] > 0 and arm[1] > 1)
    (Fraction(1, 1), 3)
    """
    return draw(_means(law)), draw(one_capacity(plays))


@st.composite
def one_action(draw: DrawFn, instance: Instance) -> tuple[int, ...]:
    """An action: all plays on one arm, the optimal action, that with one play moved, or any other.

    >>> from hypothesis import find
    >>> find(one_action(Instance([0.9, 0.5, 0.1], [1, 1, 1], 2)), lambda action: action[0] > 1)
    (2, 0, 0)
    """
    best = instance.optimal_action
    kind = draw(st.sampled_from(("best", "moved", "piled", "any")))
    if kind == "best":
        return best
    if kind == "moved":
        giver = draw(st.sampled_from([k for k, load in enumerate(best) if load]))
        taker = draw(st.integers(0, instance.arms - 1))
        return tuple(a - (k == giver) + (k == taker) for k, a in enumerate(best))
    if kind == "piled":
        only = draw(st.integers(0, instance.arms - 1))
        return tuple(instance.plays * (k == only) for k in range(instance.arms))
    placed = draw(many_of(st.integers(0, instance.arms - 1), instance.plays))
    return tuple(placed.count(k) for k in range(instance.arms))


@st.composite
def instances(
    draw: DrawFn,
    *,
    smallest: int = 2,
    largest: int = 6,
    laws: Sequence[str] = LAWS,
    distinct: bool = False,
    largest_variance: Fraction = Fraction(1, 2),
) -> Instance:
    """Instances of `smallest` to `largest` arms, of these laws, with or without equal means.

    >>> from hypothesis import find
    >>> print(find(instances(laws=["bernoulli"]), lambda instance: instance.L > 1))
    instance: 3 arms, 2 plays, rewards bernoulli
    means       0 0 0
    capacities  1 1 1
    best action 1 1 0: 0 a slot
    """
    count = draw(st.integers(smallest, largest))
    plays = draw(st.one_of(st.just(count - 1), st.integers(1, count - 1)))
    law = draw(st.sampled_from(list(laws)))
    if law in BY_ARM:  # each arm has a law of its own
        held = draw(many_of(one_capacity(plays), count))
        if law == "empirical":
            seen = Empirical(tuple(draw(many_of(_samples(), count))))
            return Instance(seen.means, held, plays, seen)
        means = draw(many_of(gaussian_means(), count))
        spread = draw(many_of(variances(largest_variance), count))
        return Instance(means, held, plays, GaussianByArm(tuple(spread)))
    means = draw(many_of(_means(law), count, distinct))
    if not distinct and draw(st.booleans()):
        means[-1] = means[0]  # random means are rarely equal
    held = draw(many_of(one_capacity(plays), count))
    return Instance(means, held, plays, draw(_laws(law, largest_variance)))


def many_of(one: SearchStrategy[_T], n: int, unique: bool = False) -> SearchStrategy[list[_T]]:
    """Lists of n values.

    >>> from hypothesis import find
    >>> find(many_of(decimals(0, 1, 1), 2), lambda pair: True)
    [Fraction(0, 1), Fraction(0, 1)]
    """
    return st.lists(one, min_size=n, max_size=n, unique=unique)


@cache
def _samples() -> SearchStrategy[Sample]:
    """Observed rewards of an arm: few values, including 0 and 1, possibly a single one.

    >>> from hypothesis import find
    >>> find(_samples(), lambda sample: True)
    Sample(values=(Fraction(0, 1),), weights=(1,))
    """
    return st.dictionaries(unit_means(), st.integers(1, 99), min_size=1, max_size=4).map(Sample.of)


@cache
def _means(law: str) -> SearchStrategy[Fraction]:
    if law == "gaussian":
        return gaussian_means()
    if law == "beta":
        return unit_means().filter(lambda mean: 0 < mean < 1)
    return unit_means()


@cache
def _laws(name: str, largest_variance: Fraction) -> SearchStrategy[RewardLaw]:
    if name == "gaussian":
        return variances(largest_variance).map(Gaussian)
    if name == "beta":
        return st.sampled_from([Beta(Fraction(c)) for c in ("4", "1", "0.01", "1000")])
    return st.just(Bernoulli())
