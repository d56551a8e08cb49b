"""`sharp-law-free`, third part: what every slot loses is charged, and the sum.

Sections 7 to 9 of docs/theorems/law-free.md. g is the filling of a slot with bounds l_k <= m_k, L^
its last arm; nu is the mean of arm L, S+ the arms of larger mean; bad arms have a smaller one.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy
from sympy import Expr, Integer, Rational

from boundcheck.claims.card import Level, Quantity, Term
from boundcheck.judging.default_statements.regret import AtHorizon, claimed_number
from boundcheck.proof_steps import parts
from boundcheck.proof_steps.derivation import is_assumed, is_whole
from boundcheck.proof_steps.parts import cases, equal
from boundcheck.proof_steps.ranges import UP9
from boundcheck.proof_steps.step import Parts
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms import symbols as sym
from boundcheck.theories.shareable_arms.law_free import functions as free
from boundcheck.theories.shareable_arms.proofs.law_free_fillings import (
    MEANS,
    SMALL,
    Filling,
    fillings,
)
from boundcheck.theories.shareable_arms.proofs.proof_law_free_evidence import ERRORS, PROOF, loses
from boundcheck.theories.shareable_arms.proofs.proof_law_free_tests import same_numbers
from boundcheck.theories.shareable_arms.ranks import Arms
from boundcheck.theory import Theory
from simulation.world.instance import Instance

m, mu, nu, N = sym.m, sym.mu, sym.mu_L, sym.N
GAP, MISSED, WORST = nu - mu, m * (mu - nu), nu - sym.mu_K
AHEAD = sym.f_star - N * nu
GROUPS = m + sympy.Min(1, N - m)  # loads up to b for each b <= m, and all
WORLD = free.WORLD
BOTH_MEANS = "last-mean-above-others, last-mean-below-filled"


# -- bad arms filled ------------------------------------------------------------------------------


@PROOF.step("7a", "7: plays of bad arms are missing ones of good arms", "4a, 4b", spare=1)
def _assigned(spare: int = 0) -> Parts:
    """With E the room of the good arms beyond N, the plays of bad arms are at most those that the
    good arms before L miss, and those of L less E: each is assigned to one of them. A good arm
    misses m - b where its bound is b and it is before L^, m - 1 at most as L^. In general sum s - E
    is at most what the others miss and (s_L - E)^+; slot by slot in small worlds."""
    missed, room = sympy.symbols("s M", positive=True)  # g has M - s plays on good arms
    bad = missed - (room - N) + spare
    yield equal(N - (room - missed), bad).on({missed: UP9, room: UP9, N: UP9})

    def enough(slot: Filling) -> bool:
        good = range(slot.last + 1)
        bad = sum(x for k, x in slot.loads.items() if k > slot.last)
        room = sum(slot.held[k] for k in good) - slot.plays
        missed = [slot.short(k) for k in good]
        missed[-1] = max(missed[-1] - room - spare, 0)
        last = list(slot.loads)[-1]
        before = all(
            slot.short(k) == slot.held[k] - slot.bounds[k] for k in slot.loads if k != last
        )
        return bad <= sum(missed) and before and slot.short(last) <= slot.held[last] - 1

    yield cases(enough, {"slot": fillings()}, complete=True, words=SMALL)


@PROOF.step("7b", "7: what a bad arm itself costs", "2c, 5f, 6a, 6b", coin=1, groups=0)
def _own(theory: Theory, coin: int = 2, groups: int = 1) -> Parts:
    """muhat_k >= x_k: one of its groups has such an average. b plays are lost where the bound is b,
    m where it is closed; twice as many slots as counts, and the first."""
    yield same_numbers("own_lost", coin=coin, groups=groups)
    name = "worse arms filled, looking better"
    yield loses(theory, name, free.own_lost(*WORLD), Arms.SUBOPTIMAL)


@PROOF.step("7c", "7: levels in their order", order=-1)
def _levels(order: int = 1) -> Parts:
    """For any estimate v of a good arm, the steps of W from one level to the next, taken where v is
    below the level, add up to W of all bad arms whose level is above v."""

    def same(levels: tuple[int, ...], v: int, plays: int) -> bool:
        gaps, held = (3, 5, 8), (1, 2, 1)

        def most(arms: list[int]) -> int:
            ways = product(*(range(held[k] + 1) for k in arms))
            lost = (
                sum(x * gaps[k] for x, k in zip(way, arms, strict=True))
                for way in ways
                if sum(way) <= plays
            )
            return max(lost, default=0)

        ranked = sorted(range(3), key=lambda k: -order * levels[k])
        steps = [
            most(ranked[: q + 1]) - most(ranked[:q]) for q in range(3) if v < levels[ranked[q]]
        ]
        return sum(steps) == most([k for k in range(3) if levels[k] > v])

    ranges = {"levels": product(range(1, 4), repeat=3), "v": range(5), "plays": range(5)}
    yield cases(same, ranges, complete=True, words="three bad arms, up to four plays")


@PROOF.step("7d", "7: bad arms beside a good one that looks worse", "6d, 7a, 7c", coin=1)
def _late(theory: Theory, coin: int = 2) -> Parts:
    """Outside, its test is open (6d) or it is stuck; as L^ one of its groups has such an average;
    before L^ it climbs, or its bound is taken for its capacity."""
    yield same_numbers("late", coin=coin)
    name = "worse arms filled, good ones looking worse"
    yield loses(theory, name, free.late_plays(*WORLD), Arms.OPTIMAL)


# -- better arms short, bad arms tried ------------------------------------------------------------


@PROOF.step("8a", "8: who stands before a better arm", BOTH_MEANS, beyond=1)
def _before(beyond: int = 0) -> Parts:
    """S+ has room for fewer than N plays: if an arm of S+ is outside or the last one filled, an arm
    that is not in S+ stands before it; if the other good arms have room for fewer than N, a bad
    one stands before it when it is outside."""

    def passed(slot: Filling) -> bool:
        filled = list(slot.loads)
        for i in range(slot.last):
            if i in filled[:-1]:
                continue
            before = [k for k in filled if k != i]
            if not any(k >= slot.last + beyond for k in before):
                return False
            others = sum(x for k, x in enumerate(slot.held[: slot.last + 1]) if k != i)
            if i not in filled and others < slot.plays and max(before) <= slot.last:
                return False
        return True

    yield cases(passed, {"slot": fillings()}, complete=True, words=SMALL)


@PROOF.step("8b", "8: better arms short of plays", "2c, 6d, 8a", coin=1, groups=0)
def _short(theory: Theory, coin: int = 2, groups: int = 1) -> Parts:
    """That arm looks like y or better; or arm i looks worse, as L^ or outside, where its test is
    open; or a bad arm looks like z or better, or arm i worse. B_i slots, m_i plays in each."""
    yield same_numbers("short_of", coin=coin, groups=groups)
    lost = MISSED * free.short(*WORLD)
    yield loses(theory, "better arms short of plays", lost, Arms.FILLED)


@PROOF.step("8c", "8: bad arms tried", "2c, 5f, 5g, 6a, 6b, 7a", coin=3, groups=0)
def _alone(theory: Theory, coin: int = 2, groups: int = 1) -> Parts:
    """Up to q trials, q the largest n with n kl(w, x) <= l + r(n); then arm k looks like w or
    better, or L^ looks worse than x: a good arm, or a good arm is outside or climbs."""
    yield same_numbers("tried_alone", coin=coin, groups=groups)
    yield loses(theory, "worse arms tried", GAP * free.tried_alone(*WORLD), Arms.SUBOPTIMAL)


# -- larger loads ---------------------------------------------------------------------------------


@PROOF.step("9a", "9: what a trial moves", "sharp-4.3-1a, 7a", surplus=0)
def _cost(surplus: int = 1) -> Parts:
    """A trial of arm j with the bound b moves 1 or up to b plays to it. It loses nu for each beyond
    m_j, for each at all if j is bad, and what the best of the arms of S+ lose by as many."""

    def covered(slot: Filling) -> bool:
        def most(j: int, plays: int) -> Fraction:
            b, nu = slot.bounds[j], MEANS[slot.last]
            beyond = plays if j > slot.last else max(b + plays - slot.held[j], 0)
            return surplus * beyond * nu + slot.given(plays)

        return slot.covered(most)

    yield cases(covered, {"slot": fillings()}, complete=True, words=SMALL)


@PROOF.step("9b", "9: larger loads, good arms", "5g, 9a", prices=0)
def _good_loads(theory: Theory, prices: int = 1) -> Parts:
    """h trials of each load, promising ones at the capacity only while the averages look so."""
    yield same_numbers("direct", prices=prices)
    name = "larger loads tried, good arms"
    yield loses(theory, name, free.larger_loads(*WORLD), Arms.OPTIMAL)


@PROOF.step("9c", "9: larger loads, bad arms", "5g, 6c, 6e, 7a, 9a", coin=3, haste=3, half=0)
def _bad_loads(theory: Theory, coin: int = 2, haste: int = 4, half: int = 1) -> Parts:
    """The same; or by the order: arm j looks like v or better, or a good arm is short, and what
    errs or climbs is counted once for all of them."""
    yield same_numbers("by_order", coin=coin, haste=haste)
    yield same_numbers("worse_loads", half=half)
    yield loses(theory, "larger loads tried, worse arms", free.moved_worse(*WORLD))


# -- errors, and the sum --------------------------------------------------------------------------


@PROOF.step("9d", "9: capacities taken for smaller ones", "3a, 3c, 7d, 8b, 8c, 9c", trial=0)
def _errors(theory: Theory, trial: Expr = Rational(1, 2)) -> Parts:
    """A bad arm loses b plays while filled, 1 in half of the slots in which it is outside, and a
    better arm may be behind it; b = 1, ..., m - 1. A good arm is charged what it misses, bad arms
    in its place, and a trial of the worst arm in half of the slots."""
    ways = free.ways(mu)
    plays = m * (m - 1) / 2 + trial * (m - 1)
    lost = ways * ERRORS * (plays * GAP + (m - 1) * AHEAD)
    yield loses(theory, "capacity of a worse arm taken for a smaller one", lost, Arms.SUBOPTIMAL)
    missed = (m - 1) * m / 2 * (mu - nu) + trial * (m - 1) * WORST
    lost = ways * ERRORS * (free.displaced_below(*WORLD) + missed)
    yield loses(theory, "capacity of a good arm taken for a smaller one", lost, Arms.OPTIMAL)
    name = "capacity of arm L taken for a smaller one"
    yield loses(theory, name, ways * ERRORS * (m - 1) * AHEAD, Arms.LAST)
    yield same_numbers("displaced_below")


@PROOF.step("9e", "9: good arms stuck", "2b, 3a, 7d, 8b, 8c, 9c", trial=0)
def _stuck(theory: Theory, trial: Expr = Rational(1, 2)) -> Parts:
    """n_i kl(muhat_i, mu_i) > l + r(n_i) for one of its groups: all its plays are missing."""
    lost = ERRORS * GROUPS * (free.displaced(*WORLD) + MISSED + trial * WORST)
    yield loses(theory, "good arm stuck below its mean", lost, Arms.OPTIMAL)
    yield same_numbers("displaced")


@PROOF.step("9f", "9: good arms that climb", "6e, 7d, 8b, 8c", haste=3)
def _climbing(theory: Theory, haste: int = 4) -> Parts:
    """Slots before L^ with b < m: what they miss, bad arms in their place; and in c of them a trial
    of another arm."""
    yield same_numbers("climbing_lost", haste=haste)
    name = "good arms climbing to their capacities"
    yield loses(theory, name, free.climbing_lost(*WORLD), Arms.OPTIMAL)


@PROOF.step("9g", "9: the number on `paper`", "5g, 9d, 9e, 9f", limit=16_000)
def _on_paper(theory: Theory, limit: int = 16_100) -> Parts:
    """Added up, at T = 10^5 and with Bernoulli rewards the bound is at most 16,100."""
    value = claimed_number(
        theory.cards[PROOF.claim], AtHorizon.at(Instance.load("paper"), 10**5), theory
    )
    yield parts.certified_number(value, at_most=limit, region="paper, T = 10^5", words="the bound")


COUNTED = (
    "capacity taken for a larger one",  # 3b
    "capacity of a worse arm taken for a smaller one",  # 9d
    "capacity of a good arm taken for a smaller one",
    "capacity of arm L taken for a smaller one",
    "good arm stuck below its mean",  # 9e
    "good arms climbing to their capacities",  # 9f
    "worse arms filled, looking better",  # 7b
    "worse arms filled, good ones looking worse",  # 7d
    "better arms short of plays",  # 8b
    "worse arms tried",  # 8c
    "larger loads tried, good arms",  # 9b
    "larger loads tried, worse arms",  # 9c
)
_NONE, _ALL = Integer(0), Integer(1)
LEVELS = tuple(
    Level(symbol, _NONE, _ALL, arms)
    for symbol, arms in (
        (free.AVERAGES, Arms.ALL),  # 5c
        (free.BELOW, Arms.ALL),
        (free.HEARD, Arms.ALL),  # 5g
        (free.PASSED, Arms.SUBOPTIMAL),  # 6d
        (free.X, Arms.SUBOPTIMAL),  # 7b
        (free.W_K, Arms.SUBOPTIMAL),  # 8c
        (free.X_K, Arms.SUBOPTIMAL),
        (free.Y, Arms.FILLED),  # 8b
        (free.Z, Arms.FILLED),
        (free.V, Arms.SUBOPTIMAL),  # 9c
    )
)
ASSUMED = (given.BOUNDED_REWARDS, *given.LAST_ALONE, given.POSITIVE_LAST, given.WITHIN_PLAYS)


@PROOF.step(
    "9h", "the theorem", "3b, 5g, 7b, 7d, 8b, 8c, 9b, 9c, 9d, 9e, 9f, 9g", counted=COUNTED[1:]
)
def _all_terms(theory: Theory, counted: tuple[str, ...] = COUNTED) -> Parts:
    """The card has the terms of these steps and no other, for levels between the ends that they
    need, under the assumptions that they name: the expected regret is at most their sum."""
    card = theory.cards[PROOF.claim]
    names = tuple(Term(name, Integer(0)) for name in counted)
    yield is_whole(card, {"regret": Quantity("regret", "reward", names, levels=LEVELS)})
    yield is_assumed(card, ASSUMED, PROOF)


STEPS = tuple(PROOF)
