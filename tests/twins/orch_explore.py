"""OrchExplore as algorithm 1 prints it, line by line, with the project's resolutions.

Nothing is shared with the kernel and nothing is remembered between slots but what the algorithm
itself keeps. Regret is exact: f(a*) - f(a) in rational numbers.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field
from fractions import Fraction

from simulation.world.instance import Instance
from twins.sources import Source


@dataclass
class Slot:
    """What happened in one slot."""

    phase: str
    action: tuple[int, ...]
    regret: Fraction
    reward: float
    lower: tuple[int, ...]
    upper: tuple[int, ...]


@dataclass
class Settings:
    """The options of a run, with delta worked out."""

    delta: float
    interval: str = "uniform"
    scale: float = 1.0
    strict: bool = False
    told: tuple[int, ...] | None = None  # the capacities, if the policy is told them


@dataclass
class Learner:
    """Algorithm 1. Arms are numbered from 0."""

    instance: Instance
    source: Source
    settings: Settings
    slots: list[Slot] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.K, self.N = self.instance.arms, self.instance.plays
        self.earlier = {k: i for i, k in enumerate(self.source.permutation(self.K))}
        self.individual: list[list[float]] = [[] for _ in range(self.K)]  # running sum at each IE
        self.united: list[list[float]] = [[] for _ in range(self.K)]
        told = self.settings.told
        self.lower = [1] * self.K if told is None else [min(m, self.N) for m in told]
        self.upper = [self.N] * self.K if told is None else [min(m, self.N) for m in told]
        self.S: list[int] = []
        self.Y: list[int] = []

    # -- estimates

    def muhat(self, k: int) -> float:
        return self.individual[k][-1] / len(self.individual[k]) if self.individual[k] else 0.0

    def nuhat(self, k: int) -> float:
        return self.united[k][-1] / len(self.united[k]) if self.united[k] else 0.0

    def kl(self, p: float, q: float) -> float:
        if self.instance.reward.name == "gaussian":
            return (p - q) * (p - q) / (2 * float(self.instance.reward.parameter))
        terms = 0.0
        for a, b in ((p, q), (1 - p, 1 - q)):
            if a > 0:
                terms += a * math.log(a / b) if b > 0 else math.inf
        return max(terms, 0.0)

    def index_reaches(self, k: int, x: float, t: int) -> bool:
        if not self.individual[k] or self.muhat(k) >= x:
            return True
        spend = math.log(t) + 4 * math.log(math.log(t)) if t > 2 else 0.0
        return len(self.individual[k]) * self.kl(self.muhat(k), x) <= spend

    def width(self, k: int) -> float:
        tau, iota = len(self.individual[k]), len(self.united[k])
        delta, scale = self.settings.delta, self.settings.scale
        if tau == 0 or iota == 0:
            return math.inf
        if self.settings.interval == "joint":
            spread = (tau + 1) / tau**2 + (iota + 1) / iota**2
            inner = 2 * spread * math.log(math.sqrt((tau + 1) * (iota + 1)) / delta)
            return scale / 2 * math.sqrt(inner)
        if self.settings.interval == "hoeffding":
            widths = [math.sqrt(math.log(2 / delta) / (2 * x)) for x in (tau, iota)]
        else:
            widths = [
                math.sqrt((1 + 1 / x) * math.log(2 * math.sqrt(x + 1) / delta) / (2 * x))
                for x in (tau, iota)
            ]
        return scale * (widths[0] + widths[1])

    def update_bounds(self) -> None:
        for k in range(self.K):
            mu, nu, s = self.muhat(k), self.nuhat(k), self.width(k)
            low, high = 1, self.N
            if mu + s > 0:
                low = min(max(math.ceil(nu / (mu + s)), 1), self.N)
            if mu - s > 0:
                ratio = nu / (mu - s)
                high = self.N if ratio >= self.N else max(math.floor(ratio), 1)
            low, high = max(low, self.lower[k]), min(high, self.upper[k])
            if low <= high:
                self.lower[k], self.upper[k] = low, high

    # -- acting

    def oracle(self, preferred: list[int], capacities: list[int]) -> dict[int, int]:
        """Loads in the order of filling: preferred arms first, then by estimated mean."""

        def place(k: int) -> tuple[bool, float, int]:
            return k not in preferred, -self.muhat(k), self.earlier[k]

        loads, left = {}, self.N
        for k in sorted(range(self.K), key=place):
            if left > 0:
                loads[k] = min(left, capacities[k])
                left -= loads[k]
        assert sum(loads.values()) == self.N
        return loads

    def repeats(self, t: int, order: list[int], loads: dict[int, int]) -> int:
        """For how many slots from t on PIE exploits without another look."""
        return 1

    def play(self, t: int) -> None:
        """One turn of the while loop."""
        repeats = 1
        if t % 2 == 1 or not self.Y:
            loads = self.oracle([], self.lower)
            self.S = list(loads)
            last = self.S[-1]
            outside = [k for k in range(self.K) if k not in self.S]
            outside.sort(key=lambda k: (-self.muhat(k), self.earlier[k]))
            E = [k for k in outside if self.index_reaches(k, self.muhat(last), t)]
            phase = "pie-base" if E or self.Y else "exploitation"
            if E and self.source.coin():
                loads[last] -= 1
                loads[E[self.source.pick(len(E))]] = 1
                phase = "deliberate"
            if phase == "exploitation":
                repeats = self.repeats(t, self.S + outside, loads)
        else:
            loads = self.oracle(self.Y, self.upper)
            phase = "pue"
        for _ in range(repeats):
            reward = 0.0
            for k, load in loads.items():
                if load > 0:
                    reward += self.observe(k, load, phase)
            self.update_bounds()
            self.Y = [k for k in self.S[:-1] if self.lower[k] != self.upper[k]]
            self.record(phase, loads, reward)

    def observe(self, k: int, load: int, phase: str) -> float:
        """Play one arm, count what is counted, and return its reward."""
        X = self.source.reward(k)
        served = min(load, self.instance.capacities[k])
        if phase == "pue":
            counted, sums, value = load >= self.upper[k], self.united[k], served * X
        else:
            counted, sums = load <= self.lower[k], self.individual[k]
            if self.settings.strict:
                counted = load < self.lower[k]
            value = served * X / load
        if counted:
            sums.append((sums[-1] if sums else 0.0) + value)
        return served * X

    def record(self, phase: str, loads: dict[int, int], reward: float) -> None:
        action = tuple(loads.get(k, 0) for k in range(self.K))
        assert sum(action) == self.N
        lower, upper = tuple(self.lower), tuple(self.upper)
        lost = self.instance.regret(action)
        self.slots.append(Slot(phase, action, lost, reward, lower, upper))

    # -- for enumeration: what the future depends on, and a copy with other chances

    def state(self) -> tuple[object, ...]:
        seen = [(len(s), s[-1:]) for s in (*self.individual, *self.united)]
        kept = (self.lower, self.upper, self.S, self.Y, sorted(self.earlier.items()))
        return str(seen), str(kept)

    def copy(self, source: Source) -> Learner:
        twin = copy.copy(self)
        twin.source, twin.slots = source, []
        twin.individual = [list(sums) for sums in self.individual]
        twin.united = [list(sums) for sums in self.united]
        twin.lower, twin.upper = list(self.lower), list(self.upper)
        return twin

    def run(self, horizon: int) -> list[Slot]:
        while len(self.slots) < horizon:
            self.play(len(self.slots) + 1)
        return self.slots
