"""Balls (python-flint `arb`) to and from decimal text; endpoints are rounded outwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import MAX_EMAX, MIN_EMIN, ROUND_DOWN, ROUND_HALF_UP, ROUND_UP, Context, Decimal
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

from flint import arb, ctx, fmpq

from simulation.numbers import place_point

_ROUNDING = {-1: ROUND_DOWN, 0: ROUND_HALF_UP, 1: ROUND_UP}  # for positive numbers
# a number with a larger exponent is scaled by a power of ten before it is written out
_PLAIN_BITS = 20_000


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Compute with this many bits inside the block."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def ball(value: Fraction) -> arb:
    """The exact rational as a ball at the current precision."""
    return arb(fmpq(value.numerator, value.denominator))


def ball_of_decimal(text: str) -> arb:
    """A decimal text of any size, or an infinity, as a ball.

    >>> midpoint(ball_of_decimal("1e+10000000000000000000") - ball_of_decimal("3"), 6)
    '1e+10000000000000000000'
    """
    with precision(4 * len(text) + 128):
        return arb(text)


def ball_between(low: str, high: str) -> arb:
    """The smallest ball around two decimals."""
    with precision(4 * (len(low) + len(high)) + 128):
        return arb(low).union(arb(high))


def midpoint(x: arb, digits: int) -> str | None:
    """The midpoint to `digits` digits; None if it is not a number."""
    return _written(x.mid() if x.is_finite() else x, digits, 0)


def lower(x: arb, digits: int) -> str | None:
    """A decimal that is not above any point of the ball."""
    with precision(4 * digits + 64):  # arb rounds an endpoint to the current precision
        return _written(x.lower() if x.is_finite() else x, digits, -1)


def upper(x: arb, digits: int) -> str | None:
    """A decimal that is not below any point of the ball."""
    with precision(4 * digits + 64):
        return _written(x.upper() if x.is_finite() else x, digits, +1)


def _written(point: arb, digits: int, direction: int) -> str | None:
    if not point.is_finite():
        if point.is_nan():
            return None
        return "inf" if point > 0 else "-inf" if point < 0 else None
    if point.is_zero():
        return "0"
    if point < 0:
        with precision(int(point.bits()) + 2):  # arb negation rounds to the current precision
            opposite = -point
        return "-" + str(_written(opposite, digits, -direction))
    mantissa, exponent = (int(part) for part in point.man_exp())
    shift = 0
    if abs(exponent) > _PLAIN_BITS:
        point, shift = _scaled(point, digits, direction)
        mantissa, exponent = (int(part) for part in point.man_exp())
    # rounded once, by the context: both operands are exact
    if exponent < 0:
        found = _context(digits, direction).divide(Decimal(mantissa), _two_to(-exponent))
    else:
        found = _context(digits, direction).multiply(Decimal(mantissa), _two_to(exponent))
    figures, _, lead = f"{found:e}".partition("e")
    return place_point(figures.replace(".", ""), int(lead) + shift)


@cache
def _context(digits: int, direction: int) -> Context:
    return Context(digits, _ROUNDING[direction], MIN_EMIN, MAX_EMAX)


@lru_cache(maxsize=4096)
def _two_to(exponent: int) -> Decimal:
    return Decimal(1 << exponent)


def _scaled(point: arb, digits: int, direction: int) -> tuple[arb, int]:
    """The point divided by a power of ten, and that power: its digits in full would fill the
    memory.
    """
    with precision(4 * digits + 64 + 2 * int(point.man_exp()[1]).bit_length()):
        # approximate is enough: near a power of ten an error costs one digit, the result stays
        # valid
        lead = int((point.log() / arb(10).log()).mid().floor().unique_fmpz())
        scaled: Any = point / arb(10) ** lead
        ends = {-1: scaled.lower, 0: scaled.mid, 1: scaled.upper}
        return ends[direction](), lead
