"""`sharp-4.1` and `sharp-4.1-test`: what learning a capacity takes (docs/theory.md).

a < b are the two capacities, theta = mu/sigma, R = mu^2/(m^2 sigma^2), D the divergence of one play
above both capacities, h = a b/(a + b).
"""

from __future__ import annotations

from fractions import Fraction

import sympy
from sympy import Expr, exp, log, oo

from boundcheck.claims.card import Quantity, Term
from boundcheck.proof_steps.derivation import is_assumed, is_term, is_whole
from boundcheck.proof_steps.parts import at_most, below, equal
from boundcheck.proof_steps.step import Parts, Proof
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.exact import gaussian
from boundcheck.theories.shareable_arms.proofs.proof_constant import overlapping
from boundcheck.theories.shareable_arms.ranks import Arms
from boundcheck.theory import Theory

a, b, c, d, n, p, q, r, theta, x, y, R = sympy.symbols("a b c d n p q r theta x y R", positive=True)
sigma = sympy.Symbol("sigma", positive=True)
delta, m = s.delta, s.m
ANY, UP, UP9 = (0, oo), (1, oo), (1, 9)
SURELY = (Fraction(1, 1000), oo)
_UNIT = ("0.01", "0.99")
_NEIGHBOUR = fn.KL(m, m + 1, s.mu**2 / s.sigma2)
FIXED, EXPECTED = (
    f"explorations above the capacity, {number} number" for number in ("fixed", "expected")
)

SIZES = Proof("sharp-4.1", "sharp-4.1")


@SIZES.step("a", "theory, one capacity: loads up to m tell nothing", other=x + 1)
def silent(other: Expr = x) -> Parts:
    """At a load of x <= m both capacities show x X, and the divergence is 0."""
    yield equal(fn.KL(x, other, theta**2), 0 * x).on({x: UP9, theta: UP9})


@SIZES.step(
    "b",
    "theory, one capacity: Le Cam's method",
    "a, Cauchy-Schwarz inequality, Jensen's inequality, capacity-below-plays",
    four=2,
)
def two_errors(theory: Theory, four: int = 4) -> Parts:
    """The two errors sum to exp(-n D)/2 at least, so the larger is exp(-n D)/4 at least, and delta
    or less takes n >= log(1/(4 delta))/D explorations."""
    yield from overlapping(2)
    yield at_most((p + q) / 2, p + q).on({p: ANY, q: ANY})
    yield equal(exp(-(log(1 / (four * delta)) / d) * d) / 4, delta).on({delta: _UNIT, d: UP9})
    size = Term("explorations", log(1 / (four * delta)) / _NEIGHBOUR)
    yield is_term(theory.cards[SIZES.claim], size, FIXED)


@SIZES.step(
    "c",
    "theory, one capacity: sequential tests",
    "a, chain rule of relative entropy, data-processing inequality, confidence-below-even-odds",
    two=1,
)
def sequential(theory: Theory, two: int = 2) -> Parts:
    """E[n] D is at least kl(delta, 1 - delta) = (1 - 2 delta) log((1 - delta)/delta), which errors
    below delta <= 1/2 only raise: by odds x of the error, kl falls as x grows up to 1/x."""
    opposite = (1 - two * delta) * log((1 - delta) / delta)
    by_odds = delta * log(delta / (1 - delta)) - (1 - delta) * log(delta / (1 - delta))
    yield equal(by_odds, opposite).on({delta: _UNIT})
    size = Term("explorations", opposite / _NEIGHBOUR)
    yield is_term(theory.cards[SIZES.claim], size, EXPECTED)
    yield at_most(log(x), log(x + r)).on({x: SURELY, r: ANY})  # the slope in p is logit p - logit q


@SIZES.step("d", "theory, one capacity: the sharp condition", whole=1)
def _condition(whole: int = 2) -> Parts:
    """KL(m, m + 1) <= R exactly if R >= F(((m+1)/m)^2)/(2 - (m/(m+1))^2), and KL(m - 1, m) <= R
    exactly if R >= F((m/(m-1))^2)."""
    above = fn.F(((m + 1) / m) ** 2)
    least = above / (whole - (m / (m + 1)) ** 2)
    slack = (1 - (m / (m + 1)) ** 2 / 2) * (R - least)
    yield equal(R - fn.KL(m, m + 1, R * m**2), slack).on({m: UP9, R: UP9})
    below_it = fn.F((m / (m - 1)) ** 2)
    yield equal(R - fn.KL(m - 1, m, R * m**2), (R - below_it) / 2).on({m: (2, 9), R: UP9})


