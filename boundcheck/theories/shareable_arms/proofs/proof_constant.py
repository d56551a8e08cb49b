"""The lower half of `sharp-4.3`: no uniformly good policy has regret below C log T.

Steps 1a to 1k of docs/theorems/attainment.md. Arms in the order of their means, m and mu those of
an arm k, mbar the plays that the best action a* leaves for arm L. A play served is worth its arm's
mean, so f(a) - N mu_L is a sum over arms of (plays served) mu_k - (load) mu_L.
"""

from __future__ import annotations

from fractions import Fraction

import sympy
from sympy import Expr, exp, log, oo

from boundcheck.claims.card import Term
from boundcheck.claims.functions import kl_bernoulli, kl_gaussian, law_divergence
from boundcheck.proof_steps.derivation import is_term
from boundcheck.proof_steps.parts import at_most, below, equal
from boundcheck.proof_steps.ranges import ANY, SURELY, UNIT, UP, UP9
from boundcheck.proof_steps.relations import unfolded
from boundcheck.proof_steps.step import Parts, Proof
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.exact import gaussian
from boundcheck.theories.shareable_arms.ranks import Arms
from boundcheck.theory import Theory

PROOF = Proof("sharp-4.3", "sharp-4.3")

m, mu, mu_L, mbar = s.m, s.mu, s.mu_L, s.mbar
a, b, g, p, q, r, x, y, T, sigma = sympy.symbols("a b g p q r x y T sigma", positive=True)
first, second, seen, other = sympy.symbols("g_1 g_2 P Q", positive=True)
overlap, alpha = sympy.symbols("S alpha", positive=True)

_ARM = {m: UP9, mu: UP9, mu_L: UP9, mbar: UP9, a: (0, 9), r: (0, 9)}


def worth(mean: Expr, served: Expr, load: Expr) -> Expr:
    """What an arm adds to f(a) - N mu_L."""
    return served * mean - load * mu_L


@PROOF.step("1a", "attainment, part 1: the gap identity", surplus=mu - mu_L)
def gap_identity(surplus: Expr = mu_L) -> Parts:
    """f* - f(a) is, arm by arm: before L (m - a)^+ (mu - mu_L) + (a - m)^+ mu_L, on L
    (a - m)^+ mu_L, beyond L min(a, m)(mu_L - mu) + (a - m)^+ mu_L."""
    filled = worth(mu, m, m)
    yield equal(filled - worth(mu, m - r, m - r), r * (mu - mu_L)).on(_ARM)
    yield equal(filled - worth(mu, m, m + r), r * surplus).on(_ARM)
    last = worth(mu_L, mbar, mbar)
    yield equal(last - worth(mu_L, a, a), 0 * a).on(_ARM)
    yield equal(last - worth(mu_L, m, m + r), r * mu_L).on(_ARM)
    yield equal(-worth(mu, a, a), a * (mu_L - mu)).on(_ARM)
    yield equal(-worth(mu, m, m + r), m * (mu_L - mu) + r * surplus).on(_ARM)


@PROOF.step(
    "1b",
    "attainment, part 1: only a* loses nothing",
    "1a, positive-last-mean, last-mean-above-others, last-mean-below-filled",
    least=-1,
)
def unique(least: Fraction | int = SURELY[0]) -> Parts:
    """Every part of the gap is at least 0, and it is 0 for all arms at a* alone."""
    ranges = {r: UP, a: UP, g: SURELY, mu_L: (least, oo)}
    yield below(0, (r * (mu - mu_L)).xreplace({mu: mu_L + g})).on(ranges)
    yield below(0, (a * (mu_L - mu)).xreplace({mu: mu_L - g})).on(ranges)
    yield below(0, r * mu_L).on(ranges)


@PROOF.step(
    "1c",
    "attainment, part 1: information of one more slot",
    "chain rule of relative entropy",
    weight=2,
)
def one_more_slot(weight: int = 1) -> Parts:
    """After a past of probability P (Q under the other instance) a slot that shows one of two
    values adds P kl(p, q) to the divergence: in all, E[plays] times divergence."""
    longer = sum(seen * u * log(seen * u / (other * v)) for u, v in ((p, q), (1 - p, 1 - q)))
    before = seen * log(seen / other)
    added = unfolded(kl_bernoulli(p, q)) * seen * weight
    yield equal(longer, before + added).on(dict.fromkeys((p, q, seen, other), UNIT))


@PROOF.step(
    "1d",
    "attainment, part 1: the Bretagnolle-Huber inequality",
    "Cauchy-Schwarz inequality, Jensen's inequality",
    factor=1,
)
def overlapping(factor: int = 2) -> Parts:
    """exp(-KL) <= (sum of sqrt(P Q))^2 <= S (2 - S) <= 2 S with S the sum of the smaller of the two
    chances, 2 - S that of the larger ones; and P(A) + Q(not A) >= S."""
    yield at_most(overlap * (2 - overlap), factor * overlap).on({overlap: (0, 1)})


@PROOF.step(
    "1e",
    "attainment, part 1: what telling two instances apart takes",
    "1c, 1d, Markov's inequality",
    four=2,
    half=1,
)
def information(four: int = 4, half: Expr = sympy.Rational(1, 2)) -> Parts:
    """With chances 2 E Reg/(g T) of playing a* less, or more, than T/2 times, KL is at least
    log T - log(4 (E_1 Reg/g_1 + E_2 Reg/g_2)): (1 - alpha) log T - O(1) for regrets T^alpha."""
    positive = dict.fromkeys((first, second, x, y, T), UP9)
    wrong = x / (first * half * T) + y / (second * half * T)
    told = log(T) - log(four * (x / first + y / second))
    yield equal(-log(2 * wrong), told).on(positive)
    grown = told.xreplace({x: exp(alpha * log(T)), y: exp(alpha * log(T))})
    constant = log(four * (1 / first + 1 / second))
    yield equal(grown, (1 - alpha) * log(T) - constant).on({**positive, alpha: UNIT})


