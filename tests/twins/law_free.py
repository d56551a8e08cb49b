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


def u(n: int, rho: float) -> float:
    return rho * n**2 / (1 + rho * n)


def pi(n: int, rho: float) -> float:
    return math.log(1 + rho * n) / 2


class LawFree:
    def __init__(self, arena: Arena) -> None:
        self.arena, self.K, self.N = arena, arena.K, arena.N
        self.scale = arena.sigma if isinstance(arena.instance.reward, Gaussian) else None
        self.rank = arena.source.permutation(self.K).index
        self.seen: list[list[tuple[int, float]]] = [[] for _ in range(self.K)]
        self.kept: dict[tuple[str, int, int], float] = {}
        self.learned = [0] * self.K

    def run(self) -> None:
        while self.arena.t < self.arena.horizon:
            self.slot(self.arena.t + 1)

    def repeats(self, t: int, order: list[int], loads: dict[int, int]) -> int:
        """For how many slots from t on the action is played when no test is open."""
        return 1

    def level(self, t: int) -> float:
        return math.log(1 + t / 4)

    def kl(self, p: float, q: float) -> float:
        if self.scale is None:
            return bernoulli_kl(p, q)
        return ((p - q) / self.scale) ** 2 / 2

    def r(self, n: float) -> float:
        return math.log(math.pi * (n + 0.5)) / 2 if self.scale is None else pi(n, 1 / 4)

    def against(self, n: int, muhat: float, x: float) -> float:
        """What n plays say against a mean of x."""
        return (n if self.scale is None else u(n, 1 / 4)) * self.kl(muhat, x)

    def glr(self, A: float, n: int, B: float, n_: int) -> float:
        x = (n * A + n_ * B) / (n + n_)
        return n * self.kl(A, x) + n_ * self.kl(B, x)

    def differ(self, A: float, n: int, B: float, n_: int, b: int) -> float:
        if self.scale is None:
            return self.glr(A, n, B, n_) - self.r(n) - self.r(n_)
        rho, rho_ = 1 / (8 * (b + 1) ** 2), 2 / (b + 1) ** 2
        one, other = u(n, rho), u(n_, rho_)
        weight = one * other / (one + other)
        return (A - B) ** 2 / (2 * self.scale**2) * weight - pi(n, rho) - pi(n_, rho_)

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
        gift = 0 if self.scale is None else 2
        return self.differ(A, len(low), B, len(high), b) + gift if B > A else NONE

    def fewer(self, k: int, b: int) -> float:
        low, high = self.groups(k, b)
        if not low or not high:
            return NONE
        A = sum(low) / len(low)
        if self.scale is not None:
            loads = [a for a, _ in self.seen[k] if a > b]
            averages = [
                sum(y / min(a, c) for a, y in zip(loads, high, strict=True)) / len(high)
                for c in range(b + 1, max(loads) + 1)
            ]
            return 3 + min(
                self.differ(A, len(low), B, len(high), b) if B < A else NONE for B in averages
            )
        B = sum(high) / (len(high) * (b + 1))
        found = self.differ(A, len(low), B, len(high), b) if B < A else NONE
        e = sum(y * (b + 1) > b * a for a, y in self.seen[k] if a <= b)
        if e > 0:
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
                    or self.against(n[k], muhat[k], muhat[L]) <= level + self.r(n[k])
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
        if tests and self.arena.source.coin():
            _, phase, _, k, plays = min(tests, key=lambda test: (test[0], test[1] != "means", test))
            for giver in reversed(list(loads)):
                if giver == k or (phase == "means" and giver != L):
                    break
                given = min(plays, loads[giver])
                loads[giver] -= given
                loads[k] = loads.get(k, 0) + given
                plays -= given
        placed = {k: loads[k] for k in order if loads.get(k, 0) > 0}

        for _ in range(1 if tests else self.repeats(t, order, loads)):
            self.observe(phase, placed)

    def observe(self, phase: str, loads: dict[int, int]) -> None:
        self.arena.play(phase, loads, witness=lambda k, y: self.seen[k].append((loads[k], y)))
