"""Write numbers and names as TOML; Python can only read it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from simulation.numbers import decimal, exact
from simulation.rewards.samples import Empirical

if TYPE_CHECKING:
    from simulation.world.instance import Instance


def instance_toml(instance: Instance) -> str:
    """The text of an instance file."""
    measured = isinstance(instance.reward, Empirical)  # its means follow from the samples
    means = f"means = [{', '.join(toml_number(x) for x in instance.means)}]"
    names = f"names = [{', '.join(map(toml_string, instance.names))}]"
    lines = [
        f"name = {toml_string(instance.name)}",
        f"plays = {instance.plays}",
        *([] if measured else [means]),
        f"capacities = [{', '.join(map(str, instance.capacities))}]",
        *([names] if instance.names else []),
        *([] if instance.unit is None else [f"unit = {toml_string(instance.unit)}"]),
        "",
        "[reward]",
        f'law = "{instance.reward.name.removesuffix("-by-arm")}"',
        *(f"{name} = {toml_value(value)}" for name, value in instance.reward.fields().items()),
        *instance.knowledge.to_toml(),
    ]
    return "\n".join(lines) + "\n"


def toml_number(value: Fraction) -> str:
    text = decimal(value, 60)
    if exact(text) == value:
        return text
    return f'"{value.numerator}/{value.denominator}"'


def toml_value(value: Fraction | Sequence[Fraction] | Sequence[Sequence[Fraction]]) -> str:
    """A number, a list of numbers, or a list of such lists with one per line."""
    if isinstance(value, Fraction):
        return toml_number(value)
    if value and not isinstance(value[0], Fraction):
        return "[\n" + "".join(f"    {toml_value(row)},\n" for row in value) + "]"
    return f"[{', '.join(map(toml_value, value))}]"


def toml_string(text: str) -> str:
    return f'"{"".join(map(_character, text))}"'


def _character(character: str) -> str:
    if character.isprintable() and character not in '"\\':
        return character
    return f"\\U{ord(character):08x}"
