"""`sharp-7.1`, sections P4 to Q4 of docs/theorems/orch-explore.md: how often what is charged
happens.

Each step ends at terms of the card. U(z; mu) and V(z; mu) are how often, in expectation, a mean
of some count n >= 1 is at z or beyond; an arm not seen yet has the estimate 0, which is low, so
that it is low at 1 + V counts n >= 0.
"""

from __future__ import annotations

import sympy
from sympy import Expr, Integer, Rational, log

from boundcheck.claims.card import Level, Quantity, Range, Term
from boundcheck.claims.functions import kl
from boundcheck.claims.unevaluated import Ge, Max, Min
from boundcheck.proof_steps.derivation import is_assumed, is_whole
from boundcheck.proof_steps.parts import at_most, below, equal
from boundcheck.proof_steps.ranges import ANY, SURELY, UP, UP9
from boundcheck.proof_steps.step import Parts
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms import symbols as sym
from boundcheck.theories.shareable_arms.orch_explore import functions as fn
from boundcheck.theories.shareable_arms.proofs.sharp_7_1_chances import PROOF, half, kl_by_odds
from boundcheck.theories.shareable_arms.proofs.sharp_7_1_learning import charged
from boundcheck.theories.shareable_arms.proofs.sharp_7_1_slots import N, m, mbar, mu, mu_L
from boundcheck.theories.shareable_arms.ranks import L_AT_LEAST_2, Arms
from boundcheck.theory import Theory

K, L, T, m_L, mu_j, mu_K = sym.K, sym.L, sym.T, sym.m_L, sym.mu_j, sym.mu_K
d, f, p, q, r, u, x, y = sympy.symbols("d f p q r u x y", positive=True)
SHARED, FROM_LAST = Ge(mbar, 2), Range(">=", L)
LEVELS_HAVE_ROOM = "last-mean-above-others, last-mean-below-filled"
LOW_INDEX = Rational(37, 10)  # a7
ONE_ARM_MORE = Min(L - 1, 1)  # 1 if there are arms before L
SPREAD = (sym.mu_after - mu_K) / 2
SEVERAL = Min(m - 1, 1)
SHORT = (m - 1) * (mu - mu_K) + SEVERAL * SPREAD
SHORT_LAST = (mbar - 1) * (mu_L - mu_K) + SPREAD
FIRST_LOSES = Max(sym.c_J, sym.c_L)


def shared_out(low: Expr, high: Expr, share: Expr) -> Expr:
    """The level at a share of the way between two means."""
    return (1 - share) * low + share * high


# -- individual slots: misplaced plays -------------------------------------------------------------


@PROOF.step("e1", "E1: kl is monotone", order=-1)
def monotone(order: int = 1) -> Parts:
    """kl(p, q) grows as q > p does and falls as p < q grows: by odds, x of p and y of q, the slopes
    are (y - x)/((1 + x) y (1 + y)) and -log(y/x)/(1 + x)^2. For normal laws the gap decides."""
    divergence, points = kl_by_odds(x, y), {x: UP9, y: UP9}
    yield equal(sympy.diff(divergence, y), (y - x) / ((1 + x) * y * (1 + y))).on(points)
    yield equal(sympy.diff(divergence, x), -log(y / x) / (1 + x) ** 2).on(points)
    yield at_most(0, order * u / ((1 + x) * (x + u) * (1 + x + u))).on({x: SURELY, u: ANY})
    yield at_most(0, order * (log(x * (1 + u)) - log(x))).on({x: SURELY, u: ANY})
    yield at_most(d**2, (d + order * (x + y)) ** 2).on({d: ANY, x: ANY, y: ANY})


@PROOF.step("e2", "E2: an arm that waits outside is worth exploring", "e1, a6, p2", order=-1)
def worth_exploring(order: int = 1) -> Parts:
    """muhat_k <= muhat_{L_t} < b < mu_k: n kl(muhat_k, muhat_{L_t}) <= n kl(muhat_k, mu_k), which
    but for the slots of A6 is f(t) at most; for normal laws x <= x + y are the two gaps."""
    yield from monotone(order)
    yield at_most(x**2, (x + y) ** 2).on({x: ANY, y: ANY})


