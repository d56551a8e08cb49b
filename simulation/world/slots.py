"""Slots beyond 2^53: counted exactly, and told to a policy as floats that keep their parity.

A run of at most 9e18 slots counts them in 64 bits. A longer one keeps a slot as (high, low), whole
numbers as floats: high is their sum rounded, low what that lost. The largest slot is 10^30 < 2^100
and neither part needs more than 53 bits, so no slot is lost, nor does any rounding happen here.

The simulator's loop is written once, with the names of these functions; `COUNTED` is what they
mean for slots of 64 bits, `FAR` for pairs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulation.jit import folded, step

WHOLE = 2.0**53  # up to it every whole number is a float

Pair = tuple[float, float]


@step
def odd_slot(t: Any) -> bool:
    """Whether a slot that a policy is told is odd: of a float beyond 2^53 the last bit says it."""
    if isinstance(t, float) and t >= WHOLE:
        return bool(np.float64(t).view(np.int64) & 1)
    return bool(t % 2 == 1)


@step
def two_sum(high: float, low: float, more: float) -> Pair:
    """high + low + more, as such a pair (Knuth's two-sum, then Dekker's)."""
    total = high + more
    grown = total - high
    low += (high - (total - grown)) + (more - grown)
    high = total + low
    return high, low - (high - total)


# -- 64 bits ---------------------------------------------------------------------------------------


@folded
def _first() -> Any:
    return np.int64(1)  # no literal, for which everything would be compiled once more


@folded
def _told(t: int) -> int:
    return t


@folded
def _within(t: int, horizon: int) -> bool:
    return t <= horizon


@folded
def _after(t: int, length: int) -> int:
    return t + length


@folded
def _last_before(t: int) -> int:
    return t - 1


@folded
def _room(t: int, end: int) -> int:
    return int(end - t + 1)


# -- pairs -----------------------------------------------------------------------------------------


@folded
def _far_first() -> Pair:
    return 1.0, 0.0


@step
def _far_told(t: Pair) -> float:
    """The slot as a float; beyond 2^53 within 2^-51 of it, and its last bit is the parity."""
    high, low = t
    if high < WHOLE:
        return high
    bits = np.float64(high).view(np.int64)
    return float(np.int64(bits - (bits & 1) + int(low % 2.0)).view(np.float64))


@step
def _far_within(t: Pair, horizon: float) -> bool:
    high, low = t
    return high < horizon or (high == horizon and low <= 0.0)


@step
def _far_after(t: Pair, length: float) -> Pair:
    return two_sum(t[0], t[1], length)


@step
def _far_last_before(t: Pair) -> float:
    """The slot before, as far as a checkpoint can be it: 0 where no float is that slot."""
    high, low = _far_after(t, -1.0)
    return high if low == 0.0 else 0.0


@step
def _far_room(t: Pair, end: float) -> float:
    """Slots from t to `end`; where a float may be rounded a few less, never more."""
    high, low = t
    room = (end - high) - low + 1.0
    return room if room < WHOLE / 2.0 else np.floor(room * (1.0 - 2.0**-51))


COUNTED = {
    "first": _first,
    "told": _told,
    "within": _within,
    "after": _after,
    "last_before": _last_before,
    "room": _room,
}
FAR = {
    "first": _far_first,
    "told": _far_told,
    "within": _far_within,
    "after": _far_after,
    "last_before": _far_last_before,
    "room": _far_room,
}
