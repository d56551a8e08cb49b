"""Theorem 4.1, second part (appendix C.2), and remark 4.2.

Notation of `proof_4_1a`; R_d = (m - d + 1)^2 R. What the second part shares with the first is the
same function, with m0 = d - 1, m1 = m and R_d in place of R.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

import sympy
from sympy import Expr, Rational, log, oo

from boundcheck.judging.finding import Verdict
from boundcheck.proof_steps import relations as rel
from boundcheck.proof_steps.parts import at_most, below, cases, certified_number, equal
from boundcheck.proof_steps.step import Part, Parts, Proof, StepRepair
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.proofs import proof_4_1a as body
from boundcheck.theories.shareable_arms.proofs.stated import same

a, b, theta2, R, x, t = sympy.symbols("a b theta2 R x t", positive=True)
m, UP, ANY, HALF = s.m, (1, oo), (0, oo), Rational(1, 2)
Pair = Callable[[int, int], tuple[int, int]]

# -- C.2 ---------------------------------------------------------------------------------

C2 = Proof("thm-4.1b", "C.2")


@C2.step("a", "C.2, step 1: the pairs {d - 1, m} and {m, d}", low=5, high=4)
def either_side(low: int = 4, high: int = 5) -> Parts:
    """Each pair has a capacity on either side of d."""

    def separated(capacity: int) -> bool:
        pair = (low, capacity) if capacity >= 5 else (capacity, high)
        return (pair[0] >= 5) != (pair[1] >= 5)

    words = "every order of m, d - 1 and d"
    yield cases(separated, {"m (d = 5)": (3, 4, 5, 6)}, complete=True, words=words)


C2.step("b", "C.2, display, line 1, first equality", "4.1-d", counts=(1, 1))(body.additivity)
C2.step("c", "C.2, display, line 1, second equality", "4.1-e", after=0)(body.split)
C2.step(
    "d", "C.2, display, line 2, first inequality", "C.2-f, C.2-g, C.2-h, C.2-i", counted=body.n_top
)(body.irregular_counts)
C2.step("e", "C.2, display, line 2, second inequality", "d", counted=body.n_low + body.n_top)(
    body.all_counts
)
C2.step("f", "C.2, after the display: KL = 0 up to d - 1", "4.1-f", last=3)(body.no_information)


@C2.step("g", "C.2, after the display: 0 <= KL from d to m", "f, C.1-c", zero=1)
def never_negative(zero: Expr = 0) -> Parts:
    """KL(d - 1, l) >= KL(d - 1, d - 1) = 0."""
    yield at_most(zero, fn.KL(a, a * x, theta2)).on({x: UP, a: UP, theta2: ANY})


C2.step("h", "C.2, after the display: KL from d to m <= KL above m", "C.1-c", least=HALF)(
    body.increasing
)


@C2.step(
    "i",
    "C.2, after the display: KL above m <= R_d",
    "C.1-b, threshold-signal-to-noise",
    factor=1,
    repair=StepRepair("R_d >= F((m/(d-1))^2) is enough: N does not matter"),
)
def _reached(factor: Expr = 2) -> Parts:
    """2 log(N/(d-1)) <= R_d gives F((m/(d-1))^2) <= R_d, which is all that is needed."""
    # KL(d - 1, m) = F(x^2)/2 + R_d/2 with x = m/(d - 1); here R stands for R_d, a for d - 1
    square, form = R * m**2 / (m - a) ** 2, fn.F((m / a) ** 2) / 2 + R / 2
    yield equal(fn.KL(a, m, square), form).on({a: (1, 3), m: (4, 9), R: (1, 9)})
    yield at_most(fn.F(x**2), factor * log(x)).on({x: UP})
    yield at_most(log(x), log(x + t)).on({x: UP, t: ANY})
    yield at_most(x / 2 + (x + t) / 2, x + t).on({x: ANY, t: ANY})


def _edge() -> Parts:
    """KL(d - 1, d) <= F((d/(d-1))^2)/2 + R_d/2 for m <= d - 2, and d/(d-1) <= N/(d-1)."""
    d = m + 2 + t
    form = fn.F((d / (d - 1)) ** 2) / 2 + R / 2  # R stands for R_d = (d - 1 - m)^2 theta2/m^2
    yield at_most(fn.KL(d - 1, d, R * m**2 / (1 + t) ** 2), form).on({m: UP, t: ANY, R: ANY})
    yield from _reached()


@C2.step(
    "j",
    "C.2, step 3: the pair {m, d}, m <= d - 2",
    "a, threshold-signal-to-noise",
    true_with={"pair": lambda m, d: (d - 1, d)},
    repair=StepRepair("The pair is {d - 1, d}, the hardest one, with KL(d - 1, d) <= R_d", _edge),
    consequence="the printed size is that of {d - 1, m}; over all capacities the claim is right",
)
def short_of_d(pair: Pair = lambda m, d: (m, d)) -> Parts:
    """KL(m, d) <= R_d, said to follow as for d <= m."""

    def true(plays: int, d: int, capacity: int, factor: int) -> bool:
        if not capacity <= d - 2 <= plays - 2:
            return True
        ratio = 2 * log(Rational(plays, d - 1)) * factor
        square = ratio * Rational(capacity, d - 1 - capacity) ** 2
        divergence = fn.KL(*pair(capacity, d), square)
        return not rel.violated(rel.goal_at_most(divergence, ratio), {})

    ranges = {"N": range(2, 9), "d": range(3, 9), "m": range(1, 7), "R_d over its least": (1, 10)}
    yield cases(true, ranges, complete=False, words="KL beside R_d")
    low, high = pair(5, 7)
    limit = Fraction(5 * (high - low), high) ** 2 / 2
    where = "m = 5, d = 7, every large R_d"
    yield certified_number(limit, at_most=1, region=where, words="the limit of KL/R_d", sample=True)


@C2.step(
    "k",
    "C.2, step 3: the pair {m, d}, m = d - 1",
    "a, threshold-signal-to-noise",
    plays=x,
    repair=StepRepair("The bound is stated for m >= d"),
    consequence="for m = d - 1 the theorem says nothing unless d = N + 1 (an infinite size)",
)
def one_short(plays: Expr = x + 1) -> Parts:
    """KL(m, m + 1) <= R_d = 0, where the condition 2 log(N/(d-1)) <= R_d admits it, N >= d."""
    excluded = below(0, 2 * log(plays / x)).on({x: UP})  # x = d - 1
    if excluded.verdict is Verdict.HOLDS:
        words = "the condition on R_d excludes the case that is hardest to tell"
        yield Part(excluded.method, None, "m = d - 1, d <= N", words)
    else:
        yield at_most(fn.KL(m, m + 1, theta2), 0).on({m: UP, theta2: ANY})


# -- remark 4.2 ----------------------------------------------------------------------------

REMARK = Proof("rem-4.2")


@REMARK.step(
    "a",
    "remark 4.2: the middle term of eq:not-m-explore",
    "4.1-f, 4.1-i, C.1-m",
    last=3,
    least=Rational(1, 4),
)
def _loads_above(last: int = 2, least: Expr = 2) -> Parts:
    """With the pair (m, m + 1) only loads above m count."""
    yield from body.no_information(last)
    yield from body.pair_above(least)


@REMARK.step(
    "b",
    "remark 4.2: any m1 > m",
    "signal-to-noise",
    repair=StepRepair("m1 = m + 1", {"distances": (1,)}, stands_in=("4.2-a", "sharp-4.1-d")),
    consequence="the pair (m, m + 1) is all that is used later",
)
def farther_pairs(distances: Iterable[int] = range(1, 9)) -> Parts:
    """KL(m, m1) <= R for every m1 > m."""
    relation = rel.goal_at_most(fn.KL(m, b, R * m**2), R)

    def true(capacity: int, more: int, ratio: int) -> bool:
        point = {m: Fraction(capacity), b: Fraction(capacity + more), R: Fraction(ratio)}
        return not rel.violated(relation, point)

    yield cases(true, {"m": range(1, 9), "m1 - m": distances, "R": (2, 100)}, complete=False)


@REMARK.step("c", "remark 4.2, display", "a, 4.1-c")
def _larger_error() -> Parts:
    """With at most the published number of loads above m the larger error is at least delta."""
    yield same("rem-4.2", "intended")


@REMARK.step(
    "d",
    "remark 4.2: the second result, with the pair {m, d}",
    "C.2-j",
    consequence="the load d = mbar of arm L itself tells m >= d from m = d - 1, and costs nothing; "
    "the remark stands for the loads it names, not in this use",
)
def costly_loads() -> Parts:
    """Only loads that cost regret tell whether the capacity reaches d."""
    yield same("rem-4.2", "further:arm-L")


STEPS = (*C2, *REMARK)
