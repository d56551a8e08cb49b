"""Lemmas D.1, 5.1 and 5.2: widths, the interval for a capacity, the estimator.

Notation: tau and iota the counts of individual and united explorations, s = phi(tau) + phi(iota),
muhat and nuhat their means, S a sum of t centred rewards of scale sigma. A law is
sigma-sub-Gaussian if log E exp(c X) <= c^2 sigma^2/2 for its centred X.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy
from flint import arb
from sympy import exp, log, oo, pi, sqrt

from boundcheck import balls
from boundcheck import functions as fn
from boundcheck import symbols as s
from boundcheck.claims.lem_d_1 import CLAIMS as CARDS_D_1
from boundcheck.claims.lem_d_1 import t
from boundcheck.falsification.deviations import TIMES, exact_crossing
from boundcheck.proofs import relations as rel
from boundcheck.proofs.methods import computed, contradicted, exhaustive, falsified, identity, sign
from boundcheck.proofs.relations import at_most, below
from boundcheck.proofs.step import Checked, Step, combined

WIDTH: sympy.Expr = CARDS_D_1[0].formula
S, sigma, p, m, mu, a, b, q = sympy.symbols("S sigma p m mu a b q", positive=True)
phi_tau, phi_iota = sympy.symbols("phi_tau phi_iota", positive=True)
c = sympy.Symbol("c", real=True)
_ANY = (0, oo)
_WITHIN = dict.fromkeys((m, mu, a, b, phi_tau, phi_iota), _ANY)


# -- D.1 ---------------------------------------------------------------------------------


def _mixture() -> Checked:
    """exp(c S - c^2 sigma^2 t/2) mixed over c ~ N(0, 1/sigma^2), by completing the square."""
    centre = S / (sigma**2 * (t + 1))
    exponent = c * S - c**2 * sigma**2 * t / 2 - c**2 * sigma**2 / 2
    peak = S**2 / (2 * sigma**2 * (t + 1))
    square = identity(
        exponent,
        peak - (t + 1) * sigma**2 * (c - centre) ** 2 / 2,
        dict.fromkeys((c, S, sigma, t), (1, 9)),
    )
    mass = sqrt(sigma**2 / (2 * pi)) * sympy.integrate(
        exp(-(t + 1) * sigma**2 * c**2 / 2), (c, -oo, oo)
    )
    factor = computed(
        "identity",
        sympy.simplify(mass * sqrt(t + 1)) == 1,
        "every t and sigma",
        "so the mixture is exp(S^2/(2 sigma^2 (t+1)))/sqrt(t+1)",
    )
    return combined(square, factor)


def _boundary() -> Checked:
    """At |S| = t width the mixture is 1/delta: Ville's inequality then gives delta."""
    peak = (t * WIDTH) ** 2 / (2 * s.sigma2 * (t + 1))
    ranges = {t: (1, 50), s.sigma2: (1, 4), s.delta: ("0.001", "0.9")}
    return identity(peak - log(sqrt(t + 1)), log(1 / s.delta), ranges)


def _crossing() -> Checked:
    """Exact lattice paths of Bernoulli variables."""
    means = [Fraction(x, 10) for x in (1, 3, 5)]
    deltas = [Fraction(1, 100), Fraction(1, 10), Fraction(9, 10)]
    largest = max(
        float(exact_crossing(mean, delta, WIDTH) / delta) for mean, delta in product(means, deltas)
    )
    return computed(
        "exact paths",
        largest <= 1,
        f"Bernoulli means 0.1, 0.3, 0.5; delta 0.01, 0.1, 0.9; times to {TIMES}",
        f"crossed with probability at most {largest:.4g} delta",
        sample=True,
    )


# -- 5.1 ---------------------------------------------------------------------------------


def hoeffding_lemma() -> Checked:
    """(log E exp(cX))'' = q(1 - q) <= 1/4 for Bernoulli, q the tilted mean; convexity: any law."""
    moment = log(1 - p + p * exp(c))
    tilted = p * exp(c) / (1 - p + p * exp(c))
    bend = sympy.diff(moment, c, 2)
    return combined(
        identity(bend, tilted * (1 - tilted), {p: ("0.01", "0.99"), c: (0, 5)}),
        sign(at_most(q * (1 - q), sympy.Rational(1, 4)), {q: (0, 1)}),
    )


def _width() -> Checked:
    """D.1 with sigma = 1/2 and delta/2 is phi."""
    half = WIDTH.xreplace({s.sigma2: sympy.Rational(1, 4), s.delta: s.delta / 2})
    return identity(
        half**2, rel.unfolded(fn.phi(t, s.delta)) ** 2, {t: (1, 50), s.delta: ("0.001", 1)}
    )


def _half_delta() -> Checked:
    return combined(_width(), hoeffding_lemma())


