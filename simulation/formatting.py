"""Formatting of numbers for people; used everywhere."""

from __future__ import annotations

from decimal import Decimal
from math import inf, isnan, log10, nan

MOST = 1e300  # exponents above this are not distinguished
PLAIN = Decimal("1e-4")  # numbers below this are written with an exponent


def human(value: object, digits: int = 4) -> str:
    """A number for people: four digits, thousands separators, powers of ten if astronomically
    large.

    >>> human("32523720.4038017"), human("1.0250388631784935e+532"), human("inf"), human(None)
    ('32,520,000', '10^532.01', 'inf', '-')
    >>> human("32523720.4038017", 12), human("0.000012345"), human("1e+532"), human(1 - 0.9999)
    ('32,523,720.4038', '1.234e-5', '10^532', '0.0001')
    """
    if value is None:
        return "-"
    text = str(value)
    power = power_of_ten(text)
    if isnan(power):
        return text
    if power == inf:
        return text.lower().replace("infinity", "inf")
    if power != -inf and not -11 <= power < 15:
        mantissa = text.lower().partition("e")[0].strip("-0.")
        places = 0 if mantissa == "1" else 2  # an exact power
        log = f"{power:.{places}f}" if abs(power) < 1e15 else f"({_exponent(text):.6g})"
        return ("-" if text.startswith("-") else "") + f"10^{log}"
    number = Decimal(text)
    rounded = Decimal(f"{number:.{digits}g}")
    if rounded == rounded.to_integral_value():
        return f"{int(rounded):,}"
    return f"{rounded.normalize():,f}" if abs(rounded) >= PLAIN else f"{number:.{digits - 1}e}"


def power_of_ten(text: str) -> float:
    """The decimal logarithm of the absolute value of a decimal text; nan for other text.

    An exponent that is itself too large for a float counts as 1e300.

    >>> power_of_ten("-1e400"), power_of_ten("inf"), power_of_ten("0"), power_of_ten("gaussian")
    (400.0, inf, -inf, nan)
    >>> human("1e-" + "9" * 400), human("-2.5e+" + "1" + "0" * 5000)
    ('10^(-1.00000e+400)', '-10^(1.00000e+5000)')
    """
    mantissa, _, _ = text.lower().partition("e")
    try:
        size = abs(float(mantissa))
    except ValueError:
        return nan
    if not 0 < size < inf:
        return inf if size else -inf
    return min(max(float(_exponent(text)), -MOST), MOST) + log10(size)


def _exponent(text: str) -> Decimal:
    """The exponent of a decimal text, with any number of digits."""
    return Decimal(text.lower().partition("e")[2] or 0)


def number(value: float) -> str:
    """A float for a table; nan becomes "-".

    >>> number(1234567.0), number(0.01234567), number(float("nan"))
    ('1,235,000', '0.01235', '-')
    """
    return "-" if isnan(value) else human(float(value))
