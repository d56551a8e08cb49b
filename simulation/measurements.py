"""The law `empirical` as an instance file gives it: CSV or NPY files, or values and weights.

    [reward]                          [reward]
    law = "empirical"                 law = "empirical"
    file = "rewards.csv"              values = [[0, 0.5, 1], [0.2, 0.4]]
    scale = 100                       weights = [[6, 3, 1], [1, 1]]

`file` has one column for each arm; `files` names one file for each arm. A CSV file may begin with
a line of names, and lines that begin with # are remarks. Names are relative to the instance file.
"""

from __future__ import annotations

import csv
import io
import os
import stat
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from simulation.errors import InputError, shown
from simulation.numbers import exact
from simulation.samples import Empirical

LARGEST_DATA = 20_000_000  # bytes
KNOWN = ("law", "file", "files", "values", "weights", "scale")
_EXPECTED = "one of file, files, or values (with weights or without)"
_A_FILE = "a CSV or NPY file of measurements"

Column = Mapping[Any, int]  # how often each value was measured, as it was written


def empirical(where: str, table: Mapping[str, Any], folder: Path | None) -> Empirical:
    """The law that the table `reward` describes; files are looked for in `folder`."""
    sources = [name for name in ("file", "files", "values") if name in table]
    if len(sources) != 1:
        raise InputError(where, "reward", " and ".join(sources) or "no values", _EXPECTED)
    if "weights" in table and sources != ["values"]:
        raise InputError(where, "reward.weights", "beside a file", "weights of `values`")
    scale = table.get("scale", 1)
    if sources == ["values"]:
        return Empirical.weighted(_weighted(where, table), scale, where)
    if folder is None:
        found = "a file, where there is no folder to look in"
        raise InputError(where, f"reward.{sources[0]}", found, "values in the text itself")
    if sources == ["file"]:
        file = _path(where, "reward.file", table["file"], folder)
        return Empirical.weighted(columns(file, where).values(), scale, str(file), "column {}")
    if not isinstance(table["files"], list):
        raise InputError(where, "reward.files", shown(table["files"]), "a list, a file an arm")
    paths = [
        _path(where, f"reward.files[{k}]", name, folder) for k, name in enumerate(table["files"], 1)
    ]
    measured = [_only(path, where) for path in paths]
    return Empirical.weighted(measured, scale, where, "reward.files[{}]")


def columns(path: Path, where: str = "instance") -> dict[str, Column]:
    """The columns of a file of measurements by name; without names they are numbered."""
    data = _content(path, where)
    if path.suffix.lower() == ".npy":
        return _numbered(_array_columns(str(path), data))
    return _text_columns(str(path), data)


def _only(path: Path, where: str) -> Column:
    found = columns(path, where)
    if len(found) != 1:
        raise InputError(str(path), "columns", str(len(found)), "one, in a file for one arm")
    return next(iter(found.values()))


def _weighted(where: str, table: Mapping[str, Any]) -> list[dict[Any, Any]]:
    """Values and weights of each arm; one list of values serves all arms with weights."""
    values, weights = table["values"], table.get("weights")
    for name in ("values", "weights"):
        given = table.get(name, [])
        nested = [isinstance(row, list) for row in given] if isinstance(given, list) else [False]
        shared = name == "values" and "weights" in table and isinstance(given, list)
        if not all(nested) and not (shared and not any(nested)):
            raise InputError(where, f"reward.{name}", shown(given), "a list of lists, one an arm")
    if weights is None:
        return [dict(Counter(map(_readable, row))) for row in values]
    if not (values and isinstance(values[0], list)):
        values = [values] * len(weights)
    if len(values) != len(weights):
        found = f"{len(weights)} lists for {len(values)} arms"
        raise InputError(where, "reward.weights", found, "one list of weights for each arm")
    for arm, (row, shares) in enumerate(zip(values, weights, strict=True), 1):
        if len(row) != len(shares):
            found = f"{len(shares)} weights for {len(row)} values"
            raise InputError(where, f"reward.weights[{arm}]", found, "one weight for each value")
        if len(set(map(_readable, row))) < len(row):
            raise InputError(where, f"reward.values[{arm}]", "a value twice", "each value once")
    return [
        dict(zip(map(_readable, row), shares, strict=True))
        for row, shares in zip(values, weights, strict=True)
    ]


def _readable(value: Any) -> Any:
    """What can be a key; a list or a table is shown, and refused as a number later."""
    return value if isinstance(value, str | int | float | Fraction) else repr(value)


def _path(where: str, field: str, name: object, folder: Path) -> Path:
    if not isinstance(name, str) or not name:
        raise InputError(where, field, shown(name), _A_FILE)
    return folder / name


