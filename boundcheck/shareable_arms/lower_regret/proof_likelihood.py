"""`likelihood` attains the constant of `sharp-4.3` for Bernoulli rewards, and for N = 1.

Steps 4a to 4f of docs/theorems/attainment.md, the last of the proof of `sharp-4.3`; 5a to 5d are
those for Gaussian rewards with one rule changed. x is the mean of n rewards of an arm of mean p,
and y the largest value below p at which the policy may take that arm for a worse one.
"""

from __future__ import annotations

import sympy
from sympy import Expr, Rational, exp, log, oo

from boundcheck import symbols as sym
from boundcheck.functions import kl_gaussian
from boundcheck.proofs.parts import at_most, below, equal
from boundcheck.proofs.ranges import SURELY, UNIT, UP9
from boundcheck.proofs.relations import unfolded
from boundcheck.proofs.step import Parts
from boundcheck.shareable_arms import functions as fn
from boundcheck.shareable_arms.lower_regret.proof_attained import certified_is_best
from boundcheck.shareable_arms.lower_regret.proof_constant import PROOF

n, p, q, r, x, y, z = sympy.symbols("n p q r x y z", positive=True)


@PROOF.line("4a", "3.1: explorations of the right kind", coin=Rational(1, 3))
def chances(coin: Expr = Rational(1, 2)) -> Parts:
    """Each arm worth a play gets one with a chance of 1/(4K) at least, so that N successes of an
    arm of mean p take 4 K N/p such slots in expectation."""
    drawn = coin * coin / sym.K
    ranges = {sym.K: (2, 9), sym.N: UP9, p: UNIT}
    yield equal(drawn, 1 / (4 * sym.K)).on(ranges)
    yield equal(sym.N / (drawn * p), 4 * sym.K * sym.N / p).on(ranges)


@PROOF.line("4b", "3.1: inaccurate estimates", "Hoeffding's inequality", rate=1)
def inaccurate(rate: int = 2) -> Parts:
    """The sum over n >= 1 of 2 exp(-2 n eps^2) is 2/(exp(2 eps^2) - 1), at most eps^-2 = 1/z."""
    yield at_most(2 * z, exp(rate * z) - 1).on({z: (0, oo)})


def _mean(odds: Expr) -> Expr:
    return odds / (1 + odds)


@PROOF.line("4c", "3.1: an arm that waits outside", "4b", sign=-1)
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


@PROOF.line("4d", "3.1: its slots", "4c", power=1)
def waiting(power: int = 2) -> Parts:
    """The sum over n >= 0 of (n + 1) q^n, the derivative of that of q^n, is (1 - q)^-2."""
    yield equal(sympy.diff(1 / (1 - q), q), (1 - q) ** -power).on({q: UNIT})


@PROOF.line("4e", "3.1: in all other slots a^ = a*", "4d", least=0)
def otherwise_best(least: int = 1) -> Parts:
    """The arms before L hold fewer than N plays, with L at least N."""
    yield from certified_is_best(least)


@PROOF.line("4f", "3.1: Gaussian rewards, N = 1", "4c", half=1)
def one_play(half: Expr = Rational(1, 2)) -> Parts:
    """E[exp(n kl(x, y)); x <= y] = sigma/((p - y) sqrt(2 pi n)) exp(-n kl(y, p)): the integrand is
    an exponential of x, and what is left at x = y is exp(-n kl(y, p))."""
    kl_outer, kl_inner = (unfolded(kl_gaussian(x, mean)) for mean in (p, y))
    slope = (p - y) / sym.sigma2
    exponent = slope * x + half * (y**2 - p**2) / sym.sigma2
    ranges = {x: (1, 4), y: (1, 4), p: (5, 9), sym.sigma2: (1, 5), n: UP9}
    yield equal(kl_inner - kl_outer, exponent).on(ranges)
    yield equal(exponent.xreplace({x: y}), -unfolded(kl_gaussian(y, p))).on(ranges)
    grown = exp(n * exponent)
    yield equal(sympy.diff(grown / (n * slope), x), grown).on(ranges)


# -- Gaussian rewards, one rule changed --------------------------------------------------------


@PROOF.line("5a", "3.2: another capacity, plays that tell", less=0)
def telling_plays(less: int = 1) -> Parts:
    """A play that shows r X under c and X under m changes l_c(x) - l_m(x) by a line in x of slope
    (r - 1) X/s2."""
    shown = -((r * y - x) ** 2) / (2 * sym.sigma2) + (y - x) ** 2 / (2 * sym.sigma2)
    ranges = {r: UP9, x: UP9, y: UP9, sym.sigma2: (1, 5)}
    yield equal(sympy.diff(shown, x), (r - less) * y / sym.sigma2).on(ranges)


@PROOF.line("5b", "3.2: larger loads tell more", "1i", order=-1)
def larger_loads(order: int = 1) -> Parts:
    """KL(m X, b X) = F((b/m)^2)/2 + (1 - m/b)^2 z/2, z = mu^2/s2, increases in b >= m, here in
    q = b/m."""
    told = log(q) + (1 / q**2 - 1) / 2 + (1 - 1 / q) ** 2 * z / 2
    yield equal(told, fn.KL(sym.m, q * sym.m, z)).on({q: UP9, sym.m: UP9, z: UP9})
    yield at_most(0, order * sympy.diff(told, q)).on({q: (1, oo), z: (0, oo)})


@PROOF.line("5c", "3.2: affinities", two=3)
def affinity(two: int = 2) -> Parts:
    """Two normal laws whose deviations have ratio q != 1 have an affinity of at most
    sqrt(2q/(1 + q^2)) < 1: here q = 1 + z, or its inverse."""
    for ratio in (1 + z, 1 / (1 + z)):
        yield below(two * ratio / (1 + ratio**2), 1).on({z: SURELY})


@PROOF.line("5d", "3.2: waiting for a level", "2c", four=1)
def waits(four: int = 4) -> Parts:
    """log t + 2 log log t < h leaves t < 4 e^h/h^2, as log t >= h/2 or t < e^(h/2) <= 4 e^h/h^2,
    for h >= 8."""
    yield at_most(n**2, four * exp(n / 2)).on({n: (8, oo)})
    yield equal(exp(n) / (n / 2) ** 2, four * exp(n) / n**2).on({n: (8, 99)})


@PROOF.line(
    "5e",
    "3.2: an arm of a* is played in an eighth of the slots",
    "Azuma's inequality",
    coin=Rational(1, 3),
)
def often_played(coin: Expr = Rational(1, 2)) -> Parts:
    """Of n slots, n/4 of them not right at most, the others play a* with a chance of 1/2 each, and
    n/4 fewer than expected with a chance of at most exp(-n/8): n/8 remain."""
    yield at_most(n / 8, coin * (n - n / 4) - n / 4).on({n: (1, oo)})
