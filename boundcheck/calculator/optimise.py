"""Choose the free parameters of a bound, epsilon and the levels, so that the bound is smallest.

Epsilon: the bound is a sum of convex functions of it, so golden-section search finds the minimum.
Levels: x in [0, 1] stands for the share x^2 (3 - 2x) of the way from the low to the high end, which
resolves both ends finely; x is found in three rounds of fitting a parabola to the logarithm of the
terms that depend on it, each round with closer values. The terms are smooth with one minimum, so
this ends near it (a slow function may have a `rough` stand-in here). The bound is true at every
choice and is enclosed at the one shown, so the search affects tightness, not validity.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from operator import itemgetter
from typing import Any

import numpy as np
from sympy import Expr

from boundcheck.calculator.numbers.evaluate import EXACT, FLOATS, Array, Domain
from boundcheck.calculator.setting import Setting, Values
from boundcheck.calculator.values import live, term_values
from boundcheck.claims import symbols as s
from boundcheck.claims.card import Level, Quantity, Term
from simulation.errors import InputError
from simulation.numbers import decimal, exact
from simulation.world.instance import Instance

STEPS = 4096  # shares are multiples of 1/4096
_GOLDEN = (5**0.5 - 1) / 2
_ZOOMS = tuple(np.array([-1, 0, 1]) * width for width in (2 / 7, 1 / 10, 1 / 30))
_ROWS = 10_000  # points computed at a time, to limit memory


def best_epsilons(quantity: Quantity, setting: Setting) -> Array:
    """At each point the admissible epsilon that makes the bound smallest; nan if there is none.

    If a quantity has a row for each arm, all rows share the epsilon that is best for their sum.
    """
    rows = None if quantity.rows is None else setting.ranks_in(quantity.rows)
    setting = setting.in_floats()
    limit = setting.values[s.smallest_gap] / 2
    terms = [term for term in quantity.terms if s.epsilon in term.expression.free_symbols]

    def total(epsilon: Array) -> Array:
        at = setting.given({s.epsilon: epsilon})
        parts = [term_values(term, at, FLOATS, rows).sum(axis=1, keepdims=True) for term in terms]
        return np.asarray(sum(parts[1:], parts[0]))

    with np.errstate(all="ignore"):
        low, high = (
            np.broadcast_to(limit * share, (setting.points, 1)) for share in (1e-4, 1 - 1e-9)
        )
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        at_left, at_right = total(left), total(right)
        for _ in range(32):
            smaller = at_left < at_right
            low, high = np.where(smaller, low, left), np.where(smaller, right, high)
            fresh = np.where(smaller, high - _GOLDEN * (high - low), low + _GOLDEN * (high - low))
            at_fresh = total(fresh)
            left, right = np.where(smaller, fresh, right), np.where(smaller, left, fresh)
            at_left, at_right = (
                np.where(smaller, at_fresh, at_right),
                np.where(smaller, at_left, at_fresh),
            )
        return np.where(limit > 0, (low + high) / 2, np.nan)


def best_epsilon(quantity: Quantity, setting: Setting) -> Fraction | None:
    """The best epsilon of one exact setting, truncated to six digits so that it stays
    admissible.
    """
    found = best_epsilons(quantity, setting).item()
    if np.isnan(found):
        return None
    digits, _, exponent = f"{found:.9e}".partition("e")
    return exact(f"{digits[:7]}e{exponent}")


def require_admissible(instance: Instance, epsilon: Fraction, setting: Setting) -> None:
    limit = setting.values[s.smallest_gap].item() / 2
    if epsilon >= limit:
        expected = f"a number below {decimal(limit, 12)}, half the smallest gap between means"
        if pairs := instance.equal_means:
            expected = f"none: arms {', '.join(map(str, pairs[0]))} have equal means"
        raise InputError("--epsilon", "epsilon", decimal(epsilon, 12), expected)


def best_levels(quantity: Quantity, setting: Setting) -> Values | None:
    """The best levels of one exact setting; None if the ends of a level in use leave no room."""
    if not all(_room(level, setting) for level in quantity.levels):
        return None
    fraction = np.vectorize(lambda steps: Fraction(int(steps), STEPS), otypes=[object])
    return {
        level.symbol: _between(level, setting, EXACT, fraction(steps))
        for level, steps in _shares(quantity, setting.in_floats()).items()
    }


def many_levels(quantity: Quantity, setting: Setting) -> Values:
    """The best levels at every point of a sweep, in floats."""
    starts = range(0, setting.points, _ROWS)
    cuts = [itemgetter(slice(start, start + _ROWS)) for start in starts]
    parts = [_shares(quantity, setting.at_points(cut)) for cut in cuts]
    shares = {level: np.concatenate([part[level] for part in parts]) for level in quantity.levels}
    return {
        level.symbol: _between(level, setting, FLOATS, steps / STEPS)
        for level, steps in shares.items()
    }


def _room(level: Level, setting: Setting) -> bool:
    """Whether there is a number strictly between the ends, wherever the level is in use."""
    if not live(level.when, setting).any():
        return True
    ends = setting.evaluator(EXACT)
    room = np.asarray(ends(level.high) > ends(level.low), dtype=bool)
    if level.over is None:
        return bool(room.all())
    mask = setting.mask(level.over)
    return bool(np.broadcast_to(room, mask.shape)[mask].all())


def _between(level: Level, setting: Setting, domain: Domain, share: Array) -> Array:
    ends = setting.evaluator(domain)
    low = ends(level.low)
    return np.asarray(low + share * (ends(level.high) - low))


def _shares(quantity: Quantity, setting: Setting) -> dict[Level, Array]:
    """For each level its share, in steps of 1/4096, for a setting in floats: by a search of the
    card's own if it has one."""
    if quantity.search is not None:
        found = quantity.search(setting)
        return {level: _in_steps(found[level.symbol]) for level in quantity.levels}
    points, arms = setting.points, setting.values[s.mu].shape[1]
    places = {
        level: np.full((points, 1 if level.over is None else arms), 0.5)
        for level in quantity.levels
    }
    with np.errstate(all="ignore"):
        for offsets in _ZOOMS:
            for level, terms, together in _used(quantity):
                _move(level, terms, together, setting, places, offsets)
    return {level: _in_steps(_share(x)) for level, x in places.items()}


