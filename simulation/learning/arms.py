"""A policy's records of its arms, their ranking, and the update of capacity bounds.

Estimates are those of section 5: muhat from tau individual explorations (IE), nuhat from iota
united ones (UE), m^l and m^u from the interval that `capacity` computes from them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator

from simulation.jit import folded, inlined, step
from simulation.learning.action import Action, put
from simulation.learning.capacity import (
    LIKELIHOOD,
    Confidence,
    Sums,
    likely_bounds,
    narrowed,
    tightened,
    width,
)
from simulation.learning.certificates import bounds_hold
from simulation.world.draws import shuffled
from simulation.world.slots import two_sum

ARM = np.dtype(
    [
        ("muhat", np.float64),  # per-load mean estimate, 0 before the first IE
        ("individual_sum", np.float64),
        ("individual_squares", np.float64),
        ("first", np.float64),  # the first IE
        ("individual", np.int64),  # tau, effective IE
        ("united_sum", np.float64),
        ("united_squares", np.float64),
        ("united", np.int64),  # iota, effective UE
        ("lower", np.int64),  # m^l
        ("upper", np.int64),  # m^u
        ("priority", np.int64),  # the smaller comes first among equal muhat
        ("steady_above", np.float64),  # the bounds cannot change while muhat is between these
        ("steady_below", np.float64),
        ("steady_until", np.float64),  # and tau is at most this
        ("individual_rest", np.float64),  # what a tau that is a float lost to rounding,
        ("sum_rest", np.float64),  # and the sum
    ]
)


def introduced(
    gen: Generator, lower: np.ndarray, upper: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The records of the arms before the first slot, with these bounds, and a random order of the
    arms.
    """
    order = shuffled(gen, lower.size)
    arms = np.zeros(lower.size, dtype=ARM)
    arms["priority"][order] = np.arange(order.size)
    arms["lower"], arms["upper"] = lower, upper
    arms["steady_above"], arms["steady_below"] = -math.inf, math.inf
    arms["steady_until"] = math.inf
    return arms, order


@step
def comes_before(arms: np.ndarray, one: int, other: int) -> bool:
    """Whether one arm is ranked before the other, by estimated mean."""
    if arms[one].muhat == arms[other].muhat:
        return bool(arms[one].priority < arms[other].priority)
    return bool(arms[one].muhat > arms[other].muhat)


@folded
def in_rank(arms: np.ndarray, order: np.ndarray, size: int) -> bool:
    """Whether the first `size` arms of the order, and the next one, are still in order."""
    for place in range(size):  # noqa: SIM110 (compiled, and without generators)
        if comes_before(arms, order[place + 1], order[place]):
            return False
    return True


@step
def rank(arms: np.ndarray, order: np.ndarray) -> None:
    """Sort `order` again by insertion: estimates move little, so few arms have to."""
    for start in range(1, order.size):
        arm, place = order[start], start
        while place > 0 and comes_before(arms, arm, order[place - 1]):
            order[place] = order[place - 1]
            place -= 1
        order[place] = arm


@step
def fill(arms: np.ndarray, order: np.ndarray, plays: int, action: Action) -> int:
    """Oracle(muhat, m^l): give arms m^l plays each, in this order; returns how many get any."""
    while plays > 0:
        k = order[action.plan[0].count]
        put(action, k, min(plays, arms[k].lower))
        plays -= action.loads[k]
    return int(action.plan[0].count)


@step
def report_bounds(arms: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
    """Write m^l and m^u of all arms."""
    for k in range(arms.size):
        lower[k], upper[k] = arms[k].lower, arms[k].upper


@inlined
def explored_individually(arm: Any, per_load: float) -> None:
    """Count an IE with this reward per load."""
    if arm.individual == 0:
        arm.first = per_load
    arm.individual_squares += per_load * per_load
    add_explorations(arm, 1, per_load)


@folded
def add_explorations(arm: Any, count: int, total: float) -> None:
    """Count so many IE that showed this much per load in all; a count that is a float exactly."""
    if isinstance(arm.individual, float):
        individual, rest = arm.individual, arm.individual_rest
        arm.individual, arm.individual_rest = two_sum(individual, rest, count)
        arm.individual_sum, arm.sum_rest = two_sum(arm.individual_sum, arm.sum_rest, total)
    else:
        arm.individual += count
        arm.individual_sum += total
    arm.muhat = arm.individual_sum / arm.individual


@inlined
def explored_unitedly(arm: Any, full_load: float) -> None:
    """Count a UE with this reward."""
    arm.united += 1
    arm.united_sum += full_load
    arm.united_squares += full_load * full_load


@step
def steady(arm: Any) -> bool:
    """Whether `narrow` is certain to change nothing, by the limits it stored when it last ran."""
    return bool(
        arm.steady_above <= arm.muhat <= arm.steady_below and arm.individual <= arm.steady_until
    )


@step
def narrow(
    arms: np.ndarray, k: int, confidence: Confidence, plays: int, t: int, learned: np.ndarray
) -> bool:
    """Update m^l and m^u of an arm that has had a UE; returns whether they changed."""
    arm = arms[k]
    if arm.lower == arm.upper:
        return False
    if confidence.interval == LIKELIHOOD:
        seen = Sums(
            arm.first,
            arm.individual,
            arm.individual_sum,
            arm.individual_squares,
            arm.united,
            arm.united_sum,
            arm.united_squares,
        )
        low, high = likely_bounds(confidence, seen, plays)
        lower, upper = tightened(arm.lower, arm.upper, low, high)
        revealed = confidence.variance == 0.0  # a Bernoulli success at full load decides alone
        arm.steady_until = math.inf if revealed or lower == upper else arm.individual
    else:
        nuhat = arm.united_sum / arm.united
        s = width(confidence, arm.individual, arm.united)
        lower, upper = narrowed(arm.lower, arm.upper, arm.muhat, nuhat, s, plays)
        arm.steady_above, arm.steady_below, arm.steady_until = bounds_hold(
            lower, upper, arm.individual, arm.muhat, nuhat, s
        )
    changed = lower != arm.lower or upper != arm.upper
    arm.lower, arm.upper = lower, upper
    if lower == upper:
        learned[k] = t
    return bool(changed)