def _normal_excess() -> Checked:
    """One time is enough: P(|muhat - mu| >= phi) for Gaussian rewards of variance 1/2."""
    return exhaustive(
        lambda count, digits: bool(_normal_failure(count, digits) <= 1),
        {"tau": (1, 2, 5, 10, 50), "-log10(delta)": (1, 2, 3, 4, 6, 8)},
        complete=False,
        words="variance 1/2: the chance at this one time exceeds delta/2",
    )


def _normal_failure(count: int, digits: int) -> arb:
    """The normal tail beyond phi, in multiples of delta/2."""
    delta = Fraction(1, 10**digits)
    with balls.precision(rel.BITS):
        squared = rel.value(fn.phi(t, s.delta) ** 2, {t: Fraction(count), s.delta: delta})
        return (squared * count).sqrt().erfc() / balls.ball(delta / 2)  # 2 sigma^2 = 1


def _complement() -> Checked:
    return exhaustive(
        lambda deviation: (not deviation >= 1) <= (deviation <= 1),
        {"deviation (width 1)": (0, 1, 2)},
        complete=True,
        words="below, at and beyond the width",
    )


def _scaled() -> Checked:
    """|nuhat - m mu| <= m phi is |nuhat/m - mu| <= phi: squares differ by the factor m^2."""
    inner = phi_iota**2 - (a / m - mu) ** 2  # a stands for nuhat
    outer = (m * phi_iota) ** 2 - (a - m * mu) ** 2
    return identity(outer, m**2 * inner, dict.fromkeys((m, a, mu, phi_iota), (1, 9)))


def _as_interval(width: sympy.Expr, centre: sympy.Expr, target: sympy.Expr) -> Checked:
    """width^2 - (centre - target)^2 is the product of the distances to both ends."""
    ends = (target - (centre - width)) * (centre + width - target)
    symbols = dict.fromkeys(sorted((width * centre * target).free_symbols, key=str), (1, 9))
    return identity(width**2 - (centre - target) ** 2, ends, symbols)


def _rearranged(width: sympy.Expr) -> Checked:
    """m (mu - phi(iota)) <= nuhat <= m (mu + phi(iota)) implies the same with `width`?"""
    above, under = m * (mu + phi_iota) - b, m * (mu - phi_iota) + b
    return combined(
        sign(at_most(above, m * (mu + width)), _WITHIN),
        sign(at_most(m * (mu - width), under), _WITHIN),
    )


def _lower_end() -> Checked:
    """muhat = mu - phi(tau) + a and nuhat = m(mu + phi(iota)) - b imply m (muhat + s) >= nuhat."""
    muhat, nuhat = mu - phi_tau + a, m * (mu + phi_iota) - b
    return sign(at_most(nuhat, m * (muhat + phi_tau + phi_iota)), _WITHIN)


def _upper_end() -> Checked:
    muhat, nuhat = mu + phi_tau - a, m * (mu - phi_iota) + b
    return sign(at_most(m * (muhat - phi_tau - phi_iota), nuhat), _WITHIN)


def ends() -> Checked:
    return combined(_lower_end(), _upper_end())


def _never_at_first() -> Checked:
    """tau = iota = 1: s = 2 phi(1) > 1 >= muhat, the upper end is not positive, m is beyond it."""
    small = rel.unfolded(fn.phi(sympy.Integer(1), exp(-b))) ** 2  # delta = exp(-b), b >= 0
    squared = sympy.expand_log(small, force=True)
    wide = sign(below(sympy.Rational(1, 4), squared), {b: _ANY})
    return contradicted(
        wide,
        "tau = iota = 1, every law on [0, 1], every delta <= 1",
        "2 phi(1) > 1 >= muhat: the printed upper end is at most 0, so the event has probability 0",
    )


def _union() -> Checked:
    half = s.delta / 2
    return combined(
        identity(half + half, s.delta, {s.delta: ("0.001", 1)}),
        falsified("lem-5.1", 2),
    )


# -- 5.2 ---------------------------------------------------------------------------------


