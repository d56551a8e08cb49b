"""Where a twin takes its chances from: the run's own generator, or a script of all outcomes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Protocol, TypeVar

from numpy.random import Generator

from simulation.world.draws import beta
from simulation.world.instance import Instance


class Source(Protocol):
    """Everything random that happens to a policy."""

    def permutation(self, count: int) -> list[int]: ...
    def coin(self) -> bool: ...
    def pick(self, count: int) -> int: ...
    def reward(self, arm: int) -> float: ...


class Drawn:
    """Chances drawn from a generator, in the very way the kernels draw them."""

    def __init__(self, instance: Instance, gen: Generator) -> None:
        self.gen = gen
        self.means = [float(mean) for mean in instance.means]
        self.law, self.parameter = instance.reward.name, float(instance.reward.parameter)

    def pick(self, count: int) -> int:
        return int(self.gen.random() * count)

    def coin(self) -> bool:
        return self.gen.random() < 0.5

    def permutation(self, count: int) -> list[int]:
        order = list(range(count))
        for last in reversed(range(1, count)):
            other = self.pick(last + 1)
            order[last], order[other] = order[other], order[last]
        return order

    def reward(self, arm: int) -> float:
        mean, parameter = self.means[arm], self.parameter
        if self.law == "bernoulli":
            return float(self.gen.random() < mean)
        if self.law == "gaussian":
            return mean + math.sqrt(parameter) * self.gen.standard_normal()
        return beta(self.gen, mean * parameter, (1 - mean) * parameter)


class Scripted:
    """Follows a script of choices and adds to it where it ends; knows the probability so far."""

    def __init__(self, instance: Instance, script: list[tuple[int, int]]) -> None:
        self.instance, self.script, self.place = instance, script, 0
        self.probability = Fraction(1)

    def _choose(self, chances: list[Fraction]) -> int:
        """The scripted one of the outcomes with these chances; those of chance 0 do not exist."""
        possible = [outcome for outcome, chance in enumerate(chances) if chance > 0]
        if self.place == len(self.script):
            self.script.append((0, len(possible)))
        outcome = possible[self.script[self.place][0]]
        self.place += 1
        self.probability *= chances[outcome]
        return outcome

    def pick(self, count: int) -> int:
        return self._choose([Fraction(1, count)] * count)

    def coin(self) -> bool:
        return self._choose([Fraction(1, 2)] * 2) == 1

    def permutation(self, count: int) -> list[int]:
        left, order = list(range(count)), []
        while left:
            order.append(left.pop(self.pick(len(left))))
        return order

    def reward(self, arm: int) -> float:
        mean = self.instance.means[arm]
        return float(self._choose([1 - mean, mean]))


Result = TypeVar("Result")


def every_outcome(
    instance: Instance, play: Callable[[Source], Result]
) -> Iterator[tuple[Fraction, Result]]:
    """Probability and result of every course that `play` can take on a Bernoulli instance."""
    script: list[tuple[int, int]] = []
    while True:
        source = Scripted(instance, script)
        result = play(source)
        yield source.probability, result
        while script and script[-1][0] + 1 == script[-1][1]:
            script.pop()
        if not script:
            return
        chosen, possible = script[-1]
        script[-1] = (chosen + 1, possible)
