"""Appendices C.1 and C.2: the divergences behind theorem 4.1, and its second part.

Notation: a < b the two capacities to tell apart, theta2 = mu^2/sigma^2, R = theta2/m^2,
R_d = (m - d + 1)^2 R; F(x) = log x + 1/x - 1; KL(a, b) = F((b/a)^2)/2 + (b - a)^2 theta2/(2 b^2).
An arm of capacity c shows min(l, c) X at load l, so at load l the divergence is
KL(min(l, a), min(l, b)). n_low, n_mid, n_top count the loads up to a, in (a, b], above b.
"""

from __future__ import annotations

from fractions import Fraction

import sympy
from sympy import log, oo

from boundcheck import functions as fn
from boundcheck import symbols as s
from boundcheck.finding import Verdict
from boundcheck.proofs import gaussian
from boundcheck.proofs import relations as rel
from boundcheck.proofs.methods import contradicted, exhaustive, identity, sign
from boundcheck.proofs.old_form import Step
from boundcheck.proofs.relations import at_most, below
from boundcheck.proofs.step import Part, combined
from boundcheck.search.hunt import bisected
from simulation.numbers import decimal

a, b, theta2, R, x, t = sympy.symbols("a b theta2 R x t", positive=True)
mean, scale = sympy.symbols("mu sigma", positive=True)
m = s.m
_UP, ANY, _FROM_2 = (1, oo), (0, oo), (2, oo)
F4 = fn.F(sympy.Integer(4))
BELOW = fn.KL(m - 1, m, R * m**2)  # the pair (m - 1, m)
ABOVE = fn.KL(m, m + 1, R * m**2)  # the pair (m, m + 1)


# -- sums over loads -------------------------------------------------------------------------


def additivity() -> Part:
    first = [(a * mean, a * scale), (a * mean, a * scale), (x * mean, x * scale)]
    second = [(b * mean, b * scale), (b * mean, b * scale), (t * mean, t * scale)]
    square = mean**2 / scale**2
    return identity(
        gaussian.joint_divergence(first, second),
        2 * fn.KL(a, b, square) + fn.KL(x, t, square),
        dict.fromkeys((a, b, x, t, mean, scale), (1, 5)),
    )


def split() -> Part:
    """Every load lies in exactly one of the three sums."""
    return exhaustive(
        lambda load: (load <= 2) + (2 < load <= 4) + (load > 4) == 1,
        {"l (m0 = 2, m1 = 4)": (1, 2, 3, 4, 5)},
        complete=True,
        words="every order of l, m0 and m1",
    )


def no_information() -> Part:
    alike = exhaustive(
        lambda load: min(load, 2) == min(load, 4),
        {"l (m0 = 2, m1 = 4)": (1, 2)},
        complete=True,
        words="loads below and at m0 are served alike",
    )
    return combined(identity(fn.KL(a, a, theta2), 0 * a, {a: (1, 9), theta2: (0, 9)}), alike)


_low, _mid, _top, _K, _more, _room = sympy.symbols(
    "n_low n_mid n_top K more room", nonnegative=True
)
_COUNTS = dict.fromkeys((_low, _mid, _top, _K, _more, _room), ANY)
_BOUND = _K + _more + _room  # R: at least KL(a, b) = K + more, which is at least KL(a, l) = K


def irregular_counts() -> Part:
    return sign(at_most(_mid * _K + _top * (_K + _more), (_mid + _top) * _BOUND), _COUNTS)


def all_counts() -> Part:
    return sign(at_most((_mid + _top) * _BOUND, (_low + _mid + _top) * _BOUND), _COUNTS)


# -- C.1 ---------------------------------------------------------------------------------


def _same_law(other: sympy.Expr) -> Part:
    """As printed the divergence is of P_0 from itself: 0, whatever stands on the other side."""
    return identity(fn.KL(a, a, theta2), other, {a: (1, 3), b: (2, 4), theta2: (1, 4)})


def _closed_form() -> Part:
    by_moments = gaussian.divergence((a * mean, a * scale), (b * mean, b * scale))
    ranges = dict.fromkeys((a, b, mean, scale), (1, 5))
    return identity(by_moments, fn.KL(a, b, mean**2 / scale**2), ranges)


