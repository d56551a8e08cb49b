"""Lemmas D.1, 5.1 and 5.2: widths, the interval for a capacity, the estimator.

Notation: tau and iota the counts of individual and united explorations, s = phi(tau) + phi(iota),
muhat and nuhat their means, S a sum of t centred rewards of scale sigma. A law is
sigma-sub-Gaussian if log E exp(c X) <= c^2 sigma^2/2 for its centred X. Slacks a, b >= 0 put a mean
somewhere inside its interval.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import ceil, floor

import sympy
from flint import arb
from sympy import Expr, Rational, exp, log, oo, pi, sqrt

from boundcheck.calculator.numbers import balls
from boundcheck.calculator.numbers.widths import enclosed
from boundcheck.proof_steps import relations as rel
from boundcheck.proof_steps.parts import (
    at_most,
    below,
    cases,
    certified_number,
    contradicted,
    equal,
)
from boundcheck.proof_steps.step import Parts, Proof, StepRepair
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.interval.cards import t
from boundcheck.theories.shareable_arms.interval.walks import TIMES, chance_of_crossing
from boundcheck.theories.shareable_arms.proofs.stated import same

WIDTH: Expr = find("lem-D.1").formula
delta = s.delta
S, sigma, p, m, mu, a, b, q, u, v = sympy.symbols("S sigma p m mu a b q u v", positive=True)
phi_tau, phi_iota = sympy.symbols("phi_tau phi_iota", positive=True)
c = sympy.Symbol("c", real=True)
_WITHIN = dict.fromkeys((m, mu, a, b, phi_tau, phi_iota), (0, oo))
_UNCONDITIONAL = "P(there is a time with muhat > s and m outside) <= delta is true for sigma <= 1/2"

# -- D.1 ---------------------------------------------------------------------------------

DEVIATION = Proof("lem-D.1")


@DEVIATION.step(
    "a", "lma:uci_basic: the supermartingale behind it", "sub-gaussian-half", scale=3, root=1
)
def _mixture(scale: Expr = 2, root: Expr = Rational(1, 2)) -> Parts:
    """Mixing exp(c S - c^2 sigma^2 t/2) over c gives exp(S^2/(2 sigma^2 (t+1)))/sqrt(t+1)."""
    # over c ~ N(0, 1/sigma^2), by completing the square
    exponent = c * S - c**2 * sigma**2 * t / 2 - c**2 * sigma**2 / 2
    peak = S**2 / (scale * sigma**2 * (t + 1))
    bell = (t + 1) * sigma**2 * (c - S / (sigma**2 * (t + 1))) ** 2 / 2
    yield equal(exponent, peak - bell).on(dict.fromkeys((c, S, sigma, t), (1, 9)))
    mass = sqrt(sigma**2 / (2 * pi)) * sympy.integrate(
        exp(-(t + 1) * sigma**2 * c**2 / 2), (c, -oo, oo)
    )
    yield equal(mass, (t + 1) ** -root).on(dict.fromkeys((sigma, t), (1, 9)))


@DEVIATION.step("b", "lma:uci_basic: the boundary", "a", width=WIDTH * Rational(9, 10))
def boundary(width: Expr = WIDTH) -> Parts:
    """The mixture reaches 1/delta where |S|/t is the printed width."""
    peak = (t * width) ** 2 / (2 * s.sigma2 * (t + 1))
    ranges = {t: (1, 50), s.sigma2: (1, 4), delta: ("0.001", "0.9")}
    yield equal(peak - log(sqrt(t + 1)), log(1 / delta)).on(ranges)


@DEVIATION.step(
    "c",
    "lma:uci_basic, display",
    ("b", "Bourel, Maillard and Talebi, Lemma 5"),
    width=WIDTH * Rational(4, 10),
    repair=StepRepair("'for all sigma in (0, 1)' should read 'for all delta in (0, 1)'"),
)
def _crossing(width: Expr = WIDTH) -> Parts:
    """The mean leaves its width at some time with probability at most delta."""
    means = [Fraction(x, 10) for x in (1, 3, 5)]
    deltas = [Fraction(1, 100), Fraction(1, 10), Fraction(9, 10)]
    yield certified_number(
        max(_crossed(mean, d, width) / d for mean, d in product(means, deltas)),
        at_most=1,
        region=f"Bernoulli means 0.1, 0.3, 0.5; delta 0.01, 0.1, 0.9; times to {TIMES}",
        words="the largest chance of crossing, in multiples of delta",
        sample=True,
    )


def _crossed(mean: Fraction, delta: Fraction, width: Expr) -> Fraction:
    values: dict[str, Fraction | list[int]] = {"delta": delta, "sigma2": Fraction(1, 4)}
    values["t"] = list(range(1, TIMES + 1))
    with balls.precision(rel.BITS):
        return chance_of_crossing(mean, enclosed(width, values))


# -- 5.1 ---------------------------------------------------------------------------------

INTERVAL = Proof("lem-5.1")


def hoeffding_lemma(sigma2: Expr) -> Parts:
    """(log E exp(cX))'' = q(1 - q) for Bernoulli, q the tilted mean; by convexity for any law."""
    tilted = p * exp(c) / (1 - p + p * exp(c))
    bend = sympy.diff(log(1 - p + p * exp(c)), c, 2)
    yield equal(bend, tilted * (1 - tilted)).on({p: ("0.01", "0.99"), c: (0, 5)})
    yield at_most(q * (1 - q), sigma2).on({q: (0, 1)})


@INTERVAL.step("a", "D.1, display 2: laws on [0, 1]", "D.1-c", sigma2=Rational(1, 5))
def half_delta(sigma2: Expr = Rational(1, 4)) -> Parts:
    """P(some tau has |muhat - mu| >= phi(tau)) <= delta/2, as such laws are 1/2-sub-Gaussian."""
    yield from width_of_d_1(sigma2)
    yield from hoeffding_lemma(sigma2)


@INTERVAL.step(
    "b",
    "D.1, display 2: Gaussian laws of variance up to 1/2",
    "D.1-c, variance-at-most-half",
    true_with={"variance": Fraction(1, 4)},
    under={given.SUB_GAUSSIAN.name: {"variance": Fraction(1, 4)}},
    repair=StepRepair("The width is 2 sigma phi", {"stretch": Fraction(2)}),
    consequence="the claim is right for sigma <= 1/2, not for Gaussian variance above 1/4",
)
def _any_law(variance: Fraction = Fraction(1, 2), stretch: Fraction = Fraction(1)) -> Parts:
    """The same for every law of the model."""
    # `stretch` multiplies phi^2; one time is enough to see it fail
    yield cases(
        lambda count, digits: not _tail(count, digits, stretch / (2 * variance)) > 1,
        {"tau": (1, 2, 5, 10, 50), "-log10(delta)": (1, 2, 3, 4, 6, 8)},
        complete=False,
        words=f"a normal tail at one time, variance {variance}, beside delta/2",
    )


def _tail(count: int, digits: int, factor: Fraction) -> arb:
    """P(|muhat - mu| >= width) in multiples of delta/2; factor = width^2/(2 sigma^2 phi^2)."""
    level = Fraction(1, 10**digits)
    with balls.precision(rel.BITS):
        squared = rel.value_at(fn.phi(t, delta) ** 2, {t: Fraction(count), delta: level})
        return (squared * count * balls.ball(factor)).sqrt().erfc() / balls.ball(level / 2)


@INTERVAL.step("c", "D.1, display 3: phi", "D.1-c", sigma2=Rational(1, 2), share=delta)
def width_of_d_1(sigma2: Expr = Rational(1, 4), share: Expr = delta / 2) -> Parts:
    """The width of D.1 at sigma = 1/2, delta/2."""
    there = WIDTH.xreplace({s.sigma2: sigma2, delta: share})
    ranges = {t: (1, 50), delta: ("0.001", 1)}
    yield equal(there**2, rel.unfolded(fn.phi(t, delta)) ** 2).on(ranges)


@INTERVAL.step("d", "eq:mu_uci", "a", share=delta / 3)
def complement(share: Expr = delta / 2) -> Parts:
    """The complement has probability at least 1 - delta/2."""
    # u delta/2: the chance of phi or more, of which the part v lies beyond phi
    yield at_most(1 - share, 1 - u * v * delta / 2).on(dict.fromkeys((u, v, delta), (0, 1)))


@INTERVAL.step("e", "eq:nu_uci", "d", scale=m**2)
def _scaled(scale: Expr = m) -> Parts:
    """The same for nuhat/m."""
    # |nuhat - m mu| <= m phi is |nuhat/m - mu| <= phi: squares differ by the factor m^2
    nuhat = a
    outer = (scale * phi_iota) ** 2 - (nuhat - m * mu) ** 2
    inner = phi_iota**2 - (nuhat / m - mu) ** 2
    yield equal(outer, m**2 * inner).on(dict.fromkeys((m, nuhat, mu, phi_iota), (1, 9)))


@INTERVAL.step("f", "D.1, intervals, line 1", "d", reach=phi_iota)
def interval_of_the_mean(reach: Expr = phi_tau) -> Parts:
    """mu lies in [muhat - phi, muhat + phi]."""
    yield from _between(phi_tau, mu, reach)


@INTERVAL.step("g", "D.1, intervals, line 2", "e", reach=phi_iota)
def interval_of_the_total(reach: Expr = m * phi_iota) -> Parts:
    """m mu lies in [nuhat - m phi, nuhat + m phi]."""
    yield from _between(m * phi_iota, m * mu, reach)


def _between(width: Expr, target: Expr, reach: Expr) -> Parts:
    """width^2 - (a - target)^2 is the product of the distances to both ends, a -+ reach."""
    distances = (target - (a - reach)) * (a + reach - target)
    points = dict.fromkeys((m, mu, a, phi_tau, phi_iota), (1, 9))
    yield equal(width**2 - (a - target) ** 2, distances).on(points)


@INTERVAL.step(
    "h",
    "D.1, the second interval rearranged",
    "g",
    repair=StepRepair("phi(iota) takes the place of phi(tau)", {"width": phi_iota}),
    consequence="a misprint: phi(iota) is what is used",
)
def rearranged(width: Expr = phi_tau) -> Parts:
    """nuhat/(mu + phi(tau)) <= m <= nuhat/(mu - phi(tau)), as printed."""
    yield at_most(m * (mu + phi_iota) - b, m * (mu + width)).on(_WITHIN)
    yield at_most(m * (mu - width), m * (mu - phi_iota) + b).on(_WITHIN)


@INTERVAL.step("i", "D.1, the second interval rearranged, repaired", "g", width=phi_tau)
def rearranged_rightly(width: Expr = phi_iota) -> Parts:
    """nuhat/(mu + phi(iota)) <= m <= nuhat/(mu - phi(iota))."""
    yield from rearranged(width)


@INTERVAL.step("j", "D.1, mu replaced: lower end", "f, i", width=phi_iota)
def lower_end(width: Expr = phi_tau + phi_iota) -> Parts:
    """nuhat <= m (muhat + s)."""
    muhat, nuhat = mu - phi_tau + a, m * (mu + phi_iota) - b
    yield at_most(nuhat, m * (muhat + width)).on(_WITHIN)


@INTERVAL.step("k", "D.1, mu replaced: upper end", "f, i", width=phi_iota)
def upper_end(width: Expr = phi_tau + phi_iota) -> Parts:
    """m (muhat - s) <= nuhat."""
    muhat, nuhat = mu + phi_tau - a, m * (mu - phi_iota) + b
    yield at_most(m * (muhat - width), nuhat).on(_WITHIN)


@INTERVAL.step(
    "l",
    "D.1, last display, as printed",
    "j, k",
    true_with={"largest": 3},
    repair=StepRepair(
        "The upper end is infinite where muhat <= s", lambda: [same("lem-5.1", "charitable")]
    ),
    consequence=_UNCONDITIONAL,
)
def for_all_counts(largest: Expr = 1) -> Parts:
    """With probability at least 1 - delta, m is in the interval for all tau and iota."""
    # tau = iota = 1 and delta = exp(-b): s = 2 phi(1) exceeds every reward
    squared = rel.unfolded(fn.phi(sympy.Integer(1), exp(-b))) ** 2
    wide = below(Rational(largest, 2) ** 2, sympy.expand_log(squared, force=True)).on({b: (0, oo)})
    yield contradicted(
        wide,
        f"tau = iota = 1, every law on [0, {largest}], every delta <= 1",
        f"2 phi(1) > {largest} >= muhat: the printed upper end is at most 0, so the event has "
        "probability 0",
    )


@INTERVAL.step("m", "D.1, last display: the union bound", "d, e, j, k", share=delta)
def _union(share: Expr = delta / 2) -> Parts:
    """delta/2 + delta/2 = delta, the upper end infinite where muhat <= s."""
    yield equal(share + share, delta).on({delta: ("0.001", 1)})
    yield same("lem-5.1", "charitable")


@INTERVAL.step(
    "n",
    "lma:ufc_m: 'conditioned on'",
    "m",
    repair=StepRepair(
        "P(there is a time with muhat > s and m outside) is at most delta",
        lambda: [same("lem-5.1", "charitable")],
    ),
    consequence=f"false as a conditional statement; {_UNCONDITIONAL}",
)
def conditional() -> Parts:
    """P(m is in the interval | muhat > s) >= 1 - delta."""
    yield same("lem-5.1", "printed")


# -- 5.2 ---------------------------------------------------------------------------------

ESTIMATOR = Proof("lem-5.2")
Rounding = Callable[[Fraction], int]


@ESTIMATOR.step(
    "a",
    "eq:m_lower_bound, eq:m_upper_bound",
    "5.1-m",
    up=lambda x: floor(x) + 1,
    down=lambda x: ceil(x) - 1,
    least=2,
)
def whole_numbers(up: Rounding = ceil, down: Rounding = floor, least: int = 1) -> Parts:
    """If m is in the interval it lies between the bounds, and equal bounds are m."""

    def true(low: Fraction, high: Fraction, capacity: int, plays: int) -> bool:
        if not low <= capacity <= high or capacity > plays:
            return True
        lower, upper = max(up(low), least), min(down(high), plays)
        return lower <= capacity <= upper and (lower != upper or lower == capacity)

    ends = [Fraction(thirds, 3) for thirds in range(-3, 16)]
    yield cases(
        true,
        {"lo": ends, "hi": ends, "m": (1, 2, 3), "N": (1, 2, 3, 4)},
        complete=False,
        words="ends in thirds: below 1, whole, between whole numbers, above N",
    )


@ESTIMATOR.step("b", "lma:learning_m_criterion, unconditional", "a")
def _seldom_wrong() -> Parts:
    """P(the bounds are equal and not m) <= delta."""
    yield same("lem-5.2", "charitable")


@ESTIMATOR.step(
    "c",
    "lma:learning_m_criterion, display",
    "a",
    repair=StepRepair(
        "P(there is a time with equal bounds that are not m) is at most delta", _seldom_wrong
    ),
    consequence="the repaired form is true for sigma <= 1/2",
)
def _right_where_bounds_meet() -> Parts:
    """P(the estimate is m | the bounds are equal) >= 1 - delta."""
    yield same("lem-5.2", "printed")


STEPS = (*DEVIATION, *INTERVAL, *ESTIMATOR)
