"""The free levels of the bound of `law-free`, so that it is small: in floats, for one instance.

Any level between its ends is one that the theorem allows; what is found here is not the least.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from boundcheck.calculator.numbers.domains import Array
from boundcheck.theories.shareable_arms.exact.law_free_slots import Slots

SHARES = np.arange(1, 24) / 24
_HEARD = np.arange(4, 20) / 20
_START = 8  # of SHARES
_TIMES = 3  # that each level of filled bad arms is moved, after the first time by
_NEAR = 2  # places at most


def best(bound: Slots) -> Slots:
    """The same with shares for levels: each arm has one of each name."""
    with np.errstate(all="ignore"):
        bound = replace(bound, levels=_ends(bound))
        bound = replace(bound, levels=dict(bound.levels) | {"passed": _passed(bound)})
        found = {"x": _filled(bound), **_short(bound), **_tried(bound), "v": _ordered(bound)}
    return replace(bound, levels=dict(bound.levels) | found)


def _least(values: Array, shares: Array = SHARES) -> Array:
    """The share with the smallest value, along the first axis."""
    return np.asarray(shares[np.argmin(np.where(np.isnan(values), np.inf, values), axis=0)])


def _ends(bound: Slots) -> dict[str, Array]:
    """How far averages may be off, and how many single values are to be seen."""
    arms, _ = bound.pairs
    each = bound.expected(bound.averages(SHARES[:, None] * np.ones(len(arms))))
    heard = bound.expected(bound.silence(_HEARD[:, None] * np.ones(len(arms))))
    found = {name: np.full(bound.arms, 0.5) for name in ("at", "below", "heard")}
    for j in range(bound.arms):
        for name, chosen in (("at", bound.reached), ("below", ~bound.reached)):
            if (mine := chosen & (arms == j)).any():
                found[name][j] = _least(each[:, mine].sum(axis=1))
        if (mine := bound.reached & (arms == j)).any():
            found["heard"][j] = _least(heard[:, mine].sum(axis=1), _HEARD)
    return found


def _all(bound: Slots, shares: Array) -> Array:
    """Of bad arms, for all arms."""
    return np.concatenate([np.full(bound.last + 1, 0.5), shares])


def _passed(bound: Slots) -> Array:
    each = [bound.order_of(i, SHARES[:, None]) for i in bound.good]
    return _all(bound, _least(np.sum(each, axis=0)))


def _filled(bound: Slots) -> Array:
    """The levels x, one arm after another while that makes the terms smaller."""
    bad = np.array(bound.bad)
    lows, gaps = bound.means[bad], bound.gaps[bad]
    x = lows + SHARES[:, None] * gaps
    slots = [
        (bound.missing(i, room), table)
        for i in bound.good
        for room, table in (
            (bound.held[i], bound.outside(i, x.ravel()).reshape(x.shape)),
            (bound.held[i] - 1, bound.as_last(i, x)),
        )
    ]
    own, places, arms = bound.own(x), np.full(len(bad), _START), np.arange(len(bad))
    held = np.array([bound.held[k] for k in bad], dtype=float)
    for times in range(_TIMES):
        before = places.copy()
        for k in arms:
            others = np.arange(len(SHARES))
            if times:
                others = others[max(places[k] - _NEAR, 0) : places[k] + _NEAR + 1]
            tried = np.tile(places, (len(others), 1))
            tried[:, k] = others
            total = own[tried, arms].sum(axis=1)
            order = np.argsort(-x[tried, arms], axis=1, kind="stable")
            inside = np.argsort(order, axis=1)[:, None, ::-1] <= arms[:, None]
            room = inside * held[::-1]
            filled = np.cumsum(room, axis=2) - room
            chosen = np.take_along_axis(tried, order, axis=1)
            known: dict[int, Array] = {}
            for plays, table in slots:
                if plays not in known:
                    lost = (np.clip(plays - filled, 0, room) * gaps[::-1]).sum(axis=2)
                    known[plays] = np.diff(lost, axis=1, prepend=0)
                total = total + (known[plays] * table[chosen, order]).sum(axis=1)
            places[k] = others[np.argmin(np.where(np.isnan(total), np.inf, total))]
        if (places == before).all():
            break
    return _all(bound, SHARES[places])


def _short(bound: Slots) -> dict[str, Array]:
    found = {name: np.full(bound.arms, 0.5) for name in ("y", "z")}
    after, nu = bound.means[bound.last + 1], bound.means[bound.last]
    grid = np.stack(np.meshgrid(SHARES, SHARES, indexing="ij")).reshape(2, -1)
    for i in range(bound.last):
        y = nu + grid[0] * bound.gaps[i]
        place = np.argmin(bound.short(i, y, after + grid[1] * (y - after)))
        found["y"][i], found["z"][i] = grid[:, place]
    return found


def _tried(bound: Slots) -> dict[str, Array]:
    found = {name: np.full(bound.arms, 0.5) for name in ("w", "x'")}
    grid = np.stack(np.meshgrid(SHARES, SHARES, indexing="ij")).reshape(2, -1)
    for k in bound.bad:
        x = bound.means[k] + grid[1] * bound.gaps[k]
        values = bound.alone(k, bound.means[k] + grid[0] * (x - bound.means[k]), x)
        found["w"][k], found["x'"][k] = grid[:, int(np.argmin(values))]
    return found


def _ordered(bound: Slots) -> Array:
    found: list[Any] = [
        _least(bound.by_order(j, bound.means[j] + SHARES * bound.gaps[j])) for j in bound.bad
    ]
    return _all(bound, np.array(found))