@PROOF.step("e3", "P4: levels between two means", LEVELS_HAVE_ROOM, top=0)
def levels(top: int = 1) -> Parts:
    """At one share of the way the level of a pair is strictly between its means, and falls with
    either: so the largest mu_i - mu_r with a level up to x is a sum of steps in i, each with the
    level of its own pair, and likewise in r."""
    share, gap = p / (p + q), d
    level = x + share * gap
    yield below(x, level).on({x: ANY, p: SURELY, q: SURELY, d: SURELY})
    yield below(level, x + top * gap).on({x: ANY, p: SURELY, q: SURELY, d: SURELY})
    for more in (x + share * (d + u), (x + u) + share * (d - u)):
        yield at_most(level, more).on({x: ANY, p: SURELY, q: SURELY, d: ANY, u: ANY})
    steps = (mu - x) + (x - y) + (y - mu_L)
    yield equal(steps, mu - mu_L).on(dict.fromkeys((mu, mu_L, x, y), UP9))


@PROOF.step(
    "e4",
    "P4: plays misplaced, charged to the arm that has them",
    "p3, s4, e3, t1, t2, t3, t4, non-negative-means",
    high=1,
    draw=0,
)
def sinks(theory: Theory, high: int = 2, draw: Expr = half) -> Parts:
    """Its estimate is at the level or above, 2 slots for each n >= 1. Arm L has m_L - mbar such
    plays at most, others m_j, and half a play more for a draw from a missing arm before L."""
    level = shared_out(mu_L, mu, sym.theta_b)
    over_last = high * (m_L - mbar + draw) * fn.above(level, mu_L)
    name = "plays on arm L for a filled arm, arm L high"
    yield charged(theory, name, sym.above_next * over_last, Arms.FILLED)
    level = shared_out(mu, mu_L, sym.theta_b)
    over = high * (m + draw * ONE_ARM_MORE) * (mu_L - mu) * fn.above(level, mu)
    yield charged(theory, "plays beyond L for arm L, the other high", over, Arms.SUBOPTIMAL)
    level = shared_out(mu_j, mu, sym.theta_b)
    over = fn.sum_beyond(high * (sym.m_j + draw) * fn.above(level, mu_j))
    name = "plays beyond L for a filled arm, the other high"
    yield charged(theory, name, sym.above_next * over, Arms.FILLED)


@PROOF.step(
    "e5",
    "P4: plays misplaced, charged to the arm that lacks them",
    "p3, s4, e2, e3, q7, t1, t2, t3, t4",
    never=0,
)
def sources(theory: Theory, never: int = 1) -> Parts:
    """Its estimate is below the level: it is L_t or in E_t, rho_k slots for each n >= 0, or its
    index is low. An arm before L lacks m plays at most, L min(m_L, N - L + 1)."""
    lacking = Min(m_L, N - L + 1)
    level = shared_out(mu_L, mu, sym.theta_b)
    low = sym.wait * m * (mu - mu_L) * (never + fn.below(level, mu))
    yield charged(theory, "plays on arm L for a filled arm, that one low", low, Arms.FILLED)
    level = shared_out(mu, mu_L, sym.theta_b)
    low = sym.wait_L * lacking * sym.below_last * (never + fn.below(level, mu_L))
    yield charged(theory, "plays beyond L for arm L, that one low", low, Arms.SUBOPTIMAL)
    level = shared_out(mu_j, mu, sym.theta_b)
    low = sym.wait * m * fn.sum_beyond(sym.fall_j * (never + fn.below(level, mu)))
    yield charged(theory, "plays beyond L for a filled arm, that one low", low, Arms.FILLED)


@PROOF.step("e6", "P4 and P5: slots in which an index is low", "a7, p3, e2", coin=1)
def _low_index(theory: Theory, coin: Expr = half) -> Parts:
    """At most 3.7 for each arm up to L: it lacks all its plays to the worst arm, and a draw from
    an arm beyond L costs (mu_{L+1} - mu_K)/2 = d in expectation."""
    drawn = coin * (sym.mu_after - mu_K)
    lost = m * (mu - mu_K) + drawn
    yield charged(theory, "index of a filled arm low", LOW_INDEX * lost, Arms.FILLED)
    lost = Min(m_L, N - L + 1) * (mu_L - mu_K) + drawn
    yield charged(theory, "index of arm L low", LOW_INDEX * lost)


