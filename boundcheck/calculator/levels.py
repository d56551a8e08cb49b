"""The free levels of a bound: where each stands between its ends, so that the bound is smallest.

A level's share of the way from its low to its high end is x^2 (3 - 2x), which spares the ends, and
x is found by three parabolas for the logarithm of what depends on it, each through closer values.
The terms are smooth with one valley, so that is near the bottom; the bound is true at every share,
and the value is enclosed at the one that is shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from boundcheck import symbols as s
from boundcheck.calculator.values import live, term_values
from boundcheck.claim import Level, Quantity, Term
from boundcheck.numbers.evaluate import EXACT, FLOATS, Array, Domain
from boundcheck.setting import Setting, Values

STEPS = 4096  # shares are whole multiples of 1/4096
_ZOOMS = tuple(np.array([-1, 0, 1]) * width for width in (2 / 7, 1 / 10, 1 / 30))
_ROWS = 10_000  # looked at in one go


def best_levels(quantity: Quantity, setting: Setting) -> Values | None:
    """The levels of one exact setting; None if one that is needed has no room."""
    if not all(_room(level, setting) for level in quantity.levels):
        return None
    rough = setting
    if setting.values[s.T].item() > 10**300:  # beyond floats
        rough = setting.given({s.T: np.array([[Fraction(10**300)]], dtype=object)})
    exact = np.vectorize(lambda steps: Fraction(int(steps), STEPS), otypes=[object])
    return {
        level.symbol: _between(level, setting, EXACT, exact(steps))
        for level, steps in _shares(quantity, rough.in_floats()).items()
    }


def many_levels(quantity: Quantity, setting: Setting) -> Values:
    """The same at every point of a sweep, in floats."""
    parts = [_shares(quantity, part) for part in _parts(setting)]
    shares = {level: np.concatenate([part[level] for part in parts]) for level in quantity.levels}
    return {
        level.symbol: _between(level, setting, FLOATS, steps / STEPS)
        for level, steps in shares.items()
    }


def _room(level: Level, setting: Setting) -> bool:
    """Is there a number strictly between the ends, wherever the level is in use?"""
    if not live(level.when, setting).any():
        return True
    ends = setting.evaluator(EXACT)
    room = np.asarray(ends(level.high) > ends(level.low), dtype=bool)
    return bool(room.all() if level.over is None else room[setting.mask(level.over)].all())


def _between(level: Level, setting: Setting, domain: Domain, share: Array) -> Array:
    ends = setting.evaluator(domain)
    low = ends(level.low)
    return np.asarray(low + share * (ends(level.high) - low))


def _points(setting: Setting) -> int:
    return max(len(value) for value in setting.values.values())


def _parts(setting: Setting) -> Iterator[Setting]:
    for start in range(0, _points(setting), _ROWS):
        cut = slice(start, start + _ROWS)
        values = {x: v if len(v) == 1 else v[cut] for x, v in setting.values.items()}
        yield replace(setting, values=values)


def _shares(quantity: Quantity, setting: Setting) -> dict[Level, Array]:
    """In steps, for a setting in floats."""
    points, arms = _points(setting), setting.values[s.mu].shape[1]
    places = {
        level: np.full((points, 1 if level.over is None else arms), 0.5)
        for level in quantity.levels
    }
    with np.errstate(all="ignore"):
        for offsets in _ZOOMS:
            for level, terms, together in _used(quantity):
                _move(level, terms, together, setting, places, offsets)
    return {level: np.clip(np.rint(_share(x) * STEPS), 1, STEPS - 1) for level, x in places.items()}


def _share(x: Array) -> Array:
    return np.asarray(x * x * (3 - 2 * x))


@cache
def _used(quantity: Quantity) -> list[tuple[Level, list[Term], list[Level]]]:
    """Each level, the terms it is in, and all levels of these."""
    met = {term: term.expression.free_symbols for term in quantity.terms}
    found = []
    for level in quantity.levels:
        terms = [term for term, symbols in met.items() if level.symbol in symbols]
        symbols = frozenset().union(*(met[term] for term in terms))
        found.append((level, terms, [x for x in quantity.levels if x.symbol in symbols]))
    return found


def _move(
    level: Level,
    terms: list[Term],
    together: list[Level],
    setting: Setting,
    places: dict[Level, Array],
    offsets: Array,
) -> None:
    """Bring a level to where its terms are smallest, along these offsets from where it is."""
    columns: Any = slice(None)
    rows = None
    if level.over is not None:
        columns = setting.mask(level.over).any(axis=0)
        rows = (np.flatnonzero(columns) + 1).tolist()
        if not rows:
            return
    size, points = len(offsets), len(places[level])
    wide = _repeated(setting, size)
    tried = {other: np.repeat(places[other], size, axis=0) for other in together}
    tried[level] = np.clip(tried[level] + np.tile(offsets, points)[:, None], 1e-3, 1 - 1e-3)
    wide = wide.given(
        {other.symbol: _between(other, wide, FLOATS, _share(x)) for other, x in tried.items()}
    )
    total: Array = np.asarray(sum(term_values(term, wide, FLOATS, rows) for term in terms))
    total = np.broadcast_to(total, (points * size, total.shape[1])).reshape(points, size, -1)
    at = tried[level][:, columns].reshape(points, size, -1)
    places[level][:, columns] = _bottom(np.log(total), at)


def _repeated(setting: Setting, times: int) -> Setting:
    """Every point so many times over."""
    values = setting.values.items()
    wide = {x: v if len(v) == 1 else np.repeat(v, times, axis=0) for x, v in values}
    return replace(setting, values=wide)


def _bottom(values: Array, places: Array) -> Array:
    """The vertex of the parabola through three values (axis 1), else the lowest of them."""
    (a, b, c), (left, centre, right) = (np.moveaxis(x, 1, 0) for x in (values, places))
    bend = a - 2 * b + c
    vertex = np.clip(centre + (right - left) / 4 * (a - c) / bend, left, right)
    lowest = np.where(a < c, left, right)
    return np.asarray(np.where((bend > 0) & np.isfinite(vertex), vertex, lowest))
