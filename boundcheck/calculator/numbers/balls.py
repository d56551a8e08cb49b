"""Certified balls as decimal strings: endpoints are rounded outwards, never to nearest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import MAX_EMAX, MIN_EMIN, ROUND_DOWN, ROUND_HALF_UP, ROUND_UP, Context, Decimal
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

from flint import arb, ctx, fmpq

from simulation.numbers import place_point

_ROUNDING = {-1: ROUND_DOWN, 0: ROUND_HALF_UP, 1: ROUND_UP}  # of a number above 0
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


def ball_of_decimal(text: str) -> arb:
    """The number that a decimal string of any size writes down (or an infinity), as a ball.

    >>> midpoint(written("1e+10000000000000000000") - written("3"), 6)
    '1e+10000000000000000000'
    """
    with precision(4 * len(text) + 128):
        return arb(text)


def ball_between(low: str, high: str) -> arb:
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
    shift = 0
    if abs(exponent) > _PLAIN_BITS:
        point, shift = _scaled(point, digits, direction)
        mantissa, exponent = (int(part) for part in point.man_exp())
    # by the context's rounding, once: both operands are exact
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
    """A point whose digits written out in full would fill the memory, over a power of ten."""
    with precision(4 * digits + 64 + 2 * int(point.man_exp()[1]).bit_length()):
        # the middle of the logarithm: a hair off a power of ten costs one digit, not truth
        lead = int((point.log() / arb(10).log()).mid().floor().unique_fmpz())
        scaled: Any = point / arb(10) ** lead
        ends = {-1: scaled.lower, 0: scaled.mid, 1: scaled.upper}
        return ends[direction](), lead