# -- individual slots: draws -----------------------------------------------------------------------


@PROOF.step("e7", "P5: draws where the last arm is seen well", "e1, e3, t3", more=0)
def draws(theory: Theory, more: int = 1) -> Parts:
    """If muhat_{L_t} > e and muhat_k < c < e, then n = 0 or n kl(c, e) <= f(T): at most
    f(T)/kl(c, e) + 1 draws, each of which adds one; and one for each n at which the mean of n
    rewards is c or more."""
    yield at_most(f / d - r + 1, f / d + 1).on({f: UP, d: SURELY, r: ANY})
    slope = 1 / x + 4 / (x * log(x))
    yield equal(sympy.diff(log(x) + 4 * log(log(x)), x), slope).on({x: (3, 9)})  # f grows
    level = shared_out(mu, mu_L, sym.theta_e)
    lower = shared_out(mu, level, sym.theta_c)
    drawn = (log(T) + 4 * log(log(T))) / kl(lower, level) + more + fn.above(lower, mu)
    yield charged(theory, "draws", (mu_L - mu) * drawn, Arms.SUBOPTIMAL)


@PROOF.step("e8", "P5: draws where it is low", "e2, e3, s4, q7, p3, p4", coin=1, kept=1)
def low_last(theory: Theory, coin: Expr = half, kept: Expr = half) -> Parts:
    """If L_t = k <= L has an estimate up to e: a draw has a chance of 1/2 at most and an
    exploration of k one of 1/2 at least, so one draw for each n >= 0. If L_t is beyond L and no
    arm is short, some k <= L is missing: rho_k slots for each n, half a draw each, which costs
    mu_{L+1} - mu_j."""
    yield at_most(coin / (half + r), 1).on({r: (0, half)})
    level = shared_out(mu_j, mu_L, sym.theta_e)
    low = sym.fall_j * (1 + fn.below(level, mu))
    name = "draws while the last arm is low"
    yield charged(theory, name, coin / half * fn.sum_beyond(low), Arms.OPTIMAL)
    behind = kept * sym.wait * fn.sum_far_beyond(low)
    yield charged(theory, "draws while a better arm is behind", behind, Arms.OPTIMAL)


# -- capacities not known yet ----------------------------------------------------------------------


@PROOF.step("g1", "Q1: short at even slots", "q1, p2, p4, s4, e3, t1, t2, t3, t4", high=1)
def short_even(theory: Theory, high: int = 2) -> Parts:
    """The arm before it has an estimate of y or more, 2 slots for each n; or the short one is
    below: it was explored in the slot before, or it is in this one, 2 slots for each n >= 0."""
    level = shared_out(mu_L, mu, sym.theta_y)
    low = 2 * (1 + fn.below(level, mu))
    above = fn.above(level, mu_L) + fn.sum_beyond(fn.above(level, mu_j))
    name = "filled arm short at an even slot"
    yield charged(theory, name, SHORT * (low + high * above), Arms.FILLED)


@PROOF.step("g2", "Q2: short and overtaken", "q2, p4, e3, t1, t2, t3, t4", each=0)
def short_overtaken(theory: Theory, each: int = 1) -> Parts:
    """Both were explored in the slot before, so one of the two estimates has just come to the wrong
    side of a level between the mean and the next smaller one."""
    level = shared_out(sym.mu_less, mu, sym.theta_z)
    over = fn.below(level, mu) + each * fn.sum_worse(fn.above(level, mu_j))
    yield charged(theory, "filled arm short and overtaken", SHORT * over, Arms.FILLED)


@PROOF.step("g3", "Q1 and Q2 for arm L", "q1, q2, p4, s4, t1, t2, t3, t4", both=2)
def short_last(theory: Theory, both: int = 3) -> Parts:
    """The same with one level between mu_{L+1} and mu_L for both."""
    over = both * SHORT_LAST * fn.above(sym.y_L, mu)
    yield charged(theory, "arm L short, others high", over, Arms.SUBOPTIMAL, SHARED)
    low = 2 * (1 + fn.below(sym.y_L, mu_L)) + (both - 2) * fn.below(sym.y_L, mu_L)
    yield charged(theory, "arm L short, low", SHORT_LAST * low, when=SHARED)


