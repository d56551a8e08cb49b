"""What plays at small and at large loads say of an arm, if no law of its rewards is known.

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

MORE, FEWER = 2.0, 3.0  # what the evidence is given if only a scale is known
ALONE = 0.25  # rho for the average of one group

ARM = np.dtype(
    [
        ("muhat", np.float64),  # infinite before the first look
        ("count", np.int64),  # n_k, the plays that muhat is made of
        ("capacity", np.int64),  # l_k
        ("closed", np.bool_),
        ("plays", np.int64),  # at any load
        ("largest", np.float64),  # y so far
        ("top", np.int64),  # largest load so far
        ("until", np.float64),  # the level up to which, without new plays, the above stays
        ("clear", np.float64),  # up to this level it is surely not worth a play outside,
        ("floor", np.float64),  # while muhat of the last arm filled is at least this
        ("priority", np.int64),  # the smaller comes first among equals
        ("waiting", np.int64),  # rewards seen and not yet taken in,
        ("load", np.int64),  # at this load
        ("low_sum", np.float64),  # of split l_k, those included, while an action stands
        ("rest", np.float64),  # what muhat adds to it
        ("above", np.int64),  # likewise
        ("least", np.float64),  # the action may stand while muhat is at least this,
        ("most", np.float64),  # at most this,
        ("often", np.float64),  # and e/n at most this; infinite: it does not matter
    ]
)
SPLIT = np.dtype(  # of the plays of an arm: loads up to b, and larger ones
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
    """What evidence has to exceed at slot t."""
    return log(1.0 + 0.25 * t)


@step
def more(model: Model, arm: Any, split: Any, b: int, level: float) -> float:
    """The evidence that the capacity is above b; if it is surely not above the level, -infinity."""
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
    """The evidence that the capacity is b at most, where no y above b was seen; likewise."""
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
    """The largest capacity c that has to be excluded for m <= b: if all y >= 0, b + 1 is enough."""
    return arm.top if model.law == GAUSSIAN else b + 1


@step
def high_average(
    model: Model, split: Any, by_load: np.ndarray, c: int, head: float, rest: float
) -> tuple[float, float, float]:
    """B_c, the average of y/min(a, c) over the high group: y/c if all y >= 0.

    And the sums of y/a at its loads a <= c and of y at its loads a > c, given those for c - 1.
    """
    if model.law != GAUSSIAN:
        return split.high_sum / (split.high * c), head, rest
    head, rest = head + by_load[c - 1] / c, rest - by_load[c - 1]
    return (head + rest / c) / split.high, head, rest


@step
def _apart(
    model: Model, one: float, n: int, other: float, n_other: int, b: int, level: float
) -> float:
    """The evidence that two groups of so many plays with these averages differ in their means.

    GLR is at most n' kl(other, one), and kl(p, q) at most (p - q)^2 / (q (1 - q)): often this
    spares the logarithms, here and for silence.
    """
    bound = n_other * (other - one) * (other - one)
    if model.law != GAUSSIAN and bound <= level * one * (1.0 - one):
        return -math.inf
    return priced(model, ratio(model, one, n, other, n_other, b), n, n_other, b)


@step
def ratio(model: Model, one: float, n: int, other: float, n_other: int, b: int) -> float:
    """GLR: the log-likelihood lost if both groups must have one mean."""
    if model.law == GAUSSIAN:
        u, v = weight(n, low_share(b)), weight(n_other, high_share(b))
        return kl(model.law, model.parameter, one, other) * (u * v / (u + v))
    x = (n * one + n_other * other) / (n + n_other)
    return n * kl(model.law, model.parameter, one, x) + n_other * kl(
        model.law, model.parameter, other, x
    )


@step
def priced(model: Model, found: float, n: int, n_other: int, b: int) -> float:
    """GLR of two groups, less the price of not knowing their mean."""
    if model.law == GAUSSIAN:
        return found - mixture_price(n, low_share(b)) - mixture_price(n_other, high_share(b))
    return found - price(model, n) - price(model, n_other)


@inlined
def gift(model: Model, level: float) -> float:
    """By how much less than the level evidence has to be if only a scale is known."""
    return level if model.law == GAUSSIAN else 0.0


@inlined
def low_share(b: int) -> float:
    """rho_b: how wide a mean is sought for the low group, in units of sigma^2."""
    return 1.0 / (8.0 * (b + 1) * (b + 1))


@inlined
def high_share(b: int) -> float:
    """rho'_b: the same for the high group."""
    return 2.0 / ((b + 1) * (b + 1))


@inlined
def weight(n: int, rho: float) -> float:
    """u(n, rho): the weight of n plays against a mean that is normal with rho sigma^2."""
    return rho * float(n) * float(n) / (1.0 + rho * float(n))


@step
def mixture_price(n: int, rho: float) -> float:
    """pi(n, rho)."""
    return 0.5 * log(1.0 + rho * float(n))


@step
def evidence_against_mean(model: Model, n: int, average: float, x: float) -> float:
    """What evidence n plays of this average are against a mean of x, price not taken off."""
    if model.law == GAUSSIAN:
        return weight(n, ALONE) * kl(model.law, model.parameter, average, x)
    return n * kl(model.law, model.parameter, average, x)


@step
def price(model: Model, n: int) -> float:
    """r(n): how far n kl(average, mean) is expected to exceed a level at some time."""
    if model.law == GAUSSIAN:
        return mixture_price(n, ALONE)
    return 0.5 * log(math.pi * (n + 0.5))


@step
def worth_a_play(model: Model, arm: Any, last: Any, level: float) -> bool:
    """Whether an arm outside may have a mean as large as the estimate x of the last arm filled.

    If not, half of the excess over the level is left for time to pass, and half for x to fall: the
    distance is convex in x, so that it lies above its tangent.
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
    """Add so many plays at a load whose X add up to the total; where X are 0 or 1, successes."""
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
