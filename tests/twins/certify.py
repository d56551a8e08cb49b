"""`certify` from its pseudo-code: every observation kept, everything computed anew every slot."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq, minimize_scalar
from scipy.special import betaln, logsumexp, xlog1py, xlogy

from twins.arena import Arena, filled

Span = tuple[float, float]
NOTHING = (math.inf, -math.inf)


class Stack:
    """What an arm showed at one load."""

    def __init__(self, law: str, parameter: float, load: int) -> None:
        self.law, self.parameter, self.load = law, parameter, load
        self.seen: list[float] = []

    def log_likelihood(self, x: float, c: int) -> float:
        """log p_{x,c} of all entries, nothing left out."""
        n, y = len(self.seen), np.array(self.seen)
        if self.law == "bernoulli":
            successes, impossible = np.sum(y > 0), np.any((y != 0) & (y != c))
            return (
                -math.inf if impossible else float(xlogy(successes, x) + xlog1py(n - successes, -x))
            )
        if self.law == "gaussian":
            squares = ((y / c - x) ** 2).sum() / self.parameter
            return float(-(n * math.log(2 * math.pi * self.parameter * c * c) + squares) / 2)
        if not 0 < x < 1 or y.max() > c:
            return -math.inf
        one, other = self.parameter * x, self.parameter * (1 - x)
        z = np.maximum(y, 1e-300) / c
        shown = (one - 1) * np.log(z) + (other - 1) * np.log(np.maximum(1 - z, 2**-53))
        return float(shown.sum() - n * (betaln(one, other) + math.log(c)))

    def peak(self, c: int) -> float:
        """The likeliest mean."""
        if self.law == "bernoulli":
            return sum(y > 0 for y in self.seen) / len(self.seen)
        if self.law == "gaussian":
            return math.fsum(self.seen) / len(self.seen) / c
        found = minimize_scalar(
            lambda u: -self.log_likelihood(expit(u), c), bracket=(-1, 1), options={"xtol": 1e-12}
        )
        return expit(found.x)

    def log_integral(self, c: int) -> float:
        if self.law == "bernoulli":
            successes = sum(y > 0 for y in self.seen)
            possible = all(y in (0.0, c) for y in self.seen)
            failures = len(self.seen) - successes
            return float(betaln(successes + 1, failures + 1)) if possible else -math.inf
        if self.law == "gaussian":  # jointly normal: covariance c^2 s2 (1 + identity)
            n, z = len(self.seen), np.array(self.seen) / c
            squares = (z**2).sum() - z.sum() ** 2 / (n + 1)
            log_norm = n * math.log(2 * math.pi * self.parameter * c * c) + math.log(n + 1)
            return float(-(log_norm + squares / self.parameter) / 2)
        if max(self.seen) > c:
            return -math.inf
        best = self.peak(c)
        top, centre = self.log_likelihood(best, c), math.log(best / (1 - best))

        def integrand(u: float) -> float:
            x = expit(u)
            return math.exp(self.log_likelihood(x, c) - top) * x * (1 - x)

        pieces = [centre + step for step in (-60, -8, -2, -0.5, 0, 0.5, 2, 8, 60)]
        parts = [quad(integrand, a, b, limit=200)[0] for a, b in pairwise(pieces)]
        return top + math.log(math.fsum(parts))

    def log_mixture(self) -> float:
        values = [self.log_integral(c) for c in range(1, self.load + 1)]
        return float(logsumexp(values) - math.log(self.load))

    def span(self, c: int, level: float, mixture: float) -> Span:
        """The means x with log Q - log p_{x,c} <= level."""
        if self.log_integral(c) == -math.inf:
            return NOTHING

        def excess(x: float) -> float:
            return self.log_likelihood(x, c) - (mixture - level)

        best = self.peak(c)
        if excess(best) < 0:
            return NOTHING
        if self.law == "gaussian":
            wide = 1e3 * (1 + abs(best))
            return tuple(brentq(excess, best, best + wide * side, xtol=1e-13) for side in (-1, 1))
        ends = []
        for out in (0.0, 1.0):
            inside = best
            if excess(out) >= 0:
                inside = out
            else:
                for _ in range(60):
                    middle = (inside + out) / 2
                    inside, out = (middle, out) if excess(middle) >= 0 else (inside, middle)
            ends.append(inside)
        return ends[0], ends[1]


def expit(u: float) -> float:
    return 1 / (1 + math.exp(-u))


class Certify:
    def __init__(self, arena: Arena) -> None:
        self.arena, self.K, self.N = arena, arena.K, arena.N
        self.law, self.parameter = arena.source.law, arena.source.parameter
        self.turns = arena.source.permutation(self.K)
        self.forced: list[list[float]] = [[] for _ in range(self.K)]
        self.stacks = [
            [Stack(self.law, self.parameter, load) for load in range(1, self.N + 1)]
            for _ in range(self.K)
        ]
        self.mixtures: dict[tuple[int, int, int], float] = {}
        self.learned = [0] * self.K
        self.ticks = self.plays_forced = 0

    def run(self) -> None:
        for t in range(1, self.arena.horizon + 1):
            self.slot(t)

    def level(self, t: int) -> float:
        return math.log(max(t, 3)) + 2 * math.log(math.log(max(t, 3)))

    def slot(self, t: int) -> None:
        loads: dict[int, int] = {}
        certified = False
        if self.plays_forced >= self.K:
            loads, order = self.candidate()
            S, L, outside = list(loads), list(loads)[-1], order[len(loads) :]
            regions = [self.region(k, self.level(t)) for k in range(self.K)]
            lo = [min((s[0] for s in r.values()), default=math.inf) for r in regions]
            hi = [max((s[1] for s in r.values()), default=-math.inf) for r in regions]
            for k in range(self.K):
                if len(regions[k]) == 1 and not self.learned[k]:
                    self.learned[k] = t
            certified = (
                all(set(regions[k]) <= {loads[k]} and lo[k] > hi[L] for k in S[:-1])
                and set(regions[L]) <= set(range(loads[L], self.N + 1))
                and all(hi[k] < lo[L] for k in outside)
            )
        if certified:
            self.play("exploitation", loads, order)
            return
        self.ticks += 1
        if self.plays_forced < self.K * math.ceil(math.log(1 + self.ticks) ** 2):
            arm = self.turns[self.plays_forced % self.K]
            self.plays_forced += 1
            self.arena.play("forced", {arm: self.N}, witness=self.force)
            return
        entries = min(len(self.stacks[k][loads[k] - 1].seen) for k in S)
        if entries < max(self.level(t) ** 1.5, self.ticks / 2):
            self.play("repetition", loads, order)
            return
        wide = [k for k in S[:-1] if max(regions[k], default=0) > loads[k]]
        high = [k for k in outside if hi[k] >= lo[L]]
        phase = "capacities" if wide else "means" if high else "repetition"
        for k in (wide + high)[:1]:
            loads[L] -= 1
            loads[k] = loads.get(k, 0) + 1
        self.play(phase, loads, order)

    def candidate(self) -> tuple[dict[int, int], list[int]]:
        mhat = [self.capacity(k) for k in range(self.K)]
        muhat = [self.average(k) / mhat[k] for k in range(self.K)]
        order = sorted(range(self.K), key=lambda k: (-muhat[k], self.turns.index(k)))
        return filled(order, mhat, self.N), order

    def average(self, k: int) -> float:
        """Added up one by one, as the ties among few successes want it."""
        mean = 0.0
        for n, y in enumerate(self.forced[k], 1):
            mean += (y - mean) / n
        return mean

    def capacity(self, k: int) -> int:
        seen = self.forced[k]
        if self.law == "gaussian":
            nearest = math.floor(math.sqrt(np.var(seen) / self.parameter) + 0.5)
            return min(max(nearest, 1), self.N)
        return min(max(math.ceil(max(seen)), 1), self.N)

    def region(self, k: int, level: float) -> dict[int, Span]:
        """The possible capacities, each with its means."""
        everything = (-math.inf, math.inf) if self.law == "gaussian" else (0.0, 1.0)
        found = {}
        for c in range(1, self.N + 1):
            spans = [everything]
            for stack in self.stacks[k]:
                if stack.seen:
                    key = (k, stack.load, len(stack.seen))
                    if key not in self.mixtures:
                        self.mixtures[key] = stack.log_mixture()
                    spans.append(stack.span(min(stack.load, c), level, self.mixtures[key]))
            low, high = max(s[0] for s in spans), min(s[1] for s in spans)
            if low <= high:
                found[c] = (low, high)
        return found

    def force(self, k: int, shown: float) -> None:
        self.forced[k].append(shown)

    def play(self, phase: str, loads: dict[int, int], order: list[int]) -> None:
        placed = {k: loads[k] for k in order if loads.get(k, 0) > 0}

        def see(k: int, shown: float) -> None:
            self.stacks[k][placed[k] - 1].seen.append(shown)

        self.arena.play(phase, placed, witness=see)
