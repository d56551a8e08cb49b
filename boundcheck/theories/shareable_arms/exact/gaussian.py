"""Divergences of Gaussian laws computed from densities, to check the closed forms.

log(p/q) is a polynomial of degree 2 in y up to a constant, so its expectation under p follows from
the first two moments; the closed form is not used. A law is (mean, standard deviation).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import sympy
from sympy import Expr, log

Law: TypeAlias = tuple[Expr, Expr]
y = sympy.Symbol("y", real=True)


def log_density(law: Law, at: Expr = y) -> Expr:
    """The log density, up to the constant -log(2 pi)/2."""
    mean, deviation = law
    return -log(deviation) - (at - mean) ** 2 / (2 * deviation**2)


def normal_divergence(first: Law, second: Law) -> Expr:
    """KL of two normal laws."""
    mean, deviation = first
    ratio = sympy.Poly(log_density(first) - log_density(second), y)
    moments = (1, mean, mean**2 + deviation**2)
    return sympy.Add(*(ratio.coeff_monomial(y**k) * moment for k, moment in enumerate(moments)))


def joint_divergence(first: Sequence[Law], second: Sequence[Law]) -> Expr:
    """KL of two vectors of independent normals, by the formula with covariance matrices."""
    means = [sympy.Matrix([mean for mean, _ in laws]) for laws in (first, second)]
    spread = [sympy.diag(*(deviation**2 for _, deviation in laws)) for laws in (first, second)]
    shift, inverse = means[1] - means[0], spread[1].inv()
    squares = (inverse * spread[0]).trace() + (shift.T * inverse * shift)[0]
    return (squares - len(first) + log(spread[1].det() / spread[0].det())) / 2
