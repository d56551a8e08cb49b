"""Decimals of enclosures: outwards, never to nearest, at any size."""

from __future__ import annotations

from fractions import Fraction

from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from boundcheck.calculator.numbers import balls

fractions = st.builds(
    lambda sign, top, bottom, power: sign * Fraction(top, bottom) * Fraction(10) ** power,
    st.sampled_from([-1, 1]),
    st.integers(1, 10**30),
    st.integers(1, 10**30),
    st.integers(-60, 60),
)


@given(fractions, st.integers(3, 40), st.integers(20, 300))
def test_decimals_enclose_the_number(number, digits, bits):
    with balls.precision(bits):
        ball = balls.ball(number)
    low, middle, high = (
        Fraction(f(ball, digits)) for f in (balls.lower, balls.midpoint, balls.upper)
    )
    assert low <= number <= high
    assert low <= middle <= high
    assert high - low <= 4 * abs(number) * (
        Fraction(10) ** (1 - digits) + Fraction(2) ** (1 - bits)
    )


@given(st.integers(1, 10**12), st.integers(10, 40))
def test_astronomic_numbers_are_written_and_enclosed(exponent, digits):
    with balls.precision(200):
        ball = arb(exponent).exp()
        low, high = balls.lower(ball, digits), balls.upper(ball, digits)
        assert arb(low) <= ball
        assert ball <= arb(high)


def test_exact_numbers_are_written_as_they_are():
    five = arb(5)
    assert balls.lower(five, 10) == balls.midpoint(five, 10) == balls.upper(five, 10) == "5"
    assert balls.midpoint(arb(0), 5) == "0"
    assert balls.midpoint(arb.pos_inf(), 5) == "inf"
    assert balls.midpoint(-arb.pos_inf(), 5) == "-inf"
    assert balls.midpoint(arb.nan(), 5) is None
