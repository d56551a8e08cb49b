"""Appendix J: the interval, the estimator and the size with Hoeffding's width rho.

Its proofs are said to be those of appendix D with rho in place of phi, so the steps are those
displays with rho. Notation: l = log(2/delta), rho(n) = sqrt(l/(2n)), s = rho(tau) + rho(iota). The
difference A - B of the two centred means is sub-Gaussian of variance (1/tau + 1/iota)/4.
"""

from __future__ import annotations

from fractions import Fraction

import sympy
from sympy import Expr, Rational, exp, log, oo, sqrt

from boundcheck.proof_steps import relations as rel
from boundcheck.proof_steps.parts import at_most, below, cases, equal
from boundcheck.proof_steps.step import Parts, Proof, StepRepair
from boundcheck.search.hunt import bisected
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.proofs import proof_5_1 as uniform
from boundcheck.theories.shareable_arms.proofs.proof_5_3 import chance_unmet
from boundcheck.theories.shareable_arms.proofs.stated import same
from simulation.numbers import decimal

tau, iota, n, x, y, ell = sympy.symbols("tau iota n x y l", positive=True)
delta, m, mu = s.delta, s.m, s.mu
SIZE: Expr = find("cor-J.3").quantities[0].terms[0].expression
_ANY, _UP = (0, oo), (1, oo)
_LEVELS = {delta: ("0.001", "0.9")}
_HORIZON = Fraction(10**6)

# -- J.1 ---------------------------------------------------------------------------------

INTERVAL = Proof("lem-J.1")


@INTERVAL.step(
    "a",
    "lma:ici_hfd: the width rho",
    "Hoeffding's inequality, sub-gaussian-half",
    sigma2=Rational(1, 8),
)
def tail(sigma2: Expr = Rational(1, 4)) -> Parts:
    """P(|muhat - mu| >= rho) <= delta, and the same for nuhat/m."""
    squared = rel.unfolded(fn.rho(n, delta)) ** 2
    yield equal(2 * exp(-n * squared / (2 * sigma2)), delta).on({n: (1, 99), **_LEVELS})
    yield from uniform.hoeffding_lemma(sigma2)


@INTERVAL.step("b", "lma:ici_hfd, display: the interval", "a, 5.1-j, 5.1-k", width=uniform.phi_tau)
def _ends(width: Expr = uniform.phi_tau + uniform.phi_iota) -> Parts:
    """Both means within their widths put m into the interval, where muhat > s."""
    yield from uniform.lower_end(width)
    yield from uniform.upper_end(width)


def _difference(sigma2: Expr, stretch: Expr) -> Parts:
    """s^2 >= (l/2)(1/tau + 1/iota), times `stretch` for a wider s; with equality it is delta."""
    squared = rel.unfolded(fn.rho(tau, delta) + fn.rho(iota, delta)) ** 2
    form = log(2 / delta) / 2 * (1 / sqrt(tau) + 1 / sqrt(iota)) ** 2
    yield equal(squared, form).on({tau: (1, 9), iota: (1, 9), **_LEVELS})
    yield at_most(x**2 + y**2, (x + y) ** 2).on({x: _ANY, y: _ANY})
    least = stretch * log(2 / delta) / 2 * (1 / tau + 1 / iota)
    chance = 2 * exp(-least / (2 * sigma2 * (1 / tau + 1 / iota)))
    yield equal(chance, delta).on({tau: (1, 9), iota: (1, 9), s.sigma2: (1, 9), **_LEVELS})


@INTERVAL.step(
    "c",
    "lma:ici_hfd: the union bound of appendix D",
    "a, b",
    true_with={"share": delta / 2},
    repair=StepRepair(
        "The union bound gives 1 - 2 delta, the difference of the two means 1 - delta",
        lambda: _difference(Rational(1, 4), 1),
    ),
    consequence="the sum is 2 delta, whatever delta; |muhat - nuhat/m| <= s fails with probability "
    "delta at most (J.1-d)",
)
def _union(share: Expr = delta) -> Parts:
    """A chance of delta for each mean makes delta in all."""
    yield at_most(share + share, delta).on({delta: (Fraction(1, 10**6), 1)})


@INTERVAL.step(
    "d",
    "lma:ici_hfd, repaired: the difference of the two means",
    "sub-gaussian-half",
    sigma2=Rational(1, 2),
    stretch=Rational(1, 2),
)
def difference_of_means(sigma2: Expr = Rational(1, 4), stretch: Expr = 1) -> Parts:
    """2 exp(-2 s^2/(1/tau + 1/iota)) <= delta, the upper end infinite where muhat <= s."""
    yield from _difference(sigma2, stretch)


@INTERVAL.step("e", "lma:ici_hfd, display, the upper end infinite where muhat <= s", "d")
def _covers() -> Parts:
    """m is in the interval with probability at least 1 - delta."""
    yield same("lem-J.1", "charitable")


@INTERVAL.step(
    "f",
    "lma:ici_hfd, display, as printed",
    "b",
    repair=StepRepair("The upper end is infinite where muhat <= s", _covers),
    consequence="true for sigma <= 1/2 with this reading",
)
def covers_as_printed() -> Parts:
    """m is in the interval with probability at least 1 - delta, where s < mu but muhat <= s."""
    yield same("lem-J.1", "printed")


