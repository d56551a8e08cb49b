"""Algorithm 6 as printed, with the project's resolutions: ETC-UCB."""

from __future__ import annotations

import math

from twins.arena import TimeIsUp
from twins.procedures import Procedures


class ETCUCB(Procedures):
    names = ("etc-individual", "etc-united", "ucb")

    def run(self) -> None:
        try:
            self.explore()
            self.ucb([self.committed(k) for k in range(self.K)])
        except TimeIsUp:
            pass

    def explore(self) -> None:
        S = set(range(self.K))
        while S:
            S = {k for k in range(self.K) if self.lower[k] != self.upper[k]}
            members, everyone = self.ranked(S), self.ranked(range(self.K))
            self.individual_exploration(members, everyone)
            self.united_exploration(members)

    def committed(self, k: int) -> int:
        if self.united[k] == 0 or self.muhat(k) <= 0:
            return self.lower[k]
        quotient = self.united_sum[k] / self.united[k] / self.muhat(k)
        return next((m for m in range(1, self.N) if quotient < m + 0.5), self.N)

    def ucb(self, capacities: list[int]) -> None:
        while True:
            t = self.arena.t + 1
            index = [
                self.muhat(k) + math.sqrt(2 * math.log(t) / self.individual[k])
                if self.individual[k]
                else math.inf
                for k in range(self.K)
            ]
            order = sorted(range(self.K), key=lambda k: (-index[k], self.earlier[k]))
            self.exploitation(order, capacities)
