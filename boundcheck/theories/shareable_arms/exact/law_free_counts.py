"""What the bound of `law-free` counts with: rates of averages, and how often a test is tried.

Sections 2 and 4 of docs/theorems/law-free.md. Everything is written for arrays of any kind of
number. Where a whole number is free (from which n on a chance is counted, after how many plays a
test ends) it is found in floats, and what the theorem asks of it is certified where numbers are
balls; so every value is one that the theorem allows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from boundcheck.calculator.numbers.domains import FLOATS, Array, Domain, elementwise

# r is computed once between neighbours of these multiples of h, and from the last one to T
RATIOS = tuple(1 + Fraction(2**i - 1, 64) for i in range(14))
_ROUNDS = 60  # of h = (l + r + r')/GLR, which settles by a factor of 10 or so in each
_LARGEST = 1e300
_ATTEMPTS = 4  # whole numbers that are tried where a ball does not decide


@dataclass(frozen=True)
class Numbers:
    """Functions of numbers of one kind, at the level l of the horizon T."""

    domain: Domain
    T: Any

    def of(self, value: float | Fraction) -> Any:
        return self.domain.number(Fraction(value))

    def apply(self, name: str, *arrays: Any) -> Any:
        return self.domain.apply(name, *map(np.asarray, arrays))

    def least(self, x: Any, y: Any) -> Any:
        return self.apply("min", x, y)

    def most(self, x: Any, y: Any) -> Any:
        return self.apply("max", x, y)

    def where(self, chosen: Array, x: Any, y: Any) -> Array:
        return np.asarray(np.where(chosen, x, y))

    def whole(self, counts: Any) -> Array:
        """Floats that are whole numbers, or infinite."""
        if self.domain is FLOATS:
            return np.asarray(counts, dtype=float)
        views = np.asarray(counts, dtype=float)
        out = np.empty(views.shape, dtype=object)
        infinity = self.domain.infinity()
        found = (self.of(int(x)) if np.isfinite(x) else infinity for x in views.flat)
        out.ravel()[:] = list(found)
        return out

    def floats(self, numbers: Any) -> Array:
        values = np.asarray(numbers)
        return values if values.dtype == float else np.vectorize(float, otypes=[float])(values)

    def power(self, x: Any, counts: Array) -> Array:
        if self.domain is FLOATS:
            return np.asarray(x**counts)
        return elementwise(lambda base, n: base ** int(n))(x, counts)

    # -- the level, prices and divergences

    @cached_property
    def level(self) -> Any:
        return self.apply("log", 1 + self.T / 4).item()

    def price(self, n: Any) -> Any:
        """r(n)."""
        return self.apply("log", self.domain.pi() * (n + self.of(Fraction(1, 2)))) / 2

    def kl(self, p: Any, q: Any) -> Any:
        found: Any = self.apply("rel_entr", p, q) + self.apply("rel_entr", 1 - p, 1 - q)
        return np.maximum(found, 0.0) if self.domain is FLOATS else found

    def ratio(self, a: Any, n: Any, b: Any, other: Any) -> Any:
        """GLR(a, n; b, other)."""
        x = (n * a + other * b) / (n + other)
        return n * self.kl(a, x) + other * self.kl(b, x)

    # -- sums over counts

    def tail(self, d: Any, start: Any) -> Any:
        """The sum of e^(-n d) over n >= start."""
        rest = self.apply("reciprocal", -self.apply("expm1", -d))
        return self.apply("exp", -(start * d)) * rest

    def geo(self, d: Any) -> Any:
        return self.tail(d, 1)

    def upto(self, M: Any, d: Any) -> Array:
        """The last n with M e^(-n d) > 1, nearly: 0 or a whole number, as a float."""
        d = self.floats(d)
        with np.errstate(all="ignore"):
            found = np.ceil(np.log(np.asarray(M, dtype=float)) / d) - 1
        return np.asarray(np.where(np.isnan(found), np.inf, np.maximum(found, 0.0)))

    def chances(self, M: Any, d: Any, after: Any = 0.0) -> Any:
        """The sum over n > after of min(1, M e^(-n d)): 1 for each n up to some number."""
        last = np.maximum(self.upto(M, d), after)
        ones = self.whole(last - after)
        return ones + self.whole(M) * self.tail(d, self.whole(last + 1))

    def together(self, M: Array, d: Array, after: Any = 0.0) -> Any:
        """The sum over n > after of min(1, sum_i M_i e^(-n d_i)), i along the last axis."""
        rates = self.floats(d)
        low = np.zeros(rates.shape[:-1])
        with np.errstate(all="ignore"):
            high = np.ceil(np.log(M.sum()) / rates.min(axis=-1)) + 1
        for _ in range(60):
            middle = np.floor((low + high) / 2)
            few = (M * np.exp(-(middle + 1)[..., None] * rates)).sum(axis=-1) <= 1
            low, high = np.where(few, low, middle + 1), np.where(few, middle, high)
            if (low >= high).all():
                break
        last = np.maximum(high, after)
        chances = self.whole(M) * self.tail(d, self.whole(last + 1)[..., None])
        return self.whole(last - after) + chances.sum(axis=-1)

    # -- the end of a test

    def multiples(self, dimensions: int) -> Array:
        """RATIOS along the first axis of so many."""
        found: Array = np.array([self.of(x) for x in RATIOS], dtype=self.domain.dtype)
        return found.reshape(-1, *[1] * (dimensions - 1))

    def ends(self, ratios: Array, prices: int) -> Array:
        """The least whole h with h GLR_i > l + r(h_i) [+ r(h)] for all i up to T; as floats.

        `ratios` are the GLR_i for h = 1, i along the first axis as in `RATIOS`; h_i is the next
        multiple of h, or T. One side is convex in h, so it stays above the other.
        """
        slopes, top = self.floats(ratios), self._log(self.T)
        first = [np.log(float(x)) for x in RATIOS]
        ahead = np.array([*first[1:], np.inf]).reshape(self.multiples(slopes.ndim).shape)
        h = np.ones(slopes.shape)
        with np.errstate(all="ignore"):
            for _ in range(_ROUNDS):
                logs = np.log(h)
                needed = float(self.level) + _price_of_log(np.minimum(logs + ahead, top))
                more = (needed + prices * _price_of_log(logs)) / slopes
                settled = not (np.abs(more - h) > 1e-15 * h).any()
                h = more
                if settled:
                    break
        h = np.where(slopes > 0, h, np.inf)
        beyond = np.floor([finite_float(self.T / x.numerator * x.denominator) for x in RATIOS])
        least = np.minimum(np.floor(h), beyond.reshape(ahead.shape)) + 1
        worst = np.asarray(least.max(axis=0))
        return self.certified(lambda guess: self._ended(ratios, prices, guess), worst)

    def certified(self, holds: Callable[[Array], Array], guess: Array) -> Array:
        """Whole numbers for which this certainly holds: those found in floats, or a bit larger."""
        if self.domain is FLOATS:
            return guess
        for times in range(_ATTEMPTS):
            wrong = ~holds(guess) & np.isfinite(guess)
            if not wrong.any():
                return guess
            guess = _larger(guess, wrong, times)
        return np.asarray(np.where(wrong, np.inf, guess))

    def _ended(self, ratios: Array, prices: int, guess: Array) -> Array:
        """Certainly: what `ends` says of h holds."""
        finite = np.isfinite(guess)
        h = self.whole(np.where(finite, guess, 1.0))
        needed = self.level + prices * self.price(h)
        times = self.multiples(ratios.ndim)
        far = np.concatenate([self.least(h * times[1:], self.T), 0 * h[None] + self.T])
        passed = np.asarray(h * ratios > needed + self.price(far), dtype=bool)
        beyond = np.asarray(h * times > self.T, dtype=bool)
        return np.asarray(finite & (passed | beyond).all(axis=0))

    def most_plays(self, d: Any) -> Array:
        """The largest n with n d <= l + r(n): n d - r(n) is convex; as floats."""
        level, rate = float(self.level), self.floats(d)
        n = np.ones(rate.shape)
        with np.errstate(all="ignore"):
            for _ in range(_ROUNDS):
                more = (level + np.log(np.pi * (n + 0.5)) / 2) / rate
                still = np.abs(more - n) > 1e-15 * n
                n = more
                if not still.any():
                    break

        def passed(found: Array) -> Array:
            after = self.whole(np.where(np.isfinite(found), found + 1, 1))
            return np.asarray(after * d > self.level + self.price(after), dtype=bool)

        return self.certified(passed, np.floor(n))

    def _log(self, number: Any) -> float:
        return float(self.apply("log", number).item())


def _larger(counts: Array, wrong: Array, times: int) -> Array:
    """The next whole number, or where floats are no longer whole a little more."""
    return np.where(wrong, np.floor(counts * (1 + 1e-15 * 10**times)) + 1, counts)


def finite_float(number: Any) -> float:
    """As a float, the largest one if it is larger."""
    try:
        return min(float(number), _LARGEST)
    except OverflowError:
        return _LARGEST


def _price_of_log(log: Array) -> Array:
    """r(n) for log n, however large n is."""
    small = np.minimum(log, 500.0)
    return np.asarray((np.log(np.pi * (np.exp(small) + 0.5)) + log - small) / 2)
