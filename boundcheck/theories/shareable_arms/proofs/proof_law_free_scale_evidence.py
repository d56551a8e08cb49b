"""`sharp-law-free-scale`, first part: evidence is seldom wrong, and tests end.

Sections 3 and 4 of docs/theorems/law-free-scale.md, which has the letters. What does not depend on
the law is cited from the proof of `sharp-law-free`; steps that speak of the calculator's counts
compare them with their definitions on small instances, one of which has a negative mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from flint import arb
from sympy import Expr, Integer, Rational, diff, exp, log

from boundcheck.calculator.numbers import balls
from boundcheck.calculator.numbers.domains import BALLS
from boundcheck.claims.card import Range, Term
from boundcheck.proof_steps.derivation import is_term
from boundcheck.proof_steps.parts import at_most, below, cases, equal
from boundcheck.proof_steps.ranges import ANY, UNIT, UP, UP9
from boundcheck.proof_steps.step import Part, Parts, Proof
from boundcheck.theories.shareable_arms import symbols as sym
from boundcheck.theories.shareable_arms.exact.law_free_scale import ScaleNumbers, ScaleSlots
from boundcheck.theories.shareable_arms.exact.law_free_slots import Slots
from boundcheck.theories.shareable_arms.proofs.law_free_plain import Plain
from boundcheck.theories.shareable_arms.proofs.law_free_scale_plain import ScalePlain
from boundcheck.theories.shareable_arms.proofs.proof_law_free_tests import (
    HORIZON,
    INSTANCES,
    same_numbers,
    shares_of,
    twentieths,
)
from boundcheck.theories.shareable_arms.ranks import Arms
from boundcheck.theory import Theory

PROOF = Proof("sharp-law-free-scale", source="law-free-scale, ")

m, mu, N, T = sym.m, sym.mu, sym.N, sym.T
A, B, b, c, h, kappa, n, rho, s, sigma, t, u, v, w, x, y = sympy.symbols(
    "A B b c h kappa n rho s sigma t u v w x y", positive=True
)
centre = sympy.Symbol("v_0", real=True)

SPARE = sympy.Min(1, N - m)


def _weight(n: Expr, rho: Expr) -> Expr:
    return rho * n**2 / (1 + rho * n)


def _price(n: Expr, rho: Expr) -> Expr:
    return log(1 + rho * n) / 2


def scale_errors(gift: Expr) -> Expr:
    """Lam_c, 2a."""
    return 4 * exp(gift) - 4 + 4 * exp(gift) * log((T + 4) / (4 * exp(gift)))


def is_summand(theory: Theory, name: str, lost: Expr, over: Range | None = None) -> Part:
    """The card has this term."""
    return is_term(theory.cards[PROOF.claim], Term(name, lost, over))


def scaled(**constants: Any) -> Iterator[tuple[Plain, Slots]]:
    """Each instance by definition and as the calculator has it, with two scales."""
    variances = (Fraction(1, 2), Fraction(1, 5))
    for (means, held, plays), variance in zip(WORLDS, variances * 3, strict=False):
        numbers, shares, spread = twentieths(means), shares_of(held), balls.ball(variance)
        plain = ScalePlain(
            numbers, held, plays, HORIZON, False, shares, **constants, variance=spread
        )
        levels = {name: np.array(share, dtype=object) for name, share in shares.items()}
        table, zero = np.array(numbers, dtype=object), balls.ball(Fraction(0))
        horizon = ScaleNumbers(BALLS, arb(HORIZON), spread)
        yield plain, ScaleSlots(horizon, table, held, plays, plain.last, 1, zero, levels)


WORLDS = (*INSTANCES, ((12, 9, 4, -16), (2, 2, 1, 2), 3))


def same_scaled(*names: str, **constants: Any) -> Part:
    return same_numbers(*names, among=scaled, **constants)


# -- evidence -----------------------------------------------------------------------------------


@PROOF.step("1a", "3: the mixture over normal laws", "rewards-of-a-scale", more=0)
def _mixture(more: Expr = 1 / rho) -> Parts:
    """The exponent s S - s^2 n sigma^2/2 and that of a normal s of variance rho/sigma^2 add up to a
    square and S^2/(2 sigma^2 (n + 1/rho)) = u(n, rho) (S/n)^2/(2 sigma^2); the ratio of the two
    normal densities' constants is (1 + rho n)^(-1/2)."""
    spread = sigma**2 * (n + more)
    total = s * x - s**2 * sigma**2 * n / 2 - s**2 * sigma**2 / (2 * rho)
    square = -spread / 2 * (s - x / spread) ** 2
    points = dict.fromkeys((s, x, sigma, n, rho), UP9)
    yield equal(total, square + x**2 / (2 * spread)).on(points)
    yield equal((n * y) ** 2 / (2 * spread), _weight(n, rho) * y**2 / (2 * sigma**2)).on(
        dict.fromkeys((y, sigma, n, rho), UP9)
    )
    yield equal(log(rho * (n + more)) / 2, _price(n, rho)).on({n: UP9, rho: UP9})


