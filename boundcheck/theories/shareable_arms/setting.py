"""What the optimal action makes of an instance: L, the plays left for it, what hangs on them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from boundcheck.calculator.numbers.evaluate import Array
from boundcheck.calculator.setting import Values, served
from boundcheck.theories.shareable_arms import symbols as s


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
    found = {
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
    return found | _orch_explore(values | found)


def _orch_explore(values: Values) -> Values:
    """What slots of OrchExplore lose, and how many arms wait for one play at most."""
    means, capacities, plays = values[s.mu], values[s.m], values[s.N]
    ranks = np.arange(1, means.shape[1] + 1)[None, :]
    filled, beyond = (np.asarray(x, dtype=bool) for x in (ranks < values[s.L], ranks > values[s.L]))
    best, single = values[s.f_star], np.asarray(values[s.mbar] == 1, dtype=bool)

    def worst(seen: Array) -> Array:
        """What is lost if these arms have a play each and the others are placed worst."""
        least = (seen * means).sum(axis=1, keepdims=True)
        room = (capacities - seen)[:, ::-1]
        loads = served(room, plays - seen.sum(axis=1, keepdims=True))
        return np.asarray(best - least - (loads * means[:, ::-1]).sum(axis=1, keepdims=True))

    one = plays / plays
    full = np.where(beyond, capacities * means, best)  # no arm alone earns more than the best
    first_beyond = best - full.min(axis=1, keepdims=True)
    first_last = best - values[s.m_L] * values[s.mu_L]
    accurate = worst(one * ~beyond) + (values[s.mu_L] - means[:, -1:]) / 2
    united = np.maximum(np.maximum(first_beyond, first_last), accurate)
    largest_first = np.cumsum(np.sort(capacities, axis=1)[:, ::-1], axis=1)
    few = one + one * np.asarray(largest_first < plays, dtype=bool).sum(axis=1, keepdims=True)
    at_hand = np.asarray(capacities > values[s.m_L] - values[s.mbar], dtype=bool)
    return {
        s.c_acc: accurate,
        s.c_J: first_beyond,
        s.c_L: first_last,
        s.c_far: worst(one * 0 * means) + united,
        s.c_near: worst(one * filled) + np.where(single, 0 * united, united),
        s.few: few,
        s.kept: np.where(single, one, one / 2),
        s.wait: np.where(at_hand, 2 * one, 2 * (values[s.K] - few)),
    }
