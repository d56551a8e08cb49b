"""E log(1 - r X) for X of the law Beta(a, b) and r = m/(m + 1), in each kind of number.

The divergence of m X from (m + 1) X depends on it (docs/theory.md). With c = a + b,

    E log(1 - r X) = -sum_{n>=1} (r^n/n) (a)_n/(c)_n = -(r a/c) 3F2(1, 1, a + 1; 2, c + 1; r),

a series of positive terms that decrease at least like r^n. Balls and digits sum it. Floats come in
arrays with any capacity, for which it may be long; they integrate. With Y = 1 - X and
g = log(1 - r X) + X log(m + 1) = log(1 + m Y) - Y log(m + 1), which vanishes at both ends,

    E log(1 - r X) = -(a/c) log(m + 1) + (a b/(c (c + 1))) E' g/(X Y),

E' the mean under Beta(a + 1, b + 1). The logit u of X then has a density with exponential tails
that is analytic up to |Im u| = pi, where the trapezoidal rule converges exponentially.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from boundcheck.calculator.numbers.balls import ball
from boundcheck.calculator.numbers.domains import Code

Floats = NDArray[np.float64]

# enough for steps of a quarter of the spread of u and tails down to exp(-40), up to capacities of
# 2^31
_NODES = 420
_TAIL = 40.0


def enclosed_mean_log(a: arb, b: arb, m: arb) -> arb:
    total, rest = _series(a, b, m, arb(2) ** -ctx.prec)
    return -(total + arb(0).union(rest))


def enclosed_divergence(p: Fraction, q: Fraction, r: Fraction, concentration: Fraction) -> arb:
    """Divergence of r X, with X of mean p, from X' of mean q, for r <= 1.

    It is E log(f(X)/r) - E log f'(r X), with f and f' the densities of X and X', written out.
    """
    a, b = ball(p * concentration), ball((1 - p) * concentration)
    other_a, other_b = ball(q * concentration), ball((1 - q) * concentration)
    log_x, log_y = (x.digamma() - (a + b).digamma() for x in (a, b))
    log_rest = log_y if r == 1 else enclosed_mean_log(a, b, ball(r / (1 - r)))
    total = other_a.lgamma() + other_b.lgamma() - a.lgamma() - b.lgamma()
    total += (a - other_a) * log_x - other_a * ball(r).log()
    return total + (b - 1) * log_y - (other_b - 1) * log_rest


def digits_mean_log(context: Any, a: Any, b: Any, m: Any) -> Any:
    total, _ = _series(a, b, m, context.eps)
    return -total


def _series(a: Any, b: Any, m: Any, precision: Any) -> tuple[Any, Any]:
    """The sum to a relative precision, and a bound on the remaining terms.

    The n-th term is factor/n and the factors decrease at least like r^n.
    """
    r = m / (m + 1)
    factor, total, n = r * a / (a + b), 0 * a, 1
    while factor * (m + 1) > n * total * precision:  # for balls this is certain, so the loop ends
        total += factor / n
        factor *= r * (a + n) / (a + b + n)
        n += 1
    return total, factor * (m + 1) / n


def float_mean_logs(a: Floats, b: Floats, m: Floats) -> Floats:
    """The integral over u, for arrays of one shape, node by node."""
    spread = np.sqrt(1 / (a + 1) + 1 / (b + 1))
    peak = np.log((a + 1) / (b + 1))
    left = peak - 9 * spread - _TAIL / (a + 1)
    right = peak + 9 * spread + (_TAIL + np.log(m)) / (b + 1)  # g/(X Y) grows up to a factor of m
    top = _log_density(peak, a, b)
    mass = mean = np.zeros(np.shape(a))
    for share in np.linspace(0.0, 1.0, _NODES):
        u = left + share * (right - left)
        weight = np.exp(_log_density(u, a, b) - top)
        mass = mass + weight
        mean = mean + weight * _remainder(u, m)
    c = a + b
    return np.asarray(a * b / (c * (c + 1)) * mean / mass - a / c * np.log1p(m))


def _log_density(u: Floats, a: Floats, b: Floats) -> Floats:
    """The log density of the logit u under Beta(a + 1, b + 1), up to a constant."""
    return np.asarray(-(a + 1) * np.logaddexp(0, -u) - (b + 1) * np.logaddexp(0, u))


def _remainder(u: Floats, m: Floats) -> Floats:
    """g/(X Y), with g in a form that is accurate where X, or Y, is small."""
    x, y = np.exp(-np.logaddexp(0, -u)), np.exp(-np.logaddexp(0, u))
    gain = np.log1p(m)
    g = np.where(u < 0, np.log1p(-x * m / (m + 1)) + x * gain, np.log1p(m * y) - y * gain)
    return np.asarray(g / (x * y))


MEAN_LOG = Code(float_mean_logs, digits_mean_log, enclosed_mean_log)
