"""`sharp-7.1`, sections E to H of docs/theorems/orch-explore.md: how often what is charged happens.

Each step ends at a term of the card. g(kl(z, mu)) is how often, in expectation, a mean of some
count n >= 1 is beyond the level z; an arm not seen yet has the estimate 0, which is low.
"""

from __future__ import annotations

import sympy
from sympy import Expr, Rational, Rel, exp, log

from boundcheck.claims.card import Level, Quantity, Range, Term
from boundcheck.claims.functions import kl
from boundcheck.claims.unevaluated import Ge, Max
from boundcheck.proof_steps.derivation import is_assumed, is_term, is_whole
from boundcheck.proof_steps.parts import at_most, below, equal
from boundcheck.proof_steps.ranges import ANY, SURELY, UP, UP9
from boundcheck.proof_steps.step import Part, Parts
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms import symbols as sym
from boundcheck.theories.shareable_arms.orch_explore import sharp_costs  # noqa: F401 -- step d2
from boundcheck.theories.shareable_arms.orch_explore.sharp_chances import PROOF, half, kl_by_odds
from boundcheck.theories.shareable_arms.orch_explore.sharp_slots import N, m, mbar, mu, mu_L
from boundcheck.theories.shareable_arms.ranks import L_AT_LEAST_2, Arms
from boundcheck.theory import Theory

K, L, T, m_L = sym.K, sym.L, sym.T, sym.m_L
A, B = sympy.symbols("A B", real=True)
d, f, p, q, r, s, u, x, y, z = sympy.symbols("d f p q r s u x y z", positive=True)


def charged(
    theory: Theory,
    name: str,
    counted: Expr,
    cost: Expr,
    over: Range | None = None,
    when: Rel | None = None,
) -> Part:
    """The term of the card is a cost times so many times; kl stands for that of any law."""
    return is_term(theory.cards[PROOF.claim], Term(name, cost * counted, over, when))


def seldom(level: Expr, mean: Expr) -> Expr:
    """How often a mean is beyond a level, by a4."""
    return fn.geometric(kl(level, mean))


# -- draws of arms beyond L ---------------------------------------------------------------------


@PROOF.step("e1", "E1: kl is monotone", order=-1)
def monotone(order: int = 1) -> Parts:
    """kl(p, q) grows as q > p does and falls as p < q grows: by odds, x of p and y of q, the slopes
    are (y - x)/((1 + x) y (1 + y)) and -log(y/x)/(1 + x)^2. For normal laws the gap decides."""
    kl, points = kl_by_odds(x, y), {x: UP9, y: UP9}
    yield equal(sympy.diff(kl, y), (y - x) / ((1 + x) * y * (1 + y))).on(points)
    yield equal(sympy.diff(kl, x), -log(y / x) / (1 + x) ** 2).on(points)
    yield at_most(0, order * u / ((1 + x) * (x + u) * (1 + x + u))).on({x: SURELY, u: ANY})
    yield at_most(0, order * (log(x * (1 + u)) - log(x))).on({x: SURELY, u: ANY})
    yield at_most(d**2, (d + order * (x + y)) ** 2).on({d: ANY, x: ANY, y: ANY})


@PROOF.step(
    "e2", "E1 and E2: draws where arm L is seen well", "c2, e1, a4, last-mean-above-others", more=0
)
def draws(more: int = 1) -> Parts:
    """With n explorations n kl(c, e) <= f(T), or n = 0: at most f(T)/kl(c, e) + 1 draws, each of
    which adds one; and one for each n at which the mean of n rewards is c or more. There is
    room for mu < c < e < mu_L, as mu_L exceeds mu by some u > 0."""
    yield at_most(f / d - r + 1, f / d + more).on({f: UP, d: SURELY, r: ANY})
    middle = ((mu + mu_L) / 2).xreplace({mu_L: mu + u})
    yield below(mu, middle).on({mu: ANY, u: SURELY})
    yield below(middle, mu + u).on({mu: ANY, u: SURELY})
    slope = 1 / x + 4 / (x * log(x))
    yield equal(sympy.diff(log(x) + 4 * log(log(x)), x), slope).on({x: (3, 9)})  # f grows


