"""Random numbers of a run, and the divergence that measures how far two means lie apart.

A run owns one stream, fixed by (master seed, run number) and nothing else, so it has the same
numbers whatever the policy, the executor or the chunk it is computed in. Numba runs NumPy's
generators on their own state: a kernel and plain Python draw the very same values.

The laws are told apart by `rewards.*.code`: 0 Bernoulli, 1 Gaussian, 2 Beta.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.random import PCG64DXSM, Generator, SeedSequence

from simulation.jit import inlined, kernel, step

BERNOULLI, GAUSSIAN = 0, 1


def stream(seed: int, run: int) -> Generator:
    """The random stream of run number `run` under the master seed.

    >>> stream(1, 0).random() == stream(1, 0).random() != stream(1, 1).random()
    True
    """
    return Generator(PCG64DXSM(SeedSequence(seed, spawn_key=(run,))))


@inlined
def draw(gen: Generator, law: int, parameter: float, mean: float) -> float:
    """One reward X_k; `parameter` is the Gaussian variance or the Beta concentration."""
    if law == BERNOULLI:
        return 1.0 if gen.random() < mean else 0.0
    if law == GAUSSIAN:
        return mean + math.sqrt(parameter) * gen.standard_normal()
    return gen.beta(mean * parameter, (1.0 - mean) * parameter)


@inlined
def coin(gen: Generator) -> bool:
    """True with probability 1/2."""
    return gen.random() < 0.5


@inlined
def pick(gen: Generator, count: int) -> int:
    """One of 0, ..., count - 1, uniformly up to 2^-53."""
    return int(gen.random() * count)


@kernel
def shuffled(gen: Generator, count: int) -> np.ndarray:
    """A uniformly random order of 0, ..., count - 1 (Fisher and Yates, from the back)."""
    order = np.arange(count)
    for last in range(count - 1, 0, -1):
        other = pick(gen, last + 1)
        order[last], order[other] = order[other], order[last]
    return order


@step
def kl(law: int, parameter: float, p: float, q: float) -> float:
    """kl(p, q): between normals of the common variance, else between Bernoulli laws.

    Infinite exactly where it is: q = 0 < p or p < 1 = q.
    """
    if law == GAUSSIAN:
        return (p - q) * (p - q) / (2.0 * parameter)
    success = p * math.log(p / q) if p > 0.0 else 0.0
    failure = (1.0 - p) * math.log((1.0 - p) / (1.0 - q)) if p < 1.0 else 0.0
    return max(success + failure, 0.0)


@step
def exploration_level(t: int) -> float:
    """f(t) = log t + 4 log log t, what an index may spend at slot t; 0 where that is negative."""
    if t <= 2:
        return 0.0
    log_t = math.log(t)
    return log_t + 4.0 * math.log(log_t)
