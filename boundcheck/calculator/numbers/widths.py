"""Evaluate a card's formula for a confidence width, in floats along counts or as balls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
import sympy
from flint import arb

from boundcheck.calculator.numbers.domains import FloatArray
from boundcheck.calculator.numbers.evaluate import BALLS, FLOATS, Evaluator

Exact = Fraction | int
Floats = Mapping[str, FloatArray | float]


def in_floats(formula: sympy.Expr, values: Floats) -> FloatArray:
    """The formula in floats; `values` by symbol name, as numbers or arrays of one length.

    Where the result is not a number, the width is infinite.

    >>> explored = {"tau": np.array([8.0]), "iota": 8.0, "delta": 0.05}
    >>> from boundcheck import find
    >>> in_floats(find("lem-J.1").formula, explored).round(4)
    array([0.9603])
    """
    known = {symbol: np.atleast_2d(values[symbol.name]) for symbol in formula.free_symbols}
    with np.errstate(invalid="ignore"):  # the square root of a negative logarithm
        row: FloatArray = np.asarray(Evaluator(FLOATS, known)(formula), dtype=np.float64)[0]
    return np.where(np.isnan(row), np.inf, row)


def enclosed(formula: sympy.Expr, values: Mapping[str, Exact | Sequence[Exact]]) -> list[arb]:
    """The formula as balls at the current precision, one for each place in the sequences."""
    known = {}
    for symbol in formula.free_symbols:
        given = values[symbol.name]
        row = [given] if isinstance(given, int | Fraction) else given
        known[symbol] = BALLS.lift(np.array([[Fraction(x) for x in row]], dtype=object))
    return list(Evaluator(BALLS, known)(formula)[0])
