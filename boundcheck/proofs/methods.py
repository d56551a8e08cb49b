"""The ways to judge a step, strongest first.

identity    both sides are the same expression (SymPy), and agree at exact points
sign        an inequality by calculus: coefficients of one sign, or the value at an end and a
            derivative of one sign; ranges may be infinite
on_box      an inequality over a box, by enclosures and subdivision
exhaustive  every case of finitely many, in exact arithmetic
searched    hypothesis looks for a counterexample: never more than `consistent`

Each can refute: a false step ends with a point at which it is certainly false.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import prod
from random import Random
from typing import Any, TypeVar

import sympy
from hypothesis import HealthCheck, Phase, Verbosity, find, settings
from hypothesis.errors import NoSuchExample
from hypothesis.strategies import SearchStrategy

from boundcheck.finding import Verdict
from boundcheck.numbers import balls
from boundcheck.proofs import relations as rel
from boundcheck.proofs.calculus import nonnegative
from boundcheck.proofs.part import EVERYWHERE, Part
from boundcheck.proofs.relations import Box, Point, Ranges, told, told_box
from boundcheck.search.hunt import SearchLimit, no_files_left, same_examples, simplest
from boundcheck.search.simpler import rounder

Example = TypeVar("Example")
_POINTS = 60
_BOXES = 20_000  # boxes looked at before an inequality is left undecided
_SECONDS = 5.0  # to make a counterexample simple


def identity(lhs: sympy.Expr, rhs: sympy.Expr, ranges: Ranges) -> Part:
    """lhs = rhs as expressions; `ranges` is where points are taken from.

    >>> x = sympy.Symbol("x", positive=True)
    >>> identity((x + 1) ** 2, x**2 + 2 * x + 1, {x: (0, 9)}).verdict.value
    'holds'
    """
    inside = rel.box(ranges)
    difference = rel.unfolded(lhs) - rel.unfolded(rhs)
    for point in rel.sample(inside, _POINTS):
        if not rel.value(difference, point).contains(0):
            return _refuted("identity", point, "the two sides differ")
    if sympy.simplify(sympy.expand_log(sympy.expand(difference), force=True)) == 0:
        words = f"and equal at {_POINTS} exact points"
        return Part("identity", Verdict.HOLDS, EVERYWHERE, words)
    words = "no simplification found that makes the sides the same"
    return Part("identity", Verdict.INCONCLUSIVE, told_box(inside), words)


def sign(relation: sympy.Rel, domain: Mapping[sympy.Symbol, tuple[object, object]]) -> Part:
    """An inequality on a domain whose upper ends may be sympy.oo, by calculus.

    >>> x = sympy.Symbol("x", positive=True)
    >>> sign(sympy.log(x) <= x - 1, {x: (1, sympy.oo)}).verdict.value
    'holds'
    """
    domain = {s: ends for s, ends in domain.items() if s in rel.gap(relation).free_symbols}
    where = ", ".join(f"{s.name} in [{low}, {high}]" for s, (low, high) in domain.items())
    where = where.replace("oo]", "oo)") or "a comparison of numbers"
    inside = rel.box(rel.finite(domain))
    for point in rel.sample(inside, _POINTS):
        if rel.violated(relation, point):
            return _refuted("calculus", _simple(relation, inside, point))
    proof = nonnegative(rel.unfolded(rel.gap(relation)), domain, strict=rel.strict(relation))
    if proof is not None:
        return Part("calculus", Verdict.HOLDS, where, str(proof))
    return Part("calculus", Verdict.INCONCLUSIVE, where, "no sign found by differentiating")


def on_box(relation: sympy.Rel, ranges: Ranges, boxes: int = _BOXES) -> Part:
    """An inequality over a box: certified everywhere, or certainly false at a point.

    A box in which a derivative has one sign is replaced by the end where the gap is smallest, so
    that equality at a corner does not go on for ever; after so many boxes it is left undecided.
    """
    inside = rel.box(ranges)
    expression = rel.unfolded(rel.gap(relation))
    slopes = {symbol: sympy.diff(expression, symbol) for symbol in inside}
    pending, seen = [inside], 0
    with balls.precision(rel.BITS):
        while pending:
            seen += len(pending)
            if seen > boxes:
                left = told_box(pending[0])
                return Part("enclosure", Verdict.INCONCLUSIVE, left, f"undecided in {left}")
            open_boxes = _undecided(relation, expression, slopes, pending)
            point = _violation(relation, open_boxes)
            if point is not None:
                return _refuted("enclosure", _simple(relation, inside, point))
            pending = [half for box in open_boxes for half in _halves(box)]
    return Part("enclosure", Verdict.HOLDS, told_box(inside), f"certified in {seen} boxes")


def exhaustive(
    predicate: Callable[..., bool],
    ranges: Mapping[str, Iterable[Any]],
    *,
    complete: bool,
    words: str = "",
) -> Part:
    """Every case in the order given. `complete`: the step speaks of no other cases."""
    lists = {name: list(values) for name, values in ranges.items()}
    count = prod(len(values) for values in lists.values())
    for case in product(*lists.values()):
        if not predicate(*case):
            point = ", ".join(f"{name} = {x}" for name, x in zip(lists, case, strict=True))
            return Part("exhaustive", Verdict.REFUTED, point, words or "the first case to fail")
    region = ", ".join(f"{name} in {_ends(values)}" for name, values in lists.items())
    verdict = Verdict.HOLDS if complete else Verdict.CONSISTENT
    told_cases = f"{count} cases" + ("" if complete else ": others are not covered")
    return Part("exhaustive", verdict, region, "; ".join(filter(None, (words, told_cases))))


def searched(
    predicate: Callable[[Example], bool],
    strategy: SearchStrategy[Example],
    region: str,
    examples: int = 300,
    show: Callable[[Example], str] = str,
) -> Part:
    """hypothesis, from a fixed seed; a counterexample comes out as small as it can make it."""
    seen = 0

    def fails(example: Example) -> bool:
        nonlocal seen
        seen += 1
        return not predicate(example)

    chosen = settings(
        max_examples=examples,
        phases=(Phase.generate, Phase.shrink),
        database=None,
        deadline=None,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    with no_files_left(), same_examples():
        try:
            smallest = find(strategy, fails, settings=chosen, random=Random(0))
        except NoSuchExample:
            told_count = f"{seen} examples looked at"
            return Part("search", Verdict.CONSISTENT, region, told_count)
    return Part("search", Verdict.REFUTED, show(smallest), "smallest example found")


def contradicted(opposite: Part, region: str, detail: str) -> Part:
    """A step whose opposite was shown is refuted; where it was not, nothing is decided."""
    shown = opposite.verdict is Verdict.HOLDS
    verdict = Verdict.REFUTED if shown else Verdict.INCONCLUSIVE
    return Part(opposite.method, verdict, region, detail if shown else opposite.detail)


# -- boxes -------------------------------------------------------------------------------


def _undecided(
    relation: sympy.Rel, expression: sympy.Expr, slopes: Mapping[Any, Any], boxes: list[Box]
) -> list[Box]:
    """Boxes in which neither the gap nor its smallest value by monotony is certainly good."""
    found = rel.values(expression, boxes)
    left = [box for box, x in zip(boxes, found, strict=True) if not _good(relation, x)]
    if not left:
        return []
    lowest: list[dict[sympy.Symbol, Any]] = [dict(box) for box in left]
    for symbol, slope in slopes.items():
        for low, box, x in zip(lowest, left, rel.values(slope, left), strict=True):
            if x >= 0:
                low[symbol] = box[symbol][0]
            elif x <= 0:
                low[symbol] = box[symbol][1]
    found = rel.values(expression, lowest)
    return [
        box
        for box, low, x in zip(left, lowest, found, strict=True)
        if not (_good(relation, x) or _equality(relation, expression, low, x))
    ]


def _equality(relation: sympy.Rel, expression: sympy.Expr, place: Any, x: Any) -> bool:
    """The gap is smallest at a single point, and there it is exactly 0."""
    single = not any(isinstance(ends, tuple) for ends in place.values())
    near = single and not rel.strict(relation) and x.contains(0)
    return bool(near and rel.equal(expression, place))


def _good(relation: sympy.Rel, x: Any) -> bool:
    return bool(x > 0 if rel.strict(relation) else x >= 0)


def _violation(relation: sympy.Rel, boxes: list[Box]) -> Point | None:
    for box in boxes:
        corners = [{s: ends[i] for s, ends in box.items()} for i in (0, 1)]
        middle = {s: (low + high) / 2 for s, (low, high) in box.items()}
        for point in (middle, *corners):
            if rel.violated(relation, point):
                return point
    return None


def _halves(box: Box) -> Iterator[Box]:
    """Cut across the range that is widest beside its size."""

    def width(symbol: sympy.Symbol) -> Fraction:
        low, high = box[symbol]
        return (high - low) / (1 + abs(low))

    symbol = max(box, key=width)
    low, high = box[symbol]
    middle = (low + high) / 2
    yield {**box, symbol: (low, middle)}
    yield {**box, symbol: (middle, high)}


# -- counterexamples -----------------------------------------------------------------------


def _simple(relation: sympy.Rel, inside: Box, point: Point) -> Point:
    def simpler(given: Point) -> Iterator[Point]:
        for symbol, x in given.items():
            for rounded in rounder(x):
                whole = not symbol.is_integer or rounded.denominator == 1
                if whole and inside[symbol][0] <= rounded <= inside[symbol][1]:
                    yield {**given, symbol: rounded}

    budget = SearchLimit(1, _SECONDS)
    return simplest(point, simpler, lambda p: rel.violated(relation, p), budget)


def _refuted(method: str, point: Point, words: str = "certainly false there") -> Part:
    return Part(method, Verdict.REFUTED, f"at {told(point)}", words)


def _ends(values: list[Any]) -> str:
    if len(values) <= 4:
        return "{" + ", ".join(map(str, values)) + "}"
    return f"{{{values[0]}, {values[1]}, ..., {values[-1]}}}"
