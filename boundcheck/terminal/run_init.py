"""`boundcheck init`: write an instance file to start from, or one for a file of measurements."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import resources
from math import ceil
from pathlib import Path

from simulation.errors import InputError
from simulation.escaping import one_line
from simulation.files.columns import MeasuredArms
from simulation.files.measurements import read_measurements
from simulation.files.toml_writing import toml_string, toml_value
from simulation.numbers import decimal, exact
from simulation.rewards.samples import Empirical
from simulation.world.instance import Instance

MOST_SHOWN = 200  # arms listed in the comments
LONGEST_NAME = 30
ARM_HEADERS = ("arm", "rows used", "left out", "smallest", "mean", "largest")


def starter() -> str:
    """The text of a commented instance file."""
    return resources.files("boundcheck").joinpath("starter.toml").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Understood:
    """The content of a file of measurements, and the instance file made from it."""

    found: MeasuredArms
    source: str  # the path of the measurements in the instance file
    law: Empirical  # with the proposed scale
    folder: Path

    @classmethod
    def of(cls, data: str, output: str | None) -> Understood:
        folder = Path() if output is None else Path(output).parent
        found = read_measurements(Path(data), data)
        if len(found.columns) < 2:
            raise InputError(data, "columns", "1", "a column of measurements for each arm")
        largest = max((exact(x) for column in found.columns for x in column), default=Fraction(0))
        law = Empirical.weighted(found.columns, round_above(largest), data, "column of arm {}")
        return cls(found, os.path.relpath(data, folder), law, folder)

    def sentences(self) -> Iterator[str]:
        """What was read, in a few lines."""
        found, names = self.found, ", ".join(self.found.names)
        yield one_line(
            f"{len(found.columns)} arms and {found.rows:,} rows in {self.source}: {names}", 300
        )
        yield from (one_line(note) for note in found.notes)
        if found.unit:
            yield one_line(f"unit of rewards: {found.unit}")
        if any(found.left_out):
            told = f"{sum(found.left_out):,} cells without a number (empty, n/a, nan, dashes)"
            yield f"{told} are left out, each for its arm alone"
        unit = f" {one_line(found.unit, 20)}" if found.unit else ""
        highest = self.law.largest * self.law.scale
        yield (
            f"scale {decimal(self.law.scale)}: the smallest number of two digits not below the "
            f"largest value, {decimal(highest, 6)}{unit}"
        )
        yield (
            "a tighter maximum that you know makes a policy such as law-free faster: what it loses "
            "grows about with the square of the scale, so half of it loses a quarter"
        )

    def arm_rows(self) -> list[tuple[str, ...]]:
        """For each arm the rows used and left out, and the measured range."""
        found = self.found
        return [
            (
                one_line(name, LONGEST_NAME),
                f"{used:,}",
                f"{left_out:,}",
                *(
                    decimal(number * self.law.scale, 6)
                    for number in (sample.values[0], sample.mean, sample.values[-1])
                ),
            )
            for name, used, left_out, sample in zip(
                found.names, found.used, found.left_out, self.law.samples, strict=True
            )
        ]

    def toml(self, where: str) -> str:
        """The instance file, with comments where it should be edited."""
        arms = len(self.found.columns)
        lines = [
            *(f"# {line}" for line in self.sentences()),
            *(f"#   {line}" for line in _aligned([ARM_HEADERS, *self.arm_rows()])),
            f"name = {toml_string(one_line(Path(self.source).stem))}",
            "",
            "# plays in each slot, fewer than there are arms: EDIT",
            f"plays = {max(arms // 2, 1)}",
            "",
            "# how many plays each arm can serve at once: EDIT",
            f"capacities = [{', '.join(['1'] * arms)}]",
            "",
            f"names = [{', '.join(map(toml_string, self.found.names))}]",
            *([f"unit = {toml_string(self.found.unit)}"] if self.found.unit else []),
            "",
            "[reward]",
            'law = "empirical"           # rewards are drawn from the measurements',
            *self._source(),
            "",
            "[knowledge]                 # what you know before the first slot: EDIT",
            "law = false                 # false: no policy is recommended that must be told it",
            "horizon = false",
            "capacities = false",
        ]
        text = "\n".join(lines) + "\n"
        Instance.from_toml(text, where, self.folder)  # reports errors now
        return text

    def _source(self) -> Iterator[str]:
        """The file and the scale; the values themselves if TOML cannot contain the file's name."""
        if self.source.encode(errors="ignore").decode() == self.source:
            yield f"file = {toml_string(self.source)}"
            note = "  # rewards are divided by it: EDIT if you know the largest reward possible"
            yield f"scale = {decimal(self.law.scale)}{note}"
            return
        yield "# the values themselves: the name of their file is not UTF-8"
        yield from (f"{name} = {toml_value(value)}" for name, value in self.law.fields().items())


def round_above(largest: Fraction) -> Fraction:
    """The smallest number of two digits that is not below the largest value; 1 if that is 0.

    >>> [str(round_above(Fraction(x))) for x in ("297.3", "101", "0.031", "100", "996")]
    ['300', '110', '31/1000', '100', '1000']
    """
    if largest <= 0:
        return Fraction(1)
    step = Fraction(1)
    while largest < 10 * step:
        step /= 10
    while largest >= 100 * step:
        step *= 10
    return ceil(largest / step) * step


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Names left-aligned, numbers right-aligned; only the first arms if there are many."""
    shown = rows[: MOST_SHOWN + 1]
    wide = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for name, *cells in shown:
        numbers = (cell.rjust(width) for cell, width in zip(cells, wide[1:], strict=True))
        yield "  ".join([name.ljust(wide[0]), *numbers])
    if len(rows) > len(shown):
        yield f"and {len(rows) - len(shown):,} more arms"
