"""The regret of OrchExplore while it learns a capacity: Cap_k of docs/theorems/orch-explore.md.

A *k-slot* is a united slot whose first arm is k. After n of them capacity c is still within the
bounds of an arm of capacity m with at most the chance P_c(n): 0 if (m + 3c) phi(n) < |c - m| mu,
else 1 or, if e = |c - m| mu - 2c phi(n) > 0, J(e/(s sqrt(m^2 + c^2)); m, c), s^2 = 2 sigma^2/n.
It does not rise with n, nor with c > m (it bounds the chance of c or more), so a value counts
for all n, and all c, up to the next one that is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, reduce
from itertools import pairwise
from typing import Any

import numpy as np
from flint import arb

from boundcheck.calculator.numbers.domains import BALLS, Array, Domain
from boundcheck.calculator.numbers.evaluate import Evaluator
from boundcheck.theories.shareable_arms.exact.first_count import counts
from boundcheck.theories.shareable_arms.functions import phi
from boundcheck.theories.shareable_arms.orch_explore.both_off import both_off

_FINENESS = 48  # values are computed at n, n + n/48, ...
_EACH = 8  # and for capacities up to m + 8, m + 16, m + 32, ...


def plays_filled(domain: Domain, *given: Array) -> Array:
    """For each point and arm: Cap_k for arms before L, otherwise 0."""
    rows = [
        [world.capacity_of(k) if k < world.last else world.zero for k in range(world.arms)]
        for world in _worlds(domain, *given)
    ]
    return np.array(rows, dtype=domain.dtype)


def last(domain: Domain, *given: Array) -> Array:
    """For each point: Cap_L if arm L has several plays, otherwise 0."""
    rows = [
        [world.capacity_of_last() if world.left > 1 else world.zero]
        for world in _worlds(domain, *given)
    ]
    return np.array(rows, dtype=domain.dtype)


def _worlds(domain: Domain, *given: Array) -> Iterator[_World]:
    points = max(len(array) for array in given)
    views = [np.broadcast_to(array, (points, array.shape[1])) for array in given]
    for means, held, *others in zip(*views, strict=True):
        plays, number, left, best, horizon, variance = (x[0] for x in others)
        *sizes, N, L, mbar = (round(float(m)) for m in (*held, plays, number, left))
        yield _World(domain, list(means), sizes, N, L, mbar, best, horizon, variance)


def starts(end: int) -> list[int]:
    """The counts at which probabilities are computed, and the end."""
    found = [1]
    while found[-1] < end:
        found.append(min(found[-1] + max(found[-1] // _FINENESS, 1), max(end, 1)))
    return found


def looked_at(m: int, plays: int) -> list[int]:
    """Larger capacities whose probability is computed; others use that of the next smaller one."""
    gaps = (c - m for c in range(m + 1, plays + 1))
    return [m + gap for gap in gaps if gap <= _EACH or gap & (gap - 1) == 0]


@dataclass
class _World:
    """One instance, with arms by mean from 0: integers, and other numbers in the domain."""

    domain: Domain
    means: list[Any]
    held: list[int]
    plays: int
    number: int  # L
    left: int  # mbar
    best: Any
    horizon: Any
    variance: Any
    _known: dict[range, list[tuple[int, Any, Any]]] = field(default_factory=dict)

    @property
    def arms(self) -> int:
        return len(self.held)

    @property
    def last(self) -> int:
        return self.number - 1

    @cached_property
    def zero(self) -> Any:
        return self.domain.number(Fraction(0))

    @cached_property
    def one(self) -> Any:
        return self.domain.number(Fraction(1))

    def least(self, *numbers: Any) -> Any:
        """Of numbers that may be balls."""
        return reduce(arb.min, numbers) if self.domain is BALLS else min(numbers)

    def most(self, *numbers: Any) -> Any:
        return -self.least(*(-x for x in numbers))

    # -- costs

    @cached_property
    def spread(self) -> Any:
        """d, half the difference between the largest and smallest mean beyond L."""
        return (self.means[self.number] - self.means[-1]) / 2

    def first(self, k: int) -> Any:
        """c_k."""
        return self.best - self.held[k] * self.means[k]

    def beyond(self, plays: int) -> Any:
        """W: the largest loss of this many plays beyond L, relative to arm L."""
        lost = self.zero
        for j in range(self.arms - 1, self.last, -1):
            here = min(plays, self.held[j])
            lost, plays = lost + here * (self.means[self.last] - self.means[j]), plays - here
        return lost

    def short(self, k: int, bound: int) -> Any:
        """kappa_k(l): arm k has the bound l; other arms before L that are no better, and L, have
        1.
        """
        placed = [(self.held[k] - bound, self.means[k])]
        placed += [(m - 1, mean) for m, mean in self._no_better(k)]
        lost = sum((x * (mean - self.means[self.last]) for x, mean in placed), self.zero)
        return lost + self.beyond(sum(x for x, _ in placed) + self.left - 1)

    def _no_better(self, k: int) -> list[tuple[int, Any]]:
        others = (i for i in range(self.last) if i != k and not self.means[i] > self.means[k])
        return [(self.held[i], self.means[i]) for i in others]

    def earned(self, k: int, arms: range) -> list[Any]:
        """A lower bound on the reward of x = 0, ..., N - m_k plays on one of these arms other than
        k.
        """
        room = range(self.plays - self.held[k] + 1)
        least = self._least_two(arms)
        return [least[x][1] if least[x][0] == k else least[x][2] for x in room]

    def _least_two(self, arms: range) -> list[tuple[int, Any, Any]]:
        """For x plays: the arm with the least reward, the least reward of the others, and of
        all.
        """
        if arms not in self._known:
            most = max(self.held[j] for j in arms)  # more plays than these earn nothing more
            found = [self._two(x, arms) for x in range(min(most, self.plays) + 1)]
            self._known[arms] = found + found[-1:] * (self.plays + 1 - len(found))
        return self._known[arms]

    def _two(self, x: int, arms: range) -> tuple[int, Any, Any]:
        earned = {j: min(x, self.held[j]) * self.means[j] for j in arms}
        worst = min(earned, key=lambda j: float(earned[j]))
        others = self.least(*(y for j, y in earned.items() if j != worst))
        return worst, others, self.least(others, earned[worst])

    # -- chances

    def chances(self, k: int, capacities: list[int], at: list[int]) -> dict[int, Array]:
        """P_c at these counts, for each of these capacities c."""
        m, mean, number, counted = self.held[k], self.means[k], self.domain.number, np.array(at)
        found: dict[int, Array] = {}
        inside, numbers = {}, []
        widths = self._widths(at)[0]
        for c, end in zip(capacities, self.zero_from(k, capacities), strict=True):
            left = abs(c - m) * mean - 2 * c * widths
            found[c] = np.full(len(at), self.one, dtype=self.domain.dtype)
            found[c][counted >= end] = self.zero
            inside[c] = np.flatnonzero((counted < end) & (left.astype(float) > 0))
            size = 2 * self.variance * (m * m + c * c)
            numbers += [(left[i], size / at[i], number(Fraction(c))) for i in inside[c]]
        if numbers:
            left, square, sizes = (self._row(list(row)) for row in zip(*numbers, strict=True))
            off = left / self.domain.apply("sqrt", square)
            given = off, self._row([number(Fraction(m))]), sizes
            chance = Evaluator(self.domain, {}).call(both_off, *given)
            chance = self.domain.apply("min", chance, self._row([self.one]))[0]
            start = 0
            for c, places in inside.items():
                found[c][places] = chance[start : start + len(places)]
                start += len(places)
        return found

    def _widths(self, at: list[int]) -> Array:
        numbers = self._row([self.domain.number(Fraction(n)) for n in at])
        return Evaluator(self.domain, {}).call(phi, numbers, self._row([2 / self.horizon]))

    def _row(self, numbers: list[Any]) -> Array:
        return np.array([numbers], dtype=self.domain.dtype)

    def zero_from(self, k: int, capacities: list[int]) -> list[int]:
        """The counts from which on each P_c is 0; 0 if there are none."""
        m, number = self.held[k], self.domain.number
        rooms = self._row([abs(c - m) * self.means[k] for c in capacities])
        times = self._row([number(Fraction(m + 3 * c)) for c in capacities])
        found = counts(self.domain, times, self._row([2 / self.horizon]), rooms)
        ends = [float(_upper(count)) for count in found[0]]
        return [int(np.ceil(end)) if np.isfinite(end) else 0 for end in ends]

    # -- sums

    def capacity_of(self, k: int) -> Any:
        """Cap_k."""
        m, N = self.held[k], self.plays
        (end,) = self.zero_from(k, [m + 1])
        if not end:
            return self.domain.infinity()
        at = starts(end)
        larger = looked_at(m, N)
        chance = self.chances(k, [*range(1, m), *larger], at[:-1])
        none = 0 * chance[m + 1]
        low = chance[m - 1] if m > 1 else none
        smaller = self._smaller
        alive = smaller(chance[m + 1] + low, none + self.one)
        low = smaller(low, alive)
        cost, least = self.first(k), self.earned(k, range(self.arms))

        def united(earned: list[Any]) -> Array:
            found: Array = (cost - earned[N - m - 1]) * alive
            for v, end in pairwise([*larger[1:], N + 1]):
                found = found + (earned[N - v + 1] - earned[N - end + 1]) * chance[v]
            return found

        lost = united(least)
        if self.left == 1 and self.number >= 3:
            pairs = list(zip(least, self.earned(k, range(self.last)), strict=True))
            good = [self.most(*pair) for pair in pairs]
            excess = self.most(self.zero, *(y - x for x, y in pairs))
            lost = smaller(lost, united(good) + excess * low)
        bounds = [self.short(k, w) for w in range(1, m + 1)]
        others_short = any(held > 1 for held, _ in self._no_better(k)) or self.left > 1
        lost = lost + bounds[-1] * alive + self.spread * (alive if others_short else low)
        for w in range(2, m + 1):
            lost = lost + (bounds[w - 2] - bounds[w - 1]) * smaller(chance[w - 1], alive)
        return cost + bounds[0] + self.spread + self._summed(lost, at)

    def capacity_of_last(self) -> Any:
        """Cap_L."""
        k, left = self.last, self.left
        (end,) = self.zero_from(k, [left - 1])
        if not end:
            return self.domain.infinity()
        at = starts(end)
        chance = self.chances(k, list(range(1, left)), at[:-1])
        alive, cost = chance[left - 1], self.first(k) + self.spread
        lost = cost * alive
        for w in range(2, left + 1):
            step = self.beyond(left - w + 1) - self.beyond(left - w)
            lost = lost + step * self._smaller(chance[w - 1], alive)
        return cost + self.beyond(left - 1) + self._summed(lost, at)

    def _summed(self, lost: Array, at: list[int]) -> Any:
        return sum((n * x for n, x in zip(np.diff(at).tolist(), lost, strict=True)), self.zero)

    def _smaller(self, x: Array, y: Array) -> Array:
        return self.domain.apply("min", x, y)


def _upper(number: Any) -> Any:
    upper: Callable[[], Any] | None = getattr(number, "upper", None)
    return number if upper is None else upper()
