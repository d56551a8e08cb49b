"""Algorithms 2, 4 and 5, each as printed: MP-SE-SA, MP-SE, MP-SE-SA-KC."""

from __future__ import annotations

import math

from twins.arena import Arena, TimeIsUp, filled
from twins.procedures import Options, Procedures


class Elimination(Procedures):
    """What the three have in common: candidates and how they are eliminated."""

    def __init__(self, arena: Arena, options: Options, bounds: list[int] | None = None) -> None:
        super().__init__(arena, options, bounds)
        self.J = set(range(self.K))
        self.eliminated: dict[int, int] = {}  # the last slot before each arm was

    def eliminate(self, sigma: list[int], L: int) -> None:
        tau = {self.individual[k] for k in self.J}
        assert len(tau) == 1
        n = tau.pop()
        U = 2 * math.sqrt(2 / n * max(math.log(self.T / n), 1)) if n else math.inf
        threshold = self.muhat(sigma[L - 1]) - self.options.gamma * U
        for k in sigma:
            if self.muhat(k) <= threshold:
                self.J.remove(k)
                self.eliminated[k] = self.arena.t

    def turn(self) -> None:
        raise NotImplementedError

    def run(self) -> None:
        try:
            while True:
                self.turn()
        except TimeIsUp:
            pass
        for k, last in self.eliminated.items():
            assert all(slot.action[k] == 0 for slot in self.arena.slots[last:])


class MPSESA(Elimination):
    """Algorithm 2."""

    def turn(self) -> None:
        sigma = self.ranked(self.J)
        L = next(n for n in range(1, self.K) if sum(self.lower[k] for k in sigma[:n]) >= self.N)
        if len(sigma) > L:
            self.eliminate(sigma, L)
            explored = self.ranked(self.J)
            self.individual_exploration(explored, explored)
        else:
            self.exploitation(sigma, self.lower)
            unknown = [k for k in sigma if self.lower[k] != self.upper[k]]
            if unknown:
                self.united_exploration(unknown)


class MPSE(Elimination):
    """Algorithm 4: N in place of L~, one play per arm."""

    def __init__(self, arena: Arena, options: Options) -> None:
        super().__init__(arena, options, [1] * arena.K)

    def turn(self) -> None:
        sigma = self.ranked(self.J)
        if len(sigma) > self.N:
            self.eliminate(sigma, self.N)
            self.individual_exploration(self.ranked(self.J), self.ranked(self.J))
        else:
            self.exploitation(sigma, [1] * self.K)


class MPSESAKC(Elimination):
    """Algorithm 5: the capacities are known."""

    def __init__(self, arena: Arena, options: Options) -> None:
        super().__init__(arena, options, [min(m, arena.N) for m in arena.instance.capacities])

    def turn(self) -> None:
        sigma = self.ranked(self.J)
        L = len(filled(sigma, self.lower, self.N))
        if len(sigma) > L:
            self.eliminate(sigma, L)
            self.individual_exploration(self.ranked(self.J), self.ranked(self.J))
        else:
            for _ in range(self.repeats(sigma)):
                self.exploitation(sigma, self.lower)

    def repeats(self, order: list[int]) -> int:
        """For how many slots the candidates are exploited in this order."""
        return 1
