"""What a step of a proof yields: each part decides, and can refute.

equal     both sides are the same expression (SymPy), and agree at exact points
at_most   an inequality, by calculus on ranges that may be infinite or by enclosures over a box
below     the same, strictly
cases     every case of finitely many, in exact arithmetic
number    one certified number beside another
examples  hypothesis looks for a counterexample: never more than `consistent`
same      the step is a statement of a claim, which is decided elsewhere
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

import sympy
from flint import arb

from boundcheck.finding import Verdict
from boundcheck.numbers import balls
from boundcheck.proofs import relations as rel
from boundcheck.proofs.goal import Goal
from boundcheck.proofs.methods import contradicted, exhaustive, identity, on_box, searched, sign
from boundcheck.proofs.relations import Ranges
from boundcheck.proofs.statements import statement_verdict
from boundcheck.proofs.step import Part

__all__ = [
    "at_most",
    "below",
    "cases",
    "contradicted",
    "definition",
    "equal",
    "examples",
    "largest",
    "number",
    "same",
]

Certified: TypeAlias = arb | Fraction | int
cases, examples = exhaustive, searched


@dataclass(frozen=True)
class Asserted:
    """A relation between formulas, to be decided on ranges."""

    lhs: sympy.Expr
    relation: str
    rhs: sympy.Expr

    def on(self, ranges: Ranges) -> Part:
        lhs, rhs = rel.unfolded(self.lhs), rel.unfolded(self.rhs)
        if self.relation == "=":
            part = identity(lhs, rhs, ranges)
        else:
            relate = rel.below if self.relation == "<" else rel.at_most
            part = _inequality(relate(lhs, rhs), ranges)
        return replace(part, goals=(Goal(self.lhs, self.relation, self.rhs, ranges),))


def equal(lhs: sympy.Expr, rhs: sympy.Expr) -> Asserted:
    """lhs = rhs wherever both are defined; `on` says where points are taken from."""
    return Asserted(sympy.sympify(lhs), "=", sympy.sympify(rhs))


def at_most(lhs: sympy.Expr, rhs: sympy.Expr) -> Asserted:
    """lhs <= rhs.

    >>> x = sympy.Symbol("x", positive=True)
    >>> at_most(x * (1 - x), sympy.Rational(1, 4)).on({x: (0, 1)}).method
    'calculus'
    >>> at_most(sympy.log(x), 2 * x).on({x: (1, 9)}).method
    'enclosure'
    """
    return Asserted(sympy.sympify(lhs), "<=", sympy.sympify(rhs))


def below(lhs: sympy.Expr, rhs: sympy.Expr) -> Asserted:
    """lhs < rhs."""
    return Asserted(sympy.sympify(lhs), "<", sympy.sympify(rhs))


def _inequality(relation: sympy.Rel, ranges: Ranges) -> Part:
    """Calculus where a range is infinite or signs of coefficients may do; else a box."""
    difference = rel.gap(relation)
    met = {symbol: ends for symbol, ends in ranges.items() if symbol in difference.free_symbols}
    if not met or any(high is sympy.oo for _, high in met.values()):
        return sign(relation, met)
    methods: list[Callable[[sympy.Rel, Ranges], Part]] = [sign, on_box]
    if not difference.is_rational_function(*met):
        methods.reverse()
    found = methods[0](relation, met)
    return found if found.verdict is not Verdict.INCONCLUSIVE else methods[1](relation, met)


def number(
    actual: Certified, *, at_most: Certified, region: str, words: str, sample: bool = False
) -> Part:
    """A number enclosed or exact beside its limit. `sample`: the step speaks of more than this.

    >>> number(Fraction(1, 3), at_most=arb(1) / 3, region="x = 3", words="1/x").verdict.value
    'inconclusive'
    """
    enclosed = isinstance(actual, arb) or isinstance(at_most, arb)
    with balls.precision(rel.BITS):
        left, right = _ball(actual), _ball(at_most)
        gap = right - left if enclosed else _ball(at_most - actual)
    shown = f"{words}: {_shown(left)} beside {_shown(right)}"
    if gap >= 0:
        verdict = Verdict.CONSISTENT if sample else Verdict.HOLDS
    else:
        verdict = Verdict.REFUTED if gap < 0 else Verdict.INCONCLUSIVE
    return Part("enclosure" if enclosed else "exact number", verdict, region, shown)


def largest(found: Iterable[arb]) -> arb:
    """Of enclosures beside 1: one that is surely above it, else the one that reaches highest."""
    return max(found, key=lambda x: (bool(x > 1), x.upper()))


def same(claim: str, role: str, examples: int = 120) -> Part:
    """The step is what a claim states, in one of its roles."""
    return statement_verdict(claim, role, examples)


def definition() -> Part:
    """For a display that only introduces names."""
    return Part("definition", Verdict.NOT_APPLICABLE, "nothing is asserted", goals=())


def _ball(x: Certified) -> arb:
    return x if isinstance(x, arb) else balls.ball(Fraction(x))


def _shown(x: arb) -> str:
    """Six digits, or both ends where they differ."""
    low, high = (f"{float(end):.6g}" for end in (x.lower(), x.upper()))
    return low if low == high else f"{low} to {high}"