@PROOF.step("e3", "E3: draws where the estimate of arm L is low", "e2, s4", shared=1, alone=half)
def low_last(theory: Theory, shared: Expr = half, alone: Expr = Rational(1)) -> Parts:
    """k is drawn with a chance of 1/2 at most. If mbar = 1, arm L keeps its play with 1/2 then: no
    more draws than explorations of L, one for each n; else one slot, half a draw, for each n."""
    yield at_most(half / x, shared).on({x: UP})
    yield equal(alone, half / half + 0 * x).on({x: UP9})
    yield equal(shared, half + 0 * x).on({x: UP9})
    index = (log(T) + 4 * log(log(T))) / kl(sym.c_k, sym.e_k)
    estimates = seldom(sym.c_k, mu) + sym.kept * (1 + seldom(sym.e_k, mu_L))
    drawn = index + 1 + estimates
    yield charged(theory, "suboptimal arms", drawn, mu_L - mu, Arms.SUBOPTIMAL)


SHARED = Ge(mbar, 2)

# -- capacities ---------------------------------------------------------------------------------


@PROOF.step("f1", "F1 and F2: where the interval does not tell m", "s3, c5, a3", above=m)
def misses(above: Expr = m + 1) -> Parts:
    """With muhat = mu + A and nuhat = m (mu + B), nuhat >= (m + 1)(muhat - s) is m B - (m + 1) A >=
    mu - (m + 1) s, nuhat <= (m - 1)(muhat + s) is (m - 1) A - m B >= mu - (m - 1) s, and for arm L
    likewise; after n slots of the arm both counts are n or more, so s <= 2 phi(n)."""
    points = {**dict.fromkeys((m, mu, s, mbar), UP9), A: UP9, B: UP9}
    nuhat, muhat = m * (mu + B), mu + A
    over = (m * B - (m + 1) * A) - (mu - (m + 1) * s)
    yield equal(nuhat - above * (muhat - s), over).on(points)
    under = ((m - 1) * A - m * B) - (mu - (m - 1) * s)
    yield equal((m - 1) * (muhat + s) - nuhat, under).on(points)
    short = ((mbar - 1) * A - m * B) - ((m - mbar + 1) * mu - (mbar - 1) * s)
    yield equal((mbar - 1) * (muhat + s) - nuhat, short).on(points)


@PROOF.step("f2", "F3: one of the means is off by y", "f1", times=2 * m)
def off(times: Expr = 2 * m + 1) -> Parts:
    """If neither A nor B is off by y, m B - (m + 1) A <= (2m + 1) y, which from n_k on is less than
    mu - 2 (m + 1) phi(n); the other two sides are met before. So one is."""
    largest = m * (y - p) + (m + 1) * (y - q)
    yield at_most(largest, times * y).on({m: UP, y: ANY, p: ANY, q: ANY})
    before = (2 * m - 1) * y + 2 * (m - 1) * x
    yield at_most(before, times * y + 2 * (m + 1) * x).on({m: UP, y: ANY, x: ANY})
    last = m_L * (y - p) + (mbar - 1) * (y - q)
    yield at_most(last, (m_L + mbar - 1) * y).on({m_L: UP, mbar: UP, y: ANY, p: ANY, q: ANY})


def _first(times: Expr, off: Expr, room: Expr) -> Expr:
    """The least n from which 2 phi(n) times this and so often y leave the room."""
    return fn.smallest_count(2 * times, 2 / T, room - off)


@PROOF.step("f3", "F4: united slots of a filled arm", "f2, a5, c9", chances=2)
def learnt(theory: Theory, chances: int = 4) -> Parts:
    """At most n_k, and one for each n >= n_k at which a mean is off: two means, two sides."""
    first = _first(m + 1, (2 * m + 1) * sym.y_k, mu)
    off_later = chances * exp(-2 * (first - 1) * sym.y_k**2) * fn.geometric(2 * sym.y_k**2)
    cost = sym.f_star - m * mu + sym.c_acc
    yield charged(theory, "capacities of filled arms", first + off_later, cost, Arms.FILLED)


