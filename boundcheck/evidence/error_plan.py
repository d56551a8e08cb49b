"""The error budget of a theory: the level at which each statement is tested.

By the union bound, the probability that any true statement is refuted is at most the sum of the
levels. The levels are equal and planned in advance, as exact rationals rounded down.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import nextafter
from typing import TYPE_CHECKING, Any

from boundcheck.evidence.inputs import open_unit
from simulation.tables import counted

if TYPE_CHECKING:
    from boundcheck.judging.finding import Finding


@dataclass(frozen=True)
class ErrorPlan:
    """Equal levels for the statements that may be decided by sampling.

    >>> plan = ErrorPlan(1e-6, {"lem-1 intended", "lem-2 intended"})
    >>> plan.level("lem-1 intended")
    5e-07
    """

    total: float
    statements: Collection[str]

    def __post_init__(self) -> None:
        open_unit("budget", "total", self.total)

    def level(self, statement: str, parts: int = 1) -> float:
        """The level of one statement, or of each of several tests that decide it."""
        if statement not in self.statements:
            raise KeyError(statement)
        return _rounded_down(Fraction(self.total) / len(self.statements) / parts)


@dataclass(frozen=True)
class Spent:
    """The part of an error budget that was spent, with the level of each decision."""

    total: float
    checks: tuple[dict[str, Any], ...]

    @classmethod
    def by(cls, plan: ErrorPlan, findings: Iterable[Finding]) -> Spent:
        """A statement decided by sampling spends its level once, however many cases it has."""
        checks = {}
        for f in findings:
            if any(one.sampled for one in f.judged):
                name, seen = f"{f.claim} {f.statement}", f.evidence.get("detectable")
                told = {"check": name, "level": plan.level(name)}
                checks[name] = told | {"verdict": str(f.verdict), "detectable": seen}
        return cls(plan.total, tuple(checks.values()))

    @property
    def spent(self) -> float:
        """The sum of the levels; never above the total."""
        return _rounded_down(sum((Fraction(check["level"]) for check in self.checks), Fraction(0)))

    def __str__(self) -> str:
        """The number of statements decided by sampling, and the probability of an error."""
        if not self.checks:
            return "No statement was decided by observation: no verdict here is subject to chance"
        verb = "was" if len(self.checks) == 1 else "were"
        return (
            f"{counted(len(self.checks), 'statement')} {verb} decided by observation; the chance "
            f"that a true one is refuted is at most {self.total:g} (spent {self.spent:.3g})"
        )

    def to_json(self) -> dict[str, Any]:
        return {"total": self.total, "spent": self.spent, "checks": list(self.checks)}


def _rounded_down(value: Fraction) -> float:
    """The largest float not above `value`."""
    nearest = float(value)
    return nearest if Fraction(nearest) <= value else nextafter(nearest, 0.0)
