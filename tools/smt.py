"""A second opinion on rational formulas: z3 looks for a point where the goal is false.

z3 is needed for development only; who asks imports this module.
"""

from __future__ import annotations

from functools import reduce
from operator import add, mul
from typing import Any

import sympy
import z3

from boundcheck.proof_steps.relations import Goal
from simulation.numbers import exact

_MILLISECONDS = 4_000


def rational(goal: Goal) -> bool:
    """Is it a matter of +, *, / and whole powers of symbols and rational numbers?"""
    return all(
        node.is_Symbol
        or node.is_Rational
        or node.is_Add
        or node.is_Mul
        or (node.is_Pow and node.exp.is_Integer)
        for side in goal.unfolded
        for node in sympy.preorder_traversal(side)
    )


def judged(goal: Goal) -> bool | None:
    """True if z3 shows that no point contradicts the goal, False if it has one, None else.

    >>> x = sympy.Symbol("x", positive=True)
    >>> judged(Goal(x * (1 - x), "<=", sympy.Rational(1, 4), {x: (0, 1)}))
    True
    >>> judged(Goal(x * (1 - x), "<", sympy.Rational(1, 4), {x: (0, 1)}))
    False
    """
    symbols = {s: z3.Real(s.name) for s in goal.symbols}
    lhs, rhs = (_term(side, symbols) for side in goal.unfolded)
    solver = z3.Solver()
    solver.set("timeout", _MILLISECONDS)
    solver.add(*_given(goal, symbols))
    solver.add({"=": lhs != rhs, "<=": lhs > rhs, "<": lhs >= rhs}[goal.relation])
    return {"unsat": True, "sat": False}.get(str(solver.check()))


def _given(goal: Goal, symbols: dict[sympy.Symbol, Any]) -> list[Any]:
    """Ranges (of an equation: signs), and denominators that are not 0."""
    found = [symbols[s] > 0 for s in symbols if goal.equation and s.is_positive]
    if not goal.equation:
        for s, (low, high) in goal.domain.items():
            found.append(symbols[s] >= _number(low))
            if high is not sympy.oo:
                found.append(symbols[s] <= _number(high))
    for side in goal.unfolded:
        for node in side.atoms(sympy.Pow):
            if node.exp.is_negative:
                found.append(_term(node.base, symbols) != 0)
    return found


def _number(end: object) -> Any:
    return z3.Q(*exact(end).as_integer_ratio())


def _term(e: sympy.Expr, symbols: dict[sympy.Symbol, Any]) -> Any:
    if e.is_Symbol:
        return symbols[e]
    if e.is_Rational:
        return z3.Q(int(e.p), int(e.q))
    if e.is_Pow:
        whole = reduce(mul, [_term(e.base, symbols)] * abs(int(e.exp)))
        return whole if e.exp > 0 else 1 / whole
    return reduce(add if e.is_Add else mul, (_term(part, symbols) for part in e.args))
