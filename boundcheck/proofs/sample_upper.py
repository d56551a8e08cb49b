"""Theorem 5.3 (appendix D.2): explorations that suffice.

Notation: f_t = phi(tau), f_i = phi(iota), s = f_t + f_i; A = 49 m^2/mu^2 (first part) or
49 m^2/((m - d + 1)^2 mu^2) (second part), l = log(2/delta); the published size is A l under l >= A,
and phi(n) <= 1/sqrt(A) is

    (1 + 1/n)(l + log(n + 1)/2) A <= 2 n.                                                     (1)

Rewards on [0, 1] have A >= 49.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import sympy
from sympy import log, oo

from boundcheck import functions as fn
from boundcheck import symbols as s
from boundcheck.claims.thm_5_3 import SIZE
from boundcheck.finding import Verdict
from boundcheck.proofs import relations as rel
from boundcheck.proofs.chances import chances
from boundcheck.proofs.methods import computed, contradicted, exhaustive, identity, sign
from boundcheck.proofs.old_form import Step
from boundcheck.proofs.relations import at_most
from boundcheck.proofs.step import Part, combined
from boundcheck.search.hunt import bisected
from simulation.numbers import decimal

f_t, f_i, m, mu, muhat, nuhat = sympy.symbols("f_t f_i m mu muhat nuhat", positive=True)
a, b, g, d, x, ell, A, n = sympy.symbols("a b g d x l A n", positive=True)
width = f_t + f_i
_ANY, _UP = (0, oo), (1, oo)
_POINTS = dict.fromkeys((f_t, f_i, m, mu, d), (1, 9))


# -- first part ----------------------------------------------------------------------------


def narrow_enough(*, strictly: bool) -> Part:
    """An interval around m of width at most (less than) 1 holds no other whole number?"""

    def true(low: Fraction, high: Fraction) -> bool:
        near = high - low < 1 if strictly else high - low <= 1
        inside = [v for v in range(6) if low <= v <= high]
        return not near or not low <= 2 <= high or inside == [2]

    thirds = [Fraction(x, 3) for x in range(1, 12)]
    return exhaustive(
        true,
        {"lower end (m = 2)": thirds, "upper end": thirds},
        complete=True,
        words="ends at, between and beside whole numbers",
    )


def cleared() -> Part:
    """With muhat > s: nuhat/(muhat - s) - nuhat/(muhat + s) - 1, times muhat^2 - s^2."""
    difference = nuhat / (muhat - width) - nuhat / (muhat + width) - 1
    quadratic = width**2 + 2 * nuhat * width - muhat**2
    ranges = {f_t: (1, 2), f_i: (1, 2), muhat: (5, 9), nuhat: (1, 9)}
    return identity(difference * (muhat**2 - width**2), quadratic, ranges)


def replaced() -> Part:
    """nuhat = m(mu + f_i) - b and muhat = (mu - f_t) + a, b, a >= 0, g = mu - f_t >= 0."""
    top = m * (g + f_t + f_i)
    worst = width**2 - g**2 + 2 * top * width
    actual = width**2 - (g + a) ** 2 + 2 * (top - b) * width
    return sign(at_most(actual, worst), dict.fromkeys((m, g, f_t, f_i, a, b), _ANY))


def factored() -> Part:
    before = width**2 - (mu - f_t) ** 2 + 2 * m * (mu + f_i) * width
    after = ((2 * m + 2) * f_t + (2 * m + 1) * f_i - mu) * (mu + f_i)
    return identity(before, after, _POINTS)


def divided() -> Part:
    """x (mu + f_i) <= 0 exactly if x <= 0: the factor is positive."""
    return combined(
        sign(at_most(0 * mu, (mu + f_i) * x), {mu: _ANY, f_i: _ANY, x: _ANY}),
        sign(rel.below(0 * mu, mu + f_i), {mu: (Fraction(1, 10**9), oo), f_i: _ANY}),
    )


def sevenths() -> Part:
    """(2m + 2 + 2m + 1) mu/(7m) <= mu for m >= 1."""
    part = mu / (7 * m)
    return sign(at_most((4 * m + 3) * part, mu), {m: _UP, mu: _ANY})


def signal() -> Part:
    """muhat >= mu - f_t > f_t + f_i for widths of at most mu/(7m): 3 mu/(7m) < mu."""
    part = mu / (7 * m)
    return sign(rel.below(3 * part, mu), {m: _UP, mu: (Fraction(1, 10**9), oo)})


def sizes_of_unit_means() -> Part:
    """(1) at n = A l for l >= A >= 49, and phi falls with n."""
    c = 1 + sympy.Rational(1, 49**2)  # 1 + 1/n at most, as A ell >= 49^2
    return combined(
        _form_of_size(),
        sign(at_most(log(A * (A + x) + 1), log((A + x) ** 2 + 1)), {A: (49, oo), x: _ANY}),
        sign(at_most(c * (ell + log(ell**2 + 1) / 2), 2 * ell), {ell: (49, oo)}),
        falling_width(),
    )


def _form_of_size() -> Part:
    """phi(n)^2 <= 1/A is (1)."""
    squared = rel.unfolded(fn.phi(n, 2 * sympy.exp(-ell))) ** 2
    form = (1 + 1 / n) * (ell + log(n + 1) / 2)
    return identity(squared * 2 * n, form, {n: (1, 50), ell: (1, 50)})


def falling_width() -> Part:
    """phi^2 is (1 + 1/n)(l/n + log(n + 1)/(2n))/2: each part falls, log(n + 1)/n as well."""
    slope = sympy.diff(log(n + 1) / n, n)
    return combined(
        identity(slope * n**2, n / (n + 1) - log(n + 1), {n: (1, 50)}),
        sign(at_most(n / (n + 1), log(n + 1)), {n: _ANY}),
    )


def weaker_condition() -> Part:
    """(1) at n = A l already for l >= log A, A >= 49: then log(A l + 1) <= l + log(l + 1/49)."""
    c = 1 + sympy.Rational(1, 190)  # 1 + 1/n at most, as 49 ell > 190
    bound = c * (ell + (ell + log(ell + sympy.Rational(1, 49))) / 2)
    return combined(
        identity(log(A * ell + 1), log(A) + log(ell + 1 / A), {A: (49, 99), ell: (4, 99)}),
        sign(rel.below(sympy.Rational(389, 100), log(49)), {}),
        sign(at_most(bound, 2 * ell), {ell: (Fraction("3.89"), oo)}),
    )


def sizes_of_any_mean() -> Part:
    """(1) at whole n = A l, the largest l for which n explorations are said to do, any mu/m."""
    failing = [ratio for ratio in _RATIOS if any(_fails(A_, l_) for A_, l_ in _edges(ratio))]
    one = sign(
        rel.below(sympy.Integer(2), 2 * A * (1 / A + log(2) / 2)), {A: (Fraction(1, 10**6), 1)}
    )
    edges = ", ".join(decimal(edge, 6) for edge in _failing_ratios())
    words = f"n = 2 is too few for mu/m in ({edges}), each at some delta"
    if one.verdict is Verdict.HOLDS:
        words += "; n = 1 for mu/m from 7 to 7000, at log(2/delta) = mu^2/(49 m^2)"
    first = min(failing, default=Fraction(0))
    region = f"mu/m = {decimal(first)} is the first of {len(failing)} in a grid of {len(_RATIOS)}"
    return computed("enclosure + calculus", not failing, region, words, sample=True)


_RATIOS = [Fraction(x, 10) for x in range(10, 150)] + [Fraction(100), Fraction(1000)]


def _edges(ratio: Fraction) -> Iterator[tuple[Fraction, Fraction]]:
    """A, and l with A l a whole number, as far as l >= A and delta < 1 allow."""
    A_ = 49 / ratio**2
    for count in (1, 2, 3, 4, 5):
        l_ = count / A_
        if l_ >= A_ and l_ > Fraction(7, 10):  # log 2 < 0.7
            yield A_, l_


def _fails(A_: Fraction, l_: Fraction) -> bool:
    relation = at_most((1 + 1 / n) * (ell + log(n + 1) / 2) * A, 2 * n)
    return rel.violated(relation, {A: A_, ell: l_, n: A_ * l_})


def _failing_ratios() -> tuple[Fraction, Fraction]:
    """mu/m between which n = 2 fails: from A > 4/(3 log 3) on, as long as l = 2/A >= A."""

    def fails(ratio: Fraction) -> bool:
        return _fails(49 / ratio**2, 2 * ratio**2 / 49)

    _, first = bisected(lambda r: 49 / r**2 <= 2 * r**2 / 49, Fraction(5), Fraction(7), 9)
    last, _ = bisected(lambda r: not fails(r), Fraction(5), Fraction(7), 9)
    return first, last


# -- second part ---------------------------------------------------------------------------


def reaches() -> Part:
    """max(ceil(x), 1) >= d exactly if x > d - 1, for d >= 2."""
    return exhaustive(
        lambda thirds: (max(-(-thirds // 3), 1) >= 2) == (thirds > 3),
        {"3 x (d = 2)": range(-3, 12)},
        complete=True,
        words="x at, between and beside whole numbers",
    )


def replaced_below() -> Part:
    """nuhat >= m(mu - f_i) and muhat <= mu + f_t make nuhat - (d - 1)(muhat + s) at least this."""
    nuhat_, muhat_ = m * (mu - f_i) + b, mu + f_t - a
    least = m * (mu - f_i) - (d - 1) * (mu + 2 * f_t + f_i)
    actual = nuhat_ - (d - 1) * (muhat_ + width)
    printed = (m - d + 1) * mu - 2 * (d - 1) * f_t - (d - 1 + m) * f_i
    return combined(
        identity(least, printed, _POINTS),
        sign(
            at_most(least, actual),
            {m: _ANY, mu: _ANY, d: _UP, f_t: _ANY, f_i: _ANY, a: _ANY, b: _ANY},
        ),
    )


def equality_below() -> Part:
    """Both widths so that 2(d-1) f_t + (d-1+m) f_i = (m-d+1) mu, the means at their worst."""
    f = (m - d + 1) * mu / (m + 3 * d - 3)
    low_end = m * (mu - f) / (mu + 3 * f)
    equal = identity(low_end, d - 1, {m: (4, 9), d: (2, 3), mu: (1, 9)})
    words = "the lower end is then d - 1 exactly, if both means are at the worst ends"
    return contradicted(equal, "where both sides are equal", words)


def sevenths_below() -> Part:
    """(2(d-1) + d - 1 + m)(m - d + 1) mu/(7m) < (m - d + 1) mu, m = d + x; 4m would do for 7m."""
    capacity = d + x
    needed = 3 * d - 3 + capacity
    return combined(
        sign(rel.below(needed, 7 * capacity), {d: (2, oo), x: _ANY}),
        sign(at_most(needed, 4 * capacity), {d: (2, oo), x: _ANY}),
    )


def size_below() -> Part:
    """The size of the first part with A' = A/(m - d + 1)^2 >= 49: m - d + 1 <= m."""
    published = SIZE / (s.m - s.d + 1) ** 2
    form = 49 * s.m**2 / ((s.m - s.d + 1) ** 2 * s.mu**2) * log(2 / s.delta)
    ranges = {s.m: (4, 9), s.d: (2, 3), s.mu: (1, 9), s.delta: ("0.01", "0.9")}
    return combined(
        identity(published, form, ranges),
        sign(at_most(49 * x**2, 49 * (x + d) ** 2), {x: _ANY, d: _ANY}),
        sizes_of_unit_means(),
    )


