"""Theorem G.3, step 1 and the closing algebra: the times zeta and what sums of them come to.

x = T Delta^2/(18 gamma^2), logbar(x) = max(log x, 1), U(tau, T) = 2 sqrt(2 logbar(T/tau)/tau);
zeta* solves Delta = (3/2) gamma U(zeta*, T), zeta is zeta* rounded up. c_k = g_{N,k} Delta_{N,k} =
mu_1 - mu_k, and Delta_{N,K+1} = 0, zeta_{N,K+1} = 1 by convention.
"""

from __future__ import annotations

from fractions import Fraction

import sympy

from boundcheck import functions as fn
from boundcheck.finding import Verdict
from boundcheck.proofs import models
from boundcheck.proofs import relations as rel
from boundcheck.proofs.methods import computed, exhaustive, identity, sign
from boundcheck.proofs.models import apart, at_most
from boundcheck.proofs.old_form import Step
from boundcheck.proofs.step import Part, combined
from boundcheck.symbols import N, T, gamma
from simulation.instance import Instance

oo = sympy.oo
a, u, v, q, ell, g = sympy.symbols("a u v q ell g", positive=True)
r = sympy.Symbol("r", nonnegative=True)
Delta, c = sympy.symbols("Delta c", positive=True)
_ZERO = sympy.Integer(0)
X = T * Delta**2 / (18 * gamma**2)
ZETA = 18 * gamma**2 / Delta**2 * fn.logbar(X)
_RANGES = {T: (2, 10**4), Delta: ("0.1", "1"), gamma: (1, 3)}


def decreasing_width() -> Part:
    """U(tau, T)^2 = 8 v logbar(v)/T with v = T/tau: both pieces increase in v."""
    return combined(
        sign(
            at_most(_ZERO, (v + r) * sympy.log(v + r) - v * sympy.log(v)), {v: (1, oo), r: (0, oo)}
        ),
        sign(at_most(v, v + r), {v: (0, oo), r: (0, oo)}),
    )


def _double_log() -> Part:
    """The identity in x alone: logbar(x/l) against l - logbar(l), l = logbar(x) = u for x >= e."""
    bracket = sign(at_most(1 + sympy.log(u), u), {u: (1, oo)})  # so logbar(x/l) = u - log u
    sides = fn.logbar(v / fn.logbar(v)), fn.logbar(v) - fn.logbar(fn.logbar(v))
    below, above = (
        [rel.value(sides[0] - sides[1], {v: x}) for x in points]
        for points in (map(Fraction, (1, 2, 3, 10, 15)), map(Fraction, (16, 100, 10**6)))
    )
    as_told = all(d > 0 for d in below) and all(d.contains(0) for d in above)
    if bracket.verdict is not Verdict.HOLDS or not as_told:
        return Part("calculus + enclosure", Verdict.INCONCLUSIVE, "x > 0", "not as expected")
    return Part(
        "calculus + enclosure",
        Verdict.REFUTED,
        "x = T Delta^2/(18 gamma^2) < e^e = 15.154...; an identity exactly for x >= e^e",
        "the sides differ by 1 - log log x for e <= x < e^e (certified at 3, 10, 15), and are "
        "Delta and 0 for x < e",
    )


def _still_at_most() -> Part:
    """logbar(x/l) <= l for all x: u - log u <= u for u = log x >= 1, and 1 <= 1 below e."""
    middle = Fraction(3, 2) * gamma * fn.U(ZETA, T)
    return combined(
        sign(at_most(u - sympy.log(u), u), {u: (1, oo)}),
        identity(middle**2, Delta**2 * fn.logbar(X / fn.logbar(X)) / fn.logbar(X), _RANGES),
    )


def _rounded_up() -> Part:
    """18 q + 1 <= 19 q for q = gamma^2 logbar/Delta^2 >= 1; an example where q is small."""
    inside = sign(at_most(18 * q + 1, 19 * q), {q: (1, oo)})
    limit = rel.value(19 * gamma**2 / Delta**2 * fn.logbar(X), dict(_FAR))
    outside = computed(
        "enclosure",
        not limit < 1,
        "gaps beyond gamma sqrt(19 logbar), such as Delta = 20 at T = 1000 (Gaussian means only); "
        "it holds where Delta <= gamma sqrt(logbar), so for gaps up to 1",
        f"zeta is at least 1, the bound is {float(limit.mid()):.3f}",
    )
    return apart(outside, inside)


_FAR = {T: Fraction(1000), Delta: Fraction(20), gamma: Fraction(1)}


# -- closing algebra -----------------------------------------------------------------------

cost, next_cost, first = sympy.symbols("c_k c_{k+1} Delta_{1N}", positive=True)
zeta, next_zeta = sympy.symbols("zeta_k zeta_{k+1}", positive=True)