@PROOF.step("1f", "attainment, part 1: the alternatives of an arm beyond L", "1b", raised=mu_L - g)
def better_mean(raised: Expr = mu_L + g) -> Parts:
    """Raised above mu_L, arm k takes a play from L with gain; the arms of mean mu_L or more still
    hold N plays, so the last mean stays positive."""
    gain = (mbar - 1) * mu_L + raised - mbar * mu_L
    yield below(0, gain).on({g: SURELY, mu_L: ANY, mbar: UP})
    yield at_most(s.N, (s.N - mbar) + (mbar + r) + m).on({s.N: UP, mbar: UP, r: ANY, m: UP})


@PROOF.step("1g", "attainment, part 1: the alternative of an arm before L", "1b", larger=m)
def larger_capacity(larger: Expr = m + 1) -> Parts:
    """With capacity m_k + 1 arm k < L takes a play from L with gain mu_k - mu_L; m_k + 1 is at
    most N, since arm L has a play under a*."""
    gain = (larger * mu + (mbar - 1) * mu_L) - (m * mu + mbar * mu_L)
    yield below(0, gain.xreplace({mu: mu_L + g})).on({g: SURELY, mu_L: ANY, mbar: UP, m: UP})
    yield at_most(larger, m + r + mbar).on({m: UP, r: ANY, mbar: UP})


@PROOF.step("1h", "attainment, part 1: loads do not change what a mean tells", "1f", scale=b + 1)
def _scaled(scale: Expr = b) -> Parts:
    """b X and b X' diverge as X and X' do: every load on arm k > L tells KL(mu_k, mu')."""
    normal = gaussian.normal_divergence((b * p, b * sigma), (scale * q, scale * sigma))
    kl = unfolded(kl_gaussian(p, q)).xreplace({s.sigma2: sigma**2})
    yield equal(normal, kl).on(dict.fromkeys((b, p, q, sigma), (1, 5)))
    ratio = _log_beta(p, b * x, b) - _log_beta(q, b * x, scale)
    yield equal(ratio, _log_beta(p, x, 1) - _log_beta(q, x, 1)).on({b: (1, 5), **_BETA})


_BETA = {p: UNIT, q: UNIT, mu: UNIT, x: UNIT, s.concentration: UP9, m: UP9}


def _log_beta(mean: Expr, shown: Expr, held: Expr) -> Expr:
    """Log density of (held X) where it shows this, without the normaliser, which has no load."""
    above, beyond = mean * s.concentration - 1, (1 - mean) * s.concentration - 1
    return above * log(shown / held) + beyond * log(1 - shown / held) - log(held)


@PROOF.step("1i", "attainment, part 1: what a surplus play tells", "1g", larger=m + 2)
def surplus_play(larger: Expr = m + 1) -> Parts:
    """A load above m_k tells m_k from m_k + 1 by D_k, the divergence of m_k X from (m_k + 1) X, and
    other loads nothing; D_k is that of the card (for Beta rewards before the mean over X)."""
    normal = gaussian.normal_divergence((m * mu, m * sigma), (larger * mu, larger * sigma))
    card = unfolded(fn.capacity_divergence_gaussian(m, mu)).xreplace({s.sigma2: sigma**2})
    yield equal(normal, card).on({m: UP9, mu: UP9, sigma: (1, 5)})
    ratio = _log_beta(mu, m * x, m) - _log_beta(mu, m * x, larger)
    share, other_shape = mu * s.concentration, (1 - mu) * s.concentration
    mean_of = share * log(1 + 1 / m) + (other_shape - 1) * (log(1 - x) - log(1 - x * m / (m + 1)))
    yield equal(ratio, mean_of).on(_BETA)


@PROOF.step("1j", "attainment, part 1: regret of a slot", "1a", times=2)
def slot_regret(times: int = 1) -> Parts:
    """A slot that plays arm k > L loses mu_L - mu_k at least for it, one with a load above m_k on
    an arm k < L loses mu_L: min(a, m) >= 1 and a - m >= 1."""
    beyond = a * g + r * mu_L
    yield at_most(times * g, beyond).on({a: UP, r: ANY, g: ANY, mu_L: ANY})
    yield at_most(times * mu_L, r * mu_L).on({r: UP, mu_L: ANY})


@PROOF.step(
    "1k",
    "attainment, part 1: liminf E Reg(T)/log T >= C",
    "1e, 1f, 1g, 1h, 1i, 1j, known-law",
    surplus=mu - mu_L,
)
def _constant(theory: Theory, surplus: Expr = mu_L) -> Parts:
    """The card's terms, for every law: what a slot loses over what it tells, as mu' falls to mu_L;
    for Gaussian rewards what it tells is that of steps 1h and 1i."""
    card = theory.cards[PROOF.claim]
    beyond = (mu_L - mu) / law_divergence(mu, mu_L)
    yield is_term(card, Term("suboptimal arms", beyond, Arms.SUBOPTIMAL))
    loaded = surplus / fn.capacity_divergence(m, mu)
    yield is_term(card, Term("capacities of filled arms", loaded, Arms.FILLED))
    normal = law_divergence.laws["gaussian"], fn.capacity_divergence.laws["gaussian"]
    told = (kl_gaussian(mu, mu_L), fn.KL(m, m + 1, mu**2 / s.sigma2))
    for law, pair, due in zip(normal, ((mu, mu_L), (m, mu)), told, strict=True):
        yield equal(law(*pair), due).on({m: UP9, mu: (1, 4), mu_L: (5, 9), s.sigma2: (1, 5)})
