"""Exact numbers: 0.9 means 9/10, however it is written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import floor, log10
from numbers import Rational

# 1e999999999 would take a gigabyte of memory
LARGEST_EXPONENT = 100_000
LARGEST = 10**LARGEST_EXPONENT
LARGEST_SIMULATED = 10**100  # a reward and its square must fit floats
# Distinguishing a number from zero takes digits, and time quadratic in them.
SMALLEST_ENTERED = Fraction(1, 10**400)
_LONGEST = 4_000

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,9})?")
_POWER = re.compile(r"([0-9]{1,9})\s*(?:\^|\*\*)\s*([0-9]{1,9})")


def exact(value: object) -> Fraction:
    """The exact rational for a number or text; a float counts as its shortest decimal.

    >>> exact(0.9), exact("10/12"), exact("1e-3"), exact("10^3")
    (Fraction(9, 10), Fraction(5, 6), Fraction(1, 1000), Fraction(1000, 1))
    """
    if isinstance(value, bool):
        raise ValueError("a truth value is not a number")
    if isinstance(value, Rational):  # int, Fraction, numpy and sympy rationals
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Decimal):
        return _decimal(str(value))
    if isinstance(value, str):
        return _text(value.strip().replace("_", ""))
    if hasattr(value, "__float__"):
        return _decimal(repr(float(value)))
    raise ValueError("not a number")


def entered(value: object, largest: int = LARGEST) -> Fraction:
    """A number that a user gives; refused if too large or (as text) too small to compute with.

    >>> entered("1e-99999")
    Traceback (most recent call last):
    ValueError: closer to 0 than 1e-400
    """
    number = exact(value)
    if abs(number) > largest:
        raise ValueError("too large")
    if isinstance(value, str) and 0 < abs(number) < SMALLEST_ENTERED:
        raise ValueError("closer to 0 than 1e-400")
    return number


def _text(text: str) -> Fraction:
    if power := _POWER.fullmatch(text):
        base, exponent = int(power[1]), int(power[2])
        if base > 1 and exponent * log10(base) > LARGEST_EXPONENT:
            raise ValueError("too large")
        return Fraction(base**exponent)
    top, slash, bottom = text.partition("/")
    if not slash:
        return _decimal(text)
    denominator = _decimal(bottom.strip())
    if denominator == 0:
        raise ValueError("division by zero")
    return _decimal(top.strip()) / denominator


def _decimal(text: str) -> Fraction:
    if not _NUMBER.fullmatch(text) or len(text) > _LONGEST:
        raise ValueError("not a finite number")
    _, _, exponent = text.lower().partition("e")
    if exponent and abs(int(exponent)) > LARGEST_EXPONENT:
        raise ValueError("exponent out of range")
    return Fraction(text)


def decimal(value: Fraction, digits: int = 30) -> str:
    """A fraction as a decimal text: all its digits if there are few, else `digits` of them.

    >>> decimal(Fraction(9, 10)), decimal(Fraction(5, 6), 6), decimal(Fraction(-7))
    ('0.9', '0.833333', '-7')
    """
    sign, value = ("-", -value) if value < 0 else ("", value)
    if value == 0:
        return "0"
    lead = _lead(value)
    top, bottom = _times_power_of_ten(value, digits - 1 - lead)
    mantissa, rest = divmod(top, bottom)
    if 2 * rest > bottom or (2 * rest == bottom and mantissa % 2):  # round to nearest, ties to even
        mantissa += 1
    if mantissa == 10**digits:
        mantissa, lead = mantissa // 10, lead + 1
    return sign + place_point(str(mantissa), lead)


def _lead(value: Fraction) -> int:
    """The exponent of the first decimal digit of a positive number.

    Estimated from bit counts: Python refuses to write out integers of thousands of digits.
    """
    bits = value.numerator.bit_length() - value.denominator.bit_length()
    lead = floor(bits * log10(2)) + 1
    top, bottom = _times_power_of_ten(value, -lead)
    while top < bottom:
        top, lead = 10 * top, lead - 1
    return lead


def _times_power_of_ten(value: Fraction, exponent: int) -> tuple[int, int]:
    """Numerator and denominator of value * 10^exponent, not reduced."""
    if exponent >= 0:
        return value.numerator * 10**exponent, value.denominator
    return value.numerator, value.denominator * 10**-exponent


def listed(values: Sequence[Fraction | int], most: int = 12) -> str:
    """Numbers separated by spaces, six digits each; only the first ones if there are many.

    >>> listed([Fraction(9, 10), Fraction(2, 3), 4], most=2)
    '0.9 0.666667 ... (3 in all)'
    """
    texts = [decimal(Fraction(value), 6) for value in values[:most]]
    return " ".join([*texts, f"... ({len(values)} in all)"] if len(values) > most else texts)


def place_point(mantissa: str, lead: int) -> str:
    """Digits d1d2d3... times 10^(lead - len + 1) in plain or scientific notation.

    >>> place_point("1200", 1), place_point("5", -3), place_point("17", 40)
    ('12', '0.005', '1.7e+40')
    """
    digits = mantissa.rstrip("0") or "0"
    if -7 < lead < 0:
        return "0." + "0" * (-lead - 1) + digits
    if 0 <= lead < 30:
        whole = digits[: lead + 1].ljust(lead + 1, "0")
        return whole + ("." + digits[lead + 1 :] if len(digits) > lead + 1 else "")
    return digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"e{lead:+d}"
