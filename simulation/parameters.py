"""Numbers that say how long, how often and where to look: read once, checked once."""

from __future__ import annotations

from fractions import Fraction

from simulation.errors import InputError, shown
from simulation.numbers import exact

LARGEST_HORIZON = 10**15  # more slots than a year computes, and exact as a float
LARGEST_COUNTED = 9 * 10**18  # slots of a run that 64 bits count; longer runs count in floats
LARGEST_LEAPT = 10**30  # when leaping
ETA = 1e-17  # how likely a block of slots leapt may differ from slot by slot
LARGEST_RUNS = 10**6  # the checkpoints of so many runs take some gigabytes
LARGEST_SEED = 2**128 - 1

Number = int | float | str | Fraction  # 100000, 1e5, "1e5" and "10^5" are the same


def whole(where: str, field: str, value: object, least: int, most: int) -> int:
    """A whole number within limits, however it is written.

    >>> whole("simulate", "horizon", "1e5", 1, 10**9), whole("simulate", "runs", 200.0, 1, 10**6)
    (100000, 200)
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
    """A number strictly between 0 and 1, as a float that is so too.

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
