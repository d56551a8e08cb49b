"""Lemmas 5.1, 5.2, J.1 and J.2: does an interval fail more often than delta at one time?

One pair of counts (tau, iota) is enough to refute a statement about all times or about any time.
Bernoulli rewards: a sum over the lattice of successes, without rounding (`boundcheck.lattices`).
Gaussian rewards: enclosed normal tails (`boundcheck.tails`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Any, Self

import sympy
from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from boundcheck import balls
from boundcheck.balls import ball
from boundcheck.certified import BITS
from boundcheck.claims import find
from boundcheck.falsification.one_arm import Case
from boundcheck.falsification.outcome import Falsification
from boundcheck.falsification.registry import Task, searches
from boundcheck.falsification.search import hunt, rounder_counts, simplest
from boundcheck.lattices import Lattice, enclosing
from boundcheck.strategies import confidences, fractions_of_one
from boundcheck.tails import Explored
from boundcheck.widths import Exact, enclosed

UNIFORM, HOEFFDING = "lem-5.1", "lem-J.1"  # the cards that carry the two widths


@dataclass(frozen=True)
class Visited(Case):
    """An arm after tau individual and iota united explorations."""

    individual: int = 1
    united: int = 1

    @property
    def parameters(self) -> dict[str, Any]:
        return super().parameters | {"individual": self.individual, "united": self.united}

    def simpler(self) -> Iterator[Self]:
        yield from super().simpler()
        for count in rounder_counts(self.individual):
            yield replace(self, individual=count)
        for count in rounder_counts(self.united):
            yield replace(self, united=count)

    def width(self, formula: sympy.Expr) -> arb:
        values: dict[str, Exact | Sequence[Exact]] = {
            "tau": self.individual,
            "iota": self.united,
            "delta": self.delta,
        }
        (s,) = enclosed(formula, values)
        return s

    def lattice(self, formula: sympy.Expr) -> Lattice:
        return Lattice(self.mean, self.individual, self.united, enclosing(self.width(formula)))

    def explored(self) -> Explored:
        return Explored(self.arm, self.individual, self.united)


Probability = Callable[[Visited, sympy.Expr], arb]  # of a failure, or what it is at least


@dataclass(frozen=True)
class Failure:
    """Something that a claim says happens with probability delta at most."""

    words: str
    probability: Probability


# -- what can fail -----------------------------------------------------------------------


def _missed_given_signal(case: Visited, formula: sympy.Expr) -> arb:
    lattice = case.lattice(formula)
    signal = lattice.signal()
    return ball(lattice.missed(signal=True) / signal) if signal else arb(0)


def _wrong_given_meeting(case: Visited, formula: sympy.Expr) -> arb:
    right, wrong = case.lattice(formula).meeting(case.capacity, case.plays)
    return ball(wrong / (right + wrong)) if wrong else arb(0)


def _missed(case: Visited, formula: sympy.Expr) -> arb:
    if case.variance is None:
        return ball(case.lattice(formula).missed(signal=True))
    at_least, _ = case.explored().missed(case.width(formula), signal=True)
    return at_least


def _missed_or_none(case: Visited, formula: sympy.Expr) -> arb:
    lattice = case.lattice(formula)
    return ball(1 - lattice.signal() + lattice.missed(signal=True))


def _wrong(case: Visited, formula: sympy.Expr) -> arb:
    if case.variance is None:
        _, wrong = case.lattice(formula).meeting(case.capacity, case.plays)
        return ball(wrong)
    at_least, _ = case.explored().wrong(case.width(formula), case.plays)
    return at_least


def _where_it_is_claimed(probability: Probability) -> Probability:
    """J.1 asks for s < mu."""

    def inside(case: Visited, formula: sympy.Expr) -> arb:
        claimed = case.width(formula) < ball(case.mean)
        return probability(case, formula) if claimed else arb(0)

    return inside


GIVEN_SIGNAL = Failure("P(m is outside the interval | muhat > s)", _missed_given_signal)
GIVEN_MEETING = Failure("P(the bounds are not m | muhat > s, they meet)", _wrong_given_meeting)
MISSED = Failure("P(m is outside the interval, muhat > s)", _missed)
WRONG = Failure("P(muhat > s, the bounds meet at another number than m)", _wrong)
HOEFFDING_MISSED = Failure(MISSED.words, _where_it_is_claimed(_missed))
HOEFFDING_NONE = Failure(
    "P(muhat <= s, or m is outside the interval)", _where_it_is_claimed(_missed_or_none)
)


# -- which claims ------------------------------------------------------------------------


@searches("lem-5.1", drops=("sub-gaussian-half",))
def uniform_interval(task: Task) -> Iterator[Falsification]:
    if task.drop is None:
        reading = "as printed: a conditional probability given muhat > s, at one pair of counts"
        yield _searched(task, UNIFORM, GIVEN_SIGNAL, reading, _lattices())
    yield from _unconditional(task, UNIFORM, MISSED)


@searches("lem-5.2", drops=("sub-gaussian-half",))
def estimator(task: Task) -> Iterator[Falsification]:
    if task.drop is None:
        yield _searched(task, UNIFORM, GIVEN_MEETING, task.card.reading, _lattices())
    yield from _unconditional(task, UNIFORM, WRONG)


@searches("lem-J.1", drops=("sub-gaussian-half",))
def hoeffding_interval(task: Task) -> Iterator[Falsification]:
    if task.drop is None:
        reading = "as printed: no interval, hence a failure, where muhat <= s"
        yield _searched(task, HOEFFDING, HOEFFDING_NONE, reading, _lattices())
    yield from _unconditional(task, HOEFFDING, HOEFFDING_MISSED)


@searches("lem-J.2", drops=("sub-gaussian-half",))
def hoeffding_estimator(task: Task) -> Iterator[Falsification]:
    if task.drop is None:
        reading = "a conditional probability given that the bounds meet"
        yield _searched(task, HOEFFDING, GIVEN_MEETING, reading, _lattices())
    yield from _unconditional(task, HOEFFDING, WRONG)


def _unconditional(task: Task, width: str, failure: Failure) -> Iterator[Falsification]:
    """Laws with sigma above 1/2, which the model allows, and (nothing dropped) those below."""
    reading = (
        "unconditional, Gaussian variance in (1/4, 1/2]: allowed, but not covered by the proof"
    )
    yield _searched(task, width, failure, reading, _normals())
    if task.drop is None:
        reading = "unconditional, Bernoulli rewards (sigma at most 1/2)"
        yield _searched(task, width, failure, reading, _lattices())
    elif failure is MISSED:
        yield _threshold(task, width)


# -- search ------------------------------------------------------------------------------


@st.composite
def _lattices(draw: DrawFn) -> Visited:
    plays = draw(st.integers(1, 4))
    few = st.one_of(st.integers(1, 8), st.integers(1, 40))
    mean = draw(fractions_of_one())
    delta = draw(st.one_of(fractions_of_one(2), confidences()))
    capacity = draw(st.integers(1, plays))
    return Visited(mean, capacity, plays, delta, individual=draw(few), united=draw(few))


@st.composite
def _normals(draw: DrawFn) -> Visited:
    """Variance 1/2, many explorations of one kind and few of the other: the widths add least."""
    many, few = 10 ** draw(st.integers(2, 9)), draw(st.integers(1, 300))
    counts = (many, few) if draw(st.booleans()) else (few, many)
    delta = Fraction(1, 10 ** draw(st.integers(1, 60)))
    capacity = draw(st.integers(1, 3))
    mean = draw(st.sampled_from([Fraction(1), Fraction(10), Fraction(100)]))
    return Visited(mean, capacity, 3, delta, Fraction(1, 2), individual=counts[0], united=counts[1])


def _searched(
    task: Task, width: str, failure: Failure, reading: str, strategy: SearchStrategy[Visited]
) -> Falsification:
    formula = find(width).formula

    def excess(case: Visited) -> arb:
        """log(failure/delta); not a number outside the claim's domain."""
        if not case.mean > 0 or not case.admitted(task):
            return arb.nan()
        with balls.precision(BITS):
            return (failure.probability(case, formula) / ball(case.delta)).log()

    def score(case: Visited) -> float:
        value = excess(case).mid()
        return float(value) if value.is_finite() else -1e4

    def fails(case: Visited) -> bool:
        return bool(excess(case) > 0)

    hunted = hunt(strategy, score, fails, task.budget)
    if hunted.example is None:
        words = "the failure never exceeded delta at one time"
        return task.nothing(hunted.examples, words, reading)
    case = simplest(hunted.example, Visited.simpler, fails, task.budget)
    with balls.precision(BITS):
        chance = failure.probability(case, formula)
    words = f"{failure.words} exceeds delta"
    return task.counterexample(
        hunted.examples,
        words,
        case.delta,
        chance,
        reading,
        instance=case.instance,
        parameters=case.parameters,
    )


