"""The parameters that a user can ask about: horizon, confidence, epsilon and others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

from simulation.errors import InputError, shown
from simulation.numbers import decimal, entered


@dataclass(frozen=True)
class Question:
    """The parameters of a computation, stored as exact numbers.

    delta, horizon   confidence parameter and number of slots T
    epsilon          free parameter of some bounds (None: the value that makes the bound smallest)
    threshold        the d of "the capacity is at least d" (None: the plays left for the last
                     optimal arm, for that arm alone)
    samples          number of explorations in confidence intervals
    gamma, xi        parameters of MP-SE-SA and ETC-UCB
    digits           digits to compute

    >>> Question(horizon="1e5", delta=0.01).delta
    Fraction(1, 100)
    >>> Question(horizon="10^532", digits=6).to_json()["horizon"]
    '1e+532'
    """

    delta: Fraction = Fraction(1, 20)
    horizon: Fraction = Fraction(10**6)
    epsilon: Fraction | None = None
    threshold: int | None = None
    samples: int = 10
    gamma: Fraction = Fraction(1)
    xi: Fraction = Fraction(1)
    digits: int = 30

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None or field.name not in _OPEN:
                object.__setattr__(self, field.name, _checked(field.name, value))

    @classmethod
    def asked(cls, question: Question | None, given: Mapping[str, Any]) -> Question:
        """The given question, with keywords (numbers or text) replacing its parameters.

        >>> Question.asked(None, {"horizon": 1e6, "delta": "1/100"}).delta
        Fraction(1, 100)
        """
        known = [field.name for field in fields(cls)]
        for name in given:
            if name not in known:
                raise InputError(name, "argument", "unknown", f"one of {', '.join(known)}")
        return replace(question, **given) if question is not None else cls(**given)

    def to_json(self) -> dict[str, Any]:
        """The parameters as repeated in every command's JSON."""
        return {
            field.name: decimal(value, self.digits) if isinstance(value, Fraction) else value
            for field in fields(self)
            for value in [getattr(self, field.name)]
        }


_OPEN = ("epsilon", "threshold")  # None lets the calculator choose
_WHOLE = ("threshold", "samples", "digits")
_ABOVE_0: tuple[str, Callable[[Fraction], bool]] = ("a number above 0", lambda x: x > 0)
_RULES: dict[str, tuple[str, Callable[[Fraction], bool]]] = {
    "delta": ("a number strictly between 0 and 1", lambda x: 0 < x < 1),
    "horizon": ("a number of 2 or more, such as 1e6 or 10^532", lambda x: x >= 2),
    "epsilon": _ABOVE_0,
    "threshold": ("a whole number of 1 or more (below 2^31)", lambda x: 1 <= x < 2**31),
    "samples": ("a whole number of 1 or more (at most 1000000)", lambda x: 1 <= x <= 10**6),
    "gamma": _ABOVE_0,
    "xi": _ABOVE_0,
    "digits": ("a whole number from 3 to 1000", lambda x: 3 <= x <= 1000),
}


def _checked(name: str, value: object) -> Fraction | int:
    expected, good = _RULES[name]
    try:
        number = entered(value)
    except ValueError as error:
        found = f"{shown(value)} ({error})"
        raise InputError(f"--{name}", name, found, expected) from None
    whole = name in _WHOLE
    if not good(number) or (whole and number.denominator != 1):
        raise InputError(f"--{name}", name, shown(value), expected)
    return int(number) if whole else number
