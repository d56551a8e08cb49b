"""Theorem 5.3 (appendix D.2): explorations that suffice.

Notation: f_t = phi(tau), f_i = phi(iota), s = f_t + f_i; l = log(2/delta), and 1/sqrt(A) the width
to reach, mu/(7m) or (m - d + 1) mu/(7m), A >= 49 for rewards on [0, 1]; the published size is A l
under l >= A. phi(n) <= 1/sqrt(A) at n = r A l is (1 + 1/n)(l + log(n + 1)/2) <= 2 r l.  (1)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import ceil

import sympy
from flint import arb
from sympy import Expr, Rational, log, oo

from boundcheck.calculator.numbers import balls
from boundcheck.claims.card import Claim, Quantity, Term
from boundcheck.proof_steps import relations as rel
from boundcheck.proof_steps.parts import at_most, below, cases, certified_number, equal, largest
from boundcheck.proof_steps.step import Part, Parts, Proof, StepRepair
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.explorations.cards import SIZE
from boundcheck.theories.shareable_arms.explorations.enough import SufficientSize
from simulation.rewards.laws import Bernoulli, Gaussian, RewardLaw

f_t, f_i, m, mu, muhat, nuhat = sympy.symbols("f_t f_i m mu muhat nuhat", positive=True)
a, b, g, d, x, ell, A, n = sympy.symbols("a b g d x l A n", positive=True)
width = f_t + f_i
_ANY, _UP, _POSITIVE = (0, oo), (1, oo), (Fraction(1, 10**9), oo)
_FORM = (1 + 1 / n) * (ell + log(n + 1) / 2)
SIZE_BELOW = SIZE / (s.m - s.d + 1) ** 2

# -- at the size itself ----------------------------------------------------------------------

_LAWS: tuple[RewardLaw, ...] = (Gaussian(Fraction(1, 4)), Bernoulli())
_CASES = ((1, "1"), (1, "0.5"), (2, "0.75"), (3, "1"), (1, "8"))
_ARMS = [
    (capacity, Fraction(mean), law)
    for (capacity, mean), law in product(_CASES, _LAWS)
    if law.admits(Fraction(mean))
]


def chance_unmet(claim: str, size: Expr, threshold: int | None = None) -> Part:
    """P(the bounds do not meet at m), m < N, or (`threshold`) P(the lower bound stays below it).

    One time, both counts at the size rounded up, with the width of the claim.
    """
    card = replace(find(claim), quantities=(Quantity("", "", (Term("", size),)),))
    arms = [arm for arm in _ARMS if arm[0] >= (threshold or 1)]
    told = ", ".join(f"({capacity}, {mean}, {law.name})" for capacity, mean, law in arms)
    return certified_number(
        largest(_in_deltas(card, *arm, threshold) for arm in arms),
        at_most=1,
        region=f"(m, mu, law) = {told}",
        words="the largest chance, in multiples of delta",
        sample=True,
    )


def _in_deltas(card: Claim, m: int, mean: Fraction, law: RewardLaw, threshold: int | None) -> arb:
    """At the largest power of ten that delta <= 2 exp(-A) allows."""
    digits = ceil(float(49 * m**2 / mean**2) / float(log(10)))
    delta = Fraction(1, 10 ** max(digits, 1))
    with balls.precision(rel.BITS):
        looks = SufficientSize(mean, m, m + 1, law, delta, threshold).looks(card)
        explored, width = looks.explored, looks.width(card)
        if threshold is None:
            low, (_, high) = explored.open_above(m, width).lower(), explored.unlearned(width)
        else:
            low, high = explored.unreached(threshold, width)
        return low.union(high) / balls.ball(delta)


# -- first part ----------------------------------------------------------------------------

LEARN = Proof("thm-5.3a", "5.3")


@LEARN.step(
    "a",
    "D.2, display 1: learned when the interval is no wider than 1",
    "5.2-a",
    repair=StepRepair("The width is below 1", {"strictly": True}),
    consequence="at the published size the width is below 1 wherever (1) holds strictly",
)
def narrow_enough(strictly: bool = False) -> Parts:
    """An interval of width at most 1 around m holds no other whole number."""

    def true(low: Fraction, high: Fraction) -> bool:
        near = high - low < 1 if strictly else high - low <= 1
        inside = [v for v in range(6) if low <= v <= high]
        return not near or not low <= 2 <= high or inside == [2]

    thirds = [Fraction(x, 3) for x in range(1, 12)]
    ends = {"lower end (m = 2)": thirds, "upper end": thirds}
    yield cases(true, ends, complete=True, words="ends at, between and beside whole numbers")


@LEARN.step("b", "D.2, display 1, repaired: width below 1", "5.2-a", strictly=False)
def narrower(strictly: bool = True) -> Parts:
    """An interval of width below 1 around m holds no other whole number."""
    yield from narrow_enough(strictly)


@LEARN.step("c", "D.2, display 2", "a", twice=1)
def cleared(twice: Expr = 2) -> Parts:
    """s^2 + 2 nuhat s - muhat^2 <= 0, for muhat > s."""
    difference = nuhat / (muhat - width) - nuhat / (muhat + width) - 1
    quadratic = width**2 + twice * nuhat * width - muhat**2
    ranges = {f_t: (1, 2), f_i: (1, 2), muhat: (5, 9), nuhat: (1, 9)}
    yield equal(difference * (muhat**2 - width**2), quadratic).on(ranges)


@LEARN.step("d", "D.2, display 3", "c, 5.1-f, 5.1-g", top=m * (g + f_t), low=g + f_t)
def _replaced(top: Expr = m * (g + f_t + f_i), low: Expr = g) -> Parts:
    """It is enough with nuhat at its upper and muhat at its lower bound, for mu >= phi(tau)."""
    # g = mu - f_t; nuhat and muhat are b below and a above those bounds
    actual = width**2 - (g + a) ** 2 + 2 * (m * (g + f_t + f_i) - b) * width
    worst = width**2 - low**2 + 2 * top * width
    yield at_most(actual, worst).on(dict.fromkeys((m, g, f_t, f_i, a, b), _ANY))


@LEARN.step("e", "D.2, display 4", "d", tau=2 * m + 1, iota=2 * m + 2)
def factored(tau: Expr = 2 * m + 2, iota: Expr = 2 * m + 1) -> Parts:
    """The left side is a product with the factor mu + phi(iota)."""
    before = width**2 - (mu - f_t) ** 2 + 2 * m * (mu + f_i) * width
    after = (tau * f_t + iota * f_i - mu) * (mu + f_i)
    yield equal(before, after).on(dict.fromkeys((f_t, f_i, m, mu), (1, 9)))


@LEARN.step("f", "D.2, display 5", "e", factor=mu - f_i)
def divided(factor: Expr = mu + f_i) -> Parts:
    """(2m + 2) phi(tau) + (2m + 1) phi(iota) <= mu: the other factor is positive."""
    yield below(0, factor).on({mu: _POSITIVE, f_i: _ANY})


@LEARN.step("g", "D.2, after display 5: both widths at most mu/(7m)", "f", parts=6)
def _sevenths(parts: Expr = 7) -> Parts:
    """4m + 3 <= 7m for m >= 1, with equality at m = 1."""
    yield at_most((4 * m + 3) * mu / (parts * m), mu).on({m: _UP, mu: _ANY})


@LEARN.step("h", "D.2, display 6: means in (0, 1]", "g, confidence-range", size=SIZE / 2)
def sizes_of_unit_means(size: Expr = SIZE) -> Parts:
    """From A log(2/delta) explorations on phi is at most mu/(7m), if delta <= 2 exp(-A)."""
    yield from _sizes(size, s.mu / (7 * s.m))


def _sizes(size: Expr, reached: Expr) -> Parts:
    """(1) at n = r A l for l >= A >= 49, where log(n + 1) <= log(l^2 + 1), and phi falls with n."""
    ratio = _ratio(size, reached)
    most = 1 + 1 / (49**2 * ratio)  # of 1 + 1/n
    yield from _form_of_size()
    yield at_most(log(A * (A + x) + 1), log((A + x) ** 2 + 1)).on({A: (49, oo), x: _ANY})
    yield at_most(most * (ell + log(ell**2 + 1) / 2), 2 * ratio * ell).on({ell: (49, oo)})
    # phi^2 is (1 + 1/n)(l/n + log(n + 1)/(2n))/2: each part falls, log(n + 1)/n as well
    falls = n / (n + 1) - log(n + 1)
    yield equal(sympy.diff(log(n + 1) / n, n) * n**2, falls).on({n: (1, 50)})
    yield at_most(falls, 0).on({n: _ANY})


def _ratio(size: Expr, reached: Expr) -> Expr:
    """r: the size in multiples of A l."""
    return sympy.simplify(size * reached**2 / log(2 / s.delta))


def _form_of_size() -> Parts:
    """phi(n)^2 <= 1/A is (1)."""
    squared = rel.unfolded(fn.phi(n, 2 * sympy.exp(-ell))) ** 2
    yield equal(squared * 2 * n, _FORM).on({n: (1, 50), ell: (1, 50)})


@LEARN.step(
    "i",
    "D.2, display 6: Gaussian means of any size",
    "g, confidence-range",
    true_with={"size": 2 * SIZE},
    under={a.name: {"largest": 1} for a in (given.MEAN_WITHIN_CAPACITY, given.BOUNDED_MEANS)},
    repair=StepRepair("The smallest x with (4m + 3) phi(x, delta) < mu (sharp-5.3a)"),
    consequence="for m = 1 the proof fails there; the probability was never seen above delta",
)
def sizes_of_any_mean(size: Expr = SIZE, largest: int = 1000) -> Parts:
    """The same for every mean."""
    needed = rel.goal_at_most(_FORM * A, 2 * n)
    share = Fraction(_ratio(size, s.mu / (7 * s.m)))

    def true(ratio: Fraction, count: int) -> bool:
        scale = 49 / ratio**2
        level = count / (share * scale)  # the largest l for which this count is said to do
        allowed = level >= scale and level > Fraction(7, 10)  # delta < 1: log 2 < 0.7
        return not allowed or not rel.violated(needed, {A: scale, ell: level, n: Fraction(count)})

    looked_at = (Fraction(x, 10) for x in (*range(10, 150), 1000, 10000))
    ratios = [ratio for ratio in looked_at if ratio <= largest]
    words = "n at the smallest delta for which it is said to do"
    yield cases(true, {"mu/m": ratios, "n": range(1, 6)}, complete=False, words=words)


@LEARN.step("j", "D.2, after display 6: the condition on delta", "h", size=SIZE * 3 / 4)
def weaker_condition(size: Expr = SIZE) -> Parts:
    """delta <= 2/A is enough for A >= 49, in place of 2 exp(-A)."""
    # l >= log A > 3.89, so log(A l + 1) <= l + log(l + 1/49), and n >= 49 l r > 190 r
    ratio = _ratio(size, s.mu / (7 * s.m))
    bound = (1 + 1 / (190 * ratio)) * (ell + (ell + log(ell + Rational(1, 49))) / 2)
    yield equal(log(A * ell + 1), log(A) + log(ell + 1 / A)).on({A: (49, 99), ell: (4, 99)})
    yield below(Rational(389, 100), log(49)).on({})
    yield at_most(bound, 2 * ratio * ell).on({ell: (Fraction("3.89"), oo)})


@LEARN.step("k", "cor:m_sample_complexity, display 1", "h, 5.1-m, 5.2-a", size=SIZE / 9)
def chance_of_learning(size: Expr = SIZE) -> Parts:
    """The estimate is m with probability at least 1 - delta at this size."""
    yield chance_unmet("thm-5.3a", size)


@LEARN.step(
    "s", "lma:ufc_m, footnote: s < muhat is assumed and not repeated in 5.3", "g, 5.1-f", parts=3
)
def signal(parts: Expr = 7) -> Parts:
    """Widths of at most mu/(7m) imply s < muhat, where the means are within them."""
    # muhat >= mu - f_t, which exceeds s if all three widths are below mu
    yield below(3 * mu / (parts * m), mu).on({m: _UP, mu: _POSITIVE})


# -- second part ---------------------------------------------------------------------------

REACH = Proof("thm-5.3b", "5.3")


@REACH.step("l", "D.2, second part, display 1", "5.2-a", up=round, least=2)
def _reaches(up: Callable[[Fraction], int] = ceil, least: int = 1) -> Parts:
    """The lower bound reaches d exactly if nuhat/(muhat + s) > d - 1."""
    ends = [Fraction(thirds, 3) for thirds in range(-3, 12)]
    yield cases(
        lambda end, wanted: (max(up(end), least) >= wanted) == (end > wanted - 1),
        {"lower end": ends, "d": (2, 3)},
        complete=True,
    )


@REACH.step("m", "D.2, second part, display 2", "l, 5.1-f, 5.1-g", tau=d - 1, iota=m)
def replaced_below(tau: Expr = 2 * (d - 1), iota: Expr = d - 1 + m) -> Parts:
    """2(d-1) phi(tau) + (d-1+m) phi(iota) < (m-d+1) mu is enough."""
    # nuhat >= m(mu - f_i) and muhat <= mu + f_t, by b and a
    actual = m * (mu - f_i) + b - (d - 1) * (mu + f_t - a + width)
    ranges = {**dict.fromkeys((m, mu, f_t, f_i, a, b), _ANY), d: _UP}
    yield at_most((m - d + 1) * mu - tau * f_t - iota * f_i, actual).on(ranges)


@REACH.step(
    "n",
    "D.2, second part, display 2: equality allowed",
    "m",
    repair=StepRepair("< in place of <=", {"share": Rational(99, 100)}),
    consequence="the next step makes it strict: 3d - 3 + m < 7m",
)
def equality_below(share: Expr = 1) -> Parts:
    """With equality the lower end is still above d - 1."""
    # both widths this share of (m-d+1) mu/(m+3d-3), the means at their worst ends, m = d + x
    capacity = d + x
    f = share * (x + 1) * mu / (capacity + 3 * d - 3)
    low_end = capacity * (mu - f) / (mu + 3 * f)
    yield below(d - 1, low_end).on({d: (2, oo), x: _ANY, mu: _POSITIVE})


@REACH.step("o", "D.2, second part: both widths at most (m-d+1) mu/(7m)", "m", parts=3)
def sevenths_below(parts: Expr = 7) -> Parts:
    """3d - 3 + m < 7m; 4m would do, so 49 may be 16."""
    capacity = d + x
    yield below(3 * d - 3 + capacity, parts * capacity).on({d: (2, oo), x: _ANY})
    yield at_most(3 * d - 3 + capacity, 4 * capacity).on({d: (2, oo), x: _ANY})


@REACH.step(
    "p",
    "D.2, second part, display 3: means in (0, 1]",
    "o, threshold-confidence-range",
    size=SIZE_BELOW / 2,
)
def size_below(size: Expr = SIZE_BELOW) -> Parts:
    """From the published size on phi is at most (m-d+1) mu/(7m)."""
    yield at_most(49 * (x + 1) ** 2, 49 * (x + d) ** 2).on({x: _ANY, d: (2, oo)})  # A >= 49
    yield from _sizes(size, (s.m - s.d + 1) * s.mu / (7 * s.m))


@REACH.step(
    "q",
    "D.2, second part, display 3: Gaussian means of any size",
    "o, threshold-confidence-range",
    size=SIZE_BELOW / 3,
)
def size_below_of_any_mean(size: Expr = SIZE_BELOW) -> Parts:
    """(m + 3d - 3) phi < (m-d+1) mu at the published size, rounded up."""
    # 4m phi <= (m-d+1) mu is 8 (1 + 1/n)(l + log(n + 1)/2) A <= 49 n. For whole n = x^2 >= r A l
    # 1 + 1/n <= 2, A l <= n/r and, as l >= A, A <= x/sqrt(r)
    ratio = _ratio(size, (s.m - s.d + 1) * s.mu / (7 * s.m))
    yield from _form_of_size()
    yield at_most(log(x**2 + 1), x).on({x: _UP})
    yield at_most(16 * (x**2 / ratio + x**2 / sympy.sqrt(ratio) / 2), 49 * x**2).on({x: _UP})


@REACH.step("r", "cor:m_sample_complexity, second part", "p, 5.1-m", size=SIZE_BELOW / 49)
def chance_of_reaching(size: Expr = SIZE_BELOW) -> Parts:
    """The lower bound is d or more with probability at least 1 - delta."""
    yield chance_unmet("thm-5.3b", size, threshold=2)


STEPS = (*LEARN, *REACH)