def increasing() -> Part:
    """F increases beyond 1, and KL(a, a + t) in t."""
    slope = sympy.diff(rel.unfolded(fn.KL(a, a + t, theta2)), t)
    return combined(
        sign(at_most(0 * x, sympy.diff(rel.unfolded(fn.F(x)), x)), {x: _UP}),
        sign(at_most(0 * x, slope), {a: _UP, t: ANY, theta2: ANY}),
    )


def _served_in_full() -> Part:
    return exhaustive(
        lambda load: (min(load, 2), min(load, 4)) == (2, 4),
        {"l (m0 = 2, m1 = 4)": (5, 6)},
        complete=True,
        words="beyond m1 the load does not matter",
    )


def _neighbours(factor: sympy.Rational) -> Part:
    form = factor * fn.F((m / (m - 1)) ** 2) + R / 2
    return identity(BELOW, form, {m: (2, 9), R: (1, 9)})


def _largest_f() -> Part:
    return sign(at_most(fn.F((m / (m - 1)) ** 2) + R / 2, F4 + R / 2), {m: _FROM_2, R: ANY})


def _value_of_f() -> Part:
    return identity(F4, 2 * log(2) - sympy.Rational(3, 4), {})


def _below_one() -> Part:
    return sign(at_most(2 * log(2) - sympy.Rational(3, 4), sympy.Integer(1)), {})


def _last_of_c1() -> Part:
    found = sign(at_most(F4 + R / 2, R), {R: _FROM_2})
    largest = float(rel.value(F4, {}))
    words = f"this chain needs R >= {2 * largest:.12g}; KL(1, 2) <= R itself R >= {largest:.12g}"
    return Part(found.method, found.verdict, found.region, f"{found.detail}; {words}")


def pair_above() -> Part:
    """F falls in m, so F(4) is the largest: F(4)/2 + R m^2/(2 (m+1)^2) <= R."""
    rest = R * m**2 / (2 * (m + 1) ** 2)
    found = combined(
        identity(ABOVE, fn.F(((m + 1) / m) ** 2) / 2 + rest, {m: (1, 9), R: (1, 9)}),
        sign(at_most(fn.F(((m + 1) / m) ** 2), F4), {m: _UP}),
        sign(at_most(F4 / 2 + rest, R), {m: _UP, R: _FROM_2}),
    )
    needed = ", ".join(_least_ratio(ABOVE, capacity) for capacity in (1, 2, 3))
    words = f"for m = 1, 2, 3 it is true from R = {needed} on"
    return Part(found.method, found.verdict, found.region, words)


def _least_ratio(divergence: sympy.Expr, capacity: int) -> str:
    """The R from which on KL <= R, by certified bisection."""

    def true(ratio: Fraction) -> bool:
        return not rel.violated(at_most(divergence, R), {m: Fraction(capacity), R: ratio})

    _, high = bisected(true, Fraction(0), Fraction(2), 14)
    return decimal(high, 12)


def both_pairs() -> Part:
    return combined(sign(at_most(BELOW, R), {m: _FROM_2, R: _FROM_2}), pair_above())


# -- C.2 ---------------------------------------------------------------------------------


def _threshold_pairs() -> Part:
    """The two capacities of the pair lie on different sides of d = 5."""

    def separated(capacity: int) -> bool:
        pair = (4, capacity) if capacity >= 5 else (capacity, 5)
        return (pair[0] >= 5) != (pair[1] >= 5)

    words = "every order of m, d - 1 and d"
    return exhaustive(separated, {"m (d = 5)": (3, 4, 5, 6)}, complete=True, words=words)


def _reached() -> Part:
    """KL(d - 1, m) = F(x^2)/2 + R_d/2 with x = m/(d - 1), F(x^2) <= 2 log x <= 2 log(N/(d - 1))."""
    square = R * m**2 / (m - a) ** 2  # R stands for R_d, a for d - 1
    form = fn.F((m / a) ** 2) / 2 + R / 2
    return combined(
        identity(fn.KL(a, m, square), form, {a: (1, 3), m: (4, 9), R: (1, 9)}),
        sign(at_most(fn.F(x**2), 2 * log(x)), {x: _UP}),
        sign(at_most(log(x), log(x + t)), {x: _UP, t: ANY}),
        sign(at_most(x / 2 + (x + t) / 2, x + t), {x: ANY, t: ANY}),
    )


