"""`sharp-7.1`, sections A and S of docs/theorems/orch-explore.md: chances, and the good event.

Rewards are sub-Gaussian with sigma at most 1/2; f(t) = log t + 4 log log t is the index, phi the
width at delta = 2/T. S is a sum of n centred rewards, h the tilt of an exponential moment.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import sympy
from flint import arb
from sympy import Expr, Rational, exp, log, oo, pi, sqrt

from boundcheck.calculator.numbers import balls
from boundcheck.claims.functions import kl_gaussian
from boundcheck.proof_steps.parts import at_most, below, certified_number, equal
from boundcheck.proof_steps.ranges import ANY, SURELY, UP, UP9
from boundcheck.proof_steps.relations import BITS, unfolded
from boundcheck.proof_steps.step import Parts, Proof
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms import symbols as sym
from boundcheck.theories.shareable_arms.orch_explore.cards import LOW_INDEX

PROOF = Proof("sharp-7.1", "sharp-7.1", source="orch-explore, ")
K, T, m, mu, sigma2 = sym.K, sym.T, sym.m, sym.mu, sym.sigma2
d, f, h, n, p, q, r, s, u, v, x, y, z = sympy.symbols("d f h n p q r s u v x y z", positive=True)
total = sympy.Symbol("S", real=True)
half = Rational(1, 2)
_SLOTS = 2_000  # after so many the sum over slots is bounded by an integral


def kl_by_odds(odds: Expr, other: Expr) -> Expr:
    """kl of two Bernoulli laws by their odds."""
    fewer = log((1 + other) / (1 + odds))
    return odds / (1 + odds) * (log(odds / other) + fewer) + fewer / (1 + odds)


@PROOF.step("a1", "A1: the mixture", prior=4)
def _mixture(prior: int = 8) -> Parts:
    """exp(h S - h^2 n/8), mixed over h of the law N(0, 4), is (n + 1)^(-1/2) exp(2 S^2/(n + 1))."""
    square = -(n + 1) / 8 * (h - 4 * total / (n + 1)) ** 2 + 2 * total**2 / (n + 1)
    yield equal(h * total - h**2 * n / 8 - h**2 / prior, square).on({h: UP9, total: UP9, n: UP9})
    yield equal(sqrt(8 * pi / (n + 1)) / sqrt(prior * pi), 1 / sqrt(n + 1)).on({n: UP9})


@PROOF.step(
    "a2",
    "A2: P(some mean of n leaves mu by phi(n)) <= 1/T",
    "a1, Hoeffding's lemma, Ville's inequality, sub-gaussian-half",
    delta=1 / T,
)
def _leaves(delta: Expr = 2 / T) -> Parts:
    """The mixture reaches T exactly where |S| = n phi(n, 2/T)."""
    reached = 2 * (n * fn.phi(n, delta)) ** 2 / (n + 1) - log(n + 1) / 2
    yield equal(reached, log(T)).on({n: UP9, T: (3, 99)})


@PROOF.step("a3", "A3: phi falls", "horizon-at-least-3", least=Rational(1, 8))
def _falling(least: Expr = half) -> Parts:
    """d/dx log phi(x)^2 = (1 + 1/(2 l))/(x + 1) - 2/x <= 0 for l = log(T sqrt(x + 1)) >= 1/2."""
    level = log(T * sqrt(x + 1))
    slope = (1 + 1 / (2 * level)) / (x + 1) - 2 / x
    squared = unfolded(fn.phi(x, 2 / T)) ** 2
    yield equal(sympy.diff(squared, x), squared * slope).on({x: UP9, T: (3, 99)})
    yield at_most((1 + 1 / (2 * (least + r))) / (x + 1), 2 / x).on({x: UP, r: ANY})
    yield at_most(half, log(3) + log(2) / 2).on({})


@PROOF.step("a4", "A4: a mean beyond a level", "Cramer-Chernoff bound", tilt=2, first=0)
def _beyond(tilt: int = 1, first: int = 1) -> Parts:
    """At the best h, log E exp(h (X - z)) is -kl(z, mu): for Bernoulli moments, which those of laws
    on [0, 1] do not exceed, and for normal ones. Over n >= 1 chances exp(-n kl) sum to g(kl)."""
    mean, other = x / (1 + x), y / (1 + y)  # z and mu by their odds: e^h is x/y
    moment = 1 - other + other * (x / y) ** tilt
    exponent = log(sympy.factor(moment)) - mean * tilt * log(x / y)
    yield equal(exponent, -kl_by_odds(x, y)).on({x: UP9, y: UP9})
    slope = tilt * (p - q) / sigma2
    normal = slope * (q - p) + slope**2 * sigma2 / 2
    yield equal(normal, -unfolded(kl_gaussian(p, q))).on({p: UP9, q: UP9, sigma2: UP9})
    rest = fn.geometric(x)
    yield equal(rest, exp(-first * x) + exp(-x) * rest).on({x: UP9})


@PROOF.step(
    "a5",
    "A5: means of n or more",
    "a4, Hoeffding's lemma, Doob's maximal inequality",
    tilt=2,
    rate=1,
)
def from_some_count_on(tilt: int = 1, rate: Expr = half) -> Parts:
    """exp(-h y + h^2 sigma^2/2) is smallest at h = y/sigma^2: exp(-n y^2/(2 sigma^2)) bounds the
    chance that any mean of n or more rewards is y above mu, or below, as means are a martingale
    backwards; sigma^2 is 1/4 for laws on [0, 1]."""
    best = tilt * y / sigma2
    points = {y: UP9, sigma2: UP9}
    yield equal(-best * y + best**2 * sigma2 / 2, -rate * y**2 / sigma2).on(points)
    yield equal(-2 * y**2, (-rate * y**2 / sigma2).xreplace({sigma2: Rational(1, 4)})).on({y: UP9})


@PROOF.step("a6", "A6: an index below the mean", "a4, Ville's inequality", slice_end=2)
def _low_index(slice_end: int = 1) -> Parts:
    """In a slice from r^(j-1) = q to r^j = q r a mean with n kl > f is below the x of kl(x, mu) =
    f/(q r), where the exponential martingale is exp(n kl(x, mu)) >= exp(f/r) at least."""
    yield at_most(f / r, q * (1 + u) * f / (q * r**slice_end)).on({f: ANY, r: UP, q: UP, u: ANY})


@PROOF.step("a7", "A7: over all slots", "a6", limit=Rational(18, 5), four=3)
def low_indices(limit: Expr = LOW_INDEX, four: int = 4) -> Parts:
    """The chances of A6 sum to at most 3.7: term by term up to t = 2,000; beyond, with f log t
    slices (rounded up), each is at most e (f log t + 1) exp(-f), which has an integral."""
    yield at_most(1 - u, exp(-u)).on({u: ANY})  # f exp(-1/f) >= f - 1, with u = 1/f
    chance = (v * (v + four * log(v)) + 1) / v**4  # t times the chance, v = log t, without e
    left = 1 / v + (2 * log(v) + 1) / v**2 + 1 / (3 * v**3)
    yield equal(-sympy.diff(left, v), chance).on({v: (2, 9)})
    yield at_most(1 / v, 3 / v + 1).on({v: (7, oo)})  # log v/(v^3 t) falls, as log v >= 1
    with balls.precision(BITS):
        far = _ball_at(left, _SLOTS) * arb(1).exp()
        summed = _first_slots() + far
    words = "all chances together"
    yield certified_number(
        summed, at_most=_fraction(limit), region="every t from 2 on", words=words
    )


def _ball_at(expression: Expr, slots: int) -> arb:
    from boundcheck.calculator.numbers.evaluate import BALLS, Evaluator

    at = np.array([[arb(slots).log()]], dtype=object)
    return Evaluator(BALLS, {v: at})(expression).item()


def _fraction(number_: Expr) -> arb:
    return arb(int(number_.p)) / int(number_.q)


@cache
def _first_slots() -> arb:
    """The smaller of 1, the union bound and the slices, for t = 2, ..., 2,000."""
    found = arb(1)  # t = 2
    counts = np.arange(1, 200.0)
    for t in range(3, _SLOTS + 1):
        level = arb(t).log() + 4 * arb(t).log().log()
        rough = counts * np.exp(-float(level) * (t - 1.0) ** (-1 / counts))
        slices = 1 + int(np.argmin(rough))
        sliced = slices * (-level * (-(arb(t - 1).log() / slices)).exp()).exp()
        found += min(arb(1), (t - 1) * (-level).exp(), sliced, key=float)
    return found


# -- the good event --------------------------------------------------------------------------------


@PROOF.step("s2", "S2: failures", "a2", stacks=1)
def failures(stacks: int = 2) -> Parts:
    """Two stacks of each of K arms leave with a chance of 1/T each, and then T slots are lost."""
    yield equal(stacks * K / T * (T * x), 2 * K * x).on({K: UP9, T: (3, 99), x: UP9})


@PROOF.step(
    "s3", "S3: the bounds hold m", "s2, non-negative-means, capacity-within-plays", widths=1
)
def holds(widths: int = 2) -> Parts:
    """While l <= m <= u, muhat and nuhat/m are means of the stacks, each within its width (here p
    and q at most) of mu: m (muhat - s) < nuhat < m (muhat + s), and muhat + s > 0."""
    # muhat = mu - p + r, nuhat/m = mu + q - u, within the widths p + d and q + d
    space = p + (widths - 1) * q + d * widths
    muhat, each = mu - p + r, mu + q - u
    positive = {p: ANY, q: ANY, d: SURELY, m: UP, mu: ANY}
    yield below(m * (mu + q), m * (mu - p + space)).on(positive)
    yield below(m * (mu + p - space), m * (mu - q)).on(positive)
    yield below(0, muhat + space).on({**positive, r: ANY})
    yield equal(m * each, m * mu + m * (q - u)).on(dict.fromkeys((m, mu, q, u), UP9))


@PROOF.step("s4", "S4: the counting lemma", coin=Rational(1, 3))
def _counted(coin: Expr = half) -> Parts:
    """If an arm is explored with chance rho = 1/y wherever its count is n and an event holds, this
    is so y times at most, as y rho = 1: twice for an arm of S_t, 2 |E_t| times for one of E_t."""
    yield at_most((1 - u) * y, y).on({u: (0, 1), y: UP})
    yield equal(1 / (coin / x), 2 * x).on({x: UP9})
