"""Tests of claims about a probability, from a count of hits: exact binomial (Clopper-Pearson).

With X ~ Bin(n, p) and 1 <= h <= n, P(X >= h) = I_p(h, n - h + 1), the regularised incomplete beta
function, increasing in p. Solved for p this identity gives confidence limits and detectable
probabilities, solved for h the count that refutes. A claim p >= p0 is the claim 1 - p <= 1 - p0
about misses.

The last digits of the C library's floats differ between machines. They are used for searching; what
is reported is computed with balls, far more precisely than a float, and rounded once.
"""

from __future__ import annotations

from functools import lru_cache
from math import log

from flint import arb
from scipy.special import betainc, betainccinv, betaincinv, rel_entr

from boundcheck.calculator.numbers import balls
from boundcheck.evidence.betting import SUPPORT
from boundcheck.evidence.inputs import POWER, Check, open_unit
from simulation.errors import InputError, shown

_BITS = 256  # enough for a + b up to 10^30


# -- the incomplete beta function I_x(a, b) ----------------------------------------------------


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
    """I_x(a, b), computed from the smaller tail, which is faster and gives smaller balls."""
    if x * (a + b) > a:
        return 1 - (1 - x).beta_lower(b, a, regularized=True)
    return x.beta_lower(a, b, regularized=True)


def _polished(a: float, b: float, near: float, target: arb) -> float:
    """Improve a float near the solution by one Newton step, which doubles its correct digits."""
    if not 0 < near < 1:
        return near
    x, one, other = arb(near), arb(a), arb(b)
    scale = (one + other).lgamma() - one.lgamma() - other.lgamma()
    density = ((one - 1) * x.log() + (other - 1) * (1 - x).log() + scale).exp()
    return float(x - (_chance(a, b, x) - target) / density)


# -- counts ------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def at_least_hits(hits: int, trials: int, probability: float) -> float:
    """P(Bin(trials, probability) >= hits).

    >>> at_least_hits(2, 2, 0.5)
    0.25
    """
    if hits <= 0:
        return 1.0
    if hits > trials:
        return 0.0
    with balls.precision(_BITS):
        return float(_chance(hits, trials - hits + 1, arb(probability)))


def proportion_lower_limit(hits: int, trials: int, level: float) -> float:
    """One-sided: for any smaller probability, so many hits have probability at most `level`."""
    return 0.0 if hits == 0 else quantile(hits, trials - hits + 1, level)


def proportion_upper_limit(hits: int, trials: int, level: float) -> float:
    """One-sided: for any larger probability, so few hits have probability at most `level`.

    >>> round(proportion_upper_limit(0, 100, 0.05), 4)  # the rule of three
    0.0295
    """
    return 1.0 if hits == trials else upper_quantile(hits + 1, trials - hits, level)


def interval(hits: int, trials: int, level: float) -> tuple[float, float]:
    """Two-sided limits; each is wrong with probability at most level / 2.

    >>> [round(end, 4) for end in interval(1, 10, 0.05)]
    [0.0025, 0.445]
    """
    return proportion_lower_limit(hits, trials, level / 2), proportion_upper_limit(
        hits, trials, level / 2
    )


def refuting_hits(trials: int, bound: float, level: float) -> int:
    """The fewest hits that refute p <= bound at this level, found in floats; trials + 1 if none
    does.
    """
    below, above = 0, trials + 1
    while above - below > 1:
        middle = (above + below) // 2
        if betainc(middle, trials - middle + 1, bound) <= level:
            above = middle
        else:
            below = middle
    return above


def detectable(trials: int, bound: float, level: float) -> float | None:
    """The smallest true p > bound for which this many trials refute p <= bound with probability
    0.9.

    None if no outcome of so few trials refutes it.
    """
    hits = refuting_hits(trials, bound, level)
    return None if hits > trials else quantile(hits, trials - hits + 1, POWER)


def proportion_at_most(hits: int, trials: int, bound: float, level: float) -> Check:
    """Test P(hit) <= bound.

    >>> proportion_at_most(30, 100, 0.1, level=1e-6).refuted
    True
    """
    return _check("<=", hits, trials, bound, level)


def proportion_at_least(hits: int, trials: int, bound: float, level: float) -> Check:
    """Test P(hit) >= bound."""
    return _check(">=", hits, trials, bound, level)


def _check(side: str, hits: int, trials: int, bound: float, level: float) -> Check:
    if trials < 1:
        raise InputError("proportion", "trials", shown(trials), "1 or more")
    if not 0 <= hits <= trials:
        raise InputError("proportion", "hits", shown(hits), f"0 to {trials}")
    open_unit("proportion", "level", level)
    if not 0 <= bound <= 1:
        raise InputError("proportion", "bound", shown(bound), "a probability")
    # a lower bound is tested as an upper bound on misses
    count, most = (hits, bound) if side == "<=" else (trials - hits, 1 - bound)
    p_value, opposite = (
        at_least_hits(count, trials, most),
        proportion_upper_limit(count, trials, SUPPORT),
    )
    seen = detectable(trials, most, level)
    limit = proportion_lower_limit(count, trials, level)
    evidence = {
        "method": "exact binomial",
        "statement": f"probability {side} {bound:g}",
        "hits": hits,
        "trials": trials,
        "estimate": hits / trials,
        "interval_95": interval(hits, trials, 0.05),
        "p_value": p_value,
        "level": level,
        # the bound closest to the claimed one that is not refuted
        "limit": limit if side == "<=" else 1 - limit,
        "detectable": seen if seen is None or side == "<=" else 1 - seen,
        "power": POWER,
    }
    refuted, supported = p_value <= level, p_value > level and opposite <= most
    if refuted or supported:
        return Check(refuted, evidence, supported)
    return Check(False, evidence, False, *_open(count, trials, most, level))


def _open(count: int, trials: int, most: float, level: float) -> tuple[float | None, bool | None]:
    """The total number of trials that would decide P <= most, and whether the hits contradict it.

    None for the latter if the claimed probability is between the medians of both limits.
    """
    if proportion_lower_limit(count, trials, 0.5) > most:
        return _growth(count / trials, most, level), True
    against = False if proportion_upper_limit(count, trials, 0.5) < most else None
    return _growth(count / trials, most, SUPPORT), against


def _growth(share: float, most: float, level: float) -> float | None:
    """log(1/level) divided by the relative entropy of the share to the claimed probability."""
    entropy = float(rel_entr(share, most) + rel_entr(1 - share, 1 - most))
    return -log(level) / entropy if entropy > 0 else None
