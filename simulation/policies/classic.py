"""Textbook policies for an ordinary bandit: one play a slot, and every arm has room for it.

    ucb1            mean + sqrt(2 log t / n)                     Auer, Cesa-Bianchi, Fischer 2002
    alpha-ucb       mean + sqrt(alpha log t / (2 n))             Bubeck, Cesa-Bianchi 2012
    ucb             mean + sqrt(4 log T / n), told T             Lattimore, Szepesvari, chapter 7
    ucb-asymptotic  mean + sqrt(2 log(1 + t log^2 t) / n)        the same, chapter 8
    moss            mean + sqrt(log+(T / (K n)) / n), told T     Audibert, Bubeck 2009
    moss-ls         mean + sqrt(4 log+(T / (K n)) / n), told T   Lattimore, Szepesvari, chapter 9
    moss-anytime    mean + sqrt(1.175 log+(t / (K n)) / n)       Degenne, Perchet 2016
    kl-ucb          largest q with n kl(mean, q) <= log t + 3 log log t     Garivier, Cappe 2011
    kl-ucb-ls       the same with log(1 + t log^2 t)             Lattimore, Szepesvari, chapter 10
    thompson        a mean from the posterior: Beta(1, 1) prior, or flat with normal rewards
    etc             m plays of each arm, then the best mean for good
    exp3            weights exp(-eta estimated loss), eta = sqrt(c log K / (T K)), told T

Here n counts the plays of an arm and log+ is max(log, 0). An index policy plays every arm once, in
their order, and then the arm of the largest index, the first of equal ones; t is the number of
plays before a slot. `kl` is that of two Bernoulli laws.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator

from simulation.draws import BERNOULLI, GAUSSIAN, kl, standard_normal, unimodal_beta
from simulation.elementary import exp, log
from simulation.errors import InputError, shown
from simulation.instance import Instance
from simulation.jit import kernel, step
from simulation.policies import Options, Policy
from simulation.trace import Trace, settle
from simulation.world import World, earn

LOG_T, LOG_HORIZON, ASYMPTOTIC, MOSS, MOSS_ANYTIME, LOG_LOG = range(6)  # what an index grows with
STEPS, PRECISION = 60, 1e-12  # of the index of KL-UCB


@step
def played(gen: Generator, world: World, trace: Trace, t: int, arm: int) -> float:
    """Play an arm in slot t, and book it."""
    reward = earn(gen, world, arm)
    settle(trace, t, 0, world.detour[arm], reward)
    trace.played[0, arm] += 1
    return float(reward)


@step
def level(rule: int, t: int, horizon: int, arms: int, count: int) -> float:
    """What the square of a width has above the count, for a constant of 1."""
    if rule == LOG_T:
        return log(float(t))
    if rule == LOG_HORIZON:
        return log(float(horizon))
    if rule == ASYMPTOTIC:
        return log(1.0 + t * log(float(t)) * log(float(t)))
    if rule == LOG_LOG:
        return log(float(t)) + 3.0 * log(max(log(float(t)), 1.0))
    slots = horizon if rule == MOSS else t
    return max(log(slots / (arms * count)), 0.0)


@kernel
def indexed(
    gen: Generator, world: World, horizon: int, trace: Trace, rule: int, scale: float
) -> None:
    """One run of a policy whose index is mean + sqrt(scale level / n)."""
    size = world.means.size
    counts, sums = np.zeros(size, dtype=np.int64), np.zeros(size)
    for t in range(1, horizon + 1):
        arm = t - 1 if t <= size else widest(rule, scale, t - 1, horizon, counts, sums)
        sums[arm] += played(gen, world, trace, t, arm)
        counts[arm] += 1


@step
def widest(
    rule: int, scale: float, t: int, horizon: int, counts: np.ndarray, sums: np.ndarray
) -> int:
    """The arm of the largest index after t plays."""
    best, largest = 0, -math.inf
    shared = level(rule, t, horizon, counts.size, 1) if rule < MOSS else 0.0
    for k in range(counts.size):
        own = shared if rule < MOSS else level(rule, t, horizon, counts.size, counts[k])
        index = sums[k] / counts[k] + math.sqrt(scale * own / counts[k])
        if index > largest:
            best, largest = k, index
    return best


@kernel
def kl_indexed(gen: Generator, world: World, horizon: int, trace: Trace, rule: int) -> None:
    """One run of a policy whose index is the largest q with n kl(mean, q) <= level."""
    size = world.means.size
    counts, sums = np.zeros(size, dtype=np.int64), np.zeros(size)
    arm = 0
    for t in range(1, horizon + 1):
        if t <= size:
            arm = t - 1
        else:
            arm = farthest(arm, level(rule, t - 1, horizon, size, 1), counts, sums)
        sums[arm] += played(gen, world, trace, t, arm)
        counts[arm] += 1


@step
def farthest(last: int, budget: float, counts: np.ndarray, sums: np.ndarray) -> int:
    """The arm of the largest index: a root is computed only for one that passes the best so far."""
    best, index = last, root(sums[last] / counts[last], budget / counts[last])
    for k in range(counts.size):
        mean = sums[k] / counts[k]
        if k == best or (index > mean and counts[k] * kl(BERNOULLI, 1.0, mean, index) >= budget):
            continue
        reached = root(mean, budget / counts[k])
        if reached > index:
            best, index = k, reached
    return best


@step
def root(mean: float, spend: float) -> float:
    """The q above the mean with kl(mean, q) = spend, by Newton's method between two ends."""
    low = min(mean, 1.0)
    high = min(low + math.sqrt(spend / 2.0), 1.0)  # by Pinsker's inequality
    q = high if high < 1.0 else (low + high) / 2.0
    for _ in range(STEPS):
        if not low < q < high:
            q = (low + high) / 2.0
        excess = kl(BERNOULLI, 1.0, mean, q) - spend
        if excess > 0.0:
            high = q
        else:
            low = q
        move = excess * q * (1.0 - q) / (q - mean) if q > mean else 0.0
        q -= move
        if abs(move) < PRECISION or high - low < PRECISION:
            break
    return q


