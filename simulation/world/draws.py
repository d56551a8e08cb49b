"""Random numbers of a run, and the divergence between two means.

A run has one random stream, determined by (master seed, run number) only, so its numbers do not
depend on the policy, the executor or the chunk in which it is computed. Numba runs NumPy's
generators on their own state: a kernel and plain Python draw the same uniform and normal values.
The C library is not involved (see `elementary`), nor in Beta values.

Normal, Gamma and Beta values are drawn by rejection. Each try succeeds with probability at least
1/2 for any parameters, so `TRIES` failures in a row have probability below 1e-36. So all loops end,
and the value returned after them, from the middle of the law, never occurs in practice.

Laws are identified by `rewards.*.code`: 0 Bernoulli, 1 Gaussian, 2 Beta, 3 empirical. They sample
from a table. Row k has the parameter of arm k and its square root; for an empirical law, the
position and number of further rows for that arm, each with a share, a value and another value (see
`samples`).
"""

from __future__ import annotations

import math

import numpy as np
from numba.np.random._constants import (
    fi_double,
    ki_double,
    wi_double,
    ziggurat_nor_inv_r,
    ziggurat_nor_r,
)
from numba.np.random.generator_core import next_uint64
from numpy.random import PCG64DXSM, Generator, SeedSequence

from simulation.jit import inlined, kernel, step
from simulation.world.elementary import NORMAL, exp, log

BERNOULLI, GAUSSIAN, BETA, EMPIRICAL = range(4)
TRIES = 120

# the ziggurat: for each layer its width, its height, and the positions surely below the curve
_WIDTHS, _HEIGHTS, _INSIDE = wi_double, fi_double, ki_double.astype(np.int64)
_END: float = ziggurat_nor_r
_INVERSE_END: float = ziggurat_nor_inv_r


def stream(seed: int, run: int) -> Generator:
    """The random stream of run number `run` under the master seed.

    >>> stream(1, 0).random() == stream(1, 0).random() != stream(1, 1).random()
    True
    """
    return Generator(PCG64DXSM(SeedSequence(seed, spawn_key=(run,))))


@inlined
def earned(gen: Generator, law: int, table: np.ndarray, k: int, mean: float) -> float:
    """One reward X_k of any law; `table` is the law's table (see above)."""
    if law == EMPIRICAL:
        return sampled(gen, table, k)
    return drawn(gen, law, table[k, 0], table[k, 1], mean)


@step
def sampled(gen: Generator, table: np.ndarray, k: int) -> float:
    """One of the values of arm k, by the alias method, with shares accurate to 2^-52 times the
    rows.

    The leading bits of one uniform number choose a row, the others choose between its two values.
    """
    place = gen.random() * table[k, 1]
    row = int(place)
    line = int(table[k, 0]) + row
    return float(table[line, 1] if place - row < table[line, 0] else table[line, 2])


@inlined
def draw(gen: Generator, law: int, parameter: float, mean: float) -> float:
    """One reward of a law that all arms share; `parameter` is a variance or a concentration."""
    return drawn(gen, law, parameter, math.sqrt(parameter), mean)


@inlined
def drawn(gen: Generator, law: int, parameter: float, root: float, mean: float) -> float:
    """One reward, if the square root of the parameter is known."""
    if law == BERNOULLI:
        return 1.0 if gen.random() < mean else 0.0
    if law == GAUSSIAN:
        return mean + root * standard_normal(gen)
    return beta(gen, mean * parameter, (1.0 - mean) * parameter)


@inlined
def standard_normal(gen: Generator) -> float:
    """A standard normal value by NumPy's ziggurat; identical to the result of its own method.

    Of 64 random bits the last 8 choose a layer, the next one the sign, 52 others a position in it.
    """
    bits = np.int64(next_uint64(gen.bit_generator))
    layer, place = bits & 255, (bits >> 9) & (2**52 - 1)
    x = place * _WIDTHS[layer]
    if bits & 256:
        x = -x
    return x if place < _INSIDE[layer] else _at_the_edge(gen, bits)


@step
def _at_the_edge(gen: Generator, bits: np.int64) -> float:
    """A normal value if the bits give a position that is not surely below the curve."""
    for _ in range(TRIES):
        layer, place = bits & 255, (bits >> 9) & (2**52 - 1)
        x = place * _WIDTHS[layer]
        if layer == 0 and place >= _INSIDE[0]:
            x = _tail(gen)
            return -x if place & 256 else x
        if bits & 256:
            x = -x
        if place < _INSIDE[layer]:
            return float(x)
        height = _HEIGHTS[layer - 1] - _HEIGHTS[layer]
        if height * gen.random() + _HEIGHTS[layer] < exp(-0.5 * x * x):
            return float(x)
        bits = np.int64(next_uint64(gen.bit_generator))
    return 0.0


