"""`sharp-7.1`, sections E to H of docs/theorems/orch-explore.md: how often what is charged happens.

Each step ends at a term of the card. g(kl(z, mu)) is how often, in expectation, a mean of some
count n >= 1 is beyond the level z; an arm not seen yet has the estimate 0, which is low.
"""

from __future__ import annotations

from collections.abc import Collection

import sympy
from sympy import Expr, Rational, exp, log

from boundcheck.functions import kl
from boundcheck.proofs.parts import at_most, below, cases, equal
from boundcheck.proofs.ranges import ANY, SURELY, UP, UP9
from boundcheck.proofs.step import Part, Parts
from boundcheck.shareable_arms import functions as fn
from boundcheck.shareable_arms import symbols as sym
from boundcheck.shareable_arms.orch_explore.cards import LEARN, REACH, SHARP_TERMS, seldom
from boundcheck.shareable_arms.orch_explore.sharp_chances import PROOF, half, kl_by_odds
from boundcheck.shareable_arms.orch_explore.sharp_slots import N, m, mbar, mu, mu_L
from boundcheck.unevaluated import Max

CARD = {term.name: term.expression for term in SHARP_TERMS}
K, L, m_L = sym.K, sym.L, sym.m_L
A, B = sympy.symbols("A B", real=True)
d, f, p, q, r, s, u, x, y, z = sympy.symbols("d f p q r s u x y z", positive=True)
_OPAQUE = (kl, fn.smallest_count)


def is_term(name: str, counted: Expr, cost: Expr) -> Part:
    """The term of the card is a cost times so many times; kl stands for that of any law."""
    written, found = CARD[name], cost * counted
    opaque = sorted(written.atoms(*_OPAQUE) | found.atoms(*_OPAQUE), key=str)
    named = {x_: sympy.Symbol(f"{x_.func.__name__}_{i}") for i, x_ in enumerate(opaque)}
    written, found = written.xreplace(named), found.xreplace(named)
    symbols = sorted(written.free_symbols | found.free_symbols, key=str)
    return equal(written, found).on({x_: (3, 99) if x_ == sym.T else UP9 for x_ in symbols})


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


@PROOF.step("e2", "E1 and E2: draws where arm L is seen well", "c2, e1, a4", more=0)
def draws(more: int = 1) -> Parts:
    """With n explorations n kl(c, e) <= f(T), or n = 0: at most f(T)/kl(c, e) + 1 draws, each of
    which adds one; and one for each n at which the mean of n rewards is c or more."""
    yield at_most(f / d - r + 1, f / d + more).on({f: UP, d: SURELY, r: ANY})
    slope = 1 / x + 4 / (x * log(x))
    yield equal(sympy.diff(log(x) + 4 * log(log(x)), x), slope).on({x: (3, 9)})  # f grows


@PROOF.step("e3", "E3: draws where the estimate of arm L is low", "e2, s4", shared=1, alone=half)
def low_last(shared: Expr = half, alone: Expr = Rational(1)) -> Parts:
    """k is drawn with a chance of 1/2 at most. If mbar = 1, arm L keeps its play with 1/2 then: no
    more draws than explorations of L, one for each n; else one slot, half a draw, for each n."""
    yield at_most(half / x, shared).on({x: UP})
    yield equal(alone, half / half + 0 * x).on({x: UP9})
    yield equal(shared, half + 0 * x).on({x: UP9})
    index = (log(sym.T) + 4 * log(log(sym.T))) / kl(sym.c_k, sym.e_k)
    estimates = seldom(sym.c_k, mu) + sym.kept * (1 + seldom(sym.e_k, mu_L))
    yield is_term("suboptimal arms", index + 1 + estimates, mu_L - mu)


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


@PROOF.step("f3", "F4: united slots of a filled arm", "f2, a5, c9", chances=2)
def learnt(chances: int = 4) -> Parts:
    """At most n_k, and one for each n >= n_k at which a mean is off: two means, two sides."""
    off_later = chances * exp(-2 * (LEARN - 1) * sym.y_k**2) * fn.geometric(2 * sym.y_k**2)
    cost = sym.f_star - m * mu + sym.c_acc
    yield is_term("capacities of filled arms", LEARN + off_later, cost)