# -- how far beyond sigma = 1/2 ----------------------------------------------------------

_VARIANCES = ("0.5", "0.4", "0.3", "0.28", "0.26", "0.255", "0.251")


def _threshold(task: Task, width: str) -> Falsification:
    """The smallest variance that one time refutes.

    With tau so large that its width does not matter, the failure at iota is about (delta/c)^x with
    x = (1 + 1/iota)/(4 sigma^2) or less, which exceeds delta for small delta if sigma^2 > 1/4.
    """
    formula = find(width).formula
    refuted = [case for text in _VARIANCES if (case := _refuting(Fraction(text), formula))]
    case = refuted[-1]
    words = "no variance above 1/4 is safe: the smallest one tried that one time refutes"
    reading = "unconditional, at one time, individual explorations so many that they do not matter"
    return task.threshold(words, Fraction(1, 4), _variance(case), reading, **case.parameters)


def _refuting(variance: Fraction, formula: sympy.Expr) -> Visited | None:
    """So many explorations that the exponent x is below 1, and delta falling until it shows."""
    united = ceil(8 / (4 * variance - 1))
    for digits in (2**k for k in range(1, 14)):
        delta = Fraction(1, 10**digits)
        case = Visited(Fraction(10), 1, 2, delta, variance, individual=10**15, united=united)
        with balls.precision(BITS):
            if _missed(case, formula) > ball(delta):
                return case
    return None


def _variance(case: Visited) -> Fraction:
    assert case.variance is not None
    return case.variance
