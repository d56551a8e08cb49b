"""Methods that decide a formula, strongest first.

identity    both sides are the same expression (SymPy), and agree at exact points
sign        an inequality by calculus: coefficients of one sign, or the value at an end and a
            derivative of one sign; ranges may be infinite
on_box      an inequality over a box, by enclosures and subdivision

Each of them can refute, with a point at which the formula is certainly false.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import sympy

from boundcheck.calculator.numbers import balls
from boundcheck.judging.finding import Verdict
from boundcheck.proof_steps import relations as rel
from boundcheck.proof_steps.calculus import nonnegative
from boundcheck.proof_steps.relations import Box, Goal, Point, told_box
from boundcheck.proof_steps.step import EVERYWHERE, Part
from boundcheck.search.hunt import SearchLimit, simplest
from boundcheck.search.simplify import rounder

_BOXES = 20_000  # boxes tried before an inequality is left undecided
_SECONDS = 5.0  # time to simplify a counterexample


def decided(goal: Goal) -> Part:
    """By calculus if a range is infinite or coefficients may decide, otherwise over a box."""
    if goal.equation:
        found = _identity(goal)
    elif not goal.domain or any(high is sympy.oo for _, high in goal.domain.values()):
        found = sign(goal)
    else:
        first, second = (sign, on_box)
        if not goal.gap.is_rational_function(*goal.domain):
            first, second = second, first
        found = first(goal)
        if found.verdict is Verdict.UNDECIDED:
            found = second(goal)
    return replace(found, goals=(goal,))


def _identity(goal: Goal) -> Part:
    inside = rel.box(goal.ranges)
    for point in rel.sample(inside):
        if not rel.value_at(goal.gap, point).contains(0):
            return _refuted("identity", point, "the two sides differ")
    if sympy.simplify(sympy.expand_log(sympy.expand(goal.gap), force=True)) == 0:
        words = f"and equal at {rel.POINTS} exact points"
        return Part("identity", Verdict.HOLDS, EVERYWHERE, words)
    words = "no simplification found that makes the sides the same"
    return Part("identity", Verdict.UNDECIDED, told_box(inside), words)


def sign(goal: Goal) -> Part:
    """An inequality on a domain whose upper ends may be sympy.oo, by calculus.

    >>> x = sympy.Symbol("x", positive=True)
    >>> sign(Goal(sympy.log(x), "<=", x - 1, {x: (1, sympy.oo)})).verdict.value
    'holds'
    """
    where = ", ".join(f"{s.name} in [{low}, {high}]" for s, (low, high) in goal.domain.items())
    where = where.replace("oo]", "oo)") or rel.NUMBERS
    inside = rel.box(rel.cut_off(goal.domain))
    for point in rel.sample(inside):
        if rel.violated(goal, point):
            return _refuted("calculus", _simple(goal, inside, point))
    proof = nonnegative(goal.gap, goal.domain, strict=goal.strict)
    if proof is not None:
        return Part("calculus", Verdict.HOLDS, where, str(proof))
    return Part("calculus", Verdict.UNDECIDED, where, "no sign found by differentiating")


def on_box(goal: Goal, boxes: int = _BOXES) -> Part:
    """An inequality over a box: certified everywhere, or certainly false at a point.

    A box on which a derivative has one sign is replaced by the end where the gap is smallest, so
    that subdivision stops even if equality holds at a corner. After `boxes` boxes it is undecided.
    """
    inside = rel.box(goal.domain)
    slopes = {symbol: sympy.diff(goal.gap, symbol) for symbol in inside}
    pending, seen = [inside], 0
    with balls.precision(rel.BITS):
        while pending:
            seen += len(pending)
            if seen > boxes:
                left = told_box(pending[0])
                return Part("enclosure", Verdict.UNDECIDED, left, f"undecided in {left}")
            open_boxes = _undecided(goal, slopes, pending)
            for point in (point for box in open_boxes for point in _points(box)):
                if rel.violated(goal, point):
                    return _refuted("enclosure", _simple(goal, inside, point))
            pending = [half for box in open_boxes for half in _halves(box)]
    return Part("enclosure", Verdict.HOLDS, told_box(inside), f"certified in {seen} boxes")


def _undecided(
    goal: Goal, slopes: Mapping[sympy.Symbol, sympy.Expr], boxes: list[Box]
) -> list[Box]:
    """The boxes in which it is not certain that the gap is nonnegative (positive, if `strict`).

    A box is left out only by an enclosure: of the gap on the whole box, or on the part of it on
    which the gap is smallest, where slopes of one sign on the whole box say which part that is.
    """

    def good(x: Any) -> bool:
        return bool(x > 0 if goal.strict else x >= 0)

    def touching(place: Mapping[sympy.Symbol, Any], x: Any) -> bool:
        """The gap is smallest at a single point, and there it is exactly 0."""
        single = not any(isinstance(ends, tuple) for ends in place.values())
        return single and not goal.strict and x.contains(0) and rel.exactly_zero(goal.gap, place)

    found = rel.values(goal.gap, boxes)
    left = [box for box, x in zip(boxes, found, strict=True) if not good(x)]
    if not left:
        return []
    lowest: list[dict[sympy.Symbol, Any]] = [dict(box) for box in left]
    for symbol, slope in slopes.items():
        for low, box, x in zip(lowest, left, rel.values(slope, left), strict=True):
            if x >= 0:
                low[symbol] = box[symbol][0]
            elif x <= 0:
                low[symbol] = box[symbol][1]
    found = rel.values(goal.gap, lowest)
    return [
        box
        for box, low, x in zip(left, lowest, found, strict=True)
        if not (good(x) or touching(low, x))
    ]


def _points(box: Box) -> Iterator[Point]:
    """The midpoint and two corners."""
    yield {s: (low + high) / 2 for s, (low, high) in box.items()}
    yield {s: low for s, (low, _) in box.items()}
    yield {s: high for s, (_, high) in box.items()}


def _halves(box: Box) -> Iterator[Box]:
    """Cut the range that is widest relative to its position."""
    symbol = max(box, key=lambda s: (box[s][1] - box[s][0]) / (1 + abs(box[s][0])))
    low, high = box[symbol]
    middle = (low + high) / 2
    yield {**box, symbol: (low, middle)}
    yield {**box, symbol: (middle, high)}


def _simple(goal: Goal, inside: Box, point: Point) -> Point:
    def simpler(given: Point) -> Iterator[Point]:
        for symbol, x in given.items():
            for rounded in rounder(x):
                whole = not symbol.is_integer or rounded.denominator == 1
                if whole and inside[symbol][0] <= rounded <= inside[symbol][1]:
                    yield {**given, symbol: rounded}

    budget = SearchLimit(1, _SECONDS)
    return simplest(point, simpler, lambda p: rel.violated(goal, p), budget)


def _refuted(method: str, point: Point, words: str = "certainly false there") -> Part:
    return Part(method, Verdict.REFUTED, f"at {rel.point_words(point)}", words)