@PROOF.step("1b", "3: two groups", "1a, Ville's inequality", both=u)
def _two_groups(both: Expr = u + v) -> Parts:
    """u (A - v_0)^2 + u' (B - v_0)^2 is least at the average weighted by u and u', where it is
    (A - B)^2 u u'/(u + u')."""
    apart = u * (A - centre) ** 2 + v * (B - centre) ** 2 - (A - B) ** 2 * u * v / (u + v)
    least = both * (centre - (u * A + v * B) / (u + v)) ** 2
    yield equal(apart, least).on({**dict.fromkeys((A, B, u, v), UP9), centre: (-9, 9)})


@PROOF.step("1c", "3: deviations", "rewards-of-a-scale, Ville's inequality", twice=1)
def _deviations(twice: int = 2) -> Parts:
    """With s = x/(sigma^2 kappa^2) and weights up to kappa, exp(s sum kappa_t (X_t - mu) - s^2
    sigma^2 sum kappa_t^2/2) is at least exp(h' x^2/(2 sigma^2 kappa^2)) once the average of h' >= h
    plays is x or more."""
    slope = x / (sigma**2 * kappa**2)
    exponent = slope * h * x - slope**2 * sigma**2 * kappa**2 * h / 2
    yield equal(exponent, h * x**2 / (twice * sigma**2 * kappa**2)).on(
        dict.fromkeys((x, sigma, kappa, h), UP9)
    )
    yield at_most(h * x, (h + t) * x).on({h: ANY, t: ANY, x: ANY})


# -- errors -------------------------------------------------------------------------------------


@PROOF.step("2a", "3: all slots", "horizon-at-least-216", four=5, least=76)
def _all_slots(four: int = 4, least: int = 216) -> Parts:
    """e^(c - l_t) = 4 e^c/(4 + t) falls in t: up to t = 4 e^c - 4 each slot counts as 1, from there
    on the sum is at most the integral. 4 e^3 - 4 is less than 216."""
    yield equal(exp(c - log(1 + t / 4)), four * exp(c) / (4 + t)).on({c: UP9, t: (1, 99)})
    yield at_most(1 / (4 + t + x), 1 / (4 + t)).on({t: ANY, x: ANY})
    whole = scale_errors(c)
    yield equal(diff(whole, T), 4 * exp(c) / (4 + T)).on({c: UP9, T: (1, 99)})
    yield equal(whole.subs(T, four * exp(c) - 4), four * exp(c) - 4).on({c: UP9})
    yield below(4 * exp(Integer(3)) - 4, Integer(least)).on({})


@PROOF.step("2b", "3: a capacity taken for a larger one", "1b, 2a, capacity-within-plays", gift=1)
def _larger(theory: Theory, gift: int = 2) -> Parts:
    """At b = m a load above b shows y/b = X: one event for each arm with m < N, and a slot loses no
    more than any slot."""
    yield cases(
        lambda held, load: Fraction(min(load, held), held) == 1,
        {"case": range(1, 9), "load": range(9, 12)},
        complete=True,
        words="capacities up to 8 and larger loads",
    )
    lost = scale_errors(Integer(gift)) * SPARE * sym.largest_regret
    yield is_summand(theory, "capacity taken for a larger one", lost, Arms.ALL)


@PROOF.step("2c", "3: a capacity taken for a smaller one", "1b, 2a", reach=1)
def _smaller(reach: int = 0) -> Parts:
    """With c = min(m, top), top the largest load so far, y/min(a, c) = X for each load a <= top:
    B_c is the average of the high X, of any sign, and one of those that all must be excluded."""

    def shown(held: int, top: int) -> bool:
        largest = min(held, top) - reach
        return all(min(load, held) == min(load, largest) for load in range(1, top + 1))

    def among(held: int, top: int) -> bool:
        return all(min(held, top) in range(b + 1, top + 1) for b in range(1, min(held, top)))

    sizes = {"held": range(1, 9), "top": range(1, 9)}
    yield cases(shown, sizes, complete=True, words="capacities and loads up to 8")
    yield cases(among, sizes, complete=True)


# -- tests end ----------------------------------------------------------------------------------