@step
def _tail(gen: Generator) -> float:
    """A normal value conditional on being beyond the last layer of the ziggurat."""
    for _ in range(TRIES):
        beyond = -_INVERSE_END * log(1.0 - gen.random())
        height = -log(1.0 - gen.random())
        if height + height > beyond * beyond:
            return _END + beyond
    return _END


@step
def beta(gen: Generator, a: float, b: float) -> float:
    """A Beta(a, b) value."""
    if a >= 1.0 and b >= 1.0:
        return unimodal_beta(gen, a, b)
    if a < 1.0 and b < 1.0:
        return _beta_of_small_shapes(gen, a, b)
    one = _gamma(gen, a + 1.0) * exp(log(1.0 - gen.random()) / a) if a < 1.0 else _gamma(gen, a)
    other = _gamma(gen, b + 1.0) * exp(log(1.0 - gen.random()) / b) if b < 1.0 else _gamma(gen, b)
    return one / (one + other)


@step
def unimodal_beta(gen: Generator, a: float, b: float) -> float:
    """A Beta(a, b) value for shapes of 1 or more: G / (G + H) for two Gamma values G and H."""
    one = _gamma(gen, a)
    return one / (one + _gamma(gen, b))


@step
def _beta_of_small_shapes(gen: Generator, a: float, b: float) -> float:
    """U^(1/a) / (U^(1/a) + V^(1/b)), given that the sum is at most 1 (Joehnk, 1964)."""
    for _ in range(TRIES):
        log_one, log_other = log(1.0 - gen.random()) / a, log(1.0 - gen.random()) / b
        one, other = exp(log_one), exp(log_other)
        if one + other <= 1.0:
            return one / (one + other) if one > NORMAL else 1.0 / (1.0 + exp(log_other - log_one))
    return a / (a + b)


@step
def _gamma(gen: Generator, shape: float) -> float:
    """A Gamma value for a shape of 1 or more (Marsaglia and Tsang, 2000)."""
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    x, u = standard_normal(gen), gen.random()
    v = 1.0 + c * x
    if v > 0.0 and u < 1.0 - 0.0331 * (x * x) * (x * x):  # avoids the logarithms
        return d * (v * v * v)
    return _gamma_by_logs(gen, d, c, x, u)


@step
def _gamma_by_logs(gen: Generator, d: float, c: float, x: float, u: float) -> float:
    """A Gamma value of shape d + 1/3, starting with the proposal (x, u)."""
    for _ in range(TRIES):
        v = 1.0 + c * x
        if v > 0.0:
            v = v * v * v
            if log(u) < 0.5 * x * x + d * (1.0 - v + log(v)):
                return d * v
        x, u = standard_normal(gen), gen.random()
    return d


@kernel
def rewards(gen: Generator, law: int, parameter: float, mean: float, count: int) -> np.ndarray:
    """An array of `count` rewards."""
    values = np.empty(count)
    for i in range(count):
        values[i] = draw(gen, law, parameter, mean)
    return values


@inlined
def coin(gen: Generator) -> bool:
    """True with probability 1/2."""
    return gen.random() < 0.5


@inlined
def pick(gen: Generator, count: int) -> int:
    """One of 0, ..., count - 1, uniform up to 2^-53."""
    return int(gen.random() * count)


def shuffled(gen: Generator, count: int) -> np.ndarray:
    """A uniformly random permutation of 0, ..., count - 1 (Fisher-Yates, from the end)."""
    order = list(range(count))
    for last, drawn in zip(range(count - 1, 0, -1), gen.random(max(count - 1, 0)), strict=True):
        other = int(drawn * (last + 1))
        order[last], order[other] = order[other], order[last]
    return np.array(order, dtype=np.int64)


@step
def kl(law: int, parameter: float, p: float, q: float) -> float:
    """kl(p, q): between normals of the common variance, else between Bernoulli laws.

    Infinite exactly if q = 0 < p or p < 1 = q.
    """
    if law == GAUSSIAN:
        return (p - q) * (p - q) / (2.0 * parameter)
    success = p * log(p / q) if p > 0.0 else 0.0
    failure = (1.0 - p) * log((1.0 - p) / (1.0 - q)) if p < 1.0 else 0.0
    return max(success + failure, 0.0)


@step
def exploration_level(t: int) -> float:
    """f(t) = log t + 4 log log t, the exploration budget of an index at slot t; 0 if negative."""
    if t <= 2:
        return 0.0
    log_t = log(t)
    return log_t + 4.0 * log(log_t)
