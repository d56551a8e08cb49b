"""What every check asks of its arguments, and the search that every planner uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite

import numpy as np
import numpy.typing as npt

from simulation.errors import InputError, shown

FloatArray = npt.NDArray[np.float64]
Values = Sequence[float] | FloatArray

# a planner that would ask for more than this says that no size is enough
LARGEST_PLAN = 10**12


def open_unit(where: str, field: str, value: float) -> float:
    """A level or a power: strictly between 0 and 1."""
    if not 0 < value < 1:
        raise InputError(where, field, shown(value), "a number strictly between 0 and 1")
    return float(value)


def positive(where: str, field: str, value: float) -> float:
    if not (isfinite(value) and value > 0):
        raise InputError(where, field, shown(value), "a finite number above 0")
    return float(value)


def sample(where: str, values: Values, top: float | None = None) -> FloatArray:
    """At least one finite value, none below 0 and none above `top`."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise InputError(where, "values", f"shape {array.shape}", "a non-empty list of numbers")
    for wrong, expected in (
        (~np.isfinite(array), "finite numbers"),
        (array < 0, "numbers of 0 or more"),
        (array > (np.inf if top is None else top), f"numbers of at most {top}"),
    ):
        if wrong.any():
            raise InputError(where, "values", shown(float(array[wrong][0])), expected)
    return array


def enough(suffices: Callable[[int], bool]) -> int | None:
    """A size that suffices while one less does not; None if `LARGEST_PLAN` does not.

    Found by doubling and halving. Where a larger size can fail again (lattice effects of a
    discrete law) it is one such size, not always the smallest.

    >>> enough(lambda size: size * size > 50)
    8
    """
    above = 1
    while not suffices(above):
        if above > LARGEST_PLAN:
            return None
        above *= 2
    below = above // 2
    while above - below > 1:
        middle = (above + below) // 2
        if suffices(middle):
            above = middle
        else:
            below = middle
    return above
