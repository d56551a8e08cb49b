"""What the optimal action makes of an instance: L, the plays left for it, what hangs on them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from boundcheck import symbols as s
from boundcheck.evaluate import Array
from boundcheck.setting import Values


def derive(values: Values) -> Values:
    """The paper's symbols, by operations on exact fractions and floats alike."""
    means, capacities, plays = values[s.mu], values[s.m], values[s.N]
    room = np.cumsum(capacities, axis=1)
    last = np.argmax(np.asarray(room >= plays, dtype=bool), axis=1)[:, None]  # from 0
    last_play = np.asarray(plays, dtype=float).astype(int) - 1
    last_play = np.broadcast_to(last_play, (max(len(last), len(last_play)), 1))

    def at(array: Array, index: Array) -> Array:
        rows = np.broadcast_to(array, (len(index), array.shape[1]))
        return np.take_along_axis(rows, np.clip(index, 0, array.shape[1] - 1), axis=1)

    def whole(index: Array) -> Array:
        return index if means.dtype != object else np.vectorize(Fraction, otypes=[object])(index)

    best = np.asarray(np.arange(1, means.shape[1] + 1)[None, :] <= plays, dtype=bool)
    zero: Any = Fraction(0) if means.dtype == object else 0.0
    m_last = at(capacities, last)
    remaining = plays - (at(room, last) - m_last)
    return {
        s.L: whole(last + 1),
        s.mu_1: means[:, :1],
        s.mu_before: at(means, last - 1),
        s.mu_L: at(means, last),
        s.mu_after: at(means, last + 1),
        s.mu_N: at(means, last_play),
        s.mu_N_before: at(means, last_play - 1),
        s.m_L: m_last,
        s.mbar: remaining,
        s.d: values.get(s.d, remaining),  # the threshold nobody asked for
        s.full_min: (capacities * means).min(axis=1, keepdims=True),
        s.top_means: np.asarray(np.where(best, means, zero).sum(axis=1, keepdims=True)),
    }
