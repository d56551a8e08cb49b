"""Likelihoods over a block of slots at one load: bounds on their change, and their update.

With Bernoulli rewards a success within the capacity changes no likelihood of a capacity. With
Gaussian rewards all depends on z = y / min(a, c), where a is the load in every slot of the block.
Let b be the likeliest capacity, n the count before, and j the slots so far.

- For c >= a (and a <= b) all z are those of b. The means differ by D / (n + j) with D fixed, and

      gap_c(j) = gap_c(0) - (D (mean_b(j) - mean_b(0)) - D^2 (1/n - 1/(n + j)) / 2) / variance

- For c < a all z are r = a / c times those of b. Squares around a mean add up, over the past and
  the block, but for a term between the two that is not negative. So with W_j for those of b within
  the block and B_j for the term between

      gap_c(j) >= gap_c(0) - j log r + ((r^2 - 1) W_j - B_j) / (2 variance)

  Let M_j be the sum of the z of b less their mean, and v their variance. Off two events of
  probability e^-x each, M_j^2 <= v (j + 1) (2 x + log(j + 1)) for all j (a mixture of exponential
  martingales) and the sum of squares around the true mean is at least v (j - 2 sqrt(w x)) for all
  j <= w (an exponential supermartingale). That sum is W_j + M_j^2 / j.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator

from simulation.jit import step
from simulation.learning.likelihoods import Model, compare, weigh
from simulation.learning.spans import span
from simulation.running.blocks import binomial, deviation_of_sum, squares_around_mean
from simulation.world.compiled import World
from simulation.world.draws import BERNOULLI, GAUSSIAN
from simulation.world.elementary import log

EVENTS = 4  # events per arm that `mean_span` and `capacity_stays` exclude


@step
def mean_span(
    world: World, k: int, arm: Any, load: int, length: int, care: float
) -> tuple[float, float]:
    """The range of muhat during a block while the arm's likeliest capacity stays the same."""
    share = min(load, world.capacities[k]) / load
    proxy = world.parameter if world.law == GAUSSIAN else 0.25
    return span(
        arm.muhat, arm.count, share * world.means[k], share * share * proxy, length, care, world.law
    )


@step
def capacity_stays(
    world: World,
    k: int,
    arm: Any,
    candidates: np.ndarray,
    load: int,
    length: int,
    care: float,
    low: float,
    high: float,
    level: float,
) -> bool:
    """Whether during a block the likeliest capacity stays, and larger ones have gaps above `level`.

    `low` and `high` are the range of muhat.
    """
    share = min(load, world.capacities[k]) / load
    if world.law == BERNOULLI:
        return bool(share == 1.0)
    if load > arm.capacity:
        return False
    for c in range(1, arm.top + 1):
        each = candidates[c - 1]
        if c >= load:
            shift = arm.count * (each.mean - arm.muhat)
            fall = max(shift * (high - arm.muhat), shift * (low - arm.muhat)) / world.parameter
        else:
            away = (share * world.means[k] - arm.muhat) ** 2 / world.parameter
            fall = _fall_below_load(load / c, share * share, arm.count, away, length, care)
        if c != arm.capacity and not each.gap - fall > (level if c > arm.capacity else 0.0):
            return False
    return True


@step
def _fall_below_load(
    r: float, v: float, count: int, away: float, length: int, care: float
) -> float:
    """An upper bound on how far the gap of a capacity below the load falls in a block.

    v is the variance of z under b, and `away` is (muhat - its mean)^2, both divided by the law's
    variance.
    """
    excess = (r * r - 1.0) * v
    drift = excess / 2.0 - log(r)
    walk = 2.0 * (2.0 * care + log(length + 1.0))  # bounds M_j^2 / (j v)
    between = count / (float(count) + length) * length * away + walk * v
    return max(-length * drift, 0.0) + excess * (math.sqrt(length * care) + walk / 2.0) + between


@step
def observe_block(
    gen: Generator,
    world: World,
    k: int,
    model: Model,
    arm: Any,
    candidates: np.ndarray,
    load: int,
    length: int,
) -> float:
    """Add `length` observations at a load of at most mhat; returns their sum."""
    mean, served = world.means[k], min(load, world.capacities[k])
    arm.count += length
    if world.law == BERNOULLI:
        successes = float(binomial(gen, length, mean))
        arm.total += successes
        arm.muhat = arm.total / arm.count
        return float(served * successes)
    deviation = deviation_of_sum(gen, world.parameter, length)
    squares = squares_around_mean(gen, world.parameter, length, deviation)
    _add_block(arm, candidates, load, length, served, mean, deviation, squares)
    for c in range(1, arm.top + 1):
        weigh(model, arm, candidates[c - 1])
    compare(arm, candidates)
    return float(served * (length * mean + deviation))


@step
def _add_block(
    arm: Any,
    candidates: np.ndarray,
    load: int,
    length: int,
    served: int,
    mean: float,
    deviation: float,
    squares: float,
) -> None:
    """Add a block, as differences to what it adds to the likeliest capacity, b.

    Only differences of log-likelihoods matter, and they would be lost in sums of 10^12 terms. For
    the same reason sums are afterwards taken around the mean under b, which makes b's linear sum 0.
    """
    b = arm.capacity
    scale = served / min(load, b)
    offset = scale * mean - arm.total
    for c in range(1, arm.top + 1):
        each = candidates[c - 1]
        own_scale = served / min(load, c)
        own_offset = own_scale * mean - arm.total
        each.linear += own_scale * deviation + length * own_offset
        each.square += (
            (own_scale * own_scale - scale * scale) * squares
            + 2.0 * (own_scale * own_offset - scale * offset) * deviation
            + length * (own_offset * own_offset - offset * offset)
        )
        each.log_served += length * (log(min(load, c)) - log(min(load, b)))
    linear = candidates[b - 1].linear
    move = linear / arm.count
    arm.total += move
    for c in range(1, arm.top + 1):
        candidates[c - 1].linear -= linear
        candidates[c - 1].square -= 2.0 * move * candidates[c - 1].linear
