"""Checks of numeric parameters: horizons, runs, seeds, probabilities."""

from __future__ import annotations

from fractions import Fraction

from simulation.errors import InputError, shown
from simulation.numbers import exact

LARGEST_HORIZON = 10**15  # more slots than a year can compute, and exact as a float
LARGEST_COUNTED = 9 * 10**18  # slots of a run are 64-bit integers up to here, floats beyond
LARGEST_LEAPT = 10**30  # limit when leaping
ETA = 1e-17  # default bound on the probability that a leap differs from slot by slot
LARGEST_RUNS = 10**6  # more runs would need gigabytes for checkpoints
LARGEST_SEED = 2**128 - 1

Number = int | float | str | Fraction  # 100000, 1e5, "1e5" and "10^5" are the same


def whole_number(where: str, field: str, value: object, least: int, most: int) -> int:
    """An integer within limits, in any notation.

    >>> whole_number("simulate", "horizon", "1e5", 1, 10**9)
    100000
    >>> whole_number("simulate", "runs", 200.0, 1, 10**6)
    200
    """
    try:
        number = exact(value)
    except ValueError:
        number = exact(least - 1)
    if number.denominator != 1 or not least <= number <= most:
        limit = f"{most:,}" if most <= LARGEST_HORIZON else f"{most:.2g}"
        raise InputError(where, field, shown(value), f"a whole number from {least} to {limit}")
    return int(number)


def probability(where: str, field: str, value: object) -> float:
    """A number strictly between 0 and 1, as a float that is strictly between them too.

    >>> probability("estimate", "delta", "1/20")
    0.05
    """
    try:
        number = float(exact(value))
    except (ValueError, OverflowError):
        number = 0.0
    if not 0 < number < 1:
        raise InputError(where, field, shown(value), "a number strictly between 0 and 1")
    return number
