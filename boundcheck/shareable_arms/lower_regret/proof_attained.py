"""The upper half of `sharp-4.3`: the policy `certify` has regret (C + o(1)) log T.

Steps 2a to 2r of docs/theorems/attainment.md; 3a and 3b carry it over to a common unknown variance.
The stack (j, a) holds what arm j showed at load a; Q is its mixture likelihood, beta the level
log t + 2 log log t, s the ticks (slots without a certificate).
"""

from __future__ import annotations

from collections.abc import Collection

import sympy
from sympy import Expr, Rational, exp, log, oo, sqrt

from boundcheck import functions as fn
from boundcheck.proofs.parts import at_most, below, cases, equal
from boundcheck.proofs.ranges import ANY, SURELY, UNIT, UP, UP9
from boundcheck.proofs.relations import unfolded
from boundcheck.proofs.step import Parts
from boundcheck.shareable_arms import symbols as sym
from boundcheck.shareable_arms.exact import gaussian
from boundcheck.shareable_arms.lower_regret.proof_constant import PROOF, SUBOPTIMAL, worth

m, mu, mu_L, mbar, sigma2 = sym.m, sym.mu, sym.mu_L, sym.mbar, sym.sigma2
a, b, d, n, p, q, r, s, t, u = sympy.symbols("a b d n p q r s t u", positive=True)
v, w, x, y, z, beta = sympy.symbols("v w x y z beta", positive=True)
ell, total, squares, held = sympy.symbols("l S_1 S_2 h", positive=True)


# -- a certificate is seldom wrong ------------------------------------------------------------


@PROOF.step("2a", "attainment, 2.1: the mixture", share=1)
def mixture(share: Expr = 1 / held) -> Parts:
    """Given the past, the chances that a mixture over h capacities and over means (two, in any
    proportion w) gives to the next entry sum to 1: Q over the true likelihood has mean at most 1.
    """
    part = w / (1 + w)
    next_entry = [part * one + (1 - part) * other for one, other in ((p, q), (1 - p, 1 - q))]
    ranges = {held: UP9, w: UP9, p: UNIT, q: UNIT}
    yield equal(held * share * sum(next_entry), 1 + 0 * w).on(ranges)


@PROOF.step("2b", "attainment, 2: the Gaussian mixture in closed form", prior=2)
def closed_form(prior: int = 1) -> Parts:
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
def level(margin: int = 2) -> Parts:
    """exp(-beta_t) = 1/(t log^2 t) for beta_t = log t + 2 log log t."""
    yield equal(exp(-(log(t) + margin * log(log(t)))), 1 / (t * log(t) ** 2)).on({t: (3, 99)})


@PROOF.step("2d", "attainment, 2.1: summed over all slots", "2c", limit=Rational(11, 10))
def all_slots(limit: Expr = Rational(6, 5)) -> Parts:
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


# -- what a stack tells -------------------------------------------------------------------------


@PROOF.step(
    "2f",
    "attainment, 2.2: one entry, two means",
    "Jensen's inequality, Cramer-Chernoff bound",
    half=1,
    sign=-1,
)
def two_means(half: Expr = Rational(1, 2), sign: int = 1) -> Parts:
    """log p_mu(X)/p_y(X) is affine in V(X), with mean kl(mu, y): V is X for Gaussian and Bernoulli
    rewards, and c logit X for Beta rewards."""
    points = dict.fromkeys((x, y, p, sigma2), (1, 5))
    normal = ((x - y) ** 2 - (x - p) ** 2) / (2 * sigma2)
    affine = ((p - y) * x - half * (p**2 - y**2)) / sigma2
    yield equal(normal, affine).on(points)
    yield equal(affine.xreplace({x: p}), unfolded(fn.kl_gaussian(p, y))).on(points)
    shown = x * (log(p / q) - log((1 - p) / (1 - q))) + sign * log((1 - p) / (1 - q))
    yield equal(shown.xreplace({x: p}), unfolded(fn.kl_bernoulli(p, q))).on({p: UNIT, q: UNIT})
    above, beyond = (p - q) * sym.concentration, (q - p) * sym.concentration
    beta_ratio = above * log(x) + sign * beyond * log(1 - x)
    logit = (p - q) * sym.concentration * (log(x) - log(1 - x))
    yield equal(beta_ratio, logit).on({x: UNIT, p: UNIT, q: UNIT, sym.concentration: UP9})


