"""How the confidence interval of a capacity can fail, and with which probability.

After tau individual and iota united explorations muhat and nuhat are their means and s the width
that the card gives. For muhat > s, m lies in the interval iff |muhat - nuhat/m| <= s. Times are
part of the case: "at all times" holds if it holds for every finite set of looks; one or many are
tested.

One look: a sum over the lattice of successes (Bernoulli, few explorations) or enclosed tails. Many
looks: paths are drawn and counted; a failure between looks goes unseen, which can only hide one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import ceil, log, log1p
from typing import Any, Self

import numpy as np
from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from scipy.special import ndtri

from boundcheck.calculator.numbers.domains import FloatArray
from boundcheck.calculator.numbers.widths import enclosed, in_floats
from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.evidence import paths
from boundcheck.evidence.tails import Arm, Enclosure, Explored
from boundcheck.judging.comparison import Measured
from boundcheck.judging.measured import Counted, Enclosed, Exact
from boundcheck.judging.run_context import RunContext
from boundcheck.search.simplify import rounder_counts
from boundcheck.search.strategies import confidences, fractions_of_one
from boundcheck.theories.shareable_arms.exact.lattices import Lattice, Undecided, enclosing
from boundcheck.theories.shareable_arms.one_arm import OneArm, earning, exposed
from simulation.rewards.laws import Bernoulli, Gaussian
from simulation.world.instance import Instance

NO_ARM = "no arm earns with a capacity that the plays can fill"
NOT_SUMMED = "the exact law of sums of these rewards would decide"
LATTICE = 400  # largest number of explorations for exact sums
AHEAD = 1_000_000  # count of the kind that is far ahead
_COUNTS = (1, 2, 3, 5, 10, 20, 50, 100, 1_000, 10_000, 100_000)
SINGLE = tuple(pair for n in _COUNTS for pair in ((n, n), (AHEAD, n), (n, AHEAD)))


@dataclass(frozen=True)
class ExplorationCounts(OneArm):
    """An arm observed after growing numbers of explorations."""

    individual: tuple[int, ...] = (1,)
    united: tuple[int, ...] = (1,)
    growing: str = ""  # how the counts grow, if there are many looks

    @property
    def single(self) -> bool:
        return len(self.individual) == 1

    @property
    def counts(self) -> dict[str, int]:
        """The counts at the last look."""
        return {"individual": self.individual[-1], "united": self.united[-1]}

    @property
    def _values(self) -> dict[str, Any]:
        known = {"delta": self.delta, "sigma2": self.law.proxy_variance}
        return known | {"tau": self.individual, "iota": self.united}

    def width(self, card: Claim) -> arb:
        """s at the only look, enclosed."""
        (s,) = enclosed(card.formula, self._values)
        return s

    def widths(self, card: Claim) -> FloatArray:
        """s at every look, in floats."""
        floats = {name: np.array(value, dtype=np.float64) for name, value in self._values.items()}
        return in_floats(card.formula, floats)

    def beyond_floats(self, card: Claim) -> bool:
        """Whether the mean is so far above the widths that rounding alone would leave the
        interval.
        """
        widths = self.widths(card)
        return float(abs(self.mean)) > 1e9 * float(widths[np.isfinite(widths)].min(initial=np.inf))

    def lattice(self, card: Claim) -> Lattice | None:
        """The exact law of both counts of successes, if it is small enough."""
        small = self.individual[0] + self.united[0] <= LATTICE
        if not (self.single and small and isinstance(self.law, Bernoulli)):
            return None
        s = self.width(card)
        if not s.is_finite():
            return None
        return Lattice(self.mean, self.individual[0], self.united[0], enclosing(s))

    def chance(
        self,
        card: Claim,
        summed: Callable[[Lattice], Fraction | None],
        by_tails: Callable[[Explored, arb], Enclosure | None],
        **more: Any,
    ) -> Enclosed | None:
        """The probability of an event at one look: a sum over the lattice, or enclosed by tails."""
        if not self.single or not (s := self.width(card)).is_finite():
            return None
        lattice = self.lattice(card)
        if lattice is None:
            ends = by_tails(self.explored, s)
            return None if ends is None else Enclosed(*ends, more)
        try:
            total = summed(lattice)
        except Undecided:  # the width coincides with a lattice point
            return None
        return None if total is None else Exact(total, **more)

    @property
    def explored(self) -> Explored:
        """The arm at the only look."""
        arm = Arm(self.number, self.mean, self.capacity, self.law)
        return Explored(arm, self.individual[0], self.united[0])

    def bounds(self, muhat: FloatArray, rate: FloatArray, s: Any) -> tuple[Any, Any]:
        """Both printed bounds of m, in floats; the upper one is meaningful if muhat > s."""
        with np.errstate(divide="ignore", invalid="ignore"):
            low = np.ceil(self.capacity * rate / (muhat + s))
            high = np.floor(self.capacity * rate / (muhat - s))
        return np.maximum(low, 1), np.minimum(high, self.plays)

    @property
    def schedule(self) -> paths.Schedule:
        counts = (np.array(c, dtype=np.int64) for c in (self.individual, self.united))
        return paths.Schedule(self.growing, self.growing, *counts)

    def parameters(self) -> dict[str, Any]:
        if self.single:
            return super().parameters() | self.counts
        many = {"growing": self.growing, "counts_up_to": self.counts, "looked_at": paths.LOOKS}
        return super().parameters() | many

    def simpler(self) -> Iterator[Self]:
        yield from super().simpler()
        if self.single and self.inside is None:
            for count in rounder_counts(self.individual[0]):
                yield replace(self, individual=(count,))
            for count in rounder_counts(self.united[0]):
                yield replace(self, united=(count,))


# -- what is measured ------------------------------------------------------------------------


def capacity_missed(
    card: Claim, case: ExplorationCounts, context: RunContext, *, signal: bool = True
) -> Measured | None:
    """P(muhat > s and m outside) at one look; without `signal`, P(m outside) where the upper end is
    infinite for muhat <= s.
    """
    return case.chance(
        card,
        lambda lattice: lattice.missed(signal=signal),
        lambda explored, s: explored.missed(s, signal=signal),
    )


def misses(card: Claim, case: ExplorationCounts, context: RunContext) -> Measured | None:
    """Paths on which the interval misses m at some look."""
    if case.single or case.beyond_floats(card):
        return None
    rng = context.generator(f"{card.id} misses {case.growing} {case.delta}")
    trials = context.effort.trials
    mean, width = float(case.mean), case.widths(card)
    hits = paths.missing_paths(case.law, mean, case.schedule, width, trials, rng)
    return Counted(hits, trials, partial=paths.UNSEEN)


def wrong(card: Claim, case: ExplorationCounts, context: RunContext) -> Measured | None:
    """P(muhat > s and the bounds meet at another number than m) at one look."""
    return case.chance(
        card,
        lambda lattice: lattice.meeting(case.capacity, case.plays)[1],
        lambda explored, s: explored.wrong(s, case.plays),
    )


def wrong_somewhere(card: Claim, case: ExplorationCounts, context: RunContext) -> Measured | None:
    """Paths on which the bounds meet at a wrong number at some look."""
    if case.single or case.beyond_floats(card):
        return None
    rng = context.generator(f"{card.id} wrong {case.growing} {case.delta}")
    trials, s, hits = context.effort.trials, case.widths(card), 0
    for muhat, rate in paths.rates(case.law, float(case.mean), case.schedule, trials, rng):
        low, high = case.bounds(muhat, rate, s)
        hits += int(((muhat > s) & (low == high) & (low != case.capacity)).any(axis=1).sum())
    return Counted(hits, trials, partial=paths.UNSEEN)


# -- cases of an instance --------------------------------------------------------------------

Chosen = Callable[[Instance], list[Arm]]


def confidences_asked(question: Question) -> list[Fraction]:
    """The question's confidence, a large one, and that of the algorithms."""
    return [*dict.fromkeys([question.delta, Fraction(1, 5), 2 / question.horizon])]


