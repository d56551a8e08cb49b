"""The terms of the bound of `law-free` told a scale, with the letters of its page,
docs/theorems/law-free-scale.md.

Slots are counted as for rewards in [0, 1] (`law_free`, `law_free_slots`). What differs: the rates
of averages, when a test ends, what a play on a bad arm may lose, and how often evidence errs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from boundcheck.calculator.numbers.domains import FLOATS, Array
from boundcheck.theories.shareable_arms.exact.law_free import Ending
from boundcheck.theories.shareable_arms.exact.law_free_counts import RATIOS, Numbers, finite_float
from boundcheck.theories.shareable_arms.exact.law_free_slots import Slots

ALONE = Fraction(1, 4)  # rho for the average of one group
MORE, FEWER = 2, 3  # added to the evidence that a capacity is larger, or not
LEAST = 4  # of the level: from there on one count stands for all larger ones
_ROUNDS = 60  # of steps to a root, which are few
_LOW, _HIGH = np.log(0.5), np.log(1e300)

Sides = Callable[[Array, Array], tuple[Array, Array]]


@dataclass(frozen=True)
class ScaleNumbers(Numbers):
    """Functions of numbers of one kind at the level l of the horizon T, for a scale sigma."""

    variance: Any

    @cached_property
    def in_floats(self) -> ScaleNumbers:
        return ScaleNumbers(FLOATS, finite_float(self.T), float(self.variance))

    def weight(self, n: Any, rho: Any) -> Any:
        """u(n, rho)."""
        return n * (rho * n / (1 + rho * n))

    def mixture_price(self, n: Any, rho: Any) -> Any:
        """pi(n, rho)."""
        return self.apply("log", 1 + rho * n) / 2

    def shares(self, loads: Array) -> tuple[Array, Array]:
        """rho_b and rho'_b, of the low and of the high group."""
        square = (self.whole(loads) + 1) ** 2
        return 1 / (8 * square), 2 / square

    def rate(self, x: Any, mean: Any) -> Any:
        return (x - mean) ** 2 / (2 * self.variance)

    def errors(self, gift: int) -> Any:
        """Lam_c: at least the sum over t <= T of min(1, e^(c - l_t)), for T >= 4 e^c - 4."""
        four = 4 * self.apply("exp", self.of(gift)).item()
        return four - 4 + four * self.apply("log", (self.T + 4) / four).item()

    # -- the end of a test

    def tests_end(self, rate: Array, loads: Array, below: Array) -> Array:
        """The least whole h from which on evidence on b surely decides, as floats.

        `rate` is (A - B)^2/(2 sigma^2) for averages A of n low and B of h high plays, n >= h; where
        b is below the capacity also of h low and n high ones. n runs through the multiples of h
        in RATIOS, up to T.
        """
        rates = self.floats(rate)
        beyond = np.floor(self.in_floats.T / self.floats(self.multiples(rates.ndim + 1)))
        worst = np.ones(rates.shape)
        for high in (False, True):
            sides = self._sides(self.in_floats, loads, below, high)
            root = _root(sides, rates, (len(RATIOS), *rates.shape))
            least = (np.minimum(np.floor(root), beyond) + 1).max(axis=0)
            worst = np.where(below | (not high), np.maximum(worst, least), worst)
        ends = (rates > 0) & (worst < 1e299) & bool(self.level >= LEAST)
        return self.certified(
            lambda h: self._surely_ends(rate, loads, below, h), np.where(ends, worst, np.inf)
        )

    def _surely_ends(self, rate: Array, loads: Array, below: Array, guess: Array) -> Array:
        """Certainly: what `tests_end` says of h holds."""
        h = self.whole(np.where(np.isfinite(guess), guess, 1.0))[None]
        beyond = np.asarray(h * self.multiples(h.ndim) > self.T, dtype=bool)
        found = np.isfinite(guess)
        for high in (False, True):
            gained, needed = self._sides(self, loads, below, high)(rate, h)
            decided = np.asarray(gained > needed, dtype=bool) | beyond
            found &= decided.all(axis=0) | (high & ~below)
        return found

    def _sides(self, number: ScaleNumbers, loads: Array, below: Array, high: bool) -> Sides:
        """What the evidence comes to at each multiple n of h, which are low plays or `high` ones,
        and what it has to exceed, in numbers of `number`: n may grow up to the next multiple.
        """
        chosen, other = self.shares(loads)[:: -1 if high else 1]
        level = self.level - self.whole(np.where(below, MORE, FEWER))
        last = self.mixture_price(self.T, chosen)
        if number is not self:
            chosen, other, level, last = map(self.floats, (chosen, other, level, last))

        def sides(rate: Array, h: Array) -> tuple[Array, Array]:
            times = number.multiples(h.ndim)
            h = np.broadcast_to(h, (len(times), *np.broadcast_shapes(h.shape[1:], rate.shape)))
            one, two = number.weight(h * times, chosen), number.weight(h, other)
            between = number.mixture_price(number.least(h[:-1] * times[1:], number.T), chosen)
            price = np.concatenate([between, np.broadcast_to(last, h[:1].shape)])
            return rate / (1 / one + 1 / two), level + price + number.mixture_price(h, other)

        return sides

    def most_plays(self, d: Any) -> Array:
        """Q: the largest n with u(n, 1/4) d <= l + pi(n, 1/4), as floats."""

        def sides(number: ScaleNumbers, level: Any) -> Sides:
            share = number.of(ALONE)
            return lambda d, n: (
                number.weight(n, share) * d,
                level + number.mixture_price(n, share),
            )

        def passed(found: Array) -> Array:
            after = self.whole(np.where(np.isfinite(found), found + 1, 1.0))
            gained, needed = sides(self, self.level)(d, after)
            return np.asarray(gained > needed, dtype=bool)

        rates = self.floats(d)
        found = _root(sides(self.in_floats, float(self.level)), rates, rates.shape)
        return self.certified(passed, np.where(rates > 0, np.floor(found), np.inf))