@PROOF.step(
    "2g",
    "attainment, 2.2: spreads settle exponentially fast",
    "Cramer-Chernoff bound",
    drift=Rational(1, 2),
)
def spread(drift: Expr = Rational(1)) -> Parts:
    """A mean of squared normals leaves 1 by x with chance exp(-n (x - log(1 + x))/2), or
    exp(-n (-x - log(1 - x))/2): both exponents are above 0."""
    yield below(log(1 + x), drift * x).on({x: SURELY})
    yield below(0, -drift * x - log(1 - x)).on({x: ("0.001", "0.999")})


@PROOF.step(
    "2h", "attainment, 2.2: a smaller capacity, Gaussian rewards", "2f, 2g", squared=1, one=2
)
def smaller_capacity(squared: int = 2, one: int = 1) -> Parts:
    """Against a capacity of b for a, an entry tells log(b/a) + (a/b)^2 v/2 - u/2, which is F/2 at
    (b/a)^2 where the two spreads u, v are 1; and F(x) = log x + 1/x - 1 is above 0 but at 1."""
    shown = log(b) + (a / b) ** squared * v / 2 - (log(a) + u / 2)
    settled = shown.xreplace({u: sympy.Integer(1), v: sympy.Integer(1)})
    entropy = (log(x) + 1 / x - one) / 2
    yield equal(settled, entropy.xreplace({x: (b / a) ** 2})).on({a: UP9, b: UP9})
    yield below(0, entropy.xreplace({x: 1 + z})).on({z: SURELY})
    yield below(0, entropy.xreplace({x: 1 / (1 + z)})).on({z: SURELY})


@PROOF.step(
    "2i",
    "attainment, 2.2: a larger capacity, Beta rewards",
    "1i, 2f, Cramer-Chernoff bound",
    least=2,
)
def larger_beta(least: int = 1) -> Parts:
    """1 - m X/(m + 1) >= 1/(m + 1): its logarithm is bounded, and log X and log(1 - X) have
    exponential moments, so the ratio of step 1i has them too."""
    yield at_most(least, (m + 1) * (1 - m * x / (m + 1))).on({x: (0, 1), m: UP})


# -- few ticks ------------------------------------------------------------------------------------


@PROOF.step("2j", "attainment, 2.3: wrong candidates", "2f, 2g", power=1)
def wrong_candidates(power: int = 2) -> Parts:
    """exp(-b log(u)^2) <= u^-2 from log u = 2/b on: over all ticks wrong candidates are finitely
    many in expectation."""
    far = 2 / b + r
    yield at_most(2 * far, b * far**power).on({b: SURELY, r: ANY})


@PROOF.step("2k", "attainment, 2.3: bad ticks", "2f, 2h", power=2)
def bad_ticks(power: int = 3) -> Parts:
    """A stack of beta^(3/2) entries tells d times as many, more than beta, once beta > 1/d^2; here
    beta = w^2."""
    level_root = 1 / d + r
    yield below(level_root**2, d * level_root**power).on({d: ("0.001", 1), r: SURELY})


@PROOF.step(
    "2l", "attainment, 2.3: where nothing is open the action is certified", "2k", kinds=("outside",)
)
def no_idle_tick(kinds: Collection[str] = ("outside", "filled")) -> Parts:
    """At a tick that is not bad, an arm before L may have no capacity above its own, or one; an arm
    beyond L may reach up to arm L, or not: if none does, all conditions of the certificate hold."""

    def told(room: bool, reaches: bool) -> bool:
        certified = not room and not reaches
        is_open = ("filled" in kinds and room) or ("outside" in kinds and reaches)
        return certified or is_open

    both = (False, True)
    yield cases(told, {"a larger capacity": both, "reaches L": both}, complete=True)


@PROOF.step("2m", "attainment, 2.3: the price of a tick", "1a", surplus=mu - mu_L)
def price(surplus: Expr = mu_L) -> Parts:
    """One play moved from L to k costs mu_L - mu_k beyond L, and mu_L before L."""
    last = worth(mu_L, mbar, mbar) - worth(mu_L, mbar - 1, mbar - 1)
    points = dict.fromkeys((m, mu, mu_L, mbar), UP9)
    yield equal(last - worth(mu, 1, 1), mu_L - mu).on(points)
    yield equal(last + worth(mu, m, m) - worth(mu, m, m + 1), surplus).on(points)


