"""`sharp-law-free`, second half: counting slots, and the sum.

Steps 6a to 9b of docs/theorems/law-free.md. nu is the mean of arm L, S- the arms of smaller mean;
g is the filling of a slot, L^ its last arm, q a number of plays after which a test has ended.
"""

from __future__ import annotations

import sympy
from sympy import Expr, Rational, diff, log, pi

from boundcheck.claims.card import Quantity
from boundcheck.judging.default_statements.regret import AtHorizon, claimed_number
from boundcheck.proof_steps import parts
from boundcheck.proof_steps.derivation import is_assumed, is_term, is_whole
from boundcheck.proof_steps.parts import at_most, below, equal
from boundcheck.proof_steps.ranges import ANY, SURELY, UNIT, UP, UP9
from boundcheck.proof_steps.relations import unfolded
from boundcheck.proof_steps.step import Parts
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms import symbols as sym
from boundcheck.theories.shareable_arms.law_free import cards as card
from boundcheck.theories.shareable_arms.law_free.counted import Counts
from boundcheck.theories.shareable_arms.proofs.proof_law_free_evidence import PROOF, kl
from boundcheck.theories.shareable_arms.ranks import Arms
from boundcheck.theory import Theory
from simulation.world.instance import Instance

_START = Rational(3, 2)
m, mu = sym.m, sym.mu
c, d, ell, h, n, nu, p, q, r, u = sympy.symbols("c d l h n nu p q r u", positive=True)


def _price(count: Expr) -> Expr:
    return log(pi * (count + Rational(1, 2))) / 2


# -- how large counts can be --------------------------------------------------------------------


@PROOF.step("6a", "6: the largest n with n d <= l + r(n)", start=2)
def _most_plays(start: Expr = _START) -> Parts:
    """r lies below its tangent at n0 = 3 l/(2 d), as log(1 + u) <= u, so that n is at most
    (l + r(n0) - n0/(2 n0 + 1))/(d - 1/(2 n0 + 1)), the Q of the card; 3 l > 1 from T = 2 on."""
    at = start * ell / d
    slope = 1 / (2 * at + 1)
    yield at_most(log(1 + u), u).on({u: ANY})
    yield at_most(log(1 - u), -u).on({u: (0, "0.999")})
    yield equal(diff(_price(n), n), 1 / (2 * n + 1)).on({n: UP9})
    solved = (ell + _price(at) - at * slope) / (d - slope)
    of_card = unfolded(fn.most_plays.formula(d, ell)).xreplace({sympy.Min(d, 100): d})
    yield equal(solved, of_card).on({ell: UP9, d: UP9})
    yield below(1, 3 * log(Rational(3, 2))).on({})


@PROOF.step("6b", "6: a larger distance", "6a", sign=-1)
def farther(sign: int = 1) -> Parts:
    """kl(p, q) grows as q moves away from p, by |q - p|/(q (1 - q)): an average beyond x has a
    count of at most Q(kl(x, .)), and two means with x between them cannot both be nearer."""
    yield equal(diff(kl(p, q), q), sign * (q - p) / (q * (1 - q))).on({p: UNIT, q: UNIT})


@PROOF.step("6c", "6: slots until a count has grown", chance=Rational(1, 3))
def _waiting(chance: Expr = Rational(1, 2)) -> Parts:
    """If a count that can grow q + 1 times does so with probability 1/2 in each of certain slots,
    there are 2 (q + 1) of these in expectation: E_k = 1 + E_(k-1)/2 + E_k/2 for E_k = 2 k."""
    yield equal(1 + chance * 2 * (n - 1) + (1 - chance) * 2 * n, 2 * n).on({n: UP9})


@PROOF.step("6d", "6: which count an estimate has", "6c", grown=2)
def estimates(grown: int = 1) -> Parts:
    """n_i is the count at loads up to l_i, or all plays if the test is closed: never less. A play
    of the slot, at l_i or less, is one of them: for each of the m_i values of l_i a count that
    grows by 1 in such slots and never falls."""
    low, high = n, h  # plays at loads up to l_i, and at larger ones
    yield at_most(low, low + high).on({n: ANY, h: ANY})
    yield equal(low + 1, low + grown).on({n: UP9})
    yield equal(low + 1 + high, low + high + grown).on({n: UP9, h: UP9})


@PROOF.step("6e", "6: trials while the smallest count is at most c", "6c", haste=3)
def trials(haste: int = 4) -> Parts:
    """A promising test of n' plays counts as floor(n'/4): with a count of at most c it has at most
    4 c + 3 plays. In all K (c + 1) trials of arms outside, and min(q + 1, 4 (c + 1)) of each load:
    2 (K (c + 1) + sum_(j <= L) H_j + min(sum_(j > L) H_j, 4 P (c + 1))) slots."""
    # n' = 4 floor(n'/4) + u with u <= 3, and c = floor(n'/4) + h
    yield at_most(4 * n + u, haste * (n + h) + 3).on({n: ANY, h: ANY, u: (0, 3)})
    sums = sympy.Min(r, 4 * u * (c + 1))
    mine = 2 * (sym.K * (c + 1) + h + sums)
    renamed = {
        fn.sum_suboptimal(card.TRIED): r,
        fn.sum_suboptimal(sympy.Min(sym.m, sym.N - 1)): u,
        fn.sum_optimal(card.TRIED): h,
    }
    of_card = card.wrong_order(c).xreplace(renamed)
    yield equal(mine, of_card).on(dict.fromkeys((r, u, h, c, sym.K), UP9))


# -- what is wrong in a slot --------------------------------------------------------------------


