"""`law-free` from its pseudo-code: every observation kept, everything computed anew every slot."""

from __future__ import annotations

import math

from simulation.rewards.laws import Gaussian
from twins.arena import Arena, filled

NONE = -math.inf


def bernoulli_kl(p: float, q: float) -> float:
    terms = ((p, q), (1 - p, 1 - q))
    if any(u > 0 and v == 0 for u, v in terms):
        return math.inf
    return math.fsum(u * math.log(u / v) for u, v in terms if u > 0)


class LawFree:
    def __init__(self, arena: Arena) -> None:
        self.arena, self.K, self.N = arena, arena.K, arena.N
        self.scale = arena.sigma if isinstance(arena.instance.reward, Gaussian) else None
        self.rank = arena.source.permutation(self.K).index
        self.seen: list[list[tuple[int, float]]] = [[] for _ in range(self.K)]
        self.kept: dict[tuple[str, int, int], float] = {}
        self.learned = [0] * self.K

    def run(self) -> None:
        for t in range(1, self.arena.horizon + 1):
            self.slot(t)

    def level(self, t: int) -> float:
        return math.log(1 + t / 4)

    def kl(self, p: float, q: float) -> float:
        if self.scale is None:
            return bernoulli_kl(p, q)
        return ((p - q) / self.scale) ** 2 / 2

    def r(self, n: float) -> float:
        return math.log(math.pi * (n + 0.5) if self.scale is None else 1 + n / 4) / 2

    def glr(self, A: float, n: int, B: float, n_: int) -> float:
        x = (n * A + n_ * B) / (n + n_)
        return n * self.kl(A, x) + n_ * self.kl(B, x)

    def differ(self, A: float, n: int, B: float, n_: int) -> float:
        prices = self.r(n) + self.r(n_) if self.scale is None else self.r(n * n_ / (n + n_))
        return self.glr(A, n, B, n_) - prices

    def groups(self, k: int, b: int) -> tuple[list[float], list[float]]:
        """y/a at the loads up to b, y at the others."""
        low = [y / a for a, y in self.seen[k] if a <= b]
        return low, [y for a, y in self.seen[k] if a > b]

    def more(self, k: int, b: int) -> float:
        low, high = self.groups(k, b)
        if self.scale is None and any(y > b for _, y in self.seen[k]):
            return math.inf
        if not low or not high:
            return NONE
        A, B = sum(low) / len(low), sum(high) / (len(high) * b)
        return self.differ(A, len(low), B, len(high)) if B > A else NONE

    def fewer(self, k: int, b: int) -> float:
        low, high = self.groups(k, b)
        if not low or not high:
            return NONE
        A, B = sum(low) / len(low), sum(high) / (len(high) * (b + 1))
        found = self.differ(A, len(low), B, len(high)) if B < A else NONE
        e = sum(y * (b + 1) > b * a for a, y in self.seen[k] if a <= b)
        if self.scale is None and e > 0:
            silence = self.glr(e / len(low), len(low), 0.0, len(high)) - self.r(len(low))
            found = max(found, silence)
        return found

    def proved(self, kind: str, k: int, b: int, level: float) -> bool:
        """Evidence above the level is kept as it was, else taken anew."""
        if self.kept.get((kind, k, b), NONE) <= level:
            self.kept[kind, k, b] = self.more(k, b) if kind == "more" else self.fewer(k, b)
        return self.kept[kind, k, b] > level

    def capacity(self, k: int, level: float) -> tuple[int, bool]:
        b = 1
        while b < self.N and self.proved("more", k, b, level):
            b += 1
        return b, b == self.N or self.proved("fewer", k, b, level)

    def estimate(self, k: int, b: int, closed: bool) -> tuple[int, float]:
        low, high = self.groups(k, b)
        n, total = len(low), sum(low)
        if closed:
            n, total = n + len(high), total + sum(high) / b
        return n, total / n if n else math.inf

    def slot(self, t: int) -> None:
        level = self.level(t)
        found = [self.capacity(k, level) for k in range(self.K)]
        for k in range(self.K):
            if found[k][1] and not self.learned[k]:
                self.learned[k] = t
        estimates = [self.estimate(k, *found[k]) for k in range(self.K)]
        n, muhat = ([e[i] for e in estimates] for i in (0, 1))
        order = sorted(range(self.K), key=lambda k: (-muhat[k], self.rank(k)))
        loads = filled(order, [b for b, _ in found], self.N)
        L, before = list(loads)[-1], list(loads)[:-1]
        tests = []
        for k in order[len(loads) :]:
            if n[k] == 0 or (
                n[L] > 0
                and (
                    muhat[k] >= muhat[L]
                    or n[k] * self.kl(muhat[k], muhat[L]) <= level + self.r(n[k])
                )
            ):
                tests.append((n[k], "means", self.rank(k), k, 1))
        for k in before:
            b, closed = found[k]
            low, high = self.groups(k, b)
            if not closed and len(high) <= len(low):
                larger = not high or sum(high) * len(low) > (b + 0.5) * sum(low) * len(high)
                count, plays = (len(high) // 4, b) if larger else (len(high), 1)
                tests.append((count, "capacities", self.rank(k), k, plays))
        phase = "exploitation"
        if tests and self.arena.gen.random() < 0.5:
            _, phase, _, k, plays = min(tests, key=lambda test: (test[0], test[1] != "means", test))
            for giver in reversed(list(loads)):
                if giver == k or (phase == "means" and giver != L):
                    break
                given = min(plays, loads[giver])
                loads[giver] -= given
                loads[k] = loads.get(k, 0) + given
                plays -= given
        placed = {k: loads[k] for k in order if loads.get(k, 0) > 0}

        def see(k: int, y: float) -> None:
            self.seen[k].append((placed[k], y))

        self.arena.play(phase, placed, witness=see)