@kernel
def thompson(gen: Generator, world: World, horizon: int, trace: Trace) -> None:
    """One run. A reward inside (0, 1) counts as a success with its own probability."""
    size = world.means.size
    counts, sums = np.zeros(size, dtype=np.int64), np.zeros(size)
    for t in range(1, horizon + 1):
        arm = likely(gen, world, counts, sums)
        reward = played(gen, world, trace, t, arm)
        if world.law != GAUSSIAN and world.law != BERNOULLI:
            reward = 1.0 if gen.random() < reward else 0.0
        sums[arm] += reward
        counts[arm] += 1


@step
def likely(gen: Generator, world: World, counts: np.ndarray, sums: np.ndarray) -> int:
    """The arm of the largest mean drawn from the posteriors."""
    best, largest = 0, -math.inf
    for k in range(counts.size):
        if world.law != GAUSSIAN:
            theta = unimodal_beta(gen, 1.0 + sums[k], 1.0 + counts[k] - sums[k])
        elif counts[k] == 0:
            return k
        else:
            width = math.sqrt(world.parameter / counts[k])
            theta = sums[k] / counts[k] + width * standard_normal(gen)
        if theta > largest:
            best, largest = k, theta
    return best


@kernel
def etc(gen: Generator, world: World, horizon: int, trace: Trace, each: int) -> None:
    """One run: `each` plays of every arm in turn, then the best mean."""
    size, best = world.means.size, 0
    sums = np.zeros(size)
    for t in range(1, horizon + 1):
        arm = (t - 1) % size if t <= size * each else best
        reward = played(gen, world, trace, t, arm)
        if t <= size * each:
            sums[arm] += reward
        if t == size * each:
            for k in range(size):
                if sums[k] > sums[best]:
                    best = k


@kernel
def exp3(gen: Generator, world: World, horizon: int, trace: Trace, eta: float) -> None:
    """One run."""
    weights = np.ones(world.means.size)
    for t in range(1, horizon + 1):
        total = weights.sum()
        if total < 1e-100:
            weights /= total
            total = 1.0
        arm = drawn_by(gen, weights, total)
        loss = (1.0 - played(gen, world, trace, t, arm)) * total / weights[arm]
        weights[arm] *= exp(-eta * loss)


