"""`sharp-law-free`, first half: evidence is seldom wrong, and tests end.

Steps 1a to 5e of docs/theorems/law-free.md. The low group of an arm at b are its plays at loads up
to b, n of them with the average A of y/a; the high group the others, n' with the average B of y.
l is the level, r(n) = log(pi (n + 1/2))/2, GLR(A, n; B, n') = n kl(A, x) + n' kl(B, x) with x the
average of all.
"""

from __future__ import annotations

import sympy
from sympy import Expr, Rational, diff, exp, log, sqrt

from boundcheck.proof_steps.parts import at_most, below, equal
from boundcheck.proof_steps.ranges import ANY, UNIT, UP, UP9
from boundcheck.proof_steps.relations import unfolded
from boundcheck.proof_steps.step import Part, Parts, Proof
from boundcheck.theories.shareable_arms import symbols as sym
from boundcheck.theories.shareable_arms.law_free import cards as card

PROOF = Proof("sharp-law-free", source="law-free, ")

m, mu, N = sym.m, sym.mu, sym.N
A, B, b, h, n, p, q, s, t, u, v, x, z = sympy.symbols("A B b h n p q s t u v x z", positive=True)
i, high, alpha, beta = sympy.symbols("i n' alpha beta", positive=True)


def kl(one: Expr, other: Expr) -> Expr:
    """Of two Bernoulli laws, a logarithm for each chance."""
    won = one * (log(one) - log(other))
    return won + (1 - one) * (log(1 - one) - log(1 - other))


CENTRE = (n * A + high * B) / (n + high)
RATIO = n * kl(A, CENTRE) + high * kl(B, CENTRE)  # GLR(A, n; B, n')
GROUPS = {n: UP9, high: UP9, A: UNIT, B: UNIT}


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


# -- the good event -----------------------------------------------------------------------------


@PROOF.step("3a", "3: how many events", "2b, capacity-within-plays", pairs=1)
def events(pairs: int = 2) -> Parts:
    """One for all plays of an arm, two for each b <= min(m, N - 1), one for silence at each b < m,
    and one for the loud plays of the low group at b = m < N: those of the card."""
    room = sympy.Min(1, N - m)
    for held, tested, last in ((1, m, 1), (0, m - 1, 0)):
        terms = 1 + pairs * tested + (m - 1) + last
        yield equal(terms, card.EVENTS.xreplace({room: sympy.Integer(held)})).on({m: UP9})


@PROOF.step("3b", "3: all slots", "3a", share=5)
def _all_slots(share: int = 4) -> Parts:
    """exp(-log(1 + t/4)) = 4/(4 + t) <= 4 (log(4 + t) - log(3 + t)): in all 4 log(1 + T/4)."""
    yield equal(exp(-log(1 + t / share)), 4 / (4 + t)).on({t: (1, 99)})
    yield at_most(u, -log(1 - u)).on({u: (0, "0.2")})
    yield equal(-log(1 - 1 / (4 + t)), log(4 + t) - log(3 + t)).on({t: (1, 99)})


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


# -- tests end ----------------------------------------------------------------------------------


@PROOF.step("5a", "5: Pinsker's inequality", constant=3)
def pinsker(constant: int = 2) -> Parts:
    """kl(p, q) >= 2 (p - q)^2: both and their slopes vanish at p = q, and 1/(p (1 - p)) >= 4. So
    GLR >= 2 (A - B)^2 n n'/(n + n')."""
    yield equal(diff(kl(p, q), p, 2), 1 / (p * (1 - p))).on({p: UNIT, q: UNIT})
    yield at_most(2 * constant * p * (1 - p), 1).on({p: (0, 1)})
    spread = n * (A - CENTRE) ** 2 + high * (B - CENTRE) ** 2
    yield equal(spread, n * high / (n + high) * (A - B) ** 2).on(GROUPS)


@PROOF.step("5b", "5: both deviations at once", square=1)
def cauchy_schwarz(square: int = 2) -> Parts:
    """(alpha - s beta)^2 <= (1/n + s^2/n')(n alpha^2 + n' beta^2): the difference is a square; and
    1/n + s^2/n' <= (1 + s^2)/n where n is the smaller count."""
    product = (1 / n + s**square / high) * (n * alpha**2 + high * beta**2)
    rest = (high * beta + s * n * alpha) ** 2 / (n * high)
    points = dict.fromkeys((n, high, s, alpha, beta), UP9)
    yield equal(product - (alpha - s * beta) ** 2, rest).on(points)
    yield at_most(1 / n + s**2 / (n + h), (1 + s**2) / n).on({n: UP, h: ANY, s: ANY})


@PROOF.step("5c", "5: when averages tell", "5a, 5b, positive-mean", factor=1)
def _by_averages(factor: Expr = Rational(2)) -> Parts:
    """|1 - s| mu <= sqrt(theta/(2 n)) (sqrt 2 + sqrt(1 + s^2)) says n d <= theta with the d of the
    card: s = (b + 1)/b for b < m, and s = b/(b + 1) for b = m."""
    for at, scale in (((b + 1) / b, b), (b / (b + 1), b + 1)):
        squares = b**2 + (b + 1) ** 2
        yield equal((1 - at) ** 2, 1 / scale**2).on({b: UP9})
        yield equal(1 + at**2, squares / scale**2).on({b: UP9})
        told = factor * (mu / scale) ** 2 / (sqrt(2) + u / scale) ** 2
        by_card = card.by_means(mu, b, scale, sym.T).args[0].xreplace({sqrt(squares): u})
        yield equal(told, by_card).on({b: UP9, mu: UP9, u: UP9})


@PROOF.step("5d", "5: when silence tells", "4b", rare=Rational(1, 2))
def by_silence(rare: Expr = Rational(9, 20)) -> Parts:
    """b = m: if at most 9/20 of the loud plays expected were seen, n kl(9p/20, p) <= l + r(n); if
    more, n' (kl(z, z/2) + log(1/(1 - z/2))) <= l + r(n) with z = 9p/20, n' <= n: those of the card.
    """
    loud = rare * p
    yield _equal_logs(kl(loud, p), card.missed(p))
    yield _equal_logs(kl(loud, loud / 2) - log(1 - loud / 2), card.apart(p))
    centre = n * z / (n + high)
    silent = n * kl(z, centre) - high * log(1 - centre)
    alike = n * (kl(z, z / 2) - log(1 - z / 2))
    yield equal(silent.xreplace({high: n}), alike).on({n: UP9, z: UNIT})


def _equal_logs(mine: Expr, theirs: Expr) -> Part:
    """With every logarithm of a product or quotient as a sum."""
    one, other = (sympy.expand_log(unfolded(each), force=True) for each in (mine, theirs))
    return equal(one, other).on({p: UNIT})


@PROOF.step("5e", "5: a chance that the mean guarantees", room=b)
def guaranteed(room: Expr = b + 1) -> Parts:
    """X <= b/(b + 1) + 1{X > b/(b + 1)}/(b + 1) on [0, 1], so p_b >= (b + 1) mu - b; it falls in b,
    and what averages need grows: the largest b stands for all."""
    yield equal(b / (b + 1) + 1 / room, 1 + 0 * b).on({b: UP9})
    yield at_most((b + 2) * mu - (b + 1), (b + 1) * mu - b).on({b: UP, mu: (0, 1)})
    yield at_most(b**2 + (b + 1) ** 2, (b + 1) ** 2 + (b + 2) ** 2).on({b: UP})
