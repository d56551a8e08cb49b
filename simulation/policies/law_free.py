"""A policy of our own for rewards of which only the range is known, [0, 1], or the scale sigma.

No horizon is told, nothing is to be tuned, and its regret has a bound at every horizon for every
law on [0, 1] (docs/theorems/law-free.md, which has the same pseudo-code).

Capacities are certified from below. b = l_k is the largest capacity proved for arm k; the loads up
to b are its low group (there y/a = X), the larger ones its high group. With the means A of y/a over
the low group and B of y over the high one, of n and n' plays, three things tell whether m > b:

- a y above b proves it;
- the high y are b X if m = b and at least (b + 1) X if m > b: A is compared with B/b, B/(b + 1);
- silence: if m > b, a high y exceeds b with a chance of at least P(X > b/(b + 1)). The low group
  has seen that e times; the high group never did.

Evidence is measured in the level it exceeds, GLR(A, n; B, n') = n kl(A, x) + n' kl(B, x) with x the
mean of all n + n', less the price r of not knowing the means:

    more_k,b  = infinite if some y > b, else GLR(A, n; B/b, n') - r(n) - r(n') if B/b > A
    fewer_k,b = the larger of GLR(A, n; B/(b + 1), n') - r(n) - r(n') if B/(b + 1) < A
                and GLR(e/n, n; 0, n') - r(n) if e > 0

    r(n) = (1/2) log(pi (n + 1/2)) and kl of Bernoulli laws if rewards lie in [0, 1];
    r(n) = (1/2) log(1 + n/4), once, with nn'/(n + n') for n, and kl of normal laws of variance
    sigma^2 if only a scale is known; then no single y tells anything.

In slot t = 1, 2, ..., with the level l = log(1 + t/4):

    for each arm k:
        b = 1;  while b < N and more_k,b > l:  b = b + 1
        l_k = b;  closed_k = (b = N) or fewer_k,b > l
            (evidence above l is kept as it was; else it is taken anew)
        muhat_k: mean of y/min(a, b) over its n_k plays, all if closed, else those at loads <= b
    fill arms in the order of muhat (never seen: first) with l_k plays each; L is the last one
    open tests:  an arm k outside:    never seen, or n_k kl(muhat_k, muhat_L) <= l + r(n_k)
                                      (once L was seen)                   count n_k
                 an arm k before L:   not closed, n' <= n                 count n',
                                      promising if n' = 0 or B > (b + 1/2) A, as if m > b:
                                                                          count floor(n'/4)
    if a test is open, with probability 1/2: the arm of the one with the smallest count gets
        a play of L, if it is promising up to b plays: from L, then from the arms before it,
        but not from an arm that comes before itself

Ties: arms outside first, then a random order drawn once.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from simulation.jit import folded, step
from simulation.learning.action import Action, clear, in_order
from simulation.learning.arms import rank
from simulation.learning.certificates import ROUNDING
from simulation.learning.likelihoods import Model
from simulation.policies import Options, Policy, Setup
from simulation.policies.likelihood import oracle
from simulation.world.draws import BERNOULLI, GAUSSIAN, coin, kl, shuffled
from simulation.world.elementary import log

PHASES = ("exploitation", "means", "capacities")
EXPLOITATION, MEANS, CAPACITIES = range(3)
HASTE = 4  # a promising test of so many plays counts as one

ARM = np.dtype(
    [
        ("muhat", np.float64),  # infinite before the first look
        ("count", np.int64),  # n_k, the plays that muhat is made of
        ("capacity", np.int64),  # l_k
        ("closed", np.bool_),
        ("plays", np.int64),  # at any load
        ("largest", np.float64),  # y so far
        ("until", np.float64),  # the level up to which, without new plays, the above stays
        ("clear", np.float64),  # up to this level it is surely not worth a play outside,
        ("floor", np.float64),  # while muhat of the last arm filled is at least this
        ("priority", np.int64),  # the smaller comes first among equals
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


class State(NamedTuple):
    """The arms with their splits."""

    arms: np.ndarray
    splits: np.ndarray  # (arms, plays): splits[k, b - 1] at b
    order: np.ndarray  # all arms, by muhat
    learned: np.ndarray  # the slot in which an arm was closed
    plays: int
    model: Model


def begin(gen: Generator, arms: int, plays: int, model: Model) -> State:
    order, table = shuffled(gen, arms), np.zeros(arms, dtype=ARM)
    splits, learned = np.zeros((arms, plays), dtype=SPLIT), np.zeros(arms, dtype=np.int64)
    table["priority"][order] = np.arange(arms)
    table["largest"] = table["until"] = -math.inf
    splits["more"] = splits["fewer"] = -math.inf
    return State(table, splits, order, learned, plays, model)


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    """One slot, as above."""
    arms, order, level = state.arms, state.order, level_at(t)
    for k in range(arms.size):
        if arms[k].until <= level:
            review(state, k, level)
            if arms[k].closed and state.learned[k] == 0:
                state.learned[k] = t
    rank(arms, order)
    clear(action, EXPLOITATION)
    size = oracle(arms, order, state.plays, action)
    place = smallest_open(state, size, level)
    if place >= 0 and coin(gen):
        action.plan[0].phase = MEANS if place >= size else CAPACITIES
        k = order[place]
        plays = arms[k].capacity if place < size and promising(state, k) else 1
        action.loads[k] += taken(state, action.loads, size, place, plays)
        in_order(action, order)


@folded
def learn(
    state: State, t: int, gen: Generator, phase: int, k: int, load: int, reward: float
) -> None:
    """One more observation of an arm: low for b >= load, high for the others."""
    arm, splits = state.arms[k], state.splits[k]
    arm.plays += 1
    arm.largest = max(arm.largest, reward)
    arm.until = -math.inf
    for b in range(1, load):
        splits[b - 1].high += 1
        splits[b - 1].high_sum += reward
    for b in range(load, splits.size + 1):
        splits[b - 1].low += 1
        splits[b - 1].low_sum += reward / load
        if reward * (b + 1) > b * load:
            splits[b - 1].above += 1


@step
def report(state: State, t: int, learned: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
    """What the level of slot t proves."""
    for k in range(learned.size):
        learned[k] = state.learned[k]
        state.arms[k].until = -math.inf
        review(state, k, level_at(t))
        lower[k] = state.arms[k].capacity
        upper[k] = state.arms[k].capacity if state.arms[k].closed else state.plays


@step
def level_at(t: int) -> float:
    """What evidence has to exceed at slot t."""
    return log(1.0 + 0.25 * t)


@step
def review(state: State, k: int, level: float) -> None:
    """l_k, whether it is closed, muhat_k and n_k; and until when they stay if nothing is seen."""
    arm, splits, model = state.arms[k], state.splits[k], state.model
    b, arm.until = 1, math.inf
    while b < splits.size:
        split = splits[b - 1]
        if split.more <= level:
            split.more = more(model, arm, split, b, level)
        if split.more <= level:
            break
        arm.until = min(arm.until, split.more)
        b += 1
    split = splits[b - 1]
    arm.capacity, arm.closed = b, b == splits.size
    if b < splits.size:
        if split.fewer <= level:
            split.fewer = fewer(model, split, b, level)
        if split.fewer > level:
            arm.closed, arm.until = True, min(arm.until, split.fewer)
    arm.count, total = split.low, split.low_sum
    if arm.closed:
        arm.count, total = arm.plays, total + split.high_sum / b
    arm.muhat = total / arm.count if arm.count > 0 else math.inf
    arm.clear = -math.inf


@step
def more(model: Model, arm: Any, split: Any, b: int, level: float) -> float:
    """The evidence that the capacity is above b; if it is surely not above the level, -infinity."""
    if model.law != GAUSSIAN and arm.largest > b:
        return math.inf
    if split.low == 0 or split.high == 0:
        return -math.inf
    one, other = split.low_sum / split.low, split.high_sum / (split.high * b)
    return apart(model, one, split.low, other, split.high, level) if other > one else -math.inf


@step
def fewer(model: Model, split: Any, b: int, level: float) -> float:
    """The evidence that the capacity is b at most, where no y above b was seen; likewise."""
    if split.low == 0 or split.high == 0:
        return -math.inf
    evidence = -math.inf
    one, other = split.low_sum / split.low, split.high_sum / (split.high * (b + 1))
    if other < one:
        evidence = apart(model, one, split.low, other, split.high, level)
    chance = split.above / split.low
    if model.law != GAUSSIAN and split.high * chance > level * (1.0 - chance):
        silent = ratio(model, chance, split.low, 0.0, split.high)
        evidence = max(evidence, silent - price(model, split.low))
    return evidence


@step
def apart(model: Model, one: float, n: int, other: float, n_other: int, level: float) -> float:
    """The evidence that two groups of so many plays with these averages differ in their means.

    GLR is at most n' kl(other, one), and kl(p, q) at most (p - q)^2 / (q (1 - q)): often this
    spares the logarithms, here and for silence.
    """
    if model.law == GAUSSIAN:
        return ratio(model, one, n, other, n_other) - price(model, n * n_other / (n + n_other))
    if n_other * (other - one) * (other - one) <= level * one * (1.0 - one):
        return -math.inf
    return ratio(model, one, n, other, n_other) - price(model, n) - price(model, n_other)


@step
def ratio(model: Model, one: float, n: int, other: float, n_other: int) -> float:
    """GLR: the log-likelihood lost if both groups must have one mean."""
    x = (n * one + n_other * other) / (n + n_other)
    return n * kl(model.law, model.parameter, one, x) + n_other * kl(
        model.law, model.parameter, other, x
    )


@step
def price(model: Model, n: float) -> float:
    """r(n): how far n kl(average, mean) is expected to exceed a level at some time."""
    if model.law == GAUSSIAN:
        return 0.5 * log(1.0 + 0.25 * n)
    return 0.5 * log(math.pi * (n + 0.5))


@step
def smallest_open(state: State, size: int, level: float) -> int:
    """The place in the order of the open test with the smallest count; -1 if there is none."""
    arms, order = state.arms, state.order
    found, least = -1, np.iinfo(np.int64).max
    for place in range(size, order.size):
        k, count = order[place], arms[order[place]].count
        earlier = found >= 0 and arms[k].priority < arms[order[found]].priority
        first = count < least or (count == least and earlier)
        if first and worth_a_play(state.model, arms[k], arms[order[size - 1]], level):
            found, least = place, count
    for place in range(size - 1):
        k = order[place]
        split = state.splits[k, arms[k].capacity - 1]
        if not arms[k].closed and split.high <= split.low:
            count = split.high // HASTE if promising(state, k) else split.high
            earlier = 0 <= found < size and arms[k].priority < arms[order[found]].priority
            if count < least or (count == least and earlier):
                found, least = place, count
    return found


@step
def promising(state: State, k: int) -> bool:
    """Whether it looks as if an arm had a larger capacity than l_k."""
    b = state.arms[k].capacity
    split = state.splits[k, b - 1]
    looks = split.high_sum * split.low > (b + 0.5) * split.low_sum * split.high
    return bool(split.high == 0 or looks)


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
    distance = arm.count * kl(model.law, model.parameter, arm.muhat, x)
    excess = distance - price(model, arm.count) - level
    if not excess > 0.0:
        return True
    spread = model.parameter if model.law == GAUSSIAN else x * (1.0 - x)
    half = (excess - ROUNDING * (arm.count + distance)) / 2.0
    if half > 0.0 and spread > 0.0:
        arm.clear, arm.floor = level + half, x - half * spread / (arm.count * (x - arm.muhat))
    return False


@step
def taken(state: State, loads: np.ndarray, size: int, place: int, plays: int) -> int:
    """Take so many plays, or all there are, from the last arms filled that come after a place."""
    left = plays
    for giver in range(size - 1, min(place, size - 2), -1):
        given = min(left, loads[state.order[giver]])
        loads[state.order[giver]] -= given
        left -= given
    return plays - left


def _arguments(setup: Setup, options: Options) -> tuple[Any, ...]:
    law = setup.reward
    return (Model(BERNOULLI if law.bounded else GAUSSIAN, float(law.proxy_variance)),)


POLICIES = (
    Policy(
        "law-free",
        "Proves capacities from below and knows no law",
        PHASES,
        arguments=_arguments,
        told="scale",
        begin=begin,
        decide=decide,
        learn=learn,
        report=report,
    ),
)
