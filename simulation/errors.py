"""Errors about input, as one line."""

from __future__ import annotations

from simulation.escaping import one_line


class InputError(ValueError):
    """Bad input: where, which field, what was found, what was expected.

    If `where` is an `--option`, the Python argument has the same name: the message names the
    argument, `on_command_line` the option.

    >>> str(InputError("my.toml", "plays", "0", "a whole number of 1 or more"))
    'my.toml: plays: 0: expected a whole number of 1 or more'
    >>> error = InputError("--delta", "delta", "2", "a number below 1")
    >>> str(error), error.on_command_line
    ('delta: 2: expected a number below 1', '--delta: delta: 2: expected a number below 1')
    """

    def __init__(self, where: str, field: str, found: str, expected: str) -> None:
        self.where, self.field, self.found, self.expected = where, field, found, expected
        argument = where.removeprefix("--").replace("-", "_") if where[:2] == "--" else where
        place = field if argument == field else f"{argument}: {field}"
        super().__init__(one_line(f"{place}: {found}: expected {expected}", 1000))

    @property
    def on_command_line(self) -> str:
        line = f"{self.where}: {self.field}: {self.found}: expected {self.expected}"
        return one_line(line, 1000)

    def __reduce__(self) -> tuple[type, tuple[str, str, str, str]]:
        return type(self), (self.where, self.field, self.found, self.expected)


def shown(value: object, limit: int = 60) -> str:
    """A value for an error message, on one line and shortened."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except ValueError:  # an integer of more digits than Python writes out
        text = "a number of thousands of digits"
    return one_line(text, limit) or "(empty)"
