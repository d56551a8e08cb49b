"""Evidence on an arm's capacity from plays at small and large loads, without a reward law.

The formulas are those of `policies.law_free`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simulation.jit import inlined, step
from simulation.learning.certificates import ROUNDING
from simulation.learning.likelihoods import Model
from simulation.world.draws import GAUSSIAN, kl
from simulation.world.elementary import log

MORE, FEWER = 2.0, 3.0  # added to the evidence if only a scale is known
ALONE = 0.25  # rho for one group's average

ARM = np.dtype(
    [
        ("muhat", np.float64),  # infinite before the first observation
        ("count", np.int64),  # n_k, the number of plays in muhat
        ("capacity", np.int64),  # l_k
        ("closed", np.bool_),
        ("plays", np.int64),  # number of plays at any load
        ("largest", np.float64),  # y so far
        ("top", np.int64),  # largest load so far
        ("until", np.float64),  # the level up to which the above stay the same without new plays
        ("clear", np.float64),  # up to this level it is certainly not worth a play outside,
        ("floor", np.float64),  # while muhat of the last arm filled is at least this
        ("priority", np.int64),  # the smaller comes first among equals
        ("waiting", np.int64),  # rewards observed but not yet added,
        ("load", np.int64),  # at this load
        ("low_sum", np.float64),  # of split l_k including these, while an action stands
        ("rest", np.float64),  # the rest of the sum in muhat
        ("above", np.int64),  # likewise
        ("least", np.float64),  # the action may stand while muhat is at least this,
        ("most", np.float64),  # at most this,
        ("often", np.float64),  # and e/n at most this; infinite: it does not matter
    ]
)
SPLIT = np.dtype(  # the plays of an arm: at loads up to b, and larger ones
    [
        ("low", np.int64),  # n
        ("low_sum", np.float64),  # of y/a
        ("high", np.int64),  # n'
        ("high_sum", np.float64),  # of y
        ("above", np.int64),  # e
        ("more", np.float64),  # evidence that m > b
        ("fewer", np.float64),  # and that m <= b
    ]
)


@step
def level_at(t: int) -> float:
    """The level that evidence has to exceed at slot t."""
    return log(1.0 + 0.25 * t)


@step
def more(model: Model, arm: Any, split: Any, b: int, level: float) -> float:
    """The evidence that the capacity is above b; -infinity if it certainly does not exceed the
    level.
    """
    if model.law != GAUSSIAN and arm.largest > b:
        return math.inf
    if split.low == 0 or split.high == 0:
        return -math.inf
    one, other = split.low_sum / split.low, split.high_sum / (split.high * b)
    if not other > one:
        return -math.inf
    return gift(model, MORE) + _apart(model, one, split.low, other, split.high, b, level)


@step
def fewer(model: Model, arm: Any, split: Any, by_load: np.ndarray, b: int, level: float) -> float:
    """The evidence that the capacity is at most b, if no y above b occurred; -infinity as above."""
    if split.low == 0 or split.high == 0:
        return -math.inf
    one = split.low_sum / split.low
    evidence, head, rest = math.inf, 0.0, split.high_sum
    for c in range(b + 1, largest_told(model, arm, b) + 1):
        other, head, rest = high_average(model, split, by_load, c, head, rest)
        found = -math.inf
        if other < one:
            found = _apart(model, one, split.low, other, split.high, b, level)
        evidence = min(evidence, found)
    chance = split.above / split.low
    if model.law != GAUSSIAN and split.high * chance > level * (1.0 - chance):
        silent = ratio(model, chance, split.low, 0.0, split.high, b)
        evidence = max(evidence, silent - price(model, split.low))
    return gift(model, FEWER) + evidence


@inlined
def largest_told(model: Model, arm: Any, b: int) -> int:
    """The largest capacity c that must be excluded for m <= b: b + 1 suffices if all y >= 0."""
    return arm.top if model.law == GAUSSIAN else b + 1


@step
def high_average(
    model: Model, split: Any, by_load: np.ndarray, c: int, head: float, rest: float
) -> tuple[float, float, float]:
    """B_c, the average of y/min(a, c) over the high group: y/c if all y >= 0.

    Also the sums of y/a at loads a <= c and of y at loads a > c, given those for c - 1.
    """
    if model.law != GAUSSIAN:
        return split.high_sum / (split.high * c), head, rest
    head, rest = head + by_load[c - 1] / c, rest - by_load[c - 1]
    return (head + rest / c) / split.high, head, rest


@step
def _apart(
    model: Model, one: float, n: int, other: float, n_other: int, b: int, level: float
) -> float:
    """The evidence that the means of two groups differ, given their counts and averages.

    GLR is at most n' kl(other, one), and kl(p, q) at most (p - q)^2 / (q (1 - q)): this often
    avoids the logarithms.
    """
    bound = n_other * (other - one) * (other - one)
    if model.law != GAUSSIAN and bound <= level * one * (1.0 - one):
        return -math.inf
    return priced(model, ratio(model, one, n, other, n_other, b), n, n_other, b)


@step
def ratio(model: Model, one: float, n: int, other: float, n_other: int, b: int) -> float:
    """GLR: the log-likelihood lost if both groups must have the same mean."""
    if model.law == GAUSSIAN:
        u, v = weight(n, low_share(b)), weight(n_other, high_share(b))
        return kl(model.law, model.parameter, one, other) * (u * v / (u + v))
    x = (n * one + n_other * other) / (n + n_other)
    return n * kl(model.law, model.parameter, one, x) + n_other * kl(
        model.law, model.parameter, other, x
    )


@step
def priced(model: Model, found: float, n: int, n_other: int, b: int) -> float:
    """GLR of two groups minus the price of not knowing their mean."""
    if model.law == GAUSSIAN:
        return found - mixture_price(n, low_share(b)) - mixture_price(n_other, high_share(b))
    return found - price(model, n) - price(model, n_other)


@inlined
def gift(model: Model, level: float) -> float:
    """The constant added to the evidence if only a scale is known, otherwise 0."""
    return level if model.law == GAUSSIAN else 0.0


@inlined
def low_share(b: int) -> float:
    """rho_b: the prior variance for the low group's mean, in units of sigma^2."""
    return 1.0 / (8.0 * (b + 1) * (b + 1))


