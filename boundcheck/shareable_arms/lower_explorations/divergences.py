"""Appendix C.1: the divergences behind theorem 4.1.

Notation: a < b the two capacities to tell apart (m0 < m1), theta2 = mu^2/sigma^2, R = theta2/m^2;
F(x) = log x + 1/x - 1; KL(a, b) = F((b/a)^2)/2 + (b - a)^2 theta2/(2 b^2). An arm of capacity c
shows min(l, c) X at load l, so at load l the divergence is KL(min(l, a), min(l, b)).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

import sympy
from sympy import Expr, Integer, Rational, log, oo

from boundcheck import symbols as s
from boundcheck.proofs import relations as rel
from boundcheck.proofs.parts import at_most, cases, equal
from boundcheck.proofs.step import Part, Parts, Proof, Repair, combined
from boundcheck.search.hunt import bisected
from boundcheck.shareable_arms import functions as fn
from boundcheck.shareable_arms.exact import gaussian
from simulation.numbers import decimal

a, b, theta2, R, x, t = sympy.symbols("a b theta2 R x t", positive=True)
mean, scale = sympy.symbols("mu sigma", positive=True)
m = s.m
UP, ANY, HALF = (1, oo), (0, oo), Rational(1, 2)
_CLOSED, _EXCHANGED = (fn.KL(*pair, mean**2 / scale**2) for pair in ((a, b), (b, a)))
_BELOW, _ABOVE = (fn.KL(c, c + 1, R * m**2) for c in (m - 1, m))
_F4, _OF_M = fn.F(Integer(4)), fn.F((m / (m - 1)) ** 2)
_SECOND_LAW = Repair("The second law is P_1^l", {"second": b})
_MISPRINT = "a misprint: P_1^l is what is used"
C1 = Proof("thm-4.1a", "C.1")


def at_loads(true: Callable[[int], bool], loads: Iterable[int], words: str) -> Part:
    return cases(true, {"l (m0 = 2, m1 = 4)": loads}, complete=True, words=words)


@C1.step("a", "C.1, display 1, line 1", needs=("4.1-b",), repair=_SECOND_LAW, consequence=_MISPRINT)
def between(second: Expr = a) -> Parts:
    """KL(P_0^l, P_0^l) = KL(m0 X, l X), as printed."""
    ranges = {a: (1, 3), b: (2, 4), theta2: (1, 4)}
    yield equal(fn.KL(a, second, theta2), fn.KL(a, b, theta2)).on(ranges)


@C1.step("b", "C.1, display 1, line 2", spoil={"form": _EXCHANGED})
def closed_form(form: Expr = _CLOSED) -> Parts:
    """KL(a X, b X) = F((b/a)^2)/2 + (b - a)^2 theta2/(2 b^2)."""
    by_moments = gaussian.divergence((a * mean, a * scale), (b * mean, b * scale))
    yield equal(by_moments, form).on(dict.fromkeys((a, b, mean, scale), (1, 5)))


@C1.step("c", "C.1, display 1, line 3", needs=("b",), spoil={"least": HALF})
def increasing(least: Expr = 1) -> Parts:
    """KL(m0, l) <= KL(m0, m1) for l in (m0, m1]: it increases in l, as F does beyond 1."""
    for grows in (fn.F(x), fn.KL(a, a * x, theta2)):  # x = l/m0
        slope = sympy.diff(rel.unfolded(grows), x)
        yield at_most(0, slope).on({x: (least, oo), a: UP, theta2: ANY})


C1.step("d", "C.1, display 1, line 4", needs=("b",), spoil={"form": _EXCHANGED})(closed_form)


@C1.step("e", "C.1, display 1, line 5", needs=("4.1-b",), repair=_SECOND_LAW, consequence=_MISPRINT)
def above_both(second: Expr = a) -> Parts:
    """Which is KL(P_0^l, P_0^l) for l > m1, as printed."""
    words = "beyond m1 the load does not matter"
    yield at_loads(lambda load: (min(load, 2), min(load, 4)) == (2, 4), (5, 6), words)
    yield from between(second)


C1.step("f", "C.1, after display 1", needs=("c", "e"), spoil={"least": HALF})(increasing)


@C1.step("g", "C.1, display 2, line 1", needs=("b",), spoil={"half": 1})
def neighbours(half: Expr = HALF) -> Parts:
    """KL(m - 1, m) = F((m/(m-1))^2)/2 + R/2."""
    yield equal(_BELOW, half * _OF_M + R / 2).on({m: (2, 9), R: (1, 9)})


@C1.step(
    "h",
    "C.1, display 2, line 2",
    needs=("g",),
    mend={"half": HALF},
    repair=Repair(
        "KL(m - 1, m) <= F((m/(m-1))^2) + R/2",
        lambda: [at_most(_BELOW, _OF_M + R / 2).on({m: (2, oo), R: ANY})],
    ),
    consequence="F >= 0, so the equality may be read as an inequality",
)
def half_lost(half: Expr = 1) -> Parts:
    """KL(m - 1, m) = F((m/(m-1))^2) + R/2, the half before F lost."""
    yield from neighbours(half)


@C1.step("i", "C.1, display 2, line 3", needs=("h",), spoil={"largest": Rational(9, 4)})
def largest_f(largest: Expr = 4) -> Parts:
    """F((m/(m-1))^2) <= F(4), m >= 2."""
    yield at_most(_OF_M, fn.F(Rational(largest))).on({m: (2, oo)})


@C1.step("j", "C.1, display 2, line 4", spoil={"rest": HALF})
def value_of_f(rest: Expr = Rational(3, 4)) -> Parts:
    """F(4) = 2 log 2 - 3/4."""
    yield equal(_F4, 2 * log(2) - rest).on({})


@C1.step("k", "C.1, display 2, line 4, under the brace", spoil={"most": HALF})
def below_one(most: Expr = 1) -> Parts:
    """2 log 2 - 3/4 <= 1."""
    yield at_most(2 * log(2) - Rational(3, 4), most).on({})


@C1.step("l", "C.1, display 2, line 5", needs=("i", "signal-to-noise"), spoil={"least": 1})
def last_of_c1(least: Expr = 2) -> Parts:
    """F(4) + R/2 <= R."""
    largest = float(rel.value(_F4, {}))
    words = f"this chain needs R >= {2 * largest:.12g}; KL(1, 2) <= R itself R >= {largest:.12g}"
    yield at_most(_F4 + R / 2, R).on({R: (least, oo)}).told(words)


@C1.step(
    "m",
    "C.1, after display 2: the pair (m, m + 1)",
    needs=("signal-to-noise",),
    spoil={"least": Rational(1, 4)},
)
def pair_above(least: Expr = 2) -> Parts:
    """KL(m, m + 1) <= R."""
    # falling in m, so F(4) is the largest
    falling, rest = fn.F(((m + 1) / m) ** 2), R * m**2 / (2 * (m + 1) ** 2)
    wanted = ", ".join(map(_least_ratio, (1, 2, 3)))
    yield combined(
        equal(_ABOVE, falling / 2 + rest).on({m: (1, 9), R: (1, 9)}),
        at_most(falling, _F4).on({m: UP}),
        at_most(_F4 / 2 + rest, R).on({m: UP, R: (least, oo)}),
    ).told(f"for m = 1, 2, 3 it is true from R = {wanted} on")


def _least_ratio(capacity: int) -> str:
    """The R from which on KL(m, m + 1) <= R, by certified bisection."""

    def true(ratio: Fraction) -> bool:
        return not rel.violated(rel.at_most(_ABOVE, R), {m: Fraction(capacity), R: ratio})

    return decimal(bisected(true, Fraction(0), Fraction(2), 14)[1], 12)


C1.step("n", "C.1, display 3, first inequality", needs=("f",), spoil={"least": HALF})(increasing)


@C1.step("o", "C.1, display 3, second inequality", needs=("l", "m"), spoil={"least": HALF})
def both_pairs(least: Expr = 2) -> Parts:
    """KL above m1 is at most R = mu^2/(m^2 sigma^2), for both pairs."""
    yield at_most(_BELOW, R).on({m: (2, oo), R: (least, oo)})
    yield from pair_above(least)


STEPS = tuple(C1)
