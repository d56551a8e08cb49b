"""Rates of averages of Beta rewards: sup over s of s x - log E e^(s X), 0 <= s <= 600, x > E X.

Every s gives a number that is not above the rate, and so a bound that is true. E e^(s X) is
Kummer's function 1F1(a, a + b, s); below the mean, X and x are 1 - X and 1 - x. In floats the
largest of a table is mended by a cubic, to about 10^-6; otherwise Newton's method continues
from there.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from flint import arb

from boundcheck.calculator.numbers.domains import BALLS, FLOATS, Array, Domain, elementwise

LARGEST_SLOPE = 600  # e^600 is a float
MOST = 64  # concentrations: for larger ones the rates of the mean alone are taken
_SLOPES = np.geomspace(1e-4, LARGEST_SLOPE, 1000)
_STEPS = 40  # of Newton, at most: it stops where the next one would change nothing
_CLOSE = 2.0**-60


def rates_of_beta(domain: Domain, means: Array, concentration: Any, x: Array) -> Array:
    """Of arms with these means, in (0, 1), at x in (0, 1), on either side."""
    means, x = np.broadcast_arrays(means, x)
    below = np.asarray(means > x, dtype=bool)
    means, x = (np.where(below, 1 - y, y) for y in (means, x))
    slopes, found = _rough(means.astype(float), float(concentration), x.astype(float))
    if domain is FLOATS:
        return found
    kummer = _of_balls if domain is BALLS else domain.context.hyp1f1  # type: ignore[attr-defined]

    def fine(mean: Any, at: Any, slope: float) -> Any:
        start = domain.number(Fraction(slope))
        return _fine(kummer, domain, mean * concentration, concentration, at, start)

    return elementwise(fine)(means, x, slopes)


def _of_balls(a: arb, b: arb, s: arb) -> arb:
    return s.hypgeom_1f1(a, b)


def _fine(kummer: Callable[..., Any], domain: Domain, a: Any, c: Any, x: Any, s: Any) -> Any:
    """By Newton's method for the slope of log 1F1(a, c, s), if it does not start at the end."""
    log = domain.function("log")
    if s < LARGEST_SLOPE:
        for _ in range(_STEPS):
            whole = kummer(a, c, s)
            mean = a / c * kummer(a + 1, c + 1, s) / whole
            square = a * (a + 1) / (c * (c + 1)) * kummer(a + 2, c + 2, s) / whole
            step = (x - mean) / (square - mean * mean)
            s = s + step
            s = s.mid() if isinstance(s, arb) else s
            if abs(float(step)) <= _CLOSE * float(s):
                break
    return s * x - log(kummer(a, c, s))


def _rough(means: Array, concentration: float, x: Array) -> tuple[Array, Array]:
    """Slopes and rates, in floats."""
    slopes, found = np.empty(x.shape), np.empty(x.shape)
    for mean in np.unique(means).tolist():
        here = means == mean
        logs, first, second, third = _table(mean * concentration, concentration)
        place = np.clip(np.searchsorted(first, x[here]), 1, len(first) - 1)
        place = place - (x[here] - first[place - 1] < first[place] - x[here])  # the nearer one
        off, inside = x[here] - first[place], x[here] < first[-1]
        slopes[here] = np.where(inside, _SLOPES[place] + off / second[place], LARGEST_SLOPE)
        bend = np.where(inside, off**2 / (2 * second[place]), 0.0)
        twist = np.clip(third[place] * off / (3 * second[place] ** 2), -0.5, 0.5)
        found[here] = _SLOPES[place] * x[here] - logs[place] + bend * (1 - twist)
    return np.maximum(slopes, 0.0), np.maximum(found, 0.0)


@lru_cache(maxsize=512)
def _table(a: float, c: float) -> tuple[Array, Array, Array, Array]:
    """log 1F1(a, c, s) and its first three derivatives, the last by differences."""
    from scipy.special import hyp1f1

    whole = hyp1f1(a, c, _SLOPES)
    mean = a / c * hyp1f1(a + 1, c + 1, _SLOPES) / whole
    square = a * (a + 1) / (c * (c + 1)) * hyp1f1(a + 2, c + 2, _SLOPES) / whole
    spread = np.maximum(square - mean**2, 1e-12)
    return np.log(whole), mean, spread, np.gradient(spread, _SLOPES)


def chances_of_beta(domain: Domain, means: Array, concentration: Any, loads: Array) -> Array:
    """P(X > b/(b + 1))."""
    a, b = (1 - means) * concentration, means * concentration  # of 1 - X < 1/(b + 1)
    if domain is FLOATS:
        from scipy.special import betainc

        return np.asarray(betainc(a, b, 1 / (loads + 1)))
    if domain is BALLS:
        return elementwise(lambda a, b, n: (1 / (n + 1)).beta_lower(a, b, regularized=1))(
            a, b, loads
        )
    betainc = domain.context.betainc  # type: ignore[attr-defined]
    return elementwise(lambda a, b, n: betainc(a, b, 0, 1 / (n + 1), regularized=True))(a, b, loads)
