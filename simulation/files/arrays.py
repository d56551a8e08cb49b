"""Read measurements from NPY and Parquet files; headers are checked before arrays are built.

Nothing is unpickled: arrays of objects are refused. Parquet needs pyarrow (with which pandas reads
it, too).
"""

from __future__ import annotations

import tokenize
from collections import Counter
from fractions import Fraction
from typing import Any, BinaryIO

from simulation.errors import InputError, shown
from simulation.files.columns import (
    EXPECTED,
    LARGEST_DATA,
    Column,
    MeasuredArms,
    numbered,
    require_few_arms,
    require_few_values,
)
from simulation.files.headings import split_unit, tells_no_arm

_REAL = "rows by arms of real numbers, of at most 8 bytes each"
_INDEX = "__index_level_0__"  # the index column that pandas writes after the others
_BATCH = 10_000  # rows of a Parquet file at a time


def measured_array(where: str, file: BinaryIO) -> MeasuredArms:
    """The columns of an NPY file."""
    import numpy as np

    rows, width, by_columns, dtype = _header(where, file)
    require_few_arms(where, width)
    body = file.read(LARGEST_DATA + 1)
    if rows * width * dtype.itemsize != len(body):
        raise InputError(where, "array", "shorter or longer than its header says", "all of it")
    if not body:
        raise InputError(where, "rows", "none", "a column of measurements for each arm")
    array = np.frombuffer(body, dtype).reshape((rows, width), order="F" if by_columns else "C")
    found: list[Column] = []
    different = 0
    for k in range(width):
        values, counts = np.unique(array[:, k], return_counts=True)
        if dtype.kind == "f":
            values, counts = _finite(where, array, k, values, counts)
        different += len(values)
        require_few_values(where, different)
        exactly = map(Fraction, values.tolist())  # Python floats and ints
        found.append(dict(zip(exactly, counts.tolist(), strict=True)))
    gaps = tuple(rows - sum(column.values()) for column in found)
    return MeasuredArms(numbered(width), tuple(found), rows, gaps)


def _header(where: str, file: BinaryIO) -> tuple[int, int, bool, Any]:
    from numpy.lib import format as npy

    try:
        read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
        shape, by_columns, dtype = read[npy.read_magic(file)](file)
    except (ValueError, KeyError, TypeError, SyntaxError, RecursionError, tokenize.TokenError):
        raise InputError(where, "header", "not that of an NPY file", EXPECTED) from None
    if dtype.kind not in "iufb" or dtype.itemsize > 8 or len(shape) not in (1, 2):
        found = f"{len(shape)}-dimensional, {dtype}"
        raise InputError(where, "array", shown(found), _REAL)
    if any(isinstance(size, bool) or not 0 <= size < 2**63 for size in shape):
        raise InputError(where, "shape", shown(shape), "rows and arms as the file has them")
    rows, width = shape if len(shape) == 2 else (*shape, 1)
    return rows, width, by_columns, dtype


def _finite(where: str, array: Any, k: int, values: Any, counts: Any) -> tuple[Any, Any]:
    """The values that are not nan; an infinite value is an error that names its row."""
    import numpy as np

    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(array[:, k]))[0]) + 1
        raise InputError(where, f"row {row}, column {k + 1}", "infinite", "a finite number")
    kept = ~np.isnan(values)
    return values[kept], counts[kept]


def measured_parquet(where: str, file: BinaryIO) -> MeasuredArms:
    """The columns of a Parquet file, read in batches of rows."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        expected = "the extra `parquet` (pip install boundcheck[parquet]), or a CSV file"
        raise InputError(where, "file", "Parquet", expected) from None
    try:
        return _batches(where, parquet.ParquetFile(file), pyarrow)
    except (pyarrow.ArrowException, OSError, MemoryError) as error:
        raise InputError(where, "file", shown(str(error)), "a Parquet file") from None


def _batches(where: str, file: Any, pyarrow: Any) -> MeasuredArms:
    schema, rows = file.schema_arrow, file.metadata.num_rows
    require_few_arms(where, len(schema) - 1)
    if rows * len(schema) > LARGEST_DATA:
        found = f"{rows:,} rows of {len(schema):,} columns"
        raise InputError(where, "cells", found, f"at most {LARGEST_DATA:,}")
    names, kept_out = _arms(where, schema, pyarrow.types)
    counted: list[Counter[Any]] = [Counter() for _ in names]
    gaps = [0] * len(names)
    seen = 0
    for batch in file.iter_batches(_BATCH, columns=names):
        for k, column in enumerate(batch.columns):
            for value in column.to_pylist():
                if value is None or value != value:  # nan
                    gaps[k] += 1
                else:
                    counted[k][_exactly(where, seen, k, value)] += 1
        seen += len(batch)
        require_few_values(where, sum(map(len, counted)))
    if not seen:
        raise InputError(where, "rows", "none", "a column of measurements for each arm")
    bare, unit = split_unit(names)
    notes = [f"column {shown(name)!r} is kept out: time, ids or text" for name in kept_out]
    return MeasuredArms(bare, tuple(counted), seen, tuple(gaps), unit, tuple(notes))


def _arms(where: str, schema: Any, types: Any) -> tuple[list[str], list[str]]:
    """The names of the numeric columns, and of the columns before them."""
    kinds = (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean)
    arms: list[str] = []
    others: list[str] = []
    for n, field in enumerate(schema):
        real = any(kind(field.type) for kind in kinds)
        before = not arms and n < len(schema) - 1
        if (before and not real) or (before and tells_no_arm(field.name)) or field.name == _INDEX:
            others.append(field.name)
        elif real:
            arms.append(field.name)
        else:
            found = f"{shown(field.name)}, {field.type}"
            raise InputError(where, f"column {n + 1}", found, "a column of numbers")
    if len({*arms, *others}) < len(schema):
        raise InputError(where, "columns", "a name twice", "a name for each column")
    return arms, others


def _exactly(where: str, seen: int, k: int, value: Any) -> Fraction:
    try:
        return Fraction(value)
    except (ValueError, OverflowError):
        place = f"rows from {seen + 1} on, column {k + 1}"
        raise InputError(where, place, shown(value), "a finite number") from None
