"""Conjecture 2 of Auer, Cesa-Bianchi and Fischer 2002 is a theorem.

Chernoff's bound for X of the chi-square law with nu degrees: for 0 < t < 1/2, P(X >= x) is at most
exp(-t x) E exp(t X) = exp(-t x) (1 - 2 t)^(-nu/2). With x = 4 nu and t = 3/8 the exponent is
-(3/2 - log 2) nu. That is enough from nu = 2 on; nu = 1 is one number.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb
from sympy import Expr, Rational, log, oo

from boundcheck.calculator.numbers.balls import precision
from boundcheck.proof_steps.parts import at_most, certified_number, equal
from boundcheck.proof_steps.step import Parts, Proof
from boundcheck.theories.classic.numbers import value
from boundcheck.theories.classic.symbols import df
from boundcheck.theory import Theory

PROOF = Proof("chi-square-tail")
CHERNOFF = "Chernoff's bound with the generating function (1 - 2 t)^(-nu/2)"
RATE = Rational(3, 2) - log(2)


def exponent(theory: Theory, t: Expr) -> Expr:
    """t x + (nu/2) log(1 - 2 t), x as the card has it."""
    x: Expr = theory.cards["chi-square-tail"].formula.args[0]  # type: ignore[union-attr]
    return t * x + df / 2 * log(1 - 2 * t)


@PROOF.step("a", "the exponent at t = 3/8", CHERNOFF, t=Rational(1, 4))
def at_three_eighths(theory: Theory, t: Expr = Rational(3, 8)) -> Parts:
    """-log P(X >= 4 nu) is at least (3/2 - log 2) nu."""
    yield equal(exponent(theory, t), RATE * df).on({df: (1, 100)})


@PROOF.step("b", "from nu = 2 on", "a", first=1)
def from_two(theory: Theory, first: int = 2) -> Parts:
    """(nu + 1)/2 <= (3/2 - log 2) nu for nu >= 2."""
    bound: Expr = theory.cards["chi-square-tail"].formula.args[1]  # type: ignore[union-attr]
    yield at_most(-log(bound).expand(force=True), RATE * df).on({df: (first, oo)})


@PROOF.step("c", "nu = 1", "P(X >= x) = erfc(sqrt(x/2)) for one degree", degrees=8)
def one_degree(theory: Theory, degrees: int = 1) -> Parts:
    """P(X >= 4) <= exp(-1)."""
    x, bound = theory.cards["chi-square-tail"].formula.args  # type: ignore[union-attr]
    with precision(128):
        tail = (value(x, nu=Fraction(1)) / 2).sqrt().erfc()
        claimed: arb = value(bound, nu=Fraction(degrees))
    yield certified_number(tail, at_most=claimed, region="nu = 1", words="P(X >= 4)")


STEPS = tuple(PROOF)
