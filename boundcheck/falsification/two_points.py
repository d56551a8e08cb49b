"""Theorem 4.1 and remark 4.2: explorations said to be needed, beside the number that suffices.

A counterexample is an arm, a pair of capacities {a, b} and a delta at which some n up to the
published size lets a test tell a from b with both errors below delta; `actual` is the smallest such
n, by the exact minimax error. Loads above b tell the most, so no choice of loads does better.

With R = mu^2/(m^2 sigma^2) the proof needs KL(a || b) <= R, or for 4.1b <= (m - d + 1)^2 R. This
holds from some R on: the sharp threshold of the signal-to-noise assumptions, found by bisection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log, sqrt

import numpy as np
from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from boundcheck import functions as fn
from boundcheck import symbols as s
from boundcheck.balls import ball, precision
from boundcheck.evaluate import BALLS, Evaluator
from boundcheck.falsification.one_arm import Case
from boundcheck.falsification.outcome import Falsification
from boundcheck.falsification.registry import Task, searches
from boundcheck.search.hunt import bisected, hunt, simplest
from boundcheck.strategies import decimals, variances
from boundcheck.two_point import enclosed_error

_BITS = 128
_LARGEST_SIZE = 400  # explorations; beyond, an example is left out
_MOST_PLAYS = (3, 5, 8, 12)  # few first: a counterexample with few arms is simpler
_LARGEST_CAPACITY = 10  # of the table of thresholds

Pair = tuple[int, int]


@dataclass(frozen=True)
class Tested:
    """Which pair of capacities a case stands for, and whether it stands for one at all."""

    words: str
    pair: Callable[[Case], Pair]
    concerns: Callable[[Case], bool]
    remark: str = ""


BELOW = Tested("pair {m - 1, m}", lambda c: (c.capacity - 1, c.capacity), lambda c: c.capacity > 1)
ABOVE = Tested(
    "pair {m, m + 1}", lambda c: (c.capacity, c.capacity + 1), lambda c: c.capacity < c.plays
)
REACHED = Tested(
    "m >= d, pair {d - 1, m}",
    lambda c: (_d(c) - 1, c.capacity),
    lambda c: 2 <= _d(c) <= c.capacity,
)
ONE_SHORT = Tested(
    "m = d - 1, pair {m, d}",
    lambda c: (c.capacity, _d(c)),
    lambda c: c.capacity == _d(c) - 1,
    "; the published size is infinite, and its condition admits m = d - 1 only where d = N + 1",
)
SHORT = Tested(
    "m <= d - 2, pair {m, d}",
    lambda c: (c.capacity, _d(c)),
    lambda c: c.capacity <= _d(c) - 2 and _d(c) <= c.plays,
    "; the published size is that of the pair {d - 1, m}, which is closer",
)


def _d(case: Case) -> int:
    return case.threshold or 0


@searches("thm-4.1a", drops=("signal-to-noise",))
def learn_a_capacity(task: Task) -> Iterator[Falsification]:
    for tested in (BELOW, ABOVE):
        yield _searched(task, tested, threshold=False)
    if task.drop is not None:
        yield from _neighbours(task, (BELOW, ABOVE))


@searches("rem-4.2", drops=("signal-to-noise",))
def irregular_explorations(task: Task) -> Iterator[Falsification]:
    yield _searched(task, ABOVE, threshold=False)
    if task.drop is not None:
        yield from _neighbours(task, (ABOVE,))


@searches("thm-4.1b", drops=("threshold-signal-to-noise",))
def reach_a_threshold(task: Task) -> Iterator[Falsification]:
    for tested in (SHORT, ONE_SHORT, REACHED):
        yield _searched(task, tested, threshold=True)
    if task.drop is not None:
        yield from _reached(task)


# -- counterexamples ---------------------------------------------------------------------


@st.composite
def _cases(draw: DrawFn, most: int, threshold: bool) -> Case:
    """Arms on both sides of the signal-to-noise condition, most of them close to it."""
    plays = draw(st.integers(2, most))
    capacity = draw(st.integers(1, plays))
    d = draw(st.one_of(st.just(plays), st.integers(2, plays + 1))) if threshold else None
    variance = draw(variances())
    delta = Fraction(1, 10 ** draw(st.integers(1, 12)))
    powers = st.sampled_from([Fraction(1), Fraction(1, 10), Fraction(1, 100)])
    multiple = draw(st.one_of(powers, decimals(0, 2, 2), decimals(0, 10, 1)))
    edge = 2.0 if d is None else 2 * log(plays / (d - 1))
    distance = 1 if d is None else abs(capacity - d + 1) or 1
    mean = sqrt(float(multiple * variance) * edge) * capacity / distance
    return Case(Fraction(ceil(mean * 1000) + 1, 1000), capacity, plays, delta, variance, d)


def _searched(task: Task, tested: Tested, *, threshold: bool) -> Falsification:
    def excess(case: Case) -> arb:
        """log(delta/error) at the published size; not a number outside the claim's domain."""
        if case.mean <= 0 or not tested.concerns(case) or not case.admitted(task):
            return arb.nan()
        with precision(_BITS):
            size = _size(case, task)
            if size is None:
                return arb.nan()
            return (ball(case.delta) / _error(case, tested.pair(case), size)).log()

    def score(case: Case) -> float:
        return float(excess(case).mid())

    def fails(case: Case) -> bool:
        return bool(excess(case) > 0)

    reading = f"{tested.words}; {task.card.reading}"
    seen, found = 0, None
    for most in _MOST_PLAYS:
        hunted = hunt(_cases(most, threshold), score, fails, task.budget.part(len(_MOST_PLAYS)))
        seen, found = seen + hunted.examples, hunted.example
        if found is not None:
            break
    if found is None:
        words = "at the published size the exact error was never below delta"
        return task.nothing(seen, words, reading)
    case = simplest(found, Case.simpler, fails, task.budget)
    with precision(_BITS):
        published, pair = case.published(task), tested.pair(case)
        enough = _enough(case, pair)
    words = f"{enough} explorations suffice to tell {pair[0]} from {pair[1]} with error delta"
    words += tested.remark
    parameters = case.parameters | {"pair": list(pair)}
    return task.counterexample(
        seen,
        words,
        published,
        enough,
        reading,
        instance=case.instance,
        parameters=parameters,
    )


