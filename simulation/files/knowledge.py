"""What is known about an instance in advance: the table `knowledge` of its file.

    [knowledge]
    law = true             # that rewards follow the stated law, and its variance or concentration
    horizon = true         # how many slots there will be
    capacities = true      # how many plays each arm serves

Anything not listed is unknown, except that the range of rewards, or the scale of Gaussian ones, is
always known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from simulation.errors import InputError, shown

ALWAYS = ("range", "scale")


@dataclass(frozen=True)
class Knowledge:
    """Which of these are known.

    >>> Knowledge.from_table({"horizon": True}, "my.toml").known
    ('horizon',)
    >>> Knowledge(law=True).to_toml()
    ['', '[knowledge]', 'law = true']
    """

    law: bool = False
    horizon: bool = False
    capacities: bool = False

    @classmethod
    def from_table(cls, table: Any, where: str) -> Knowledge:
        from simulation.files.reading import only_known

        if not isinstance(table, Mapping):
            raise InputError(where, "knowledge", shown(table), "a table such as horizon = true")
        only_known(where, "knowledge.", table, [field.name for field in fields(cls)])
        for name, value in table.items():
            if not isinstance(value, bool):
                raise InputError(where, f"knowledge.{name}", shown(value), "true or false")
        return cls(**table)

    @property
    def known(self) -> tuple[str, ...]:
        return tuple(field.name for field in fields(self) if getattr(self, field.name))

    def lacks(self, told: str) -> list[str]:
        """What a policy needs to know (`told`) and is not known.

        >>> Knowledge(horizon=True).lacks("horizon, law"), Knowledge().lacks("scale")
        (['law'], [])
        """
        needed = [word.strip() for word in told.split(",") if word.strip()]
        return [word for word in needed if word not in (*self.known, *ALWAYS)]

    def to_toml(self) -> list[str]:
        """The lines of the table; empty if nothing is known."""
        lines = [f"{name} = true" for name in self.known]
        return ["", "[knowledge]", *lines] if lines else []