@INTERVAL.step(
    "g",
    "lma:ici_hfd: Gaussian laws of variance up to 1/2",
    "a",
    repair=StepRepair("The width is 2 sigma rho", lambda: _difference(s.sigma2, 4 * s.sigma2)),
    under={given.SUB_GAUSSIAN.name: {"statement": "charitable"}},
    consequence="right for sigma <= 1/2, not for Gaussian variance above 1/4",
)
def _any_law(statement: str = "intended") -> Parts:
    """The same for every law of the model."""
    yield same("lem-J.1", statement)


# -- J.2 ---------------------------------------------------------------------------------

ESTIMATOR = Proof("lem-J.2")


@ESTIMATOR.step("a", "lemma J.2, display, unconditional", "J.1-d, 5.2-a")
def _seldom_wrong() -> Parts:
    """P(the bounds meet at another number than m) <= delta."""
    yield same("lem-J.2", "charitable")


@ESTIMATOR.step(
    "b",
    "lemma J.2, display, given that the bounds meet",
    "J.1-d",
    repair=StepRepair(
        "P(the bounds meet at another number than m) is at most delta", _seldom_wrong
    ),
    consequence="the printed probability is not conditional: that form is true",
)
def _right_where_bounds_meet() -> Parts:
    """P(the estimate is m | the bounds meet) >= 1 - delta."""
    yield same("lem-J.2", "printed")


# -- J.3 ---------------------------------------------------------------------------------

EXPLORATIONS = Proof("cor-J.3")


@EXPLORATIONS.step("a", "corollary J.3, display: the size", "5.3-f, 5.3-g", size=SIZE / 2, parts=6)
def _sevenths(size: Expr = SIZE, parts: Expr = 7) -> Parts:
    """From (49 m^2/(2 mu^2)) log(2/delta) explorations on rho <= mu/(7m), which is enough."""
    width = mu / (parts * m)
    ranges = {mu: (1, 9), m: (1, 9), **_LEVELS}
    yield equal(rel.unfolded(fn.rho(size, delta)) ** 2, width**2).on(ranges)
    falling = [fn.rho(count, 2 * exp(-ell)) ** 2 for count in (n + x, n)]
    yield at_most(*falling).on({n: _UP, x: _ANY, ell: _ANY})
    yield at_most((4 * m + 3) * width, mu).on({m: _UP, mu: _ANY})


@EXPLORATIONS.step(
    "b",
    "corollary J.3: strictly enough",
    "a, 5.3-b",
    repair=StepRepair("One exploration more is needed for m = 1", {"more": 1}),
    consequence="7 rho = mu at m = 1: both means would have to be at their worst ends, with "
    "probability 0 or by rounding",
)
def strictly_enough(more: Expr = 0) -> Parts:
    """(4m + 3) rho < mu at the size."""
    count = SIZE.subs(delta, 2 * exp(-ell)) + more
    squared = ((4 * m + 3) * fn.rho(count, 2 * exp(-ell))) ** 2
    positive = (Fraction(1, 100), oo)
    yield below(squared, mu**2).on({m: _UP, mu: positive, ell: positive})


@EXPLORATIONS.step(
    "c",
    "corollary J.3: both means within their widths",
    "J.1-a",
    repair=StepRepair("The size is (49 m^2/(2 mu^2)) log(4/delta)", {"share": delta / 2}),
    consequence="the proof gives (1 - delta)^2, as the means are independent, for no delta 1 - "
    "delta; no example with a chance above delta was found",
)
def both_within(share: Expr = delta) -> Parts:
    """With probability at least 1 - delta both means are within rho, each failing with delta."""
    inside = {delta: (Fraction(1, 10**6), Fraction(999_999, 10**6))}
    yield at_most(1 - delta, (1 - share) ** 2).on(inside)


@EXPLORATIONS.step("d", "corollary J.3, conclusion", "a", size=SIZE / 60)
def enough(size: Expr = SIZE) -> Parts:
    """The estimate is m with probability at least 1 - delta at this size."""
    yield chance_unmet("cor-J.3", size)
    yield same("cor-J.3", "charitable", examples=40)


@EXPLORATIONS.step(
    "e",
    "fig:width_comparison: phi(t, 1/T) below rho(t, 1/T^2), T = 10^6",
    first=1,
    consequence="sharper in some instances is what section 5 says; t = 1 alone is none (J.3-f)",
)
def narrower_width(first: int = 2) -> Parts:
    """The uniform width is the narrower one from t = 2 on."""
    last, _ = bisected(lambda t: not _narrower(t), Fraction(2), Fraction(10**14), 12)
    yield cases(
        _narrower,
        {"t (T = 10^6)": (first, 2, 3, 10, 10**3, 10**6)},
        complete=False,
        words=f"from t = 2 on true to about {decimal(last, 6)}, far beyond T",
    )


def _narrower(time: int | Fraction) -> bool:
    relation = rel.goal_below(fn.phi(n, 1 / s.T), fn.rho(n, 1 / s.T**2))
    return not rel.violated(relation, {n: Fraction(time), s.T: _HORIZON})


@EXPLORATIONS.step("f", "fig:width_comparison: t = 1", "e", time=2)
def first_time(time: int = 1) -> Parts:
    """At t = 1 phi(t, 1/T) is the wider one, whatever T."""
    squares = [fn.rho(time, 1 / s.T**2) ** 2, fn.phi(time, 1 / s.T) ** 2]
    yield at_most(*squares).on({s.T: _UP})


STEPS = (*INTERVAL, *ESTIMATOR, *EXPLORATIONS)