@PROOF.step("7a", "7: a bad arm filled", "4c", needed=-1)
def someone_is_short(needed: int = 0) -> Parts:
    """The arms of mean nu or more have room for N plays, N + h say: if each of them has as many
    plays as its capacity, at most N - (N + h) <= 0 plays are left for others. So if another arm is
    filled, one of them has fewer plays than its capacity."""
    yield at_most(n - (n + h + needed), 0).on({n: UP, h: ANY})


def _nearer(p_odds: Expr, q_odds: Expr) -> Expr:
    """The slope of kl in its first argument, by odds: below 0 exactly if p < q."""
    return log(p_odds) - log(q_odds)


def _monotone(order: int) -> Parts:
    """kl(p, q) falls as p moves towards q, from either side, for all p and q in (0, 1)."""
    slope = log(p) + log(1 - q) - log(1 - p) - log(q)
    yield equal(diff(kl(p, q), p), slope).on({p: UNIT, q: UNIT})
    by_odds = slope.xreplace({p: c / (1 + c), q: d / (1 + d)})
    yield equal(by_odds, _nearer(c, d)).on({c: UP9, d: UP9})
    yield at_most(order * _nearer(c, c + u), 0).on({c: SURELY, u: ANY})
    yield at_most(0, order * _nearer(c + u, c)).on({c: SURELY, u: ANY})


@PROOF.step(
    "7b", "7: a bad arm tried", "6b, last-mean-above-others", share=Rational(1, 4), order=-1
)
def _between(share: Expr = Rational(1, 2), order: int = 1) -> Parts:
    """mu_k < w < x_k < nu for w halfway from mu_k to x_k, whatever mu_k < nu. An estimate of w or
    more has a count of at most Q(kl(w, mu_k)); one below w, with x_k or more at L^, of at most
    Q(kl(w, x_k)), as kl falls while its arguments approach: the levels of the card."""
    level = mu + Rational(3, 8) * (nu - mu)
    halfway = card.halfway.xreplace({sym.mu_L: nu})
    yield equal(mu + share * (level - mu), halfway).on({mu: (1, 4), nu: (5, 9)})
    apart = {nu: mu + h}  # whatever the means, and however close
    for lower, upper in ((mu, halfway), (halfway, level), (level, nu)):
        yield below(lower.xreplace(apart), upper.xreplace(apart)).on({mu: ANY, h: SURELY})
    yield from _monotone(order)


@PROOF.step("7c", "7: a better arm short of plays", "6b, last-mean-below-filled", share=1, order=-1)
def _above(share: Expr = Rational(2, 5), order: int = 1) -> Parts:
    """nu < y_i < mu_i, whatever nu < mu_i; and kl(y_i, mu_k) >= kl(nu, mu_k) for mu_k <= nu <= y_i,
    as kl grows while its first argument moves away from the second: the slots of S- are counted
    once, with what all better arms together lose in them."""
    level = nu + share * (mu - nu)
    yield equal(level, card.y.xreplace({sym.mu_L: nu})).on({mu: (5, 9), nu: (1, 4)})
    apart = {mu: nu + h}
    for lower, upper in ((nu, level), (level, mu)):
        yield below(lower.xreplace(apart), upper.xreplace(apart)).on({nu: ANY, h: SURELY})
    yield from _monotone(order)


@PROOF.step("8a", "8: plays beyond a capacity", twice=3)
def surplus(twice: int = 2) -> Parts:
    """A load of up to 2 b, b <= m, has at most m plays in surplus; they and the plays missing from
    better arms cost nu m + f(a*) - N nu at most."""
    yield at_most(twice * (m / (1 + h)) - m, m).on({m: UP, h: ANY})
    least, ranges = card.MOVED.xreplace({sym.mu_L: nu}), (nu, m, sym.f_star, sym.N)
    yield equal(nu * m + sym.f_star - sym.N * nu, least).on(dict.fromkeys(ranges, UP9))


@PROOF.step("9a", "9: the number on `paper`", "3b, 6e, 7a, 7b, 7c, 8a, sharp-4.3-1a", limit=140_000)
def on_paper(theory: Theory, limit: int = 150_000) -> Parts:
    """Added up, at T = 10^5 and with Bernoulli rewards the bound is at most 150,000."""
    value = claimed_number(
        theory.cards[PROOF.claim], AtHorizon.at(Instance.load("paper"), 10**5), theory
    )
    yield parts.certified_number(value, at_most=limit, region="paper, T = 10^5", words="the bound")


ASSUMED = (
    given.BOUNDED_REWARDS,
    *given.LAST_ALONE,
    given.POSITIVE.on(Arms.ALL),
    given.WITHIN_PLAYS,
)


@PROOF.step(
    "9b",
    "the theorem",
    "3a, 3b, 5c, 5d, 5e, 6a, 6c, 6d, 6e, 7a, 7b, 7c, 8a, 9a",
    coin=Rational(1, 3),
    haste=8,
    rare=Rational(1, 2),
    inner=Rational(1, 2),
    outer=Rational(1, 2),
)
def _all_terms(
    theory: Theory,
    coin: Expr = Rational(1, 2),
    haste: int = 4,
    rare: Expr = Rational(9, 20),
    inner: Expr = Rational(3, 8),
    outer: Expr = Rational(2, 5),
) -> Parts:
    """The card's terms are what the slots that were counted cost, for these arms, and no others;
    its assumptions are those that steps name: the expected regret is at most their sum."""
    card = theory.cards[PROOF.claim]
    made = Counts(coin, haste, rare, inner, outer).terms
    for term in made:
        yield is_term(card, term)
    yield is_whole(card, {"regret": Quantity("regret", "reward", made)})
    yield is_assumed(card, ASSUMED, PROOF)


STEPS = tuple(PROOF)
