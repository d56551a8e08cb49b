"""`sharp-5.1`, `sharp-5.3a` and `sharp-5.3b`: the joint interval, and sizes (docs/theory.md).

S and V are centred sums of tau individual and iota united samples (the latter divided by m), phi is
the uniform width at the larger number of samples that is sure, m and mu those of the arm.
"""

from __future__ import annotations

import sympy
from sympy import Expr, Rational, log, oo, sqrt

from boundcheck import symbols as s
from boundcheck.proofs.parts import at_most, below, equal
from boundcheck.proofs.step import Parts, Proof
from boundcheck.shareable_arms import functions as fn
from boundcheck.shareable_arms.explorations.cards import LEARN_CLOSED, C
from boundcheck.theory import find

d, delta, m, mu, sigma2 = s.d, s.delta, s.m, s.mu, s.sigma2
p, q, r, u, x, y = sympy.symbols("p q r u x y", positive=True)
S, tau, iota, muhat, psi = sympy.symbols("S tau iota muhat psi", positive=True)
ANY, UP, UP9, UNIT = (0, oo), (1, oo), (1, 9), ("0.01", "0.99")

_GROWN = log(sqrt((tau + 1) * (iota + 1)) / delta)
_JOINTLY = {tau: UP9, iota: UP9, sigma2: UP9, delta: UNIT}

JOINT = Proof("sharp-5.1", "sharp-5.1")


@JOINT.step("a", "theory, the joint interval: the mixture", spoil={"prior": 2})
def mixture(prior: int = 1) -> Parts:
    """x S - x^2 s2 tau/2, with x of the law N(0, 1/s2), has the exponent S^2/(2 s2 (tau + 1)) and
    the factor (tau + 1)^(-1/2): for S and V independently, that of the text."""
    exponent = x * S - x**2 * sigma2 * tau / 2 - prior * x**2 * sigma2 / 2
    left = sigma2 * (tau + 1) / 2 * (x - S / (sigma2 * (tau + 1))) ** 2
    points = dict.fromkeys((x, S, sigma2, tau), UP9)
    yield equal(exponent, S**2 / (2 * sigma2 * (tau + 1)) - left).on(points)
    yield equal(sqrt(prior * sigma2 / (sigma2 * (tau + 1))), 1 / sqrt(tau + 1)).on(points)


@JOINT.step(
    "b",
    "theory, the joint interval: at all times",
    needs=("a", "Ville's inequality"),
    spoil={"two": 1},
)
def level(two: int = 2) -> Parts:
    """The mixture reaches 1/delta exactly where S^2/(tau+1) + V^2/(iota+1) is 2 s2 times
    log(sqrt((tau+1)(iota+1))/delta)."""
    reached = two * sigma2 * _GROWN / (2 * sigma2) - log((tau + 1) * (iota + 1)) / 2
    yield equal(reached, -log(delta)).on(_JOINTLY)


@JOINT.step("c", "theory, the joint interval: its width", needs=("b",), spoil={"mixed": 3})
def width(mixed: int = 2) -> Parts:
    """(S/tau - V/iota)^2 is at most the sum of (tau+1)/tau^2 and (iota+1)/iota^2 times that of
    S^2/(tau+1) and V^2/(iota+1), which makes psi of the card."""
    any_four = dict.fromkeys((p, q, x, y), ANY)
    yield at_most((p * x - q * y) ** 2, (p**2 + q**2) * (x**2 + y**2)).on(any_four)
    yield at_most(mixed * p * x * q * y, p**2 * y**2 + q**2 * x**2).on(any_four)
    spread = (tau + 1) / tau**2 + (iota + 1) / iota**2
    yield equal(fn.psi(tau, iota, delta, sigma2) ** 2, 2 * sigma2 * _GROWN * spread).on(_JOINTLY)


@JOINT.step("d", "theory, the joint interval: m is in it", needs=("c",), spoil={"side": -1})
def inside(side: int = 1) -> Parts:
    """For muhat > psi, nuhat/(muhat + psi) <= m <= nuhat/(muhat - psi) exactly if nuhat/m differs
    from muhat by psi at most: here nuhat = m (muhat + psi - r), r from 0 to 2 psi."""
    nuhat = m * (muhat + side * (psi - r))
    points = dict.fromkeys((m, muhat, psi, r), UP9)
    yield equal(m * (muhat + psi) - nuhat, m * r).on(points)
    yield equal(nuhat - m * (muhat - psi), m * (2 * psi - r)).on(points)


LEARN = Proof("sharp-5.3a", "sharp-5.3a")


@LEARN.step(
    "a",
    "theory, sample sizes: m - 1 and m + 1 are out",
    needs=("sharp-7.1-a2",),
    spoil={"times": 4 * m},
)
def excluded(times: Expr = 4 * m + 3) -> Parts:
    """Both means within phi of theirs, and a width of 2 phi: (m + 1)(mu - phi - 2 phi) exceeds
    m (mu + phi), and m (mu - phi) exceeds (m - 1)(mu + phi + 2 phi), if mu > (4m + 3) phi."""
    above = (m + 1) * (mu - 3 * x) - m * (mu + x)
    yield equal(above, mu - times * x).on({m: UP9, mu: UP9, x: UP9})
    under = m * (mu - x) - (m - 1) * (mu + 3 * x)
    yield at_most(mu - times * x, under).on({m: UP, mu: ANY, x: ANY})


@LEARN.step("b", "theory, sample sizes: the typical size", needs=("a",), spoil={"more": m})
def typical(more: Expr = m + 1) -> Parts:
    """With exact means m mu < (m + 1)(mu - 2 phi) exactly if 2 (m + 1) phi < mu, and then m - 1 is
    out as well."""
    yield equal((m + 1) * (mu - 2 * x) - m * mu, mu - 2 * more * x).on({m: UP9, mu: UP9, x: UP9})
    yield at_most(mu - 2 * more * x, m * mu - (m - 1) * (mu + 2 * x)).on({m: UP, mu: ANY, x: ANY})


@LEARN.step(
    "c",
    "theory, sample sizes: the closed form",
    needs=("small-mean",),
    spoil={"least": 5, "share": Rational(1, 4)},
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


@REACH.step("a", "theory, sample sizes: d is reached", needs=("sharp-7.1-a2",), spoil={"three": 2})
def reached(three: int = 3) -> Parts:
    """m (mu - phi) > (d - 1)(mu + phi + 2 phi) exactly if (m + 3d - 3) phi < (m - d + 1) mu; d = 1
    asks nothing, as m >= 1."""
    left = m * (mu - x) - (d - 1) * (mu + 3 * x)
    points = dict.fromkeys((m, mu, x, d), UP9)
    yield equal(left, (m - d + 1) * mu - (m + three * d - 3) * x).on(points)


@REACH.step("b", "theory, sample sizes: the typical size", needs=("a",), spoil={"two": 1})
def typically_reached(two: int = 2) -> Parts:
    """With exact means m mu > (d - 1)(mu + 2 phi) exactly if 2 (d - 1) phi < (m - d + 1) mu."""
    left = m * mu - (d - 1) * (mu + 2 * x)
    points = dict.fromkeys((m, mu, x, d), UP9)
    yield equal(left, (m - d + 1) * mu - two * (d - 1) * x).on(points)


STEPS = (*JOINT, *LEARN, *REACH)