@PROOF.step(
    "3a",
    "4: one count stands for larger ones",
    "1b, horizon-at-least-216",
    half=1,
    level=5,
    t_0=200,
)
def _one_is_enough(half: Expr = Rational(1, 2), level: int = 4, t_0: int = 216) -> Parts:
    """u(tn) >= t u(n) and pi(tn) <= pi(n) + log(t)/2, both as 1 + rho t n <= t (1 + rho n); the
    weight of two groups has degree 1 and grows in each. The excess at t h is at least (t - 1) w -
    log t, w = l - 3 + pi + pi' >= 1, as l >= 4 from T = 216 on. t = 1 + x."""
    grown, positive = 1 + x, {x: ANY, n: ANY, rho: ANY}
    yield at_most(1 + rho * grown * n, grown * (1 + rho * n)).on(positive)
    points = dict.fromkeys((n, rho, t), UP9)
    slower = t * _weight(n, rho) * (t * (1 + rho * n)) / (1 + rho * t * n)
    yield equal(_weight(t * n, rho), slower).on(points)
    allowed = _price(n, rho) + half * log(t) + log((1 + rho * t * n) / (t * (1 + rho * n))) / 2
    yield equal(_price(t * n, rho), allowed).on(points)
    pair = u * v / (u + v)
    yield equal(pair.subs({u: t * u, v: t * v}, simultaneous=True), t * pair).on(
        dict.fromkeys((u, v, t), UP9)
    )
    yield equal(diff(pair, u), v**2 / (u + v) ** 2).on({u: UP9, v: UP9})
    yield at_most(log(1 + x), x * (1 + w)).on({x: ANY, w: ANY})
    yield below(exp(Integer(level)), 1 + Rational(t_0, 4)).on({})
    yield at_most(3 + 1, Integer(level)).on({})


@PROOF.step("3b", "4: what tells b from b + 1 is cut in three", "positive-last-mean", left=9)
def _levels(left: int = 8) -> Parts:
    """Of mu/B the low average may take 3 s U, the high one kappa (2 + B/m) s U = m/B (2 + B/m) s U,
    U = mu/(8 B + (2 m - 4 B) s), and 8 (1 - s) U is left: all are positive. For b < m, B = b, the
    averages lie (b + 1) mu/b - mu apart, for b = m, B = m + 1, mu - m mu/(m + 1)."""
    unit = mu / (8 * B + (2 * m - 4 * B) * s)
    total = 3 * s * unit + (m / B) * (2 + B / m) * s * unit + left * (1 - s) * unit
    yield equal(total, mu / B).on({m: UP9, B: UP9, mu: UNIT, s: UNIT})
    yield equal((m / B) * (2 + B / m), 2 * (m / B) + 1).on({m: UP9, B: UP9})
    rest = 8 * B - 4 * B * s + 2 * m * s  # 4 B + (2 m) s + 4 B (1 - s)
    yield below(0, rest.subs(s, 1 - y)).on({y: (0, 1), m: UP, B: UP})
    yield equal((b + 1) * mu / b - mu, mu / b).on({b: UP9, mu: UNIT})
    yield equal(mu - m * mu / (m + 1), mu / (m + 1)).on({m: UP9, mu: UNIT})


@PROOF.step("3c", "5: Q, the last count worth a play", "1a", rest=1)
def _one_crossing(rest: int = 2) -> Parts:
    """n u'(n) = u(n) (2 + rho n)/(1 + rho n) >= u(n), and n pi'(n) < 1/2: where u d = l + pi, l >=
    1/2, u d grows faster."""
    points = {n: UP9, rho: UP9}
    slope = _weight(n, rho) * (rest + rho * n) / (1 + rho * n)
    yield equal(n * diff(_weight(n, rho), n), slope).on(points)
    yield at_most(1 + rho * n, rest + rho * n).on({n: ANY, rho: ANY})
    yield equal(n * diff(_price(n, rho), n), rho * n / (2 * (1 + rho * n))).on(points)
    yield below(rho * n, 1 + rho * n).on({n: ANY, rho: ANY})


@PROOF.step(
    "3d", "4: h, c and the tails of h", "1c, 3a, 3b, law-free-5f",
    prices=0, off=2, left=7, each=2, larger=1, smaller=2,
)  # fmt: skip
def _ends(
    prices: int = 1, off: int = 3, left: int = 8, each: int = 1, larger: int = 2, smaller: int = 3
) -> Parts:
    """A test is tried h_{j,b} times at most in expectation: the calculator's numbers."""
    constants = {"prices": prices, "off": off, "left": left, "each": each}
    yield same_scaled("tests", "played", "still", larger=larger, smaller=smaller, **constants)
