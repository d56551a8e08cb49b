"""What decides a step: boxes that stay open, and a ratio in terms of distances from ends."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

from boundcheck.calculator.numbers import balls
from boundcheck.proof_steps import relations as rel
from boundcheck.proof_steps.coq import _ratio
from boundcheck.proof_steps.methods import _undecided
from boundcheck.proof_steps.relations import Goal

x, y = sympy.symbols("x y", positive=True)


@pytest.mark.parametrize(
    ("gap", "interval", "is_open"),
    [
        (x, (1, 2), False),
        (x - 2, (1, 3), True),  # negative at 1
        (x**2 - x, (1, 3), False),  # 0 at an end, where the slope puts the minimum
        (x - 1 - sympy.Rational(1, 10**6), (1, 3), True),  # negative in a small part only
    ],
)
def test_a_box_is_left_out_only_where_the_gap_is_certain(
    gap: sympy.Expr, interval: tuple[int, int], is_open: bool
) -> None:
    goal = Goal(sympy.Integer(0), "<=", gap, {x: interval})
    box = rel.box(goal.domain)
    with balls.precision(rel.BITS):
        assert (_undecided(goal, {x: sympy.diff(gap, x)}, [box]) == [box]) is is_open


@pytest.mark.parametrize(
    ("expression", "domain"),
    [
        ((x**2 + 3 * x) / (y + 2), {x: (0, sympy.oo), y: (0, sympy.oo)}),
        ((x - 1) * y + Fraction(1, 2), {x: (1, sympy.oo), y: (0, 5)}),
        ((x - 1) ** 2 / (7 - x), {x: (1, 3)}),
    ],
)
def test_a_ratio_is_the_expression(expression: sympy.Expr, domain: rel.Ranges) -> None:
    """Where its coefficients have one sign; read again, it is the same rational function."""
    written = sympy.sympify(_ratio(sympy.sympify(expression), domain).replace("^", "**"))
    written = written.subs({s: t for s in written.free_symbols for t in (x, y) if s.name == t.name})
    assert sympy.simplify(written - expression) == 0
