"""Appendix J: the interval, the estimator and the size with Hoeffding's width rho.

Its proofs are said to be those of appendix D with rho in place of phi, so the steps are those
displays with rho. Notation: l = log(2/delta), rho(n) = sqrt(l/(2n)), s = rho(tau) + rho(iota). The
difference A - B of the two centred means is sub-Gaussian of variance (1/tau + 1/iota)/4.
"""

from __future__ import annotations

from fractions import Fraction

import sympy
from sympy import exp, log, oo, sqrt

from boundcheck import functions as fn
from boundcheck import symbols as s
from boundcheck.claims.hoeffding_j import CLAIMS
from boundcheck.proofs import capacity, sample_upper
from boundcheck.proofs import relations as rel
from boundcheck.proofs.chances import chances
from boundcheck.proofs.methods import contradicted, exhaustive, falsified, identity, sign
from boundcheck.proofs.relations import at_most, below
from boundcheck.proofs.step import Checked, Step, combined
from boundcheck.search.hunt import bisected
from simulation.numbers import decimal

tau, iota, n, x, y = sympy.symbols("tau iota n x y", positive=True)
SIZE: sympy.Expr = CLAIMS[2].quantities[0].terms[0].expression
_ANY, _UP = (0, oo), (1, oo)
_COUNTS = {n: (1, 99), s.delta: ("0.001", "0.9")}
_HORIZON = Fraction(10**6)


def _tail() -> Checked:
    """2 exp(-2 n rho^2) = delta for each mean."""
    squared = rel.unfolded(fn.rho(n, s.delta)) ** 2
    return combined(
        identity(2 * exp(-2 * n * squared), s.delta, _COUNTS), capacity.hoeffding_lemma()
    )


def _union() -> Checked:
    """delta for each of the two means, added up, is at most delta?"""
    more = sign(below(s.delta, s.delta + s.delta), {s.delta: (Fraction(1, 10**6), 1)})
    return contradicted(more, "every delta", "the sum is 2 delta")


def _direct() -> Checked:
    """2 exp(-2 s^2/(1/tau + 1/iota)) <= delta, as s^2 >= (l/2)(1/tau + 1/iota).

    With x^2 = 1/tau and y^2 = 1/iota: (x + y)^2 >= x^2 + y^2, and equality would give delta.
    """
    ell = log(2 / s.delta)
    at_equality = 2 * exp(-2 * (ell / 2) * (x**2 + y**2) / (x**2 + y**2))
    form = rel.unfolded(fn.rho(tau, s.delta) + fn.rho(iota, s.delta)) ** 2
    return combined(
        identity(
            form,
            ell / 2 * (1 / sqrt(tau) + 1 / sqrt(iota)) ** 2,
            {tau: (1, 9), iota: (1, 9), s.delta: ("0.01", "0.9")},
        ),
        sign(at_most(x**2 + y**2, (x + y) ** 2), {x: _ANY, y: _ANY}),
        identity(at_equality, s.delta, {x: (1, 9), y: (1, 9), s.delta: ("0.01", "0.9")}),
    )


def _sevenths() -> Checked:
    """rho at the published size is mu/(7m) exactly."""
    squared = rel.unfolded(fn.rho(SIZE, s.delta)) ** 2
    ranges = {s.mu: (1, 9), s.m: (1, 9), s.delta: ("0.01", "0.9")}
    return combined(
        identity(squared, (s.mu / (7 * s.m)) ** 2, ranges),
        sign(at_most(1 / (n + x), 1 / n), {n: _UP, x: _ANY}),
        sample_upper.sevenths(),
    )


def _strictly_enough() -> Checked:
    """(4m + 3) rho < mu at the size itself? At m = 1 both sides are equal."""
    left = (4 * s.m + 3) * s.mu / (7 * s.m)
    equal = identity(left.subs(s.m, 1), s.mu, {s.mu: (1, 9)})
    words = "7 rho = mu there: the width can be 1 exactly, if both means are at the worst ends"
    return contradicted(equal, "m = 1", words)


def _both_within() -> Checked:
    """P(both means within rho) >= 1 - delta, from delta each: (1 - delta)^2 >= 1 - delta?"""
    inside = {s.delta: (Fraction(1, 10**6), Fraction(999_999, 10**6))}
    less = sign(below((1 - s.delta) ** 2, 1 - s.delta), inside)
    words = "the means are independent: both are within with probability (1 - delta)^2 at least"
    return contradicted(less, "delta from 10^-6 to 1 - 10^-6", words)


# -- the comparison of widths ----------------------------------------------------------------


def _narrower(time: int | Fraction, horizon: Fraction = _HORIZON) -> bool:
    relation = below(fn.phi(n, 1 / s.T), fn.rho(n, 1 / s.T**2))
    return not rel.violated(relation, {n: Fraction(time), s.T: horizon})


