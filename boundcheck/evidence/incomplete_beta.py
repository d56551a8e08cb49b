"""The regularised incomplete beta function I_x(a, b) and its inverse, rounded from certified balls.

The floats of the C library differ in last digits from one machine to the next. They are good enough
to search with; what is reported is computed with balls, far beyond a float, and rounded once.
"""

from __future__ import annotations

from functools import lru_cache

from flint import arb
from scipy.special import betainccinv, betaincinv

from boundcheck.numbers import balls

_BITS = 256  # enough for a + b up to 10^30


@lru_cache(maxsize=4096)
def chance(a: float, b: float, x: float) -> float:
    """I_x(a, b).

    >>> chance(1, 2, 0.5)
    0.75
    """
    with balls.precision(_BITS):
        return float(_chance(a, b, arb(x)))


@lru_cache(maxsize=4096)
def quantile(a: float, b: float, probability: float) -> float:
    """The x with I_x(a, b) = probability.

    >>> quantile(1, 1, 0.25)
    0.25
    """
    with balls.precision(_BITS):
        return _polished(a, b, float(betaincinv(a, b, probability)), arb(probability))


@lru_cache(maxsize=4096)
def upper_quantile(a: float, b: float, probability: float) -> float:
    """The x with 1 - I_x(a, b) = probability."""
    with balls.precision(_BITS):
        return _polished(a, b, float(betainccinv(a, b, probability)), 1 - arb(probability))


def _chance(a: float, b: float, x: arb) -> arb:
    """From the smaller one of the two tails, which is computed faster, with smaller balls."""
    if x * (a + b) > a:
        return 1 - (1 - x).beta_lower(b, a, regularized=True)
    return x.beta_lower(a, b, regularized=True)


def _polished(a: float, b: float, near: float, target: arb) -> float:
    """From a float near x to x, by one step of Newton's method: it doubles the digits."""
    if not 0 < near < 1:
        return near
    x, one, other = arb(near), arb(a), arb(b)
    scale = (one + other).lgamma() - one.lgamma() - other.lgamma()
    density = ((one - 1) * x.log() + (other - 1) * (1 - x).log() + scale).exp()
    return float(x - (_chance(a, b, x) - target) / density)
