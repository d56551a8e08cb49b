"""One error budget for a whole theory: what each statement may spend on false refutations.

By the union bound the chance that any true statement is refuted is at most the sum of the levels.
The shares are planned in advance, in proportion to weights, as exact rationals rounded down.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from math import nextafter
from typing import Any

from boundcheck.evidence.inputs import open_unit, positive
from boundcheck.finding import Finding, plain


@dataclass(frozen=True)
class ErrorPlan:
    """Levels by statement.

    >>> plan = ErrorPlan(1e-6, {"lem-1 intended": 1.0, "lem-2 intended": 3.0})
    >>> plan.level("lem-1 intended")
    2.5e-07
    """

    total: float
    weights: Mapping[str, float]

    def __post_init__(self) -> None:
        open_unit("budget", "total", self.total)
        for weight in self.weights.values():
            positive("budget", "weight", weight)

    def level(self, statement: str, parts: int = 1) -> float:
        """The level of one statement, or of each of several tests that decide it."""
        weight = Fraction(self.weights[statement])
        return _rounded_down(Fraction(self.total) * weight / self._whole / parts)

    @cached_property
    def _whole(self) -> Fraction:
        return sum(map(Fraction, self.weights.values()), Fraction(0))


@dataclass(frozen=True)
class Spent:
    """What decisions by observation spent of an error budget."""

    total: float
    entries: tuple[Entry, ...]

    @classmethod
    def by(cls, plan: ErrorPlan, findings: Iterable[Finding]) -> Spent:
        """A statement decided by observation has spent its level, however many cases it has."""
        observed = (f for f in findings if any(one.sampled for one in f.judged))
        entries = {
            name: Entry(name, plan.level(name), str(f.verdict), plain(f.evidence.get("detectable")))
            for f in observed
            for name in [f"{f.claim} {f.statement}"]
        }
        return cls(plan.total, tuple(entries.values()))

    @property
    def spent(self) -> float:
        """The sum of the levels; never above the total."""
        return _rounded_down(sum((Fraction(e.level) for e in self.entries), Fraction(0)))

    def to_json(self) -> dict[str, Any]:
        checks = [asdict(entry) for entry in self.entries]
        return {"total": self.total, "spent": self.spent, "checks": checks}


@dataclass(frozen=True)
class Entry:
    """One statement that was decided by observation."""

    check: str
    level: float
    verdict: str
    detectable: object


def _rounded_down(value: Fraction) -> float:
    """The largest float not above `value`."""
    nearest = float(value)
    return nearest if Fraction(nearest) <= value else nextafter(nearest, 0.0)
