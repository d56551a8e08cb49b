"""`Measured`: the content of a file of measurements, a column for each arm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from simulation.errors import InputError
from simulation.rewards.samples import MOST_VALUES

LARGEST_ARMS = 10_000
LARGEST_DATA = 20_000_000  # bytes
EXPECTED = "CSV, NPY or Parquet, a column of measurements for each arm"

Column = Mapping[Any, int]  # how often each value was measured; values as written


@dataclass(frozen=True)
class MeasuredArms:
    """The arms of a file, and what was left out."""

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: int
    left_out: tuple[int, ...]  # cells without a number, for each arm
    unit: str | None = None
    notes: tuple[str, ...] = field(default=())  # notes on how the file was read

    @property
    def used(self) -> tuple[int, ...]:
        """The number of measurements of each arm."""
        return tuple(sum(column.values()) for column in self.columns)


def require_few_arms(where: str, arms: int, field: str = "columns") -> None:
    """Refuse more arms than an instance may have, before building anything for them."""
    if arms > LARGEST_ARMS:
        found = f"more than {LARGEST_ARMS:,}"
        raise InputError(where, field, found, f"at most {LARGEST_ARMS:,}, one for each arm")


def require_few_values(where: str, count: int, field: str = "values") -> None:
    """Refuse more distinct values than a law may have, before converting them."""
    if count > MOST_VALUES:
        found = f"more than {MOST_VALUES:,} different values"
        raise InputError(where, field, found, "fewer, rounded if need be")


def numbered(arms: int) -> tuple[str, ...]:
    return tuple(f"arm {k}" for k in range(1, arms + 1))
