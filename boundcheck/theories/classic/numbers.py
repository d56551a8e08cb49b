"""Cards about numbers alone: tails of Student's and of the chi-square law, one regression.

A case is a point or, for Student's law, a stretch of a: the tail at its left end is compared with
the claimed number at its right end, so that what is decided holds for every a in between. The
regression has one regressor of size x in each of t rounds, r = t x^2 / lambda, a parameter 0 and
Gaussian noise: its estimate is outside the set at that time with probability
P(|Z| > sqrt((1 + 1/r) radius^2)), Z a standard normal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import ceil, sqrt
from typing import Any

import numpy as np
from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from sympy import Expr

from boundcheck.calculator.numbers.balls import ball
from boundcheck.calculator.numbers.evaluate import BALLS, Evaluator
from boundcheck.calculator.question import Question
from boundcheck.claims import symbols as s
from boundcheck.claims.card import Claim
from boundcheck.judging.comparison import Measured
from boundcheck.judging.default_statements.whole import InstanceCase
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Enclosed
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.search.simplify import rounder, smaller_numbers
from boundcheck.search.strategies import confidences, decimals
from boundcheck.theories.classic.symbols import a, df, r
from simulation.numbers import decimal
from simulation.world.instance import Instance

DEGREES = (*range(1, 21), 30, 58, 100, 200)
MANY_DEGREES = (*DEGREES, 500, 1000, 5000)
NOWHERE = Instance(["0.6", "0.4"], [1, 1], 1)  # these cards are about no instance


@dataclass(frozen=True)
class Point(InstanceCase):
    """Numbers by name: nu and a stretch of a, or r and delta."""

    values: tuple[tuple[str, Fraction], ...] = ()

    @classmethod
    def at(cls, instance: Instance = NOWHERE, **values: Fraction | int) -> Point:
        return cls(instance, values=tuple((k, Fraction(v)) for k, v in values.items()))

    def __getitem__(self, name: str) -> Fraction:
        return dict(self.values)[name]

    def parameters(self) -> dict[str, str]:
        return {name: decimal(value, 6) for name, value in self.values}

    def simpler(self) -> Iterator[Point]:
        for place, (name, value) in enumerate(self.values):
            whole = name == "nu"
            for less in map(Fraction, smaller_numbers(int(value))) if whole else rounder(value):
                if less > 0 and (name != "delta" or less < 1):
                    values = (*self.values[:place], (name, less), *self.values[place + 1 :])
                    yield replace(self, values=values)


def value(expression: Expr, **values: Fraction) -> arb:
    """A formula of these cards, enclosed."""
    symbols = {"nu": df, "a": a, "r": r, "delta": s.delta}
    given = {symbols[k]: np.array([[ball(v)]], dtype=object) for k, v in values.items()}
    found: arb = Evaluator(BALLS, given)(expression).item()
    return found


# -- tails ---------------------------------------------------------------------------------------


def stretches(nu: int) -> list[Point]:
    """a from 0 to sqrt(2 (nu + 1)) and a little further, a^2 in steps of at most 3/2."""
    pieces = 2 * (nu + 1) * 2 // 3 + 1
    ends = [
        Fraction(ceil(sqrt(2 * (nu + 1) * k / pieces) * 10**6), 10**6) for k in range(pieces + 1)
    ]
    return [Point.at(nu=nu, low=low, high=high) for low, high in pairwise(ends)]


def student_tail(card: Claim, case: Point, context: RunContext) -> Measured | None:
    """P(X >= a) at the left end, by the incomplete beta function."""
    nu, low = ball(case["nu"]), ball(case["low"])
    x = nu / (nu + low * low)
    return Enclosed.of(x.beta_lower(nu / 2, arb(1) / 2, regularized=1) / 2)


def student_claim(card: Claim, case: Point) -> arb:
    return value(card.formula.args[1], nu=case["nu"], a=case["high"])  # type: ignore[union-attr]


def chi_square_tail(card: Claim, case: Point, context: RunContext) -> Measured | None:
    """P(X >= x) by the incomplete gamma function, x as the card has it."""
    x = value(card.formula.args[0], nu=case["nu"])  # type: ignore[union-attr]
    return Enclosed.of((x / 2).gamma_upper(ball(case["nu"]) / 2, regularized=1))


def chi_square_claim(card: Claim, case: Point) -> arb:
    return value(card.formula.args[1], nu=case["nu"])  # type: ignore[union-attr]


@st.composite
def any_stretch(draw: DrawFn) -> Point:
    return draw(st.sampled_from(stretches(draw(st.integers(1, 200)))))


# -- one regressor -------------------------------------------------------------------------------


def _outside(card: Claim, case: Point, context: RunContext) -> Measured | None:
    """The chance that the parameter is outside the set at one time: at least that at some."""
    squared = value(card.formula, r=case["r"], delta=case["delta"])
    chance = ((1 + 1 / ball(case["r"])) * squared / 2).sqrt().erfc()
    return Enclosed.of(chance)


@st.composite
def regressions(draw: DrawFn) -> Point:
    size = draw(decimals(0, 100, 2).filter(lambda x: x > 0))
    return Point.at(r=size, delta=draw(confidences()))


def _grid(points: Callable[[], Iterator[Point]]) -> Callable[..., Iterator[Point]]:
    def cases(
        card: Claim, instance: Instance, question: Question, context: RunContext
    ) -> Iterator[Point]:
        yield from (replace(point, instance=instance) for point in points())

    return cases


def _statement(
    words: str,
    actual: Callable[[Claim, Any, RunContext], Measured | None],
    claimed: Callable[[Claim, Any], Any],
    points: Callable[[], Iterator[Point]],
    drawn: Callable[[], SearchStrategy[Any]],
) -> tuple[Statement, ...]:
    said = "in the closest case the probability is {actual}, claimed to be at most {claimed}"
    return (
        Statement(
            role=Role.INTENDED,
            text=words,
            actual=(Measurement("certified", actual),),
            claimed=claimed,
            cases=_grid(points),
            strategy=drawn,
            explanations={
                Verdict.REFUTED: "the probability is {actual}, claimed to be at most {claimed}",
                Verdict.HOLDS: f"true in every case; {said}",
            },
        ),
    )


_SET = _statement(
    "P(the parameter is outside the set at one time) <= delta",
    _outside,
    lambda card, case: case["delta"],
    lambda: (
        Point.at(r=size, delta=Fraction(delta))
        for size in (1, 5, 10, 20, 50)
        for delta in ("0.1", "0.01", "0.001", "0.0001", "1e-6")
    ),
    regressions,
)
STATEMENTS = {
    "student-tail": _statement(
        "P(X >= a) <= exp(-a^2/4) for 0 <= a <= sqrt(2 (nu + 1)), X of Student's law",
        student_tail,
        student_claim,
        lambda: (point for nu in DEGREES for point in stretches(nu)),
        any_stretch,
    ),
    "chi-square-tail": _statement(
        "P(X >= 4 nu) <= exp(-(nu + 1)/2), X of the chi-square law",
        chi_square_tail,
        chi_square_claim,
        lambda: (Point.at(nu=nu) for nu in MANY_DEGREES),
        lambda: st.integers(1, 5000).map(lambda nu: Point.at(nu=nu)),
    ),
    "regression": _SET,
    "regression-printed": _SET,
}
