"""The paper's symbols on an instance: L, mbar, and everything that depends on them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from boundcheck.calculator.numbers.evaluate import Array
from boundcheck.calculator.setting import Values
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.question import Question

_SUMMED, _MOST = 400_000, 20_000  # limits on summed probabilities: over pairs of arms, and for each


def derive(values: Values) -> Values:
    """The paper's symbols, by operations that work on exact fractions and on floats."""
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
        s.d: values.get(s.d, remaining),  # the default threshold
        s.gamma: values.get(s.gamma, _constant(Question.gamma, means)),
        s.xi: values.get(s.xi, _constant(Question.xi, means)),
        s.full_min: (capacities * means).min(axis=1, keepdims=True),
    }
    return found | _orch_explore(values | found)


def _constant(value: Fraction, like: Array) -> Array:
    return np.array([[value]], dtype=like.dtype)


def _orch_explore(values: Values) -> Values:
    """The regret of OrchExplore's slots, and bounds on how many arms wait for a play."""
    means, capacities, plays = values[s.mu], values[s.m], values[s.N]
    ranks = np.arange(1, means.shape[1] + 1)[None, :]
    beyond = np.asarray(ranks > values[s.L], dtype=bool)
    best, one = values[s.f_star], plays / plays
    # no single arm earns more than the best action
    full = np.where(beyond, capacities * means, best)
    wait = 2 * one * np.maximum(values[s.K] - _others_needed(capacities, plays), 1)
    outside = np.asarray(capacities <= values[s.m_L] - values[s.mbar], dtype=bool)
    places = np.asarray(values[s.L], dtype=float).astype(int) - 1
    rows = np.broadcast_to(wait, (len(places), wait.shape[1]))
    zero = 0 * means[:, :1]
    return {
        s.c_J: best - full.min(axis=1, keepdims=True),
        s.c_L: best - values[s.m_L] * values[s.mu_L],
        s.second: _second(values),
        s.mu_K: means[:, -1:],
        s.mu_less: _next_smaller(means),
        s.above_next: np.concatenate([means[:, :-1] - means[:, 1:], zero], axis=1),
        s.below_last: np.concatenate([zero, means[:, :-1] - means[:, 1:]], axis=1),
        s.summed: np.minimum(_SUMMED / (values[s.K] * values[s.L]), _MOST),
        s.wait: wait,
        s.wait_L: np.take_along_axis(rows, places, axis=1),
        s.wait_in: np.where(outside, wait, 2 * one),
    }


def _others_needed(capacities: Array, plays: Array) -> Array:
    """For each arm the least number of other arms with capacity for all plays; K if all are too
    few.
    """
    # whole numbers below 2^53: floats hold them, once no arm has more room than there are plays
    plays = np.asarray(plays, dtype=float)
    capacities = np.minimum(np.asarray(capacities, dtype=float), plays)
    order = np.argsort(-capacities, axis=1, kind="stable")
    places = np.argsort(order, axis=1)
    room = np.cumsum(np.take_along_axis(capacities, order, axis=1), axis=1)
    needed = 1 + (room < plays).sum(axis=1, keepdims=True)  # of all arms
    # of the largest, with the arm itself counted
    more = 1 + _counts_below(plays + capacities, room)
    found = np.where(places < needed, more - 1, needed)
    return np.asarray(np.minimum(found, capacities.shape[1]))


def _counts_below(limits: Array, values: Array) -> Array:
    """For each limit, how many values of its row are smaller: by sorting, not by pairs."""
    both = np.concatenate([limits, values], axis=1)
    places = np.argsort(np.argsort(both, axis=1, kind="stable"), axis=1)[:, : limits.shape[1]]
    return np.asarray(places - np.argsort(np.argsort(limits, axis=1, kind="stable"), axis=1))


def _next_smaller(means: Array) -> Array:
    """For each arm the largest mean below its own; its own if there is none."""
    found = means.copy()
    for k in range(means.shape[1] - 2, -1, -1):
        tied = np.asarray(means[:, k] == means[:, k + 1], dtype=bool)
        found[:, k] = np.where(tied, found[:, k + 1], means[:, k + 1])
    return found


def _second(values: Values) -> Array:
    """The largest excess of what x left-over plays earn at least on a filled arm over any arm.

    Used only if mbar = 1 and L >= 3; otherwise 0.
    """
    means, capacities, plays = values[s.mu], values[s.m], values[s.N]
    filled = np.asarray(values[s.L] - 1 >= values[s.rank], dtype=bool)
    used = np.asarray((values[s.mbar] == 1) & (values[s.L] >= 3), dtype=bool)
    found = 0 * values[s.f_star]
    if not used.any():
        return found
    # beyond the largest capacity more plays earn no more and fit on fewer arms
    for x in range(1, int(min(plays.max() - 1, capacities.max())) + 1):
        earned = np.minimum(capacities, x * plays / plays) * means
        more = _least_of_others(np.where(filled, earned, values[s.f_star])) - _least_of_others(
            earned
        )
        room = np.asarray(capacities + x <= plays, dtype=bool)
        kept = np.where(filled & room & used, np.maximum(more, 0 * more), 0 * more)
        found = np.maximum(found, kept.max(axis=1, keepdims=True))
    return found


def _least_of_others(earned: Array) -> Array:
    """For each arm the least reward of another one."""
    order = np.argsort(earned, axis=1, kind="stable")
    least, second = (np.take_along_axis(earned, order[:, i : i + 1], axis=1) for i in (0, 1))
    first = np.arange(earned.shape[1])[None, :] == order[:, :1]
    return np.asarray(np.where(first, second, least))
