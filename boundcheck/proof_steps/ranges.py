"""Ranges of symbols that many steps use."""

from fractions import Fraction

from sympy import oo

ANY, UP, UP9, UNIT = (0, oo), (1, oo), (1, 9), ("0.01", "0.99")
SURELY = (Fraction(1, 1000), oo)  # a positive number, for strict relations
