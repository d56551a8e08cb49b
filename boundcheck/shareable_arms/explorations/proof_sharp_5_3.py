"""`sharp-5.3a` and `sharp-5.3b`: sample sizes (docs/theory.md).

phi is the uniform width at the larger number of samples that is sure, m and mu those of the arm.
"""

from __future__ import annotations

import sympy
from sympy import Expr, Rational, log, oo

from boundcheck.proofs.parts import at_most, below, equal
from boundcheck.proofs.step import Parts, Proof
from boundcheck.shareable_arms.explorations.cards import LEARN_CLOSED, C
from boundcheck.shareable_arms.symbols import d, delta, m, mu
from boundcheck.theory import find

u, x = sympy.symbols("u x", positive=True)
ANY, UP, UP9, UNIT = (0, oo), (1, oo), (1, 9), ("0.01", "0.99")

LEARN = Proof("sharp-5.3a", "sharp-5.3a")


@LEARN.step("a", "theory, sample sizes: m - 1 and m + 1 are out", "sharp-7.1-a2", times=4 * m)
def excluded(times: Expr = 4 * m + 3) -> Parts:
    """Both means within phi of theirs, and a width of 2 phi: (m + 1)(mu - phi - 2 phi) exceeds
    m (mu + phi), and m (mu - phi) exceeds (m - 1)(mu + phi + 2 phi), if mu > (4m + 3) phi."""
    above = (m + 1) * (mu - 3 * x) - m * (mu + x)
    yield equal(above, mu - times * x).on({m: UP9, mu: UP9, x: UP9})
    under = m * (mu - x) - (m - 1) * (mu + 3 * x)
    yield at_most(mu - times * x, under).on({m: UP, mu: ANY, x: ANY})


@LEARN.step("b", "theory, sample sizes: the typical size", "a", more=m)
def typical(more: Expr = m + 1) -> Parts:
    """With exact means m mu < (m + 1)(mu - 2 phi) exactly if 2 (m + 1) phi < mu, and then m - 1 is
    out as well."""
    yield equal((m + 1) * (mu - 2 * x) - m * mu, mu - 2 * more * x).on({m: UP9, mu: UP9, x: UP9})
    yield at_most(mu - 2 * more * x, m * mu - (m - 1) * (mu + 2 * x)).on({m: UP, mu: ANY, x: ANY})


@LEARN.step(
    "c", "theory, sample sizes: the closed form", "small-mean", least=5, share=Rational(1, 4)
)
def closed(least: int = 49, share: Expr = Rational(2, 5)) -> Parts:
    """C phi(x)^2 < 1 says (1 + 1/x)(l + log(x + 1)/2) < 2x/C = l + log(C u)/2, u = l + log C. As
    log u <= 2u/5 and l + log(C)/2 <= u, x + 1 <= (3/5 + 1/C) C u, and the left side exceeds
    l + log(x + 1)/2 by 2/C at most, which is less than log(1/(3/5 + 1/C))/2."""
    yield at_most(log(u), share * u).on({u: (4, oo)})
    yield at_most(4, log(49) + log(2)).on({})
    # x/(C u) is at most (1 + share/2)/2, and 1/(C u) at most 1/C
    yield equal((1 + share / 2) / 2, Rational(3, 5) + 0 * u).on({u: UP9})
    reach = Rational(3, 5) + 1 / x
    yield below(2 / x, -log(reach) / 2).on({x: (least, oo)})
    size = find("sharp-5.3a").quantities[1].terms[0].expression
    yield equal(size, LEARN_CLOSED).on({m: UP9, mu: UNIT, delta: UNIT})
    grown = log(2 / delta) + log(C * (log(2 / delta) + log(C))) / 2
    yield equal(2 * size / C, grown).on({m: UP9, mu: UNIT, delta: UNIT})


REACH = Proof("sharp-5.3b", "sharp-5.3b")


@REACH.step("a", "theory, sample sizes: d is reached", "sharp-7.1-a2", three=2)
def reached(three: int = 3) -> Parts:
    """m (mu - phi) > (d - 1)(mu + phi + 2 phi) exactly if (m + 3d - 3) phi < (m - d + 1) mu; d = 1
    asks nothing, as m >= 1."""
    left = m * (mu - x) - (d - 1) * (mu + 3 * x)
    points = dict.fromkeys((m, mu, x, d), UP9)
    yield equal(left, (m - d + 1) * mu - (m + three * d - 3) * x).on(points)


@REACH.step("b", "theory, sample sizes: the typical size", "a", two=1)
def typically_reached(two: int = 2) -> Parts:
    """With exact means m mu > (d - 1)(mu + 2 phi) exactly if 2 (d - 1) phi < (m - d + 1) mu."""
    left = m * mu - (d - 1) * (mu + 2 * x)
    points = dict.fromkeys((m, mu, x, d), UP9)
    yield equal(left, (m - d + 1) * mu - two * (d - 1) * x).on(points)


STEPS = (*LEARN, *REACH)
