"""The minimax error of two capacities in floats."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ncx2

from boundcheck.theories.shareable_arms.exact.two_point import _improved, rough_threshold


@pytest.mark.parametrize(
    ("a", "b", "theta2", "n"), [(1, 2, 1, 5), (2, 3, 0.5, 40), (4, 9, 0.1, 90)]
)
def test_steps_lead_to_the_threshold_at_which_both_errors_are_equal(
    a: float, b: float, theta2: float, n: float
) -> None:
    arguments = [np.array([float(x)]) for x in (a, b, theta2, n)]
    at = rough_threshold(*arguments)
    for _ in range(3):
        error, at, _ = _improved(at, *arguments)
    shift = theta2 * n / (a + b) ** 2
    above, below = ncx2.sf(at / a**2, n, shift * a**2), ncx2.cdf(at / b**2, n, shift * b**2)
    np.testing.assert_allclose(above, below, rtol=1e-7)
    np.testing.assert_allclose(error, above, rtol=1e-7)
