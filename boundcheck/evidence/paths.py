"""Simulate many arms at once: sums of rewards at growing counts, in NumPy.

Sums are evaluated at some counts of individual (tau) and united (iota) explorations only. They are
drawn exactly, by their increments between these counts: binomial or normal; other laws reward by
reward. A failure at a count in between is missed, so a frequency estimates a probability that is at
most that of failing at any time: it can refute a bound, and what it may miss is stated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from simulation.rewards.laws import Bernoulli, Beta, Gaussian, RewardLaw
from simulation.rewards.samples import Empirical

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

BATCH = 20_000  # paths held in memory at once
_EVERY = 20  # every count up to this one is evaluated, then counts that grow by the ratio
_RATIO = 1.2
LOOKS = f"every count to {_EVERY}, then one in a ratio of {_RATIO}"
UNSEEN = f"failures at counts that are not looked at ({LOOKS}) are not observed"


def reach_of_counts(law: RewardLaw) -> tuple[int, int]:
    """The largest count to simulate and the head start in unbalanced schedules: large where sums
    are drawn in closed form, smaller where rewards are drawn one by one.
    """
    return (10_000, 1_000_000) if isinstance(law, Bernoulli | Gaussian) else (200, 300)


@dataclass(frozen=True)
class Schedule:
    """A sequence of pairs of counts (individual, united)."""

    name: str
    words: str
    individual: IntArray
    united: IntArray


def schedules(law: RewardLaw) -> tuple[Schedule, ...]:
    """Equal counts, and unbalanced ones: one kind fixed and large while the other grows."""
    last, head_start = reach_of_counts(law)
    grown = look_counts(last)
    ahead = np.full_like(grown, head_start)
    return (
        Schedule("lockstep", "equal counts growing together", grown, grown),
        Schedule("individual-first", "many individual, growing united explorations", ahead, grown),
        Schedule("united-first", "many united, growing individual explorations", grown, ahead),
    )


def look_counts(last: int) -> IntArray:
    """Counts from 1 to `last`: consecutive at first, then increasingly sparse.

    >>> look_counts(25).tolist()[-3:]
    [20, 24, 25]
    """
    dense = np.arange(1, min(_EVERY, last) + 1)
    sparse = dense[-1] * _RATIO ** np.arange(1, 400)
    counts = np.concatenate([dense, sparse[sparse < last], [last]])
    return np.unique(counts.astype(np.int64))


def sums(
    law: RewardLaw, mean: float, counts: IntArray, paths: int, rng: np.random.Generator
) -> FloatArray:
    """Sums of rewards at each of the growing counts, of shape (paths, counts)."""
    steps = np.diff(counts, prepend=0)
    grown = np.zeros((paths, counts.size))
    grown[:, steps > 0] = _drawn(law, mean, steps[steps > 0], paths, rng)
    return np.cumsum(grown, axis=1)


def _drawn(
    law: RewardLaw, mean: float, steps: IntArray, paths: int, rng: np.random.Generator
) -> FloatArray:
    """Sums of `steps` new rewards each, of shape (paths, steps)."""
    shape = (paths, steps.size)
    if isinstance(law, Bernoulli):
        return rng.binomial(steps, mean, shape).astype(np.float64)
    if isinstance(law, Gaussian):
        return rng.normal(mean * steps, sqrt(law.variance) * np.sqrt(steps), shape)
    if isinstance(law, Empirical):
        (sample,) = law.samples
        values = np.array([float(x) for x in sample.values])
        chances = np.array([weight / sample.total for weight in sample.weights])
        fresh = (rng.choice(values, (paths, n), p=chances).sum(axis=1) for n in steps)
        return np.stack(list(fresh), axis=1)
    assert isinstance(law, Beta)
    from simulation.world.draws import rewards

    parameter = float(law.concentration)
    drawn = (rewards(rng, law.code, parameter, mean, paths * n).reshape(paths, n) for n in steps)
    return np.stack([part.sum(axis=1) for part in drawn], axis=1)


def rates(
    law: RewardLaw, mean: float, schedule: Schedule, paths: int, rng: np.random.Generator
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Batches of (muhat, nuhat/m), each of shape (paths, counts)."""
    for batch in _batches(paths):
        individual = sums(law, mean, schedule.individual, batch, rng)
        united = sums(law, mean, schedule.united, batch, rng)
        yield individual / schedule.individual, united / schedule.united


def missing_paths(
    law: RewardLaw,
    mean: float,
    schedule: Schedule,
    s: FloatArray,
    paths: int,
    rng: np.random.Generator,
) -> int:
    """The number of paths with muhat > s and m outside the interval at some time."""
    batches = rates(law, mean, schedule, paths, rng)
    failed = ((muhat > s) & (np.abs(muhat - rate) > s) for muhat, rate in batches)
    return sum(int(hits.any(axis=1).sum()) for hits in failed)


def crossing_paths(
    law: RewardLaw,
    mean: float,
    counts: IntArray,
    width: FloatArray,
    paths: int,
    rng: np.random.Generator,
    deviation: Callable[[FloatArray], FloatArray] = np.abs,
) -> int:
    """The number of paths on which the deviation of the mean reaches the width."""
    means = (sums(law, mean, counts, batch, rng) / counts for batch in _batches(paths))
    return sum(int((deviation(x - mean) >= width).any(axis=1).sum()) for x in means)


def _batches(paths: int) -> Iterator[int]:
    for first in range(0, paths, BATCH):
        yield min(BATCH, paths - first)
