"""What an agent knows of its arms, as a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulation.formatting import number
from simulation.tables import Table, Tabular


@dataclass(frozen=True, eq=False)
class Summary(Tabular):
    """What an agent knows; the intervals hold for all slots at once with 95 % confidence."""

    title: str
    arms: Sequence[str]
    mean: np.ndarray
    width: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    plays: np.ndarray
    best: np.ndarray

    def cells(self) -> dict[str, list[Any]]:
        """One line per arm."""
        ends = {"mean_low": self.mean - self.width, "mean_high": self.mean + self.width}
        found = {"mean": self.mean, **ends, "capacity_low": self.lower, "capacity_high": self.upper}
        found |= {"plays": self.plays.astype(np.int64), "best": self.best}
        return {"arm": list(self.arms)} | {name: each.tolist() for name, each in found.items()}

    def summary(self) -> Table:
        headings = ["arm", "mean", "+-", "capacity", "plays so far", "would play"]
        shown_width = [number(w) if math.isfinite(w) else "-" for w in self.width]
        capacity = [f"{low} to {high}" for low, high in zip(self.lower, self.upper, strict=True)]
        columns = (self.arms, map(number, self.mean), shown_width, capacity)
        numbers = ([f"{each:,.0f}" for each in self.plays], map(str, self.best))
        return Table(
            self.title, headings, [list(row) for row in zip(*columns, *numbers, strict=True)]
        )
