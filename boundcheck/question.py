"""The question asked of a claim: horizon, confidence, epsilon and the other free parameters."""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from simulation.errors import InputError, shown
from simulation.numbers import decimal, entered


@dataclass(frozen=True)
class Question:
    """Free parameters, exact. `epsilon` None: the admissible value that makes a bound smallest;
    `threshold` None: the plays left for the last optimal arm, for that arm alone.

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
            if value is not None:
                object.__setattr__(self, field.name, _checked(field.name, value))

    def to_json(self) -> dict[str, Any]:
        """The parameters as every command's JSON repeats them."""
        return {
            field.name: decimal(value, self.digits) if isinstance(value, Fraction) else value
            for field in fields(self)
            for value in [getattr(self, field.name)]
        }


_EXPECTED = {
    "delta": "a number strictly between 0 and 1",
    "horizon": "a number of 2 or more, such as 1e6 or 10^532",
    "epsilon": "a number above 0",
    "threshold": "a whole number of 1 or more (below 2^31)",
    "samples": "a whole number of 1 or more (at most 1000000)",
    "gamma": "a number above 0",
    "xi": "a number above 0",
    "digits": "a whole number from 3 to 1000",
}


def _checked(name: str, value: object) -> Fraction | int:
    try:
        number = entered(value)
    except ValueError as error:
        found = f"{shown(value)} ({error})"
        raise InputError(f"--{name}", name, found, _EXPECTED[name]) from None
    good = {
        "delta": 0 < number < 1,
        "horizon": number >= 2,
        "epsilon": number > 0,
        "threshold": 1 <= number < 2**31 and number.denominator == 1,
        "samples": 1 <= number <= 10**6 and number.denominator == 1,
        "gamma": number > 0,
        "xi": number > 0,
        "digits": 3 <= number <= 1000 and number.denominator == 1,
    }[name]
    if not good:
        raise InputError(f"--{name}", name, shown(value), _EXPECTED[name])
    return int(number) if name in ("threshold", "samples", "digits") else number
