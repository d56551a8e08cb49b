"""Theorem 5.3, lemma E.6, corollary J.3: are the explorations said to suffice enough?

Where the inequality (1) of the module `algebra` fails, means within their widths leave the capacity
unlearned: the proof fails. Whether the statement fails too is decided for Gaussian rewards, where
the chance that m + 1 (or d - 1) is not excluded is a normal tail.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import sympy
from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from numpy.typing import NDArray

from boundcheck import symbols as s
from boundcheck.balls import ball, precision
from boundcheck.evaluate import BALLS, Evaluator
from boundcheck.falsification.algebra import Algebra, Arms, climbed, drawn, ell, ratios
from boundcheck.falsification.one_arm import Case
from boundcheck.falsification.outcome import Falsification, Kind
from boundcheck.falsification.registry import Task, searches
from boundcheck.search.hunt import bisected, hunt, simplest
from boundcheck.sizing import Sized
from boundcheck.tails import Explored
from simulation.numbers import decimal

_BITS = 128
_SUSPECTS = 40  # of the arms closest to a counterexample, or beyond, how many to certify
_PER_EXAMPLE = 100  # arms looked at in floats for one example of the budget


@searches("thm-5.3a", "lem-E.6", drops=("confidence-range", "horizon"))
def learn(task: Task) -> Iterator[Falsification]:
    yield from _rows(task)


@searches("thm-5.3b", drops=("threshold-confidence-range",))
def reach(task: Task) -> Iterator[Falsification]:
    yield from _rows(task)


@searches("cor-J.3")
def learn_by_hoeffding(task: Task) -> Iterator[Falsification]:
    yield from _rows(task)


def _rows(task: Task) -> Iterator[Falsification]:
    algebra = Algebra(task.card)
    if task.drop is None:
        words = "the algebra of the proof, (4m + 3) w(n) < mu at the published n"
        if algebra.reaches:
            words = "the algebra of the proof, (m + 3d - 3) w(n) < (m - d + 1) mu"
        yield _algebra(task, algebra, f"means in (0, 1]: {words}", largest=0.0)
        yield _algebra(task, algebra, f"Gaussian means of any size: {words}", largest=3.0)
    yield _probability(task, algebra)
    if task.drop is not None:
        yield from _thresholds(task, algebra)


# -- the algebra -------------------------------------------------------------------------


def _algebra(task: Task, algebra: Algebra, reading: str, *, largest: float) -> Falsification:
    rng = np.random.default_rng(task.budget.seed)
    count = _PER_EXAMPLE * task.budget.examples
    arms = drawn(rng, algebra, largest, count)
    found = ratios(algebra, arms)
    order = np.argsort(-found)
    point, ratio, steps = climbed(algebra, arms, int(order[0]), largest)
    seen = count + steps
    # the summit is a corner that decimals miss; what is near it fails as well
    suspects = [point, *(arms.one(at) for at in order[:_SUSPECTS] if found[at] >= 1)]
    cases = (_certified_case(task, algebra, suspect) for suspect in suspects if ratio >= 1)
    case = next((certified for certified in cases if certified is not None), None)
    if case is None:
        words = f"the left side was at most {ratio:.6f} of the right side"
        shown = {"mean": f"{point.mean[0]:.6g}", "capacity": int(point.capacity[0])}
        return task.nothing(
            seen, words, reading, parameters=shown, published="1", actual=f"{ratio:.6g}"
        )
    case = simplest(case, Case.simpler, lambda c: _breaks(task, algebra, c), task.budget)
    left, right = _sides(task, algebra, case)
    parameters = case.parameters | {"explorations": _sized(task, algebra, case).size}
    words = "the left side exceeds the right: the proof fails here, the statement may still hold"
    return task.counterexample(
        seen,
        words,
        right,
        left,
        reading,
        Kind.GAP,
        instance=case.instance,
        parameters=parameters,
    )


def _certified_case(task: Task, algebra: Algebra, point: Arms) -> Case | None:
    """The arm in decimals, as an exact case, if (1) certainly fails for it."""
    m, d = int(point.capacity[0]), int(point.threshold[0])
    for digits in (3, 6, 9):
        mean = Fraction(f"{point.mean[0]:.{digits}g}")
        exponent = Fraction(f"{point.ell[0] * (1 + 10.0**-digits):.{digits + 3}g}")
        with precision(_BITS):
            level = (-ball(exponent)).exp()
            delta = Fraction(f"{float(2 * level):.{digits}g}") or Fraction(1, 10**300)
            horizon = Fraction(f"{float(1 / level):.{digits}g}")
        case = Case(
            mean,
            m,
            m + 1,
            min(delta, Fraction(999, 1000)),
            Fraction(1, 4),
            d if algebra.reaches else None,
            max(horizon, Fraction(2)) if s.T in task.card.quantities[0].symbols else None,
        )
        if _breaks(task, algebra, case):
            return case
    return None


def _sized(task: Task, algebra: Algebra, case: Case) -> Sized:
    published = case.published(task)
    size = max(int(published.upper().ceil().unique_fmpz()), 1)
    delta = 2 / case.horizon if case.horizon is not None else case.delta
    return Sized(case.arm, delta, size, algebra.width, case.threshold)


def _sides(task: Task, algebra: Algebra, case: Case) -> tuple[arb, arb]:
    with precision(_BITS):
        return _sized(task, algebra, case).sides()


def _concerns(task: Task, case: Case) -> bool:
    """At m = N the upper bound is cut off: nothing is left to exclude there."""
    room = case.threshold is not None or case.capacity < case.plays
    return room and case.mean > 0 and case.admitted(task)


def _breaks(task: Task, algebra: Algebra, case: Case) -> bool:
    if not _concerns(task, case):
        return False
    left, right = _sides(task, algebra, case)
    return bool(left >= right)


# -- the statement -----------------------------------------------------------------------


@st.composite
def _tails(draw: DrawFn, algebra: Algebra, dropped: bool) -> Case:
    """Gaussian arms of variance 1/4; without the condition on delta small means, large delta."""
    m = draw(st.integers(2 if algebra.reaches else 1, 4))
    d = draw(st.integers(2, m)) if algebra.reaches else None
    if dropped:
        mean = Fraction(1, 10 ** draw(st.integers(0, 12)))
        delta = Fraction(draw(st.integers(1, 19)), 20)
    else:
        mean = Fraction(draw(st.integers(1, 300)), 10) * m
        delta = Fraction(1, 2 ** draw(st.integers(1, 40)))
    horizon = Fraction(round(2 / delta)) if s.T in algebra.card.quantities[0].symbols else None
    return Case(mean, m, m + 1, delta, Fraction(1, 4), d, horizon)


def _probability(task: Task, algebra: Algebra) -> Falsification:
    """P(unlearned) after the published number of explorations exceeds delta."""
    reading = "Gaussian rewards of variance 1/4, the published number of explorations of each kind"

    def excess(case: Case) -> arb:
        if not _concerns(task, case):
            return arb.nan()
        with precision(_BITS):
            sized = _sized(task, algebra, case)
            return (_unlearned(sized) / ball(sized.delta)).log()

    def score(case: Case) -> float:
        value = excess(case).mid()
        return float(value) if value.is_finite() else -1e4

    def fails(case: Case) -> bool:
        return bool(excess(case) > 0)

    hunted = hunt(_tails(algebra, task.drop is not None), score, fails, task.budget)
    if hunted.example is None:
        words = "the chance of not learning never exceeded delta"
        return task.nothing(hunted.examples, words, reading)
    case = simplest(hunted.example, Case.simpler, fails, task.budget)
    with precision(_BITS):
        sized = _sized(task, algebra, case)
        chance = _unlearned(sized)
    return task.counterexample(
        hunted.examples,
        "P(the bounds do not decide) exceeds delta",
        sized.delta,
        chance,
        reading,
        instance=case.instance,
        parameters=case.parameters | {"explorations": sized.size},
    )


def _unlearned(sized: Sized) -> arb:
    """P(m + 1 is not excluded), for m < N; P(the lower end is at most d - 1)."""
    m, mean, n = sized.arm.capacity, ball(sized.arm.mean), sized.size
    both = 2 * sized.width(n)
    explored = Explored(sized.arm, n, n)
    if sized.threshold is not None:
        return explored.unreached(sized.threshold, both)[0]
    return explored.tail(-(m + 1), m, mean - (m + 1) * both)


# -- the condition on delta --------------------------------------------------------------


def _thresholds(task: Task, algebra: Algebra) -> Iterator[Falsification]:
    """The largest delta (smallest T) from which on (1) holds at the published size."""
    reading = "the algebra of the proof at the published size, not rounded: it holds from here on"
    for m in (1, 2, 3, 5):
        for mean in (Fraction(1), Fraction(1, 2), Fraction(1, 10)):
            if algebra.reaches and m == 1:
                continue
            d = m if algebra.reaches else None
            yield _threshold(task, algebra, reading, mean, m, d)


def _threshold(
    task: Task, algebra: Algebra, reading: str, mean: Fraction, m: int, d: int | None
) -> Falsification:
    def known(
        exponent: Fraction, more: dict[sympy.Symbol, arb] | None = None
    ) -> dict[sympy.Symbol, NDArray[np.object_]]:
        values = {s.mu: mean, s.m: Fraction(m), s.d: Fraction(d or 2), ell: exponent}
        enclosed = {symbol: ball(value) for symbol, value in values.items()}
        enclosed |= more or {}
        return {symbol: np.array([[x]], dtype=object) for symbol, x in enclosed.items()}

    def enough(exponent: Fraction) -> bool:
        size = Evaluator(BALLS, known(exponent))(algebra.size).item()
        ratio = Evaluator(BALLS, known(exponent, {s.n: size}))(algebra.ratio(s.n)).item()
        return bool(ratio < 1)

    with precision(_BITS):
        low, high = bisected(enough, Fraction(1, 1000), Fraction(1000))
        sharp = (ball(low).union(ball(high))).exp()
        assert algebra.smallest is not None
        printed = Evaluator(BALLS, known(high))(algebra.smallest).item().exp()
        horizon = s.T in task.card.quantities[0].symbols
        numbers = (printed, sharp) if horizon else (2 / printed, 2 / sharp)
        words = "T at least this is enough" if horizon else "delta up to this is enough"
        if not horizon and 2 / sharp >= 1:
            words = "every delta below 1 is enough"
        more = {} if d is None else {"threshold": d}
        return task.threshold(words, *numbers, reading, mean=decimal(mean), capacity=m, **more)