@PROOF.step("f4", "F4: united slots of arm L", "f2, a5, c9", chances=1)
def reached(chances: int = 2) -> Parts:
    """The same for arm L while l_L < mbar, where two of the four chances matter."""
    off_later = chances * exp(-2 * (REACH - 1) * sym.y_L**2) * fn.geometric(2 * sym.y_L**2)
    cost = sym.f_star - m_L * mu_L + sym.c_acc
    yield is_term("last arm", REACH + off_later, cost)


# -- overtaking ---------------------------------------------------------------------------------


@PROOF.step("g1", "G: overtaking", "c5, c9, a4", besides=0)
def overtaking(besides: Expr = sym.c_acc) -> Parts:
    """Both arms were explored in the slot before, so one of the two estimates has just come to the
    wrong side of z: of arm j beyond L, which costs f* - m_j mu_j, or of one that it overtakes."""
    yield below(z - r, z + u).on({z: ANY, r: ANY, u: SURELY})
    yield is_term("overtaking", seldom(sym.z_J, mu), sym.f_star - m * mu + besides)
    yield is_term("overtaken", seldom(sym.z_J, mu), sym.c_J + besides)
    yield is_term("overtaken by arm L", seldom(sym.z_L, mu), sym.c_L + besides)


@PROOF.step("g2", "D1: the switch", "d1", besides=0)
def switch(besides: Expr = sym.c_acc) -> Parts:
    """Once: a united slot whose first arm is L or beyond, and a slot of kind (b)."""
    first = Max(sym.c_J, sym.c_L)
    yield is_term("switch", sympy.Integer(1), first + besides)


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
def far(high: int = 2, rate: Expr = 2 * (K - sym.few)) -> Parts:
    """An arm beyond L is at b'' or more, twice for each time; or the arm k that is behind is below,
    2 (K - s) times for each n >= 0, or its index is low."""
    level = sym.b_between
    yield is_term("filled arm behind, others high", high * seldom(level, mu), sym.c_far)
    low = rate * (1 + seldom(level, mu)) + Rational(37, 10)
    yield is_term("filled arm behind, low", low, sym.c_far)


@PROOF.step("h5", "H5: far slots without one", "h1, h2, h3, s4, d1", high=1, rate=sym.wait / 2)
def behind_last(high: int = 2, rate: Expr = sym.wait) -> Parts:
    """Arm L is at b or more, twice for each time; or arm k is below: it is L_t, twice for each n,
    or outside, 2 (K - s) times for each n, if m_k <= m_L - mbar."""
    level = sym.b_L
    yield is_term("filled arm behind arm L, which is high", high * seldom(level, mu_L), sym.c_far)
    yield is_term("filled arm behind arm L, low", rate * (1 + seldom(level, mu)), sym.c_far)


@PROOF.step("h6", "H6: near slots", "h2, h3, s4, a7, d1", high=1, rate=K - L)
def near(high: int = 2, rate: Expr = 2 * (K - L)) -> Parts:
    """An arm beyond L is at b' or more, twice for each time; or arm L is below: in S_t, twice for
    each n, or outside, 2 (K - L) times for each n, or its index is low."""
    level = sym.b_after
    yield is_term("arm L behind, others high", high * seldom(level, mu), sym.c_near)
    low = rate * (1 + seldom(level, mu_L)) + Rational(37, 10)
    yield is_term("arm L behind, low", low, sym.c_near)


_COUNTED = tuple(CARD)


@PROOF.step(
    "i1",
    "the end: all terms",
    "s2, d1, e3, f3, f4, g1, g2, h4, h5, h6",
    counted=_COUNTED[1:],
    failing=K,
)
def all_terms(counted: Collection[str] = _COUNTED, failing: Expr = 2 * K) -> Parts:
    """The card has the terms of these steps, that of failures, and no other."""
    yield is_term("failures", failing, sym.largest_regret)
    yield cases(lambda name: name in counted, {"term": list(CARD)}, complete=True)


STEPS = (*PROOF,)
