"""A claim about one arm, on the instance in which that arm is the first and the others earn 0."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

from flint import arb

from boundcheck.falsification.registry import Task
from boundcheck.question import Question
from boundcheck.search.simpler import fewer, rounder, shorter
from boundcheck.setting import Setting, exact_setting
from boundcheck.tails import Arm
from boundcheck.values import certified_rows
from simulation.instance import Instance
from simulation.numbers import decimal
from simulation.rewards import Bernoulli, Gaussian, RewardLaw

_DIGITS = 20


@dataclass(frozen=True)
class Case:
    """One arm among N + 1, the confidence asked for, and for some claims a threshold d or T."""

    mean: Fraction
    capacity: int
    plays: int
    delta: Fraction
    variance: Fraction | None = None  # None: Bernoulli
    threshold: int | None = None
    horizon: Fraction | None = None

    @property
    def law(self) -> RewardLaw:
        return Bernoulli() if self.variance is None else Gaussian(self.variance)

    @property
    def arm(self) -> Arm:
        return Arm(1, self.mean, self.capacity, self.law)

    @property
    def instance(self) -> Instance:
        others = [0] * self.plays
        held = [self.capacity, *(1 for _ in others)]
        return Instance([self.mean, *others], held, self.plays, self.law)

    @property
    def question(self) -> Question:
        horizon = self.horizon or Fraction(10**6)
        return Question(delta=self.delta, threshold=self.threshold, horizon=horizon, digits=_DIGITS)

    @property
    def setting(self) -> Setting:
        return exact_setting(self.instance, self.question)

    @property
    def parameters(self) -> dict[str, Any]:
        """What an instance file does not hold."""
        shown: dict[str, Any] = {"arm": 1, "mean": decimal(self.mean), "capacity": self.capacity}
        if self.variance is not None:
            shown["variance"] = decimal(self.variance)
        if self.threshold is not None:
            shown["threshold"] = self.threshold
        if self.horizon is not None:
            return shown | {"horizon": decimal(self.horizon)}
        return shown | {"delta": decimal(self.delta)}

    def admitted(self, task: Task) -> bool:
        return task.admits(self.instance, self.question, self.setting, arm=1)

    def published(self, task: Task) -> arb:
        """The number the claim gives for the arm."""
        (quantity,) = task.card.quantities
        ((_, total),) = certified_rows(quantity, self.setting, [1], _DIGITS)
        return total

    def simpler(self) -> Iterator[Self]:
        """Fewer plays, a smaller capacity or threshold, rounder numbers."""
        if self.threshold is not None and min(self.capacity, self.plays, self.threshold - 1) > 1:
            fewer_plays = replace(self, capacity=self.capacity - 1, plays=self.plays - 1)
            yield replace(fewer_plays, threshold=self.threshold - 1)
        for plays in fewer(self.plays, max(self.capacity, (self.threshold or 2) - 1)):
            yield replace(self, plays=plays)
        for capacity in fewer(self.capacity):
            yield replace(self, capacity=capacity)
        for threshold in fewer(self.threshold or 2, 2):
            yield replace(self, threshold=threshold)
        for horizon in rounder(self.horizon or Fraction(0)):
            if horizon >= 2:
                yield replace(self, horizon=horizon)
        for variance in shorter(self.variance or Fraction(0)):
            yield replace(self, variance=variance)
        for mean in rounder(self.mean):
            if mean > 0 and self.law.admits(mean):
                yield replace(self, mean=mean)
        for delta in rounder(self.delta):
            if 0 < delta < 1 and self.horizon is None:
                yield replace(self, delta=delta)