@PROOF.step("f4", "F4: united slots of arm L", "f2, a5, c9", chances=1)
def reached(theory: Theory, chances: int = 2) -> Parts:
    """The same for arm L while l_L < mbar, where two of the four chances matter."""
    first = _first(mbar - 1, (m_L + mbar - 1) * sym.y_L, (m_L - mbar + 1) * mu_L)
    off_later = chances * exp(-2 * (first - 1) * sym.y_L**2) * fn.geometric(2 * sym.y_L**2)
    cost = sym.f_star - m_L * mu_L + sym.c_acc
    yield charged(theory, "last arm", first + off_later, cost, when=SHARED)


# -- overtaking ---------------------------------------------------------------------------------


@PROOF.step(
    "g1", "G: overtaking", "c5, c9, a4, last-mean-above-others, last-mean-below-filled", besides=0
)
def overtaking(theory: Theory, besides: Expr = sym.c_acc) -> Parts:
    """Both arms were explored in the slot before, so one of the two estimates has just come to the
    wrong side of z: of arm j beyond L, which costs f* - m_j mu_j, or of one that it overtakes."""
    yield below(z - r, z + u).on({z: ANY, r: ANY, u: SURELY})
    over, by_last = seldom(sym.z_J, mu), seldom(sym.z_L, mu)
    yield charged(theory, "overtaking", over, sym.f_star - m * mu + besides, Arms.SUBOPTIMAL)
    yield charged(theory, "overtaken", over, sym.c_J + besides, Arms.OPTIMAL)
    last = (sym.c_L + besides, Arms.OPTIMAL, L_AT_LEAST_2)
    yield charged(theory, "overtaken by arm L", by_last, *last)


@PROOF.step("g2", "D1: the switch", "d1", besides=0)
def switch(theory: Theory, besides: Expr = sym.c_acc) -> Parts:
    """Once: a united slot whose first arm is L or beyond, and a slot of kind (b)."""
    first = Max(sym.c_J, sym.c_L)
    yield charged(theory, "switch", sympy.Integer(1), first + besides)


# -- slots that are not right -------------------------------------------------------------------


@PROOF.step("h1", "H1: a filled arm that S_t has no room for", "c1", room=N - mbar + m_L + 1)
def no_room(room: Expr = N - mbar + m_L) -> Parts:
    """If S_t has no arm beyond L and not arm k, the others hold N plays: N <= N - mbar + m_L - m_k,
    and m_k <= m_L - mbar. Were it larger by r, they would hold N - r."""
    yield equal(room - (m_L - mbar + r), N - r).on(dict.fromkeys((N, mbar, m_L, r), UP9))
    yield below(N - r, N).on({N: UP, r: SURELY})


@PROOF.step("h2", "H2: an arm that waits outside is worth exploring", "e1, a6", order=-1)
def worth_exploring(order: int = 1) -> Parts:
    """muhat_k <= muhat_{L_t} < b < mu_k: n kl(muhat_k, muhat_{L_t}) <= n kl(muhat_k, mu_k), which
    but for the slots of A6 is f(t) at most; for normal laws x <= x + y are the two gaps."""
    yield from monotone(order)
    yield at_most(x**2, (x + y) ** 2).on({x: ANY, y: ANY})


@PROOF.step("h3", "H3: how many wait", "c1", held=sym.few - 1)
def waiting(held: Expr = sym.few) -> Parts:
    """S_t holds N plays, which takes s arms at least, and L if those before L and one beyond are in
    it: E_t has K - s arms at most, or K - L."""
    yield at_most(K - (held + r), K - sym.few).on({K: UP, sym.few: UP, r: ANY})
    yield at_most(K - ((L - 1) + 1 + r), K - L).on({K: UP, L: UP, r: ANY})


@PROOF.step(
    "h4",
    "H4: far slots with an arm beyond L in S_t",
    "c1, s4, h2, h3, a7, d1",
    high=1,
    rate=K - sym.few,
)
def far(theory: Theory, high: int = 2, rate: Expr = 2 * (K - sym.few)) -> Parts:
    """An arm beyond L is at b'' or more, twice for each time; or the arm k that is behind is below,
    2 (K - s) times for each n >= 0, or its index is low."""
    above = high * seldom(sym.b_between, mu)
    where = (sym.c_far, Arms.SUBOPTIMAL, L_AT_LEAST_2)
    yield charged(theory, "filled arm behind, others high", above, *where)
    low = rate * (1 + seldom(sym.b_between, mu)) + Rational(37, 10)
    yield charged(theory, "filled arm behind, low", low, sym.c_far, Arms.FILLED)


