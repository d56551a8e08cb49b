"""The upper half of `sharp-4.3`: the policy `certify` has regret (C + o(1)) log T.

Steps 2f to 2s of docs/theorems/attainment.md (`proof_certified` has those before); 3a and 3b carry
it over to a common unknown variance.
The stack (j, a) holds what arm j showed at load a; Q is its mixture likelihood, beta the level
log t + 2 log log t, s the ticks (slots without a certificate).
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations, product
from typing import Any, TypeAlias

import sympy
from sympy import Expr, Rational, log, oo, sqrt

from boundcheck.claims import functions as fn
from boundcheck.claims.card import Term
from boundcheck.proof_steps.derivation import is_term
from boundcheck.proof_steps.parts import at_most, below, cases, equal
from boundcheck.proof_steps.ranges import ANY, SURELY, UNIT, UP, UP9
from boundcheck.proof_steps.relations import unfolded
from boundcheck.proof_steps.step import Parts
from boundcheck.theories.shareable_arms import functions as shared
from boundcheck.theories.shareable_arms import symbols as sym
from boundcheck.theories.shareable_arms.exact import gaussian
from boundcheck.theories.shareable_arms.proofs.proof_certified import PROOF
from boundcheck.theories.shareable_arms.proofs.proof_constant import worth
from boundcheck.theories.shareable_arms.ranks import Arms
from boundcheck.theory import Theory

__all__ = ["PROOF"]
m, mu, mu_L, mbar, sigma2 = sym.m, sym.mu, sym.mu_L, sym.mbar, sym.sigma2
a, b, d, n, p, q, r, s, t, u = sympy.symbols("a b d n p q r s t u", positive=True)
v, w, x, y, z, beta = sympy.symbols("v w x y z beta", positive=True)
ell, total, squares, held, sigma = sympy.symbols("l S_1 S_2 h sigma", positive=True)
half_ = Rational(1, 2)
_Region: TypeAlias = tuple[Expr | int, Expr | int]
_Caps: TypeAlias = tuple[int, ...]


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


@PROOF.step(
    "2s",
    "attainment, 2.2: a larger capacity, Gaussian rewards",
    "1i, 2f, Cramer-Chernoff bound",
    half=Rational(1, 4),
    slope=2,
)
def larger_gaussian(half: Expr = half_, slope: Expr = Rational(1)) -> Parts:
    """With X = mu + sigma Z an entry m X tells log p_{mu,m} - log p_{mu',m+1}, quadratic in Z with
    a coefficient between -1/2 and 0 of Z^2, so that it has exponential moments of order up to 1
    either way; its mean is the divergence, which falls by at most eps mu/((m + 1) s2) for mu'
    within eps of mu; its slope in mu' is that of the mesh, (mu' - m X/(m + 1))/s2."""
    shown = m * (mu + sigma * v)
    laws = (m * mu, m * sigma), ((m + 1) * y, (m + 1) * sigma)
    entry = gaussian.log_density(laws[0], shown) - gaussian.log_density(laws[1], shown)
    square = -half + half * (m / (m + 1)) ** 2
    line = m / (m + 1) * (m * mu / (m + 1) - y) / sigma
    level = log((m + 1) / m) + (m * mu / (m + 1) - y) ** 2 / (2 * sigma**2)
    points = {m: UP9, mu: UP9, y: UP9, v: UP9, sigma: (1, 5)}
    yield equal(entry, square * v**2 + line * v + level).on(points)
    yield equal(square + level, gaussian.normal_divergence(*laws)).on(points)  # E Z = 0, E Z^2 = 1
    yield below(-half_, square).on({m: UP})
    yield below(square, 0).on({m: UP})
    steep = (y - shown / (m + 1)) / sigma**2
    yield equal(sympy.diff(entry, y), slope * steep).on(points)
    divergence = gaussian.normal_divergence(*laws)
    at = divergence.xreplace({y: mu})
    for other in (mu - r, mu + r):
        less = divergence.xreplace({y: other}) - at + r * mu / ((m + 1) * sigma**2)
        told = r**2 / (2 * sigma**2) + (other - mu + r) * mu / ((m + 1) * sigma**2)
        yield equal(less, told).on({**points, r: UP9})
    yield at_most(0, r**2 / 2 + 2 * r * mu / (m + 1)).on({m: UP, mu: ANY, r: ANY})


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


_MEANS = (12, 8, 4)  # of an arm before L, of L, of an arm beyond: a quarter of the distance is 1
_NOTHING = (oo, -oo)  # the ends of an empty region


def _not_bad(region: _Region, caps: _Caps, mean: int, load: int, near: Expr) -> bool:
    """All that the stack of an arm up to L allows has a capacity of at least its load, and a mean
    within eps."""
    low, high = region
    return all(c >= load for c in caps) and low >= mean - near and high <= mean + near


@PROOF.step(
    "2l",
    "attainment, 2.3: where nothing is open the action is certified",
    "2k",
    kinds=("outside",),
    near=3,
)
def no_idle_tick(
    kinds: Collection[str] = ("outside", "filled"), near: Expr = Rational(15, 16)
) -> Parts:
    """At a tick that is not bad, with a^ = a*: the policy's conditions for a certificate hold, or
    an arm is open by the policy's rule, whatever the regions. They are conditions on one arm
    before L, L and one arm beyond, so three arms stand for all; here N = 3."""

    def told(loads: tuple[int, int], regions: tuple[_Caps, ...], ends: tuple[_Region, ...]) -> bool:
        (filled, last), (caps, caps_last) = loads, regions
        one, middle, other = ends
        pairs = ((one, caps, 0, filled), (middle, caps_last, 1, last))
        if not all(_not_bad(end, c, _MEANS[j], load, near) for end, c, j, load in pairs):
            return True
        certified = (
            set(caps) <= {filled}
            and one[0] > middle[1]
            and set(caps_last) <= set(range(last, 4))
            and other[1] < middle[0]
        )
        outside = "outside" in kinds and other[1] >= middle[0]
        return bool(certified or outside or ("filled" in kinds and max(caps, default=0) > filled))

    some = [caps for n in (1, 2, 3) for caps in combinations((1, 2, 3), n)]
    around = [
        [(mean - low, mean + high) for low, high in ((near, near), (0, 0), (near, 0), (2, 0))]
        for mean in _MEANS[:2]
    ]
    reach = [(0, _MEANS[1] + x) for x in (-4, -near, 0, 4)]
    ranges: dict[str, list[Any]] = {
        "loads": [(1, 2), (2, 1)],
        "capacities": list(product(some, repeat=2)),
        "means": list(product(*around, [*reach, _NOTHING])),
    }
    yield cases(told, ranges, complete=True)


@PROOF.step("2m", "attainment, 2.3: the price of a tick", "1a", surplus=mu - mu_L)
def _price(surplus: Expr = mu_L) -> Parts:
    """One play moved from L to k costs mu_L - mu_k beyond L, and mu_L before L."""
    last = worth(mu_L, mbar, mbar) - worth(mu_L, mbar - 1, mbar - 1)
    points = dict.fromkeys((m, mu, mu_L, mbar), UP9)
    yield equal(last - worth(mu, 1, 1), mu_L - mu).on(points)
    yield equal(last + worth(mu, m, m) - worth(mu, m, m + 1), surplus).on(points)


@PROOF.step("2n", "attainment, 2.3: ticks that explore an arm", "2f, 2h, 2i, 2s, 2l", more=0)
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
    surplus=mu - mu_L,
)
def attained(theory: Theory, factor: int = 4, forgone: Expr = mu_L, surplus: Expr = mu_L) -> Parts:
    """With log T = z^2 or z^4: beta_T/log T <= 1 + 4/sqrt(log T), (log log T)^2/log T <=
    16/sqrt(log T) and 1/log T <= 1/sqrt(log T), so all but the two sums vanish; and these, at
    epsilon = eta = 0, are those of the card, whatever the law: arms beyond L and before L."""
    beta_T = (ell + 2 * log(ell)).xreplace({ell: z**2})
    yield equal(beta_T, z**2 + 4 * log(z)).on({z: UP9})
    yield at_most(4 * log(z), factor * z).on({z: UP})
    forced = (log(ell) ** 2).xreplace({ell: z**4})
    yield equal(forced, (4 * log(z)) ** 2).on({z: UP9})
    yield at_most(0, z - log(z)).on({z: UP})
    yield at_most(1 / z**2, 1 / z).on({z: UP})
    zero = {x: sympy.Integer(0), d: sympy.Integer(0)}
    explored = (forgone - mu) / (fn.law_divergence(mu, mu_L - x) - d)
    loaded = surplus / (shared.capacity_divergence(m, mu) - d)
    card = theory.cards[PROOF.claim]
    yield is_term(card, Term("suboptimal arms", explored.xreplace(zero), Arms.SUBOPTIMAL))
    yield is_term(card, Term("capacities of filled arms", loaded.xreplace(zero), Arms.FILLED))


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
    told = gaussian.normal_divergence((2, spread_one), (mean, 2 * spread_one))
    for_arm_2 = unfolded(fn.kl_gaussian(1, 2)).xreplace({sigma2: Rational(1, 10)})
    yield below(for_arm_2, told).on({})
