"""`sharp-4.3-law-free`: what no policy that is consistent for all laws on [0, 1] can beat.

Steps a to j of docs/theorems/law-free.md, section 11; what does not depend on the law (chain rule,
change of measure, which alternatives turn the best action) is steps 1a to 1j of `sharp-4.3`. p is
the mean of the law F of an arm beyond L, x > p that of another law F' on [0, 1].
"""

from __future__ import annotations

import sympy
from sympy import Expr, Min, diff, log, oo

from boundcheck.claims.card import Quantity, Term
from boundcheck.claims.functions import digamma, kl_bernoulli, kl_beta, loggamma
from boundcheck.proof_steps.derivation import is_assumed, is_term, is_whole
from boundcheck.proof_steps.parts import at_most, below, cases, equal
from boundcheck.proof_steps.ranges import ANY, SURELY, UNIT, UP, UP9
from boundcheck.proof_steps.relations import unfolded
from boundcheck.proof_steps.step import Parts, Proof
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms import symbols as sym
from boundcheck.theories.shareable_arms.proofs import proof_constant
from boundcheck.theories.shareable_arms.ranks import Arms
from boundcheck.theory import Theory

PROOF = Proof("sharp-4.3-law-free", "sharp-4.3-law-free")

m, mu, mu_L, concentration = sym.m, sym.mu, sym.mu_L, sym.concentration
a, g, h, p, r, s, u, v, x = sympy.symbols("a g h p r s u v x", positive=True)

_APART = {p: ("0.01", "0.45"), x: ("0.5", "0.99")}
_BY_GAPS = {x: 1 - r, p: 1 - r - h}  # r = 1 - x, h = x - p


# -- who could be another instance ------------------------------------------------------------

PROOF.step(
    "a",
    "law-free, 11: only a* loses nothing",
    "sharp-4.3-1a, positive-last-mean, last-mean-above-others, last-mean-below-filled",
    least=-1,
)(proof_constant.unique)
PROOF.step("b", "law-free, 11: an arm beyond L with a larger mean", "a", raised=mu_L - g)(
    proof_constant.better_mean
)
PROOF.step("c", "law-free, 11: an arm before L with a larger capacity", "a", larger=m)(
    proof_constant.larger_capacity
)
PROOF.step("d", "law-free, 11: regret of a slot", "sharp-4.3-1a", times=2)(
    proof_constant.slot_regret
)


# -- nearby laws of a larger mean ----------------------------------------------------------------

_MASS = (x - p) / (1 - p)


@PROOF.step("e", "law-free, 11: more mass at 1", "b, rewards-in-unit-interval", mass=x - p)
def _mixture(mass: Expr = _MASS) -> Parts:
    """F' = (1 - w) F + w delta_1 lies on [0, 1] as F does, and has the mean x for w = (x - p)/
    (1 - p), which is between 0 and 1."""
    yield equal((1 - mass) * p + mass, x).on(_APART)
    by_gaps = mass.xreplace(_BY_GAPS)
    yield below(0, by_gaps).on({r: SURELY, h: SURELY})
    yield below(by_gaps, 1).on({r: SURELY, h: SURELY})


@PROOF.step("f", "law-free, 11: how far that is", "e", kept=1 - (x - p))
def _mixed(kept: Expr = 1 - _MASS) -> Parts:
    """dF/dF' is 1/(1 - w) below 1, and at 1, where F has the mass a, it is a/(a (1 - w) + w), which
    is no more: KL(F, F') <= log(1/(1 - w)) = log((1 - p)/(1 - x)). Here w = 1/(1 + u)."""
    yield equal(kept, (1 - x) / (1 - p)).on(_APART)
    by_gaps = unfolded(fn.mixed_divergence(p, x)).xreplace(_BY_GAPS)
    yield equal(-log(r / (r + h)), by_gaps).on({r: UP9, h: UP9})
    mass = 1 / (1 + u)
    yield equal((a * (1 - mass) + mass) * (1 + u), a * u + 1).on({a: UNIT, u: UP9})
    yield at_most(log(a * u), log(a * u + 1)).on({a: SURELY, u: SURELY})


@PROOF.step("g", "law-free, 11: Bernoulli rewards", "b, f", sign=-1)
def _bernoulli(sign: int = 1) -> Parts:
    """The Bernoulli law of mean x has the divergence kl(p, x), no more than the mixture. No law on
    [0, 1] of mean x is nearer: with the mass q' at 0 it has at most 1 - q' at 1, which is at least
    x, so its divergence is at least kl(p, 1 - q'), and kl grows in its second argument above p."""
    less = log(1 + h / p) + log(1 + h / (1 - x))
    gap = sign * (fn.mixed_divergence(p, x) - kl_bernoulli(p, x))
    yield equal(gap, p * less.xreplace({h: x - p})).on(_APART)
    yield at_most(0, log(1 + s)).on({s: ANY})
    slope = diff(unfolded(kl_bernoulli(p, x)), x)
    yield equal(slope, sign * (x - p) / (x * (1 - x))).on(_APART)