def size_below_of_any_mean() -> Part:
    """4 m phi(n) <= (m-d+1) mu, 8 (1 + 1/n)(l + log(n + 1)/2) A <= 49 n, for whole n >= A l.

    There 1 + 1/n <= 2, A l <= n and, as l >= A, A <= sqrt(n) = x; and log(x^2 + 1) <= 4 x.
    """
    return combined(
        _form_of_size(),
        sign(at_most(log(x**2 + 1), 4 * x), {x: _UP}),
        sign(at_most(16 * (x**2 + x * 4 * x / 2), 49 * x**2), {x: _UP}),
    )


# -- the ledger ----------------------------------------------------------------------------

_A, _B = "thm-5.3a", "thm-5.3b"

STEPS = (
    Step(_A, "5.3-a", "D.2, display 1: learned when the interval is no wider than 1",
         "an interval of width at most 1 around m holds no other whole number",
         ("5.2-a",), lambda: narrow_enough(strictly=False),
         repair="width below 1",
         consequence="at the published size the width is below 1 wherever (1) holds strictly"),
    Step(_A, "5.3-b", "D.2, display 1, repaired: width below 1",
         "an interval of width below 1 around m holds no other whole number",
         ("5.2-a",), lambda: narrow_enough(strictly=True)),
    Step(_A, "5.3-c", "D.2, display 2", "s^2 + 2 nuhat s - muhat^2 <= 0, for muhat > s",
         ("5.3-a",), cleared),
    Step(_A, "5.3-d", "D.2, display 3",
         "it is enough with nuhat at its upper and muhat at its lower bound, for mu >= phi(tau)",
         ("5.3-c", "5.1-f", "5.1-g"), replaced),
    Step(_A, "5.3-e", "D.2, display 4", "the left side is a product with the factor mu + phi(iota)",
         ("5.3-d",), factored),
    Step(_A, "5.3-f", "D.2, display 5", "(2m + 2) phi(tau) + (2m + 1) phi(iota) <= mu",
         ("5.3-e",), divided),
    Step(_A, "5.3-g", "D.2, after display 5: both widths at most mu/(7m)",
         "4m + 3 <= 7m for m >= 1, with equality at m = 1", ("5.3-f",), sevenths),
    Step(_A, "5.3-h", "D.2, display 6: means in (0, 1]",
         "from A log(2/delta) explorations on phi is at most mu/(7m), if delta <= 2 exp(-A)",
         ("5.3-g", "confidence-range"), sizes_of_unit_means),
    Step(_A, "5.3-i", "D.2, display 6: Gaussian means of any size",
         "the same for every mean", ("5.3-g", "confidence-range"), sizes_of_any_mean,
         repair="the smallest x with (4m + 3) phi(x, delta) < mu (sharp-5.3a)",
         consequence="for m = 1 the proof fails there; the probability was never seen above delta"),
    Step(_A, "5.3-j", "D.2, after display 6: the condition on delta",
         "delta <= 2/A is enough for A >= 49, in place of 2 exp(-A)", ("5.3-h",), weaker_condition),
    Step(_A, "5.3-k", "cor:m_sample_complexity, display 1",
         "the estimate is m with probability at least 1 - delta at this size",
         ("5.3-h", "5.1-m", "5.2-a"), lambda: chances(fn.phi, SIZE)),
    Step(_A, "5.3-s", "lma:ufc_m, footnote: s < muhat is assumed and not repeated in 5.3",
         "widths of at most mu/(7m) imply s < muhat, where the means are within them",
         ("5.3-g", "5.1-f"), signal),
    Step(_B, "5.3-l", "D.2, second part, display 1",
         "the lower bound reaches d exactly if nuhat/(muhat + s) > d - 1", ("5.2-a",), reaches),
    Step(_B, "5.3-m", "D.2, second part, display 2",
         "2(d-1) phi(tau) + (d-1+m) phi(iota) < (m-d+1) mu is enough",
         ("5.3-l", "5.1-f", "5.1-g"), replaced_below),
    Step(_B, "5.3-n", "D.2, second part, display 2: equality allowed",
         "with equality the lower end is still above d - 1", ("5.3-m",), equality_below,
         repair="< in place of <=",
         consequence="the next step makes it strict: 3d - 3 + m < 7m"),
    Step(_B, "5.3-o", "D.2, second part: both widths at most (m-d+1) mu/(7m)",
         "3d - 3 + m < 7m; 4m would do, so 49 may be 16", ("5.3-m",), sevenths_below),
    Step(_B, "5.3-p", "D.2, second part, display 3: means in (0, 1]",
         "from the published size on phi is at most (m-d+1) mu/(7m)",
         ("5.3-o", "threshold-confidence-range"), size_below),
    Step(_B, "5.3-q", "D.2, second part, display 3: Gaussian means of any size",
         "(m + 3d - 3) phi < (m-d+1) mu at the published size, rounded up",
         ("5.3-o", "threshold-confidence-range"), size_below_of_any_mean),
    Step(_B, "5.3-r", "cor:m_sample_complexity, second part",
         "the lower bound is d or more with probability at least 1 - delta",
         ("5.3-p", "5.1-m"), lambda: chances(fn.phi, SIZE / (s.m - s.d + 1) ** 2, threshold=2)),
)  # fmt: skip
