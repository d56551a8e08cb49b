"""How the interval of a capacity can fail, and with which probability.

After tau individual and iota united explorations muhat and nuhat are their means and s the width
that the card gives. For muhat > s, m lies in the interval iff |muhat - nuhat/m| <= s. Times are
part of the case: "at all times" is for every finite set of looks, of which one or many are taken.

One look: a sum over the lattice of successes (Bernoulli, few explorations) or enclosed tails. Many
looks: paths are drawn and counted; a failure between looks goes unseen, which can only hide one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import wraps
from math import ceil, log, log1p
from typing import Any, Self

import numpy as np
from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from scipy.special import ndtri

from boundcheck.claim import Claim
from boundcheck.evidence import paths
from boundcheck.evidence.inputs import FloatArray
from boundcheck.evidence.tails import Arm, Explored
from boundcheck.lab import Lab
from boundcheck.measured import Counted, Enclosed, Exact, Measured
from boundcheck.numbers.widths import along, enclosed
from boundcheck.question import Question
from boundcheck.search.simpler import rounder_counts
from boundcheck.shareable_arms.exact.lattices import Lattice, Undecided, enclosing
from boundcheck.shareable_arms.one_arm import OneArm, earning, exposed
from boundcheck.strategies import confidences, fractions_of_one
from simulation.instance import Instance
from simulation.rewards import Bernoulli, Gaussian

LATTICE = 400  # explorations that are summed over exactly
AHEAD = 1_000_000  # the count of the kind that is far ahead
_COUNTS = (1, 2, 3, 5, 10, 20, 50, 100, 1_000, 10_000, 100_000)
SINGLE = tuple(
    pair for n in _COUNTS for pair in ((n, n), (AHEAD, n), (n, AHEAD))
)  # balanced counts, and one kind far ahead
FEW = tuple((n, n) for n in (4, 6, 8, 12, 16, 24, 32, 48, 64))


@dataclass(frozen=True)
class Looks(OneArm):
    """An arm looked at after growing numbers of explorations."""

    individual: tuple[int, ...] = (1,)
    united: tuple[int, ...] = (1,)
    growing: str = ""  # how the counts grow, where there are many looks

    @property
    def single(self) -> bool:
        return len(self.individual) == 1

    def width(self, card: Claim) -> arb:
        """s at the only look, enclosed."""
        (s,) = enclosed(card.formula, self._values())
        return s

    def _values(self) -> dict[str, Any]:
        return {
            "tau": self.individual[0],
            "iota": self.united[0],
            "delta": self.delta,
            "sigma2": self.law.proxy_variance,
        }

    def widths(self, card: Claim) -> Any:
        """s at every look, in floats."""
        values: dict[str, Any] = {
            "tau": np.array(self.individual, dtype=np.float64),
            "iota": np.array(self.united, dtype=np.float64),
            "delta": float(self.delta),
            "sigma2": float(self.law.proxy_variance),
        }
        return along(card.formula, values)

    def beyond_floats(self, card: Claim) -> bool:
        """Is the mean so far above the widths that rounding alone would leave the interval?"""
        widths = self.widths(card)
        return float(abs(self.mean)) > 1e9 * float(widths[np.isfinite(widths)].min(initial=np.inf))

    def lattice(self, card: Claim) -> Lattice | None:
        """The exact law of both counts of successes, where it is small enough."""
        small = self.individual[0] + self.united[0] <= LATTICE
        if not (self.single and small and isinstance(self.law, Bernoulli)):
            return None
        s = self.width(card)
        if not s.is_finite():
            return None
        return Lattice(self.mean, self.individual[0], self.united[0], enclosing(s))

    def explored(self) -> Explored:
        return Explored(self.as_arm, self.individual[0], self.united[0])

    def bounds(self, muhat: FloatArray, rate: FloatArray, s: Any) -> tuple[Any, Any]:
        """Both printed bounds of m, in floats; the upper one means something where muhat > s."""
        with np.errstate(divide="ignore", invalid="ignore"):
            low = np.ceil(self.capacity * rate / (muhat + s))
            high = np.floor(self.capacity * rate / (muhat - s))
        return np.maximum(low, 1), np.minimum(high, self.plays)

    def schedule(self) -> paths.Schedule:
        counts = (np.array(c, dtype=np.int64) for c in (self.individual, self.united))
        return paths.Schedule(self.growing, self.growing, *counts)

    def told(self) -> dict[str, Any]:
        shown = super().told()
        if self.single:
            return shown | {"individual": self.individual[0], "united": self.united[0]}
        last = {"individual": self.individual[-1], "united": self.united[-1]}
        return shown | {"growing": self.growing, "counts_up_to": last, "looked_at": paths.LOOKS}

    def simpler(self) -> Iterator[Self]:
        yield from super().simpler()
        if self.single and self.inside is None:
            for count in rounder_counts(self.individual[0]):
                yield replace(self, individual=(count,))
            for count in rounder_counts(self.united[0]):
                yield replace(self, united=(count,))


# -- what is measured ------------------------------------------------------------------------

Event = Callable[[Claim, Any, Lab], Measured | None]


def where_decided(event: Event) -> Event:
    """A width that falls on a lattice point is no case for exact sums."""

    @wraps(event)
    def decided(card: Claim, case: Any, lab: Lab) -> Measured | None:
        try:
            return event(card, case, lab)
        except Undecided:
            return None

    return decided


@where_decided
def missed(card: Claim, case: Looks, lab: Lab) -> Measured | None:
    """P(muhat > s and m outside) at one look."""
    lattice = case.lattice(card)
    if lattice is not None:
        return Exact(lattice.missed(signal=True))
    if not case.single or not case.width(card).is_finite():
        return None
    return Enclosed(*case.explored().missed(case.width(card), signal=True))


def misses(card: Claim, case: Looks, lab: Lab) -> Measured | None:
    """Paths on which it happens at some look."""
    if case.single or case.beyond_floats(card):
        return None
    rng = lab.generator(f"{card.id} misses {case.growing} {case.delta}")
    trials = lab.effort.trials
    mean, width = float(case.mean), case.widths(card)
    hits = paths.misses(case.law, mean, case.schedule(), width, trials, rng)
    return Counted(hits, trials)


@where_decided
def wrong(card: Claim, case: Looks, lab: Lab) -> Measured | None:
    """P(muhat > s and the bounds meet at another number than m) at one look."""
    lattice = case.lattice(card)
    if lattice is not None:
        return Exact(lattice.meeting(case.capacity, case.plays)[1])
    if not case.single or not case.width(card).is_finite():
        return None
    return Enclosed(*case.explored().wrong(case.width(card), case.plays))


def wrong_somewhere(card: Claim, case: Looks, lab: Lab) -> Measured | None:
    """Paths on which the bounds meet at a wrong number at some look."""
    if case.single or case.beyond_floats(card):
        return None
    rng = lab.generator(f"{card.id} wrong {case.growing} {case.delta}")
    trials, s, hits = lab.effort.trials, case.widths(card), 0
    for muhat, rate in paths.rates(case.law, float(case.mean), case.schedule(), trials, rng):
        low, high = case.bounds(muhat, rate, s)
        hits += int(((muhat > s) & (low == high) & (low != case.capacity)).any(axis=1).sum())
    return Counted(hits, trials)


# -- cases of an instance --------------------------------------------------------------------


def confidences_asked(question: Question) -> list[Fraction]:
    """The question's confidence, a large one, and that of the algorithms."""
    return [*dict.fromkeys([question.delta, Fraction(1, 5), 2 / question.horizon])]


