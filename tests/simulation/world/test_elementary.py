"""log, exp and log Gamma from basic operations: as accurate as they say, everywhere."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from simulation.world.elementary import exp, log, log_gamma, logs

RNG = np.random.default_rng(3)
AROUND_1 = 1 + RNG.uniform(-1, 1, 2000) * 10.0 ** RNG.uniform(-15, -1, 2000)
POSITIVE = np.concatenate([RNG.uniform(0, 3, 2000), AROUND_1, 10.0 ** RNG.uniform(-307, 308, 2000)])
EXPONENTS = np.concatenate([RNG.uniform(-708, 709, 2000), RNG.uniform(-1e-3, 2, 2000)])


def worst(function: Callable[[float], float], exact: Any, points: np.ndarray) -> float:
    """The largest error, in units in the last place of the exact value."""
    with mpmath.workdps(40):
        pairs = [(function(x), exact(mpmath.mpf(x))) for x in points.tolist()]
        return max(float(abs(found - true)) / math.ulp(float(true)) for found, true in pairs)


def test_log_and_exp_are_right_to_the_last_place() -> None:
    assert worst(log, mpmath.log, POSITIVE) < 0.7
    assert worst(exp, mpmath.exp, EXPONENTS) < 0.55


def test_log_is_right_where_numbers_lose_digits() -> None:
    assert worst(log, mpmath.log, np.array([5e-324, 1e-310, 2.0**-1022, 1.7e308])) < 0.7


@pytest.mark.parametrize(
    ("function", "x", "value"),
    [
        (log, 1.0, 0.0),
        (log, 0.0, -math.inf),
        (log, -1.0, math.nan),
        (log, math.inf, math.inf),
        (log, math.nan, math.nan),
        (exp, 0.0, 1.0),
        (exp, -745.2, 0.0),
        (exp, -745.1, 5e-324),
        (exp, -math.inf, 0.0),
        (exp, 709.79, math.inf),
        (exp, math.inf, math.inf),
        (exp, math.nan, math.nan),
    ],
)
def test_the_ends(function: Callable[[float], float], x: float, value: float) -> None:
    assert repr(function(x)) == repr(value)


def test_log_gamma_is_right_to_fourteen_digits() -> None:
    for x in [*RNG.uniform(0, 20, 1500).tolist(), *(10.0 ** RNG.uniform(-300, 300, 500)).tolist()]:
        true = float(mpmath.loggamma(x))
        assert abs(log_gamma(x) - true) < 1e-14 * max(1, abs(true))


def test_an_array_has_the_same_logarithms() -> None:
    assert logs(POSITIVE).tolist() == [log(x) for x in POSITIVE.tolist()]
