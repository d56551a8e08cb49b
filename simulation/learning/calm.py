"""Certificates for `law_free`: how long its action stays the same, given ranges of the estimates.

No test may open, and no evidence may rise above the level or fall below it. Each condition is
checked at its worst point: the ends of the ranges, the last slot, and the counts possible by then.
For an arm filled at loads up to b = l_k, the low group gains plays and the high group does not. GLR
grows with the count of a group and with the distance between the averages; r grows with the count.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulation.jit import step
from simulation.learning.certificates import ROUNDING
from simulation.learning.likelihoods import Model
from simulation.learning.splits import (
    FEWER,
    MORE,
    evidence_against_mean,
    gift,
    high_average,
    largest_told,
    level_at,
    price,
    priced,
    ratio,
)
from simulation.world.draws import GAUSSIAN


@step
def stays(state: Any, size: int, t: int, length: int) -> bool:
    """Whether the decision of slot t, at which no test is open, is that of all `length` slots.

    This is guaranteed as long as each filled arm's estimate is between its `least` and `most`, its
    e/n is at most `often`, and the order of the filled arms does not change.
    """
    arms, order, model = state.arms, state.order, state.model
    level, end = level_at(t), level_at(t + length)
    for place in range(order.size):
        if not arms[order[place]].until > end:
            return False
    for place in range(size):
        k = order[place]
        arm, split = arms[k], state.splits[k, arms[k].capacity - 1]
        if arm.count == 0:
            return False
        if not arm.closed and place < size - 1 and split.high <= split.low + length:
            return False
        told = arm.capacity < state.plays and split.high > 0
        if told and not evidence_stays_below(model, arm, split, state.by_load[k], level, length):
            return False
    for place in range(size, order.size):
        if not stays_out(model, arms[order[place]], arms[order[size - 1]].least, end):
            return False
    return True


@step
def stays_out(model: Model, arm: Any, x: float, level: float) -> bool:
    """Whether an arm outside is not worth a play up to this level if muhat_L is at least x."""
    if level <= arm.clear and x >= arm.floor:
        return True
    if arm.count == 0 or arm.muhat >= x:
        return False
    found = evidence_against_mean(model, arm.count, arm.muhat, x)
    rounding = ROUNDING * (arm.count + found)
    return bool(found - rounding > level + price(model, arm.count))


@step
def evidence_stays_below(
    model: Model, arm: Any, split: Any, by_load: np.ndarray, level: float, length: int
) -> bool:
    """Whether the evidence on a filled arm's capacity stays at most the current level.

    With z the average of the high y/b, the average of the low group is muhat if the arm is not
    closed, otherwise muhat + (muhat - z) n'/n.
    """
    b, low = arm.capacity, arm.least
    other = split.high_sum / (split.high * b)
    if arm.closed:
        low += (low - other) * (split.high / split.low)
    if model.law != GAUSSIAN:
        low = max(low, 0.0)
    if low < other and not _at_most(model, low, split, other, b, level - gift(model, MORE), length):
        return False
    if arm.closed:
        return True
    head, rest, stays_open = 0.0, split.high_sum, False
    for c in range(b + 1, largest_told(model, arm, b) + 1):
        other, head, rest = high_average(model, split, by_load, c, head, rest)
        least = level - gift(model, FEWER)
        if arm.most <= other or _at_most(model, arm.most, split, other, b, least, length):
            stays_open = True
            break
    if model.law == GAUSSIAN or not stays_open:
        return stays_open
    silent = ratio(model, arm.often, split.low + length, 0.0, split.high, b)
    rounding = ROUNDING * (split.low + length + silent)
    return bool(silent - price(model, split.low) + rounding <= level)


@step
def _at_most(
    model: Model, one: float, split: Any, other: float, b: int, level: float, length: int
) -> bool:
    """Whether the evidence that two means differ stays at most the level up to n + length plays."""
    found = ratio(model, one, split.low + length, other, split.high, b)
    rounding = ROUNDING * (split.low + length + split.high + found)
    return bool(priced(model, found, split.low, split.high, b) + rounding <= level)