@PROOF.step("g4", "Q2 and Q3: bounds just settled", "q2, q4, q5, p4", second=0)
def settled(theory: Theory, second: Expr = sym.second) -> Parts:
    """Once for each arm that can be short: kap + d, and Delta for left-over plays; and once for
    all, the switch, a united slot that begins with L or beyond."""
    lost = SHORT + SEVERAL * second
    yield charged(theory, "capacities just learnt", lost, Arms.FILLED)
    yield charged(theory, "capacity of arm L just learnt", SHORT_LAST, when=SHARED)
    yield charged(theory, "all capacities learnt", FIRST_LOSES)


# -- united slots ----------------------------------------------------------------------------------


@PROOF.step(
    "h1", "Q4 (a): an arm before L missing, one beyond in S_p", "q3, q7, e2, s4, a7", high=1
)
def behind_others(theory: Theory, high: int = 2) -> Parts:
    """The arm beyond L is at x_1 or above, 2 slots for each n; or the missing one is below,
    rho_k for each n >= 0, or its index is low. A slot that begins with L or beyond loses c_J or
    c_L, others Delta more than Cap_k has."""
    lost = Max(sym.c_J, sym.c_L, sym.second)
    over = high * lost * fn.above(sym.x_1, mu)
    where = (Arms.SUBOPTIMAL, L_AT_LEAST_2)
    yield charged(theory, "united, filled arm behind, others high", over, *where)
    low = lost * (sym.wait * (1 + fn.below(sym.x_1, mu)) + LOW_INDEX)
    yield charged(theory, "united, filled arm behind, low", low, Arms.FILLED)


@PROOF.step("h2", "Q4 (b): an arm before L missing, none beyond", "q3, q6, q7, e2, s4", high=1)
def behind_last(theory: Theory, high: int = 2) -> Parts:
    """S_p has arm L: it is at x_2 or above; or the missing arm k is below and L_p, 2 slots for
    each n, or outside, rho_k, if m_k <= m_L - mbar. The low indices are those of (a)."""
    lost = Max(sym.c_L, sym.second)
    over = high * lost * fn.above(sym.x_2, mu_L)
    name = "united, filled arm behind arm L, which is high"
    yield charged(theory, name, over, when=L_AT_LEAST_2)
    low = lost * sym.wait_in * (1 + fn.below(sym.x_2, mu))
    yield charged(theory, "united, filled arm behind arm L, low", low, Arms.FILLED)


@PROOF.step("h3", "Q4 (c): overtaking", "q3, q5", besides=0)
def overtaking(theory: Theory, besides: int = 1) -> Parts:
    """F from L on, and an arm before L of Y behind it: both were explored in slot p. F is at x_3 or
    above, which costs f* - m mu, or the other at x_3 or below, at a count just reached."""
    over = (sym.f_star - m * mu) * fn.above(sym.x_3, mu)
    yield charged(theory, "united, overtaking", over, FROM_LAST, L_AT_LEAST_2)
    low = besides * FIRST_LOSES * fn.below(sym.x_3, mu)
    yield charged(theory, "united, overtaken", low, Arms.FILLED)


@PROOF.step("h4", "Q4 (d): left-over plays out of order", "q3, q4, s4", high=2)
def out_of_order(theory: Theory, high: int = 3) -> Parts:
    """After p some r from L on is before an arm of front: that one is at x_4 or below, at a
    count just reached; or r is above, at a count just reached; or r was not explored, and L_p >=
    L is above, 2 slots for each n."""
    over = high * sym.second * fn.above(sym.x_4, mu)
    yield charged(theory, "left-over plays, others high", over, FROM_LAST, L_AT_LEAST_2)
    low = sym.second * fn.below(sym.x_4, mu)
    yield charged(theory, "left-over plays, filled arm low", low, Arms.FILLED)


