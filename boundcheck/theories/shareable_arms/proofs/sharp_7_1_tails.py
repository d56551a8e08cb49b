"""`sharp-7.1`, section T of docs/theorems/orch-explore.md: how often a mean is beyond a level.

U(z; mu) and V(z; mu) bound the sum over n >= 1 of the chances that a mean of n rewards is z or
beyond, above or below mu. B is binomial (n, mu), k and t are whole numbers.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from math import comb

import sympy
from sympy import Expr, Rational, erfc, exp, oo, pi, sqrt

from boundcheck.proof_steps.parts import at_most, cases, equal
from boundcheck.proof_steps.ranges import ANY, UP, UP9
from boundcheck.proof_steps.relations import unfolded
from boundcheck.proof_steps.step import Parts
from boundcheck.theories.shareable_arms.exact.tail_sums import convex, upper_binomial_tails
from boundcheck.theories.shareable_arms.functions import geometric
from boundcheck.theories.shareable_arms.orch_explore.functions import normal_sum
from boundcheck.theories.shareable_arms.proofs.sharp_7_1_chances import PROOF

a, b, n, p, r, x = sympy.symbols("a b n p r x", positive=True)
_MEANS = tuple(Fraction(*pair) for pair in ((1, 10), (1, 2), (7, 10)))
_LEVELS = tuple(Fraction(*pair) for pair in ((11, 100), (3, 5), (3, 4), (24, 25)))


def _mass(n: int, mu: Fraction, k: int) -> Fraction:
    return comb(n, k) * mu**k * (1 - mu) ** (n - k) if 0 <= k <= n else Fraction(0)


@PROOF.step("t1", "T1: a convex function", slope=2)
def _chord(slope: int = 1) -> Parts:
    """On [0, 1] a convex function is below its chord: E (c + X - t)_+ is at most what a Bernoulli
    variable of the same mean has, one reward after the other, so P(S_n >= n z) <= E(B - t)_+/(n z -
    t) for t < n z. Here c + x - t = y above 0 at a share x = p of the way, or (.)_+ = 0."""
    # at x = p of [0, 1]: values 0 at the left end and b >= 0 at the right end, or a and a + 1
    chord_there = (1 - p) * 0 + p * b
    yield at_most(slope * b - (1 - p), chord_there).on({p: (0, 1), b: (0, 1)})  # kink inside
    yield equal(a + p, (1 - p) * a + p * (a + 1)).on({a: UP9, p: ("0.01", "0.99")})
    yield at_most(x, x * (1 + r)).on({x: ANY, r: ANY})  # Markov: E(S - t)_+ >= (n z - t) P


@PROOF.step("t2", "T2: binomial chances one by one", loss=2)
def recurrences(loss: int = 1) -> Parts:
    """P(B' >= k) = P(B >= k) + mu P(B = k - 1), E(B' - t)_+ = E(B - t)_+ + mu P(B >= t) for one
    reward more, and E(B - t - 1)_+ = E(B - t)_+ - P(B > t): what is summed is P(B >= n z), and
    E(B - t)_+/(n z - t) for some t < n z, in fractions for small n."""

    def chances(mu: Fraction, z: Fraction) -> bool:
        if not mu < z:
            return True
        for n, found in enumerate(islice(upper_binomial_tails(z, mu, Fraction(1)), 12), 1):
            due = sum(_mass(n, mu, k) for k in range(n + 1) if k >= n * z)
            if loss * found != due:
                return False
        return True

    def means(mu: Fraction, z: Fraction) -> bool:
        if not mu < z:
            return True
        for n, found in enumerate(islice(convex(z, mu, Fraction(1)), 12), 1):
            due = {
                sum(_mass(n, mu, k) * max(k - t, 0) for k in range(n + 1)) / (n * z - t)
                for t in range(n)
                if t < n * z
            }
            if loss * found not in due:
                return False
        return True

    ranges = {"mu": _MEANS, "z": _LEVELS}
    yield cases(chances, ranges, complete=True, words="P(B >= n z), n <= 12")
    yield cases(means, ranges, complete=True, words="E(B - t)_+/(n z - t), n <= 12")


@PROOF.step("t3", "T3: the chances that are not summed", "a4", first=1)
def remainder(first: int = 0) -> Parts:
    """Over n > n_0 Chernoff's exp(-n x) sum to exp(-n_0 x) g(x), wherever the sum is cut."""
    rest = exp(-n * x) * geometric(x)
    yield equal(rest, exp(-(n + 1) * x) + exp(-(n + 1) * x) * geometric(x) + first).on(
        {n: UP9, x: UP9}
    )


@PROOF.step("t4", "T4: normal rewards", "t3", start=1)
def normal(start: Expr = Rational(1, 2)) -> Parts:
    """A mean of n normal rewards is beyond z with the chance F(n) that a standard normal
    variable is sqrt(2 n x) or more, x = kl(z, mu). F is convex and falls, so F(n) is at most its
    integral from n - 1/2 to n + 1/2, and their sum at most that from 1/2 on, which is h(x)."""
    tail = erfc(sqrt(n * x)) / 2  # of sqrt(2 n x)
    slope = -sqrt(x) * exp(-n * x) / (2 * sqrt(pi * n))
    yield equal(sympy.diff(tail, n), slope).on({n: UP9, x: UP9})
    bend = slope * (-x - 1 / (2 * n))
    yield equal(sympy.diff(slope, n), bend).on({n: UP9, x: UP9})
    yield at_most(0, sqrt(x) * exp(-n * x) / sqrt(n) * (x + 1 / (2 * n))).on({n: (1, oo), x: UP})
    # from n on the integral is G(n): its slope is -F(n)
    whole = n * tail * -1 + sqrt(n) * exp(-n * x) / (2 * sqrt(pi * x)) + tail / (2 * x)
    yield equal(sympy.diff(whole, n), -tail).on({n: UP9, x: UP9})
    yield equal(whole.subs(n, start), unfolded(normal_sum(x))).on({x: UP9})