def _root(sides: Sides, rates: Array, shape: tuple[int, ...]) -> Array:
    """Where the first side becomes the larger one, in floats: it grows like n, n^2 or between, the
    second like log n, so that secants of the logarithms lead there.
    """
    x, slope, before = np.zeros(shape), np.full(shape, 1.5), np.full(shape, np.nan)
    moved = np.zeros(shape)
    with np.errstate(all="ignore"):
        for _ in range(_ROUNDS):
            gained, needed = sides(rates, np.exp(x))
            ahead = np.log(needed / gained)
            secant = (before - ahead) / moved
            slope = np.where(np.isfinite(secant), np.clip(secant, 0.75, 2), slope)
            moved, before = np.where(np.isfinite(ahead), ahead / slope, 0), ahead
            x = np.clip(x + moved, _LOW, _HIGH)
            if not (np.abs(moved) > 1e-15 * np.maximum(x, 1)).any():
                break
    return np.asarray(np.exp(x))


class ScaleSlots(Slots):
    """One instance with its levels, and what slots lose."""

    numbers: ScaleNumbers

    def rate(self, arms: Any, x: Any) -> Any:
        return self.numbers.rate(x, self.means[arms])

    @property
    def relieved(self) -> int:
        """The one of the largest capacity, which climbs for longest; of several the last."""
        return max(self.good, key=lambda i: (self.held[i], i))

    def averages(self, share: Array, chosen: Any = slice(None)) -> Ending:
        """What tells b from b + 1, cut in three: how far each average is off, and the rest."""
        number, (arms, loads) = self.numbers, (x[chosen] for x in self.pairs)
        reached, m = self.reached[chosen], np.array(self.held)[arms]
        b, held = number.whole(loads + reached), number.whole(m)
        unit = self.means[arms] / (8 * b + (2 * held - 4 * b) * share)
        low, high, left = 3 * share * unit, (2 + b / held) * share * unit, 8 * (1 - share) * unit
        sure = np.asarray(self.means[arms] > 0, dtype=bool)
        apart, *off = (number.rate(x, 0 * x) for x in (left, low, high))
        plays = number.tests_end(number.where(sure, apart, 0 * apart), loads, ~reached)
        many = number.whole(np.where(reached, self.N - m, 1))
        return Ending(plays, ((1, off[0]), (many, off[1])))

    def silence(self, share: Array, chosen: Any = slice(None)) -> Ending:
        """A single value shows nothing."""
        return Ending(np.full(np.shape(share), np.inf), ())

    @cached_property
    def single(self) -> Array:
        return np.zeros_like(self.reached)

    @cached_property
    def tests(self) -> Array:
        return self.expected(self.endings[0])

    def _climbing(self, averages: Array, after: Any) -> Array:
        return np.asarray(averages[..., self.climbing])

    def longest(self, w: Array, x: Array) -> Array:
        return self.numbers.most_plays(self.numbers.rate(w, x))

    def looks(self, j: int, b: int) -> Any:
        return self.means[j] * self.numbers.of(1 + Fraction(1, 4 * b))

    def loss_of(self, j: int) -> Any:
        nu = self.means[self.last]
        return self.numbers.most(nu, self.gaps[j]).item() if j > self.last else nu

    def erring(self) -> Any:
        smaller = sum(self.held[i] - 1 for i in self.good)
        stuck = sum(int(self.groups[i]) for i in self.good)
        return smaller * self.numbers.errors(FEWER) + stuck * self.errors