@SIZES.step("e", "theory, one capacity: what a play tells", "a, gaussian-rewards", larger=m + 2)
def _told(theory: Theory, larger: Expr = m + 1) -> Parts:
    """Above both capacities a play shows m X or (m + 1) X, normal laws whose divergence is D: the
    card gives both numbers for every arm, and needs no more than steps name."""
    laws = (m * s.mu, m * sigma), (larger * s.mu, larger * sigma)
    yield equal(gaussian.normal_divergence(*laws), fn.KL(m, m + 1, s.mu**2 / sigma**2)).on(
        {m: UP9, s.mu: UP9, sigma: (1, 5)}
    )
    card = theory.cards[SIZES.claim]
    sizes = (Term("explorations", sympy.Integer(0)),)
    made = (Quantity(name, "explorations", sizes, Arms.ALL) for name in (FIXED, EXPECTED))
    yield is_whole(card, {quantity.name: quantity for quantity in made})
    yield is_assumed(card, (given.GAUSSIAN, given.BELOW_PLAYS, given.BELOW_EVEN_ODDS), SIZES)


TEST = Proof("sharp-4.1-test", "sharp-4.1-test")
h = a * b / (a + b)


@TEST.step("a", "theory, the exact error: the statistic", vertex=a)
def statistic(vertex: Expr = h) -> Parts:
    """(y - a theta)^2/a^2 - (y - b theta)^2/b^2 = (1/a^2 - 1/b^2)((y - h theta)^2 - h^2 theta^2):
    the log-likelihood ratio is affine in Q, and increasing, as 1/a > 1/b."""
    ratio = (y - a * theta) ** 2 / a**2 - (y - b * theta) ** 2 / b**2
    square = (1 / a**2 - 1 / b**2) * ((y - vertex * theta) ** 2 - (vertex * theta) ** 2)
    yield equal(ratio, square).on({y: UP9, a: (1, 4), b: (5, 9), theta: UP9})
    yield below(1 / (a + r), 1 / a).on({a: UP, r: UP})


@TEST.step("b", "theory, the exact error: its laws", "a, Neyman-Pearson lemma", sign=-1)
def noncentral(sign: int = 1) -> Parts:
    """Under capacity a, (Y/sigma - theta h)/a is N(theta a/(a + b), 1); under b likewise: Q/a^2 is
    noncentral chi-square, and the threshold that equalises the two errors is minimax."""
    points = {a: (1, 4), b: (5, 9), theta: UP9}
    yield equal((a * theta - theta * h) / a, sign * theta * a / (a + b)).on(points)
    yield equal((b * theta - theta * h) / b, sign * theta * b / (a + b)).on(points)


@TEST.step("c", "theory, does a capacity reach d: smaller ones", "b", far=2)
def smaller(far: int = 1) -> Parts:
    """For b = a + 1 and 1 <= c <= a the centre (c - h) theta is no farther from 0 than (a - h)
    theta, and c Z spreads less: h - c <= a - h, as 2 a b/(a + b) <= a + 1, and c - h <= a - h."""
    middle = a * (a + 1) / (2 * a + 1)
    yield at_most(far * (middle - 1), a - middle).on({a: UP})
    yield at_most(a - r - middle, a - middle).on({a: UP, r: ANY})


@TEST.step("d", "theory, does a capacity reach d: larger ones", "b", sign=-1)
def larger(sign: int = 1) -> Parts:
    """In units of c the ball has radius r/c, which falls, and distance (1 - h/c) theta, which grows
    in c: it is left more often."""
    yield at_most(0, sign * sympy.diff((1 - x / c) * theta, c)).on({c: UP, x: ANY, theta: ANY})
    yield at_most(0, -sign * sympy.diff(r / c, c)).on({c: UP, r: ANY})


@TEST.step(
    "e",
    "theory, the exact error: the card",
    "a, b, gaussian-rewards, capacity-below-plays",
    other=m + 2,
)
def _of_card(theory: Theory, other: Expr = m + 1) -> Parts:
    """The card gives, for every arm, the error of steps a and b at the pair m, m + 1 with
    theta^2 = mu^2/sigma^2 after n plays."""
    card, error = theory.cards[TEST.claim], fn.two_point_error(m, other, s.mu**2 / s.sigma2, s.n)
    made = Quantity("minimax error", "probability", (Term("error", error),), Arms.ALL)
    yield is_term(card, made.terms[0])
    yield is_whole(card, {made.name: made})
    yield is_assumed(card, (given.GAUSSIAN, given.BELOW_PLAYS), TEST)


STEPS = (*SIZES, *TEST)