def spread_most(instance: Instance) -> list[Arm]:
    return exposed(earning(instance))


def single_looks(
    card: Claim,
    instance: Instance,
    question: Question,
    context: RunContext,
    *,
    arms: Chosen = spread_most,
    counts: Sequence[tuple[int, int]] = SINGLE,
) -> Iterator[ExplorationCounts]:
    """Balanced counts, and one kind far ahead."""
    for arm, delta, pair in product(arms(instance), confidences_asked(question), counts):
        yield ExplorationCounts.of(instance, arm, delta, individual=pair[:1], united=pair[1:])


def all_looks(
    card: Claim,
    instance: Instance,
    question: Question,
    context: RunContext,
    *,
    arms: Chosen = spread_most,
) -> Iterator[ExplorationCounts]:
    """Single looks, then three ways for counts to grow, for the arm with the largest variance."""
    yield from single_looks(card, instance, question, context, arms=arms)
    for arm in spread_most(instance) if arms(instance) else ():
        for schedule in paths.schedules(arm.law):
            counts = (tuple(c.tolist()) for c in (schedule.individual, schedule.united))
            grown = dict(zip(("individual", "united"), counts, strict=True))
            for delta in dict.fromkeys([question.delta, Fraction(1, 5)]):
                yield ExplorationCounts.of(instance, arm, delta, **grown, growing=schedule.words)


