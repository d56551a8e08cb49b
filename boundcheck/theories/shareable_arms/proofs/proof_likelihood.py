"""`likelihood` attains the constant of `sharp-4.3` for Bernoulli rewards, and for N = 1.

Steps 4a to 4f of docs/theorems/attainment.md; 5a to 5d are those for Gaussian rewards with one rule
changed. x is the mean of n rewards of an arm of mean p, and y the largest value below p at which
the policy may take that arm for a worse one.

Beside `sharp-4.3`: the brute-force program for its constant, and what the likelihood policy and
interval rest on. Steps 6a to 6e of docs/graves-lai.md, 7a to 7c of docs/likelihood.md. b and c are
the loads served under an instance and an alternative, x the alternative's mean.
"""

from __future__ import annotations

import sympy
from sympy import Expr, Rational, exp, log, oo, sqrt

from boundcheck.claims.card import Quantity, Term
from boundcheck.claims.functions import kl_gaussian, law_divergence
from boundcheck.proof_steps.derivation import is_assumed, is_term, is_whole
from boundcheck.proof_steps.parts import at_most, below, equal
from boundcheck.proof_steps.ranges import ANY, SURELY, UNIT, UP9
from boundcheck.proof_steps.relations import unfolded
from boundcheck.proof_steps.step import Parts
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms import symbols as sym
from boundcheck.theories.shareable_arms.exact import gaussian
from boundcheck.theories.shareable_arms.proofs.proof_attained import PROOF
from boundcheck.theories.shareable_arms.proofs.proof_certified import certified_is_best
from boundcheck.theories.shareable_arms.ranks import Arms
from boundcheck.theory import Theory

m, mu, mu_L, sigma2 = sym.m, sym.mu, sym.mu_L, sym.sigma2
b, c, d, n, p, q, r, s = sympy.symbols("b c d n p q r s", positive=True)
u, v, x, y, z, sigma = sympy.symbols("u v x y z sigma", positive=True)
first, second, squares, total = sympy.symbols("w_1 w_2 S_2 S_1", positive=True)


@PROOF.step("4a", "attainment, 3.1: explorations of the right kind", coin=Rational(1, 3))
def _chances(coin: Expr = Rational(1, 2)) -> Parts:
    """Each arm worth a play gets one with a chance of 1/(4K) at least, so that N successes of an
    arm of mean p take 4 K N/p such slots in expectation."""
    drawn = coin * coin / sym.K
    ranges = {sym.K: (2, 9), sym.N: UP9, p: UNIT}
    yield equal(drawn, 1 / (4 * sym.K)).on(ranges)
    yield equal(sym.N / (drawn * p), 4 * sym.K * sym.N / p).on(ranges)


@PROOF.step("4b", "attainment, 3.1: inaccurate estimates", "Hoeffding's inequality", rate=1)
def inaccurate(rate: int = 2) -> Parts:
    """The sum over n >= 1 of 2 exp(-2 n eps^2) is 2/(exp(2 eps^2) - 1), at most eps^-2 = 1/z."""
    yield at_most(2 * z, exp(rate * z) - 1).on({z: (0, oo)})


def _mean(odds: Expr) -> Expr:
    return odds / (1 + odds)


@PROOF.step("4c", "attainment, 3.1: an arm that waits outside", "4b", sign=-1)
def three_means(sign: int = 1) -> Parts:
    """kl(x, p) - kl(x, y) = kl(y, p) + (y - x)(theta(p) - theta(y)), theta the log odds: for
    x <= y < p at least kl(y, p). Here x, y, p are odds, and means increase with them."""

    def kl(one: Expr, other: Expr) -> Expr:
        chances = zip((_mean(one), 1 / (1 + one)), (_mean(other), 1 / (1 + other)), strict=True)
        return sum(mine * log(mine / theirs) for mine, theirs in chances)

    more = sign * (_mean(y) - _mean(x)) * (log(p) - log(y))
    ranges = dict.fromkeys((x, y, p), ("0.01", 99))
    yield equal(kl(x, p) - kl(x, y), kl(y, p) + more).on(ranges)
    yield at_most(_mean(x), _mean(x + z)).on({x: (0, oo), z: (0, oo)})


@PROOF.step("4d", "attainment, 3.1: its slots", "4c", power=1)
def _waiting(power: int = 2) -> Parts:
    """The sum over n >= 0 of (n + 1) q^n, the derivative of that of q^n, is (1 - q)^-2."""
    yield equal(sympy.diff(1 / (1 - q), q), (1 - q) ** -power).on({q: UNIT})


@PROOF.step("4e", "attainment, 3.1: in all other slots a^ = a*", "4d", least=0)
def otherwise_best(least: int = 1) -> Parts:
    """The arms before L hold fewer than N plays, with L at least N."""
    yield from certified_is_best(least)


