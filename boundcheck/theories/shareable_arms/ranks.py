"""Ranges of arms in the paper's sums, by rank."""

from __future__ import annotations

from boundcheck.claims.card import EVERY_ARM, Range
from boundcheck.claims.unevaluated import Ge
from boundcheck.theories.shareable_arms.symbols import L, N


class Arms:
    """L is the last arm of the optimal action."""

    SUBOPTIMAL = Range(">", L)
    FILLED = Range("<", L)
    OPTIMAL = Range("<=", L)
    LAST = Range("==", L)
    FIRST_N = Range("<=", N)
    BEYOND_N = Range(">", N)
    ALL = EVERY_ARM


L_AT_LEAST_2 = Ge(L, 2)
N_AT_LEAST_2 = Ge(N, 2)