def _short_of_d() -> Part:
    """KL(m, d) <= R_d for m <= d - 2, at the edge of the condition on R_d and far from it?"""

    def true(plays: int, d: int, capacity: int, factor: int) -> bool:
        if not capacity <= d - 2 <= plays - 2:
            return True
        ratio = 2 * log(sympy.Rational(plays, d - 1)) * factor
        square = ratio * sympy.Rational(capacity, d - 1 - capacity) ** 2
        divergence = fn.KL(sympy.Integer(capacity), sympy.Integer(d), square)
        return not rel.violated(at_most(divergence, ratio), {})

    ranges = {"N": range(2, 9), "d": range(3, 9), "m": range(1, 7), "R_d over its least": (1, 10)}
    # KL(m, d) grows with R_d by this factor
    factors = (
        (d, c, Fraction((d - c) * c, d * (d - 1 - c)) ** 2 / 2)
        for d in range(3, 99)
        for c in range(1, d - 1)
    )
    d, capacity, factor = next(found for found in factors if found[2] > 1)
    words = f"KL(m, d) exceeds R_d; for m = {capacity}, d = {d} it does at every large R_d (factor "
    return exhaustive(true, ranges, complete=False, words=f"{words}{decimal(factor, 4)})")


def told_by_the_next_load() -> Part:
    """KL(m, m + 1) <= 0? It is F/2 + theta2/(2 (m+1)^2), the first at least 0, the second above."""
    positive = combined(
        identity(
            fn.KL(m, m + 1, theta2),
            fn.F(((m + 1) / m) ** 2) / 2 + theta2 / (2 * (m + 1) ** 2),
            {m: (1, 9), theta2: (1, 9)},
        ),
        sign(at_most(0 * x, fn.F(x)), {x: _UP}),
        sign(below(0 * m, theta2 / (2 * (m + 1) ** 2)), {m: _UP, theta2: (Fraction(1, 10**9), oo)}),
    )
    words = "KL(m, m + 1) > 0 at every load above m"
    return contradicted(positive, "every m >= 1 and mu > 0", words)


def _one_short() -> Part:
    """m = d - 1: R_d = 0 is below 2 log(N/(d - 1)), the condition, whenever d <= N."""
    excluded = sign(below(0 * x, 2 * log(1 + 1 / x)), {x: _UP})  # N/(d - 1) >= 1 + 1/(d - 1)
    if excluded.verdict is not Verdict.HOLDS:
        return told_by_the_next_load()
    words = "the condition on R_d excludes the case that is hardest to tell"
    return Part(excluded.method, Verdict.NOT_APPLICABLE, "m = d - 1, d <= N", words)


# -- the ledger ----------------------------------------------------------------------------

_A, _B = "thm-4.1a", "thm-4.1b"
_HALF = sympy.Rational(1, 2)

