"""`sharp-7.1`, sections P and Q of docs/theorems/orch-explore.md: what slots lose, and who pays.

On the good event l <= m <= u. The arms in *front* of an individual slot are S_t without its last
arm L_t. An arm before L is *missing* if it is not in front, L is if besides S_t has an arm beyond
it; an arm in front is *short* if l < m, or l_L < mbar. Sums over arms are linear: one arm before L
and one beyond it stand for all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from sympy import Expr, symbols

from boundcheck.proof_steps.parts import at_most, below, cases, equal
from boundcheck.proof_steps.ranges import ANY, SURELY, UP, UP9
from boundcheck.proof_steps.step import Part, Parts
from boundcheck.theories.shareable_arms import symbols as sym
from boundcheck.theories.shareable_arms.proofs import sharp_7_1_tails  # noqa: F401 -- steps t1 to t4
from boundcheck.theories.shareable_arms.proofs.sharp_7_1_chances import PROOF
from boundcheck.theories.shareable_arms.proofs.sharp_7_1_pairs import (
    Pair,
    pairs,
    regret_of_loads,
    short_cost,
)

K, L, N, m, mbar, mu, mu_L = sym.K, sym.L, sym.N, sym.m, sym.mbar, sym.mu, sym.mu_L
m_L, mu_j = sym.m_L, sym.mu_j
a, b, d, p, q, r, s, u, x, y = symbols("a b d p q r s u x y", positive=True)


def _always(claim: Callable[[Pair], bool], words: str) -> Part:
    """It is so for every pair of slots of up to four arms, and for many of more."""

    def true(start: int) -> bool:
        return all(map(claim, found[start : start + 1000]))

    found = pairs()
    starts = range(0, len(found), 1000)
    return cases(true, {"from pair": starts}, complete=True, words=words)


@PROOF.step("p1", "P1: what an individual slot loses", "s3", behind=0)
def transport(behind: Expr = mu_L) -> Parts:
    """All plays are served and there are N of them: f* - f(a) is the sum over arms before L of (m -
    a)(mu - mu_L) and over arms beyond L of a (mu_L - mu)."""
    on_last = mbar + (m - a) - b  # the rest of N, with a plays before L and b beyond
    slot = m * mu + mbar * mu_L - (a * mu + on_last * mu_L + b * mu_j)
    points = dict.fromkeys((m, mbar, a, b, mu, mu_L, mu_j), UP9)
    yield equal(slot, (m - a) * (mu - behind) + b * (mu_L - mu_j)).on(points)


@PROOF.step("p2", "P2: who is before a missing arm", "s3", least=0)
def _reaches(least: int = 1) -> Parts:
    """The arms before L have room for N - mbar plays at most, fewer than N: S_t has an arm from L
    on. It is ranked before an arm that is outside S_t or its last; for L the same beyond L."""
    yield below(N - mbar - r, N).on({mbar: (least, 99), r: ANY, N: UP})

    def true(pair: Pair) -> bool:
        slot = pair.slot
        place = {k: i for i, k in enumerate(slot.order)}
        return all(
            any(max(k + 1, slot.last) <= r and place[r] < place[k] for r in slot.loads)
            and all(place[r] < place[k] for r in slot.loads if r != k)
            for k in slot.missing
        )

    yield _always(true, "missing arms")


@PROOF.step("p3", "P3: the moved action", "p1, p2", room=N - mbar + 1, sources=N - L)
def moved(room: Expr = N - mbar, sources: Expr = N - L + 1) -> Parts:
    """Give missing arms m plays and the others l, as long as there are plays. That leaves mbar
    plays or more for L; arm L then lacks N - L + 1 plays at most, as others have one each;
    beyond L are sum (m - l) + mbar - l_L plays at most. What is lost is kappa of the short arms
    at most, and 0 if none is short. Each play that moves goes from an arm behind to the missing
    one: a missing arm gets m - a at most, the arms that give them had them, and L gives m_L -
    mbar at most."""
    yield at_most(mbar, N - (room - r)).on({N: UP, mbar: UP, r: ANY})
    yield at_most(N - (L - 1 + r), sources).on({N: UP, L: UP, r: ANY})
    yield equal(room + mbar, N).on({N: UP9, mbar: UP9})  # what is not placed before L and on it
    yield at_most((m_L - r) - (mbar + s), m_L - mbar).on({m_L: UP, mbar: UP, r: ANY, s: ANY})

    def true(pair: Pair) -> bool:
        slot, to = pair.slot, pair.slot.moved()
        taken = {k: slot.loads.get(k, 0) - to.get(k, 0) for k in range(len(slot.held))}
        given = {k: -x for k, x in taken.items() if x < 0}
        giving = {k: x for k, x in taken.items() if x > 0}
        most = {k: slot.held[k] for k in giving}
        most[slot.last] = slot.held[slot.last] - slot.left
        loss = regret_of_loads(slot, to)
        return (
            sum(to.values()) == slot.plays
            and 0 <= loss <= short_cost(slot)
            and bool(loss) == bool(slot.short)
            and all(k in slot.missing for k in given)
            and all(k in slot.loads and k >= slot.last and x <= most[k] for k, x in giving.items())
            and given.get(slot.last, 0) <= slot.plays - slot.last
        )

    yield _always(true, "moved actions")


@PROOF.step("p4", "P: kappa is subadditive", "p3", more=2)
def worst_first(more: int = 1) -> Parts:
    """An arm with l = m - y plays too few by y loses y (mu - mu_L) + y (mu_L - mu_K) at most, which
    is at most kap = (m - 1)(mu - mu_K): here p = mu - mu_L, q + s = mu_L - mu_K, m - 1 = y + r. As
    the worst arms are filled first, kappa of several arms is at most the sum of their kap."""
    yield at_most(y * p + more * y * q, (y + r) * (p + q + s)).on(
        dict.fromkeys((p, q, r, s, y), ANY)
    )

    def true(pair: Pair) -> bool:
        slot = pair.slot
        return short_cost(slot) <= sum(short_cost(slot, (k,)) for k in slot.short)

    yield _always(true, "short arms")


@PROOF.step("q1", "Q1: short at an even slot", "p2", room=N - mbar + 1)
def even(room: Expr = N - mbar) -> Parts:
    """Y was empty after the slot before, so its front arms had l = u = m: an arm that is short
    now was missing. For L as its last arm, N plays would fit in N - mbar + l_L < N."""
    yield below(room - r + (mbar - 1 - s), N).on({N: UP, mbar: UP, r: ANY, s: ANY})

    def true(pair: Pair) -> bool:
        if pair.unknown:
            return True
        return all(k in pair.slot.missing for k in pair.following.short)

    yield _always(true, "even slots")


CLAIMED = ("fresh", "overtaken", "first", "no better")


@PROOF.step(
    "q2", "Q2: short at an odd slot", "s3", claimed=tuple(c for c in CLAIMED if c != "overtaken")
)
def odd(claimed: Collection[str] = CLAIMED) -> Parts:
    """A short arm of slot p has its bounds settled in it (fresh, once); or is in Y behind the first
    arm F with a better mean (overtaken); or p + 1 is a k-slot, and the arm is k, or no better."""

    def true(pair: Pair) -> bool:
        for k in pair.slot.short:
            if "fresh" in claimed and k in pair.fresh:
                continue
            if not pair.unknown:
                return False
            first, learns = pair.unknown[0], pair.learns
            told = {
                "overtaken": k in pair.unknown[1:] and k < first,
                "first": k == learns,
                "no better": learns is not None and k in pair.unknown[1:] and k > first,
            }
            if not any(told[name] for name in claimed if name in told):
                return False
        return True

    yield _always(true, "short arms of odd slots")


@PROOF.step("q3", "Q3: a united slot", "s3", served=m - 1, second=2)
def united(served: Expr = m, second: int = 1) -> Parts:
    """Its first arm has load u >= m and earns m mu; with x plays left the second arm j earns min(x,
    m_j) mu_j or more."""
    earned = x - (served * mu + r)
    yield at_most(earned, x - m * mu).on({x: ANY, m: UP, mu: ANY, r: ANY})
    less = earned - (y + r)
    yield at_most(less, x - m * mu - second * y).on({x: ANY, m: UP, mu: ANY, r: ANY, y: ANY})


@PROOF.step("q4", "Q3: left-over plays", "q3", left=2)
def left_over(left: int = 1) -> Parts:
    """Let mbar = 1, the slot be in order, F = k < L and L >= 3. The second arm is before L, too,
    if Y has another arm before L, or if l_k = m_k before slot p and no other arm is fresh: then
    l = m before L, one play is left for L_p, and Y has k alone."""
    yield below(N, (N - left) + 1 + 1).on({N: UP})

    def true(pair: Pair) -> bool:
        slot = pair.slot
        if not pair.unknown or pair.unknown[0] >= slot.last or not pair.in_order:
            return True
        if slot.left > 1 or slot.last < 2:
            return True
        k, others = pair.unknown[0], pair.unknown[1:]
        known = slot.lower[k] == slot.held[k] and not any(i < slot.last for i in pair.fresh)
        sure = known or any(i < slot.last for i in others)
        return not sure or pair.second < slot.last

    yield _always(true, "second arms")


REASONS = ("missing", "overtaken", "switch", "L behind")


@PROOF.step(
    "q5",
    "Q3: a united slot that learns nothing",
    "p2, q3",
    reasons=tuple(x for x in REASONS if x != "switch"),
)
def no_learning(reasons: Collection[str] = REASONS) -> Parts:
    """If p + 1 is no k-slot then an arm before L is missing at p; or F >= L and an arm before L
    of Y is behind it; or p is the switch, the one p with C_{p+1} but not C_p; or mbar >= 2, F >
    L, all arms before L are in front, and L is missing or in Y behind F."""

    def true(pair: Pair) -> bool:
        if not pair.unknown or pair.learns is not None:
            return True
        slot, first = pair.slot, pair.unknown[0]
        behind = slot.last in slot.missing or slot.last in pair.unknown
        told = {
            "missing": any(k < slot.last for k in slot.missing),
            "overtaken": any(k < slot.last for k in pair.unknown),
            "switch": pair.switch,
            "L behind": slot.left > 1 and first > slot.last and behind,
        }
        return any(told[name] for name in reasons)

    yield _always(true, "united slots")
    yield below(N, (N - mbar) + (mbar + r) + 1).on({N: UP, mbar: UP, r: ANY})  # under C_p


@PROOF.step("q6", "Q4: a filled arm that S_t has no room for", "p2", room=N - mbar + m_L + 1)
def no_room(room: Expr = N - mbar + m_L) -> Parts:
    """If S_t has no arm beyond L and not arm k, the others hold N plays: N <= N - mbar + m_L - m_k,
    and m_k <= m_L - mbar. Were it larger by r, they would hold N - r."""
    yield equal(room - (m_L - mbar + r), N - r).on(dict.fromkeys((N, mbar, m_L, r), UP9))
    yield below(N - r, N).on({N: UP, r: SURELY})


@PROOF.step("q7", "P4: how many wait", "p2", held=1)
def _waiting(held: int = 2) -> Parts:
    """An arm of S_t is explored with chance 1/2, one of E_t with 1/(2 |E_t|). If k is outside, S_t
    holds N plays without it, which takes s_k arms at least: E_t has K - s_k at most. If the arms
    before L and one beyond are in S_t, it has K - L at most."""
    yield at_most(2 * (K - (s + r)), held * (K - s)).on({K: UP, s: UP, r: ANY})
    yield at_most(K - ((L - 1) + 1 + r), K - L).on({K: UP, L: UP, r: ANY})