@PROOF.step("h5", "H5: far slots without one", "h1, h2, h3, s4, d1", high=1, rate=sym.wait / 2)
def behind_last(theory: Theory, high: int = 2, rate: Expr = sym.wait) -> Parts:
    """Arm L is at b or more, twice for each time; or arm k is below: it is L_t, twice for each n,
    or outside, 2 (K - s) times for each n, if m_k <= m_L - mbar."""
    above, low = high * seldom(sym.b_L, mu_L), rate * (1 + seldom(sym.b_L, mu))
    last = "filled arm behind arm L, which is high"
    yield charged(theory, last, above, sym.c_far, when=L_AT_LEAST_2)
    yield charged(theory, "filled arm behind arm L, low", low, sym.c_far, Arms.FILLED)


@PROOF.step("h6", "H6: near slots", "h2, h3, s4, a7, d1", high=1, rate=K - L)
def near(theory: Theory, high: int = 2, rate: Expr = 2 * (K - L)) -> Parts:
    """An arm beyond L is at b' or more, twice for each time; or arm L is below: in S_t, twice for
    each n, or outside, 2 (K - L) times for each n, or its index is low."""
    above = high * seldom(sym.b_after, mu)
    yield charged(theory, "arm L behind, others high", above, sym.c_near, Arms.SUBOPTIMAL)
    low = rate * (1 + seldom(sym.b_after, mu_L)) + Rational(37, 10)
    yield charged(theory, "arm L behind, low", low, sym.c_near)


# -- the card -------------------------------------------------------------------------------------

COUNTED = (
    "failures",  # s2
    "suboptimal arms",  # e3
    "capacities of filled arms",  # f3
    "last arm",  # f4
    "switch",  # g2
    *("overtaking", "overtaken", "overtaken by arm L"),  # g1
    *("filled arm behind, others high", "filled arm behind, low"),  # h4
    *("filled arm behind arm L, which is high", "filled arm behind arm L, low"),  # h5
    *("arm L behind, others high", "arm L behind, low"),  # h6
)
_MIDDLE = (mu + mu_L) / 2
LEVELS = (
    Level(sym.c_k, mu, _MIDDLE, Arms.SUBOPTIMAL),  # e2: mu_k < c_k < e_k < mu_L
    Level(sym.e_k, _MIDDLE, mu_L, Arms.SUBOPTIMAL),
    Level(sym.y_k, 0 * mu, mu / (2 * m + 1), Arms.FILLED),  # f2: room is left for 2 (m + 1) phi
    Level(sym.y_L, 0 * mu_L, (m_L - mbar + 1) * mu_L / (m_L + mbar - 1), when=SHARED),
    Level(sym.z_J, sym.mu_after, mu_L),  # g1: between all mu_j, j > L, and all mu_i, i <= L
    Level(sym.z_L, mu_L, sym.mu_before, when=L_AT_LEAST_2),
    Level(sym.b_L, mu_L, sym.mu_before, when=L_AT_LEAST_2),  # h5
    Level(sym.b_between, sym.mu_after, sym.mu_before, when=L_AT_LEAST_2),  # h4
    Level(sym.b_after, sym.mu_after, mu_L),  # h6
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
    "s2, d1, d2, e3, f3, f4, g1, g2, h4, h5, h6",
    counted=COUNTED[1:],
    failing=K,
)
def all_terms(theory: Theory, counted: tuple[str, ...] = COUNTED, failing: Expr = 2 * K) -> Parts:
    """The card has the terms of these steps and no other, for levels between the ends that they
    need, under the assumptions that they name."""
    card = theory.cards[PROOF.claim]
    yield charged(theory, "failures", failing, sym.largest_regret)
    names = tuple(Term(name, sympy.Integer(0)) for name in counted)
    yield is_whole(card, {"regret": Quantity("regret", "reward", names, levels=LEVELS)})
    yield is_assumed(card, ASSUMED, PROOF)


STEPS = (*PROOF,)