@step
def drawn_by(gen: Generator, weights: np.ndarray, total: float) -> int:
    """An arm, with probability weight / total; one of weight 0 never."""
    left, chosen = gen.random() * total, 0
    for k in range(weights.size):
        if weights[k] > 0.0:
            chosen = k
            left -= weights[k]
            if left < 0.0:
                break
    return chosen


# -- who may be asked ----------------------------------------------------------------------------


def _served(name: str, instance: Instance, spread: float | None) -> None:
    """One play, and rewards in [0, 1] (`spread` None) or of at most that variance proxy."""
    if instance.plays != 1:
        raise InputError(name, "plays", shown(instance.plays), "1: one arm is played in a slot")
    law = instance.reward
    if spread is None and not law.bounded:
        raise InputError(name, "reward", law.name, "rewards in [0, 1]")
    if spread is not None and not law.bounded and law.proxy_variance > spread:
        raise InputError(name, "reward", law.words(), f"a variance of at most {spread:g}")


def _plays(name: str, instance: Instance, horizon: int, options: Options) -> tuple[Any, ...]:
    each = _number(name, "m", options)
    if each != int(each):
        raise InputError(name, "m", shown(options["m"]), "a whole number of 1 or more")
    return (int(each),)


def _rate(name: str, instance: Instance, horizon: int, options: Options) -> tuple[Any, ...]:
    arms = instance.arms
    return (math.sqrt(_number(name, "c", options) * log(float(arms)) / (horizon * arms)),)


def _half_alpha(name: str, instance: Instance, horizon: int, options: Options) -> tuple[Any, ...]:
    return LOG_T, _number(name, "alpha", options) / 2.0


def _number(name: str, option: str, options: Options) -> float:
    try:
        found = float(options[option])
    except (TypeError, ValueError):
        found = math.nan
    if not 0.0 < found < 1e9 or (option == "m" and found < 1.0):
        raise InputError(name, option, shown(options[option]), "a number above 0, up to 1e9")
    return found


Arguments = Callable[[str, Instance, int, Options], tuple[Any, ...]]


def _fixed(*values: float) -> Arguments:
    return partial(_same, values)


def _same(values: tuple[Any, ...], *_: object) -> tuple[Any, ...]:
    return values


def _arguments(
    name: str,
    spread: float | None,
    make: Arguments,
    instance: Instance,
    horizon: int,
    options: Options,
) -> tuple[Any, ...]:
    _served(name, instance, spread)
    return make(name, instance, horizon, options)


def _policy(
    name: str,
    title: str,
    run: Callable[..., None],
    spread: float | None,
    make: Arguments,
    **more: Any,
) -> Policy:
    return Policy(name, title, ("play",), run, partial(_arguments, name, spread, make), **more)


POLICIES = (
    _policy("ucb1", "UCB1", indexed, None, _fixed(LOG_T, 2.0)),
    _policy("alpha-ucb", "UCB with a factor alpha", indexed, None, _half_alpha,
            defaults={"alpha": 3.0}),
    _policy("ucb", "UCB for subgaussian rewards, told T", indexed, 1.0, _fixed(LOG_HORIZON, 4.0),
            told="horizon"),
    _policy("ucb-asymptotic", "asymptotically optimal UCB", indexed, 1.0, _fixed(ASYMPTOTIC, 2.0)),
    _policy("moss", "MOSS, told T", indexed, None, _fixed(MOSS, 1.0), told="horizon"),
    _policy("moss-ls", "MOSS for subgaussian rewards, told T", indexed, 1.0, _fixed(MOSS, 4.0),
            told="horizon"),
    _policy("moss-anytime", "MOSS, not told T", indexed, 0.25, _fixed(MOSS_ANYTIME, 1.175)),
    _policy("kl-ucb", "KL-UCB", kl_indexed, None, _fixed(LOG_LOG)),
    _policy("kl-ucb-ls", "KL-UCB with a larger budget", kl_indexed, None, _fixed(ASYMPTOTIC)),
    _policy("thompson", "Thompson sampling", thompson, math.inf, _fixed(), told="scale"),
    _policy("etc", "explore, then commit", etc, 1.0, _plays, defaults={"m": 10}),
    _policy("exp3", "EXP3, told T", exp3, None, _rate, defaults={"c": 1.0}, told="horizon"),
)  # fmt: skip
