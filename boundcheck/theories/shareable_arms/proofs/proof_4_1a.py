"""Theorem 4.1, first part: its proof in the body, and appendix C.1, the divergences behind it.

Notation: a < b the two capacities to tell apart (m0 < m1), theta2 = mu^2/sigma^2, R = theta2/m^2;
F(x) = log x + 1/x - 1; KL(a, b) = F((b/a)^2)/2 + (b - a)^2 theta2/(2 b^2). An arm of capacity c
shows min(l, c) X at load l, so at load l the divergence is KL(min(l, a), min(l, b)); n_low, n_mid,
n_top count the loads up to a, in (a, b], above b.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product

import sympy
from sympy import Expr, Integer, Rational, exp, log, oo

from boundcheck.proof_steps import relations as rel
from boundcheck.proof_steps.parts import at_most, cases, certified_number, equal, largest
from boundcheck.proof_steps.step import Part, Parts, Proof, StepRepair, combined
from boundcheck.search.hunt import bisected
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.exact import gaussian
from boundcheck.theories.shareable_arms.lower_explorations.cards import EXPLORATIONS
from boundcheck.theories.shareable_arms.proofs.stated import same
from simulation.numbers import decimal

a, b, theta2, R, x, t, u, p, c = sympy.symbols("a b theta2 R x t u p c", positive=True)
mean, scale = sympy.symbols("mu sigma", positive=True)
m = s.m
UP, ANY, HALF, _QUARTER = (1, oo), (0, oo), Rational(1, 2), Rational(1, 4)

# -- C.1 -------------------------------------------------------------------------------------

C1 = Proof("thm-4.1a", "C.1")
_CLOSED, _EXCHANGED = (fn.KL(*pair, mean**2 / scale**2) for pair in ((a, b), (b, a)))
_BELOW, _ABOVE = (fn.KL(c, c + 1, R * m**2) for c in (m - 1, m))
_F4, _OF_M = fn.F(Integer(4)), fn.F((m / (m - 1)) ** 2)
_SECOND_LAW = StepRepair("The second law is P_1^l", {"second": b})
_MISPRINT = "a misprint: P_1^l is what is used"


def at_loads(true: Callable[[int], bool], loads: Iterable[int], words: str) -> Part:
    return cases(true, {"l (m0 = 2, m1 = 4)": loads}, complete=True, words=words)


@C1.step("a", "C.1, display 1, line 1", "4.1-b", repair=_SECOND_LAW, consequence=_MISPRINT)
def _between(second: Expr = a) -> Parts:
    """KL(P_0^l, P_0^l) = KL(m0 X, l X), as printed."""
    ranges = {a: (1, 3), b: (2, 4), theta2: (1, 4)}
    yield equal(fn.KL(a, second, theta2), fn.KL(a, b, theta2)).on(ranges)


@C1.step("b", "C.1, display 1, line 2", form=_EXCHANGED)
def _closed_form(form: Expr = _CLOSED) -> Parts:
    """KL(a X, b X) = F((b/a)^2)/2 + (b - a)^2 theta2/(2 b^2)."""
    by_moments = gaussian.normal_divergence((a * mean, a * scale), (b * mean, b * scale))
    yield equal(by_moments, form).on(dict.fromkeys((a, b, mean, scale), (1, 5)))


@C1.step("c", "C.1, display 1, line 3", "b", least=HALF)
def increasing(least: Expr = 1) -> Parts:
    """KL(m0, l) <= KL(m0, m1) for l in (m0, m1]: it increases in l, as F does beyond 1."""
    for grows in (fn.F(x), fn.KL(a, a * x, theta2)):  # x = l/m0
        slope = sympy.diff(rel.unfolded(grows), x)
        yield at_most(0, slope).on({x: (least, oo), a: UP, theta2: ANY})


C1.step("d", "C.1, display 1, line 4", "b", form=_EXCHANGED)(_closed_form)


@C1.step("e", "C.1, display 1, line 5", "4.1-b", repair=_SECOND_LAW, consequence=_MISPRINT)
def above_both(second: Expr = a) -> Parts:
    """Which is KL(P_0^l, P_0^l) for l > m1, as printed."""
    words = "beyond m1 the load does not matter"
    yield at_loads(lambda load: (min(load, 2), min(load, 4)) == (2, 4), (5, 6), words)
    yield from _between(second)


C1.step("f", "C.1, after display 1", "c, e", least=HALF)(increasing)


@C1.step("g", "C.1, display 2, line 1", "b", half=1)
def _neighbours(half: Expr = HALF) -> Parts:
    """KL(m - 1, m) = F((m/(m-1))^2)/2 + R/2."""
    yield equal(_BELOW, half * _OF_M + R / 2).on({m: (2, 9), R: (1, 9)})


@C1.step(
    "h",
    "C.1, display 2, line 2",
    "g",
    true_with={"half": HALF},
    repair=StepRepair(
        "KL(m - 1, m) <= F((m/(m-1))^2) + R/2",
        lambda: [at_most(_BELOW, _OF_M + R / 2).on({m: (2, oo), R: ANY})],
    ),
    consequence="F >= 0, so the equality may be read as an inequality",
)
def half_lost(half: Expr = 1) -> Parts:
    """KL(m - 1, m) = F((m/(m-1))^2) + R/2, the half before F lost."""
    yield from _neighbours(half)


@C1.step("i", "C.1, display 2, line 3", "h", largest=Rational(9, 4))
def largest_f(largest: Expr = 4) -> Parts:
    """F((m/(m-1))^2) <= F(4), m >= 2."""
    yield at_most(_OF_M, fn.F(Rational(largest))).on({m: (2, oo)})


@C1.step("j", "C.1, display 2, line 4", rest=HALF)
def value_of_f(rest: Expr = Rational(3, 4)) -> Parts:
    """F(4) = 2 log 2 - 3/4."""
    yield equal(_F4, 2 * log(2) - rest).on({})


@C1.step("k", "C.1, display 2, line 4, under the brace", most=HALF)
def _below_one(most: Expr = 1) -> Parts:
    """2 log 2 - 3/4 <= 1."""
    yield at_most(2 * log(2) - Rational(3, 4), most).on({})


@C1.step("l", "C.1, display 2, line 5", "i, signal-to-noise", least=1)
def last_of_c1(least: Expr = 2) -> Parts:
    """F(4) + R/2 <= R."""
    largest = float(rel.value_at(_F4, {}))
    words = f"this chain needs R >= {2 * largest:.12g}; KL(1, 2) <= R itself R >= {largest:.12g}"
    yield at_most(_F4 + R / 2, R).on({R: (least, oo)}).told(words)


@C1.step("m", "C.1, after display 2: the pair (m, m + 1)", "signal-to-noise", least=Rational(1, 4))
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
        return not rel.violated(rel.goal_at_most(_ABOVE, R), {m: Fraction(capacity), R: ratio})

    return decimal(bisected(true, Fraction(0), Fraction(2), 14)[1], 12)


C1.step("n", "C.1, display 3, first inequality", "f", least=HALF)(increasing)


@C1.step("o", "C.1, display 3, second inequality", "l, m", least=HALF)
def both_pairs(least: Expr = 2) -> Parts:
    """KL above m1 is at most R = mu^2/(m^2 sigma^2), for both pairs."""
    yield at_most(_BELOW, R).on({m: (2, oo), R: (least, oo)})
    yield from pair_above(least)


# -- the proof in the body ---------------------------------------------------------------------

BODY = Proof("thm-4.1a", "4.1")
n_low, n_mid, n_top, _K, _more, _room = _counted = sympy.symbols(
    "n_low n_mid n_top K more room", nonnegative=True
)
_COUNTS = dict.fromkeys(_counted, ANY)
_R = _K + _more + _room  # at least KL(a, b) = K + more, which is at least KL(a, l) = K
Pairs = Callable[[int], tuple[tuple[int, int], ...]]


@BODY.step("a", "4.1 proof, step 1: the reduction to a pair", pairs=lambda m: ((m - 1, m + 1),))
def reduction(pairs: Pairs = lambda m: ((m - 1, m), (m, m + 1))) -> Parts:
    """An estimator errs at least as often as the test made of it, for a pair that contains m."""

    def no_worse(estimate: int, otherwise: int) -> bool:
        answers = [estimate if estimate in pair else pair[otherwise] for pair in pairs(3)]
        return estimate != 3 or set(answers) == {3}

    yield cases(
        no_worse,
        {"estimate (m = 3)": range(1, 6), "answer to others": (0, 1)},
        complete=True,
        words="1 and 5 stand for every other estimate",
    )


@BODY.step("b", "4.1 proof, step 1: the hypotheses H_0 and H_1", deviation=sympy.sqrt(c) * scale)
def observation(deviation: Expr = c * scale) -> Parts:
    """At load l an arm of capacity m0 shows c X, c = min(l, m0), of law N(c mu, (c sigma)^2)."""
    # its density by a change of variables; c rewards that are independent would spread less
    shown = gaussian.log_density((mean, scale), gaussian.y / c) - log(c)
    ranges = dict.fromkeys((gaussian.y, c, mean, scale), (1, 5))
    yield equal(shown, gaussian.log_density((c * mean, deviation))).on(ranges)


@BODY.step("c", "4.1 proof, step 2: Le Cam's inequality", ("Tsybakov, Theorem 2.2",), share=HALF)
def le_cam(share: Expr = _QUARTER) -> Parts:
    """The larger error of any test is at least exp(-KL)/4."""
    # two outcomes (enough, by data processing), of chances p and p + (1 - p) u; then exact errors
    other = p + (1 - p) * u
    divergence = p * log(p / other) - (1 - p) * log(1 - u)
    chances = {p: ("0.01", "0.99"), u: (0, "0.99")}
    yield at_most(share * exp(-divergence), (1 - (other - p)) / 2).on(chances)
    problems = product((1, 2, 3), (1, 2), (_QUARTER, 1, 9), (1, 2, 5))
    ratios = (
        share * exp(-n * fn.KL(c, c + more, q)) / fn.two_point_error(c, c + more, q, n)
        for c, more, q, n in problems
    )
    yield certified_number(
        largest(rel.value_at(ratio, {}) for ratio in ratios),
        at_most=1,
        region="a <= 3, b <= a + 2, n <= 5",
        words="the bound in multiples of the exact minimax error, at most",
        sample=True,
    )


@BODY.step("d", "eq:kl-decompose, line 1", "b", counts=(1, 1))
def additivity(counts: tuple[int, int] = (2, 1)) -> Parts:
    """The divergence of independent observations is the sum of theirs, n_l of each."""
    laws = [[(c * mean, c * scale) for c in shown] for shown in ((a, a, x), (b, b, t))]
    pairs, square = ((a, b), (x, t)), mean**2 / scale**2
    total = sum(n * fn.KL(*pair, square) for n, pair in zip(counts, pairs, strict=True))
    ranges = dict.fromkeys((a, b, x, t, mean, scale), (1, 5))
    yield equal(gaussian.joint_divergence(*laws), total).on(ranges)


@BODY.step("e", "eq:kl-decompose, line 2", "d", after=0)
def split(after: int = 1) -> Parts:
    """The sum over loads splits at m0 and m1."""
    sums = (range(1, 3), range(2 + after, 5), range(4 + after, 7))
    words = "every order of l, m0 and m1"
    yield at_loads(lambda load: sum(load in part for part in sums) == 1, range(1, 7), words)


@BODY.step("f", "4.1 proof, step 3: KL = 0 for l <= m0", "b", last=3)
def no_information(last: int = 2) -> Parts:
    """A load that both capacities serve tells nothing."""
    yield equal(fn.KL(a, a, theta2), 0).on({a: (1, 9), theta2: (0, 9)})
    words = "loads below and at m0 are served alike"
    yield at_loads(lambda load: min(load, 2) == min(load, 4), range(1, last + 1), words)


BODY.step("g", "4.1 proof, step 3: KL in (m0, m1] <= KL above m1", "C.1-n", least=HALF)(increasing)
BODY.step("h", "4.1 proof, step 3: KL above m1 <= R", "C.1-o, signal-to-noise", least=HALF)(
    both_pairs
)


@BODY.step("i", "eq:not-m-explore, first inequality", "e, f, g, h", counted=n_top)
def irregular_counts(counted: Expr = n_mid + n_top) -> Parts:
    """The divergence is at most R times the number of loads above m0."""
    yield at_most(n_mid * _K + n_top * (_K + _more), counted * _R).on(_COUNTS)


@BODY.step("j", "eq:not-m-explore, second inequality", "i", counted=n_low + n_top)
def all_counts(counted: Expr = n_low + n_mid + n_top) -> Parts:
    """Which is at most n R."""
    yield at_most((n_mid + n_top) * _R, counted * _R).on(_COUNTS)


@BODY.step("k", "4.1 proof, step 3: error >= exp(-n R)/4", "c, j", share=HALF)
def _falling(share: Expr = _QUARTER) -> Parts:
    """A larger exponent makes a smaller bound."""
    yield at_most(share * exp(-x - t), exp(-x) / 4).on({x: ANY, t: ANY})


@BODY.step("l", "4.1 proof, last display: n <= log(1/(4 delta))/R", "k", size=2 * EXPLORATIONS)
def _size(size: Expr = EXPLORATIONS) -> Parts:
    """Up to this n the bound exp(-n R)/4, which falls with n, is at least delta."""
    ranges = {s.mu: (1, 9), m: (1, 9), s.sigma2: (1, 9), s.delta: ("0.001", "0.2")}
    yield equal(exp(-size * s.snr) / 4, s.delta).on(ranges)
    yield from _falling()


@BODY.step(
    "m",
    "thm:sample_lower_bound, display",
    "l",
    repair=StepRepair(
        "The larger of the errors at the two capacities of a pair is at least delta",
        lambda: [same("thm-4.1a", "intended")],
    ),
    consequence="true as a statement about the larger of the two errors",
)
def at_one_capacity() -> Parts:
    """P(the estimate is not m) >= delta for every estimator, at the one capacity m."""
    yield same("thm-4.1a", "printed")


STEPS = (*BODY, *C1)
