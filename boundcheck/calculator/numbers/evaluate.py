"""Evaluate a SymPy expression in floats, digits, certified balls or fractions.

`Evaluator` walks the expression over arrays: rows are parameter points, columns are arms. The
number type is a `Domain`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache, partial, reduce
from typing import Any

import flint
import numpy as np
import sympy

from boundcheck.calculator.numbers.domains import (
    BALLS,
    EXACT,
    FLOATS,
    Array,
    Digits,
    Domain,
    Irrational,
)
from boundcheck.claims import functions as fn

__all__ = ["BALLS", "EXACT", "FLOATS", "Array", "Digits", "Domain", "Evaluator", "Irrational"]


class Evaluator:
    """Evaluates expressions for given symbol values, in one domain and for one reward law."""

    def __init__(
        self,
        domain: Domain,
        values: Mapping[sympy.Symbol, Array],
        law: str = "gaussian",
        across_arms: Callable[[fn.AcrossArms], Array] | None = None,
    ) -> None:
        self.domain, self.law, self._across_arms = domain, law, across_arms
        self._given = values
        self._known: dict[sympy.Basic, Array] = {}

    def __call__(self, expression: sympy.Expr) -> Array:
        found = self._known.get(expression)
        if found is None:
            found = self._known[expression] = self._compute(expression)
        return found

    def call(self, function: type[fn.Defined], *arguments: Array) -> Array:
        """Evaluate a `Defined` function; its formula may use symbols known here."""
        parameters, body, around = function.definition()
        inner = dict(zip(parameters, arguments, strict=True))
        outer = {symbol: self(symbol) for symbol in around}
        return Evaluator(self.domain, outer | inner, self.law)(body)

    def _compute(self, expression: sympy.Expr) -> Array:
        if expression.is_Symbol:
            return self._given[expression]
        if expression.is_Rational:
            return _rational(self.domain, flint.ctx.prec, int(expression.p), int(expression.q))
        if expression is sympy.pi:
            return self._constant(self.domain.pi())
        if expression is sympy.oo:
            return self._constant(self.domain.infinity())
        if expression is sympy.nan:
            return self._constant(self.domain.infinity() - self.domain.infinity())
        if isinstance(expression, sympy.Pow):
            return self._power(expression)
        if self._across_arms is not None and isinstance(expression, fn.AcrossArms):
            return self._across_arms(expression)
        arguments = [self(argument) for argument in expression.args]
        if isinstance(expression, sympy.Add):
            return reduce(np.add, arguments)
        if isinstance(expression, sympy.Mul):
            return reduce(np.multiply, arguments)
        if isinstance(expression, sympy.Max | sympy.Min):
            name = "max" if isinstance(expression, sympy.Max) else "min"
            return reduce(partial(self.domain.apply, name), arguments)
        return self._function(expression.func, arguments)

    def _constant(self, value: Any) -> Array:
        return np.array([[value]], dtype=self.domain.dtype)

    def _power(self, expression: sympy.Pow) -> Array:
        if expression.base is sympy.E:
            return self.domain.apply("exp", self(expression.exp))
        base, exponent = self(expression.base), expression.exp
        if exponent.is_Integer:
            power = base ** abs(int(exponent))
        elif exponent.is_Rational and exponent.q == 2:
            power = self.domain.apply("sqrt", base) ** abs(int(exponent.p))
        elif exponent.is_Rational:
            logarithm = self.domain.apply("log", base)
            power = self.domain.apply("exp", self(abs(exponent)) * logarithm)
        else:
            raise TypeError(f"no rule for the power {expression}")
        return self.domain.apply("reciprocal", power) if exponent.is_negative else power

    def _function(self, function: Any, arguments: list[Array]) -> Array:
        if issubclass(function, fn.ByLaw):
            function = function.laws[self.law]
        if issubclass(function, fn.Defined):
            return self.call(function, *arguments)
        if issubclass(function, fn.Primitive):
            computed: Array = function.compute(self.domain, *arguments)
            return computed
        return self.domain.apply(function.__name__, *arguments)


@lru_cache(maxsize=4096)  # formulas contain few distinct numbers, evaluated over and over
def _rational(domain: Domain, bits: int, numerator: int, denominator: int) -> Array:
    return domain.constant(Fraction(numerator, denominator))