def few_looks(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[ExplorationCounts]:
    """The arms with the smallest and largest mean, with so few united explorations that all of them
    may fail; for the conditional readings.
    """
    arms = sorted(earning(instance), key=lambda arm: arm.mean)
    ends = {arm.number: arm for arm in (*arms[:1], *arms[-1:])}
    for arm, delta in product(ends.values(), confidences_asked(question)):
        united = _without_success(arm, delta)
        for individual in (8, 64, LATTICE - united):
            yield ExplorationCounts.of(
                instance, arm, delta, individual=(individual,), united=(united,)
            )


def _without_success(arm: Arm, delta: Fraction) -> int:
    """The most united explorations, at most 64, that all fail with probability above delta."""
    mean = float(arm.mean)
    if isinstance(arm.law, Bernoulli):
        most = log(float(delta)) / log1p(-mean) if 0 < mean < 1 else 1.0
    else:  # normal: mean sqrt(n) below the quantile of delta in standard deviations
        most = (ndtri(float(delta)) ** 2) * float(arm.variance) / mean**2 if mean > 0 else 64.0
    return max(1, min(64, ceil(most) - 1))


# -- drawn cases -----------------------------------------------------------------------------


@st.composite
def few_successes(draw: DrawFn) -> ExplorationCounts:
    """Few explorations of a Bernoulli arm."""
    plays = draw(st.integers(1, 4))
    few = st.one_of(st.integers(1, 8), st.integers(1, 40))
    delta = draw(st.one_of(fractions_of_one(2), confidences()))
    capacity, mean = draw(st.integers(1, plays)), draw(fractions_of_one())
    individual, united = (draw(few),), (draw(few),)
    law = Bernoulli()
    return ExplorationCounts(
        mean, capacity, plays, law, delta, individual=individual, united=united
    )


@st.composite
def one_kind_ahead(draw: DrawFn) -> ExplorationCounts:
    """Gaussian, many explorations of one kind and few of the other, where the widths are
    tightest.
    """
    many, few = (10 ** draw(st.integers(2, 9)),), (draw(st.integers(1, 300)),)
    individual, united = (many, few) if draw(st.booleans()) else (few, many)
    law = Gaussian(draw(st.sampled_from([Fraction(1, 2), Fraction(1, 4)])))
    delta = Fraction(1, 10 ** draw(st.integers(1, 60)))
    mean = draw(st.sampled_from([Fraction(1), Fraction(10), Fraction(100)]))
    capacity = draw(st.integers(1, 3))
    return ExplorationCounts(mean, capacity, 3, law, delta, individual=individual, united=united)


def exploration_cases() -> st.SearchStrategy[ExplorationCounts]:
    return st.one_of(few_successes(), one_kind_ahead())
