"""Finding and simplifying: random examples that climb, then the simplest one that still fails.

`hunt` runs hypothesis with `target`, so that later examples resemble those that came closest. A
score in floats decides what is worth certifying; only what is certified counts. `simplest` then
tries simpler examples, most drastic change first, until none of them fails any more: hypothesis'
own shrinker works on random choices and leaves decimals that are short but not round.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, floor, isfinite
from tempfile import TemporaryDirectory
from typing import Generic, TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings, target
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.internal.conjecture import providers
from hypothesis.strategies import DrawFn, SearchStrategy

from simulation.instance import Instance
from simulation.rewards import Gaussian, RewardLaw

Example = TypeVar("Example")
_DRAWS_PER_EXAMPLE = 5
_TRIES = 1_500  # simpler examples to try, once there is one


@dataclass
class Budget:
    """How many examples to look at in each search and how long in all; `seed` repeats a search."""

    examples: int
    seconds: float
    seed: int = 0
    _until: float = field(init=False)

    def __post_init__(self) -> None:
        self._until = time.monotonic() + self.seconds

    def part(self, parts: int) -> Budget:
        """A budget of a part of the examples, with the same end."""
        budget = replace(self, examples=max(self.examples // parts, 1))
        budget._until = self._until
        return budget

    @property
    def late(self) -> bool:
        return time.monotonic() > self._until


class _Stop(AssertionError):
    """Raised to tell hypothesis that it may stop: an example was found, or time is up."""


@dataclass(frozen=True)
class Hunted(Generic[Example]):
    """The example found, if any, and how many were looked at."""

    example: Example | None
    examples: int
    closest: float  # the largest score


def hunt(
    strategy: SearchStrategy[Example],
    score: Callable[[Example], float],
    certified: Callable[[Example], bool],
    budget: Budget,
) -> Hunted[Example]:
    """Look for an example with a score above 0 that is certified."""
    found: list[Example] = []
    drawn, seen, closest = 0, 0, float("-inf")

    @st.composite
    def limited(draw: DrawFn) -> Example:
        nonlocal drawn
        drawn += 1
        # climbing may dwell on draws that lead to no example: they count too
        if not found and (budget.late or drawn > _DRAWS_PER_EXAMPLE * budget.examples):
            raise _Stop
        return draw(strategy)

    def attempt(example: Example) -> None:
        nonlocal seen, closest
        seen += 1
        value = score(example)
        if isfinite(value):
            target(value)
            closest = max(closest, value)
        if value > 0 and certified(example):
            found.append(example)
            raise _Stop

    chosen = _quietly(budget.examples, Phase.generate, Phase.target)
    with no_files_left(), same_examples(), suppress(_Stop):
        seed(budget.seed)(chosen(given(limited())(attempt)))()
    return Hunted(found[0] if found else None, seen, closest)


def drawn(strategy: SearchStrategy[Example], number: int) -> Example:
    """An example that depends on a seed alone, and is independent of those of other seeds.

    In a longer search hypothesis starts small and stays near what it has seen. Its first example
    is the simplest of all, the second is the first random one.
    """
    examples: list[Example] = []

    def keep(example: Example) -> None:
        examples.append(example)

    with no_files_left(), same_examples():
        seed(number)(_quietly(2, Phase.generate)(given(strategy)(keep)))()
    return examples[-1]


def _quietly(examples: int, *phases: Phase) -> settings:
    return settings(
        max_examples=examples,
        phases=phases,
        database=None,
        deadline=None,
        derandomize=False,
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )


@contextmanager
def no_files_left() -> Iterator[None]:
    """hypothesis keeps a directory in the working directory; a command should not."""
    with TemporaryDirectory() as place:
        set_hypothesis_home_dir(place)
        try:
            yield
        finally:
            set_hypothesis_home_dir(None)


@contextmanager
def same_examples() -> Iterator[None]:
    """A seed alone decides on the examples, not which modules happen to be loaded.

    hypothesis likes to draw numbers that stand in the source of loaded modules outside
    site-packages: of this project too, when it is installed from a checkout. It has no setting
    against that, and older versions do not do it.
    """
    looked_up = getattr(providers, "_get_local_constants", None)
    if looked_up is None:
        yield
        return
    nothing = type(providers._local_constants)()
    providers.CONSTANTS_CACHE.cache.clear()
    providers._get_local_constants = lambda: nothing
    try:
        yield
    finally:
        providers._get_local_constants = looked_up
        providers.CONSTANTS_CACHE.cache.clear()


def simplest(
    example: Example,
    simpler: Callable[[Example], Iterable[Example]],
    fails: Callable[[Example], bool],
    budget: Budget,
) -> Example:
    """Follow `simpler` (each strictly simpler than the one before) as long as something fails."""
    tried = 0
    while not budget.late and tried < _TRIES:
        for candidate in simpler(example):
            tried += 1
            if fails(candidate):
                example = candidate
                break
            if budget.late:
                return example
        else:
            return example
    return example


# -- what is simpler ---------------------------------------------------------------------


def rounder(value: Fraction) -> Iterator[Fraction]:
    """Decimals that are simpler than this one and not far from it, simplest first."""
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
    """Positive decimals with fewer digits: a smaller variance is not a simpler one."""
    yield from (x for x in rounder(value) if x > 0 and complexity(x)[:2] < complexity(value)[:2])


def complexity(value: Fraction) -> tuple[int, int, Fraction]:
    """Decimal places (very many if there is no end to them), significant digits, size."""
    places, rest = 0, value
    while rest.denominator != 1 and places <= 400:
        places, rest = places + 1, rest * 10
    digits = len(str(abs(rest.numerator)).rstrip("0")) if places <= 400 else 400
    return places, digits, abs(value)


def fewer(value: int, least: int = 1) -> Iterator[int]:
    """Smaller whole numbers: the least, half way, one less."""
    near = (least, (least + value) // 2, value - 1)
    yield from dict.fromkeys(x for x in near if least <= x < value)


def rounder_counts(value: int) -> Iterator[int]:
    """Numbers of explorations with fewer significant digits, or smaller, simplest first."""
    leading = 10 ** (len(str(value)) - 1)
    near = {10**e for e in range(len(str(value)) + 1)} | {d * leading for d in range(1, 10)}
    near |= {value - 1, value // 2, value // 10 * 10} if value <= 1000 else set()
    # a little more is welcome where it is rounder, much more makes exact sums slow
    simpler = (x for x in near if 1 <= x <= 1.2 * value and _digits(x) < _digits(value))
    yield from sorted(simpler, key=_digits)


def _digits(value: int) -> tuple[int, int]:
    return len(str(value).rstrip("0")), value


def simpler_instances(instance: Instance) -> Iterator[Instance]:
    """Fewer arms or plays, smaller capacities, a rounder variance, rounder means: in this order."""
    order = list(instance.order)
    means = [instance.means[k] for k in order]
    held = [instance.capacities[k] for k in order]
    plays, law = instance.plays, instance.reward
    for fewer_plays in (plays, plays - 1):
        for k in range(len(means)):
            if 1 <= fewer_plays < len(means) - 1:
                kept = [min(m, fewer_plays) for m in held]
                rest = means[:k] + means[k + 1 :], kept[:k] + kept[k + 1 :]
                yield from _legal(*rest, fewer_plays, law)
    for k, m in enumerate(held):
        for less in fewer(m):
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
    """The instance, if its arms are best first and earn something the law can earn."""
    possible = all(mean >= 0 and law.admits(mean) for mean in means)
    if possible and sorted(means, reverse=True) == means:
        yield Instance(means, held, plays, law)


# -- thresholds --------------------------------------------------------------------------


def bisected(
    holds: Callable[[Fraction], bool], low: Fraction, high: Fraction, digits: int = 18
) -> tuple[Fraction, Fraction]:
    """Where a certified, increasing predicate changes: it fails at `low`, holds at `high`."""
    while high - low > high / 10**digits:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low, high
