"""Theorem 4.1 (body, appendices C.1 and C.2) and remark 4.2: learning a capacity takes time.

Notation: a < b the two capacities to tell apart, theta2 = mu^2/sigma^2, R = theta2/m^2,
R_d = (m - d + 1)^2 R; F(x) = log x + 1/x - 1; KL(a, b) = F((b/a)^2)/2 + (b - a)^2 theta2/(2 b^2).
An arm of capacity c shows min(l, c) X at load l, so at load l the divergence is
KL(min(l, a), min(l, b)). n_low, n_mid, n_top count the loads up to a, in (a, b], above b.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

import sympy
from sympy import exp, log, oo

from boundcheck import functions as fn
from boundcheck import symbols as s
from boundcheck.claims.thm_4_1 import EXPLORATIONS
from boundcheck.falsification.search import bisected
from boundcheck.proofs import gaussian
from boundcheck.proofs import relations as rel
from boundcheck.proofs.methods import computed, exhaustive, identity, on_box, sign
from boundcheck.proofs.relations import at_most
from boundcheck.proofs.step import Checked, Step, combined
from simulation.numbers import decimal

a, b, theta2, R, x, t, u, p = sympy.symbols("a b theta2 R x t u p", positive=True)
mean, scale = sympy.symbols("mu sigma", positive=True)
m = s.m
_UP, _ANY, _FROM_2 = (1, oo), (0, oo), (2, oo)
F4 = fn.F(sympy.Integer(4))
BELOW = fn.KL(m - 1, m, R * m**2)  # the pair (m - 1, m)
ABOVE = fn.KL(m, m + 1, R * m**2)  # the pair (m, m + 1)
_PAIRS = tuple(product((1, 2, 3), (1, 2), (Fraction(1, 4), Fraction(1), Fraction(9)), (1, 2, 5)))

Problem = tuple[int, int, Fraction, int]  # a, b - a, theta2, n


# -- body --------------------------------------------------------------------------------


def _reduction() -> Checked:
    """{the estimate is the other one} implies {the estimate is wrong}."""
    return exhaustive(
        lambda pair, estimate: (estimate == pair[1]) <= (estimate != pair[0]),
        {"(truth, other)": ((0, 1), (1, 0)), "estimate": (0, 1, 2)},
        complete=True,
        words="2 stands for every other value",
    )


def _observation() -> Checked:
    return exhaustive(
        lambda load, c: min(load, c) == (c if load > c else load),
        {"l": (1, 2, 3), "c": (2,)},
        complete=True,
        words="below, at and above the capacity",
    )


def _le_cam() -> Checked:
    """1 - TV >= exp(-kl)/2 for two outcomes (data processing: enough); and exact Gaussian tests."""
    other = p + (1 - p) * u  # 1 - other = (1 - p)(1 - u) saves a cancellation
    divergence = p * log(p / other) - (1 - p) * log(1 - u)
    two_outcomes = on_box(
        at_most(exp(-divergence) / 4, (1 - (other - p)) / 2), {p: ("0.01", "0.99"), u: (0, "0.99")}
    )
    return combined(two_outcomes, _exact_errors(_PAIRS, lambda a, b, th, n: n * fn.KL(a, b, th)))


def _exact_errors(problems: Sequence[Problem], exponent: Callable[..., sympy.Expr]) -> Checked:
    """The exact minimax error beside exp(-exponent(a, b, theta2, n))/4."""
    ratios = []
    for low, more, square, count in problems:
        values = [sympy.Rational(v) for v in (low, low + more, square, count)]
        error = rel.value(fn.two_point_error(*values), {})
        ratios.append(error / rel.value(exp(-exponent(*values)) / 4, {}))
        if not ratios[-1] >= 1:
            at = f"a = {low}, b = {low + more}, theta2 = {square}, n = {count}"
            return computed("exact test", False, f"at {at}", "the minimax error is smaller")
    closest = min(float(ratio) for ratio in ratios)
    words = f"{len(ratios)} two-point problems, error at least {closest:.4g} times the bound"
    return computed("exact test", True, "a <= 3, b <= a + 2, n <= 5", words, sample=True)


def _additivity() -> Checked:
    first = [(a * mean, a * scale), (a * mean, a * scale), (x * mean, x * scale)]
    second = [(b * mean, b * scale), (b * mean, b * scale), (t * mean, t * scale)]
    square = mean**2 / scale**2
    return identity(
        gaussian.joint_divergence(first, second),
        2 * fn.KL(a, b, square) + fn.KL(x, t, square),
        dict.fromkeys((a, b, x, t, mean, scale), (1, 5)),
    )


def _split() -> Checked:
    """Every load lies in exactly one of the three sums."""
    return exhaustive(
        lambda load: (load <= 2) + (2 < load <= 4) + (load > 4) == 1,
        {"l (m0 = 2, m1 = 4)": (1, 2, 3, 4, 5)},
        complete=True,
        words="every order of l, m0 and m1",
    )


def _no_information() -> Checked:
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
_COUNTS = dict.fromkeys((_low, _mid, _top, _K, _more, _room), _ANY)
_BOUND = _K + _more + _room  # R: at least KL(a, b) = K + more, which is at least KL(a, l) = K


def _irregular_counts() -> Checked:
    return sign(at_most(_mid * _K + _top * (_K + _more), (_mid + _top) * _BOUND), _COUNTS)


def _all_counts() -> Checked:
    return sign(at_most((_mid + _top) * _BOUND, (_low + _mid + _top) * _BOUND), _COUNTS)


def _falling() -> Checked:
    return sign(at_most(exp(-x - t), exp(-x)), {x: _ANY, t: _ANY})


def _size() -> Checked:
    """At the published size exp(-n R)/4 is delta; it falls with n."""
    at_size = exp(-EXPLORATIONS.expression * s.snr) / 4
    ranges = {s.mu: (1, 9), m: (1, 9), s.sigma2: (1, 9), s.delta: ("0.001", "0.2")}
    return combined(identity(at_size, s.delta, ranges), _falling())


def _one_capacity() -> Checked:
    """The estimator that always says 2, where the capacity is 2, for any law of observations."""
    law = {"low": Fraction(1, 3), "high": Fraction(2, 3)}
    wrong = {truth: sum((w for w in law.values() if truth != 2), Fraction(0)) for truth in (1, 2)}
    return computed(
        "exhaustive",
        wrong[2] > 0,
        "every m, n and delta > 0",
        f"the estimator that always says 2 errs with probability {wrong[2]} where the capacity "
        f"is 2, and {wrong[1]} where it is 1",
    )


# -- C.1 ---------------------------------------------------------------------------------


def _same_law(other: sympy.Expr) -> Checked:
    """As printed the divergence is of P_0 from itself: 0, whatever stands on the other side."""
    return identity(fn.KL(a, a, theta2), other, {a: (1, 3), b: (2, 4), theta2: (1, 4)})


def _closed_form() -> Checked:
    by_moments = gaussian.divergence((a * mean, a * scale), (b * mean, b * scale))
    ranges = dict.fromkeys((a, b, mean, scale), (1, 5))
    return identity(by_moments, fn.KL(a, b, mean**2 / scale**2), ranges)


def _increasing() -> Checked:
    """F increases beyond 1, and KL(a, a + t) in t."""
    slope = sympy.diff(rel.unfolded(fn.KL(a, a + t, theta2)), t)
    return combined(
        sign(at_most(0 * x, sympy.diff(rel.unfolded(fn.F(x)), x)), {x: _UP}),
        sign(at_most(0 * x, slope), {a: _UP, t: _ANY, theta2: _ANY}),
    )


def _served_in_full() -> Checked:
    return exhaustive(
        lambda load: (min(load, 2), min(load, 4)) == (2, 4),
        {"l (m0 = 2, m1 = 4)": (5, 6)},
        complete=True,
        words="beyond m1 the load does not matter",
    )


def _neighbours(factor: sympy.Rational) -> Checked:
    form = factor * fn.F((m / (m - 1)) ** 2) + R / 2
    return identity(BELOW, form, {m: (2, 9), R: (1, 9)})


def _largest_f() -> Checked:
    return sign(at_most(fn.F((m / (m - 1)) ** 2) + R / 2, F4 + R / 2), {m: _FROM_2, R: _ANY})


def _value_of_f() -> Checked:
    return identity(F4, 2 * log(2) - sympy.Rational(3, 4), {})


def _below_one() -> Checked:
    return sign(at_most(2 * log(2) - sympy.Rational(3, 4), sympy.Integer(1)), {})


def _last_of_c1() -> Checked:
    found = sign(at_most(F4 + R / 2, R), {R: _FROM_2})
    largest = float(rel.value(F4, {}))
    words = f"this chain needs R >= {2 * largest:.12g}; KL(1, 2) <= R itself R >= {largest:.12g}"
    return Checked(found.method, found.verdict, found.region, f"{found.detail}; {words}")


def pair_above() -> Checked:
    """F falls in m, so F(4) is the largest: F(4)/2 + R m^2/(2 (m+1)^2) <= R."""
    rest = R * m**2 / (2 * (m + 1) ** 2)
    found = combined(
        identity(ABOVE, fn.F(((m + 1) / m) ** 2) / 2 + rest, {m: (1, 9), R: (1, 9)}),
        sign(at_most(fn.F(((m + 1) / m) ** 2), F4), {m: _UP}),
        sign(at_most(F4 / 2 + rest, R), {m: _UP, R: _FROM_2}),
    )
    needed = ", ".join(_least_ratio(ABOVE, capacity) for capacity in (1, 2, 3))
    words = f"for m = 1, 2, 3 it is true from R = {needed} on"
    return Checked(found.method, found.verdict, found.region, words)


def _least_ratio(divergence: sympy.Expr, capacity: int) -> str:
    """The R from which on KL <= R, by certified bisection."""

    def true(ratio: Fraction) -> bool:
        return not rel.violated(at_most(divergence, R), {m: Fraction(capacity), R: ratio})

    _, high = bisected(true, Fraction(0), Fraction(2), 14)
    return decimal(high, 12)


def _sum_of_c1() -> Checked:
    pair_below = sign(at_most(BELOW, R), {m: _FROM_2, R: _FROM_2})
    return combined(_increasing(), pair_below, pair_above())


# -- C.2 ---------------------------------------------------------------------------------


def _threshold_pairs() -> Checked:
    """The two capacities of the pair lie on different sides of d = 5."""

    def separated(capacity: int) -> bool:
        pair = (4, capacity) if capacity >= 5 else (capacity, 5)
        return (pair[0] >= 5) != (pair[1] >= 5)

    words = "every order of m, d - 1 and d"
    return exhaustive(separated, {"m (d = 5)": (3, 4, 5, 6)}, complete=True, words=words)


def _reached() -> Checked:
    """KL(d - 1, m) = F(x^2)/2 + R_d/2 with x = m/(d - 1), F(x^2) <= 2 log x <= 2 log(N/(d - 1))."""
    square = R * m**2 / (m - a) ** 2  # R stands for R_d, a for d - 1
    form = fn.F((m / a) ** 2) / 2 + R / 2
    return combined(
        identity(fn.KL(a, m, square), form, {a: (1, 3), m: (4, 9), R: (1, 9)}),
        sign(at_most(fn.F(x**2), 2 * log(x)), {x: _UP}),
        sign(at_most(log(x), log(x + t)), {x: _UP, t: _ANY}),
        sign(at_most(x / 2 + (x + t) / 2, x + t), {x: _ANY, t: _ANY}),
    )


def _short_of_d() -> Checked:
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


def _informative() -> Checked:
    """KL(m, m + 1) <= 0?"""
    return sign(at_most(fn.KL(m, m + 1, theta2), 0 * theta2), {m: _UP, theta2: _ANY})


# -- remark 4.2 ----------------------------------------------------------------------------


def _farther_pairs() -> Checked:
    """KL(m, m1) <= R for every m1 > m?"""
    relation = at_most(fn.KL(m, b, R * m**2), R)

    def true(capacity: int, more: int, ratio: int) -> bool:
        return not rel.violated(
            relation, {m: Fraction(capacity), b: Fraction(capacity + more), R: Fraction(ratio)}
        )

    return exhaustive(
        true, {"m": range(1, 9), "m1 - m": range(1, 9), "R": (2, 100)}, complete=False
    )


def _irregular_error() -> Checked:
    """n' loads above m and R >= 2: the exact error is at least exp(-n' R)/4."""
    cases = product((1, 2, 3), (2, 4), (1, 2, 4))
    problems = [(low, 1, Fraction(ratio * low**2), n) for low, ratio, n in cases]
    return _exact_errors(problems, lambda a, b, square, n: n * square / a**2)


# -- the ledger ----------------------------------------------------------------------------

_A, _B, _REM = "thm-4.1a", "thm-4.1b", "rem-4.2"
_HALF = sympy.Rational(1, 2)
_MINIMAX = "true as a statement about the larger of the two errors"

STEPS = (
    Step(_A, "4.1-a", "4.1 proof, step 1: the reduction to a pair",
         "an estimator errs at least as often as the test made of it",
         (), _reduction),
    Step(_A, "4.1-b", "4.1 proof, step 1: the hypotheses H_0 and H_1",
         "at load l an arm of capacity c shows min(l, c) X",
         (), _observation),
    Step(_A, "4.1-c", "4.1 proof, step 2: Le Cam's inequality",
         "the larger error of any test is at least exp(-KL)/4",
         ("Tsybakov, Theorem 2.2",), _le_cam),
    Step(_A, "4.1-d", "eq:kl-decompose, line 1",
         "the divergence of independent observations is the sum of theirs",
         ("4.1-b",), _additivity),
    Step(_A, "4.1-e", "eq:kl-decompose, line 2",
         "the sum over loads splits at m0 and m1",
         ("4.1-d",), _split),
    Step(_A, "4.1-f", "4.1 proof, step 3: KL = 0 for l <= m0",
         "a load that both capacities serve tells nothing",
         ("4.1-b",), _no_information),
    Step(_A, "4.1-g", "4.1 proof, step 3: KL <= KL <= R",
         "for l > m0 the divergence is at most R = mu^2/(m^2 sigma^2)",
         ("C.1-n", "signal-to-noise"), lambda: _sum_of_c1()),
    Step(_A, "4.1-h", "eq:not-m-explore, first inequality",
         "the divergence is at most R times the number of loads above m0",
         ("4.1-e", "4.1-f", "4.1-g"), _irregular_counts),
    Step(_A, "4.1-i", "eq:not-m-explore, second inequality",
         "which is at most n R", ("4.1-h",), _all_counts),
    Step(_A, "4.1-j", "4.1 proof, step 3: error >= exp(-n R)/4",
         "a larger exponent makes a smaller bound", ("4.1-c", "4.1-i"), _falling),
    Step(_A, "4.1-k", "4.1 proof, last display: n <= log(1/(4 delta))/R",
         "up to this n the bound exp(-n R)/4 is at least delta", ("4.1-j",), _size),
    Step(_A, "4.1-l", "thm:sample_lower_bound, display",
         "P(the estimate is not m) >= delta for every estimator, at the one capacity m",
         ("4.1-k",), _one_capacity,
         repair="max over the two hypotheses of P(the estimate is wrong) >= delta",
         consequence=_MINIMAX),
    Step(_A, "C.1-a", "C.1, display 1, line 1",
         "KL(P_0^l, P_0^l) = KL(m0 X, l X), as printed",
         ("4.1-b",), lambda: _same_law(fn.KL(a, b, theta2)),
         repair="the second law is P_1^l", consequence="a misprint: P_1^l is what is used"),
    Step(_A, "C.1-b", "C.1, display 1, line 2",
         "KL(a X, b X) = F((b/a)^2)/2 + (b - a)^2 theta2/(2 b^2)", (), _closed_form),
    Step(_A, "C.1-c", "C.1, display 1, line 3",
         "it increases in the load: KL(m0, l) <= KL(m0, m1)", ("C.1-b",), _increasing),
    Step(_A, "C.1-d", "C.1, display 1, line 4",
         "the bound is KL(m0 X, m1 X)", ("C.1-b",), _closed_form),
    Step(_A, "C.1-e", "C.1, display 1, line 5",
         "which is KL(P_0^l, P_0^l) for l > m1, as printed", ("4.1-b",),
         lambda: combined(_served_in_full(), _same_law(fn.KL(a, b, theta2))),
         repair="the second law is P_1^l", consequence="a misprint: P_1^l is what is used"),
    Step(_A, "C.1-f", "C.1, after display 1",
         "loads in (m0, m1] tell no more than loads above m1", ("C.1-c", "C.1-e"), _increasing),
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
    Step(_A, "C.1-n", "C.1, display 3", "KL at loads in (m0, m1] <= KL above m1 <= R, both pairs",
         ("C.1-f", "C.1-l", "C.1-m"), _sum_of_c1),
    Step(_B, "C.2-a", "C.2, step 1: the pairs {d - 1, m} and {m, d}",
         "each pair has a capacity on either side of d", (), _threshold_pairs),
    Step(_B, "C.2-b", "C.2, display, line 1, first equality",
         "divergences add up", ("4.1-d",), _additivity),
    Step(_B, "C.2-c", "C.2, display, line 1, second equality",
         "the sum splits at d - 1 and m", ("4.1-e",), _split),
    Step(_B, "C.2-d", "C.2, display, line 2, first inequality",
         "for d <= m the divergence is at most R_d times the number of loads from d on",
         ("C.2-e",), _irregular_counts),
    Step(_B, "C.2-e", "C.2, after the display: KL(d - 1, m) <= R_d",
         "2 log(N/(d-1)) <= R_d gives F((m/(d-1))^2) <= R_d, which is all that is needed",
         ("C.1-b", "C.1-c", "threshold-signal-to-noise"),
         lambda: combined(_no_information(), _increasing(), _reached()),
         repair="R_d >= F((m/(d-1))^2) is enough: N does not matter"),
    Step(_B, "C.2-f", "C.2, display, line 2, second inequality",
         "at most n R_d", ("C.2-d",), _all_counts),
    Step(_B, "C.2-g", "C.2, step 3: the pair {m, d}, m <= d - 2",
         "KL(m, d) <= R_d, said to follow as for d <= m",
         ("C.2-a", "threshold-signal-to-noise"), _short_of_d,
         repair="n D <= log(1/(4 delta)) with D = KL(m, d)", survives=False,
         consequence="the printed size is that of {d - 1, m}; the claim is right for m >= d only"),
    Step(_B, "C.2-h", "C.2, step 3: the pair {m, d}, m = d - 1",
         "KL(m, m + 1) <= R_d = 0", ("C.2-a",), _informative,
         repair="state the bound for m >= d", survives=False,
         consequence="the printed size is infinite for m = d - 1, one exploration too many tells"),
    Step(_REM, "4.2-a", "remark 4.2: the middle term of eq:not-m-explore",
         "with the pair (m, m + 1) only loads above m count",
         ("4.1-f", "4.1-h", "C.1-m"), lambda: combined(_no_information(), pair_above())),
    Step(_REM, "4.2-b", "remark 4.2: any m1 > m", "KL(m, m1) <= R for every m1 > m",
         ("signal-to-noise",), _farther_pairs, repair="m1 = m + 1",
         consequence="the pair (m, m + 1) is all that is used later"),
    Step(_REM, "4.2-c", "remark 4.2, display",
         "with at most the published number of loads above m the larger error is at least delta",
         ("4.2-a", "4.1-c"), _irregular_error),
    Step(_REM, "4.2-d", "remark 4.2: the second result, with the pair {m, d}",
         "only loads that cost regret tell whether the capacity reaches d",
         ("C.2-g",), _informative,
         repair="none: the load d = mbar itself tells m >= d from m = d - 1, and costs nothing",
         survives=False,
         consequence="the first half of the remark stands, the second does not"),
)  # fmt: skip
