"""What the kernels of `law-free` must do: its level, and which test is tried."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import floor, inf, isclose, log1p
from typing import Any

import numpy as np
from changed_code import Kernel

from simulation.learning.likelihoods import Model
from simulation.learning.splits import ARM, SPLIT, level_at
from simulation.policies import law_free
from simulation.world import draws


def _evidence_level(level_at: Any) -> bool:
    """l_t = log(1 + t/4), which evidence has to exceed (docs/theorems/law-free.md)."""
    return all(isclose(level_at(t), log1p(t / 4), rel_tol=1e-12) for t in (1, 2, 5, 40, 10**6))


_Split = tuple[int, float, int, float]  # plays and sums of the low and the high group at b = 1
_GROUPS: list[_Split] = [
    (9, 4.5, 0, 0.0),
    (9, 4.5, 1, 0.25),
    (9, 4.5, 2, 0.5),
    (9, 4.5, 8, 6.5),  # promising
    (3, 1.5, 4, 3.5),  # more high plays than low ones
    (3, 1.5, 3, 0.5),
]
_OUTSIDE = [(0, inf), (1, 0.875), (2, 0.875), (2, 0.0)]  # counts and averages; the last one is out
_PRIORITIES = ((0, 1, 2, 3, 4), (4, 3, 2, 1, 0), (1, 4, 0, 3, 2))


def _law_free_team(
    splits: list[_Split],
    outside: tuple[tuple[int, float], ...] = (),
    priorities: tuple[int, ...] = (0, 1, 2, 3, 4),
) -> law_free.State:
    """Arms of capacity 1 of two: open ones by their groups, those filled first, and arms outside
    by count and average. The last arm filled has the average 1/2."""
    count = len(splits) + len(outside)
    arms = np.zeros(count, dtype=ARM).view(np.recarray)
    arms.capacity, arms.count, arms.clear = 1, 9, -inf
    arms.muhat = [*(0.25 for _ in splits[1:]), 0.5, *(average for _, average in outside)]
    arms.priority = priorities[:count]
    table = np.zeros((count, 2), dtype=SPLIT).view(np.recarray)
    for k, (low, low_sum, high, high_sum) in enumerate(splits):
        first = table[k, 0]
        first.low, first.low_sum, first.high, first.high_sum = low, low_sum, high, high_sum
    arms["count"][len(splits) :] = [plays for plays, _ in outside]
    model, order, none = Model(draws.BERNOULLI, 0.25), np.arange(count), np.zeros(0)
    return law_free.State(arms, table, order, none, none, none, none, 2, model)


def _looks_larger(low: int, low_sum: float, high: int, high_sum: float) -> bool:
    """B > (b + 1/2) A for b = 1, or nothing seen yet."""
    if high == 0:
        return True
    return Fraction(high_sum) / high > Fraction(3, 2) * Fraction(low_sum) / low


def _smallest(smallest_open: Any) -> bool:
    """The open test of smallest count, floor(n'/4) of a promising one; of equal ones arms outside
    first, then by priority; -1 if none is open."""
    last = (9, 4.5, 0, 0.0)
    choices = product(_GROUPS, _GROUPS, _OUTSIDE, _OUTSIDE, _PRIORITIES)
    for one, other, first, second, priorities in choices:
        team = _law_free_team([one, other, last], (first, second), priorities)
        tests = [
            (count, 0, priorities[place], place)
            for place, (count, average) in enumerate((first, second), 3)
            if average > 0.0
        ]
        for place, split in enumerate((one, other)):
            low, _, high, _ = split
            if high <= low:
                shown = floor(Fraction(high, 4)) if _looks_larger(*split) else high
                tests.append((shown, 1, priorities[place], place))
        if smallest_open(team, 3, 0.0) != min(tests, default=(0, 0, 0, -1))[3]:
            return False
    return True


def _promises(promising: Any) -> bool:
    """Exactly the groups that look larger, on the border, too."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return all(
            promising(_law_free_team([split]), 0) == _looks_larger(*split)
            for split in [*_GROUPS, (4, 2.0, 4, 3.0), (8, 4.0, 2, 1.5)]
        )


_NO_OTHER = "an arm outside has a place after the first"
_SAME = {
    "found >= 0 -> found > 0": _NO_OTHER,
    "0 -> 1": _NO_OTHER,
    "arms[k].priority < arms[order[found]].priority -> "
    "arms[k].priority <= arms[order[found]].priority": "no two arms have the same priority",
}


def law_free_kernels() -> Iterator[Kernel]:
    yield Kernel("level", level_at, _evidence_level, "the formula of the card")
    yield Kernel("haste", law_free.promising, _promises, "exact fractions")
    yield Kernel("haste", law_free.smallest_open, _smallest, "exact fractions", _SAME)
