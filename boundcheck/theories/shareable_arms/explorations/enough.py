"""The number of explorations that a card requires, and the probability that they do not suffice.

A card requires n explorations of each kind (its first quantity, rounded up) and gives the interval
that the estimator uses (its formula, the width s). After n of each kind, or n of one kind and many
more of the other, the estimator fails if its bounds do not meet at m or, where a threshold d <= m
is to be reached, if its lower bound is below d.

For few Bernoulli explorations: a sum over the lattice of successes. Otherwise enclosed tails; where
these do not decide, both sums are simulated and failures counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from boundcheck.calculator.numbers.balls import precision
from boundcheck.calculator.numbers.widths import enclosed
from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.evidence import paths
from boundcheck.evidence.tails import Arm, Enclosure, Explored
from boundcheck.judging.comparison import Measured
from boundcheck.judging.decide import BITS
from boundcheck.judging.measured import Counted
from boundcheck.judging.run_context import RunContext
from boundcheck.theories.shareable_arms import question as own
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.exact.lattices import Lattice
from boundcheck.theories.shareable_arms.interval.failure import (
    AHEAD,
    ExplorationCounts,
    confidences_asked,
)
from boundcheck.theories.shareable_arms.one_arm import OneArm, earning, representatives
from simulation.rewards.laws import Bernoulli, Gaussian
from simulation.world.instance import Instance

KINDS = ("", "individual", "united")  # the kind that is far ahead, if one is
_DRAWS = 4_000_000  # Beta rewards in one case, which are drawn one by one
_FEWEST = 200  # fewest trials worth counting
_LARGEST = 10**15  # largest counts and means that floats represent well
_MOST_DIGITS = 5_000  # digits of an admissible confidence; with more, an arm is left out
_ROW = 8  # number of confidences, each half of the one before


@dataclass(frozen=True)
class SufficientSize(OneArm):
    """An arm explored as often as a card requires, possibly with one kind far more often."""

    ahead: str = ""

    @property
    def symbols(self) -> dict[str, Fraction | int]:
        """The values of the symbols in formulas about one arm."""
        return {
            s.mu.name: self.mean,
            s.m.name: self.capacity,
            s.d.name: self.threshold or 2,
            s.delta.name: self.confidence,
            s.T.name: 2 / self.confidence,
        }

    def size(self, card: Claim, place: int = 0) -> arb:
        """Explorations of each kind by a quantity of the card, rounded up."""
        (term,) = card.quantities[place].terms
        with precision(BITS):
            (size,) = enclosed(term.expression, self.symbols)
            return size.upper().ceil()

    def explorations(self, card: Claim, place: int = 0) -> int:
        """The same as an integer, at least one."""
        return max(int(self.size(card, place).unique_fmpz()), 1)

    def looks(self, card: Claim) -> ExplorationCounts:
        """The counts at which the estimator should be right."""
        each = self.explorations(card)
        individual, united = (each * AHEAD if kind == self.ahead else each for kind in KINDS[1:])
        arm = self.mean, self.capacity, self.plays, self.law, self.confidence
        return ExplorationCounts(*arm, individual=(individual,), united=(united,))

    def parameters(self) -> dict[str, Any]:
        return super().parameters() | ({"far_ahead": self.ahead} if self.ahead else {})

    def simpler(self) -> Iterator[Self]:
        if self.ahead and self.inside is None:
            yield replace(self, ahead="")
        yield from super().simpler()


# -- what is measured ------------------------------------------------------------------------


def failure_chance(card: Claim, case: SufficientSize, context: RunContext) -> Measured | None:
    """P(m is not learnt), or P(d is not reached): summed, or enclosed by tails."""
    looks, m, plays, d = case.looks(card), case.capacity, case.plays, case.threshold

    def summed(lattice: Lattice) -> Fraction:
        return 1 - lattice.meeting(m, plays)[0] if d is None else lattice.unreached(d, m)

    def by_tails(explored: Explored, width: arb) -> Enclosure:
        return explored.unlearned(width, plays) if d is None else explored.unreached(d, width)

    return looks.chance(card, summed, by_tails, **looks.counts)


def failures_drawn(card: Claim, case: SufficientSize, context: RunContext) -> Measured | None:
    """Both sums simulated at the two counts, if that is affordable."""
    looks, trials = case.looks(card), context.effort.trials
    counts = looks.counts.values()
    # for other laws, sums are drawn reward by reward
    if not isinstance(case.law, Bernoulli | Gaussian):
        trials = min(trials, _DRAWS // sum(counts))
    if trials < _FEWEST or case.mean > _LARGEST or max(counts) > _LARGEST:
        return None
    asked = f"{case.number} {case.confidence} {case.threshold} {case.ahead}"
    rng = context.generator(f"{card.id} enough {asked}")
    width, failed = float(looks.width(card)), 0
    for muhat, rate in paths.rates(case.law, float(case.mean), looks.schedule, trials, rng):
        low, high = looks.bounds(muhat, rate, width)
        if case.threshold is not None:
            good = low >= case.threshold
        else:
            good = (muhat > width) & (low == case.capacity) & (high == case.capacity)
        failed += int((~good).sum())
    return Counted(failed, trials, looks.counts)


# -- cases of an instance --------------------------------------------------------------------


def sizes_on_instance(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[SufficientSize]:
    """Every arm with positive mean (a selection if there are many), at the confidences asked for
    and the largest admissible ones.
    """
    found = representatives(earning(instance))
    for arm in found if instance.plays > 1 else ():  # with one play there is no capacity to learn
        for d in _thresholds(card, arm, question):
            for case in _confidences(card, instance, question, arm, d):
                yield from (replace(case, ahead=kind) for kind in KINDS)


def _thresholds(card: Claim, arm: Arm, question: Question) -> Sequence[int | None]:
    """For a card about a threshold: 2, the capacity, and the one asked for."""
    if s.d not in card.quantities[0].symbols:
        return [None]
    asked = {2, arm.capacity, own.Question.of(question).threshold or 2}
    return sorted(d for d in asked if 2 <= d <= arm.capacity)


def _confidences(
    card: Claim, instance: Instance, question: Question, arm: Arm, d: int | None
) -> Iterator[SufficientSize]:
    if s.T in card.quantities[0].symbols:
        horizon = question.horizon
        asked = [SufficientSize.of(instance, arm, 2 / horizon, threshold=d, horizon=horizon)]
    else:
        deltas = confidences_asked(question)
        asked = [SufficientSize.of(instance, arm, delta, threshold=d) for delta in deltas]
    yield from asked
    yield from _widest(card, asked[0])


def _widest(card: Claim, case: SufficientSize) -> Iterator[SufficientSize]:
    """The case at the largest delta (the shortest horizon) that the card's condition admits.

    If n is so small that rounding it up matters, smaller deltas are included, too, since they may
    be harder. A delta with too many digits is left out.
    """
    for condition in (a.relation for a in card.assumptions):
        if condition is None or condition.lhs not in (s.delta, s.T):
            continue
        with precision(BITS):
            (limit,) = enclosed(condition.rhs, case.symbols)
            if case.horizon is not None:
                deltas = _largest(1 / limit, Fraction(1, 2))
                yield from (replace(case, horizon=1 / delta) for delta in deltas)
            else:
                yield from (replace(case, delta=x) for x in _largest(limit, Fraction(1)))


def _largest(limit: arb, below: Fraction) -> list[Fraction]:
    """Deltas of at most `limit` and less than `below`: a power of ten, or a decreasing sequence if
    it is large.
    """
    if not limit.is_finite() or not limit > 0:
        return []
    if limit > arb(1) / 10_000:
        top = float(min(Fraction(float(limit.lower())), below))
        return [Fraction(f"{top * 0.999999 / 2**k:.9f}") for k in range(_ROW)]
    digits = int((-(limit.log() / arb(10).log())).upper().ceil().unique_fmpz())
    return [Fraction(1, 10**digits)] if digits <= _MOST_DIGITS else []


# -- drawn cases -----------------------------------------------------------------------------

_VARIANCES = [Fraction(v) for v in ("1/4", "1/4", "1/2", "1")]  # the last is outside the model


def _tenths(low: int, high: int) -> st.SearchStrategy[Fraction]:
    return st.integers(low, high).map(lambda n: Fraction(n, 10))


def _powers(base: int, low: int, high: int) -> st.SearchStrategy[Fraction]:
    return st.integers(low, high).map(lambda n: Fraction(1, base**n))


@st.composite
def sufficient_sizes(
    draw: DrawFn, *, reaching: bool = False, at_horizon: bool = False
) -> SufficientSize:
    """Random cases: means up to the capacity with a tiny delta, means far above it, small ones with
    a large delta (where conditions on it fail), and few enough successes to be summed.
    """
    m = draw(st.integers(2 if reaching else 1, 4))
    normal = st.sampled_from(_VARIANCES).map(Gaussian)
    mean, delta, law = draw(
        st.one_of(
            st.tuples(_tenths(5, 10).map(lambda x: x * m), _powers(10, 20, 100), normal),
            st.tuples(_tenths(11, 300).map(lambda x: x * m), _powers(2, 1, 40), normal),
            st.tuples(_powers(10, 0, 6), _tenths(1, 9), normal),
            st.tuples(_tenths(5, 10), _tenths(1, 9), st.just(Bernoulli())),
        )
    )
    plays = m + draw(st.integers(0, 1))
    threshold = draw(st.integers(2, m)) if reaching else None
    horizon = max(2 / delta, Fraction(3)) if at_horizon else None
    ahead = draw(st.sampled_from(KINDS)) if isinstance(law, Gaussian) else ""
    return SufficientSize(mean, m, plays, law, delta, threshold, horizon, ahead=ahead)
