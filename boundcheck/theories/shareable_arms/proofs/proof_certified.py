"""`sharp-4.3`, its upper half: a certificate of the policy `certify` is seldom wrong.

Steps 2a to 2e of docs/theorems/attainment.md. The stack (j, a) holds what arm j showed at load a; Q
is its mixture likelihood, beta the level log t + 2 log log t.
"""

from __future__ import annotations

import sympy
from sympy import Expr, Rational, exp, log, oo

from boundcheck.proof_steps.parts import at_most, below, equal
from boundcheck.proof_steps.ranges import ANY, UNIT, UP, UP9
from boundcheck.proof_steps.step import Parts
from boundcheck.theories.shareable_arms import symbols as sym
from boundcheck.theories.shareable_arms.proofs.proof_constant import PROOF

__all__ = ["PROOF", "certified_is_best"]
a, n, p, q, r, t, w, x = sympy.symbols("a n p q r t w x", positive=True)
ell, total, squares, held = sympy.symbols("l S_1 S_2 h", positive=True)


@PROOF.step("2a", "attainment, 2.1: the mixture", share=1)
def _mixture(share: Expr = 1 / held) -> Parts:
    """Given the past, the chances that a mixture over h capacities and over means (two, in any
    proportion w) gives to the next entry sum to 1: Q over the true likelihood has mean at most 1.
    """
    part = w / (1 + w)
    next_entry = [part * one + (1 - part) * other for one, other in ((p, q), (1 - p, 1 - q))]
    ranges = {held: UP9, w: UP9, p: UNIT, q: UNIT}
    yield equal(held * share * sum(next_entry), 1 + 0 * w).on(ranges)


@PROOF.step("2b", "attainment, 2: the Gaussian mixture in closed form", prior=2)
def _closed_form(prior: int = 1) -> Parts:
    """sum (z - x)^2 + x^2 = (n + 1)(x - S_1/(n + 1))^2 + S_2 - S_1^2/(n + 1): the mixture over
    N(0, sigma^2) has the exponent -(S_2 - S_1^2/(n + 1))/(2 sigma^2)."""
    exponent = squares - 2 * x * total + n * x**2 + prior * x**2
    square = (n + 1) * (x - total / (n + 1)) ** 2 + squares - total**2 / (n + 1)
    yield equal(exponent, square).on(dict.fromkeys((squares, total, n, x), UP9))


@PROOF.step(
    "2c",
    "attainment, 2.1: at each slot the truth leaves the region with a chance of K N/(t log^2 t)",
    "2a, Markov's inequality",
    margin=1,
)
def _level(margin: int = 2) -> Parts:
    """exp(-beta_t) = 1/(t log^2 t) for beta_t = log t + 2 log log t."""
    yield equal(exp(-(log(t) + margin * log(log(t)))), 1 / (t * log(t) ** 2)).on({t: (3, 99)})


@PROOF.step("2d", "attainment, 2.1: summed over all slots", "2c", limit=Rational(11, 10))
def _all_slots(limit: Expr = Rational(6, 5)) -> Parts:
    """The sum over t >= 3 is at most its first term plus the integral from 3 on, and below 1.2."""
    term = 1 / (t * log(t) ** 2)
    yield equal(sympy.diff(-1 / log(t), t), term).on({t: (3, 99)})
    falling = (ell + 2) / (exp(2 * ell) * ell**3)
    yield equal(-sympy.diff(term, t), falling.xreplace({ell: log(t)})).on({t: (3, 99)})
    yield at_most(0, falling).on({ell: UP})
    yield at_most(term.xreplace({t: sympy.Integer(3)}) + 1 / log(3), limit).on({})


@PROOF.step(
    "2e",
    "attainment, 2.1: a certified action is a* where the truth is in the region",
    "1b",
    least=0,
)
def certified_is_best(least: int = 1) -> Parts:
    """The arms of mean above that of L^ hold N - a plays, fewer than N, with L^ at least N: L^ is
    L, as it has a play at least."""
    yield below(sym.N - a, sym.N).on({a: (least, oo), sym.N: UP})
    yield at_most(sym.N, (sym.N - a) + (a + r)).on({a: (least, oo), r: ANY, sym.N: UP})