@PROOF.step("h5", "Q4: arm L behind", "q3, q5, q7, e2, s4, a7", high=1)
def last_behind(theory: Theory, high: int = 2) -> Parts:
    """F = j > L in front. L is missing: j is at x_5 or above, one slot for each n, or L is
    below, 2 (K - L) for each n >= 0, or its index is low. Or L is in Y behind j: one slot for
    each n of either."""
    over = high * (sym.f_star - m * mu) * fn.above(sym.x_5, mu)
    yield charged(theory, "united, arm L behind, others high", over, Arms.SUBOPTIMAL, SHARED)
    after = fn.below(sym.x_5, mu_L)
    low = sym.c_J * (2 * (K - L) * (1 + after) + after + LOW_INDEX)
    yield charged(theory, "united, arm L behind, low", low, when=SHARED)


# -- the card --------------------------------------------------------------------------------------

COUNTED = (
    "failures",  # s2
    "plays on arm L for a filled arm, arm L high",  # e4
    "plays on arm L for a filled arm, that one low",  # e5
    "plays beyond L for arm L, the other high",  # e4
    "plays beyond L for arm L, that one low",  # e5
    "plays beyond L for a filled arm, the other high",  # e4
    "plays beyond L for a filled arm, that one low",  # e5
    *("index of a filled arm low", "index of arm L low"),  # e6
    "draws",  # e7
    *("draws while the last arm is low", "draws while a better arm is behind"),  # e8
    *("capacities of filled arms", "capacity of arm L"),  # f5
    *("capacities just learnt", "capacity of arm L just learnt", "all capacities learnt"),  # g4
    "filled arm short at an even slot",  # g1
    "filled arm short and overtaken",  # g2
    *("arm L short, others high", "arm L short, low"),  # g3
    *("united, filled arm behind, others high", "united, filled arm behind, low"),  # h1
    "united, filled arm behind arm L, which is high",  # h2
    "united, filled arm behind arm L, low",  # h2
    *("united, overtaking", "united, overtaken"),  # h3
    *("left-over plays, others high", "left-over plays, filled arm low"),  # h4
    *("united, arm L behind, others high", "united, arm L behind, low"),  # h5
)
_NONE, _ALL = Integer(0), Integer(1)
LEVELS = (
    Level(sym.theta_b, _NONE, _ALL),  # e3: shares of the way between two means
    Level(sym.theta_e, _NONE, _ALL),
    Level(sym.theta_c, _NONE, _ALL, Arms.SUBOPTIMAL),
    Level(sym.theta_y, _NONE, _ALL, when=L_AT_LEAST_2),
    Level(sym.theta_z, _NONE, _ALL, when=L_AT_LEAST_2),
    Level(sym.y_L, sym.mu_after, mu_L, when=SHARED),  # g3
    Level(sym.x_1, sym.mu_after, sym.mu_before, when=L_AT_LEAST_2),  # h1
    Level(sym.x_2, mu_L, sym.mu_before, when=L_AT_LEAST_2),  # h2
    Level(sym.x_3, mu_L, sym.mu_before, when=L_AT_LEAST_2),  # h3
    Level(sym.x_4, mu_L, sym.mu_before, when=L_AT_LEAST_2),  # h4
    Level(sym.x_5, sym.mu_after, mu_L, when=SHARED),  # h5
)
ASSUMED = (
    given.SUB_GAUSSIAN,
    given.NON_NEGATIVE,
    *given.LAST_ALONE,
    given.WITHIN_PLAYS,
    given.HORIZON_3,
)


@PROOF.step(
    "i1",
    "the end: the card",
    "s2, d2, e4, e5, e6, e7, e8, f5, g1, g2, g3, g4, h1, h2, h3, h4, h5",
    counted=COUNTED[1:],
    failing=K,
)
def _all_terms(theory: Theory, counted: tuple[str, ...] = COUNTED, failing: Expr = 2 * K) -> Parts:
    """The card has the terms of these steps and no other, for levels between the ends that they
    need, under the assumptions that they name."""
    card = theory.cards[PROOF.claim]
    yield charged(theory, "failures", failing * sym.largest_regret)
    names = tuple(Term(name, Integer(0)) for name in counted)
    yield is_whole(card, {"regret": Quantity("regret", "reward", names, levels=LEVELS)})
    yield is_assumed(card, ASSUMED, PROOF)


STEPS = (*PROOF,)
