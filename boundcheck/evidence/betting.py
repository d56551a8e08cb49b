"""Claims about a mean, by betting against them.

Claim: E[X_t | past] <= b for non-negative X_t. A gambler who stakes the fraction s in [0, 1) of a
fortune on each observation multiplies it by

    1 + s (X_t / b - 1) >= 1 - s > 0,                                                        (1)

a factor of mean at most 1 under the claim. The average over a fixed grid of stakes,

    E_t = (1/K) sum_j prod_{u<=t} (1 + s_j (X_u / b - 1)),                                   (2)

is a non-negative supermartingale from 1, so (Ville) P(sup_t E_t >= 1/level) <= level: the claim is
refuted the first time E_t reaches 1/level, however often one looks and whenever one stops. No upper
range is needed. E_t decreases in b, so the smallest bound that is not refuted is a lower confidence
limit for the mean, valid at all times at once.

A claim E[X] >= b cannot be refuted this way without a known range: whatever was seen, a rare huge
value could carry the mean. Given X <= top it says E[top - X] <= top - b, and the same bet runs.

Values come in the order in which they were drawn (run index), never sorted or selected.
"""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from math import inf, isfinite, log, sqrt

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from boundcheck.evidence.inputs import POWER, Check, FloatArray, Values, open_unit, positive, sample
from simulation.errors import InputError, shown

# Best stakes are about (relative excess) / (relative variance), or near 1 for hardly varying
# values: evenly spaced in log(s / (1 - s)) they cover 1e-4 to 0.993 within a factor 1.3.
STAKES: FloatArray = np.array([float(1 / (1 + Decimal(-i).exp().sqrt())) for i in range(-18, 11)])

# Below this fraction of the largest value a confidence limit is reported as 0, which is safe.
_NEGLIGIBLE = 1e-30


def log_wealth(values: FloatArray, bound: float) -> FloatArray:
    """log E_t of (2) after each value.

    >>> log_wealth(np.array([2.0, 2.0]), 2.0)
    array([0., 0.])
    """
    from simulation.elementary import logs

    top, relative = np.full(values.size, -inf), np.zeros(values.size)  # E_t K = relative e^top
    with np.errstate(over="ignore"):  # a bound of 1e-310 is refuted by infinite wealth
        multiples = values / bound
    for stake in STAKES:
        one = np.cumsum(_log_factors(multiples, stake))
        higher = np.maximum(top, one)
        relative = relative * _ratios(top, higher) + _ratios(one, higher)
        top = higher
    return top + logs(relative / STAKES.size)


def _log_factors(multiples: FloatArray, stake: float) -> FloatArray:
    from simulation.elementary import logs1p

    return logs1p(stake * (multiples - 1))


def _ratios(one: FloatArray, higher: FloatArray) -> FloatArray:
    """e^(one - higher), 1 where both are infinite."""
    from simulation.elementary import exps

    return exps(np.where(one < higher, one, 0.0) - np.where(one < higher, higher, 0.0))


def lower_limit(values: Values, level: float) -> float:
    """A lower confidence limit for the mean of non-negative values: the largest refuted bound.

    >>> round(lower_limit(np.full(100, 3.0), 1e-6), 3)
    2.563
    """
    drawn = sample("lower_limit", values)
    return _lower_limit(drawn.tobytes(), open_unit("lower_limit", "level", level))


@lru_cache(maxsize=64)  # one sample is set beside many bounds
def _lower_limit(kept: bytes, level: float) -> float:
    drawn, threshold = np.frombuffer(kept), -log(level)
    high = float(drawn.max())  # never refuted: no factor exceeds 1
    floor = high * _NEGLIGIBLE
    if floor < np.finfo(np.float64).tiny:  # all zero, or too small to divide by
        return 0.0

    def margin(bound: float) -> float:
        return float(log_wealth(drawn, bound).max()) - threshold

    low = high / 16
    while margin(low) < 0:
        high, low = low, low / 16
        if low < floor:
            return 0.0
    root: float = brentq(margin, low, high, rtol=1e-12, xtol=low * 1e-12)
    return max(low, root * (1 - 1e-11))  # on the refuted side of the root


def upper_limit(values: Values, top: float, level: float) -> float:
    """An upper confidence limit for the mean of values known to lie in [0, top]."""
    return top - lower_limit(top - sample("upper_limit", values, top), level)


