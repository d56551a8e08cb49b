"""Checks of an instance's fields, with one-line errors."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from simulation.errors import InputError, shown
from simulation.files.columns import LARGEST_ARMS
from simulation.numbers import LARGEST_SIMULATED, entered, exact


def few(where: str, field: str, values: Iterable[Any]) -> list[Any]:
    """The values for the arms as a list; too many are an error."""
    found = list(values)
    if len(found) > LARGEST_ARMS:
        expected = f"at most {LARGEST_ARMS:,}, one for each arm"
        raise InputError(where, field, f"{len(found):,} numbers", expected)
    return found


def text_field(where: str, field: str, value: object) -> str:
    if not isinstance(value, str) or value.encode(errors="ignore").decode() != value:
        raise InputError(where, field, shown(value), "a string of Unicode characters")
    return value


def arm_names(where: str, names: object, arms: int) -> tuple[str, ...]:
    """A distinct name for each arm, or no names at all."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InputError(where, "names", shown(names), "a list, a name for each arm")
    found = [
        text_field(where, f"names[{k}]", name)
        for k, name in enumerate(few(where, "names", names), 1)
    ]
    if not found:
        return ()
    if len(found) != arms:
        told = f"{len(found)} names for {arms} arms"
        raise InputError(where, "names", told, "a name for each arm, or none")
    first: dict[str, int] = {}
    for k, name in enumerate(found, 1):
        if not name.strip():
            raise InputError(where, f"names[{k}]", "(empty)", "a name")
        if first.setdefault(name, k) != k:
            told = f"{shown(name)}, as names[{first[name]}]"
            raise InputError(where, f"names[{k}]", told, "a name that no other arm has")
    return tuple(found)


def unit_of_reward(where: str, unit: object) -> str | None:
    """A unit such as Mbps, or None."""
    if unit is None:
        return None
    found = text_field(where, "unit", unit)
    if not found.strip():
        raise InputError(where, "unit", "(empty)", "a unit such as Mbps")
    return found


def number_field(where: str, field: str, value: object) -> Fraction:
    try:
        return entered(value, LARGEST_SIMULATED)
    except ValueError as error:
        expected = "a finite number such as 0.9 or '10/12'"
        raise InputError(where, field, f"{shown(value)} ({error})", expected) from None


def whole_field(where: str, field: str, value: object) -> int:
    try:
        found = exact(value)
    except ValueError:
        found = Fraction(0)
    if isinstance(value, str) or found.denominator != 1 or not 1 <= found < 2**31:
        raise InputError(where, field, shown(value), "a whole number of 1 or more")
    return int(found)
