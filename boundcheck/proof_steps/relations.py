"""Relations between formulas, evaluated at exact points or over boxes by enclosures.

A box gives each symbol a range of fractions. The gap of a relation is its right-hand side minus its
left-hand side: lhs <= rhs holds exactly if the gap is at least 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any, TypeAlias

import numpy as np
import sympy
from flint import arb

from boundcheck.calculator.numbers import balls
from boundcheck.calculator.numbers.evaluate import BALLS, Evaluator
from boundcheck.claims import functions as fn
from simulation.numbers import decimal, exact

BITS = 192
POINTS = 60  # sample points of a box
NUMBERS = "a comparison of numbers"  # for a formula without symbols
_SIMPLE = 10**6  # equality is tested only at points with denominators up to this
Point: TypeAlias = Mapping[sympy.Symbol, Fraction]
Range: TypeAlias = tuple[Fraction, Fraction]
Ranges: TypeAlias = Mapping[sympy.Symbol, tuple[object, object]]  # as written in a step
Box: TypeAlias = dict[sympy.Symbol, Range]


def box(ranges: Ranges) -> Box:
    """Ranges with exact ends; they may be written as 2, "0.1" or Fraction(1, 3)."""
    return {symbol: (exact(low), exact(high)) for symbol, (low, high) in ranges.items()}


def cut_off(ranges: Ranges) -> Ranges:
    """Ranges for sampling: infinite ones end at 1000."""
    return {s: (low, 1000 if high is sympy.oo else high) for s, (low, high) in ranges.items()}


def unfolded(expression: sympy.Expr) -> sympy.Expr:
    """Every function replaced by its formula, so that it can be differentiated."""
    while defined := expression.atoms(fn.Defined, fn.rel_entr):
        expression = expression.xreplace({f: _formula(f) for f in defined})
    return expression


def _formula(function: sympy.Function) -> sympy.Expr:
    if isinstance(function, fn.rel_entr):
        p, q = function.args
        return p * sympy.log(p / q)
    return function.func.formula(*function.args)


@dataclass(frozen=True)
class Goal:
    """lhs = rhs, lhs <= rhs or lhs < rhs, as a step asserts it, for symbols in these ranges.

    It is decided here and exported to other provers. An equation is asserted wherever both sides
    are defined; its ranges only say where to sample.
    """

    lhs: sympy.Expr
    relation: str
    rhs: sympy.Expr
    ranges: Ranges = field(default_factory=dict)

    @property
    def equation(self) -> bool:
        return self.relation == "="

    @property
    def strict(self) -> bool:
        return self.relation == "<"

    @property
    def trivial(self) -> bool:
        """Whether SymPy made both sides identical on construction, so that nothing is checked."""
        return bool(self.lhs == self.rhs)

    @cached_property
    def unfolded(self) -> tuple[sympy.Expr, sympy.Expr]:
        """Both sides with functions expanded."""
        return unfolded(self.lhs), unfolded(self.rhs)

    @property
    def symbols(self) -> set[sympy.Symbol]:
        sides = (self.lhs, self.rhs, *self.unfolded)
        return set().union(*(side.free_symbols for side in sides))

    @cached_property
    def gap(self) -> sympy.Expr:
        """rhs - lhs, which must be 0, at least 0 or above 0."""
        lhs, rhs = self.unfolded
        return rhs - lhs

    @property
    def domain(self) -> Ranges:
        """The ranges of the symbols that occur."""
        return {s: ends for s, ends in self.ranges.items() if s in self.gap.free_symbols}


def goal_at_most(lhs: sympy.Expr, rhs: sympy.Expr) -> Goal:
    return Goal(sympy.sympify(lhs), "<=", sympy.sympify(rhs))


def goal_below(lhs: sympy.Expr, rhs: sympy.Expr) -> Goal:
    return Goal(sympy.sympify(lhs), "<", sympy.sympify(rhs))


def values(expression: sympy.Expr, boxes: Sequence[Mapping[sympy.Symbol, Any]]) -> list[arb]:
    """Enclosures of the expression: one for each box or point."""
    known = {
        symbol: np.array([[_ball(box[symbol])] for box in boxes], dtype=object)
        for symbol in expression.free_symbols
    }
    found = np.broadcast_to(Evaluator(BALLS, known)(expression), (len(boxes), 1))
    return [row[0] for row in found]


def value_at(expression: sympy.Expr, point: Point) -> arb:
    with balls.precision(BITS):
        return values(expression, [point])[0]


def violated(goal: Goal, point: Point) -> bool:
    """Whether the inequality is certainly false at this point."""
    difference = value_at(goal.gap, point)
    if not goal.strict:
        return bool(difference < 0)
    return bool((difference.contains(0) and exactly_zero(goal.gap, point)) or difference <= 0)


def _ball(given: Range | Fraction) -> arb:
    if isinstance(given, tuple):
        return balls.ball(given[0]).union(balls.ball(given[1]))
    return balls.ball(given)


def sample(ranges: Box) -> list[Point]:
    """Exact points of a box, simplest first: its ends, round numbers, decimals of three places.

    Points are denser near the lower ends, since ranges may span several orders of magnitude.
    Symbols that are integers by assumption get integers.
    """
    random = Random(0)
    points = [{s: ends[i] for s, ends in ranges.items()} for i in (0, 1)]
    for attempt in range(POINTS - 2):
        places, bend = (1, 1000)[attempt % 2], (1, 3, 6)[attempt % 3]
        points.append({s: _within(s, e, random, places, bend) for s, e in ranges.items()})
    return sorted(points, key=lambda p: [(x.denominator, abs(x)) for x in p.values()])


def _within(symbol: sympy.Symbol, ends: Range, random: Random, places: int, bend: int) -> Fraction:
    low, high = ends
    units = 1 if symbol.is_integer else places
    near = low + (high - low) * Fraction(random.random() ** bend)
    return min(max(Fraction(round(near * units), units), low), high)


def point_words(point: Point) -> str:
    """A point in words.

    >>> point_words({sympy.Symbol("m_k"): Fraction(2), sympy.Symbol("R"): Fraction(1, 2)})
    'm_k = 2, R = 0.5'
    """
    return ", ".join(f"{s.name} = {decimal(x, 12)}" for s, x in point.items())


def told_box(ranges: Box) -> str:
    ends = ((s, decimal(low, 6), decimal(high, 6)) for s, (low, high) in ranges.items())
    return ", ".join(f"{s.name} in [{low}, {high}]" for s, low, high in ends) or NUMBERS


def vanishes(expression: sympy.Expr) -> bool:
    """Whether expanding shows that a number is exactly 0 (SymPy's simplify may not terminate)."""
    return bool(sympy.expand(sympy.expand_log(expression, force=True)) == 0)


def exactly_zero(expression: sympy.Expr, point: Point) -> bool:
    """Whether the expression is exactly 0 at this point; tested only at points with small
    denominators.
    """
    if any(x.denominator > _SIMPLE for x in point.values()):
        return False
    exact_point = {s: sympy.Rational(x.numerator, x.denominator) for s, x in point.items()}
    return vanishes(expression.subs(exact_point))