def _content(path: Path, where: str) -> bytes:
    """All of a regular file, if it is not too large."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise InputError(where, "reward.file", f"{shown(str(path))}: not a file", _A_FILE)
        with open(path, "rb") as file:
            data = file.read(LARGEST_DATA + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        found = f"{shown(str(path))}: {reason}"
        raise InputError(where, "reward.file", found, _A_FILE) from None
    if len(data) > LARGEST_DATA:
        found = f"more than {LARGEST_DATA:,} bytes"
        raise InputError(shown(str(path)), "size", found, "a smaller file of measurements")
    return data


def _text_columns(where: str, data: bytes) -> dict[str, Column]:
    rows = list(_rows(where, data))
    if not rows:
        raise InputError(where, "rows", "none", "a column of measurements for each arm")
    first = [cell.strip() for cell in rows[0][1]]
    names = first if all(map(_is_name, first)) else None
    rows = rows if names is None else rows[1:]
    width = len(rows[0][1] if names is None else names)
    counted: list[Counter[str]] = [Counter() for _ in range(width)]
    for line, cells in rows:
        if len(cells) != width:
            found = f"{len(cells)} cells beside {width} columns"
            raise InputError(where, f"line {line}", found, "columns of one length")
        for k, cell in enumerate(cells):
            counted[k][cell.strip()] += 1
    _require_numbers(where, rows, counted)
    if names is None:
        return _numbered(counted)
    if len(set(names)) < width:
        raise InputError(where, "line 1", "a name twice", "a name for each column")
    return dict(zip(names, counted, strict=True))


def _rows(where: str, data: bytes) -> Iterator[tuple[int, list[str]]]:
    """The lines that are neither empty nor remarks, with their numbers."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(where, "text", "not UTF-8", "a CSV file") from None
    reader = csv.reader(io.StringIO(text))
    try:
        for cells in reader:
            if cells and not cells[0].lstrip().startswith("#"):
                yield reader.line_num, cells
    except csv.Error as error:
        raise InputError(where, f"line {reader.line_num}", str(error), "a CSV file") from None


def _require_numbers(
    where: str, rows: Sequence[tuple[int, list[str]]], counted: Sequence[Counter[str]]
) -> None:
    """Each different text is looked at once; the place of a bad one is found only then."""
    for k, column in enumerate(counted):
        bad = next((text for text in column if not _is_number(text)), None)
        if bad is not None:
            line = next(line for line, cells in rows if cells[k].strip() == bad)
            field = f"line {line}, column {k + 1}"
            raise InputError(where, field, shown(bad), "a finite number")


def _is_name(text: str) -> bool:
    """A column's name: neither a number nor what stands for a missing one."""
    missing = text.lower().lstrip("+-") in (
        "",
        "nan",
        "na",
        "n/a",
        "null",
        "none",
        "inf",
        "infinity",
    )
    return not missing and not _is_number(text)


def _is_number(text: str) -> bool:
    try:
        exact(text)
    except ValueError:
        return False
    return True


def _numbered(found: Sequence[Column]) -> dict[str, Column]:
    return {f"arm {k}": column for k, column in enumerate(found, 1)}


def _array_columns(where: str, data: bytes) -> list[Column]:
    """The columns of an NPY file; its header is believed only if it fits the file."""
    import numpy as np
    from numpy.lib import format as npy

    file = io.BytesIO(data)
    try:
        read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
        shape, by_columns, dtype = read[npy.read_magic(file)](file)
    except (ValueError, KeyError):
        raise InputError(where, "header", "not that of an NPY file", _A_FILE) from None
    if dtype.kind not in "iufb" or dtype.itemsize > 8 or len(shape) not in (1, 2):
        found = f"{len(shape)}-dimensional, {dtype}"
        raise InputError(where, "array", shown(found), "rows by arms of real numbers")
    body = data[file.tell() :]
    rows, width = shape if len(shape) == 2 else (*shape, 1)
    if rows * width * dtype.itemsize != len(body):
        raise InputError(where, "array", "shorter or longer than its header says", "all of it")
    array = np.frombuffer(body, dtype).reshape((rows, width), order="F" if by_columns else "C")
    if not np.isfinite(array).all():
        line, k = (int(place[0]) + 1 for place in np.nonzero(~np.isfinite(array)))
        raise InputError(where, f"row {line}, column {k}", "not finite", "a finite number")
    return [_counted(array[:, k]) for k in range(width)]


def _counted(column: Any) -> Column:
    import numpy as np

    values, counts = np.unique(column, return_counts=True)
    exactly = [
        Fraction(x) for x in values.astype(float if column.dtype.kind == "f" else int).tolist()
    ]
    return dict(zip(exactly, counts.tolist(), strict=True))
