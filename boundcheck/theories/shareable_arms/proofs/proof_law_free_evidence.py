"""`sharp-law-free`, first part: evidence is seldom wrong.

Sections 2 to 4 of docs/theorems/law-free.md. The low group of an arm at b are its plays at loads up
to b, n of them with the average A of y/a; the high group the others, n' with the average B of y.
l is the level, r(n) = log(pi (n + 1/2))/2, GLR(A, n; B, n') = n kl(A, x) + n' kl(B, x) with x the
average of all.
"""

from __future__ import annotations

import sympy
from sympy import Expr, Rational, diff, exp, log

from boundcheck.claims.card import Range, Term
from boundcheck.proof_steps.derivation import is_term
from boundcheck.proof_steps.parts import at_most, below, equal
from boundcheck.proof_steps.ranges import ANY, UNIT, UP, UP9
from boundcheck.proof_steps.step import Part, Parts, Proof
from boundcheck.theories.shareable_arms import symbols as sym
from boundcheck.theories.shareable_arms.law_free import functions as free
from boundcheck.theories.shareable_arms.ranks import Arms
from boundcheck.theory import Theory

PROOF = Proof("sharp-law-free", source="law-free, ")

m, mu, N = sym.m, sym.mu, sym.N
A, B, b, h, n, p, q, s, t, u, v, x = sympy.symbols("A B b h n p q s t u v x", positive=True)
i, high = sympy.symbols("i n'", positive=True)


def kl(one: Expr, other: Expr) -> Expr:
    """Of two Bernoulli laws, a logarithm for each chance."""
    won = one * (log(one) - log(other))
    return won + (1 - one) * (log(1 - one) - log(1 - other))


ERRORS = 4 * log(1 + 2 * sym.T / 9)  # 3a
CENTRE = (n * A + high * B) / (n + high)
RATIO = n * kl(A, CENTRE) + high * kl(B, CENTRE)  # GLR(A, n; B, n')
GROUPS = {n: UP9, high: UP9, A: UNIT, B: UNIT}


_SPARE = sympy.Min(1, N - m)  # 1 for a capacity below N


def loses(theory: Theory, name: str, lost: Expr, over: Range | None = None) -> Part:
    """The card has this term."""
    return is_term(theory.cards[PROOF.claim], Term(name, lost, over))


# -- averages ---------------------------------------------------------------------------------


@PROOF.step("1a", "1: a chord lies above", end=2)
def _chord(end: Expr = Rational(1)) -> Parts:
    """u^x v^(1 - x) <= x u + (1 - x) v for x in [0, 1]: with u = v e^s, e^(s x) is convex in x and
    meets the line at both ends."""
    yield equal(diff(exp(s * x), x, 2), s**2 * exp(s * x)).on({s: (1, 5), x: UNIT})
    yield at_most(0, s**2 * exp(u)).on({s: ANY, u: ANY})
    line = 1 + x * (end * exp(s) - 1)
    for place in (0, 1):
        meets = line.xreplace({x: sympy.Integer(place)})
        yield equal(meets, exp(s * place) + 0 * s).on({s: (1, 5)})


@PROOF.step(
    "1b",
    "1: what the mixture over Beta(1/2, 1/2) costs is least in the middle",
    shift=Rational(2, 3),
)
def redundancy(shift: Expr = Rational(1, 2)) -> Parts:
    """sum_i 1/(x + i + 1/2)^2 < sum_i 1/((x + i)(x + i + 1)) = 1/x: digamma(x + 1/2) - log x falls,
    so that the cost falls up to S = n/2 and is largest at S = 0."""
    yield below((x + i) * (x + i + 1), (x + i + shift) ** 2).on({x: ANY, i: ANY})
    yield at_most((x + i + shift) ** 2, (x + i) * (x + i + 1) + Rational(1, 4)).on({x: ANY, i: ANY})
    yield equal(1 / (x + i) - 1 / (x + i + 1), 1 / ((x + i) * (x + i + 1))).on({x: UP9, i: UP9})


@PROOF.step("1c", "1: r(n)", "1b, Stirling's formula", half=1)
def _price(half: Expr = Rational(1, 2)) -> Parts:
    """At S = 0 the cost is log(sqrt(pi) Gamma(n + 1)/Gamma(n + 1/2)). From n to n + 1 it grows by
    log((n + 1)/(n + 1/2)), r by log((n + 3/2)/(n + 1/2))/2, which is less; far out they agree."""
    yield at_most((n + half) * (n + 1 + half), (n + 1) ** 2).on({n: ANY})


@PROOF.step(
    "2a", "2: one factor of the supermartingale", "1a, rewards-in-unit-interval", weight=2 * v
)
def _factor(weight: Expr = v) -> Parts:
    """For a Z in [0, 1] of mean v, E (q/v)^Z ((1 - q)/(1 - v))^(1 - Z) <= v (q/v) + (1 - v)(1 - q)/
    (1 - v) = 1; and a silent play has (1 - p)/(1 - p) = 1."""
    mean = weight * (q / v) + (1 - v) * (1 - q) / (1 - v)
    yield equal(mean, 1 + 0 * q).on({q: UNIT, v: UNIT})
    yield equal((1 - p) * (1 / (1 - p)) + p * 0, 1 + 0 * p).on({p: UNIT})


