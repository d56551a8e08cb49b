"""The probability that two estimates deviate together."""

from __future__ import annotations

from sympy import Expr, Symbol, erf, exp, pi, sqrt

from boundcheck.claims.functions import defined


@defined(r"J({0};{1},{2})")
def both_off(q: Symbol, a: Symbol, b: Symbol) -> Expr:
    """P(a X + b X' >= q sqrt(a^2 + b^2)) for independent X, X' >= 0 with P(X >= x) = P(X' >= x) =
    exp(-x^2).
    """
    square = a**2 + b**2
    alone = a**2 * exp(-(q**2) * square / a**2) + b**2 * exp(-(q**2) * square / b**2)
    together = sqrt(pi) * a * b * q * exp(-(q**2)) * (erf(q * a / b) + erf(q * b / a))
    return (alone + together) / square
