"""`sharp-law-free-scale`, second part: what every slot loses is charged, and the sum.

Section 5 of docs/theorems/law-free-scale.md, beside sections 6 to 9 of law-free.md there.
"""

from __future__ import annotations

from fractions import Fraction

import sympy
from sympy import Expr, Integer, Rational

from boundcheck.claims.card import Level, Quantity, Term
from boundcheck.judging.default_statements.regret import AtHorizon, claimed_number
from boundcheck.proof_steps import parts
from boundcheck.proof_steps.derivation import is_assumed, is_whole
from boundcheck.proof_steps.parts import cases
from boundcheck.proof_steps.step import Parts
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms import symbols as sym
from boundcheck.theories.shareable_arms.law_free import functions as free
from boundcheck.theories.shareable_arms.proofs.law_free_fillings import SMALL, Filling, fillings
from boundcheck.theories.shareable_arms.proofs.proof_law_free_evidence import ERRORS
from boundcheck.theories.shareable_arms.proofs.proof_law_free_scale_evidence import (
    PROOF,
    is_summand,
    same_scaled,
    scale_errors,
)
from boundcheck.theories.shareable_arms.ranks import Arms
from boundcheck.theory import Theory
from simulation.world.instance import Instance

m, mu, nu, N = sym.m, sym.mu, sym.mu_L, sym.N
GAP, MISSED, WORST = nu - mu, m * (mu - nu), nu - sym.mu_K
AHEAD = sym.f_star - N * nu
GROUPS = m + sympy.Min(1, N - m)
WORLD = free.SCALE_WORLD
BOTH_MEANS = "last-mean-above-others, last-mean-below-filled"


# -- a good arm outside, or climbing --------------------------------------------------------------


@PROOF.step(
    "4a", "5: a good arm outside", "1c, 3d, law-free-5f, law-free-6a, law-free-6b, law-free-6c",
    coin=1, haste=3, groups=0, own=0,
)  # fmt: skip
def _outside(coin: int = 2, haste: int = 4, groups: int = 1, own: int = 1) -> Parts:
    """No_i as for rewards in [0, 1], in slots without F_i: there an estimate below x is that of one
    of the G_i groups. The calculator's number."""
    yield same_scaled("outside", coin=coin, haste=haste, groups=groups, own=own)


# -- bad arms filled, better ones short, bad ones tried -------------------------------------------


@PROOF.step("5a", "5: plays of bad arms are missing ones of good arms", "2b, law-free-7a", spare=1)
def _assigned(spare: int = 0) -> Parts:
    """For any good i0 the plays of bad arms are at most those that the others miss, and those of i0
    less E: the sum of all less E is no more than that. Slot by slot in small worlds."""

    def enough(slot: Filling) -> bool:
        good = range(slot.last + 1)
        bad = sum(x for k, x in slot.loads.items() if k > slot.last)
        room = sum(slot.held[k] for k in good) - slot.plays
        missed = [slot.short(k) for k in good]
        return all(bad <= sum(missed) - missed[k] + max(missed[k] - room - spare, 0) for k in good)

    yield cases(enough, {"slot": fillings()}, complete=True, words=SMALL)


@PROOF.step(
    "5b", "5: what a bad arm itself costs", "1c, law-free-6a, law-free-6b", coin=1, groups=0
)
def _own(theory: Theory, coin: int = 2, groups: int = 1) -> Parts:
    """muhat_k >= x_k: one of its groups has such an average."""
    yield same_scaled("own_lost", coin=coin, groups=groups)
    name = "worse arms filled, looking better"
    yield is_summand(theory, name, free.own_lost(*WORLD), Arms.SUBOPTIMAL)


@PROOF.step("5c", "5: bad arms beside a good one that looks worse", "4a, 5a, law-free-7c", coin=1)
def _late(theory: Theory, coin: int = 2) -> Parts:
    """Without F_i: outside, its test is open (4a) or it is stuck; as L^ one of its groups has such
    an average; before L^ it climbs."""
    yield same_scaled("late", coin=coin)
    name = "worse arms filled, good ones looking worse"
    yield is_summand(theory, name, free.late_plays(*WORLD), Arms.OPTIMAL)


