"""What slots of `law-free` lose, for each arm: the terms of its theorem (sections 7 to 10)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from boundcheck.calculator.numbers.domains import Array
from boundcheck.theories.shareable_arms.exact.law_free import HASTE, AtLevels


class Slots(AtLevels):
    """The same instance, with what is lost."""

    def between(self, k: int, name: str) -> Any:
        """A level: a share of the way from the lower one of the means of arms k and L."""
        share = self.levels[name][k]
        return self.means[k if k > self.last else self.last] + share * self.gaps[k]

    def displaced(self, i: int) -> Any:
        """What goes to bad arms while the good arm i is outside: W of its missing plays."""
        return self.lost(self.missing(i, self.held[i]))

    def displaced_below(self, i: int) -> Any:
        """The same with its bound at b, for all b < m_i together."""
        zero = self.numbers.of(0)
        return sum((self.lost(self.missing(i, x)) for x in range(1, self.held[i])), zero)

    def climbing_lost(self, i: int) -> Any:
        """Slots in which a good arm has not reached its capacity."""
        chosen = self.pairs[0][self.climbing] == i
        total = self.numbers.of(0)
        loads = self.pairs[1][self.climbing][chosen]
        for b, slots, played in zip(loads, self.climbs[chosen], self.played[chosen], strict=True):
            short = self.held[i] - int(b)
            total = total + slots * (self.lost(self.missing(i, short)) + short * self.gaps[i])
            total = total + played * self.gaps[-1]
        return total

    # -- bad arms filled

    def own(self, x: Array) -> Array:
        """A1: bad arms that look like x_k or better."""
        held = np.array([self.held[k] for k in self.bad])
        times = held * (held + 1) // 2 + held * (held < self.N)
        seen = self.numbers.geo(self.rate(np.array(self.bad), x))
        return np.asarray(2 * self.gaps[self.last + 1 :] * (1 + self.numbers.whole(times) * seen))

    def own_lost(self, k: int) -> Any:
        levels = np.array([self.between(j, "x") for j in self.bad])
        return self.own(levels)[k - self.last - 1]

    def late(self, i: int) -> Any:
        """A2 and A2': bad arms that look worse than x_k, in plays that arm i misses."""
        levels = {k: self.between(k, "x") for k in self.bad}
        ranked = sorted(self.bad, key=lambda k: levels[k], reverse=True)
        x = np.array([levels[k] for k in ranked])
        outside, last = self.outside(i, x), self.as_last(i, x)
        total = self.numbers.of(0)
        for slots, room in ((outside, self.held[i]), (last, self.held[i] - 1)):
            before, plays = self.numbers.of(0), self.missing(i, room)
            for q, each in enumerate(slots):
                lost = self.lost(plays, ranked[: q + 1])
                total, before = total + (lost - before) * each, lost
        return total

    def as_last(self, i: int, x: Array) -> Array:
        """Slots in which arm i is the last one filled and looks worse than x."""
        groups = self.numbers.whole(self.groups[i])
        return np.asarray(2 * groups * self.numbers.geo(self.rate(i, x)))

    # -- better arms short, bad arms tried

    def above(self, arms: Sequence[int], y: Array) -> Array:
        """Slots in which one of these arms is filled and looks like y or better."""
        chosen = np.array(arms, dtype=int)
        groups = self.numbers.whole(self.groups[chosen])
        rates = self.rate(chosen, np.asarray(y)[..., None])
        return np.asarray(2 * (1 + groups * self.numbers.geo(rates)).sum(axis=-1))

    def short(self, i: int, y: Array, z: Array) -> Array:
        """B: a better arm misses plays or is the last one filled, by levels y and z <= y."""
        number, others = self.numbers, sum(self.held[j] for j in self.good if j != i)
        outside = self.outside(i, y)
        if others < self.N:
            passed = self.above(self.bad, z) + self.outside(i, z)
            outside = number.where(number.floats(passed) < number.floats(outside), passed, outside)
        return np.asarray(self.above([self.last, *self.bad], y) + self.as_last(i, y) + outside)

    def longest(self, w: Array, x: Array) -> Array:
        """Q: after how many plays an arm that looks worse than w is not tried beside one at x."""
        return self.numbers.most_plays(self.numbers.kl(w, x))

    def alone(self, k: int, w: Array, x: Array) -> Array:
        """D1: how often the test of a bad arm is tried, by levels w < x."""
        number, good = self.numbers, np.array(self.good)
        rates = self.rate(good, x[..., None])
        groups = number.whole(self.groups[good])
        q = self.longest(w, x)
        finite = np.where(np.isfinite(q), q, 0.0)
        likely = number.chances(self.groups[k], self.rate(k, w), finite)
        last = (groups * number.geo(rates)).sum(axis=-1)
        outside = number.together(self.groups[good], rates, finite)
        return np.asarray(
            number.whole(q + 1) + likely + last + outside + self.still(finite).sum(axis=-1)
        )

    def short_of(self, i: int) -> Any:
        y, after = self.between(i, "y"), self.means[self.last + 1]
        z = after + self.levels["z"][i] * (y - after)
        return self.short(i, np.array([y]), np.array([z]))[0]

    def tried_alone(self, k: int) -> Any:
        x, mean = self.between(k, "x'"), self.means[k]
        w = mean + self.levels["w"][k] * (x - mean)
        return self.alone(k, np.array([w]), np.array([x]))[0]

    # -- larger loads tried

    def cost(self, j: int, b: int, plays: int) -> Any:
        """Of moving so many plays to an arm that has b."""
        lost = plays if j > self.last else max(b + plays - self.held[j], 0)
        return lost * self.loss_of(j) + self.given[min(plays, self.N)]

    def loss_of(self, j: int) -> Any:
        """The most that a play loses that moves to an arm."""
        return self.means[self.last]

    def of_arm(self, j: int) -> tuple[Array, Array]:
        chosen = self.pairs[0] == j
        return self.pairs[1][chosen], self.tests[chosen]

    def direct(self, j: int) -> Any:
        """All trials of larger loads of an arm, each with all that it moves."""
        total = self.numbers.of(0)
        for b, tests in zip(*self.of_arm(j), strict=True):
            one, every = self.cost(j, int(b), 1), self.cost(j, int(b), int(b))
            total, many = total + tests * one, tests
            if b == 1:
                continue
            if b == self.held[j]:
                seen = self.promising(j, int(b))
                many = seen if float(seen) < float(tests) else tests
            total = total + many * (every - one)
        return total

    def looks(self, j: int, b: int) -> Any:
        """z: the test of load b at the capacity is promising only if an average looks like this."""
        number, mean = self.numbers, self.means[j]
        return number.least(mean * number.of(1 + Fraction(1, 4 * b)), (1 + mean) / 2).item()

    def promising(self, j: int, b: int) -> Any:
        """How often a test is promising at the capacity itself."""
        number, z = self.numbers, self.looks(j, b)
        low = z * b / (b + number.of(Fraction(1, 2)))
        both = number.geo(self.rate(j, np.array([z, low])))
        return 1 + both.sum()

    def by_order(self, j: int, v: Array) -> Array:
        """The same for a bad arm by the order of arms, by a level v."""
        number, good, zero = self.numbers, np.array(self.good), self.numbers.of(0)
        loads, tests = self.of_arm(j)
        costs = [self.cost(j, int(b), int(b)) for b in loads]
        if not costs:
            return np.asarray(zero + 0 * v)
        v = np.asarray(v)
        rates = self.rate(good, v[..., None])
        groups = number.whole(self.groups[good])
        likely = costs[0] + sum(costs, zero) * number.geo(self.rate(j, v))
        outside = HASTE * (1 + number.together(self.groups[good], rates)) * sum(costs, zero)
        last = costs[-1] * (groups * number.geo(rates)).sum(axis=-1)
        climbing = number.least(tests, HASTE * self.tests[self.climbing][:, None])
        climbing = (climbing * np.array(costs)).sum()
        return np.asarray(likely + outside + last + climbing)

    @cached_property
    def errors(self) -> Any:
        """4 log(1 + 2T/9)."""
        return 4 * self.numbers.apply("log", 1 + 2 * self.numbers.T / 9).item()

    def erring(self) -> Any:
        """Slots in which evidence on a good arm errs."""
        events = sum(self.ways * (self.held[i] - 1) + int(self.groups[i]) for i in self.good)
        return events * self.errors

    def shared(self) -> Any:
        """What all bad arms counted by the order have together."""
        loads = [(j, min(self.held[j], self.N - 1)) for j in self.bad]
        costs = [self.cost(j, b, b) for j, b in loads if b > 0]
        if not costs:
            return self.numbers.of(0)
        largest = costs[int(np.argmax([float(cost) for cost in costs]))]
        return largest * (self.erring() / 2 + self.played.sum())

    def worse_loads(self) -> Any:
        """Of all bad arms."""
        zero = self.numbers.of(0)
        direct = [self.direct(j) for j in self.bad]
        ordered = [self.by_order(j, np.array([self.between(j, "v")]))[0] for j in self.bad]
        each = [x if float(x) < float(y) else y for x, y in zip(direct, ordered, strict=True)]
        other = self.shared() + sum(each, zero)
        every = sum(direct, zero)
        return other if float(other) < float(every) else every
