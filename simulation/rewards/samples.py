"""Empirical laws: for each arm some values in [0, 1] with weights.

`Empirical` draws from them with replacement. Its means are exact: decimals as written, floats of an
NPY file as the numbers they are. Two instances with the same values and weights are equal, whatever
files they come from. Sampling is in `draws`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Any, ClassVar

from simulation.errors import InputError, shown
from simulation.numbers import LARGEST_SIMULATED, decimal, entered

MOST_VALUES = 100_000  # distinct values in all arms together


@dataclass(frozen=True)
class Sample:
    """The measured rewards of one arm: distinct values, ascending, and how often each occurred."""

    values: tuple[Fraction, ...]
    weights: tuple[int, ...]  # without a common divisor

    @classmethod
    def of(cls, counted: Mapping[Fraction, Fraction | int]) -> Sample:
        """The sample of these values with these weights; weight 0 is left out.

        >>> Sample.of({Fraction(1): Fraction(1, 2), Fraction(0): 1})
        Sample(values=(Fraction(0, 1), Fraction(1, 1)), weights=(2, 1))
        """
        kept = sorted((value, Fraction(weight)) for value, weight in counted.items() if weight)
        common = lcm(*(weight.denominator for _, weight in kept))
        whole = [int(weight * common) for _, weight in kept]
        divisor = gcd(*whole) or 1
        return cls(tuple(value for value, _ in kept), tuple(w // divisor for w in whole))

    @cached_property
    def total(self) -> int:
        return sum(self.weights)

    @cached_property
    def mean(self) -> Fraction:
        return self._average(self.values)

    @cached_property
    def variance(self) -> Fraction:
        return self._average(tuple((value - self.mean) ** 2 for value in self.values))

    def _average(self, numbers: Sequence[Fraction]) -> Fraction:
        summed = sum((x * w for x, w in zip(numbers, self.weights, strict=True)), Fraction(0))
        return summed / self.total

    def alias_rows(self) -> list[tuple[Fraction, Fraction, Fraction]]:
        """The sample as equally likely rows (share, value, other value), one for each value.

        A row gives its value with probability `share`, otherwise the other value (Walker's alias
        method, in integers).
        """
        count, total = len(self.values), self.total
        left = [weight * count for weight in self.weights]  # each row holds `total` units of weight
        short = [i for i, room in enumerate(left) if room < total]
        long = [i for i, room in enumerate(left) if room >= total]
        rows = [(Fraction(1), value, value) for value in self.values]
        while short:
            i, giver = short.pop(), long[-1]
            rows[i] = (Fraction(left[i], total), self.values[i], self.values[giver])
            left[giver] -= total - left[i]
            if left[giver] < total:
                short.append(long.pop())
        return rows


@dataclass(frozen=True)
class Empirical:
    """X_k is one of the measured values of arm k, drawn with replacement by weight.

    >>> law = Empirical.weighted([{0: 3, 1: 1}, {"0.5": 1}])
    >>> law.means, law.arms, law.words()
    ((Fraction(1, 4), Fraction(1, 2)), 2, 'empirical, 1 to 2 different values an arm')
    >>> law.of_arm(0).spread(law.means[0]), law.kept([1]).means, law.admits(Fraction(2))
    (Fraction(3, 16), (Fraction(1, 2),), False)
    >>> law.fields()["weights"], law.to_json(digits=3)["sample"]["sha256"] == law.content
    ([[Fraction(3, 1), Fraction(1, 1)], [Fraction(1, 1)]], True)
    """

    samples: tuple[Sample, ...]
    # divisor of the measurements; it does not affect equality
    scale: Fraction = field(default=Fraction(1), compare=False)
    name: ClassVar[str] = "empirical"
    code: ClassVar[int] = 3
    mean_range: ClassVar[str] = "a number from 0 to 1"
    proxy_variance: ClassVar[Fraction] = Fraction(1, 4)
    variance: ClassVar[None] = None
    parameter: ClassVar[Fraction] = Fraction(0)
    bounded: ClassVar[bool] = True

    @classmethod
    def measured(cls, columns: Iterable[Iterable[Any]], scale: Any = 1) -> Empirical:
        """The law of these measurements, one column for each arm, divided by `scale`.

        >>> Empirical.measured([[0, 50, 50], [10]], scale=100).means
        (Fraction(1, 3), Fraction(1, 10))
        """
        return cls.weighted([dict(Counter(column)) for column in columns], scale)

    @classmethod
    def weighted(
        cls,
        columns: Iterable[Mapping[Any, Any]],
        scale: Any = 1,
        where: str = "instance",
        place: str = "reward.values[{}]",
    ) -> Empirical:
        """The law with these values and weights, a mapping for each arm.

        Errors are reported at `where` and `place`, in which the arm's number is inserted.
        """
        divisor = _number(where, "reward.scale", scale)
        if divisor <= 0:
            raise InputError(where, "reward.scale", shown(scale), "a number above 0")
        samples, seen = [], 0
        for arm, column in enumerate(columns, 1):
            samples.append(_sample(where, place.format(arm), column, divisor))
            seen += len(samples[-1].values)
            if seen > MOST_VALUES:
                found = f"more than {MOST_VALUES:,} different values"
                raise InputError(where, "reward", found, "fewer, rounded if need be")
        return cls(tuple(samples), divisor)

    @property
    def arms(self) -> int:
        return len(self.samples)

    @property
    def means(self) -> tuple[Fraction, ...]:
        return tuple(sample.mean for sample in self.samples)

    def of_arm(self, arm: int) -> Empirical:
        return self.kept([arm])

    def kept(self, arms: Sequence[int]) -> Empirical:
        return Empirical(tuple(self.samples[k] for k in arms), self.scale)

    def spread(self, mean: Fraction) -> Fraction:
        """The variance of a reward; only for the law of one arm."""
        (sample,) = self.samples
        return sample.variance

    def admits(self, mean: Fraction) -> bool:
        return 0 <= mean <= 1

    @cached_property
    def largest(self) -> Fraction:
        """The largest reward of any arm.

        >>> Empirical.measured([[0, 50], [10]], scale=100).largest
        Fraction(1, 2)
        """
        return max(sample.values[-1] for sample in self.samples)

    def fields(self) -> dict[str, Any]:
        return {
            "values": [[x * self.scale for x in sample.values] for sample in self.samples],
            "weights": [[Fraction(w) for w in sample.weights] for sample in self.samples],
            **({} if self.scale == 1 else {"scale": self.scale}),
        }

    @cached_property
    def content(self) -> str:
        """A digest of all values and weights, which identifies the law in a store."""
        return hashlib.sha256(
            repr([(s.values, s.weights) for s in self.samples]).encode()
        ).hexdigest()

    def to_json(self, digits: int) -> dict[str, Any]:
        return {
            "sample": {
                "values": [len(sample.values) for sample in self.samples],
                "variances": [decimal(sample.variance, digits) for sample in self.samples],
                "sha256": self.content,
            }
        }

    def words(self) -> str:
        sizes = [len(sample.values) for sample in self.samples]
        span = f"{min(sizes)}" if min(sizes) == max(sizes) else f"{min(sizes)} to {max(sizes)}"
        return f"empirical, {span} {'value' if max(sizes) == 1 else 'different values'} an arm"


def loose_scale(law: Empirical) -> str | None:
    """A warning if the scale is more than twice the largest measured value.

    To distinguish capacities by averages, a policy that knows only the range needs a number of
    plays that grows with the square of scale/mean; docs/using.md says how far this holds for
    law-free.
    """
    if not 0 < 2 * law.largest < 1:
        return None
    times, largest = float(1 / law.largest), decimal(law.largest * law.scale, 6)
    return (
        f"reward.scale: {decimal(law.scale, 6)}: {times:.2g} times the largest value, {largest}: "
        f"law-free loses about {times**2:.2g} times as much as if it were told that maximum"
    )


def _sample(where: str, field: str, column: Mapping[Any, Any], divisor: Fraction) -> Sample:
    counted: Counter[Fraction] = Counter()
    for value, weight in _exact(where, field, column):
        reward = value / divisor
        if not 0 <= reward <= 1:
            found = decimal(value, 12) + ("" if divisor == 1 else f" / {decimal(divisor, 12)}")
            expected = "rewards from 0 to 1: state `scale`, the largest reward possible"
            if value < 0:
                expected = "rewards of 0 or more, from 0 to 1 after division by `scale`"
            raise InputError(where, field, found, expected)
        counted[reward] += weight  # type: ignore[assignment]  # a Fraction counts as well
    if not any(counted.values()):
        raise InputError(where, field, "no values", "at least one measurement for each arm")
    return Sample.of(counted)


def _exact(
    where: str, field: str, column: Mapping[Any, Any]
) -> Iterator[tuple[Fraction, Fraction]]:
    for value, weight in column.items():
        counted = _number(where, field, weight)
        if counted < 0:
            raise InputError(where, field, f"weight {shown(weight)}", "weights of 0 or more")
        yield _number(where, field, value), counted


def _number(where: str, field: str, value: object) -> Fraction:
    try:
        return entered(value, LARGEST_SIMULATED)
    except ValueError as error:
        raise InputError(where, field, f"{shown(value)} ({error})", "finite numbers") from None
