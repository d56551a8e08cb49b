"""Tests of claims about a mean, by betting against the claim and against its opposite.

Claim: E[X_t | past] <= b for non-negative X_t. A gambler who stakes the fraction s in [0, 1) of a
fortune on each observation multiplies it by

    1 + s (X_t / b - 1) >= 1 - s > 0,                                                        (1)

a factor of mean at most 1 under the claim. The average over a fixed grid of stakes,

    E_t = sum_j w_j prod_{u<=t} (1 + s_j (X_u / b - 1)),   sum_j w_j = 1,                    (2)

is a non-negative supermartingale from 1, so (Ville) P(sup_t E_t >= 1/level) <= level: the claim is
refuted the first time E_t reaches 1/level, with any stopping rule. No upper
range is needed. E_t decreases in b, so the smallest bound that is not refuted is a lower confidence
limit for the mean, valid at all times at once.

The opposite, E[X] >= b, needs a known range: without one a rare huge value could dominate the mean,
whatever was observed. For X <= top it says E[top - X] <= top - b, and the same bet applies. Its
best stake is close to 1 (a run then multiplies the fortune by about (top - X)/(top - b)), so half
of the fortune is staked that way. Where this bet reaches 20, the claim is supported: its opposite
is refuted at level 0.05 whatever the law of a run, rare large losses included. Without a loss that
takes about log(40) top/b runs.

Values come in the order in which they were drawn (run index), never sorted or selected.
"""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from math import inf, isfinite, log, sqrt

import numpy as np
from scipy.optimize import brentq

from boundcheck.calculator.numbers.domains import FloatArray
from boundcheck.evidence.inputs import Check, Values, checked_sample, open_unit, positive
from simulation.errors import InputError, shown

SUPPORT = 0.05  # the level at which the opposite of a supported claim is refuted

# Best stakes are about (relative excess) / (relative variance), or near 1 for hardly varying
# values: evenly spaced in log(s / (1 - s)) they cover 1e-4 to 0.993 within a factor 1.3.
STAKES: FloatArray = np.array([float(1 / (1 + Decimal(-i).exp().sqrt())) for i in range(-18, 11)])
EVENLY: FloatArray = np.full(STAKES.size, 1 / STAKES.size)
# the bet against the opposite of a claim
ALMOST_ALL: FloatArray = np.array([*STAKES, 1 - 2.0**-20])
HALF_ON_ALL: FloatArray = np.array([*(EVENLY / 2), 0.5])

# A confidence limit below this fraction of the largest value is reported as 0, which is valid.
_NEGLIGIBLE = 1e-30


def log_wealth(
    values: FloatArray, bound: float, stakes: FloatArray = STAKES, weights: FloatArray = EVENLY
) -> FloatArray:
    """log E_t of (2) after each value.

    >>> log_wealth(np.array([6.0, 6.0]), 2.0).round(3).tolist()
    [0.545, 1.288]
    """
    from simulation.world.elementary import logs

    top, relative = np.full(values.size, -inf), np.zeros(values.size)  # E_t = relative e^top
    with np.errstate(over="ignore"):  # a bound of 1e-310 is refuted by infinite wealth
        multiples = values / bound
    for stake, weight in zip(stakes, weights, strict=True):
        one = np.cumsum(_log_factors(multiples, stake))
        higher = np.maximum(top, one)
        relative = relative * _ratios(top, higher) + weight * _ratios(one, higher)
        top = higher
    return top + logs(relative)


def _log_factors(multiples: FloatArray, stake: float) -> FloatArray:
    from simulation.world.elementary import logs1p

    return logs1p(stake * (multiples - 1))


def _ratios(one: FloatArray, higher: FloatArray) -> FloatArray:
    """e^(one - higher), 1 where both are infinite."""
    from simulation.world.elementary import exps

    return exps(np.where(one < higher, one, 0.0) - np.where(one < higher, higher, 0.0))


