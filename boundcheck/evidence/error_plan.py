"""One error budget for a whole theory: what each statement may spend on false refutations.

By the union bound the chance that any true statement is refuted is at most the sum of the levels.
The shares are planned in advance, in proportion to weights, as exact rationals rounded down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import nextafter

from boundcheck.evidence.inputs import open_unit, positive


@dataclass(frozen=True)
class ErrorPlan:
    """Levels by statement.

    >>> plan = ErrorPlan(1e-6, {"lem-5.1 intended": 1.0, "lem-D.1 intended": 3.0})
    >>> plan.level("lem-5.1 intended")
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
        whole = sum(map(Fraction, self.weights.values()), Fraction(0))
        return _rounded_down(Fraction(self.total) * weight / whole / parts)


def _rounded_down(value: Fraction) -> float:
    """The largest float not above `value`."""
    nearest = float(value)
    return nearest if Fraction(nearest) <= value else nextafter(nearest, 0.0)