@PROOF.step("4f", "attainment, 3.1: Gaussian rewards, N = 1", "4c", half=1)
def _one_play(half: Expr = Rational(1, 2)) -> Parts:
    """E[exp(n kl(x, y)); x <= y] = sigma/((p - y) sqrt(2 pi n)) exp(-n kl(y, p)): the integrand is
    an exponential of x, and what is left at x = y is exp(-n kl(y, p))."""
    kl_outer, kl_inner = (unfolded(kl_gaussian(x, mean)) for mean in (p, y))
    slope = (p - y) / sigma2
    exponent = slope * x + half * (y**2 - p**2) / sigma2
    ranges = {x: (1, 4), y: (1, 4), p: (5, 9), sigma2: (1, 5), n: UP9}
    yield equal(kl_inner - kl_outer, exponent).on(ranges)
    yield equal(exponent.xreplace({x: y}), -unfolded(kl_gaussian(y, p))).on(ranges)
    grown = exp(n * exponent)
    yield equal(sympy.diff(grown / (n * slope), x), grown).on(ranges)


# -- Gaussian rewards, one rule changed --------------------------------------------------------


@PROOF.step("5a", "attainment, 3.2: another capacity, plays that tell", less=0)
def telling_plays(less: int = 1) -> Parts:
    """A play that shows r X under c and X under m changes l_c(x) - l_m(x) by a line in x of slope
    (r - 1) X/s2."""
    shown = -((r * y - x) ** 2) / (2 * sigma2) + (y - x) ** 2 / (2 * sigma2)
    ranges = {r: UP9, x: UP9, y: UP9, sigma2: (1, 5)}
    yield equal(sympy.diff(shown, x), (r - less) * y / sigma2).on(ranges)


@PROOF.step("5b", "attainment, 3.2: larger loads tell more", "1i", order=-1)
def _larger_loads(order: int = 1) -> Parts:
    """KL(m X, b X) = F((b/m)^2)/2 + (1 - m/b)^2 z/2, z = mu^2/s2, increases in b >= m, here in
    q = b/m."""
    told = log(q) + (1 / q**2 - 1) / 2 + (1 - 1 / q) ** 2 * z / 2
    yield equal(told, fn.KL(sym.m, q * sym.m, z)).on({q: UP9, sym.m: UP9, z: UP9})
    yield at_most(0, order * sympy.diff(told, q)).on({q: (1, oo), z: (0, oo)})


@PROOF.step("5c", "attainment, 3.2: affinities", two=3)
def affinity(two: int = 2) -> Parts:
    """Two normal laws whose deviations have ratio q != 1 have an affinity of at most
    sqrt(2q/(1 + q^2)) < 1: here q = 1 + z, or its inverse."""
    for ratio in (1 + z, 1 / (1 + z)):
        yield below(two * ratio / (1 + ratio**2), 1).on({z: SURELY})


@PROOF.step("5d", "attainment, 3.2: waiting for a level", "2c", four=1)
def waits(four: int = 4) -> Parts:
    """log t + 2 log log t < h leaves t < 4 e^h/h^2, as log t >= h/2 or t < e^(h/2) <= 4 e^h/h^2,
    for h >= 8."""
    yield at_most(n**2, four * exp(n / 2)).on({n: (8, oo)})
    yield equal(exp(n) / (n / 2) ** 2, four * exp(n) / n**2).on({n: (8, 99)})


@PROOF.step(
    "5e",
    "attainment, 3.2: an arm of a* is played in an eighth of the slots",
    "Azuma's inequality",
    coin=Rational(1, 3),
)
def often_played(coin: Expr = Rational(1, 2)) -> Parts:
    """Of n slots, n/4 of them not right at most, the others play a* with a chance of 1/2 each, and
    n/4 fewer than expected with a chance of at most exp(-n/8): n/8 remain."""
    yield at_most(n / 8, coin * (n - n / 4) - n / 4).on({n: (1, oo)})


# -- the program for the constant ------------------------------------------------------------


@PROOF.step("6a", "graves-lai: a load under an alternative", half=1)
def alternative(half: Expr = Rational(1, 2)) -> Parts:
    """b X of mean mu diverges from c X of mean x by F((c/b)^2)/2 + (x - mu b/c)^2/(2 sigma^2)."""
    told = half * fn.F((c / b) ** 2) + (x - mu * b / c) ** 2 / (2 * sigma**2)
    normal = gaussian.normal_divergence((b * mu, b * sigma), (c * x, c * sigma))
    yield equal(normal, told).on(dict.fromkeys((b, c, mu, x, sigma), (1, 5)))