def _size(case: Case, task: Task) -> int | None:
    """The largest whole number up to the published size; an infinite one is any number."""
    published = case.published(task)
    if published.is_finite():
        whole = int(published.lower().floor().unique_fmpz())
        return whole if 0 <= whole <= _LARGEST_SIZE else None
    return _LARGEST_SIZE if case.delta < Fraction(1, 4) else None


def _error(case: Case, pair: Pair, size: int) -> arb:
    """The minimax error after so many explorations; none leaves even odds."""
    if size == 0:
        return arb(1) / 2
    assert case.variance is not None
    theta2 = ball(case.mean**2 / case.variance)
    return enclosed_error(arb(pair[0]), arb(pair[1]), theta2, arb(size))


def _enough(case: Case, pair: Pair) -> int:
    """The smallest number of explorations with error below delta; the error falls with it."""
    low, high = 0, 1
    while not _error(case, pair, high) < ball(case.delta):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        small = _error(case, pair, middle) < ball(case.delta)
        low, high = (low, middle) if small else (middle, high)
    return high


# -- thresholds --------------------------------------------------------------------------


def _neighbours(task: Task, tests: tuple[Tested, ...]) -> Iterator[Falsification]:
    """The smallest R with KL <= R, for each capacity and pair."""
    for tested in tests:
        for m in range(1, _LARGEST_CAPACITY + 1):
            case = Case(Fraction(1), m, m + 1, Fraction(1, 20), Fraction(1, 2))
            if tested.concerns(case):
                yield _threshold(task, tested, m, tested.pair(case), Fraction(1), Fraction(2))


def _reached(task: Task) -> Iterator[Falsification]:
    """The smallest (m - d + 1)^2 R with KL(d - 1 || m) <= it; the published one at N = m."""
    for m in range(2, 6):
        for d in range(2, m + 1):
            (assumed,) = (a for a in task.card.assumptions if a.name == task.dropped)
            published = Evaluator(BALLS, _known({s.N: m, s.d: d}))(assumed.relation.rhs).item()  # type: ignore[union-attr]
            yield _threshold(task, REACHED, m, (d - 1, m), Fraction(m - d + 1), published, d=d)


def _threshold(
    task: Task,
    tested: Tested,
    m: int,
    pair: Pair,
    scale: Fraction,
    published: Fraction | arb,
    **more: int,
) -> Falsification:
    """`scale`^2 R is what the divergence must not exceed."""

    def enough(ratio: Fraction) -> bool:
        theta2 = ratio / scale**2 * m**2
        divergence = fn.KL(s.m, s.m_L, s.mu)  # three free slots: the pair and theta^2
        known = _known({s.m: pair[0], s.m_L: pair[1], s.mu: theta2})
        return bool(Evaluator(BALLS, known)(divergence).item() <= ball(ratio))

    with precision(_BITS):
        low, high = bisected(enough, Fraction(0), Fraction(16))
        middle = ball(low).union(ball(high))
        words = "the divergence of the pair is at most what the proof needs exactly from here on"
        return task.threshold(
            words,
            published,
            middle,
            f"{tested.words}: KL <= (m - d + 1)^2 mu^2/(m^2 sigma^2)"
            if more
            else f"{tested.words}: KL <= mu^2/(m^2 sigma^2)",
            m=m,
            pair=list(pair),
            **more,
        )


def _known(values: dict[object, Fraction | int]) -> dict[object, np.ndarray]:
    return {
        symbol: np.array([[ball(Fraction(value))]], dtype=object)
        for symbol, value in values.items()
    }