@PROOF.step("2n", "attainment, 2.3: ticks that explore an arm", "2f, 2h, 2i, 2l", more=0)
def exploring_ticks(more: int = 1) -> Parts:
    """Each adds an entry, and with n entries n d <= beta: beta/d + 1 of them at most, besides
    those of exceptions. Bernoulli rewards: the first success ends it, 1/p ticks in expectation."""
    entries = beta / d - r
    yield at_most(entries + 1, beta / d + more).on({beta: UP, d: SURELY, r: ANY})
    yield equal(more + (1 - p) / p, 1 / p).on({p: UNIT})


@PROOF.step("2o", "attainment, 2.3: forced plays", offset=128, root=1)
def forced(offset: int = 256, root: int = 4) -> Parts:
    """log u <= 4 u^(1/4), so K log(u)^2 <= u/4 + 256 K^2; u = v^4 and sqrt(u) = z."""
    yield at_most(4 * log(v), root * v).on({v: UP})
    yield at_most(16 * z, z**2 / (4 * sym.K) + offset * sym.K).on({z: UP, sym.K: UP})


@PROOF.step("2p", "attainment, 2.3: all ticks", "2j, 2k, 2n, 2o", free=Rational(3, 4))
def ticks(free: Expr = Rational(1, 2)) -> Parts:
    """Of s ticks s/4 + B are forced and s/2 + beta^(3/2) + 1 free at most, so s/4 is at most what
    else was counted: E s = O(beta^(3/2))."""
    yield equal(s - s / 4 - free * s, s / 4).on({s: (1, 99)})


@PROOF.step(
    "2q", "attainment, 2.3: forced plays in expectation", "2o, 2p, Jensen's inequality", start=1
)
def concave(start: Expr = sympy.E) -> Parts:
    """log(u)^2 is concave from u = e on: E F <= K (1 + log(e + E s)^2) = O((log log T)^2)."""
    yield equal(sympy.diff(log(u) ** 2, u, 2), 2 * (1 - log(u)) / u**2).on({u: (1, 99)})
    yield at_most(1, log(start) + ell).on({ell: ANY})


@PROOF.step(
    "2r",
    "attainment, 2.3: limsup E Reg(T)/log T <= C",
    "2d, 2e, 2m, 2n, 2p, 2q, known-law",
    factor=1,
    forgone=2 * mu_L,
)
def attained(factor: int = 4, forgone: Expr = mu_L) -> Parts:
    """beta_T/log T <= 1 + 4/sqrt(log T), (log log T)^2/log T <= 16/sqrt(log T), and the terms that
    are left, at epsilon = 0, are those of the card."""
    yield at_most(4 * log(z), factor * z).on({z: UP})
    near = fn.kl_gaussian(mu, mu_L - x) - d
    known = SUBOPTIMAL.xreplace({fn.law_divergence(mu, mu_L): fn.kl_gaussian(mu, mu_L)})
    limit = ((forgone - mu) / near).xreplace({x: sympy.Integer(0), d: sympy.Integer(0)})
    yield equal(limit, known).on({mu: (1, 4), mu_L: (5, 9), sigma2: (1, 5)})


# -- a common unknown variance ----------------------------------------------------------------


@PROOF.step("3a", "attainment, 2.5: no other scale fits a*", divisor=2)
def one_scale(divisor: int = 1) -> Parts:
    """If u a + v b = 1 for loads a, b of a*, then r = u (r a) + v (r b): a ratio r <= 1 of standard
    deviations that makes whole capacities r a, r b of them is 1."""
    other = (1 - v * b) / u
    yield equal(u * (r * other) + v * (r * b), r * divisor).on(dict.fromkeys((u, v, b, r), UP9))


@PROOF.step(
    "3b", "attainment, 2.5: the counterexample (2, 1, 0), capacities (2, 1, 1)", "2n", mean=3
)
def scale_seen_in_passing(mean: int = 4) -> Parts:
    """Twice the standard deviation, half the capacity, twice the mean: a load of 1 on arm 1 tells
    them apart by more than 5, and arm 2 needs 1/5 plays per log T with such a load beside them."""
    spread_one = sqrt(Rational(1, 10))
    told = gaussian.divergence((2, spread_one), (mean, 2 * spread_one))
    for_arm_2 = unfolded(fn.kl_gaussian(1, 2)).xreplace({sigma2: Rational(1, 10)})
    yield below(for_arm_2, told).on({})
