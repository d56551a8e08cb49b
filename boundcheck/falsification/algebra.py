"""The algebra behind sizes that are said to suffice, in floats and for many arms at once.

With w the width of one mean after the published number n of explorations, the proofs of 5.3, E.6
and J.3 need

    learn m:  (4m + 3) w(n) < mu,       reach d:  (m + 3d - 3) w(n) < (m - d + 1) mu.         (1)

In l = log(2/delta) (or log T) everything is elementary, so that confidences such as 10^-2000 are
ordinary numbers here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np
import sympy
from numpy.typing import NDArray
from scipy.optimize import minimize

from boundcheck import functions as fn
from boundcheck import symbols as s
from boundcheck.claim import Claim
from boundcheck.evaluate import FLOATS, Evaluator
from boundcheck.sizing import confidence_condition

ell = sympy.Symbol("ell", positive=True)
_LARGEST_SIZE = 10**12  # explorations; floats still tell neighbours apart
_SMALLEST_ELL = log(2)  # delta < 1, T >= 2

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Algebra:
    """(1) for a claim, in the symbols mu_k, m_k, d and l."""

    card: Claim

    @cached_property
    def reaches(self) -> bool:
        return s.d in self.card.quantities[0].symbols

    @property
    def width(self) -> type[fn.Defined]:
        return fn.rho if self.card.id == "cor-J.3" else fn.phi

    @cached_property
    def size(self) -> sympy.Expr:
        (term,) = self.card.quantities[0].terms
        return _in_ell(term.expression)

    @cached_property
    def smallest(self) -> sympy.Expr | None:
        """The l from which on the claim's condition holds; None if it has none."""
        condition = confidence_condition(self.card)
        if condition is None or condition.relation is None:
            return None
        rhs = condition.relation.rhs
        exponent = -sympy.log(rhs / 2) if condition.relation.lhs == s.delta else sympy.log(rhs)
        return sympy.expand_log(exponent, force=True)

    def ratio(self, count: sympy.Expr) -> sympy.Expr:
        """Left over right side of (1) after `count` explorations of each kind."""
        width = _in_ell(self.width.formula(count, s.delta))
        if self.reaches:
            return (s.m + 3 * s.d - 3) * width / ((s.m - s.d + 1) * s.mu)
        return (4 * s.m + 3) * width / s.mu


def _in_ell(expression: sympy.Expr) -> sympy.Expr:
    """delta = 2 exp(-l) and T = exp(l), logarithms expanded."""
    replaced = expression.subs({s.delta: 2 * sympy.exp(-ell), s.T: sympy.exp(ell)})
    return sympy.expand_log(replaced, force=True)


@dataclass(frozen=True)
class Arms:
    """Many arms in floats: mean, capacity, threshold, l."""

    mean: Floats
    capacity: Floats
    threshold: Floats
    ell: Floats

    def one(self, place: int) -> Arms:
        here = slice(place, place + 1)
        return Arms(self.mean[here], self.capacity[here], self.threshold[here], self.ell[here])

    def known(self) -> dict[sympy.Symbol, Floats]:
        values = {s.mu: self.mean, s.m: self.capacity, s.d: self.threshold, ell: self.ell}
        return {symbol: np.atleast_1d(value)[:, None] for symbol, value in values.items()}


def ratios(algebra: Algebra, arms: Arms) -> Floats:
    """Left over right side of (1) at the published size, rounded up; 0 where that is too large."""
    with np.errstate(all="ignore"):
        size = np.ceil(np.maximum(Evaluator(FLOATS, arms.known())(algebra.size), 1))
        known = arms.known() | {s.n: size}
        found = np.where(size < _LARGEST_SIZE, Evaluator(FLOATS, known)(algebra.ratio(s.n)), 0.0)
    return np.asarray(np.nan_to_num(found[:, 0], nan=0.0))


def drawn(rng: np.random.Generator, algebra: Algebra, largest: float, count: int) -> Arms:
    """Means up to 10^largest and l on the edge of the condition, or above it by some factor."""
    mean = 10 ** rng.uniform(largest - 3, largest, count)
    capacity = np.floor(10 ** rng.uniform(0, 2, count))
    threshold = np.minimum(np.floor(2 + rng.uniform(0, 1, count) * (capacity - 1)), capacity)
    if algebra.reaches:
        capacity, threshold = np.maximum(capacity, 2), np.maximum(threshold, 2)
    arms = Arms(mean, capacity, threshold, np.ones(count))
    above = np.where(rng.uniform(size=count) < 0.3, 1.0, 10 ** rng.uniform(0, 2, count))
    return Arms(mean, capacity, threshold, edge(algebra, arms) * above)


def edge(algebra: Algebra, arms: Arms) -> Floats:
    if algebra.smallest is None:
        return np.full(len(arms.mean), _SMALLEST_ELL * 1.000001)
    least = Evaluator(FLOATS, arms.known())(algebra.smallest)[:, 0]
    return np.asarray(np.maximum(least, _SMALLEST_ELL) * 1.000001)


def climbed(algebra: Algebra, arms: Arms, best: int, largest: float) -> tuple[Arms, float, int]:
    """From the best arm uphill in mean and l (Nelder-Mead), capacity and threshold kept."""
    start = [log(arms.mean[best]), log(arms.ell[best])]
    m, d = arms.capacity[best : best + 1], arms.threshold[best : best + 1]

    def at(x: Floats) -> Arms:
        mean = np.array([min(np.exp(x[0]), 10**largest)])
        point = Arms(mean, m, d, np.array([1.0]))
        return Arms(mean, m, d, np.maximum(edge(algebra, point), np.exp(x[1])))

    found = minimize(
        lambda x: -ratios(algebra, at(x))[0], start, method="Nelder-Mead", options={"maxiter": 400}
    )
    return at(found.x), float(-found.fun), int(found.nfev)
