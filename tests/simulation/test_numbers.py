"""Exact numbers in and out: what is written is what is meant."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulation.numbers import decimal, exact

whole = st.integers(1, 10**40) | st.integers(0, 40).map(lambda p: 10**p - (p > 0))


@given(whole, whole, st.integers(1, 40), st.sampled_from([1, -1]))
def test_decimals_are_rounded_to_the_nearest_with_ties_to_even(top, bottom, digits, sign):
    number = sign * Fraction(top, bottom)
    with localcontext(prec=digits, rounding=ROUND_HALF_EVEN) as context:
        rounded = context.divide(Decimal(number.numerator), Decimal(number.denominator))
    assert Fraction(decimal(number, digits)) == Fraction(rounded)


@given(st.fractions(), st.integers(-300, 300))
def test_a_decimal_of_enough_digits_reads_back_exactly(number, power):
    written = Fraction(round(number * 1000), 1000) * Fraction(10) ** power
    assert exact(decimal(written, 400)) == written


def test_numbers_of_a_hundred_thousand_digits_are_numbers():
    assert decimal(exact("10^100000")) == decimal(exact("1e100000")) == "1e+100000"
    assert decimal(exact("3e-100000")) == "3e-100000"
    assert exact("2^300000") == 2**300000
    for text in ("10^100001", "2^999999999", "1e100001", "1e-100001"):
        with pytest.raises(ValueError, match=r"too large|out of range"):
            exact(text)


@pytest.mark.parametrize(
    "text", ["", "nan", "inf", "1e", "0x10", "1/0", "1//2", "1 2", "--1", "1e1.5", "a", "^2"]
)
def test_what_is_not_a_finite_number_is_refused(text):
    with pytest.raises(ValueError, match=r"number|zero"):
        exact(text)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_counts_as_its_shortest_decimal(value):
    assert exact(value) == Fraction(repr(value))