STEPS = (
    Step(_A, "C.1-a", "C.1, display 1, line 1",
         "KL(P_0^l, P_0^l) = KL(m0 X, l X), as printed",
         ("4.1-b",), lambda: _same_law(fn.KL(a, b, theta2)),
         repair="the second law is P_1^l", consequence="a misprint: P_1^l is what is used"),
    Step(_A, "C.1-b", "C.1, display 1, line 2",
         "KL(a X, b X) = F((b/a)^2)/2 + (b - a)^2 theta2/(2 b^2)", (), _closed_form),
    Step(_A, "C.1-c", "C.1, display 1, line 3",
         "it increases in the load: KL(m0, l) <= KL(m0, m1)", ("C.1-b",), increasing),
    Step(_A, "C.1-d", "C.1, display 1, line 4",
         "the bound is KL(m0 X, m1 X)", ("C.1-b",), _closed_form),
    Step(_A, "C.1-e", "C.1, display 1, line 5",
         "which is KL(P_0^l, P_0^l) for l > m1, as printed", ("4.1-b",),
         lambda: combined(_served_in_full(), _same_law(fn.KL(a, b, theta2))),
         repair="the second law is P_1^l", consequence="a misprint: P_1^l is what is used"),
    Step(_A, "C.1-f", "C.1, after display 1",
         "loads in (m0, m1] tell no more than loads above m1", ("C.1-c", "C.1-e"), increasing),
    Step(_A, "C.1-g", "C.1, display 2, line 1",
         "KL(m - 1, m) = F((m/(m-1))^2)/2 + R/2", ("C.1-b",), lambda: _neighbours(_HALF)),
    Step(_A, "C.1-h", "C.1, display 2, line 2",
         "KL(m - 1, m) = F((m/(m-1))^2) + R/2, the half before F lost",
         ("C.1-g",), lambda: _neighbours(sympy.Integer(1)),
         repair="KL(m - 1, m) <= F((m/(m-1))^2) + R/2",
         consequence="F >= 0, so the equality may be read as an inequality"),
    Step(_A, "C.1-i", "C.1, display 2, line 3",
         "F((m/(m-1))^2) <= F(4), m >= 2", ("C.1-h",), _largest_f),
    Step(_A, "C.1-j", "C.1, display 2, line 4", "F(4) = 2 log 2 - 3/4", (), _value_of_f),
    Step(_A, "C.1-k", "C.1, display 2, line 4, under the brace", "2 log 2 - 3/4 <= 1",
         (), _below_one),
    Step(_A, "C.1-l", "C.1, display 2, line 5", "F(4) + R/2 <= R",
         ("C.1-i", "signal-to-noise"), _last_of_c1),
    Step(_A, "C.1-m", "C.1, after display 2: the pair (m, m + 1)", "KL(m, m + 1) <= R",
         ("signal-to-noise",), pair_above),
    Step(_A, "C.1-n", "C.1, display 3, first inequality",
         "KL at loads in (m0, m1] is at most KL above m1", ("C.1-f",), increasing),
    Step(_A, "C.1-o", "C.1, display 3, second inequality",
         "KL above m1 is at most R, for both pairs", ("C.1-l", "C.1-m"), both_pairs),
    Step(_B, "C.2-a", "C.2, step 1: the pairs {d - 1, m} and {m, d}",
         "each pair has a capacity on either side of d", (), _threshold_pairs),
    Step(_B, "C.2-b", "C.2, display, line 1, first equality",
         "divergences add up", ("4.1-d",), additivity),
    Step(_B, "C.2-c", "C.2, display, line 1, second equality",
         "the sum splits at d - 1 and m", ("4.1-e",), split),
    Step(_B, "C.2-d", "C.2, display, line 2, first inequality",
         "for d <= m the divergence is at most R_d times the number of loads from d on",
         ("C.2-f", "C.2-g", "C.2-h", "C.2-i"), irregular_counts),
    Step(_B, "C.2-e", "C.2, display, line 2, second inequality",
         "at most n R_d", ("C.2-d",), all_counts),
    Step(_B, "C.2-f", "C.2, after the display: KL = 0 up to d - 1",
         "a load that both capacities serve tells nothing", ("4.1-f",), no_information),
    Step(_B, "C.2-g", "C.2, after the display: 0 <= KL from d to m",
         "KL(d - 1, l) >= KL(d - 1, d - 1) = 0", ("C.2-f", "C.1-c"), increasing),
    Step(_B, "C.2-h", "C.2, after the display: KL from d to m <= KL above m",
         "KL(d - 1, l) <= KL(d - 1, m)", ("C.1-c",), increasing),
    Step(_B, "C.2-i", "C.2, after the display: KL above m <= R_d",
         "2 log(N/(d-1)) <= R_d gives F((m/(d-1))^2) <= R_d, which is all that is needed",
         ("C.1-b", "threshold-signal-to-noise"), _reached,
         repair="R_d >= F((m/(d-1))^2) is enough: N does not matter"),
    Step(_B, "C.2-j", "C.2, step 3: the pair {m, d}, m <= d - 2",
         "KL(m, d) <= R_d, said to follow as for d <= m",
         ("C.2-a", "threshold-signal-to-noise"), _short_of_d,
         repair="n D <= log(1/(4 delta)) with D = KL(m, d)",
         consequence="the printed size is that of {d - 1, m}; the claim is right for m >= d only"),
    Step(_B, "C.2-k", "C.2, step 3: the pair {m, d}, m = d - 1",
         "KL(m, m + 1) <= R_d = 0", ("C.2-a", "threshold-signal-to-noise"), _one_short,
         repair="state the bound for m >= d",
         consequence="for m = d - 1 the theorem says nothing unless d = N + 1 (an infinite size)"),
)  # fmt: skip
