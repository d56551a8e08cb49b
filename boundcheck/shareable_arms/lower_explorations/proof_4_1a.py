"""Theorem 4.1, first part: its proof in the body, then appendix C.1 (`capacity_divergence`).

Notation as there; n_low, n_mid, n_top count the loads up to a = m0, in (m0, m1], above m1 = b.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import sympy
from sympy import Expr, Rational, exp, log

from boundcheck import symbols as s
from boundcheck.proofs import relations as rel
from boundcheck.proofs.parts import at_most, cases, equal, largest, number, same
from boundcheck.proofs.step import Parts, Proof, Repair
from boundcheck.shareable_arms import functions as fn
from boundcheck.shareable_arms.exact import gaussian
from boundcheck.shareable_arms.lower_explorations import divergences
from boundcheck.shareable_arms.lower_explorations.cards import EXPLORATIONS
from boundcheck.shareable_arms.lower_explorations.divergences import (
    ANY,
    HALF,
    a,
    b,
    m,
    mean,
    scale,
    t,
    theta2,
    x,
)

u, p, c = sympy.symbols("u p c", positive=True)
n_low, n_mid, n_top, _K, _more, _room = sympy.symbols(
    "n_low n_mid n_top K more room", nonnegative=True
)
_COUNTS = dict.fromkeys((n_low, n_mid, n_top, _K, _more, _room), ANY)
_R = _K + _more + _room  # at least KL(a, b) = K + more, which is at least KL(a, l) = K
_QUARTER = Rational(1, 4)
Pairs = Callable[[int], tuple[tuple[int, int], ...]]
BODY = Proof("thm-4.1a", "4.1")


@BODY.step(
    "a", "4.1 proof, step 1: the reduction to a pair", spoil={"pairs": lambda m: ((m - 1, m + 1),)}
)
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


@BODY.step(
    "b", "4.1 proof, step 1: the hypotheses H_0 and H_1", spoil={"deviation": sympy.sqrt(c) * scale}
)
def observation(deviation: Expr = c * scale) -> Parts:
    """At load l an arm of capacity m0 shows c X, c = min(l, m0), of law N(c mu, (c sigma)^2)."""
    # its density by a change of variables; c rewards that are independent would spread less
    shown = gaussian.log_density((mean, scale), gaussian.y / c) - log(c)
    ranges = dict.fromkeys((gaussian.y, c, mean, scale), (1, 5))
    yield equal(shown, gaussian.log_density((c * mean, deviation))).on(ranges)


@BODY.step(
    "c",
    "4.1 proof, step 2: Le Cam's inequality",
    needs=("Tsybakov, Theorem 2.2",),
    spoil={"share": HALF},
)
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
    yield number(
        largest(rel.value(ratio, {}) for ratio in ratios),
        at_most=1,
        region="a <= 3, b <= a + 2, n <= 5",
        words="the bound in multiples of the exact minimax error, at most",
        sample=True,
    )


@BODY.step("d", "eq:kl-decompose, line 1", needs=("b",), spoil={"counts": (1, 1)})
def additivity(counts: tuple[int, int] = (2, 1)) -> Parts:
    """The divergence of independent observations is the sum of theirs, n_l of each."""
    laws = [[(c * mean, c * scale) for c in shown] for shown in ((a, a, x), (b, b, t))]
    pairs, square = ((a, b), (x, t)), mean**2 / scale**2
    total = sum(n * fn.KL(*pair, square) for n, pair in zip(counts, pairs, strict=True))
    ranges = dict.fromkeys((a, b, x, t, mean, scale), (1, 5))
    yield equal(gaussian.joint_divergence(*laws), total).on(ranges)


@BODY.step("e", "eq:kl-decompose, line 2", needs=("d",), spoil={"after": 0})
def split(after: int = 1) -> Parts:
    """The sum over loads splits at m0 and m1."""
    sums = (range(1, 3), range(2 + after, 5), range(4 + after, 7))
    words = "every order of l, m0 and m1"
    yield divergences.at_loads(
        lambda load: sum(load in part for part in sums) == 1, range(1, 7), words
    )


@BODY.step("f", "4.1 proof, step 3: KL = 0 for l <= m0", needs=("b",), spoil={"last": 3})
def no_information(last: int = 2) -> Parts:
    """A load that both capacities serve tells nothing."""
    yield equal(fn.KL(a, a, theta2), 0).on({a: (1, 9), theta2: (0, 9)})
    words = "loads below and at m0 are served alike"
    yield divergences.at_loads(lambda load: min(load, 2) == min(load, 4), range(1, last + 1), words)


BODY.step(
    "g", "4.1 proof, step 3: KL in (m0, m1] <= KL above m1", needs=("C.1-n",), spoil={"least": HALF}
)(divergences.increasing)
BODY.step(
    "h",
    "4.1 proof, step 3: KL above m1 <= R",
    needs=("C.1-o", "signal-to-noise"),
    spoil={"least": HALF},
)(divergences.both_pairs)


@BODY.step(
    "i", "eq:not-m-explore, first inequality", needs=("e", "f", "g", "h"), spoil={"counted": n_top}
)
def irregular_counts(counted: Expr = n_mid + n_top) -> Parts:
    """The divergence is at most R times the number of loads above m0."""
    yield at_most(n_mid * _K + n_top * (_K + _more), counted * _R).on(_COUNTS)


@BODY.step(
    "j", "eq:not-m-explore, second inequality", needs=("i",), spoil={"counted": n_low + n_top}
)
def all_counts(counted: Expr = n_low + n_mid + n_top) -> Parts:
    """Which is at most n R."""
    yield at_most((n_mid + n_top) * _R, counted * _R).on(_COUNTS)


@BODY.step("k", "4.1 proof, step 3: error >= exp(-n R)/4", needs=("c", "j"), spoil={"share": HALF})
def falling(share: Expr = _QUARTER) -> Parts:
    """A larger exponent makes a smaller bound."""
    yield at_most(share * exp(-x - t), exp(-x) / 4).on({x: ANY, t: ANY})


@BODY.step(
    "l",
    "4.1 proof, last display: n <= log(1/(4 delta))/R",
    needs=("k",),
    spoil={"size": 2 * EXPLORATIONS},
)
def size(size: Expr = EXPLORATIONS) -> Parts:
    """Up to this n the bound exp(-n R)/4, which falls with n, is at least delta."""
    ranges = {s.mu: (1, 9), m: (1, 9), s.sigma2: (1, 9), s.delta: ("0.001", "0.2")}
    yield equal(exp(-size * s.snr) / 4, s.delta).on(ranges)
    yield from falling()


@BODY.step(
    "m",
    "thm:sample_lower_bound, display",
    needs=("l",),
    repair=Repair(
        "The larger of the errors at the two capacities of a pair is at least delta",
        lambda: [same("thm-4.1a", "intended")],
    ),
    consequence="true as a statement about the larger of the two errors",
)
def at_one_capacity() -> Parts:
    """P(the estimate is not m) >= delta for every estimator, at the one capacity m."""
    yield same("thm-4.1a", "printed")


STEPS = (*BODY, *divergences.STEPS)
