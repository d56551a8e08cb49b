"""Simpler variants: fewer arms, rounder numbers, smaller counts; simplest first."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor

from simulation.rewards.laws import Gaussian, RewardLaw
from simulation.rewards.samples import Empirical
from simulation.world.instance import Instance


def rounder(value: Fraction) -> Iterator[Fraction]:
    """Decimals near this one that are simpler, simplest first."""
    size = complexity(value)
    places = size[0]
    near = {Fraction(n) for n in (0, 1, 2, 3)}
    near |= {Fraction(1, 10**p) for p in (places // 2, 3 * places // 4, places - 1) if p > 0}
    for shift in (Fraction(1), Fraction(1, 2), Fraction(1, 10)):
        for unit in (Fraction(1, 10**p) for p in range(min(places, 12) + 1)):
            steps = value * shift / unit
            near |= {floor(steps) * unit, ceil(steps) * unit}
    if places <= 12:
        near.add(value - Fraction(1, 10**places))
    leading = 10 ** (len(str(floor(abs(value)))) - 1)
    near |= {Fraction(round_(value / leading) * leading) for round_ in (floor, ceil)}
    yield from sorted((x for x in near if complexity(x) < size), key=complexity)


def shorter(value: Fraction) -> Iterator[Fraction]:
    """Positive decimals with fewer digits; a smaller variance is not simpler."""
    yield from (x for x in rounder(value) if x > 0 and complexity(x)[:2] < complexity(value)[:2])


def complexity(value: Fraction) -> tuple[int, int, Fraction]:
    """Decimal places (a large number if infinite), significant digits, size."""
    places, rest = 0, value
    while rest.denominator != 1 and places <= 400:
        places, rest = places + 1, rest * 10
    digits = len(str(abs(rest.numerator)).rstrip("0")) if places <= 400 else 400
    return places, digits, abs(value)


def smaller_numbers(value: int, least: int = 1) -> Iterator[int]:
    """Smaller integers: the least, the middle, one less."""
    near = (least, (least + value) // 2, value - 1)
    yield from dict.fromkeys(x for x in near if least <= x < value)


def rounder_counts(value: int) -> Iterator[int]:
    """Counts with fewer significant digits, or smaller ones, simplest first."""
    leading = 10 ** (len(str(value)) - 1)
    near = {10**e for e in range(len(str(value)) + 1)} | {d * leading for d in range(1, 10)}
    near |= {value - 1, value // 2, value // 10 * 10} if value <= 1000 else set()
    # slightly larger is fine if rounder; much larger makes exact sums slow
    simpler = (x for x in near if 1 <= x <= 1.2 * value and _digits(x) < _digits(value))
    yield from sorted(simpler, key=_digits)


def _digits(value: int) -> tuple[int, int]:
    return len(str(value).rstrip("0")), value


def simpler_instances(instance: Instance) -> Iterator[Instance]:
    """Fewer arms or plays, then smaller capacities, then a rounder variance, then rounder means."""
    instance = instance.kept(instance.order)
    means, held = list(instance.means), list(instance.capacities)
    plays, law = instance.plays, instance.reward
    for fewer_plays in (plays, plays - 1):
        for k in range(len(means)):
            if 1 <= fewer_plays < len(means) - 1:
                others = [j for j in range(len(means)) if j != k]
                kept = [min(held[j], fewer_plays) for j in others]
                rest = [means[j] for j in others]
                yield from _legal(rest, kept, fewer_plays, law.kept(others))
    for k, m in enumerate(held):
        for less in smaller_numbers(m):
            yield from _legal(means, [*held[:k], less, *held[k + 1 :]], plays, law)
    if isinstance(law, Gaussian):
        for variance in shorter(law.variance):
            yield from _legal(means, held, plays, Gaussian(variance))
    for k, mean in enumerate(means):
        for simple in rounder(mean):
            yield from _legal([*means[:k], simple, *means[k + 1 :]], held, plays, law)


def _legal(
    means: list[Fraction], held: list[int], plays: int, law: RewardLaw
) -> Iterator[Instance]:
    """The instance, if its arms are sorted and the law admits their means."""
    possible = all(mean >= 0 and law.admits(mean) for mean in means)
    if isinstance(law, Empirical) and tuple(means) != law.means:
        return  # an empirical law fixes the means
    if possible and sorted(means, reverse=True) == means:
        yield Instance(means, held, plays, law)