def _whole_numbers() -> Checked:
    """lo <= m <= hi and 1 <= m <= N put m between the bounds; bounds that are equal are m."""

    def true(low: int, high: int, capacity: int, plays: int) -> bool:
        if not low <= 3 * capacity <= high or capacity > plays:
            return True
        lower, upper = max(-(-low // 3), 1), min(high // 3, plays)
        return lower <= capacity <= upper and (lower != upper or lower == capacity)

    ends = range(-3, 16)
    return exhaustive(
        true,
        {"3 lo": ends, "3 hi": ends, "m": (1, 2, 3), "N": (1, 2, 3, 4)},
        complete=False,
        words="ends in thirds: below 1, whole, between whole numbers, above N",
    )


# -- the ledger ----------------------------------------------------------------------------

_D, _I, _E = "lem-D.1", "lem-5.1", "lem-5.2"
_UNCONDITIONAL = "P(there is a time with muhat > s and m outside) <= delta is true for sigma <= 1/2"

STEPS = (
    Step(_D, "D.1-a", "lma:uci_basic: the supermartingale behind it",
         "mixing exp(c S - c^2 sigma^2 t/2) over c gives exp(S^2/(2 sigma^2 (t+1)))/sqrt(t+1)",
         ("sub-gaussian-half",), _mixture),
    Step(_D, "D.1-b", "lma:uci_basic: the boundary",
         "the mixture reaches 1/delta where |S|/t is the printed width", ("D.1-a",), _boundary),
    Step(_D, "D.1-c", "lma:uci_basic, display",
         "the mean leaves its width at some time with probability at most delta",
         ("D.1-b", "Bourel, Maillard and Talebi, Lemma 5"), _crossing,
         repair="'for all sigma in (0, 1)' should be for all delta in (0, 1)"),
    Step(_I, "5.1-a", "D.1, display 2: laws on [0, 1]",
         "P(some tau has |muhat - mu| >= phi(tau)) <= delta/2, as such laws are 1/2-sub-Gaussian",
         ("D.1-c",), _half_delta),
    Step(_I, "5.1-b", "D.1, display 2: Gaussian laws of variance up to 1/2",
         "the same for every law of the model", ("D.1-c", "variance-at-most-half"), _normal_excess,
         repair="width 2 sigma phi", survives=False,
         consequence="the claim is right for sigma <= 1/2, not for Gaussian variance above 1/4"),
    Step(_I, "5.1-c", "D.1, display 3: phi", "the width of D.1 at sigma = 1/2, delta/2",
         ("D.1-c",), _width),
    Step(_I, "5.1-d", "eq:mu_uci", "the complement has probability at least 1 - delta/2",
         ("5.1-a",), _complement),
    Step(_I, "5.1-e", "eq:nu_uci", "the same for nuhat/m", ("5.1-d",), _scaled),
    Step(_I, "5.1-f", "D.1, intervals, line 1", "mu lies in [muhat - phi, muhat + phi]",
         ("5.1-d",), lambda: _as_interval(phi_tau, a, mu)),
    Step(_I, "5.1-g", "D.1, intervals, line 2", "m mu lies in [nuhat - m phi, nuhat + m phi]",
         ("5.1-e",), lambda: _as_interval(m * phi_iota, a, m * mu)),
    Step(_I, "5.1-h", "D.1, the second interval rearranged",
         "nuhat/(mu + phi(tau)) <= m <= nuhat/(mu - phi(tau)), as printed",
         ("5.1-g",), lambda: _rearranged(phi_tau),
         repair="phi(iota) for phi(tau)", consequence="a misprint: phi(iota) is what is used"),
    Step(_I, "5.1-i", "D.1, the second interval rearranged, repaired",
         "nuhat/(mu + phi(iota)) <= m <= nuhat/(mu - phi(iota))",
         ("5.1-g",), lambda: _rearranged(phi_iota)),
    Step(_I, "5.1-j", "D.1, mu replaced: lower end", "nuhat <= m (muhat + s)",
         ("5.1-f", "5.1-i"), _lower_end),
    Step(_I, "5.1-k", "D.1, mu replaced: upper end", "m (muhat - s) <= nuhat",
         ("5.1-f", "5.1-i"), _upper_end),
    Step(_I, "5.1-l", "D.1, last display, as printed",
         "with probability at least 1 - delta, m is in the interval for all tau and iota",
         ("5.1-j", "5.1-k"), _never_at_first,
         repair="read the upper end as infinite where muhat <= s", consequence=_UNCONDITIONAL),
    Step(_I, "5.1-m", "D.1, last display: the union bound",
         "delta/2 + delta/2 = delta, the upper end infinite where muhat <= s",
         ("5.1-d", "5.1-e", "5.1-j", "5.1-k"), _union),
    Step(_I, "5.1-n", "lma:ufc_m: 'conditioned on'",
         "P(m is in the interval | muhat > s) >= 1 - delta", ("5.1-m",),
         lambda: falsified("lem-5.1", 0),
         repair="P(there is a time with muhat > s and m outside) <= delta", survives=False,
         consequence=f"false as a conditional statement; {_UNCONDITIONAL}"),
    Step(_E, "5.2-a", "eq:m_lower_bound, eq:m_upper_bound",
         "if m is in the interval it lies between the bounds, and equal bounds are m",
         ("5.1-m",), _whole_numbers),
    Step(_E, "5.2-b", "lma:learning_m_criterion, unconditional",
         "P(the bounds are equal and not m) <= delta", ("5.2-a",), lambda: falsified("lem-5.2", 2)),
    Step(_E, "5.2-c", "lma:learning_m_criterion, display",
         "P(the estimate is m | the bounds are equal) >= 1 - delta", ("5.2-a",),
         lambda: falsified("lem-5.2", 0),
         repair="P(there is a time with equal bounds that are not m) <= delta", survives=False,
         consequence="the repaired form is true for sigma <= 1/2"),
)  # fmt: skip
