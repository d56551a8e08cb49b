"""Theorem G.3, step 1 and the closing algebra: the times zeta and what sums of them come to.

x = T Delta^2/(18 gamma^2), logbar(x) = max(log x, 1), U(tau, T) = 2 sqrt(2 logbar(T/tau)/tau);
zeta* solves Delta = (3/2) gamma U(zeta*, T), zeta is zeta* rounded up. c_k = g_{N,k} Delta_{N,k} =
mu_1 - mu_k, and Delta_{N,K+1} = 0, zeta_{N,K+1} = 1 by convention.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import sympy
from sympy import Expr, Rational, diff, exp, log, oo

from boundcheck.claims.functions import logbar
from boundcheck.proof_steps.parts import Asserted, at_most, below, cases, equal
from boundcheck.proof_steps.step import Parts, Proof, StepRepair
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms import models
from boundcheck.theories.shareable_arms.symbols import T, gamma
from simulation.world.instance import Instance

Relation: TypeAlias = Callable[[Expr, Expr], Asserted]
a, u, v, q, g, Delta = sympy.symbols("a u v q g Delta", positive=True)
ell = sympy.Symbol("logbar", positive=True)
r = sympy.Symbol("r", nonnegative=True)
X = T * Delta**2 / (18 * gamma**2)
LEVEL = logbar(X)
ROOT = LEVEL - logbar(LEVEL)
_RANGES = {T: (2, 10**4), Delta: ("0.1", "1"), gamma: (1, 3)}
_ANY, _UP = (0, oo), (1, oo)

# -- step 1 ----------------------------------------------------------------------------------

OPENING = Proof("thm-G.3")


@OPENING.step(
    "1a",
    "G.3, Step 1, 1st display",
    repair=StepRepair("At least 1: it is 1 for N = 1", {"relation": at_most}),
    consequence="only g >= 1 is used",
)
def ratios(relation: Relation = below) -> Parts:
    """The ratio g_{N,k} = (a + Delta)/Delta, a = mu_1 - mu_N, falls with k and exceeds 1."""
    later, here = ((a + gap) / gap for gap in (Delta + v, Delta))
    yield relation(later, here).on({a: _ANY, Delta: ("0.01", oo), v: ("0.01", oo)})
    yield relation(1, here).on({a: _ANY, Delta: ("0.01", oo)})


@OPENING.step("1b", "G.3, Step 1, 2nd display", floor=0)
def decreasing_width(floor: Expr = 1) -> Parts:
    """U(tau, T) decreases in tau, so zeta exists and falls with the gap."""
    yield equal(fn.U(T / v, T) ** 2, 8 * v * logbar(v) / T).on({T: (2, 99), v: (1, 99)})
    # v logbar(v) grows with v = T/tau: the slopes of v floor, and of v log(v) at log(v) = floor + r
    yield below(0, diff(v * floor, v)).on({})
    yield below(0, diff(v * log(v), v).subs(v, exp(floor + r))).on({r: _ANY})


def _squared(size: Expr, share: Expr) -> tuple[Expr, Expr]:
    """x and (share gamma U)^2 at the time size gamma^2 logbar(x)/Delta^2."""
    x = T * Delta**2 / (size * gamma**2)
    time = size * gamma**2 / Delta**2 * logbar(x)
    return x, (share * gamma * fn.U(time, T)) ** 2


@OPENING.step(
    "1c",
    "G.3, Step 1, 3rd display, =",
    repair=StepRepair(
        "logbar(x/l) stands under the root in place of l - logbar(l)", {"under": logbar(X / LEVEL)}
    ),
    consequence="an identity exactly for x >= e^e = 15.154...; logbar(x/l) <= l, so the inequality "
    "that follows holds for all x",
)
def double_logarithm(under: Expr = ROOT) -> Parts:
    """(3/2) gamma U(18 gamma^2 l/Delta^2, T) is Delta sqrt((l - logbar l)/l), l = logbar(x)."""
    _, squared = _squared(18, Rational(3, 2))
    yield equal(squared, Delta**2 * under / LEVEL).on(_RANGES)


@OPENING.step("1d", "G.3, Step 1, 3rd display, <= and last =", "1b, 1c", size=17, share=2)
def still_at_most(size: Expr = 18, share: Expr = Rational(3, 2)) -> Parts:
    """(3/2) gamma U(18 gamma^2 logbar(x)/Delta^2, T) <= Delta, for every x."""
    x, squared = _squared(size, share)
    scale, level = Rational(8) * share**2 / size, logbar(x)
    yield equal(squared, scale * Delta**2 * logbar(x / level) / level).on(_RANGES)
    # logbar(x/l) is u - log u for l = u = log x >= 1, and 1 for l = 1
    yield at_most(scale * (u - log(u)), u).on({u: _UP})


@OPENING.step(
    "1e",
    "G.3, Step 1, eq:tau_condition",
    "1d",
    true_with={"largest": 1},
    under={given.BOUNDED_MEANS.name: {"largest": 1}},
    repair=StepRepair("1 + 18 gamma^2 logbar(x)/Delta^2, or gaps of at most 1"),
    consequence="it holds where Delta <= gamma sqrt(logbar), so for means in [0, 1]; G.3 is false "
    "for Gaussian means far above 1",
)
def rounded_up(largest: Expr = oo) -> Parts:
    """zeta <= zeta* + 1 <= 19 gamma^2 logbar(x)/Delta^2, for every gap."""
    one = gamma**2 * ell  # in multiples of 1/Delta^2
    yield at_most(18 * one + Delta**2, 19 * one).on({Delta: (0, largest), gamma: _UP, ell: _UP})


# -- closing algebra -------------------------------------------------------------------------

CLOSING = Proof("thm-G.3")
cost, next_cost, first = sympy.symbols("c_k c_{k+1} Delta_{1N}", positive=True)
zeta, next_zeta = sympy.symbols("zeta_k zeta_{k+1}", positive=True)


@CLOSING.step("3d10", "G.3, Step 3d, 3rd display, 1st =", after=first)
def by_parts(after: Expr = 0) -> Parts:
    """Summed by parts, for each j: sum c_k (zeta_k - zeta_{k+1}), with c_{K+1} = 0."""
    ranges = dict.fromkeys((cost, next_cost, zeta, next_zeta, first), (1, 9))
    ends = cost * zeta - next_cost * next_zeta  # add up to c_j zeta_j - c_{K+1} zeta_{K+1}
    whole = ends + next_zeta * (next_cost - cost)
    yield equal(cost * (zeta - next_zeta), whole).on(ranges)
    yield equal(cost * zeta - after * next_zeta, cost * zeta).on(ranges)


@CLOSING.step(
    "3d11",
    "G.3, Step 3d, 3rd display, 2nd =",
    "3d10",
    repair=StepRepair("<= takes the place of =", {"relation": at_most}),
    consequence="the others are equal, and the printed last term is the larger one",
)
def last_terms(relation: Relation = equal) -> Parts:
    """c_{k+1} - c_k is Delta_{N,k+1} - Delta_{N,k} in all terms, also for k = K."""
    # for k = K: 0 - c_K and 0 - Delta_{N,K}; both sides are linear in each, so (0, 1) is enough
    ranges = dict.fromkeys((next_zeta, Delta, first), (0, 1))
    yield relation(-next_zeta * (Delta + first), -next_zeta * Delta).on(ranges)


@CLOSING.step("3d12", "G.3, Step 3d, 3rd display, 2nd =, read as <=", "3d10", relation=equal)
def last_terms_at_most(relation: Relation = at_most) -> Parts:
    """The same with <=."""
    yield from last_terms(relation)


@CLOSING.step("4a", "G.3, eq:elimination_upper_bound", "G.3-2a, G.3-3c4, 3d12", total=5)
def three_costs(total: Expr = 6) -> Parts:
    """Good events, late and false eliminations: 1 + 1 + 4 = 6 times sum zeta c."""
    yield equal(1 + 1 + 4, total).on({})


@CLOSING.step(
    "4b",
    "G.3, 1st display after, 1st <=",
    "G.3-1e",
    repair=StepRepair(
        "Drop the term k = K, which is negative, before substituting", {"gaps": (2, 1)}
    ),
    consequence="the sum to K - 1 is what the integral bounds",
)
def _substituted(gaps: Sequence[int] = (2, 1, 0)) -> Parts:
    """19 gamma^2 logbar/Delta^2 for zeta in all terms, also the last, where Delta_{N,K+1} = 0."""
    yield at_most(-next_zeta * Delta, 0).on({next_zeta: _ANY, Delta: _ANY})  # the term k = K
    yield cases(lambda gap: gap > 0, {"Delta_{N,k+1}": gaps}, complete=True)


def _height(x: Expr) -> Expr:
    return logbar(T * x**2 / (18 * gamma**2)) / x**2


@CLOSING.step(
    "4c", "G.3, 1st display after, =", "4b", factor=18 * gamma**2, height=lambda x: _height(x) / x
)
def factor_taken_out(
    factor: Expr = 19 * gamma**2, height: Callable[[Expr], Expr] = _height
) -> Parts:
    """The bound of zeta is 19 gamma^2 times logbar(T x^2/(18 gamma^2))/x^2 at x = Delta."""
    yield equal(19 * gamma**2 / Delta**2 * LEVEL, factor * height(Delta)).on(_RANGES)


@CLOSING.step(
    "4d",
    "G.3, 1st display after, 2nd <=",
    "4c",
    floor=0,
    consequence="the printed upper limit Delta_{N,k} is a misprint",
)
def decreasing_integrand(floor: Expr = 1) -> Parts:
    """Right-hand sums lie below the integral to Delta_{N,K}: the integrand decreases."""
    # logbar(q v^2)/v^2 is floor/v^2, or log(q v^2)/v^2 where the logarithm is floor + r
    slope = diff(log(q * v**2) / v**2, v)
    yield at_most(slope.subs(q, exp(floor + r) / v**2), 0).on({v: _ANY, r: _ANY})
    yield at_most(diff(floor / v**2, v), 0).on({v: _ANY})


@CLOSING.step("4e", "G.3, 1st display after, 3rd <=", "4d", extra=1)
def _integral(extra: Expr = 2) -> Parts:
    """The integral from Delta_j on is at most (logbar + 2)/Delta_j."""
    primitive = -(log(q * v**2) + 2) / v
    yield equal(diff(primitive, v), log(q * v**2) / v**2).on({q: (1, 9), v: (1, 9)})
    yield equal(sympy.limit(primitive, v, oo), 0).on({})
    # from a on: (log(q a^2) + 2)/a where the logarithm is 1 + r; else 1/a + 2/(a + r), as it is 1
    # at a + r
    yield at_most((1 + r + 2) / a, (1 + r + extra) / a).on({a: _ANY, r: _ANY})
    yield at_most(1 / a + 2 / (a + r), (1 + extra) / a).on({a: _ANY, r: _ANY})


@CLOSING.step("4f", "G.3, 2nd display after", "G.3-1e, 4a", total=113)
def second_term(total: Expr = 114) -> Parts:
    """6 * 19 = 114 (g_k is g_{N,k})."""
    bound = 19 * gamma**2 * ell / Delta**2
    ranges = dict.fromkeys((gamma, ell, Delta, g), (1, 9))
    yield equal(6 * bound * g * Delta, total * gamma**2 * g * ell / Delta).on(ranges)


@CLOSING.step("4g", "G.3, last display, 1st <=", "4a, 4e, 4f", total=75)
def _first_term(total: Expr = 76) -> Parts:
    """4 * 19 = 76."""
    yield equal(4 * 19 * gamma**2 / Delta, total * gamma**2 / Delta).on(_RANGES)


@CLOSING.step("4h", "G.3, last display, 2nd <=", "G.3-1a, 4g", total=341)
def together(total: Expr = 342) -> Parts:
    """76 (l + 2) + 114 g l <= 342 g l for g >= 1 and l >= 1."""
    yield at_most(76 * (ell + 2) + 114 * g * ell, total * g * ell).on({ell: _UP, g: _UP})


@CLOSING.step("4i", "G.3, last display, 3rd <=", least=max)
def order_cost(least: models.Choice = min) -> Parts:
    """sum_{k<N} Delta_{k,N} <= h, for mu_N >= 0."""

    def fits(instance: Instance) -> bool:
        top = instance.means[: instance.plays]
        return sum(mean - top[-1] for mean in top) <= models.largest_loss(instance, least)

    yield models.over_small_instances(fits, "exceeds h", models.small_instances(unit=True))
