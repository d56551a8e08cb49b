"""Certified balls as decimal strings: endpoints are rounded outwards, never to nearest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from math import log10
from typing import Any

from flint import arb, ctx, fmpq

from simulation.numbers import place_point

_LOG10_2 = log10(2)
# beyond this many bits an endpoint is scaled by a ball instead of being written out in full
_PLAIN_BITS = 20_000


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Compute with balls of this many bits inside the block."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def ball(value: Fraction) -> arb:
    """The exact rational as a ball at the current precision."""
    return arb(fmpq(value.numerator, value.denominator))


def written(text: str) -> arb:
    """The number that a decimal string of any size writes down (or an infinity), as a ball.

    >>> midpoint(written("1e+10000000000000000000") - written("3"), 6)
    '1e+10000000000000000000'
    """
    with precision(4 * len(text) + 128):
        return arb(text)


def between(low: str, high: str) -> arb:
    """A ball that reaches from one decimal to another."""
    with precision(4 * (len(low) + len(high)) + 128):
        return arb(low).union(arb(high))


def midpoint(x: arb, digits: int) -> str | None:
    """The middle of the ball to `digits` digits; None if it is not a number."""
    return _written(x.mid() if x.is_finite() else x, digits, 0)


def lower(x: arb, digits: int) -> str | None:
    """A decimal below everything in the ball."""
    with precision(4 * digits + 64):  # an endpoint is rounded to the precision in force
        return _written(x.lower() if x.is_finite() else x, digits, -1)


def upper(x: arb, digits: int) -> str | None:
    """A decimal above everything in the ball."""
    with precision(4 * digits + 64):
        return _written(x.upper() if x.is_finite() else x, digits, +1)


def accurate(x: arb, digits: int) -> bool:
    """Is the ball's width below 10^-digits of its size (or is it exact)?"""
    return bool(x.is_exact() or x.rel_accuracy_bits() > digits * 3.33)


def _written(point: arb, digits: int, direction: int) -> str | None:
    if not point.is_finite():
        if point.is_nan():
            return None
        return "inf" if point > 0 else "-inf" if point < 0 else None
    if point.is_zero():
        return "0"
    if point < 0:
        with precision(int(point.bits()) + 2):  # negation rounds to the precision in force
            opposite = -point
        return "-" + str(_written(opposite, digits, -direction))
    mantissa, exponent = (int(part) for part in point.man_exp())
    if abs(exponent) > _PLAIN_BITS:
        return _scaled(point, digits, direction)
    lead = round((mantissa.bit_length() + exponent) * _LOG10_2)
    numerator = mantissa << max(exponent, 0)
    denominator = 1 << max(-exponent, 0)
    text, shift = _mantissa(numerator, denominator, lead, digits, direction)
    return place_point(text, shift + len(text) - 1)


def _mantissa(
    numerator: int, denominator: int, lead: int, digits: int, direction: int
) -> tuple[str, int]:
    """Digits and shift with numerator/denominator = digits 10^shift, rounded in `direction`.

    `lead` is about the exponent of the first digit.
    """
    shift = lead - digits
    if shift >= 0:
        denominator *= 10**shift
    else:
        numerator *= 10**-shift
    quotient, remainder = divmod(numerator, denominator)
    if quotient >= 10**digits:  # one digit too many: divide on, keeping what was cut off
        shift += len(str(quotient)) - digits
        cut = 10 ** (len(str(quotient)) - digits)
        quotient, rest = divmod(quotient, cut)
        remainder, denominator = rest * denominator + remainder, cut * denominator
    if (direction > 0 and remainder) or (direction == 0 and 2 * remainder >= denominator):
        quotient += 1
    return str(quotient), shift


def _scaled(point: arb, digits: int, direction: int) -> str:
    """The same for a point whose digits written out in full would fill the memory."""
    bits = 4 * digits + 64 + 2 * int(point.man_exp()[1]).bit_length()
    with precision(bits):
        # the middle of the logarithm: a hair off a power of ten costs one digit, not truth
        lead = int((point.log() / arb(10).log()).mid().floor().unique_fmpz())
        scaled: Any = point / arb(10) ** lead
        scaled = scaled.lower() if direction < 0 else scaled.upper() if direction else scaled.mid()
    mantissa, exponent = (int(part) for part in scaled.man_exp())
    plain = Fraction(mantissa) * Fraction(2) ** exponent
    digits_text, shift = _mantissa(plain.numerator, plain.denominator, 1, digits, direction)
    return place_point(digits_text, lead + shift + len(digits_text) - 1)
