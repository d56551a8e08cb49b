"""The law `empirical` in an instance file: files of measurements, or values and weights.

    [reward]                          [reward]
    law = "empirical"                 law = "empirical"
    file = "rewards.csv"              values = [[0, 0.5, 1], [0.2, 0.4]]
    scale = 100                       weights = [[6, 3, 1], [1, 1]]

`file` (CSV, NPY or Parquet) has one column for each arm; `files` names one file for each arm. Names
are relative to the instance file.
"""

from __future__ import annotations

import io
import os
import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

from simulation.errors import InputError, shown
from simulation.files.arrays import measured_array, measured_parquet
from simulation.files.columns import EXPECTED as _A_FILE
from simulation.files.columns import LARGEST_DATA, Column, MeasuredArms
from simulation.files.delimited import measured_text
from simulation.rewards.samples import Empirical

KNOWN = ("law", "file", "files", "values", "weights", "scale")
_EXPECTED = "one of file, files, or values (with weights or without)"


def empirical(where: str, table: Mapping[str, Any], folder: Path | None) -> Empirical:
    """The law that the table `reward` describes; files are searched for in `folder`."""
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
        return Empirical.weighted(
            read_measurements(file, where).columns, scale, str(file), "column {}"
        )
    if not isinstance(table["files"], list):
        raise InputError(where, "reward.files", shown(table["files"]), "a list, a file an arm")
    paths = [
        _path(where, f"reward.files[{k}]", name, folder) for k, name in enumerate(table["files"], 1)
    ]
    each = [_only(path, where) for path in paths]
    return Empirical.weighted(each, scale, where, "reward.files[{}]")


def read_measurements(path: Path, where: str = "instance") -> MeasuredArms:
    """The content of a file of measurements, for `init` and for the empirical law."""
    shape = path.suffix.lower()
    label = str(path)
    with _opened(path, where) as file:
        if shape == ".npy":
            return measured_array(label, file)
        if shape in (".parquet", ".pq"):
            return measured_parquet(label, file)
        wide = file.peek(2)[:2] in (b"\xff\xfe", b"\xfe\xff")
        encoding = "utf-16" if wide else "utf-8-sig"
        with io.TextIOWrapper(file, encoding, newline="") as text:
            return measured_text(label, text)


@contextmanager
def _opened(path: Path, where: str) -> Iterator[io.BufferedReader]:
    """Open a regular file of limited size; a device or a pipe might never end."""
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            raise InputError(where, "reward.file", f"{shown(str(path))}: not a file", _A_FILE)
        file = open(path, "rb")  # noqa: SIM115 (what is wrong with its content is another error)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        told = f"{shown(str(path))}: {reason}"
        raise InputError(where, "reward.file", told, _A_FILE) from None
    with file:
        if found.st_size > LARGEST_DATA:
            told = f"more than {LARGEST_DATA:,} bytes"
            raise InputError(shown(str(path)), "size", told, "a smaller file of measurements")
        yield file


def _only(path: Path, where: str) -> Column:
    found = read_measurements(path, where).columns
    if len(found) != 1:
        raise InputError(str(path), "columns", str(len(found)), "one, in a file for one arm")
    return found[0]


def _weighted(where: str, table: Mapping[str, Any]) -> list[dict[Any, Any]]:
    """Values and weights of each arm; a single list of values is shared by all arms."""
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
    """A hashable value; lists and tables become text, which is later refused as not a number."""
    return value if isinstance(value, str | int | float | Fraction) else repr(value)


def _path(where: str, field: str, name: object, folder: Path) -> Path:
    if not isinstance(name, str) or not name:
        raise InputError(where, field, shown(name), _A_FILE)
    return folder / name
