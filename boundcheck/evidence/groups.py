"""Means of independent groups of runs, one group for each time: how they grow with log T.

A slope, or the difference of two neighbours, is a sum of weights times means. Groups are
independent, so the variances add up; the interval is Student's, with the degrees of freedom of
Welch and Satterthwaite. It takes sums of weighted means as nearly Gaussian.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, log, sqrt

import numpy as np

from boundcheck.evidence.inputs import FloatArray
from boundcheck.evidence.slope import student


@dataclass(frozen=True)
class Estimate:
    """A number with its standard error and the degrees of freedom of that."""

    value: float
    error: float
    freedom: float

    def interval(self, level: float) -> tuple[float, float]:
        reach = self.error * student(self.freedom, level) if self.error > 0 else 0.0
        return self.value - reach, self.value + reach


@dataclass(frozen=True, eq=False)
class Groups:
    """Values of two runs or more at each of two times or more.

    >>> seen = Groups((10, 100, 1000), ([1.0, 3.0], [2.0, 6.0], [6.0, 6.0]))
    >>> [step.value for _, _, step in seen.differences()]
    [2.0, 2.0]
    >>> round(seen.slope().value * log(10), 12)
    2.0
    """

    times: Sequence[int]
    values: Sequence[Sequence[float] | FloatArray]

    @property
    def means(self) -> list[float]:
        return [float(np.mean(group)) for group in self.values]

    @property
    def errors(self) -> list[float]:
        """The standard error of each mean."""
        return [float(np.std(group, ddof=1)) / sqrt(len(group)) for group in self.values]

    def slope(self) -> Estimate:
        """By least squares through the means, per log T."""
        places = [log(time) for time in self.times]
        middle = sum(places) / len(places)
        spread = sum((place - middle) ** 2 for place in places)
        return self._sum([(place - middle) / spread for place in places])

    def differences(self) -> Iterator[tuple[int, int, Estimate]]:
        """From each time to the next."""
        for place, (before, after) in enumerate(pairwise(self.times)):
            weights = [0.0] * len(self.times)
            weights[place], weights[place + 1] = -1.0, 1.0
            yield before, after, self._sum(weights)

    def _sum(self, weights: Sequence[float]) -> Estimate:
        parts = [(w * error) ** 2 for w, error in zip(weights, self.errors, strict=True)]
        value = sum(w * mean for w, mean in zip(weights, self.means, strict=True))
        squares = sum(
            part**2 / (len(group) - 1) for part, group in zip(parts, self.values, strict=True)
        )
        freedom = sum(parts) ** 2 / squares if squares > 0 else inf
        return Estimate(value, sqrt(sum(parts)), freedom)