@PROOF.step(
    "5d", "5: better arms short of plays", f"1c, 4a, law-free-8a, {BOTH_MEANS}", coin=1, groups=0
)
def _short(theory: Theory, coin: int = 2, groups: int = 1) -> Parts:
    """An arm that is not in S+ looks like y or better; or arm i, without F_i, looks worse."""
    yield same_scaled("short_of", coin=coin, groups=groups)
    lost = MISSED * free.short(*WORLD)
    yield is_summand(theory, "better arms short of plays", lost, Arms.FILLED)


@PROOF.step("5e", "5: bad arms tried", "1c, 3c, 3d, 5a, law-free-6a, law-free-6b", coin=3, groups=0)
def _alone(theory: Theory, coin: int = 2, groups: int = 1) -> Parts:
    """Up to Q trials; then arm k looks like w or better, or L^ looks worse than x: a good arm, or a
    good arm is outside or climbs."""
    yield same_scaled("tried_alone", coin=coin, groups=groups)
    yield is_summand(theory, "worse arms tried", GAP * free.tried_alone(*WORLD), Arms.SUBOPTIMAL)


# -- larger loads ---------------------------------------------------------------------------------

NEGATIVE = tuple(Fraction(x, 10) for x in (9, 4, -6, -9))


@PROOF.step("6a", "5: what a trial moves", "sharp-4.3-1a, law-free-9a", worth=0)
def _cost(worth: int = 1) -> Parts:
    """A play moved to a bad arm loses its gap within its capacity and nu beyond it. With means of
    which some are negative."""

    def covered(slot: Filling) -> bool:
        def most(j: int, plays: int) -> Fraction:
            last = NEGATIVE[slot.last]
            beyond, loss = max(slot.bounds[j] + plays - slot.held[j], 0), last
            if j > slot.last:
                beyond, loss = plays, max(last, worth * (last - NEGATIVE[j]))
            return beyond * loss + slot.given(plays, NEGATIVE)

        return slot.covered(most, NEGATIVE)

    yield cases(covered, {"slot": fillings()}, complete=True, words=SMALL)


@PROOF.step("6b", "5: larger loads, good arms", "1c, 3d, 6a, law-free-9b", prices=0)
def _good_loads(theory: Theory, prices: int = 1) -> Parts:
    """h trials of each load, promising ones at the capacity only while the averages look so."""
    yield same_scaled("direct", prices=prices)
    name = "larger loads tried, good arms"
    yield is_summand(theory, name, free.larger_loads(*WORLD), Arms.OPTIMAL)


@PROOF.step(
    "6c", "5: larger loads, bad arms", "1c, 2c, 3d, 5a, 6a, law-free-6c",
    coin=3, haste=3, half=0, worth=0, smaller=2,
)  # fmt: skip
def _bad_loads(
    theory: Theory, coin: int = 2, haste: int = 4, half: int = 1, worth: int = 1, smaller: int = 3
) -> Parts:
    """The same; or by the order, and what errs or climbs is counted once for all of them."""
    yield same_scaled("by_order", coin=coin, haste=haste)
    yield same_scaled("worse_loads", half=half, worth=worth, smaller=smaller)
    yield is_summand(theory, "larger loads tried, worse arms", free.moved_worse(*WORLD))


# -- errors, and the sum --------------------------------------------------------------------------


@PROOF.step("7a", "5: capacities taken for smaller ones", "2a, 2c, 5c, 5d, 5e, 6c", gift=2, trial=0)
def _errors(theory: Theory, gift: int = 3, trial: Expr = Rational(1, 2)) -> Parts:
    """A bad arm loses b plays while filled, 1 in half of the slots in which it is outside, and a
    better arm may be behind it. A good arm, wherever it is, is charged all that it can miss, bad
    arms in its place, and a trial of the worst arm in half of the slots; arm L what a better arm
    may miss behind it."""
    whole = scale_errors(Integer(gift))
    lost = whole * ((m * (m - 1) / 2 + trial * (m - 1)) * GAP + (m - 1) * AHEAD)
    yield is_summand(
        theory, "capacity of a worse arm taken for a smaller one", lost, Arms.SUBOPTIMAL
    )
    lost = whole * (m - 1) * (free.displaced(*WORLD) + MISSED + trial * WORST)
    yield is_summand(theory, "capacity of a good arm taken for a smaller one", lost, Arms.OPTIMAL)
    name = "capacity of arm L taken for a smaller one"
    yield is_summand(theory, name, whole * (m - 1) * AHEAD, Arms.LAST)
    yield same_scaled("displaced")


