"""Theorem 4.1 (its proof in the body) and remark 4.2: learning a capacity takes time.

Appendices C.1 and C.2, whose steps follow those of the body, are in `capacity_divergence`, with the
notation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

import sympy
from sympy import exp, log

from boundcheck import functions as fn
from boundcheck import symbols as s
from boundcheck.claims.thm_4_1 import EXPLORATIONS
from boundcheck.finding import Verdict
from boundcheck.proofs import capacity_divergence as divergences
from boundcheck.proofs import relations as rel
from boundcheck.proofs.capacity_divergence import ANY, R, b, m, t, x
from boundcheck.proofs.methods import computed, exhaustive, identity, on_box, sign
from boundcheck.proofs.old_form import Step
from boundcheck.proofs.relations import at_most
from boundcheck.proofs.step import Part, combined

u, p = sympy.symbols("u p", positive=True)
_PAIRS = tuple(product((1, 2, 3), (1, 2), (Fraction(1, 4), Fraction(1), Fraction(9)), (1, 2, 5)))

Problem = tuple[int, int, Fraction, int]  # a, b - a, theta2, n


# -- body --------------------------------------------------------------------------------


def _reduction() -> Part:
    """{the estimate is the other one} implies {the estimate is wrong}."""
    return exhaustive(
        lambda pair, estimate: (estimate == pair[1]) <= (estimate != pair[0]),
        {"(truth, other)": ((0, 1), (1, 0)), "estimate": (0, 1, 2)},
        complete=True,
        words="2 stands for every other value",
    )


def _observation() -> Part:
    return exhaustive(
        lambda load, c: min(load, c) == (c if load > c else load),
        {"l": (1, 2, 3), "c": (2,)},
        complete=True,
        words="below, at and above the capacity",
    )


def _le_cam() -> Part:
    """1 - TV >= exp(-kl)/2 for two outcomes (data processing: enough); and exact Gaussian tests."""
    other = p + (1 - p) * u  # 1 - other = (1 - p)(1 - u) saves a cancellation
    divergence = p * log(p / other) - (1 - p) * log(1 - u)
    two_outcomes = on_box(
        at_most(exp(-divergence) / 4, (1 - (other - p)) / 2), {p: ("0.01", "0.99"), u: (0, "0.99")}
    )
    return combined(two_outcomes, _exact_errors(_PAIRS, lambda a, b, th, n: n * fn.KL(a, b, th)))


def _exact_errors(problems: Sequence[Problem], exponent: Callable[..., sympy.Expr]) -> Part:
    """The exact minimax error beside exp(-exponent(a, b, theta2, n))/4."""
    ratios = []
    for low, more, square, count in problems:
        values = [sympy.Rational(v) for v in (low, low + more, square, count)]
        error = rel.value(fn.two_point_error(*values), {})
        ratios.append(error / rel.value(exp(-exponent(*values)) / 4, {}))
        if ratios[-1] < 1:
            at = f"a = {low}, b = {low + more}, theta2 = {square}, n = {count}"
            return computed("exact test", False, f"at {at}", "the minimax error is smaller")
    region = "a <= 3, b <= a + 2, n <= 5"
    if not all(ratio >= 1 for ratio in ratios):
        words = "an enclosure of the error holds the bound: more bits decide"
        return Part("exact test", Verdict.INCONCLUSIVE, region, words)
    closest = min(float(ratio) for ratio in ratios)
    words = f"{len(ratios)} two-point problems, error at least {closest:.4g} times the bound"
    return computed("exact test", True, region, words, sample=True)


def _falling() -> Part:
    return sign(at_most(exp(-x - t), exp(-x)), {x: ANY, t: ANY})


def _size() -> Part:
    """At the published size exp(-n R)/4 is delta; it falls with n."""
    at_size = exp(-EXPLORATIONS.expression * s.snr) / 4
    ranges = {s.mu: (1, 9), m: (1, 9), s.sigma2: (1, 9), s.delta: ("0.001", "0.2")}
    return combined(identity(at_size, s.delta, ranges), _falling())


def _one_capacity() -> Part:
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


# -- remark 4.2 ----------------------------------------------------------------------------


def _farther_pairs() -> Part:
    """KL(m, m1) <= R for every m1 > m?"""
    relation = at_most(fn.KL(m, b, R * m**2), R)

    def true(capacity: int, more: int, ratio: int) -> bool:
        return not rel.violated(
            relation, {m: Fraction(capacity), b: Fraction(capacity + more), R: Fraction(ratio)}
        )

    return exhaustive(
        true, {"m": range(1, 9), "m1 - m": range(1, 9), "R": (2, 100)}, complete=False
    )


def _irregular_error() -> Part:
    """n' loads above m and R >= 2: the exact error is at least exp(-n' R)/4."""
    cases = product((1, 2, 3), (2, 4), (1, 2, 4))
    problems = [(low, 1, Fraction(ratio * low**2), n) for low, ratio, n in cases]
    return _exact_errors(problems, lambda a, b, square, n: n * square / a**2)


# -- the ledger ----------------------------------------------------------------------------

_A, _REM = "thm-4.1a", "rem-4.2"
_MINIMAX = "true as a statement about the larger of the two errors"

_BODY = (
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
         ("4.1-b",), divergences.additivity),
    Step(_A, "4.1-e", "eq:kl-decompose, line 2",
         "the sum over loads splits at m0 and m1",
         ("4.1-d",), divergences.split),
    Step(_A, "4.1-f", "4.1 proof, step 3: KL = 0 for l <= m0",
         "a load that both capacities serve tells nothing",
         ("4.1-b",), divergences.no_information),
    Step(_A, "4.1-g", "4.1 proof, step 3: KL in (m0, m1] <= KL above m1",
         "loads between the capacities tell no more than loads above both",
         ("C.1-n",), divergences.increasing),
    Step(_A, "4.1-h", "4.1 proof, step 3: KL above m1 <= R",
         "the divergence is at most R = mu^2/(m^2 sigma^2)",
         ("C.1-o", "signal-to-noise"), divergences.both_pairs),
    Step(_A, "4.1-i", "eq:not-m-explore, first inequality",
         "the divergence is at most R times the number of loads above m0",
         ("4.1-e", "4.1-f", "4.1-g", "4.1-h"), divergences.irregular_counts),
    Step(_A, "4.1-j", "eq:not-m-explore, second inequality",
         "which is at most n R", ("4.1-i",), divergences.all_counts),
    Step(_A, "4.1-k", "4.1 proof, step 3: error >= exp(-n R)/4",
         "a larger exponent makes a smaller bound", ("4.1-c", "4.1-j"), _falling),
    Step(_A, "4.1-l", "4.1 proof, last display: n <= log(1/(4 delta))/R",
         "up to this n the bound exp(-n R)/4 is at least delta", ("4.1-k",), _size),
    Step(_A, "4.1-m", "thm:sample_lower_bound, display",
         "P(the estimate is not m) >= delta for every estimator, at the one capacity m",
         ("4.1-l",), _one_capacity,
         repair="max over the two hypotheses of P(the estimate is wrong) >= delta",
         consequence=_MINIMAX),
)  # fmt: skip
_REMARK = (
    Step(_REM, "4.2-a", "remark 4.2: the middle term of eq:not-m-explore",
         "with the pair (m, m + 1) only loads above m count",
         ("4.1-f", "4.1-i", "C.1-m"),
         lambda: combined(divergences.no_information(), divergences.pair_above())),
    Step(_REM, "4.2-b", "remark 4.2: any m1 > m", "KL(m, m1) <= R for every m1 > m",
         ("signal-to-noise",), _farther_pairs, repair="m1 = m + 1",
         consequence="the pair (m, m + 1) is all that is used later"),
    Step(_REM, "4.2-c", "remark 4.2, display",
         "with at most the published number of loads above m the larger error is at least delta",
         ("4.2-a", "4.1-c"), _irregular_error),
    Step(_REM, "4.2-d", "remark 4.2: the second result, with the pair {m, d}",
         "only loads that cost regret tell whether the capacity reaches d",
         ("C.2-j",), divergences.told_by_the_next_load,
         repair="none: the load d = mbar itself tells m >= d from m = d - 1, and costs nothing",
         consequence="the first half of the remark stands, the second does not"),
)  # fmt: skip
STEPS = (*_BODY, *divergences.STEPS, *_REMARK)
