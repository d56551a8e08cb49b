"""KL-UCB and Thompson sampling with known capacities, every index anew in every slot."""

from __future__ import annotations

import math

from simulation.world.draws import beta
from twins.arena import Arena, filled

NEARLY_ONE = 1 - 1e-15


class KnownCapacity:
    def __init__(self, arena: Arena) -> None:
        self.arena, self.K = arena, arena.K
        self.law, self.parameter = arena.source.law, arena.source.parameter
        self.earlier = {k: i for i, k in enumerate(arena.source.permutation(self.K))}
        self.count, self.total = [0] * self.K, [0.0] * self.K

    def score(self, k: int, t: int) -> float:
        raise NotImplementedError

    def see(self, k: int, x: float) -> None:
        self.count[k] += 1
        self.total[k] += x

    def run(self) -> None:
        while self.arena.t < self.arena.horizon:
            t = self.arena.t + 1
            score = [self.score(k, t) for k in range(self.K)]
            order = sorted(range(self.K), key=lambda k: (-score[k], self.earlier[k]))
            loads = filled(order, self.arena.instance.capacities, self.arena.N)
            for _ in range(self.repeats(t, order, loads)):
                self.play(loads)

    def play(self, loads: dict[int, int]) -> None:
        self.arena.play("play", loads, witness=lambda k, y: self.see(k, y / loads[k]))

    def repeats(self, t: int, order: list[int], loads: dict[int, int]) -> int:
        """For how many slots from t on the action is played."""
        return 1


class KLUCB(KnownCapacity):
    def kl(self, p: float, q: float) -> float:
        terms = 0.0
        for a, b in ((p, q), (1 - p, 1 - q)):
            if a > 0:
                terms += a * math.log(a / b)
        return terms

    def score(self, k: int, t: int) -> float:
        if self.count[k] == 0:
            return math.inf
        p = self.total[k] / self.count[k]
        level = math.log(t) + 4 * math.log(math.log(t)) if t > 2 else 0.0
        if self.law == "gaussian":
            return p + math.sqrt(2 * self.parameter * level / self.count[k])
        if p >= 1 or level == 0:
            return p
        if self.count[k] * self.kl(p, NEARLY_ONE) <= level:
            return 1.0
        low, high = p, NEARLY_ONE
        while low < (middle := (low + high) / 2) < high:
            if self.count[k] * self.kl(p, middle) <= level:
                low = middle
            else:
                high = middle
        return low


class Thompson(KnownCapacity):
    def score(self, k: int, t: int) -> float:
        n, s = self.count[k], self.total[k]
        if self.law != "gaussian":
            return float(beta(self.arena.gen, 1.0 + s, 1.0 + n - s))
        if n == 0:
            return math.inf
        return s / n + math.sqrt(self.parameter / n) * float(self.arena.gen.standard_normal())

    def see(self, k: int, x: float) -> None:
        if self.law == "beta":
            x = float(self.arena.gen.random() < x)
        super().see(k, x)
