"""Plain bandit policies whose arms are all vectors of loads that add up to N."""

from __future__ import annotations

import math
from itertools import product

from twins.arena import Arena, TimeIsUp


class Implicit:
    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        every = product(range(arena.N + 1), repeat=arena.K)
        actions = sorted((a for a in every if sum(a) == arena.N), reverse=True)
        self.actions = [actions[i] for i in arena.source.permutation(len(actions))]
        self.count, self.total = [0] * len(actions), [0.0] * len(actions)
        self.factor = 2 * arena.sigma * arena.N  # for rules made for rewards in [0, 1]

    def mean(self, i: int) -> float:
        return self.total[i] / self.count[i]

    def play(self, i: int) -> None:
        loads = {k: load for k, load in enumerate(self.actions[i]) if load > 0}
        self.arena.play("play", loads)
        self.count[i] += 1
        self.total[i] += self.arena.slots[-1].reward

    def score(self, i: int) -> float:
        raise NotImplementedError

    def run(self) -> None:
        try:
            for i in range(len(self.actions)):
                self.play(i)
            while True:
                score = [self.score(i) for i in range(len(self.actions))]
                self.play(score.index(max(score)))
        except TimeIsUp:
            pass


class UCB1(Implicit):
    def score(self, i: int) -> float:
        t = self.arena.t + 1
        return self.mean(i) + self.factor * math.sqrt(2 * math.log(t) / self.count[i])


class Thompson(Implicit):
    def score(self, i: int) -> float:
        deviation = self.arena.sigma * self.arena.N / math.sqrt(self.count[i])
        return self.mean(i) + deviation * float(self.arena.gen.standard_normal())


class SuccessiveElimination(Implicit):
    gamma = 1.0

    def run(self) -> None:
        left = list(range(len(self.actions)))
        try:
            while True:
                for i in left:
                    self.play(i)
                left = self.survivors(left)
        except TimeIsUp:
            pass

    def survivors(self, left: list[int]) -> list[int]:
        n, T = self.count[left[0]], self.arena.horizon
        U = 2 * math.sqrt(2 / n * max(math.log(T / n), 1))
        best = max(self.mean(i) for i in left)
        return [i for i in left if self.mean(i) > best - self.gamma * self.factor * U]
