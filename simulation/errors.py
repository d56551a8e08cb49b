"""What can be wrong with input, said in one line."""

from __future__ import annotations


class InputError(ValueError):
    """Bad input: where it stands, which field, what was found, what was expected.

    >>> str(InputError("my.toml", "plays", "0", "a whole number of 1 or more"))
    'my.toml: plays: 0: expected a whole number of 1 or more'
    """

    def __init__(self, where: str, field: str, found: str, expected: str) -> None:
        self.where, self.field, self.found, self.expected = where, field, found, expected
        super().__init__(f"{where}: {field}: {found}: expected {expected}")

    def __reduce__(self) -> tuple[type, tuple[str, str, str, str]]:
        return type(self), (self.where, self.field, self.found, self.expected)


def shown(value: object, limit: int = 60) -> str:
    """A value as it appears in an error message: on one line and never long."""
    text = value if isinstance(value, str) else repr(value)
    text = " ".join(text.split()) or "(empty)"
    printable = "".join(c if c.isprintable() else "?" for c in text)
    return printable if len(printable) <= limit else printable[: limit - 3] + "..."
