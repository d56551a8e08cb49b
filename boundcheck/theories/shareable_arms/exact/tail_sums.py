"""Upper bounds on the expected number of counts n at which a mean of n rewards is at least z > mu.

For Bernoulli rewards the exact probabilities P(B >= n z), with B binomial (n, mu), for n up to
some n_0; for other laws on [0, 1] the least of E(B - t)_+ / (n z - t) over some t < n z, which
is an upper bound on the probability. For n beyond n_0 Chernoff's exp(-n kl), which has a closed
sum; n_0 is where that is 1 % of the whole, or what is given. Below mu the same with 1 - z and 1 -
mu.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
from flint import arb, ctx

from boundcheck.calculator.numbers.balls import precision
from boundcheck.calculator.numbers.domains import Array, Code

_FAR = 6.0  # n_0 kl, at most: exp(-6)


def upper_binomial_tails(z: Any, mu: Any, first: Any) -> Iterator[Any]:
    """P(B >= n z) for n = 1, 2, ...; `first` is the 1 of the numbers, z is below 1.

    From n to n + 1: P(B' >= k) = P(B >= k) + mu P(B = k - 1).
    """
    low = _low(z)
    k, n, less = 1, 1, first - mu
    odds = mu / less if mu > 0 else mu
    chance, there = mu + 0 * first, less  # of k or more, of k - 1
    while True:
        yield chance
        chance = chance + mu * there
        n += 1
        there = there * less * n / (n - k + 1)
        if k < n * low:  # the next whole number, at most
            there = there * odds * (n - k + 1) / k
            chance = chance - there
            k += 1


def convex(z: Any, mu: Any, first: Any) -> Iterator[Any]:
    """E(B - t)_+ / (n z - t) for n = 1, 2, ..., with t moved on while that makes it smaller.

    From n to n + 1: E(B' - t)_+ = E(B - t)_+ + mu P(B >= t), P(B' >= t) as above; from t to t + 1:
    E(B - t - 1)_+ = E(B - t)_+ - P(B > t).
    """
    t, n, less = 0, 1, first - mu
    odds = mu / less if mu > 0 else mu
    mean, more, there = mu + 0 * first, mu + 0 * first, less  # (B - t)_+, B > t, B = t
    low = _low(z)
    while True:
        while t + 1 < n * low:
            room = n * z - t
            if not (mean - more) * room < mean * (room - 1):
                break
            mean = mean - more
            there = there * odds * (n - t) / (t + 1)
            more = more - there
            t += 1
        yield mean / (n * z - t)
        mean = mean + mu * (more + there)
        more = more + mu * there
        n += 1
        there = there * less * n / (n - t)


def _low(number: Any) -> float:
    """A float that is not above the number, nor above any integer that is a multiple of it."""
    return float(number.lower() if isinstance(number, arb) else number) * (1 - 1e-15)


def _enclosed(chances: Callable[..., Iterator[Any]], z: arb, mu: arb, most: arb) -> arb:
    """The sum as a ball; infinite where z is not certainly above mu."""
    if mu == 0 or z >= 1:
        return arb(0)
    if not z > mu:
        return arb.pos_inf()
    key = tuple(_exactly(x) for x in (z, mu, most))
    return _kept(chances, key, ctx.prec)


@cache
def _kept(chances: Callable[..., Iterator[Any]], key: tuple[Any, ...], bits: int) -> arb:
    """Cached because pairs of arms occur repeatedly."""
    z, mu, most = (_ball(*ends) for ends in key)
    kl = z * (z / mu).log() + (1 - z) * ((1 - z) / (1 - mu)).log()
    last = _last(float(kl), float(most))
    found = arb(0)
    for _, chance in zip(range(last), chances(z, mu, arb(1)), strict=False):
        found += chance
    rest = (-kl * last).exp() / (kl.exp() - 1)
    return found + rest


def _last(kl: float, most: float) -> int:
    return max(int(min(_FAR / kl, most)), 0) if kl > 0 else max(int(most), 0)


def _exactly(x: arb) -> tuple[Any, ...]:
    return tuple(int(part) for end in (x.mid(), x.rad()) for part in end.man_exp())


def _ball(man: int, exponent: int, radius: int, scale: int) -> arb:
    two = arb(2)
    return arb(arb(man) * two**exponent, arb(radius) * two**scale)


def _each_in_floats(
    chances: Callable[..., Iterator[Any]], z: Array, mu: Array, most: Array
) -> Array:
    """Element by element."""
    shape = np.broadcast_shapes(z.shape, mu.shape, most.shape)
    views = (np.broadcast_to(x, shape).ravel() for x in (z, mu, most))
    each = [_in_floats(chances, *map(float, one)) for one in zip(*views, strict=True)]
    return np.array(each, dtype=float).reshape(shape)


@cache
def _in_floats(chances: Callable[..., Iterator[Any]], z: float, mu: float, most: float) -> float:
    if mu == 0 or z >= 1:
        return 0.0
    if not 0 < mu < z:
        return math.nan
    kl = z * math.log(z / mu) + (1 - z) * math.log((1 - z) / (1 - mu))
    if not kl > 0:
        return math.inf
    last = _last(kl, most)
    found = math.exp(-kl * last) / math.expm1(kl)
    for _, chance in zip(range(last), chances(z, mu, 1.0), strict=False):
        found += max(chance, 0.0)
    return found


def _in_digits(chances: Callable[..., Iterator[Any]], context: Any, *given: Any) -> Any:
    with precision(context.prec + 40):
        numbers = (arb(context.nstr(x, context.dps)) for x in given)
        found = _enclosed(chances, *numbers)
        if not found.is_finite():
            return context.inf
        middle = found.mid()
        mantissa, exponent = (int(part) for part in middle.man_exp())
    return context.mpf(mantissa) * context.mpf(2) ** exponent


def _code(chances: Callable[..., Iterator[Any]]) -> Code:
    def floats(*arrays: Array) -> Array:
        return _each_in_floats(chances, *arrays)

    def digits(context: Any, *numbers: Any) -> Any:
        return _in_digits(chances, context, *numbers)

    def balls(*numbers: arb) -> arb:
        return _enclosed(chances, *numbers)

    return Code(floats, digits, balls)


BINOMIAL, CONVEX = _code(upper_binomial_tails), _code(convex)