def lower_limit(values: Values, level: float) -> float:
    """A lower confidence limit for the mean of non-negative values: the largest refuted bound.

    >>> round(lower_limit(np.full(100, 3.0), 1e-6), 3)
    2.563
    """
    drawn = checked_sample("lower_limit", values)
    return _lower_limit(drawn.tobytes(), open_unit("lower_limit", "level", level))


@lru_cache(maxsize=64)  # one sample is tested against many bounds
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
    return top - lower_limit(top - checked_sample("upper_limit", values, top), level)


def mean_at_most(values: Values, bound: float, level: float, top: float | None = None) -> Check:
    """Test E[X] <= bound: refuted, supported (if `top`, the largest possible value, is known) or
    open.

    >>> mean_at_most(np.full(100, 3.0), 2.0, level=1e-6).refuted
    True
    >>> check = mean_at_most(np.full(40, 3.0), 6.0, level=1e-6, top=30.0)
    >>> check.supported, mean_at_most(np.full(40, 3.0), 6.0, level=1e-6).supported
    (True, False)
    """
    drawn = checked_sample("mean_at_most", values, top)
    positive("mean_at_most", "bound", bound)
    return _check(drawn, "<=", bound, top, level)


def mean_at_least(values: Values, bound: float, top: float, level: float) -> Check:
    """Test E[X] >= bound for values known to lie in [0, top].

    >>> mean_at_least(np.full(200, 0.5), 0.7, top=1.0, level=1e-6).refuted
    True
    """
    drawn = checked_sample("mean_at_least", values, positive("mean_at_least", "top", top))
    if not 0 < bound < top:
        raise InputError("mean_at_least", "bound", shown(bound), f"a number between 0 and {top}")
    return _check(drawn, ">=", bound, top, level)


def _check(drawn: FloatArray, side: str, bound: float, top: float | None, level: float) -> Check:
    open_unit("mean", "level", level)
    above = _Bet(drawn, bound, STAKES, EVENLY)  # grows where the mean is above the bound
    below = None if top is None else _Bet(top - drawn, top - bound, ALMOST_ALL, HALF_ON_ALL)
    against, favour = (above, below) if side == "<=" else (below, above)
    assert against is not None
    mean, several = float(drawn.mean()), drawn.size > 1
    evidence = {
        "method": "betting e-process, valid at any stopping time",
        "statement": f"mean {side} {bound:g}",
        "range": "non-negative" if top is None else [0.0, top],
        "runs": drawn.size,
        "mean": mean,
        "standard_error": float(drawn.std(ddof=1)) / sqrt(drawn.size) if several else None,
        "log10_e_value": against.most / log(10),
        "log10_e_value_for": None if favour is None else favour.most / log(10),
        "level": level,
    }
    failing = mean > bound if side == "<=" else mean < bound
    refuted = against.most >= -log(level)
    # values whose final evidence contradicts the claim do not support it, whatever came before
    supported = not (refuted or failing) and favour is not None and favour.most >= -log(SUPPORT)
    if refuted or supported:
        return Check(refuted, evidence, supported)
    goal, wanted = (against, level) if failing else (favour, SUPPORT)
    needed = None if goal is None else goal.runs_needed(wanted)
    return Check(False, evidence, False, needed, None if mean == bound else failing)


class _Bet:
    """A bet against E[values] <= bound, and its outcome."""

    def __init__(
        self, values: FloatArray, bound: float, stakes: FloatArray, weights: FloatArray
    ) -> None:
        self.values, self.bound, self.stakes, self.weights = values, bound, stakes, weights
        self.most = max(0.0, float(log_wealth(values, bound, stakes, weights).max()))

    def runs_needed(self, level: float) -> float | None:
        """About how many runs in total reach 1/level, if later runs are like the ones so far."""
        best, multiples = inf, self.values / self.bound
        for stake, weight in zip(self.stakes, self.weights, strict=True):
            rate = float(_log_factors(multiples, stake).mean())
            if rate > 0:
                best = min(best, -(log(level) + log(weight)) / rate)
        return best if isfinite(best) else None