def _in_steps(shares: Array) -> Array:
    return np.asarray(np.clip(np.rint(shares * STEPS), 1, STEPS - 1))


def _share(x: Array) -> Array:
    return np.asarray(x * x * (3 - 2 * x))


@cache
def _used(quantity: Quantity) -> list[tuple[Level, list[Term], list[Level]]]:
    """For each level: the terms that contain it, and all levels in those terms."""
    rough = [replace(term, expression=_rough(term.expression)) for term in quantity.terms]
    met = {term: term.expression.free_symbols for term in rough}
    found = []
    for level in quantity.levels:
        terms = [term for term, symbols in met.items() if level.symbol in symbols]
        symbols = frozenset().union(*(met[term] for term in terms))
        found.append((level, terms, [x for x in quantity.levels if x.symbol in symbols]))
    return found


def _rough(expression: Expr) -> Expr:
    """The expression with slow functions replaced by their approximations."""
    return expression.replace(
        lambda part: getattr(part, "rough", None) is not None, lambda part: part.rough(*part.args)
    )


def _move(
    level: Level,
    terms: list[Term],
    together: list[Level],
    setting: Setting,
    places: dict[Level, Array],
    offsets: Array,
) -> None:
    """Move one level, at each point, to the lowest of the three places at `offsets` from where it
    is, or to the vertex of the parabola through them.

    Only `places[level]` changes, only for the arms that the level is for, and it stays in (0, 1):
    a bound is true at every such place, so a bad move costs sharpness and nothing else. Points
    are independent: each is repeated once for each offset, which is row `point * size + offset`.
    """
    rows = None if level.over is None else setting.ranks_in(level.over)
    if rows == []:
        return
    columns: Any = slice(None) if rows is None else np.array(rows) - 1
    size, points = len(offsets), len(places[level])
    wide = setting.at_points(lambda v: np.repeat(v, size, axis=0))
    tried = {other: np.repeat(places[other], size, axis=0) for other in together}
    tried[level] = np.clip(tried[level] + np.tile(offsets, points)[:, None], 1e-3, 1 - 1e-3)
    wide = wide.given(
        {other.symbol: _between(other, wide, FLOATS, _share(x)) for other, x in tried.items()}
    )
    total: Array = np.asarray(sum(term_values(term, wide, FLOATS, rows) for term in terms))
    total = np.broadcast_to(total, (points * size, total.shape[1])).reshape(points, size, -1)
    at = tried[level][:, columns].reshape(points, size, -1)
    places[level][:, columns] = _bottom(np.log(total), at)


def _bottom(values: Array, places: Array) -> Array:
    """The vertex of the parabola through three values (axis 1); if it has none, the lower end."""
    (a, b, c), (left, centre, right) = (np.moveaxis(x, 1, 0) for x in (values, places))
    bend = a - 2 * b + c
    vertex = np.clip(centre + (right - left) / 4 * (a - c) / bend, left, right)
    lowest = np.where(a < c, left, right)
    return np.asarray(np.where((bend > 0) & np.isfinite(vertex), vertex, lowest))
