"""The terms of the bound of `law-free` that count slots: sections 5 to 10 of its theorem.

docs/theorems/law-free.md has the letters. An instance comes with its free levels, one number for
each arm; the levels that the theorem has for pairs of arms or of an arm and a load follow from
these. Arms are numbered from 0 by their means, L is the last one of the optimal action.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from boundcheck.calculator.numbers.domains import FLOATS, Array
from boundcheck.theories.shareable_arms.exact.beta_rates import MOST, chances_of_beta, rates_of_beta
from boundcheck.theories.shareable_arms.exact.law_free_counts import Numbers, finite_float

SURE = 1 - Fraction(1, 2**40)  # a chance that is larger counts as this
HASTE = 4  # so many plays of a promising test count as one


@dataclass(frozen=True)
class Ending:
    """For each pair of an arm and a load, after how many plays a test ends and how surely."""

    plays: Array  # h0, floats
    # beyond h0 it continues with chances M e^(-n rate): pairs M, rate
    rates: tuple[tuple[Any, Array], ...]


@dataclass(frozen=True)
class AtLevels:
    """One instance at one horizon with its levels."""

    numbers: Numbers
    means: Array
    held: Sequence[int]
    N: int
    last: int  # of arm L
    ways: int  # in which a capacity is taken for a smaller one: 1 for Bernoulli rewards, else 2
    concentration: Any  # of Beta rewards, else 0
    levels: Mapping[str, Array] = field(default_factory=dict)

    @cached_property
    def rough(self) -> AtLevels:
        """The same in floats."""
        number = self.numbers
        levels = {name: number.floats(shares) for name, shares in self.levels.items()}
        horizon = Numbers(FLOATS, finite_float(number.T))
        own = float(self.concentration)
        means = number.floats(self.means)
        return replace(self, numbers=horizon, means=means, concentration=own, levels=levels)

    # -- arms

    @cached_property
    def arms(self) -> int:
        return len(self.held)

    @cached_property
    def good(self) -> range:
        return range(self.last + 1)

    @cached_property
    def bad(self) -> range:
        return range(self.last + 1, self.arms)

    @cached_property
    def gaps(self) -> Array:
        """Between the mean of arm L and that of an arm, or the other way for a better one."""
        nu = self.means[self.last]
        return np.concatenate([self.means[: self.last + 1] - nu, nu - self.means[self.last + 1 :]])

    @cached_property
    def groups(self) -> Array:
        """G: loads up to b for each b <= m, and all."""
        return np.array([m + (m < self.N) for m in self.held], dtype=float)

    @cached_property
    def spare(self) -> int:
        """E: the room of the good arms beyond N."""
        return sum(self.held[i] for i in self.good) - self.N

    def rate(self, arms: Any, x: Any) -> Any:
        """I of these arms at x."""
        mean = self.means[arms]
        found = self.numbers.kl(x, mean)
        if not 0 < float(self.concentration) <= MOST:
            return found
        mean, x = np.broadcast_arrays(mean, x)
        inner = np.asarray((mean > 0) & (mean < 1) & (x > 0) & (x < 1), dtype=bool)
        found = np.array(found)
        found[inner] = rates_of_beta(self.numbers.domain, mean[inner], self.concentration, x[inner])
        return found

    def missing(self, i: int, plays: int) -> int:
        """How many of so many missing plays of a good arm must have gone to bad ones."""
        return max(plays - self.spare, 0) if i == self.relieved else plays

    @property
    def relieved(self) -> int:
        """The good arm whose missing plays count less by the spare room."""
        return self.last

    def lost(self, plays: int, arms: Sequence[int] | None = None) -> Any:
        """W: the most that so many plays lose on bad arms, or on these of them."""
        total = self.numbers.of(0)
        for k in sorted(self.bad if arms is None else arms, reverse=True):
            here = min(plays, self.held[k])
            total, plays = total + here * self.gaps[k], plays - here
        return total

    @cached_property
    def given(self) -> list[Any]:
        """W+ of 0, 1, ..., N plays: the most that better arms lose if these are taken away."""
        found, plays = (
            [self.numbers.of(0)],
            [i for i in range(self.last) for _ in range(self.held[i])],
        )
        for i in plays[: self.N]:
            found.append(found[-1] + self.gaps[i])
        return found + [found[-1]] * (self.N + 1 - len(found))

    # -- tests of larger loads, for pairs of an arm and a load b

    @cached_property
    def pairs(self) -> tuple[Array, Array]:
        found = [
            (j, b) for j in range(self.arms) for b in range(1, min(self.held[j], self.N - 1) + 1)
        ]
        arms, loads = (
            np.array(x, dtype=int) for x in (zip(*found, strict=True) if found else ((), ()))
        )
        return arms, loads

    @cached_property
    def reached(self) -> Array:
        """Whether b is the capacity, not less."""
        arms, loads = self.pairs
        return np.asarray(loads == np.array(self.held)[arms], dtype=bool)

    @cached_property
    def chance(self) -> Array:
        """p_b."""
        arms, loads = self.pairs
        means = self.means[arms]
        if self.ways == 1:
            return means
        b = self.numbers.whole(loads)
        if float(self.concentration) > 0:
            found = chances_of_beta(self.numbers.domain, means, self.concentration, b)
            return np.asarray(self.numbers.least(found, self.numbers.of(SURE)))
        return np.asarray(self.numbers.most((b + 1) * means - b, self.numbers.of(0)))

    def averages(self, share: Array, chosen: Any = slice(None)) -> Ending:
        """By averages that are off by a share of what tells b from b + 1; of chosen pairs."""
        number, reached = self.numbers, self.reached[chosen]
        arms, loads = (x[chosen] for x in self.pairs)
        mean, b = self.means[arms], number.whole(loads)
        off = share * number.least(mean / (2 * b + 1), 1 - mean)
        low, high = mean - off, mean + off
        seen = number.where(reached, low, high)
        cap = (seen + 1023) / 1024  # not 1, where balls would not decide
        other = number.where(reached, b * high / (b + 1), number.least((b + 1) * low / b, cap))
        times, one = number.multiples(seen.ndim + 1), number.of(1)
        many = number.ratio(seen, times, other, one)
        few = number.ratio(seen, one, other, times)
        both = number.where(reached, many, number.least(many, few))
        return Ending(number.ends(both, 1), ((1, self.rate(arms, low)), (1, self.rate(arms, high))))

    def silence(self, share: Array, chosen: Any = slice(None)) -> Ending:
        """By single values, at b = m: at least a share of those expected are seen at low loads."""
        number, p = self.numbers, self.chance[chosen]
        z = share * p
        found = number.ratio(z, number.multiples(z.ndim + 1), number.of(0), number.of(1))
        return Ending(number.ends(found, 0), ((1, number.kl(z, p)),))

    def expected(self, ending: Ending, after: Any = -1.0) -> Array:
        """The sum over h > after of the chances that a test continues at h: h_b, or its tail."""
        number, start = self.numbers, np.maximum(ending.plays, after + 1)
        never = ~np.isfinite(ending.plays)
        first = number.whole(np.where(never, 1.0, start))
        ones = number.whole(np.where(never, np.inf, start - (after + 1)))
        rest = sum(M * number.tail(rate, first) for M, rate in ending.rates)
        return number.where(never, ones, ones + rest)

    @cached_property
    def off(self) -> Array:
        """The level of each pair: by what share averages may be off."""
        arms, _ = self.pairs
        return np.asarray(
            np.where(self.reached, self.levels["at"][arms], self.levels["below"][arms])
        )

    @cached_property
    def single(self) -> Array:
        """Whether single values are counted by: where that is less, as seen in floats."""
        if self.numbers.domain is not FLOATS:
            return self.rough.single
        averages = self.expected(self.averages(self.off))
        heard = self.expected(self.silence(self.levels["heard"][self.pairs[0]]))
        return np.asarray(np.where(self.reached, heard, 1 / self.chance) < averages)

    @cached_property
    def endings(self) -> tuple[Ending, Ending]:
        """By averages, of pairs that are not `single`; by silence, of the others at b = m."""
        averages, silence = ~self.single, self.single & self.reached
        heard = self.levels["heard"][self.pairs[0][silence]]
        return self.averages(self.off[averages], averages), self.silence(heard, silence)

    @cached_property
    def tests(self) -> Array:
        """h: how often each of them is tried, and how long it may be open."""
        averages, silence = map(self.expected, self.endings)
        found = self.numbers.apply("reciprocal", self.chance)
        found[~self.single] = averages
        found[self.single & self.reached] = silence
        return np.asarray(found)

    @cached_property
    def climbing(self) -> Array:
        """Pairs of a good arm and a load below its capacity."""
        return np.asarray(~self.reached & (self.pairs[0] <= self.last), dtype=bool)

    @cached_property
    def played(self) -> Array:
        """c, for pairs of `climbing`: slots in which the low group is the smaller one."""
        return self._climbing(self.expected(self.endings[0]), 0.0)

    def still(self, after: Array) -> Array:
        """For the same pairs the tail of h: chances that a test continues at h > after."""
        after = np.asarray(after)[..., None]
        return self._climbing(self.expected(self.endings[0], after), after)

    def _climbing(self, averages: Array, after: Any) -> Array:
        """By single values the sum over h > after of (1 - p)^h; by averages what is given."""
        number, p = self.numbers, self.chance
        found = number.power(1 - p, after + 1) * number.apply("reciprocal", p)
        found[..., ~self.single] = averages
        return np.asarray(found[..., self.climbing])

    @cached_property
    def by_arm(self) -> list[tuple[Array, Array]]:
        """The h of an arm in increasing order, and sums of the first of them."""
        found = []
        for j in range(self.arms):
            mine = self.tests[self.pairs[0] == j]
            order = self.numbers.floats(mine)
            mine, order = mine[np.argsort(order, kind="stable")], np.sort(order)
            sums = np.concatenate([[self.numbers.of(0)], np.cumsum(mine)])
            found.append((order, sums))
        return found

    def tried(self, j: int, count: Array) -> Array:
        """The sum over b of min(h_b, 4 count) of an arm."""
        order, sums = self.by_arm[j]
        fewer = np.searchsorted(order, HASTE * self.numbers.floats(count))
        rest = self.numbers.whole(HASTE * (len(order) - fewer))
        return np.asarray(sums[fewer] + rest * count)

    # -- a good arm outside, and one that climbs

    def low(self, i: int, x: Any) -> Array:
        """cbar: 1 more than the largest count at which a group of arm i has an average below x."""
        return np.asarray(1 + self.numbers.chances(self.groups[i], self.rate(i, x)))

    def order_of(self, i: int, share: Any) -> Array:
        """For each bad j, tests of its loads while arm i is outside, by the order of arms."""
        bad, held = np.array(self.bad), np.array([self.held[j] for j in self.bad])
        v = self.means[bad] + share * (self.means[i] - self.means[bad])
        high = self.numbers.whole(held) * self.numbers.geo(self.rate(bad, v))
        loads = self.numbers.whole(HASTE * np.minimum(held, self.N - 1))
        return np.asarray(1 + high + loads * self.low(i, v))

    @cached_property
    def alternatives(self) -> list[Array]:
        return [self.order_of(i, self.levels["passed"][self.last + 1 :]) for i in self.good]

    def outside(self, i: int, x: Array) -> Array:
        """No: slots in which arm i is outside, its test is open and its estimate below x."""
        number, count = self.numbers, self.low(i, x)
        total = self.arms * count
        for j in range(self.arms):
            if j == i or not len(self.by_arm[j][0]):
                continue
            tried = self.tried(j, count)
            if j > self.last:
                other = self.alternatives[i][j - self.last - 1]
                smaller = number.floats(other) < number.floats(tried)
                tried = number.where(smaller, other, tried)
            total = total + tried
        return np.asarray(2 * total)

    @cached_property
    def climbs(self) -> Array:
        """Cl, for pairs of `climbing`."""
        arms, h = self.pairs[0][self.climbing], self.tests[self.climbing]
        total = self.arms * h
        for j in range(self.arms):
            tried = self.tried(j, h)
            total = total + self.numbers.where(arms == j, self.numbers.of(0), tried)
        return np.asarray(2 * (total + self.played))