def single_looks(instance: Instance, question: Question, arms: list[Arm]) -> Iterator[Looks]:
    for arm in arms:
        for delta in confidences_asked(question):
            for tau, iota in SINGLE:
                yield Looks.of(instance, arm, delta, individual=(tau,), united=(iota,))


def on_instance(card: Claim, instance: Instance, question: Question, lab: Lab) -> Iterator[Looks]:
    """The arm whose rewards spread most: single looks, then three ways for counts to grow."""
    arms = exposed(earning(instance))
    yield from single_looks(instance, question, arms)
    for arm in arms:
        for schedule in paths.schedules(arm.law):
            for delta in dict.fromkeys([question.delta, Fraction(1, 5)]):
                yield Looks.of(
                    instance,
                    arm,
                    delta,
                    individual=tuple(schedule.individual.tolist()),
                    united=tuple(schedule.united.tolist()),
                    growing=schedule.words,
                )


# -- drawn cases -----------------------------------------------------------------------------


@st.composite
def few_successes(draw: DrawFn) -> Looks:
    """Few explorations of a Bernoulli arm."""
    plays = draw(st.integers(1, 4))
    few = st.one_of(st.integers(1, 8), st.integers(1, 40))
    delta = draw(st.one_of(fractions_of_one(2), confidences()))
    capacity, mean = draw(st.integers(1, plays)), draw(fractions_of_one())
    return Looks(
        mean, capacity, plays, Bernoulli(), delta, individual=(draw(few),), united=(draw(few),)
    )


@st.composite
def one_kind_ahead(draw: DrawFn) -> Looks:
    """Gaussian, many explorations of one kind and few of the other: there the widths add least."""
    many, few = 10 ** draw(st.integers(2, 9)), draw(st.integers(1, 300))
    counts = (many, few) if draw(st.booleans()) else (few, many)
    variance = draw(st.sampled_from([Fraction(1, 2), Fraction(1, 4)]))
    delta = Fraction(1, 10 ** draw(st.integers(1, 60)))
    mean = draw(st.sampled_from([Fraction(1), Fraction(10), Fraction(100)]))
    capacity = draw(st.integers(1, 3))
    return Looks(
        mean,
        capacity,
        3,
        Gaussian(variance),
        delta,
        individual=(counts[0],),
        united=(counts[1],),
    )


def drawn() -> st.SearchStrategy[Looks]:
    return st.one_of(few_successes(), one_kind_ahead())


def delta_of(card: Claim, case: OneArm) -> Fraction:
    return case.delta


def few_looks(card: Claim, instance: Instance, question: Question, lab: Lab) -> Iterator[Looks]:
    """The arm that earns least and the one that earns most, so few united explorations that they
    may well be without success, for the conditional readings."""
    arms = sorted(earning(instance), key=lambda arm: arm.mean)
    for arm in {arms[0].number: arms[0], arms[-1].number: arms[-1]}.values() if arms else ():
        for delta in confidences_asked(question):
            united = _without_success(arm, delta)
            for individual in (8, 64, LATTICE - united):
                yield Looks.of(instance, arm, delta, individual=(individual,), united=(united,))


def _without_success(arm: Arm, delta: Fraction) -> int:
    """The most united explorations, at most 64, that all fail with probability above delta."""
    mean = float(arm.mean)
    if isinstance(arm.law, Bernoulli):
        most = log(float(delta)) / log1p(-mean) if 0 < mean < 1 else 1.0
    else:  # normal: mean sqrt(n) below the quantile of delta in standard deviations
        most = (ndtri(float(delta)) ** 2) * float(arm.variance) / mean**2 if mean > 0 else 64.0
    return max(1, min(64, ceil(most) - 1))