@PROOF.step("2b", "2: the mixture and the divergence", "1c, 2a, Ville's inequality", sign=-1)
def _mixture(sign: int = 1) -> Parts:
    """The likelihood at the average over that at v is exp(n kl(A, v)): a mixture is at least
    exp(n kl(A, v) - r(n)), and exceeds e^l at some time with a chance of e^-l at most."""
    top = n * (A * log(A) + (1 - A) * log(1 - A))
    truth = n * (A * log(v) + sign * (1 - A) * log(1 - v))
    yield equal(top - truth, n * kl(A, v)).on({n: UP9, A: UNIT, v: UNIT})


@PROOF.step("2c", "2: a rate is at least kl", "1a, rewards-in-unit-interval", odds=(1 - x) / x)
def _rate(odds: Expr = x / (1 - x)) -> Parts:
    """E e^(s X) <= 1 - mu + mu e^s, so I(x) >= s x - log(1 - mu + mu e^s), which at e^s = x (1 -
    mu)/(mu (1 - x)) is kl(x, mu). By Ville, exp(s S_n)/(E e^(s X))^n being a martingale of mean 1,
    P(some n' >= n: average >= x) <= e^(-n I(x)), above mu; below it 1 - X takes the place of X."""
    tilted = odds * (1 - mu) / mu
    points = {x: UNIT, mu: UNIT}
    yield equal(1 - mu + mu * tilted, (1 - mu) / (1 - x)).on(points)
    slope = log(x) - log(1 - x) + log(1 - mu) - log(mu)
    yield equal(x * slope - (log(1 - mu) - log(1 - x)), kl(x, mu)).on(points)
    yield equal(kl(1 - x, 1 - mu), kl(x, mu)).on(points)


# -- errors -------------------------------------------------------------------------------------


@PROOF.step("3a", "3: all slots", "2b", half=1)
def _all_slots(half: Expr = Rational(1, 2)) -> Parts:
    """exp(-log(1 + t/4)) = 4/(4 + t) is at most its integral from t - 1/2 to t + 1/2, as it is
    convex: with u = half/(4 + t), 2u <= log(1 + u) - log(1 - u). In all 4 log(1 + 2T/9)."""
    yield equal(exp(-log(1 + t / 4)), 4 / (4 + t)).on({t: (1, 99)})
    yield at_most(2 * u, log(1 + u) - log(1 - u)).on({u: (0, "0.5")})
    step = log(4 + t + half) - log(4 + t - half)
    yield equal(step, log(1 + half / (4 + t)) - log(1 - half / (4 + t))).on({t: (1, 99)})
    yield at_most(1 / (4 + t), step).on({t: (1, 99)})
    ends = 4 * (log(4 + sym.T + half) - log(4 + half))
    yield equal(ends, 4 * log(1 + 2 * sym.T / 9)).on({sym.T: (2, 99)})


@PROOF.step("3b", "3: a capacity taken for a larger one", "2b, 3a, capacity-within-plays", spare=m)
def _larger(theory: Theory, spare: Expr = _SPARE) -> Parts:
    """One event for each arm with m < N, and a slot loses no more than any slot: the term."""
    lost = ERRORS * spare * sym.largest_regret
    yield loses(theory, "capacity taken for a larger one", lost, Arms.ALL)


# -- evidence is sound --------------------------------------------------------------------------


@PROOF.step("4a", "4: GLR is the least over x", both=n)
def least(both: Expr = n + high) -> Parts:
    """n kl(A, v) + n' kl(B, v) - GLR(A, n; B, n') = (n + n') kl(x, v) >= 0."""
    excess = n * kl(A, v) + high * kl(B, v) - RATIO
    yield equal(excess, both * kl(CENTRE, v)).on({**GROUPS, v: UNIT})


@PROOF.step("4b", "4: GLR falls as the averages approach", weight=n)
def towards(weight: Expr = high) -> Parts:
    """d GLR/d B = n' log(B (1 - x)/(x (1 - B))), below 0 for B < x, above 0 for B > x; in n it
    grows, by kl(A, x)."""
    slope = weight * (log(B) + log(1 - CENTRE) - log(CENTRE) - log(1 - B))
    yield equal(diff(RATIO, B), slope).on(GROUPS)
    yield equal(x * (1 - B) - B * (1 - x), x - B).on({x: UNIT, B: UNIT})
    yield equal(diff(RATIO, n), kl(A, CENTRE)).on(GROUPS)


@PROOF.step("4c", "4: what high loads show", more=2)
def _shown(more: int = 1) -> Parts:
    """If m > b, a load above b shows y >= (b + 1) X; y <= b then means X <= b/(b + 1)."""
    yield at_most((b + more) * x, (b + 1 + h) * x).on({b: UP, h: ANY, x: ANY})
    yield at_most(b / (b + 1 + h), b / (b + more)).on({b: UP, h: ANY})


@PROOF.step("3c", "3: a capacity taken for a smaller one", "2a, 2b, 4a, 4b, 4c", ways=3)
def _smaller(ways: int = 2) -> Parts:
    """By averages or by silence: two events for each b < m. For Bernoulli rewards one: while no y
    was above b all high X are 0, and what averages say is what silence says less r(n')."""
    known = free.ways.laws
    for law, found in (("beta", ways), ("empirical", ways), ("bernoulli", 1)):
        yield equal(known[law].formula(mu), sympy.Integer(found) + 0 * mu).on({mu: UNIT})
    centre = n * A / (n + high)  # of n + n' values n A are loud
    silent = n * kl(A, centre) - high * log(1 - centre)
    counted = n * (A * log(A) + (1 - A) * log(1 - A)) - n * A * log(centre)
    yield equal(counted - (n * (1 - A) + high) * log(1 - centre), silent).on(
        {n: UP9, high: UP9, A: UNIT}
    )
