"""How fast a formula grows: its coefficient of log T."""

from __future__ import annotations

import sympy

from boundcheck.claims.card import Term
from boundcheck.claims.functions import logbar
from boundcheck.claims.symbols import T, epsilon


def _leading(expression: sympy.Expr) -> sympy.Expr:
    """The coefficient of log T as T grows: log(c T) counts as log T, log log T as 0."""
    tau = sympy.Symbol("tau", positive=True)
    growing = {e: tau for e in expression.atoms(sympy.log, logbar, sympy.Max) if e.has(T)}
    linear = expression.xreplace(growing | {sympy.log(sympy.log(T)): sympy.Integer(0)})
    return linear.xreplace({tau: sympy.Integer(1)}) - linear.xreplace({tau: sympy.Integer(0)})


def per_log(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """The terms that grow with T, divided by log T, in the limit of large T and then epsilon =
    0.
    """
    slopes = ((t, _leading(t.expression).xreplace({epsilon: sympy.Integer(0)})) for t in terms)
    return tuple(Term(t.name, slope, t.over, t.when) for t, slope in slopes if slope != 0)