def _log_beta(first: Expr, second: Expr) -> Expr:
    """Log density of a Beta law where log X is u and log(1 - X) is v."""
    normaliser = loggamma(first) + loggamma(second) - loggamma(first + second)
    return (first - 1) * u + (second - 1) * v - normaliser


def _shapes(mean: Expr) -> tuple[Expr, Expr]:
    return mean * concentration, (1 - mean) * concentration


def _means(first: Expr, second: Expr) -> dict[Expr, Expr]:
    """What log X and log(1 - X) are on average."""
    both = digamma(first + second)
    return {u: digamma(first) - both, v: digamma(second) - both}


@PROOF.step("h", "law-free, 11: Beta rewards", "b, f, mean of log X under a Beta law", averaged=x)
def _beta(averaged: Expr = p) -> Parts:
    """The Beta law of mean x and the same concentration diverges by the kl_Beta of the card: the
    mixture or this law, whichever is nearer, is an instance that the policy is made for, too."""
    ratio = _log_beta(*_shapes(p)) - _log_beta(*_shapes(x))
    shown = ratio.subs(_means(*_shapes(averaged)))
    yield equal(shown, kl_beta(p, x)).on({**_APART, concentration: UP9})


@PROOF.step("i", "law-free, 11: as x falls to mu_L", "f, g, h, log Gamma is continuous", less=2)
def _in_the_limit(less: int = 1) -> Parts:
    """From the odds v of x to v + h the divergence of the mixture grows by log(1 + h/(1 + v)), that
    of Bernoulli laws by log(v/(v + h)) more for each success, which is not above 0: by h at most.
    """
    nearer, farther = ({p: _mean(u), x: _mean(odds)} for odds in (v, v + h))
    growth = log((1 + v + h) / (1 + v))
    for kl, more in (
        (fn.mixed_divergence(p, x), sympy.Integer(0)),
        (kl_bernoulli(p, x), _mean(u) * log(v / (v + h))),
    ):
        grown = unfolded(kl).xreplace(farther) - unfolded(kl).xreplace(nearer)
        yield equal(grown, less * growth + more).on(dict.fromkeys((u, v, h), UP9))
    yield equal(growth, log(1 + h / (1 + v))).on({v: UP9, h: UP9})
    yield at_most(log(1 + h / (1 + v)), h).on({h: ANY, v: ANY})


def _mean(odds: Expr) -> Expr:
    return odds / (1 + odds)


# -- a larger capacity ---------------------------------------------------------------------------


@PROOF.step("j", "law-free, 11: what a surplus play tells", "c, sharp-4.3-1i", larger=m)
def _surplus_play(larger: Expr = m + 1) -> Parts:
    """Loads up to m show the same under both capacities, a larger one m X or (m + 1) X. If X has
    finitely many values, the smallest above 0 gives m v, which is below all (m + 1)(v + r): the
    divergence is infinite and asks for nothing. For Beta rewards it is that of the card."""
    yield below(m * v, larger * (v + r)).on({m: UP, v: SURELY, r: ANY})
    first, second = _shapes(mu)
    means, farther = _means(first, second), fn.mean_log(first, second, m)
    told = first * log(larger / m) + (second - 1) * (means[v] - farther)
    due = unfolded(fn.capacity_divergence_beta(m, mu))
    yield equal(told, due).on({m: UP9, mu: UNIT, concentration: UP9})


# -- the card -------------------------------------------------------------------------------------

ASSUMED = (given.BOUNDED_REWARDS, *given.LAST_ALONE, given.POSITIVE_LAST)
_NEAREST = {
    "bernoulli": kl_bernoulli(p, x),
    "beta": Min(kl_beta(p, x), fn.mixed_divergence(p, x)),
    "empirical": fn.mixed_divergence(p, x),
}


@PROOF.step("k", "law-free, 11: the card", "sharp-4.3-1e, d, i, j", surplus=mu - mu_L)
def _of_card(theory: Theory, surplus: Expr = mu_L) -> Parts:
    """log T over what a slot tells, times what it loses: the card's two terms and no other, with
    the laws of steps g, h and f, under the assumptions that steps name."""
    card = theory.cards[PROOF.claim]
    beyond = (mu_L - mu) / fn.near_divergence(mu, mu_L)
    loaded = surplus / fn.capacity_divergence_bounded(m, mu)
    terms = (
        Term("suboptimal arms", beyond, Arms.SUBOPTIMAL),
        Term("capacities of filled arms", loaded, Arms.FILLED),
    )
    for term in terms:
        yield is_term(card, term)
    for law, nearest in _NEAREST.items():
        written = fn.near_divergence.laws[law](p, x)
        yield equal(written, nearest).on({**_APART, concentration: UP9})
    yield cases(_tells_capacity, {"law": _NEAREST}, complete=True, words="capacities, by law")
    growth = Quantity("regret per log T", "reward per log T", terms)
    yield is_whole(card, {growth.name: growth})
    yield is_assumed(card, ASSUMED, PROOF)


def _tells_capacity(law: str) -> bool:
    """By step j: without limit where X has finitely many values."""
    written = fn.capacity_divergence_bounded.laws[law]
    beta = written is fn.capacity_divergence_beta
    return beta if law == "beta" else written(m, mu).formula(m, mu) == oo


STEPS = tuple(PROOF)