def _sharper() -> Checked:
    """phi(t, 1/T) < rho(t, 1/T^2) for every t up to T?"""
    last, _ = bisected(lambda t: not _narrower(t), Fraction(2), Fraction(10**14), 12)
    words = f"true from t = 2 to about {decimal(last, 6)}, far beyond T"
    found = exhaustive(_narrower, {"t (T = 10^6)": (1, 2, 3, 10, 10**3, 10**6)}, complete=False)
    return Checked(found.method, found.verdict, found.region, words)


def _first_time() -> Checked:
    """At t = 1 it is phi that is wider, whatever T: 2 log(2 sqrt(2) T) > log(2 T^2)."""
    return sign(at_most(log(2 * s.T**2), 2 * log(2 * sqrt(2) * s.T)), {s.T: _UP})


# -- the ledger ----------------------------------------------------------------------------

_I, _E, _S = "lem-J.1", "lem-J.2", "cor-J.3"

STEPS = (
    Step(_I, "J.1-a", "lma:ici_hfd: the width rho",
         "P(|muhat - mu| >= rho) <= delta, and the same for nuhat/m",
         ("Hoeffding's inequality", "sub-gaussian-half"), _tail),
    Step(_I, "J.1-b", "lma:ici_hfd, display: the interval",
         "both means within their widths put m into the interval, where muhat > s",
         ("J.1-a", "5.1-j", "5.1-k"), capacity.ends),
    Step(_I, "J.1-c", "lma:ici_hfd: the union bound of appendix D",
         "a chance of delta for each mean makes delta in all", ("J.1-a", "J.1-b"), _union,
         repair="1 - 2 delta by the union bound; 1 - delta by the difference of the means",
         consequence="|muhat - nuhat/m| <= s fails with probability delta at most (J.1-d)"),
    Step(_I, "J.1-d", "lma:ici_hfd, repaired: the difference of the two means",
         "2 exp(-2 s^2/(1/tau + 1/iota)) <= delta, the upper end infinite where muhat <= s",
         ("sub-gaussian-half",), _direct),
    Step(_I, "J.1-e", "lma:ici_hfd, display, the upper end infinite where muhat <= s",
         "m is in the interval with probability at least 1 - delta", ("J.1-d",),
         lambda: falsified("lem-J.1", 2)),
    Step(_I, "J.1-f", "lma:ici_hfd, display, as printed",
         "m is in the interval with probability at least 1 - delta, where s < mu but muhat <= s",
         ("J.1-b",), lambda: falsified("lem-J.1", 0),
         repair="read the upper end as infinite where muhat <= s",
         consequence="true for sigma <= 1/2 with this reading"),
    Step(_I, "J.1-g", "lma:ici_hfd: Gaussian laws of variance up to 1/2",
         "the same for every law of the model", ("J.1-a",), lambda: falsified("lem-J.1", 1),
         repair="width 2 sigma rho", survives=False,
         consequence="right for sigma <= 1/2, not for Gaussian variance above 1/4"),
    Step(_E, "J.2-a", "lemma J.2, display, unconditional",
         "P(the bounds meet at another number than m) <= delta", ("J.1-d", "5.2-a"),
         lambda: falsified("lem-J.2", 2)),
    Step(_E, "J.2-b", "lemma J.2, display, given that the bounds meet",
         "P(the estimate is m | the bounds meet) >= 1 - delta", ("J.1-d",),
         lambda: falsified("lem-J.2", 0),
         repair="P(the bounds meet at another number than m) <= delta", survives=True,
         consequence="the printed probability is not conditional: that form is true"),
    Step(_S, "J.3-a", "corollary J.3, display: the size",
         "from (49 m^2/(2 mu^2)) log(2/delta) explorations on rho <= mu/(7m), which is enough",
         ("5.3-f", "5.3-g"), _sevenths),
    Step(_S, "J.3-b", "corollary J.3: strictly enough",
         "(4m + 3) rho < mu at the size", ("J.3-a", "5.3-b"), _strictly_enough,
         repair="one exploration more for m = 1",
         consequence="both means would have to be at their worst ends: probability 0 or rounding"),
    Step(_S, "J.3-c", "corollary J.3: both means within their widths",
         "with probability at least 1 - delta both means are within rho, each failing with delta",
         ("J.1-a",), _both_within,
         repair="(49 m^2/(2 mu^2)) log(4/delta)", survives=None,
         consequence="the proof gives 1 - 2 delta; no example with a chance above delta was found"),
    Step(_S, "J.3-d", "corollary J.3, conclusion",
         "the estimate is m with probability at least 1 - delta at this size",
         ("J.3-a",), lambda: combined(chances(fn.rho, SIZE), falsified("cor-J.3", 2, 40))),
    Step(_S, "J.3-e", "fig:width_comparison: phi(t, 1/T) below rho(t, 1/T^2), T = 10^6",
         "the uniform width is the narrower one at every t", (), _sharper,
         repair="for t >= 2", consequence="one time more or less: nothing rests on it"),
    Step(_S, "J.3-f", "fig:width_comparison: t = 1",
         "at t = 1 phi(t, 1/T) is the wider one, whatever T", ("J.3-e",), _first_time),
)  # fmt: skip
