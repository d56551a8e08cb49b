"""Would we notice? Wrong versions of the toolkit are planted, one at a time, and looked for.

The kill rate is the share of planted mistakes that at least one detector notices. A survivor is
reported, not hidden.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Outcome:
    """A planted mistake, and the detectors that noticed it."""

    mutation: str
    by: tuple[str, ...]

    @property
    def caught(self) -> bool:
        return bool(self.by)

    def to_json(self) -> dict[str, Any]:
        return {"mutation": self.mutation, "caught": self.caught, "by": list(self.by)}


def selftest(progress: Progress | None = None, *, every: bool = True) -> list[Outcome]:
    """Plant each mutation and run every detector (or only until one notices).

    Before that, all detectors must be content.
    """
    from boundcheck.selftest.detectors import DETECTORS
    from boundcheck.selftest.mutations import MUTATIONS

    alarmed = _alarms(DETECTORS)
    if alarmed:
        raise RuntimeError(f"the toolkit is broken before anything is planted: {alarmed}")
    outcomes = []
    for name, plant in MUTATIONS.items():
        if progress:
            progress(name)
        with plant():
            outcomes.append(Outcome(name, _alarms(DETECTORS, every)))
    return outcomes


def _alarms(detectors: dict[str, Callable[[], bool]], every: bool = True) -> tuple[str, ...]:
    alarms = (name for name, content in detectors.items() if not _content(content))
    return tuple(alarms if every else islice(alarms, 1))


def _content(detector: Callable[[], bool]) -> bool:
    """A planted mistake may also show as an error inside: that is noticed, too."""
    try:
        return detector()
    except (ArithmeticError, AssertionError, IndexError, KeyError, TypeError, ValueError):
        return False
