"""Numbers and names as an instance file has them; Python reads TOML and does not write it."""

from __future__ import annotations

from fractions import Fraction

from simulation.numbers import decimal, exact


def toml_number(value: Fraction) -> str:
    text = decimal(value, 60)
    if exact(text) == value:
        return text
    return f'"{value.numerator}/{value.denominator}"'


def toml_string(text: str) -> str:
    return f'"{"".join(map(_character, text))}"'


def _character(character: str) -> str:
    if character.isprintable() and character not in '"\\':
        return character
    return f"\\U{ord(character):08x}"