@inlined
def high_share(b: int) -> float:
    """rho'_b: the prior variance for the high group's mean."""
    return 2.0 / ((b + 1) * (b + 1))


@inlined
def weight(n: int, rho: float) -> float:
    """u(n, rho): the weight of n plays against a mean that is normal with variance rho sigma^2."""
    return rho * float(n) * float(n) / (1.0 + rho * float(n))


@step
def mixture_price(n: int, rho: float) -> float:
    """pi(n, rho)."""
    return 0.5 * log(1.0 + rho * float(n))


@step
def evidence_against_mean(model: Model, n: int, average: float, x: float) -> float:
    """The evidence of n plays with this average against a mean of x, before subtracting the
    price.
    """
    if model.law == GAUSSIAN:
        return weight(n, ALONE) * kl(model.law, model.parameter, average, x)
    return n * kl(model.law, model.parameter, average, x)


@step
def price(model: Model, n: int) -> float:
    """r(n): allowance for the maximum over time of n kl(average, mean)."""
    if model.law == GAUSSIAN:
        return mixture_price(n, ALONE)
    return 0.5 * log(math.pi * (n + 0.5))


@step
def worth_a_play(model: Model, arm: Any, last: Any, level: float) -> bool:
    """Whether an arm outside may have a mean as large as the estimate x of the last arm filled.

    If not, half of the excess over the level is kept for the passage of time and half for a smaller
    x: the distance is convex in x, so it lies above its tangent.
    """
    x = last.muhat
    if level <= arm.clear and x >= arm.floor:
        return False
    if arm.count == 0 or last.count == 0:
        return bool(arm.count == 0)
    if arm.muhat >= x:
        return True
    found = evidence_against_mean(model, arm.count, arm.muhat, x)
    excess = found - price(model, arm.count) - level
    if not excess > 0.0:
        return True
    spread = model.parameter if model.law == GAUSSIAN else x * (1.0 - x)
    half = (excess - ROUNDING * (arm.count + found)) / 2.0
    if half > 0.0 and spread > 0.0:
        arm.clear, arm.floor = level + half, x - half * spread / (arm.count * (x - arm.muhat))
    return False


@step
def add_block(
    arm: Any,
    splits: np.ndarray,
    by_load: np.ndarray,
    load: int,
    served: int,
    length: int,
    total: float,
    successes: bool,
) -> None:
    """Add `length` plays at one load whose X sum to `total`; `successes`: X is 0 or 1."""
    arm.plays += length
    arm.top = max(arm.top, load)
    by_load[load - 1] += served * total
    arm.until = -math.inf
    if successes:
        arm.largest = max(arm.largest, served if total > 0.0 else 0.0)
    for b in range(1, splits.size + 1):
        split = splits[b - 1]
        if b < load:
            split.high += length
            split.high_sum += served * total
        else:
            split.low += length
            split.low_sum += served * total / load
            if successes and served * (b + 1) > b * load:
                split.above += int(total)
