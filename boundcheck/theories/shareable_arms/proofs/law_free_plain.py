"""The numbers of `sharp-law-free` by their definitions, arm by arm, for the steps of its proof.

The letters are those of docs/theorems/law-free.md; the constants are those that the steps print,
so that a step can be given others. Numbers are balls. Nothing but the instance and its levels is
taken from the calculator's own code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from flint import arb

from boundcheck.theories.shareable_arms.exact.first_count import first_whole

Tail = Callable[[int], arb]


@dataclass(frozen=True)
class Plain:
    """One instance, arms by their means from 0, at the horizon T."""

    means: Sequence[arb]
    held: Sequence[int]
    N: int
    T: int
    bernoulli: bool
    shares: Mapping[str, Sequence[arb]]
    coin: int = 2  # slots for one in which the test is tried
    haste: int = 4  # plays of a promising test that count as one
    width: int = 1  # averages are off by a share of mu/(2b + 1)
    prices: int = 1  # of averages of the high group, beside that of the low one
    groups: int = 1  # of all plays, beside those of each b
    own: int = 1  # tests of arms outside for each arm, while a good one is outside
    half: int = 1  # trials in two slots

    @cached_property
    def last(self) -> int:
        return next(k for k in range(len(self.held)) if sum(self.held[: k + 1]) >= self.N)

    @cached_property
    def good(self) -> range:
        return range(self.last + 1)

    @cached_property
    def bad(self) -> range:
        return range(self.last + 1, len(self.held))

    @cached_property
    def level(self) -> arb:
        return (1 + arb(self.T) / 4).log()

    def gap(self, k: int) -> arb:
        nu = self.means[self.last]
        return self.means[k] - nu if k < self.last else nu - self.means[k]

    def kl(self, p: arb, q: arb) -> arb:
        won = (x * (x / y).log() for x, y in ((p, q), (1 - p, 1 - q)) if x != 0)
        return sum(won, arb(0))

    def rate(self, k: int, x: arb) -> arb:
        return self.kl(x, self.means[k])

    def G(self, k: int) -> int:
        return self.held[k] + self.groups * (self.held[k] < self.N)

    def tail(self, d: arb, start: int = 1) -> arb:
        return (-start * d).exp() / (1 - (-d).exp())

    def S(self, pairs: Iterable[tuple[int, arb]], after: int = 0) -> arb:
        """The sum over n > after of min(1, sum M e^(-n d))."""
        each, n = list(pairs), after
        while sum((M * (-(n + 1) * d).exp() for M, d in each), arb(0)) > 1:
            n += 1
        return n - after + sum((M * self.tail(d, n + 1) for M, d in each), arb(0))

    def r(self, n: arb) -> arb:
        return (arb.pi() * (n + arb(1) / 2)).log() / 2

    # -- the end of a test

    def end(self, ratio: Callable[[arb], arb], prices: int) -> int:
        """The first h from which on h GLR_i > l + r(h_i) + prices r(h) at each multiple."""
        times = [1 + arb(2**i - 1) / 64 for i in range(14)]
        ratios = [ratio(x) for x in times]

        def over(h: int) -> bool:
            ends = [(h * x).min(arb(self.T)) for x in times[1:]] + [arb(self.T)]
            needed = [self.level + self.r(x) + prices * self.r(arb(h)) for x in ends]
            beyond = [bool(h * x > self.T) for x in times]
            rows = zip(ratios, needed, beyond, strict=True)
            return all(out or h * x > y for x, y, out in rows)

        return first_whole(over, self.T + 1)

    @cached_property
    def counts(self) -> dict[tuple[int, int], tuple[arb, arb, Tail]]:
        """h, c and the tail of h for each arm and b."""
        return {
            (j, b): min(self.ways(j, b), key=lambda way: float(way[0]))
            for j, m in enumerate(self.held)
            for b in range(1, min(m, self.N - 1) + 1)
        }

    def ways(self, j: int, b: int) -> Iterable[tuple[arb, arb, Tail]]:
        mean, at = self.means[j], b == self.held[j]
        off = self.shares["at" if at else "below"][j]
        off *= (mean / (2 * b + self.width)).min(1 - mean)
        low, high = mean - off, mean + off
        seen = low if at else high
        other = b * high / (b + 1) if at else ((b + 1) * low / b).min((seen + 1023) / 1024)

        def ratio(x: arb) -> arb:
            few = self._glr(seen, arb(1), other, x)
            many = self._glr(seen, x, other, arb(1))
            return many if at else many.min(few)

        rates = self.rate(j, low), self.rate(j, high)
        yield self.until(self.end(ratio, self.prices), *((1, d) for d in rates))
        p = mean if self.bernoulli else ((b + 1) * mean - b).max(arb(0))
        if p > 0 and at:
            z = self.shares["heard"][j] * p
            silent = self.end(lambda x: self._glr(z, x, arb(0), arb(1)), 0)
            yield self.until(silent, (1, self.kl(z, p)))
        elif p > 0:
            yield 1 / p, (1 - p) / p, lambda q: (1 - p) ** (q + 1) / p

    def _glr(self, A: arb, n: arb, B: arb, other: arb) -> arb:
        x = (n * A + other * B) / (n + other)
        return n * self.kl(A, x) + other * self.kl(B, x)

    def until(self, h: int, *rates: tuple[int, arb]) -> tuple[arb, arb, Tail]:
        """h and c of a test that ends after h plays but with the chances M e^(-n d)."""

        def after(q: int) -> arb:
            start = max(h, q + 1)
            return start - q - 1 + sum((M * self.tail(d, start) for M, d in rates), arb(0))

        return after(-1), after(-1), after

    def tests(self, j: int) -> list[arb]:
        return [found[0] for (k, _), found in self.counts.items() if k == j]

    def climbs(self) -> list[tuple[int, int]]:
        return [(i, b) for i, b in self.counts if i <= self.last and b < self.held[i]]

    # -- slots

    def low(self, i: int, x: arb) -> arb:
        return 1 + self.S([(self.G(i), self.rate(i, x))])

    def outside(self, i: int, x: arb) -> arb:
        count = self.low(i, x)
        total = self.own * len(self.held) * count
        for j in range(len(self.held)):
            tried = sum((h.min(self.haste * count) for h in self.tests(j)), arb(0))
            if j > self.last and self.tests(j):
                v = self.means[j] + self.shares["passed"][j] * (self.means[i] - self.means[j])
                seen = 1 + self.held[j] * self.tail(self.rate(j, v))
                most = self.haste * min(self.held[j], self.N - 1)
                tried = tried.min(seen + most * self.low(i, v))
            total += tried if j != i else 0
        return self.coin * total

    def climbing(self, i: int, b: int) -> arb:
        h, c, _ = self.counts[i, b]
        others = [j for j in range(len(self.held)) if j != i]
        tried = (x.min(self.haste * h) for j in others for x in self.tests(j))
        return self.coin * (self.own * len(self.held) * h + sum(tried, arb(0)) + c)

    def lost(self, plays: int, arms: Iterable[int] | None = None) -> arb:
        """W, over all ways to place so many plays."""
        chosen = list(self.bad if arms is None else arms)
        ways = product(*(range(self.held[k] + 1) for k in chosen))
        placed = (way for way in ways if sum(way) <= plays)
        found = (
            sum((x * self.gap(k) for x, k in zip(way, chosen, strict=True)), arb(0))
            for way in placed
        )
        return max(found, key=float)

    def missing(self, i: int, plays: int) -> int:
        spare = sum(self.held[k] for k in self.good) - self.N
        return max(plays - spare, 0) if i == self.relieved else plays

    @property
    def relieved(self) -> int:
        return self.last

    def x(self, k: int, name: str = "x") -> arb:
        return self.means[k] + self.shares[name][k] * self.gap(k)

    def displaced(self, i: int) -> arb:
        return self.lost(self.missing(i, self.held[i]))

    def displaced_below(self, i: int) -> arb:
        short = (self.missing(i, self.held[i] - b) for b in range(1, self.held[i]))
        return sum(map(self.lost, short), arb(0))

    def climbing_lost(self, i: int) -> arb:
        total, worst = arb(0), self.gap(self.bad[-1])
        for b in (b for j, b in self.climbs() if j == i):
            short = self.held[i] - b
            each = self.lost(self.missing(i, short)) + short * self.gap(i)
            total += self.climbing(i, b) * each + self.counts[i, b][1] * worst
        return total

    def own_lost(self, k: int) -> arb:
        """One for the first play, and b lost plays where the bound is b, or m where it is shut."""
        seen = self.tail(self.rate(k, self.x(k)))
        times = sum(range(1, self.held[k] + 1))
        times += self.groups * self.held[k] * (self.held[k] < self.N)
        return self.coin * self.gap(k) * (1 + times * seen)

    def as_last(self, i: int, x: arb) -> arb:
        return self.coin * self.G(i) * self.tail(self.rate(i, x))

    def late(self, i: int) -> arb:
        ranked, total = sorted(self.bad, key=lambda k: -float(self.x(k))), arb(0)
        for q, k in enumerate(ranked):
            slots = self.outside(i, self.x(k)), self.as_last(i, self.x(k))
            for each, room in zip(slots, (self.held[i], self.held[i] - 1), strict=True):
                plays = self.missing(i, room)
                total += each * (self.lost(plays, ranked[: q + 1]) - self.lost(plays, ranked[:q]))
        return total

    def above(self, arms: Iterable[int], y: arb) -> arb:
        each = (1 + self.G(k) * self.tail(self.rate(k, y)) for k in arms)
        return self.coin * sum(each, arb(0))

    def short_of(self, i: int) -> arb:
        after = self.means[self.last + 1]
        y = self.means[self.last] + self.shares["y"][i] * self.gap(i)
        z = after + self.shares["z"][i] * (y - after)
        outside = self.outside(i, y)
        if sum(self.held[j] for j in self.good if j != i) < self.N:
            outside = outside.min(self.above(self.bad, z) + self.outside(i, z))
        return self.above([self.last, *self.bad], y) + self.as_last(i, y) + outside

    def worth_a_play(self, n: int, w: arb, x: arb) -> bool:
        """Whether an arm with so many plays that looks like w may be tried beside one at x."""
        return bool(n * self.kl(w, x) <= self.level + self.r(arb(n)))

    def tried_alone(self, k: int) -> arb:
        x = self.x(k, "x'")
        w = self.means[k] + self.shares["w"][k] * (x - self.means[k])
        q = 0
        while self.worth_a_play(q + 1, w, x):
            q += 1
        good = [(self.G(i), self.rate(i, x)) for i in self.good]
        total = q + 1 + self.S([(self.G(k), self.rate(k, w))], q) + self.S(good, q)
        total += self.coin * sum((M * self.tail(d) for M, d in good), arb(0)) / 2
        return total + sum((self.counts[pair][2](q) for pair in self.climbs()), arb(0))

    # -- larger loads tried

    def cost(self, j: int, b: int, plays: int) -> arb:
        lost = plays if j > self.last else max(b + plays - self.held[j], 0)
        better = [self.gap(i) for i in range(self.last) for _ in range(self.held[i])]
        return lost * self.loss_of(j) + sum(better[:plays], arb(0))

    def loss_of(self, j: int) -> arb:
        return self.means[self.last]

    def looks(self, j: int, b: int) -> arb:
        return (self.means[j] * (1 + arb(1) / (4 * b))).min((1 + self.means[j]) / 2)

    def direct(self, j: int) -> arb:
        total = arb(0)
        for b, h in enumerate(self.tests(j), start=1):
            one, every, seen = self.cost(j, b, 1), self.cost(j, b, b), h
            if b == self.held[j]:
                z = self.looks(j, b)
                low = z * b / (b + arb(1) / 2)
                seen = h.min(1 + self.tail(self.rate(j, z)) + self.tail(self.rate(j, low)))
            total += h * one + (seen * (every - one) if b > 1 else 0)
        return total

    def by_order(self, j: int) -> arb:
        v, tests = self.x(j, "v"), self.tests(j)
        costs = [self.cost(j, b, b) for b in range(1, len(tests) + 1)]
        good = [(self.G(i), self.rate(i, v)) for i in self.good]
        whole = sum(costs, arb(0))
        total = costs[0] + whole * self.tail(self.rate(j, v))
        total += self.haste * (1 + self.S(good)) * whole
        total += self.coin * costs[-1] * sum((M * self.tail(d) for M, d in good), arb(0)) / 2
        for pair in self.climbs():
            h = self.haste * self.counts[pair][0]
            total += sum((x.min(h) * c for x, c in zip(tests, costs, strict=True)), arb(0))
        return total

    def errors(self) -> arb:
        return 4 * (1 + arb(2 * self.T) / 9).log()

    def erring(self) -> arb:
        ways = 1 if self.bernoulli else 2
        events = sum(ways * (self.held[i] - 1) + self.G(i) for i in self.good)
        return events * self.errors()

    def worse_loads(self) -> arb:
        tested = [j for j in self.bad if self.tests(j)]
        if not tested:
            return arb(0)
        direct = {j: self.direct(j) for j in tested}
        largest = max((self.cost(j, b, b) for j in tested for b in self._loads(j)), key=float)
        played = sum((self.counts[pair][1] for pair in self.climbs()), arb(0))
        ordered = sum((direct[j].min(self.by_order(j)) for j in tested), arb(0))
        shared = largest * (self.half * self.erring() / 2 + played)
        return sum(direct.values(), arb(0)).min(shared + ordered)

    def _loads(self, j: int) -> range:
        return range(1, len(self.tests(j)) + 1)
