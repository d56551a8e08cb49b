"""The slots at which runs are recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simulation.parameters import LARGEST_COUNTED, whole_number

POINTS_PER_DECADE = 10


def log_grid(horizon: int) -> tuple[int, ...]:
    """Slots 1 to `horizon`, about ten per decade, with every power of ten and the horizon.

    >>> log_grid(25)
    (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25)
    """
    points = {horizon}
    decade = 1
    while decade <= horizon:
        steps = range(POINTS_PER_DECADE)
        points.update(round(decade * 10 ** (step / POINTS_PER_DECADE)) for step in steps)
        decade *= 10
    return tuple(sorted(slot for slot in points if slot <= horizon))


def as_counts(slots: Any, horizon: int) -> np.ndarray:
    """Slots as a run with this horizon counts them: in 64 bits, or rounded to floats.

    >>> as_counts([7, 100], 100).dtype.name, as_counts([7, 10**22], 10**22).dtype.name
    ('int64', 'float64')
    """
    return np.ascontiguousarray(slots, np.float64 if horizon > LARGEST_COUNTED else np.int64)


def own_grid(checkpoints: Sequence[int], horizon: int) -> tuple[int, ...]:
    """The caller's checkpoints, sorted, and the horizon.

    >>> own_grid([50, 7, 7], 100)
    (7, 50, 100)
    """
    slots = {whole_number("simulate", "checkpoints", slot, 1, horizon) for slot in checkpoints}
    return tuple(sorted(slots | {horizon}))
