"""Argument checks common to all tests, and `Check`, their result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from boundcheck.calculator.numbers.domains import FloatArray
from simulation.errors import InputError, shown

Values = Sequence[float] | FloatArray

POWER = 0.9  # the probability with which a "detectable" value would have been refuted


@dataclass(frozen=True)
class Check:
    """The result of testing a claim: the evidence and the decision.

    If undecided, `needed` is about how many observations in total would decide it, and `against`
    whether the observations so far contradict the claim (None: neither way).
    """

    refuted: bool
    evidence: dict[str, Any]
    supported: bool = False
    needed: float | None = None
    against: bool | None = None


def open_unit(where: str, field: str, value: float) -> float:
    if not 0 < value < 1:
        raise InputError(where, field, shown(value), "a number strictly between 0 and 1")
    return float(value)


def positive(where: str, field: str, value: float) -> float:
    if not (isfinite(value) and value > 0):
        raise InputError(where, field, shown(value), "a finite number above 0")
    return float(value)


def checked_sample(where: str, values: Values, top: float | None = None) -> FloatArray:
    """The values as an array: at least one, all finite, none below 0 or above `top`."""
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
