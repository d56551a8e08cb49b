"""Divergences of Gaussian laws from their densities, to hold the closed forms against.

log(p/q) is a polynomial of degree 2 in y up to a constant, so its expectation under p follows from
the first two moments; nothing of the closed form goes in.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy import log

_y = sympy.Symbol("y", real=True)


def divergence(
    first: tuple[sympy.Expr, sympy.Expr], second: tuple[sympy.Expr, sympy.Expr]
) -> sympy.Expr:
    """KL of two normal laws, each (mean, standard deviation)."""
    mean, deviation = first
    ratio = sympy.Poly(_log_density(*first) - _log_density(*second), _y)
    moments = (sympy.Integer(1), mean, mean**2 + deviation**2)
    return sum(
        (ratio.coeff_monomial(_y**k) * moment for k, moment in enumerate(moments)),
        sympy.Integer(0),
    )


def joint_divergence(
    first: Sequence[tuple[sympy.Expr, sympy.Expr]], second: Sequence[tuple[sympy.Expr, sympy.Expr]]
) -> sympy.Expr:
    """KL of two vectors of independent normals, by the formula with covariance matrices."""
    means = [sympy.Matrix([mean for mean, _ in laws]) for laws in (first, second)]
    spread = [sympy.diag(*(deviation**2 for _, deviation in laws)) for laws in (first, second)]
    shift = means[1] - means[0]
    inverse = spread[1].inv()
    squares = (inverse * spread[0]).trace() + (shift.T * inverse * shift)[0]
    return (squares - len(first) + log(spread[1].det() / spread[0].det())) / 2


def _log_density(mean: sympy.Expr, deviation: sympy.Expr) -> sympy.Expr:
    """Up to the constant -log(2 pi)/2."""
    return -log(deviation) - (_y - mean) ** 2 / (2 * deviation**2)
