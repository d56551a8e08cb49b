"""Prove inequalities by calculus, on ranges that may be infinite.

A rational function is shifted so that every range becomes [0, oo): x = a + t on [a, oo) and x = (a
+ b t)/(1 + t) on [a, b). If all coefficients of numerator and denominator then have one sign, so
does the function. Any other function is differentiated: it is at least 0 on [a, b] if it is at a
and its derivative is at least 0, or if it is at b (a limit, if b is infinite) and its derivative is
at most 0. None of this is needed where SymPy infers the sign from its symbols (an exponential, a
square).
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from boundcheck.proof_steps.relations import Ranges, value_at, vanishes
from simulation.numbers import exact

_DEPTH = 4
FORM, FACTORS = "by its form", "by its factors"
COEFFICIENTS = "all coefficients have one sign after shifting the ranges to [0, oo)"
VALUE, EQUALITY, INFINITE = "its value", "equality", "an infinite limit"


@dataclass(frozen=True)
class Argument:
    """Why an expression is at least 0 on a domain, or above 0 (`strict`).

    `monotone`: this holds at one end of a range, and the function does not decrease away from
    there.
    """

    kind: str
    expression: sympy.Expr
    domain: Ranges
    strict: bool
    monotone: Monotone | None = None

    def __str__(self) -> str:
        return self.kind if self.monotone is None else str(self.monotone)


@dataclass(frozen=True)
class Monotone:
    symbol: sympy.Symbol
    end: object
    rising: bool
    at_end: Argument
    slope: Argument  # for the derivative, or for its negative

    def __str__(self) -> str:
        word, x = "increases" if self.rising else "decreases", self.symbol.name
        return f"the gap {word} in {x} and has this sign at {x} = {self.end}"


def nonnegative(
    expression: sympy.Expr, domain: Ranges, *, strict: bool = False, depth: int = _DEPTH
) -> Argument | None:
    """An argument why the expression is at least (or above) 0 on the domain; None if none is
    found.
    """
    kind = _at_once(expression, domain, strict)
    if kind is not None:
        return Argument(kind, expression, domain, strict)
    if depth == 0 or expression.is_rational_function(*expression.free_symbols):
        return None
    for symbol in sorted(expression.free_symbols & set(domain), key=lambda s: s.name):
        slope = sympy.together(sympy.diff(expression, symbol))
        for end, rising in zip(domain[symbol], (True, False), strict=True):
            at_end = _at(expression, symbol, end)
            if at_end is None:
                continue
            there = nonnegative(at_end, domain, strict=strict, depth=depth - 1)
            if there is None:
                continue
            away = nonnegative(slope if rising else -slope, domain, depth=depth - 1)
            if away is not None:
                found = Monotone(symbol, end, rising, there, away)
                return Argument("monotone", expression, domain, strict, found)
    return None


def _at_once(expression: sympy.Expr, domain: Ranges, strict: bool) -> str | None:
    """The kind of argument that needs no derivative; None if there is none."""
    if not expression.free_symbols:
        return _constant(expression, strict)
    seen = with_assumptions(expression, domain)
    if seen.is_positive or (seen.is_nonnegative and not strict):
        return FORM
    if not strict and sympy.factor(seen).is_nonnegative:
        return FACTORS
    if expression.is_rational_function(*expression.free_symbols):
        return _coefficients(expression, domain, strict)
    return None


def with_assumptions(expression: sympy.Expr, domain: Ranges) -> sympy.Expr:
    """Symbols replaced by ones that SymPy knows to be positive or nonnegative as in the domain."""
    known = {}
    for symbol, (low, _) in domain.items():
        least = exact(low)
        sign = {"positive": True} if least > 0 else {"nonnegative": True} if least == 0 else {}
        known[symbol] = sympy.Dummy(symbol.name, real=True, **sign)
    return expression.xreplace(known)


def _constant(expression: sympy.Expr, strict: bool) -> str | None:
    if expression.is_finite is False or expression.has(sympy.nan, sympy.zoo):
        return INFINITE if expression == sympy.oo else None
    found = value_at(expression, {})
    if found > 0:
        return VALUE
    equality = not strict and found.contains(0) and vanishes(expression)
    return EQUALITY if equality else None


def _coefficients(expression: sympy.Expr, domain: Ranges, strict: bool) -> str | None:
    if not expression.free_symbols <= set(domain):
        return None
    parts, before = shifted(expression, domain)
    above, below = (sympy.Poly(part, *before) for part in parts)
    if not all(a * b >= 0 for a in above.coeffs() for b in below.coeffs()):
        return None
    if strict and not (above.coeff_monomial(1) != 0 and _faces(expression, domain)):
        return None
    return COEFFICIENTS


def shifted(
    expression: sympy.Expr, domain: Ranges
) -> tuple[tuple[sympy.Expr, sympy.Expr], dict[sympy.Symbol, sympy.Symbol]]:
    """Numerator and denominator with every range moved to [0, oo), and the original symbols."""
    # sorted so that certificates are reproducible
    ordered = sorted(expression.free_symbols, key=str)
    shifts = {s: sympy.Dummy("t", nonnegative=True) for s in ordered}
    moved = expression.xreplace({s: _moved(t, *domain[s]) for s, t in shifts.items()})
    above, below = sympy.fraction(sympy.cancel(sympy.together(moved)))
    return (above, below), {t: s for s, t in shifts.items()}


def _faces(expression: sympy.Expr, domain: Ranges) -> bool:
    """Whether it is also above 0 at the finite upper ends, which the shifted range leaves out."""
    return all(
        (face := _at(expression, symbol, domain[symbol][1])) is not None
        and nonnegative(face, domain, strict=True) is not None
        for symbol in expression.free_symbols
        if domain[symbol][1] is not sympy.oo
    )


def _moved(t: sympy.Symbol, low: object, high: object) -> sympy.Expr:
    a = sympy.Rational(exact(low))
    return a + t if high is sympy.oo else (a + sympy.Rational(exact(high)) * t) / (1 + t)


def _at(expression: sympy.Expr, symbol: sympy.Symbol, end: object) -> sympy.Expr | None:
    if end is sympy.oo:
        limit = sympy.limit(expression, symbol, sympy.oo)
        return None if limit.has(sympy.Limit, sympy.nan, sympy.zoo) else limit
    found = expression.subs(symbol, sympy.Rational(exact(end)))
    return None if found.has(sympy.nan, sympy.zoo, sympy.oo) else found