def _by_parts() -> Part:
    """Term by term; c_k zeta_k - c_{k+1} zeta_{k+1} telescopes to c_j zeta_j, as c_{K+1} = 0."""
    telescoping = cost * zeta - next_cost * next_zeta
    return identity(
        cost * (zeta - next_zeta),
        telescoping + next_zeta * (next_cost - cost),
        dict.fromkeys((cost, next_cost, zeta, next_zeta), (1, 9)),
    )


def _last_terms() -> Part:
    """k = K: zeta (0 - c_K) against zeta (0 - Delta_{N,K}), c_K = Delta_{N,K} + Delta_{1,N}."""
    ranges = {next_zeta: (1, 9), Delta: ("0.1", 1), first: (0, 1)}
    return identity(-next_zeta * (Delta + first), -next_zeta * Delta, ranges)


def _integrand() -> Part:
    """logbar(q x^2)/x^2 decreases: 1/x^2 below, log(q x^2)/x^2 where q x^2 >= e."""
    slope = sympy.diff(sympy.log(q * v**2) / v**2, v)
    return combined(
        identity(slope, 2 * (1 - sympy.log(q * v**2)) / v**3, {q: (1, 9), v: (1, 9)}),
        sign(at_most(2 * (1 - (1 + r)) / v**3, _ZERO), {v: (0, oo), r: (0, oo)}),  # 1 + r = the log
        sign(at_most(1 / (v + r) ** 2, 1 / v**2), {v: (0, oo), r: (0, oo)}),
    )


def _integral() -> Part:
    """From a on: (log(q a^2) + 2)/a where q a^2 >= e; else 1/a + 2/x_0, x_0 > a, q x_0^2 = e."""
    primitive = -(sympy.log(q * v**2) + 2) / v
    return combined(
        identity(sympy.diff(primitive, v), sympy.log(q * v**2) / v**2, {q: (1, 9), v: (1, 9)}),
        identity(sympy.limit(primitive, v, oo), _ZERO, {}),
        sign(at_most(1 / a + 2 / (a + r), 3 / a), {a: (0, oo), r: (0, oo)}),
    )


def _order_cost() -> Part:
    """h less the sum is N mu_N - mu_K = (N - 1) mu_N + (mu_N - mu_K)."""

    def fits(instance: Instance) -> bool:
        means = [instance.means[k] for k in instance.order]
        top, last = means[: instance.plays], means[instance.plays - 1]
        largest = instance.optimal_reward - min(means)
        lost = sum(mean - last for mean in top)
        return bool(lost <= largest and largest - lost == instance.plays * last - means[-1])

    return combined(
        sign(at_most(_ZERO, (N - 1) * u + r), {N: (1, oo), u: (0, oo), r: (0, oo)}),
        models.over_instances(fits, models.small_instances(unit=True), "exceeds h"),
    )


OPENING = (
    Step(
        "thm-G.3",
        "G.3-1a",
        "G.3, Step 1, 1st display",
        "the ratio g_{N,k} falls with k and exceeds 1: (a + Delta)/Delta, a = mu_1 - mu_N",
        (),
        lambda: sign(
            sympy.Gt((a + Delta) / Delta, 1, evaluate=False), {a: (0, oo), Delta: ("0.01", oo)}
        ),
        repair="at least 1: it is 1 for N = 1",
        consequence="only g >= 1 is used",
    ),
    Step(
        "thm-G.3",
        "G.3-1b",
        "G.3, Step 1, 2nd display",
        "U(tau, T) decreases in tau, so zeta exists and falls with the gap",
        (),
        decreasing_width,
    ),
    Step(
        "thm-G.3",
        "G.3-1c",
        "G.3, Step 1, 3rd display, =",
        "(3/2) gamma U(18 gamma^2 logbar(x)/Delta^2, T) is Delta sqrt((l - logbar l)/l), "
        "l = logbar(x)",
        (),
        _double_log,
        repair="logbar(x/l) under the root in place of l - logbar(l)",
        consequence="logbar(x/l) <= l, so the inequality that follows holds for all x",
    ),
    Step(
        "thm-G.3",
        "G.3-1d",
        "G.3, Step 1, 3rd display, <= and last =",
        "(3/2) gamma U(18 gamma^2 logbar(x)/Delta^2, T) <= Delta, for every x",
        ("G.3-1b", "G.3-1c"),
        _still_at_most,
    ),
    Step(
        "thm-G.3",
        "G.3-1e",
        "G.3, Step 1, eq:tau_condition",
        "zeta <= zeta* + 1 <= 19 gamma^2 logbar(x)/Delta^2",
        ("G.3-1d",),
        _rounded_up,
        repair="1 + 18 gamma^2 logbar(x)/Delta^2, or gaps of at most 1",
        consequence="G.3 is false for Gaussian means far above 1; on [0, 1] it is not affected",
    ),
)

