"""One error budget for a whole run: what each check may spend on false refutations.

By the union bound the chance that any true claim is refuted is at most the sum of the levels. Two
ways to keep that sum below the total:
- the checks and their weights are known in advance: level = total * weight / (sum of weights);
- checks are added as they come: with cumulative weights W_0 = 1, W_i = W_{i-1} + w_i the level of
  check i is total * (1/W_{i-1} - 1/W_i), a telescoping series that never reaches the total.
Exact rationals, rounded down, so that the sum is below the total and not only nearly so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import nextafter
from typing import Any

from boundcheck.evidence.inputs import open_unit, positive
from boundcheck.evidence.verdicts import Verdict, plain
from simulation.errors import InputError, shown


@dataclass
class Entry:
    """One check in the ledger; without a verdict it was given a level and has not reported."""

    check: str
    level: float
    verdict: Verdict | None = None
    detectable: object = None


class Budget:
    """Hands out levels and keeps the ledger.

    >>> budget = Budget(1e-6)
    >>> budget.share("lem-5.1 coverage") < 1e-6
    True
    >>> budget.record("lem-5.1 coverage", Verdict.CONSISTENT, detectable=0.07)
    >>> print(budget)
    error budget 1e-06, spent 5e-07 on 1 check
      lem-5.1 coverage  level 5e-07  consistent  detectable 0.07
    """

    def __init__(self, total: float = 1e-6, planned: Mapping[str, float] | None = None) -> None:
        self.total = open_unit("budget", "total", total)
        self._planned = None if planned is None else _shares(planned)
        self._cumulative = Fraction(1)
        self._entries: dict[str, Entry] = {}

    def share(self, check: str, weight: float | None = None) -> float:
        """The level for this check. A plan fixes the weights; otherwise the weight is 1."""
        if check in self._entries:
            raise InputError("budget", "check", shown(check), "a name that has no level yet")
        if self._planned is None:
            fraction = self._open_share(1.0 if weight is None else weight)
        elif check not in self._planned:
            raise InputError("budget", "check", shown(check), "one of the planned checks")
        elif weight is not None:
            raise InputError("budget", "weight", shown(weight), "none: the plan has fixed it")
        else:
            fraction = self._planned[check]
        level = _rounded_down(fraction * Fraction(self.total))
        if not level > 0:
            raise InputError("budget", "weight", shown(weight), "one that leaves a positive level")
        self._entries[check] = Entry(check, level)
        return level

    def _open_share(self, weight: float) -> Fraction:
        added = _weight(weight)
        before, self._cumulative = self._cumulative, self._cumulative + added
        return added / (before * self._cumulative)

    def record(self, check: str, verdict: Verdict, detectable: object = None) -> None:
        """What the check found, and the discrepancy it could have seen."""
        entry = self._entries.get(check)
        if entry is None or entry.verdict is not None:
            raise InputError("budget", "check", shown(check), "one with a level and no verdict yet")
        entry.verdict, entry.detectable = Verdict(verdict), detectable

    @property
    def spent(self) -> float:
        """The sum of the levels handed out; never above the total."""
        return _rounded_down(sum((Fraction(e.level) for e in self._entries.values()), Fraction(0)))

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(self._entries.values())

    def to_json(self) -> dict[str, Any]:
        checks = [
            {
                "check": entry.check,
                "level": entry.level,
                "verdict": None if entry.verdict is None else str(entry.verdict),
                "detectable": plain(entry.detectable),
            }
            for entry in self.entries
        ]
        return {"total": self.total, "spent": self.spent, "checks": checks}

    def __str__(self) -> str:
        count = len(self._entries)
        checks = f"{count} check" if count == 1 else f"{count} checks"
        lines = [f"error budget {self.total:g}, spent {self.spent:.4g} on {checks}"]
        width = max((len(entry.check) for entry in self.entries), default=0)
        lines += [f"  {entry.check:<{width}}  {_outcome(entry)}" for entry in self.entries]
        return "\n".join(lines)


def _outcome(entry: Entry) -> str:
    verdict = "no verdict yet" if entry.verdict is None else str(entry.verdict)
    seen = "" if entry.detectable is None else f"  detectable {_short(entry.detectable)}"
    return f"level {entry.level:.4g}  {verdict}{seen}"


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(plain(value))


def _shares(planned: Mapping[str, float]) -> dict[str, Fraction]:
    weights = {check: _weight(weight) for check, weight in planned.items()}
    whole = sum(weights.values(), Fraction(0))
    return {check: weight / whole for check, weight in weights.items()}


def _weight(weight: float) -> Fraction:
    return Fraction(positive("budget", "weight", weight))


def _rounded_down(value: Fraction) -> float:
    """The largest float not above `value`."""
    nearest = float(value)
    return nearest if Fraction(nearest) <= value else nextafter(nearest, 0.0)