@PROOF.step("6b", "graves-lai: the hardest mean", "6a", weight=1)
def _hardest(weight: int = 2) -> Parts:
    """A sum of w_j (x - t_j)^2 has the slope 2 (sum of w_j)(x - average): over x >= mu_L it is
    least at the average or at mu_L."""
    parabola = first * (x - p) ** 2 + second * (x - q) ** 2
    average = (first * p + second * q) / (first + second)
    slope = weight * (first + second) * (x - average)
    points = dict.fromkeys((first, second, x, p, q), UP9)
    yield equal(sympy.diff(parabola, x), slope).on(points)


@PROOF.step("6c", "graves-lai: Beta rewards", shrunk=r + 1)
def shrunk_rewards(shrunk: Expr = r) -> Parts:
    """logit(r X) <= logit X for r <= 1: r X/(1 - r X) <= X/(1 - X), so the divergence grows in the
    alternative's mean from mu_k on."""
    yield at_most(shrunk * x * (1 - x), x * (1 - shrunk * x)).on({r: (0, 1), x: (0, 1)})


@PROOF.step("6d", "graves-lai: an enclosure, weak duality", slack=-1)
def duality(slack: int = 1) -> Parts:
    """If every alternative is told (sum of c_a KL_a = 1 + r) and no action exceeds its gap (sum of
    y KL_a = gap - s), the sum of y is at most that of c_a gap_a: both equal the double sum."""
    told = [p * x + q * y, p * u + q * v]  # two actions of effort p, q, two alternatives
    double = first * told[0] + second * told[1]
    by_action = p * (first * x + second * u) + q * (first * y + second * v)
    points = dict.fromkeys((first, second, p, q, x, y, u, v), UP9)
    yield equal(double, by_action).on(points)
    yield at_most(first, first * (1 + slack * r)).on({first: ANY, r: ANY})
    yield at_most(p * (d - slack * s), p * d).on({p: ANY, d: ANY, s: ANY})


@PROOF.step("6e", "graves-lai: one arm at a time", fewer=-1)
def arm_by_arm(fewer: int = 1) -> Parts:
    """KL_a is a sum over arms, none below 0: with all arms but one put back it is no larger."""
    yield at_most(x, x + fewer * y).on({x: ANY, y: ANY})


# -- the likelihood interval and policy -----------------------------------------------------------


@PROOF.step("7a", "likelihood, 1: the mixture over the mean", "Ville's inequality", points=n + 1)
def predictive(points: Expr = n) -> Parts:
    """With mu of the law N(x_1, s2) the n - 1 other points and x_1 weigh alike: the exponent is
    -V_n/(2 s2), V_n = S_2 - S_1^2/n, and the factor n^(-1/2)."""
    exponent = squares - 2 * x * total + n * x**2
    square = points * (x - total / points) ** 2 + squares - total**2 / points
    yield equal(exponent, square).on(dict.fromkeys((squares, total, n, x), UP9))
    yield equal(sqrt(sigma2 / points) / sqrt(sigma2), 1 / sqrt(n)).on({sigma2: UP9, n: UP9})


@PROOF.step("7b", "likelihood, 2: why 2 log log t", "5d", four=1)
def summable(four: int = 4) -> Parts:
    """Waits of 4 exp(H)/H^2 slots have, under the wrong capacity, the mean 4/H^2: with H >= n D/2
    that is 16/(n D)^2, which is summable."""
    yield from waits(four)
    yield equal(four / (n * d / 2) ** 2, 16 / (n * d) ** 2).on({n: UP9, d: UP9})


@PROOF.step("7c", "likelihood, 3: levels are concave in log t", more=-2)
def concave_levels(more: int = 2) -> Parts:
    """v + 2 log v, v = log t, has the second derivative -2/v^2."""
    yield at_most(sympy.diff(v + more * log(v), v, 2), 0).on({v: (1, oo)})


# -- the card -----------------------------------------------------------------------------------

ASSUMED = (given.KNOWN_LAW, *given.LAST_ALONE, given.POSITIVE_LAST)


@PROOF.step("8a", "attainment: the card", "1k, 2r", surplus=mu - mu_L)
def _of_card(theory: Theory, surplus: Expr = mu_L) -> Parts:
    """Steps 1k (no less) and 2r (no more) come to the same constant, which is the card's: its two
    terms, over the arms they speak of, and no other, under the assumptions that steps name."""
    card = theory.cards[PROOF.claim]
    terms = (
        Term("suboptimal arms", (mu_L - mu) / law_divergence(mu, mu_L), Arms.SUBOPTIMAL),
        Term("capacities of filled arms", surplus / fn.capacity_divergence(m, mu), Arms.FILLED),
    )
    for term in terms:
        yield is_term(card, term)
    growth = Quantity("regret per log T", "reward per log T", terms)
    yield is_whole(card, {growth.name: growth})
    yield is_assumed(card, ASSUMED, PROOF)


STEPS = (*PROOF,)
