"""Leaping from its description: twins that play their action for a whole block without a look.

Blocks may be of any length that the drift alone allows (deviations are taken to be 0, as for an eta
above 1), so that they come up within a few slots. The chances within a block are those of its slots
one by one, so every course can be enumerated. A mistake can be planted.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction

from simulation.world.instance import Instance
from twins.arena import Arena
from twins.elimination import MPSESAKC
from twins.known_capacity import KLUCB
from twins.law_free import LawFree
from twins.likelihood import Likelihood
from twins.orch_explore import Learner, Settings
from twins.procedures import Options
from twins.sources import Scripted, every_outcome

MISTAKES = ("drift forgotten", "level frozen", "wrong arm counted", "past a checkpoint")


class Blocks:
    """How long a block may be, and how long the last one was."""

    def __init__(self, instance: Instance, checkpoints: Sequence[int], mistake: str) -> None:
        self.means = [float(mean) for mean in instance.means]
        self.checkpoints, self.mistake, self.last, self.leapt = checkpoints, mistake, 1, 0

    def length(self, t: int, goes_on: Callable[[int, int], bool]) -> int:
        """The longest of some lengths w for which goes_on(w, last slot for the level)."""
        ends = self.checkpoints[-1:] if self.mistake == "past a checkpoint" else self.checkpoints
        w = min(4 * self.last, next((end for end in ends if end >= t), t) - t + 1)
        while w > 1 and not goes_on(w, t if self.mistake == "level frozen" else t + w):
            w //= 2
        self.last = w
        self.leapt += w > 1
        return w

    def span(self, k: int, muhat: float, count: int, w: int) -> tuple[float, float]:
        """The ends of the way that muhat drifts in w slots."""
        if count == 0:
            return -math.inf, math.inf
        mean = muhat if self.mistake == "drift forgotten" else self.means[k]
        end = muhat + w * (mean - muhat) / (count + w)
        return max(min(muhat, end), 0.0), min(max(muhat, end), 1.0)

    def counted(self, k: int, arms: int) -> int:
        """The arm that an observation in a block is counted for."""
        wrong = self.mistake == "wrong arm counted" and self.last > 1
        return (k + 1) % arms if wrong else k


class LeapingLikelihood(Likelihood):
    """With capacities that are known from the start (N = 1, so that they are 1)."""

    def __init__(self, arena: Arena, blocks: Blocks) -> None:
        super().__init__(arena)
        self.blocks = blocks

    def repeats(self, t, order, loads):
        (last,) = loads
        best = self.arms[last]

        def goes_on(w: int, end: int) -> bool:
            low, _ = self.blocks.span(last, best.muhat, len(best.seen), w)
            return all(self.arms[k].distance(low) > math.log(end) for k in order[1:])

        return self.blocks.length(t, goes_on)

    def observe(self, phase, loads):
        def see(k: int, shown: float) -> None:
            in_block = phase == "exploitation"
            self.arms[self.blocks.counted(k, len(self.arms)) if in_block else k].see(1, shown)

        self.arena.play(phase, loads, witness=see)


class LeapingKLUCB(KLUCB):
    def __init__(self, arena: Arena, blocks: Blocks) -> None:
        super().__init__(arena)
        self.blocks = blocks

    def index(self, mean: float, count: int, t: int) -> float:
        """The index of an arm with this estimate and count."""
        self.count.append(count)
        self.total.append(mean * count)
        value = self.score(-1, t)
        self.count.pop()
        self.total.pop()
        return value

    def repeats(self, t, order, loads):
        played, last = list(loads), list(loads)[-1]

        def goes_on(w: int, end: int) -> bool:
            def lowest(k: int) -> float:
                low, _ = self.blocks.span(
                    k, self.total[k] / max(self.count[k], 1), self.count[k], w
                )
                return -math.inf if low == -math.inf else self.index(low, self.count[k] + w, t)

            if 0 in [self.count[k] for k in played]:
                return False
            _, high = self.blocks.span(
                last, self.total[last] / self.count[last], self.count[last], w
            )
            highest = self.index(high, self.count[last], end)
            above = all(lowest(k) > highest for k in played[:-1])
            return above and all(self.score(k, end) < lowest(last) for k in order[len(played) :])

        return self.blocks.length(t, goes_on)

    def see(self, k: int, x: float) -> None:
        super().see(self.blocks.counted(k, self.K), x)


class LeapingElimination(MPSESAKC):
    def __init__(self, arena: Arena, blocks: Blocks) -> None:
        super().__init__(arena, Options(gamma=0.25))
        self.blocks = blocks

    def repeats(self, order):
        def goes_on(w: int, end: int) -> bool:
            spans = [self.blocks.span(k, self.muhat(k), self.individual[k], w) for k in order]
            return all(low > spans[-1][1] for low, _ in spans[:-1])

        return self.blocks.length(self.arena.t + 1, goes_on)

    def exploitation(self, order, capacities):
        self.exploiting = True
        super().exploitation(order, capacities)
        self.exploiting = False

    def see(self, k: int, load: int, shown: float) -> None:
        exploiting = getattr(self, "exploiting", False)
        super().see(self.blocks.counted(k, self.K) if exploiting else k, load, shown)


class LeapingOrchExplore(Learner):
    """With known capacities."""

    blocks: Blocks

    def repeats(self, t, order, loads):
        played = list(loads)

        def goes_on(w: int, end: int) -> bool:
            spans = {
                k: self.blocks.span(k, self.muhat(k), len(self.individual[k]), w) for k in played
            }
            low, high = spans[played[-1]]
            above = all(spans[k][0] > high for k in played[:-1])
            rest = order[len(played) :]
            return above and not any(self.index_reaches(k, low, end) for k in rest)

        return self.blocks.length(t, goes_on)

    def observe(self, k, load, phase):
        before = [list(sums) for sums in self.individual]
        reward = super().observe(k, load, phase)
        other = self.blocks.counted(k, self.K) if phase == "exploitation" else k
        if other != k:
            value = self.individual[k][-1] - (before[k][-1] if before[k] else 0.0)
            self.individual = before
            self.individual[other].append((before[other] or [0.0])[-1] + value)
        return reward


class LeapingLawFree(LawFree):
    """With capacities that are known from the start (N = 1, so that they are 1)."""

    def __init__(self, arena: Arena, blocks: Blocks) -> None:
        super().__init__(arena)
        self.blocks = blocks

    def repeats(self, t, order, loads):
        (last,) = loads
        n, muhat = self.estimate(last, 1, True)

        def goes_on(w: int, end: int) -> bool:
            low, _ = self.blocks.span(last, muhat, n, w)
            estimates = [self.estimate(k, 1, True) for k in order[1:]]
            return all(
                average < low
                and self.against(count, average, low) > self.level(end) + self.r(count)
                for count, average in estimates
            )

        return self.blocks.length(t, goes_on)

    def observe(self, phase, loads):
        def see(k: int, y: float) -> None:
            in_block = phase == "exploitation"
            self.seen[self.blocks.counted(k, self.K) if in_block else k].append((1, y))

        self.arena.play(phase, loads, witness=see)


TWINS = {
    "likelihood": LeapingLikelihood,
    "kl-ucb-kc": LeapingKLUCB,
    "se-kc": LeapingElimination,
    "orch-explore-kc": LeapingOrchExplore,
    "law-free": LeapingLawFree,
}
Outcome = tuple[tuple[float, float], ...]


def exact_law(
    policy: str, instance: Instance, checkpoints: Sequence[int], mistake: str = ""
) -> tuple[dict[Outcome, Fraction], Fraction]:
    """The law of (regret, reward) at the checkpoints, and the expected number of blocks."""
    law: dict[Outcome, Fraction] = defaultdict(Fraction)
    blocks_expected = Fraction(0)

    def play(source: Scripted) -> tuple[Outcome, int]:
        blocks = Blocks(instance, checkpoints, mistake)
        source.law, source.parameter = "bernoulli", 0.0
        if policy == "orch-explore-kc":
            learner = LeapingOrchExplore(instance, source, Settings(1.0, told=instance.capacities))
            learner.blocks = blocks
            slots = learner.run(checkpoints[-1])
        else:
            arena = Arena(instance, checkpoints[-1], 0)
            arena.source = source
            TWINS[policy](arena, blocks).run()
            slots = arena.slots
        sums = [
            (round(float(sum(s.regret for s in slots[:c])), 9), sum(s.reward for s in slots[:c]))
            for c in checkpoints
        ]
        return tuple(sums), blocks.leapt

    for chance, (outcome, leapt) in every_outcome(instance, play):
        law[outcome] += chance
        blocks_expected += chance * leapt
    return dict(law), blocks_expected
