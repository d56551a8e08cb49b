"""Read CSV files with any separator, decimal commas, timestamps, gaps and units.

The file is read once, as a stream. The length of lines and the number of cells are checked before
splitting; each distinct value is stored once, with how often it occurs in its column.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import IO

from simulation.errors import InputError, shown
from simulation.files.columns import (
    EXPECTED,
    LARGEST_ARMS,
    LARGEST_DATA,
    MeasuredArms,
    numbered,
    require_few_arms,
    require_few_values,
)
from simulation.files.headings import (
    common_unit,
    has_thousands,
    is_heading,
    is_missing,
    is_number,
    separator,
    separator_words,
    split_unit,
    tells_no_arm,
)

LONGEST_LINE = 2_000_000  # characters
MOST_CELLS = 2 * LARGEST_ARMS  # quoted names may contain separators
LEAST_COUNT = 3  # rows from which on 1, 2, 3 in a first column without a name counts as row numbers


def measured_text(where: str, file: IO[str]) -> MeasuredArms:
    """The columns of an open CSV file (opened with `newline=""`)."""
    try:
        first = list(islice(_told(_Lines(where, file)), 2))
        file.seek(0)
        return _Reading(where, separator(first)).of(_Lines(where, file))
    except UnicodeDecodeError:
        raise InputError(where, "text", "not UTF-8", "a CSV file in UTF-8") from None


def _told(lines: _Lines) -> Iterator[str]:
    return (line for line in lines if line.strip() and not line.lstrip('\ufeff "').startswith("#"))


class _Lines:
    """The lines of a file; too long lines and records with too many cells are errors."""

    def __init__(self, where: str, file: IO[str], between: str = "") -> None:
        self.where, self.file, self.between = where, file, between
        self.number = self.read = self.cells = 0

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self.file.readline(LONGEST_LINE + 1)
        if not line:
            raise StopIteration
        self.number += 1
        self.read += len(line)
        place = f"line {self.number}"
        if len(line) > LONGEST_LINE:
            self._refuse_wide(line)
            found = f"more than {LONGEST_LINE:,} characters"
            raise InputError(self.where, place, found, EXPECTED)
        if self.read > LARGEST_DATA:
            found = f"more than {LARGEST_DATA:,} bytes"
            raise InputError(self.where, "size", found, "a smaller file of measurements")
        self._refuse_wide(line)
        return line

    def _refuse_wide(self, line: str) -> None:
        if not self.between:
            self.cells = 0  # these lines are only inspected
        self.cells += max(map(line.count, self.between or "\t;,"))
        if self.cells > MOST_CELLS:
            require_few_arms(self.where, self.cells, f"line {self.number}, columns")

    def records(self, between: str) -> Iterator[tuple[int, list[str]]]:
        """The records that are not empty or comments, with the number of their last line."""
        self.between = between
        try:
            for cells in csv.reader(self, delimiter=between):
                self.cells = 0  # a record may span several lines, whose cells count together
                if cells and not _is_remark(cells[0].lstrip()):
                    yield self.number, [cell.strip() for cell in cells]
        except csv.Error as error:
            raise InputError(self.where, f"line {self.number}", str(error), "a CSV file") from None


def _is_remark(cell: str) -> bool:
    return cell.startswith("#") and cell != "#" and not is_missing(cell)


class _Reading:
    """The state of one pass over a file."""

    def __init__(self, where: str, between: str) -> None:
        self.where, self.between = where, between
        self.names: list[str] = []
        self.counted: list[Counter[str]] = []
        self.gaps: list[int] = []
        self.rows = self.different = 0
        self.leading = 0  # columns of timestamps or ids before the arms
        self.first = _FirstColumn()
        self.short: tuple[int, int] = (0, 0)  # number of short rows, and the line of the first
        self.marks: dict[str, int] = {}  # decimal sign -> the line where it was first seen
        self.unit: str | None = None
        self.heading = ""

    def of(self, lines: _Lines) -> MeasuredArms:
        records = lines.records(self.between)
        line, cells = next(records, (0, []))
        if not cells:
            raise InputError(self.where, "rows", "none", "a column of measurements for each arm")
        named = is_heading(cells)
        self._open(line, cells, named)
        if not named:
            self._add(line, cells)
        for line, cells in records:
            if named and not self.rows and self.unit is None:
                self.unit = common_unit(cells[max(self.leading, len(cells) > 1) :])
                if self.unit is not None:
                    continue
            self._add(line, cells)
        return self._close(named)

    def _open(self, line: int, cells: list[str], named: bool) -> None:
        while named and not cells[-1]:
            cells = cells[:-1]  # a separator at the end of each line
        require_few_arms(self.where, len(cells) - 1, f"line {line}, columns")
        self.heading = f"line {line}"
        self.names = cells if named else [""] * len(cells)
        while self.leading < len(cells) - 1 and tells_no_arm(self.names[self.leading]):
            self.leading += 1
        self.counted = [Counter() for _ in cells]
        self.gaps = [0] * len(cells)

    def _add(self, line: int, cells: list[str]) -> None:
        width = len(self.counted)
        if any(cells[width:]):
            found = f"{len(cells)} cells beside {width} columns"
            raise InputError(self.where, f"line {line}", found, f"at most {width} cells")
        if len(cells) < width:
            self.short = (self.short[0] + 1, self.short[1] or line)
            cells += [""] * (width - len(cells))
        self.rows += 1
        for k in range(self.leading, width):
            cell, column = cells[k], self.counted[k]
            if cell in column:
                column[cell] += 1
            elif is_missing(cell):
                self.gaps[k] += 1
            elif k or width == 1 or not self._kept_out(line, cell):
                self._new(line, k, cell)

    def _kept_out(self, line: int, cell: str) -> bool:
        """Whether a cell of the first column is a timestamp, an id or a row number."""
        first = self.first
        number = self._reads(cell)
        if first.is_text is None:
            first.is_text = not number
            first.counts = not self.names[0] and cell in ("0", "1")
        if first.is_text and (number or has_thousands(cell)):
            expected = "text throughout the first column, as above, or numbers throughout"
            if not number:
                expected = "a number without marks of thousands"
            raise InputError(self.where, f"line {line}, column 1", shown(cell), expected)
        if first.counts and not first.goes_on(cell):
            for seen in first.seen():
                self._new(line, 0, seen)
        return first.is_text or first.counts

    def _reads(self, cell: str) -> bool:
        return is_number(cell if self.between == "," else cell.replace(",", "."))

    def _new(self, line: int, k: int, cell: str) -> None:
        """Check a value that is new in its column."""
        place = f"line {line}, column {k + 1}"
        if not self._reads(cell):
            raise InputError(self.where, place, shown(cell), "a finite number, or an empty cell")
        for sign in ",.":
            if sign in cell:
                self.marks.setdefault(sign, line)
        if len(self.marks) == 2:
            found = f"{shown(cell)} (lines {self.marks[',']} and {self.marks['.']})"
            expected = "decimal points or decimal commas, not both, and no marks of thousands"
            raise InputError(self.where, place, found, expected)
        self.counted[k][cell] += 1
        self.different += 1
        require_few_values(self.where, self.different, f"line {line}")

    def _close(self, named: bool) -> MeasuredArms:
        first, width = self.first, len(self.counted)
        if first.counts and self.rows < LEAST_COUNT:
            for seen in first.seen():
                self._new(self.rows, 0, seen)
            first.counts = False
        while width > 1 and not (self.counted[-1] or self.names[-1]):
            width -= 1  # a separator at the end of each line
            self.counted.pop(), self.names.pop(), self.gaps.pop()
        kept_out = max(self.leading, int(bool(first.is_text or first.counts)))
        names = [name or f"arm {k}" for k, name in enumerate(self.names[kept_out:], 1)]
        if len(set(names)) < len(names):
            twice = next(name for name, times in Counter(names).items() if times > 1)
            found = f"a name twice: {shown(twice)}"
            raise InputError(self.where, self.heading, found, "a name for each column")
        bare, unit = split_unit(names) if named and not self.unit else (tuple(names), self.unit)
        return MeasuredArms(
            bare if named else numbered(width - kept_out),
            tuple(_with_points(column) for column in self.counted[kept_out:]),
            self.rows,
            tuple(self.gaps[kept_out:]),
            unit,
            tuple(self._notes(kept_out)),
        )

    def _notes(self, kept_out: int) -> Iterator[str]:
        if len(self.counted) > 1 or "," in self.marks:
            comma = " with decimal commas" if "," in self.marks else ""
            yield separator_words(self.between) + comma
        for k in range(kept_out):
            name = f", {shown(self.names[k])!r}" if self.names[k] else ""
            why = "rows are numbered" if self.first.counts and not self.leading else "time or ids"
            yield f"column {k + 1}{name}, is kept out: {why}"
        rows, line = self.short
        if rows:
            told = "1 row is" if rows == 1 else f"{rows:,} rows are"
            yield f"{told} short, from line {line} on: the cells that lack count as empty"


class _FirstColumn:
    """Decides whether a first column without a meaningful name is text or row numbers."""

    def __init__(self) -> None:
        self.is_text: bool | None = None  # determined by its first cell
        self.counts = False
        self.start = self.length = 0

    def goes_on(self, cell: str) -> bool:
        if not self.length:
            self.start = int(cell)
        if cell == str(self.start + self.length):
            self.length += 1
        else:
            self.counts = False
        return self.counts

    def seen(self) -> Iterator[str]:
        return map(str, range(self.start, self.start + self.length))


def _with_points(column: Counter[str]) -> dict[str, int]:
    return {cell.replace(",", "."): count for cell, count in column.items()}
