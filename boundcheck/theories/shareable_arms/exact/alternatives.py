"""Alternative instances that theta's best action cannot distinguish from theta, but for which it is
not the best action.

docs/graves-lai.md has the derivation. Notation: m', mu' are capacity and mean of the one arm that
differs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from flint import arb

from boundcheck.calculator.numbers import balls
from boundcheck.theories.shareable_arms.exact.beta_law import enclosed_divergence
from simulation.rewards.laws import Bernoulli, Beta, Gaussian
from simulation.world.instance import Instance

Action: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Alternative:
    """One arm (by position) with another mean and capacity, such that a* is not optimal."""

    arm: int
    mean: Fraction
    capacity: int


class Alternatives:
    """All alternatives, and the information of slots about each, in balls at the current
    precision.
    """

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.plays = instance.plays
        self.capacities = [min(m, instance.plays) for m in instance.capacities]
        self.means = instance.means
        self.last_mean = instance.means[instance.last_arm]
        self._told: dict[Alternative, list[arb]] = {}

    @cached_property
    def first_alternatives(self) -> list[Alternative]:
        """One alternative for every arm and capacity that can make a* suboptimal.

        A single observation with infinite divergence suffices, and costs nothing per log T.
        """
        return [row for row in self._alternatives() if all(x.is_finite() for x in self.told(row))]

    def _alternatives(self) -> Iterator[Alternative]:
        for arm, load in enumerate(self.instance.optimal_action):
            if load == 0:
                for capacity in range(1, self.plays + 1):
                    yield Alternative(arm, self.last_mean, capacity)
            elif arm != self.instance.last_arm:
                for capacity in range(load + 1, self.plays + 1):
                    yield Alternative(arm, self.means[arm], capacity)

    def told(self, other: Alternative) -> list[arb]:
        """The divergence from theta that one slot provides, for each load of the arm."""
        if other not in self._told:
            self._told[other] = [self._at_load(load, other) for load in range(self.plays + 1)]
        return self._told[other]

    def _at_load(self, load: int, other: Alternative) -> arb:
        if load == 0:
            return arb(0)
        served = min(load, self.capacities[other.arm])
        supposed = min(load, other.capacity)
        mean = self.means[other.arm]
        law = self.instance.reward.of_arm(other.arm)
        if isinstance(law, Gaussian):
            ratio = Fraction(supposed, served)
            shift = (other.mean - mean / ratio) ** 2 / (2 * law.variance)
            return balls.ball(ratio).log() + balls.ball((1 / ratio**2 - 1) / 2 + shift)
        if isinstance(law, Bernoulli):
            tells = served != supposed and mean > 0
            return arb.pos_inf() if tells else _kl_bernoulli(mean, other.mean)
        if served > supposed:
            return arb.pos_inf()  # rewards above the other capacity's range are possible
        assert isinstance(law, Beta)
        return enclosed_divergence(mean, other.mean, Fraction(served, supposed), law.concentration)

    def hardest(self, row: Alternative, effort: Mapping[Action, Fraction]) -> Alternative:
        """The mean mu' >= mu_L that minimises sum_a c_a KL_a.

        Gaussian: a parabola in mu', with its minimum at the average of (b/b') mu over the slots
        that play the arm, where b and b' are the loads served at the true and at the other
        capacity. Bernoulli and Beta: the divergence (where finite) increases in mu' >= mu_L > mu.
        """
        arm = row.arm
        if self.instance.optimal_action[arm] > 0 or self.instance.reward.bounded:
            return row
        weight = weighted = Fraction(0)
        for action, times in effort.items():
            if load := action[arm]:
                served = min(load, self.capacities[arm])
                weight += times
                weighted += times * Fraction(served, min(load, row.capacity))
        if weight == 0:
            return row
        mean = max(self.last_mean, weighted / weight * self.means[arm])
        return Alternative(arm, mean, row.capacity)

    def gathered(self, row: Alternative, effort: Mapping[Action, Fraction]) -> arb:
        """sum_a c_a KL_a(theta, lambda)."""
        loads: dict[int, Fraction] = defaultdict(Fraction)
        for action, times in effort.items():
            loads[action[row.arm]] += times
        told = self.told(row)
        return sum((balls.ball(times) * told[load] for load, times in loads.items()), arb(0))


def _kl_bernoulli(p: Fraction, q: Fraction) -> arb:
    """p log(p/q) + (1 - p) log((1 - p)/(1 - q)) with 0 log 0 = 0."""
    total = arb(0)
    for x, y in ((p, q), (1 - p, 1 - q)):
        if x > 0 and y == 0:
            return arb.pos_inf()
        if x > 0:
            total += balls.ball(x) * balls.ball(x / y).log()
    return total