def mean_at_most(values: Values, bound: float, level: float) -> Check:
    """Do these non-negative values refute E[X] <= bound?

    >>> check = mean_at_most(np.full(100, 3.0), 2.0, level=1e-6)
    >>> check.refuted, round(check.detectable, 2)
    (True, 2.38)
    """
    drawn = sample("mean_at_most", values)
    positive("mean_at_most", "bound", bound)
    return _check(drawn, "<=", bound, None, level)


def mean_at_least(values: Values, bound: float, top: float, level: float) -> Check:
    """Do these values, known to lie in [0, top], refute E[X] >= bound?

    >>> mean_at_least(np.full(200, 0.5), 0.7, top=1.0, level=1e-6).refuted
    True
    """
    drawn = sample("mean_at_least", values, positive("mean_at_least", "top", top))
    if not 0 < bound < top:
        raise InputError("mean_at_least", "bound", shown(bound), f"a number between 0 and {top}")
    return _check(drawn, ">=", bound, top, level)


def _check(drawn: FloatArray, side: str, bound: float, top: float | None, level: float) -> Check:
    open_unit("mean", "level", level)
    wealth = log_wealth(drawn, bound) if top is None else log_wealth(top - drawn, top - bound)
    most = max(0.0, float(wealth.max()))
    several = drawn.size > 1
    evidence = {
        "method": "betting e-process, valid at any stopping time",
        "statement": f"mean {side} {bound:g}",
        "range": "non-negative" if top is None else [0.0, top],
        "runs": drawn.size,
        "mean": float(drawn.mean()),
        "standard_error": float(drawn.std(ddof=1)) / sqrt(drawn.size) if several else None,
        "log10_e_value": float(wealth[-1]) / log(10),
        "log10_e_value_max": most / log(10),
        "level": level,
        # the bound nearest to the data that is not refuted
        "limit": lower_limit(drawn, level) if top is None else upper_limit(drawn, top, level),
        "detectable": detectable(drawn, bound, top, drawn.size, level),
        "power": POWER,
    }
    return Check(most >= -log(level), evidence)


def power_against(
    truth: float, shape: FloatArray, bound: float, top: float | None, runs: int, level: float
) -> float:
    """About the chance that `runs` runs with mean `truth` refute the claim about `bound`.

    An analytic growth rate, not a simulation. The alternative keeps the relative spread seen in
    `shape`, scaled to the mean `truth`. For one stake the log wealth is a sum of independent terms
    with the mean and variance taken from that scaled sample; it is treated as Gaussian, and must
    reach log(K/level) so that the average (2) reaches 1/level whatever the other stakes do.
    """
    values = shape * truth
    if top is None:
        multiples = values / bound
    else:
        multiples = (top - np.minimum(values, top)) / (top - bound)
    needed = log(STAKES.size / level)
    best = -inf
    for stake in STAKES:
        terms = _log_factors(multiples, stake)
        excess, spread = runs * float(terms.mean()) - needed, sqrt(runs) * float(terms.std())
        best = max(best, excess / spread if spread > 0 else (inf if excess >= 0 else -inf))
    return float(ndtr(best))


def detectable(
    values: FloatArray, bound: float, top: float | None, runs: int, level: float
) -> float | None:
    """The mean nearest to `bound` that `runs` runs would refute with the power, or None.

    Above the bound for a claim <= (top is None), below it for a claim >= (top is given).
    """
    mean = float(values.mean())
    shape = values / mean if mean > 0 else np.ones(1)  # runs that are all zero are alike
    # without a range only the ratio counts: the factor is the same for every bound
    at = (1.0, None) if top is None else (bound, top)
    factor = _detectable_factor(shape.tobytes(), *at, runs, level)
    return None if factor is None or not isfinite(bound * factor) else bound * factor


@lru_cache(maxsize=64)
def _detectable_factor(
    shape: bytes, bound: float, top: float | None, runs: int, level: float
) -> float | None:
    def seen(factor: float) -> bool:
        given = bound * factor, np.frombuffer(shape), bound, top, runs, level
        return power_against(*given) >= POWER

    missed, found = 1.0, 2.0 if top is None else 0.0
    while top is None and found < 2.0**40 and not seen(found):
        missed, found = found, found * 2
    if not seen(found):
        return None
    while abs(found - missed) > 1e-4 * max(missed, 1.0):
        middle = (found + missed) / 2
        if seen(middle):
            found = middle
        else:
            missed = middle
    return found
