"""`sharp-5.1`: the joint interval (docs/theory.md).

S and V are centred sums of tau individual and iota united samples (the latter divided by m).
"""

from __future__ import annotations

import sympy
from sympy import Expr, log, oo, sqrt

from boundcheck.proof_steps.derivation import is_assumed, is_expression, is_whole
from boundcheck.proof_steps.parts import at_most, equal
from boundcheck.proof_steps.step import Parts, Proof
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms.symbols import delta, m, sigma2
from boundcheck.theory import Theory

p, q, r, x, y = sympy.symbols("p q r x y", positive=True)
S, tau, iota, muhat, psi = sympy.symbols("S tau iota muhat psi", positive=True)
ANY, UP9 = (0, oo), (1, 9)
_GROWN = log(sqrt((tau + 1) * (iota + 1)) / delta)
_JOINTLY = {tau: UP9, iota: UP9, sigma2: UP9, delta: ("0.01", "0.99")}

JOINT = Proof("sharp-5.1", "sharp-5.1")


@JOINT.step("a", "theory, the joint interval: the mixture", prior=2)
def _mixture(prior: int = 1) -> Parts:
    """x S - x^2 s2 tau/2, with x of the law N(0, 1/s2), has the exponent S^2/(2 s2 (tau + 1)) and
    the factor (tau + 1)^(-1/2): for S and V independently, that of the text."""
    exponent = x * S - x**2 * sigma2 * tau / 2 - prior * x**2 * sigma2 / 2
    left = sigma2 * (tau + 1) / 2 * (x - S / (sigma2 * (tau + 1))) ** 2
    points = dict.fromkeys((x, S, sigma2, tau), UP9)
    yield equal(exponent, S**2 / (2 * sigma2 * (tau + 1)) - left).on(points)
    yield equal(sqrt(prior * sigma2 / (sigma2 * (tau + 1))), 1 / sqrt(tau + 1)).on(points)


@JOINT.step("b", "theory, the joint interval: at all times", "a, Ville's inequality", two=1)
def _level(two: int = 2) -> Parts:
    """The mixture reaches 1/delta exactly where S^2/(tau+1) + V^2/(iota+1) is 2 s2 times
    log(sqrt((tau+1)(iota+1))/delta)."""
    reached = two * sigma2 * _GROWN / (2 * sigma2) - log((tau + 1) * (iota + 1)) / 2
    yield equal(reached, -log(delta)).on(_JOINTLY)


@JOINT.step("c", "theory, the joint interval: its width", "b", mixed=3)
def _width(mixed: int = 2) -> Parts:
    """(S/tau - V/iota)^2 is at most the sum of (tau+1)/tau^2 and (iota+1)/iota^2 times that of
    S^2/(tau+1) and V^2/(iota+1), which makes psi of the card."""
    any_four = dict.fromkeys((p, q, x, y), ANY)
    yield at_most((p * x - q * y) ** 2, (p**2 + q**2) * (x**2 + y**2)).on(any_four)
    yield at_most(mixed * p * x * q * y, p**2 * y**2 + q**2 * x**2).on(any_four)
    spread = (tau + 1) / tau**2 + (iota + 1) / iota**2
    yield equal(fn.psi(tau, iota, delta, sigma2) ** 2, 2 * sigma2 * _GROWN * spread).on(_JOINTLY)


@JOINT.step("d", "theory, the joint interval: m is in it", "c", side=-1)
def inside(side: int = 1) -> Parts:
    """For muhat > psi, nuhat/(muhat + psi) <= m <= nuhat/(muhat - psi) exactly if nuhat/m differs
    from muhat by psi at most: here nuhat = m (muhat + psi - r), r from 0 to 2 psi."""
    nuhat = m * (muhat + side * (psi - r))
    points = dict.fromkeys((m, muhat, psi, r), UP9)
    yield equal(m * (muhat + psi) - nuhat, m * r).on(points)
    yield equal(nuhat - m * (muhat - psi), m * (2 * psi - r)).on(points)


@JOINT.step("e", "theory, the joint interval: the card", "c, d", mixed=3)
def _of_card(theory: Theory, mixed: int = 2) -> Parts:
    """The formula of the card is the width of step c, and it assumes nothing."""
    card = theory.cards[JOINT.claim]
    spread = (tau + 1) / tau**2 + (iota + 1) / iota**2
    assert isinstance(card.formula, Expr)
    yield is_expression(card.formula, sqrt(mixed * sigma2 * spread * _GROWN))
    yield is_whole(card, {})
    yield is_assumed(card, (), JOINT)


STEPS = tuple(JOINT)
