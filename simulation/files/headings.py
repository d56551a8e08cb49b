"""Interpret the first lines of a CSV file: separator, names, units, and columns that are not
arms.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from simulation.numbers import exact

_DASHES = ("-", "--", "---", "\u2013", "\u2014", "\u2212")
_WORDS = ("n/a", "#n/a", "n.a.", "k.a.", "na", "nan", "null", "none", "nil", "missing")
MISSING = frozenset(["", ".", "?", *_DASHES, *_WORDS])
_SEPARATORS = {"\t": "tabs", ";": "semicolons", ",": "commas"}
_NO_ARM = re.compile(
    r"#|(?:date|time|datum|zeit|uhrzeit|epoch|id|index|slot|row|no\.?|nr\.?|t|unnamed: 0)"
    r"(?:[\s_-]*(?:stamp|time|utc|local))?"
)
_BRACKETED = re.compile(r"(.*?)\s*[(\[]([^()\[\]]+)[)\]]", re.DOTALL)
_UNIT = re.compile(r"[^\W\d_][^\s,;]{0,19}|[%$\u20ac]")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:[.,' \u00a0]\d{3})+(?:[.,]\d+)?")
_LAST_WORD = re.compile(  # without brackets, only words that cannot be part of a name
    r"(.*?)[\s_,/|]+([kMGT]?(?:bps|bit/s|[bB]/s)|ms|[kM]Wh?|%|EUR|USD|[$\u20ac])", re.DOTALL
)


def separator(lines: Sequence[str]) -> str:
    """The separator of cells in these lines: a tab or a semicolon if each has one, else a comma.

    >>> separator(["0,5;0,7", "0,1;0,2"]), separator(["a,b"])
    (';', ',')
    """
    bare = [re.sub(r'"[^"]*"?', "", line) for line in lines]
    return next((c for c in _SEPARATORS if bare and all(c in line for line in bare)), ",")


def separator_words(separator: str) -> str:
    return f"{_SEPARATORS[separator]} between cells"


def is_missing(cell: str) -> bool:
    return cell in MISSING or cell.lower() in MISSING


def is_number(cell: str) -> bool:
    try:
        exact(cell)
    except ValueError:
        return False
    return True


def has_thousands(cell: str) -> bool:
    """Whether a cell is a number with thousands separators, which can be confused with decimals.

    >>> has_thousands("1.234,5"), has_thousands("1.3.2026")
    (True, False)
    """
    return bool(_THOUSANDS.fullmatch(cell))


def tells_no_arm(name: str) -> bool:
    """Whether a column of this name holds timestamps or ids.

    >>> tells_no_arm("Timestamp (UTC)"), tells_no_arm("Station 1")
    (True, False)
    """
    bracketed = _BRACKETED.fullmatch(name)
    return bool(_NO_ARM.fullmatch((bracketed[1] if bracketed else name).strip().lower()))


def is_heading(cells: Sequence[str]) -> bool:
    """Whether a line has column names: no cell is a number, and not only the first is a name.

    A line whose first cell is a word such as `time` has names even if those are numbers.
    """
    if len(cells) > 1 and tells_no_arm(cells[0]):
        return True
    others = cells[1:] or cells
    named = any(not is_missing(cell) for cell in others)
    return named and not any(is_number(cell.replace(",", ".")) for cell in cells)


def common_unit(cells: Sequence[str]) -> str | None:
    """The unit, if this line (below the names) gives every column the same unit."""
    words = {cell for cell in cells if not is_missing(cell)}
    unit = words.pop().strip("()[] ") if len(words) == 1 else ""
    return unit if _UNIT.fullmatch(unit) else None


def split_unit(names: Sequence[str]) -> tuple[tuple[str, ...], str | None]:
    """Names without a unit that all of them end with, and that unit.

    >>> split_unit(["North (Mbps)", "South (Mbps)"])
    (('North', 'South'), 'Mbps')
    >>> split_unit(["North (Mbps)", "South (ms)"])
    (('North (Mbps)', 'South (ms)'), None)
    """
    for pattern in (_BRACKETED, _LAST_WORD):
        found = [pattern.fullmatch(name) for name in names]
        split = [match.groups() for match in found if match]
        bare, units = tuple(name for name, _ in split), {unit.strip() for _, unit in split}
        whole = len(bare) == len(names) == len(set(bare)) and all(bare)
        if whole and len(units) == 1 and (unit := units.pop()) and not is_number(unit):
            return bare, unit
    return tuple(names), None
