"""Algorithm 3 as printed, with the project's resolutions: what MP-SE-SA and ETC-UCB both do."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

from twins.arena import Arena, filled


@dataclass
class Options:
    """Options of a policy, as given on the command line."""

    gamma: float = 1.0
    xi: float = 1.0
    interval: str = "uniform"
    width: str = "paper"
    reading: str = "resolved"


class Procedures:
    """Arms are numbered from 0; `bounds` are the capacities if they are known."""

    names = ("individual", "united", "exploitation")

    def __init__(self, arena: Arena, options: Options, bounds: list[int] | None = None) -> None:
        self.arena, self.options = arena, options
        self.K, self.N, self.T = arena.K, arena.N, arena.horizon
        self.earlier = {k: i for i, k in enumerate(arena.source.permutation(self.K))}
        self.lower = list(bounds) if bounds else [1] * self.K
        self.upper = list(bounds) if bounds else [self.N] * self.K
        self.learned = [0] * self.K
        self.individual, self.united = [0] * self.K, [0] * self.K
        self.individual_sum, self.united_sum = [0.0] * self.K, [0.0] * self.K
        self.delta = min(2 * options.xi / self.T, 1.0)
        if options.interval == "hoeffding":
            self.delta = min(2 * options.xi / self.T / self.T, 1.0)

    def muhat(self, k: int) -> float:
        return self.individual_sum[k] / self.individual[k] if self.individual[k] else 0.0

    def ranked(self, arms: Collection[int]) -> list[int]:
        return sorted(arms, key=lambda k: (-self.muhat(k), self.earlier[k]))

    def see(self, k: int, load: int, shown: float) -> None:
        """Count an observation per load."""
        self.individual[k] += 1
        self.individual_sum[k] += shown / load

    def individual_exploration(self, J: list[int], helpers: list[int]) -> None:
        """J is ranked, and so are the arms that may take left-over plays."""
        parts = math.ceil(len(J) / self.N)
        for i in range(parts):
            S = J[i * len(J) // parts : (i + 1) * len(J) // parts]
            assert len(S) <= self.N
            loads = dict.fromkeys(S, 1)
            left = self.N - len(S)
            if self.options.reading == "resolved":
                for k in S:
                    while left > 0 and loads[k] < self.lower[k]:
                        loads[k] += 1
                        left -= 1
                for k in helpers:
                    if k not in S:
                        while left > 0 and loads.get(k, 0) < self.lower[k]:
                            loads[k] = loads.get(k, 0) + 1
                            left -= 1
                assert left == 0
            shown = self.arena.play(self.names[0], loads, left)
            for k in S:
                self.see(k, loads[k], shown[k])

    def united_exploration(self, J: list[int]) -> None:
        for k in J:
            self.united_sum[k] += self.arena.play(self.names[1], {k: self.N})[k]
            self.united[k] += 1
        for k in J:
            self.update_bounds(k)

    def exploitation(self, order: list[int], capacities: list[int]) -> None:
        loads = filled(order, capacities, self.N)
        shown = self.arena.play(self.names[2], loads)
        for k in loads:
            self.see(k, loads[k], shown[k])

    def half_width(self, k: int) -> float:
        def phi(x: int) -> float:
            return math.sqrt((1 + 1 / x) * math.log(2 * math.sqrt(x + 1) / self.delta) / (2 * x))

        def rho(x: int) -> float:
            return math.sqrt(math.log(2 / self.delta) / (2 * x))

        tau, iota = self.individual[k], self.united[k]
        sigma = self.arena.sigma if self.options.width == "scaled" else 0.5
        if self.options.interval == "joint":
            spread = (tau + 1) / tau**2 + (iota + 1) / iota**2
            level = math.log(math.sqrt((tau + 1) * (iota + 1)) / self.delta)
            return sigma * math.sqrt(2 * spread * level)
        one = phi if self.options.interval == "uniform" else rho
        return 2 * sigma * (one(tau) + one(iota))

    def update_bounds(self, k: int) -> None:
        mu, nu, s = self.muhat(k), self.united_sum[k] / self.united[k], self.half_width(k)
        candidates = range(self.lower[k], self.upper[k] + 1)
        # m is excluded by nu / (mu + s) > m or nu / (mu - s) < m, clipped to 1, ..., N
        low = min(max(nu / (mu + s), 1), self.N) if mu + s > 0 else 1
        high = min(max(nu / (mu - s), 1), self.N) if mu - s > 0 else self.N
        kept = [m for m in candidates if low <= m <= high]
        if kept:
            self.lower[k], self.upper[k] = kept[0], kept[-1]
        if self.lower[k] == self.upper[k]:
            self.learned[k] = self.arena.t
