"""Search for a failing example, then for the simplest one that still fails.

`hunt` runs hypothesis with `target`, so that later examples resemble those that came closest. A
score in floats decides which examples are worth certifying; only certified ones count. `simplest`
then tries simpler examples, largest change first, until none of them fails: hypothesis' own
shrinker works on its random choices and leaves decimals that are short but not round.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite
from tempfile import TemporaryDirectory
from typing import TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings, target
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.errors import Flaky
from hypothesis.internal.conjecture import providers
from hypothesis.strategies import DrawFn, SearchStrategy

Example = TypeVar("Example")
_DRAWS_PER_EXAMPLE = 5
_TRIES = 1_500  # limit on simpler examples


@dataclass
class SearchLimit:
    """The number of examples and the total time of a search; `seed` makes it reproducible."""

    examples: int
    seconds: float
    seed: int = 0
    _until: float = field(init=False)

    def __post_init__(self) -> None:
        self._until = time.monotonic() + self.seconds

    @property
    def late(self) -> bool:
        return time.monotonic() > self._until


class _Stop(AssertionError):
    """Raised to make hypothesis stop: an example was found, or time is up."""


def hunt(
    strategy: SearchStrategy[Example],
    score: Callable[[Example], float],
    certified: Callable[[Example], bool],
    limit: SearchLimit,
) -> tuple[Example | None, int]:
    """Search for an example with a score above 0 that is certified; also returns the number
    tried.
    """
    found: list[Example] = []
    drawn, seen = 0, 0

    @st.composite
    def limited(draw: DrawFn) -> Example:
        nonlocal drawn
        drawn += 1
        # targeting may produce draws without an example: they count too
        if not found and (limit.late or drawn > _DRAWS_PER_EXAMPLE * limit.examples):
            raise _Stop
        return draw(strategy)

    def attempt(example: Example) -> None:
        nonlocal seen
        seen += 1
        value = score(example)
        if isfinite(value):
            target(value)
        if value > 0 and certified(example):
            found.append(example)
            raise _Stop

    chosen = _quietly(limit.examples, Phase.generate, Phase.target)
    # running out of time while a draw is replayed looks flaky to hypothesis
    with no_files_left(), same_examples(), suppress(_Stop, Flaky):
        seed(limit.seed)(chosen(given(limited())(attempt)))()
    return (found[0] if found else None), seen


def example_of_seed(strategy: SearchStrategy[Example], number: int) -> Example:
    """An example that depends on the seed only and is independent of those of other seeds.

    Hypothesis starts small and stays near earlier examples. Its first example is the simplest one;
    the second, which is returned, is the first random one.
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
    """Keep hypothesis' directory out of the working directory."""
    with TemporaryDirectory() as place:
        set_hypothesis_home_dir(place)
        try:
            yield
        finally:
            set_hypothesis_home_dir(None)


@contextmanager
def same_examples() -> Iterator[None]:
    """Make examples depend on the seed only, not on which modules are loaded.

    hypothesis likes to draw numbers that occur in the source of loaded modules outside
    site-packages, including this project if it is installed from a checkout. There is no setting
    against that; older versions do not do it.
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
    limit: SearchLimit,
) -> Example:
    """Follow `simpler` (each example strictly simpler than the last) as long as something fails."""
    tried = 0
    while not limit.late and tried < _TRIES:
        for candidate in simpler(example):
            tried += 1
            if fails(candidate):
                example = candidate
                break
            if limit.late:
                return example
        else:
            return example
    return example


def bisected(
    holds: Callable[[Fraction], bool], low: Fraction, high: Fraction, digits: int = 18
) -> tuple[Fraction, Fraction]:
    """Where a certified, increasing predicate changes: it is false at `low` and true at `high`."""
    while high - low > high / 10**digits:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low, high
