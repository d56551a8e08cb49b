"""Beside `sharp-4.3`: the brute-force program for its constant, and what the likelihood policy and
interval rest on. Steps 6a to 6e of docs/graves-lai.md, 7a to 7c of docs/likelihood.md.

b and c are the loads served under an instance and an alternative, x the alternative's mean.
"""

from __future__ import annotations

import sympy
from sympy import Expr, log, oo, sqrt

from boundcheck import symbols as sym
from boundcheck.proofs.parts import at_most, equal
from boundcheck.proofs.ranges import ANY, UP9
from boundcheck.proofs.step import Parts
from boundcheck.shareable_arms import functions as fn
from boundcheck.shareable_arms.exact import gaussian
from boundcheck.shareable_arms.lower_regret.proof_constant import PROOF
from boundcheck.shareable_arms.lower_regret.proof_likelihood import waits

mu, sigma2 = sym.mu, sym.sigma2
b, c, d, n, p, q, r, s = sympy.symbols("b c d n p q r s", positive=True)
u, v, x, y, sigma = sympy.symbols("u v x y sigma", positive=True)
first, second, squares, total = sympy.symbols("w_1 w_2 S_2 S_1", positive=True)


@PROOF.step("6a", "graves-lai: a load under an alternative", spoil={"half": 1})
def alternative(half: Expr = sympy.Rational(1, 2)) -> Parts:
    """b X of mean mu diverges from c X of mean x by F((c/b)^2)/2 + (x - mu b/c)^2/(2 sigma^2)."""
    told = half * fn.F((c / b) ** 2) + (x - mu * b / c) ** 2 / (2 * sigma**2)
    normal = gaussian.divergence((b * mu, b * sigma), (c * x, c * sigma))
    yield equal(normal, told).on(dict.fromkeys((b, c, mu, x, sigma), (1, 5)))


@PROOF.step("6b", "graves-lai: the hardest mean", needs=("6a",), spoil={"weight": 1})
def hardest(weight: int = 2) -> Parts:
    """A sum of w_j (x - t_j)^2 has the slope 2 (sum of w_j)(x - average): over x >= mu_L it is
    least at the average or at mu_L."""
    parabola = first * (x - p) ** 2 + second * (x - q) ** 2
    average = (first * p + second * q) / (first + second)
    slope = weight * (first + second) * (x - average)
    points = dict.fromkeys((first, second, x, p, q), UP9)
    yield equal(sympy.diff(parabola, x), slope).on(points)


@PROOF.step("6c", "graves-lai: Beta rewards", spoil={"shrunk": r + 1})
def shrunk_rewards(shrunk: Expr = r) -> Parts:
    """logit(r X) <= logit X for r <= 1: r X/(1 - r X) <= X/(1 - X), so the divergence grows in the
    alternative's mean from mu_k on."""
    yield at_most(shrunk * x * (1 - x), x * (1 - shrunk * x)).on({r: (0, 1), x: (0, 1)})


@PROOF.step("6d", "graves-lai: an enclosure, weak duality", spoil={"slack": -1})
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


@PROOF.step("6e", "graves-lai: one arm at a time", spoil={"fewer": -1})
def arm_by_arm(fewer: int = 1) -> Parts:
    """KL_a is a sum over arms, none below 0: with all arms but one put back it is no larger."""
    yield at_most(x, x + fewer * y).on({x: ANY, y: ANY})


# -- the likelihood interval and policy -----------------------------------------------------------


@PROOF.step(
    "7a",
    "likelihood, 1: the mixture over the mean",
    needs=("Ville's inequality",),
    spoil={"points": n + 1},
)
def predictive(points: Expr = n) -> Parts:
    """With mu of the law N(x_1, s2) the n - 1 other points and x_1 weigh alike: the exponent is
    -V_n/(2 s2), V_n = S_2 - S_1^2/n, and the factor n^(-1/2)."""
    exponent = squares - 2 * x * total + n * x**2
    square = points * (x - total / points) ** 2 + squares - total**2 / points
    yield equal(exponent, square).on(dict.fromkeys((squares, total, n, x), UP9))
    yield equal(sqrt(sigma2 / points) / sqrt(sigma2), 1 / sqrt(n)).on({sigma2: UP9, n: UP9})


@PROOF.step("7b", "likelihood, 2: why 2 log log t", needs=("5d",), spoil={"four": 1})
def summable(four: int = 4) -> Parts:
    """Waits of 4 exp(H)/H^2 slots have, under the wrong capacity, the mean 4/H^2: with H >= n D/2
    that is 16/(n D)^2, which is summable."""
    yield from waits(four)
    yield equal(four / (n * d / 2) ** 2, 16 / (n * d) ** 2).on({n: UP9, d: UP9})


@PROOF.step("7c", "likelihood, 3: levels are concave in log t", spoil={"more": -2})
def concave_levels(more: int = 2) -> Parts:
    """v + 2 log v, v = log t, has the second derivative -2/v^2."""
    yield at_most(sympy.diff(v + more * log(v), v, 2), 0).on({v: (1, oo)})


STEPS = (*PROOF,)