@PROOF.step("7b", "5: good arms stuck", "1a, law-free-3a, 5c, 5d, 5e, 6c", trial=0)
def _stuck(theory: Theory, trial: Expr = Rational(1, 2)) -> Parts:
    """u(n_i, 1/4) (muhat_i - mu_i)^2/(2 sigma^2) > l + pi(n_i, 1/4) for one of its groups: all its
    plays are missing."""
    lost = ERRORS * GROUPS * (free.displaced(*WORLD) + MISSED + trial * WORST)
    yield is_summand(theory, "good arm stuck below its mean", lost, Arms.OPTIMAL)


@PROOF.step(
    "7c",
    "5: good arms that climb",
    "3d, 5c, 5d, 5e, law-free-6a, law-free-6c",
    coin=1,
    haste=3,
    own=0,
)
def _climbing(theory: Theory, coin: int = 2, haste: int = 4, own: int = 1) -> Parts:
    """Slots before L^ with b < m: what they miss, bad arms in their place; and in c of them a trial
    of another arm."""
    yield same_scaled("climbing_lost", coin=coin, haste=haste, own=own)
    name = "good arms climbing to their capacities"
    yield is_summand(theory, name, free.climbing_lost(*WORLD), Arms.OPTIMAL)


@PROOF.step("7d", "5: the number on `paper-gaussian`", "7a, 7b, 7c", limit=466_000)
def _on_paper(theory: Theory, limit: int = 467_000) -> Parts:
    """Added up, at T = 10^5 the bound is at most 467,000."""
    case = AtHorizon.at(Instance.load("paper-gaussian"), 10**5)
    value = claimed_number(theory.cards[PROOF.claim], case, theory)
    where = "paper-gaussian, T = 10^5"
    yield parts.certified_number(value, at_most=limit, region=where, words="the bound")


COUNTED = (
    "capacity taken for a larger one",  # 2b
    "capacity of a worse arm taken for a smaller one",  # 7a
    "capacity of a good arm taken for a smaller one",
    "capacity of arm L taken for a smaller one",
    "good arm stuck below its mean",  # 7b
    "good arms climbing to their capacities",  # 7c
    "worse arms filled, looking better",  # 5b
    "worse arms filled, good ones looking worse",  # 5c
    "better arms short of plays",  # 5d
    "worse arms tried",  # 5e
    "larger loads tried, good arms",  # 6b
    "larger loads tried, worse arms",  # 6c
)
LEVELS = tuple(
    Level(symbol, Integer(0), Integer(1), arms)
    for symbol, arms in (
        (free.AVERAGES, Arms.ALL),  # 3b
        (free.BELOW, Arms.ALL),
        (free.PASSED, Arms.SUBOPTIMAL),  # 4a
        (free.X, Arms.SUBOPTIMAL),  # 5b
        (free.W_K, Arms.SUBOPTIMAL),  # 5e
        (free.X_K, Arms.SUBOPTIMAL),
        (free.Y, Arms.FILLED),  # 5d
        (free.Z, Arms.FILLED),
        (free.V, Arms.SUBOPTIMAL),  # 6c
    )
)
ASSUMED = (
    *(given.SCALE_ALONE, *given.LAST_ALONE, given.POSITIVE_LAST, given.WITHIN_PLAYS),
    given.HORIZON_216,
)


@PROOF.step("7e", "the theorem", "2b, 5b, 5c, 5d, 5e, 6b, 6c, 7a, 7b, 7c, 7d", counted=COUNTED[1:])
def _all_terms(theory: Theory, counted: tuple[str, ...] = COUNTED) -> Parts:
    """The card has the terms of these steps and no other, for levels between the ends that they
    need, under the assumptions that they name: the expected regret is at most their sum."""
    card = theory.cards[PROOF.claim]
    names = tuple(Term(name, Integer(0)) for name in counted)
    yield is_whole(card, {"regret": Quantity("regret", "reward", names, levels=LEVELS)})
    yield is_assumed(card, ASSUMED, PROOF)


STEPS = tuple(PROOF)