CLOSING = (
    Step(
        "thm-G.3",
        "G.3-3d10",
        "G.3, Step 3d, 3rd display, 1st =",
        "summed by parts, for each j: sum c_k (zeta_k - zeta_{k+1}), with c_{K+1} = 0",
        (),
        _by_parts,
    ),
    Step(
        "thm-G.3",
        "G.3-3d11",
        "G.3, Step 3d, 3rd display, 2nd =",
        "c_{k+1} - c_k is Delta_{N,k+1} - Delta_{N,k} in all terms, also for k = K",
        ("G.3-3d10",),
        _last_terms,
        repair="<= in place of =",
        consequence="the others are equal, and the printed last term is the larger one",
    ),
    Step(
        "thm-G.3",
        "G.3-3d12",
        "G.3, Step 3d, 3rd display, 2nd =, read as <=",
        "the same with <=",
        ("G.3-3d10",),
        lambda: sign(
            at_most(-next_zeta * (Delta + first), -next_zeta * Delta),
            {next_zeta: (0, oo), Delta: (0, oo), first: (0, oo)},
        ),
    ),
    Step(
        "thm-G.3",
        "G.3-4a",
        "G.3, eq:elimination_upper_bound",
        "good events, late and false eliminations: 1 + 1 + 4 = 6 times sum zeta c",
        ("G.3-2a", "G.3-3c4", "G.3-3d12"),
        lambda: identity(sympy.Integer(1) + 1 + 4, sympy.Integer(6), {}),
    ),
    Step(
        "thm-G.3",
        "G.3-4b",
        "G.3, 1st display after, 1st <=",
        "19 gamma^2 logbar/Delta^2 for zeta in all terms, also the last, where Delta_{N,K+1} = 0",
        ("G.3-1e",),
        lambda: exhaustive(lambda gap: gap != 0, {"Delta_{N,k+1}": (2, 1, 0)}, complete=True),
        repair="drop the term k = K, which is negative, before substituting",
        consequence="the sum to K - 1 is what the integral bounds",
    ),
    Step(
        "thm-G.3",
        "G.3-4c",
        "G.3, 1st display after, =",
        "19 gamma^2 taken out of the sum",
        ("G.3-4b",),
        lambda: identity(
            19 * gamma**2 / u**2 * ell * c,
            19 * gamma**2 * (ell * c / u**2),
            {gamma: (1, 3), u: (1, 9), ell: (1, 9), c: (0, 9)},
        ),
    ),
    Step(
        "thm-G.3",
        "G.3-4d",
        "G.3, 1st display after, 2nd <=",
        "right-hand sums lie below the integral to Delta_{N,K}: the integrand decreases",
        ("G.3-4c",),
        _integrand,
        consequence="the printed upper limit Delta_{N,k} is a misprint",
    ),
    Step(
        "thm-G.3",
        "G.3-4e",
        "G.3, 1st display after, 3rd <=",
        "the integral from Delta_j on is at most (logbar + 2)/Delta_j",
        ("G.3-4d",),
        _integral,
    ),
    Step(
        "thm-G.3",
        "G.3-4f",
        "G.3, 2nd display after",
        "6 * 19 = 114 (g_k is g_{N,k})",
        ("G.3-1e", "G.3-4a"),
        lambda: identity(
            6 * 19 * gamma**2 * ell / Delta**2 * g * Delta,
            114 * gamma**2 * g * ell / Delta,
            {gamma: (1, 3), ell: (1, 9), Delta: ("0.1", 1), g: (1, 9)},
        ),
    ),
    Step(
        "thm-G.3",
        "G.3-4g",
        "G.3, last display, 1st <=",
        "4 * 19 = 76",
        ("G.3-4a", "G.3-4e", "G.3-4f"),
        lambda: identity(4 * 19 * gamma**2, 76 * gamma**2, {gamma: (1, 3)}),
    ),
    Step(
        "thm-G.3",
        "G.3-4h",
        "G.3, last display, 2nd <=",
        "76 (l + 2) + 114 g l <= 342 g l for g >= 1 and l >= 1",
        ("G.3-1a", "G.3-4g"),
        lambda: sign(
            at_most(76 * (ell + 2) + 114 * g * ell, 342 * g * ell), {ell: (1, oo), g: (1, oo)}
        ),
    ),
    Step(
        "thm-G.3",
        "G.3-4i",
        "G.3, last display, 3rd <=",
        "sum_{k<N} Delta_{k,N} <= h, for mu_N >= 0",
        (),
        _order_cost,
    ),
)
