"""Read instance files from untrusted sources; refuse invalid ones cheaply.

Refused without reading: anything that is not a regular file (a device or a pipe may never end), and
files far larger than the largest instance. Nested TOML keys cost the parser quadratic time in their
depth, so the depth is checked first.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from simulation.errors import InputError, shown
from simulation.files.measurements import KNOWN, empirical
from simulation.rewards.laws import LAWS, Gaussian, GaussianByArm, RewardLaw
from simulation.rewards.samples import Empirical

LARGEST_FILE = 2_000_000  # bytes: the largest instance with 60 digits for each mean fits
DEEPEST_KEY = 8

_LITERAL = re.compile(
    r'"""(?:\\.|[^\\])*?(?:"""|\Z)'
    "|'''.*?(?:'''|\\Z)"
    r'|"(?:\\.|[^"\\\n])*"?'
    "|'[^'\n]*'?"
    "|#[^\n]*",
    re.DOTALL,
)
_DEEP_KEY = re.compile(rf"(?<![\w-])(?:[\w-]+[ \t]*\.[ \t]*){{{DEEPEST_KEY}}}")


def content(path: Path, expected: str) -> str:
    """The text of an instance file; `expected` is the hint in the error if there is no such
    file.
    """
    where = shown(str(path))
    try:
        kind = os.stat(path).st_mode
        found = _start(path) if stat.S_ISREG(kind) else None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(where, "instance", shown(reason), expected) from None
    if found is None:
        told = "a directory" if stat.S_ISDIR(kind) else "not a file"
        raise InputError(where, "instance", told, "a TOML file, or - to read a pipe")
    return _text(where, found)


def _start(path: Path) -> bytes:
    with open(path, "rb") as file:
        return file.read(LARGEST_FILE + 1)


def standard_input() -> str:
    """The text of an instance from standard input."""
    return _text("standard input", sys.stdin.buffer.read(LARGEST_FILE + 1))


def _text(where: str, found: bytes) -> str:
    _require_small(where, len(found))
    try:
        return found.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(where, "instance", "not UTF-8 text", "a TOML file") from None


def _require_small(where: str, size: int) -> None:
    if size > LARGEST_FILE:
        found = f"more than {LARGEST_FILE:,} bytes"
        raise InputError(where, "instance", found, "a file of an instance")


def parsed(text: str, where: str) -> dict[str, Any]:
    """The table in a TOML text; numbers with a decimal point are kept as text."""
    _require_small(where, len(text))
    if where.lower().endswith((".csv", ".tsv", ".npy", ".parquet")):
        expected = f"an instance file; boundcheck init --data {shown(where)} -o mine.toml makes one"
        raise InputError(where, "instance", "measurements", expected)
    if _DEEP_KEY.search(_LITERAL.sub("s", text)):
        found = f"a key of more than {DEEPEST_KEY} parts"
        raise InputError(where, "toml", found, "keys such as plays and reward.law")
    try:
        return tomllib.loads(text, parse_float=str)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise InputError(where, "toml", shown(str(error), 120), "a valid TOML file") from None


def reward_law(where: str, table: Any, folder: Path | None = None) -> RewardLaw:
    """The law in the table `reward` of a file, with its parameters.

    Measurements are read from files in `folder`; without a folder they are refused.
    """
    if not isinstance(table, Mapping):
        raise InputError(where, "reward", shown(table), 'a table such as law = "bernoulli"')
    name = table.get("law", "missing")
    if not isinstance(name, str) or name not in LAWS:
        raise InputError(where, "reward.law", shown(name), f"one of {', '.join(LAWS)}")
    law = LAWS[name]
    if law is Empirical:
        only_known(where, "reward.", table, KNOWN)
        return empirical(where, table, folder)
    needed = tuple(field.name for field in fields(law))
    only_known(where, "reward.", table, ("law", *needed))
    for field in needed:
        if field not in table:
            raise InputError(where, f"reward.{field}", "missing", f"a number (law {name})")
    try:
        if law is Gaussian and isinstance(table["variance"], list):
            return GaussianByArm(tuple(table["variance"]))
        return law(**{field: table[field] for field in needed})
    except InputError as error:
        raise InputError(where, error.field, error.found, error.expected) from None


def law_named(where: str, reward: RewardLaw | str, parameters: Mapping[str, Any]) -> RewardLaw:
    """A law as given, or by name with parameters (a sequence has one for each arm)."""
    if not isinstance(reward, str):
        if parameters:
            found = ", ".join(parameters)
            raise InputError(where, found, "beside a law", "parameters inside the law")
        return reward
    given = {
        name: value if isinstance(value, str) or not isinstance(value, Iterable) else [*value]
        for name, value in parameters.items()
    }
    try:
        return reward_law(where, {"law": reward} | given)
    except InputError as error:  # a file's reward.variance is the argument `variance` here
        field = error.field.removeprefix("reward.").replace("law", "reward")
        raise InputError(where, field, error.found, error.expected) from None


def only_known(where: str, prefix: str, table: Mapping[str, Any], known: Sequence[str]) -> None:
    """Refuse unknown fields."""
    for key in table:
        if key not in known:
            close = get_close_matches(key, known, n=1)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            field = prefix + shown(key)
            raise InputError(where, field, "unknown field", f"one of {', '.join(known)}{hint}")
