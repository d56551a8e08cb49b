"""The numbers of `law_free_slots` for arrays of points by arms, in any kind of number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from flint import arb, ctx

from boundcheck.calculator.numbers.domains import FLOATS, Array, Domain
from boundcheck.theories.shareable_arms.exact.law_free_counts import Numbers
from boundcheck.theories.shareable_arms.exact.law_free_levels import best
from boundcheck.theories.shareable_arms.exact.law_free_scale import ScaleNumbers, ScaleSlots
from boundcheck.theories.shareable_arms.exact.law_free_slots import Slots

_KEPT = 4  # instances whose counts are kept: the terms of a bound share them
_INSTANCE = 8  # arguments before the shares


@dataclass(frozen=True)
class _Point:
    """One instance, by what its numbers are exactly."""

    key: tuple[Any, ...]
    slots: Slots = field(compare=False)


def lost_by_arm(domain: Domain, name: str, shares: tuple[str, ...], *given: Array) -> Array:
    """At each point what is lost at each arm; for bad arms together one number."""
    with np.errstate(all="ignore"):
        rows = [_row(point, name) for point in _points(domain, shares, *given)]
    return np.array(rows, dtype=domain.dtype)


def shares_found(shares: tuple[str, ...], *given: Array) -> dict[str, Array]:
    """The best shares at each point, in floats, by arms."""
    found = [
        best(point.slots).levels if point.slots.ways else _any(point.slots, shares)
        for point in _points(FLOATS, (), *given)
    ]
    return {name: np.array([levels[name] for levels in found]) for name in shares}


def _any(slots: Slots, shares: tuple[str, ...]) -> dict[str, Array]:
    return {name: np.full(slots.arms, 0.5) for name in shares}


def _row(point: _Point, name: str) -> list[Any]:
    slots = _kept(point).slots
    number = slots.numbers
    if not slots.ways:  # a law that is not covered
        nothing = number.domain.infinity() - number.domain.infinity()
        return [nothing] * (1 if name == "worse_loads" else slots.arms)
    if name == "worse_loads":
        return [slots.worse_loads()]
    arms = {"tried_alone": slots.bad, "own_lost": slots.bad, "short_of": range(slots.last)}.get(
        name, slots.good
    )
    return [getattr(slots, name)(k) if k in arms else number.of(0) for k in range(slots.arms)]


@lru_cache(maxsize=_KEPT)
def _kept(point: _Point) -> _Point:
    return point


def _points(domain: Domain, shares: tuple[str, ...], *given: Array) -> Iterator[_Point]:
    points = max(len(array) for array in given)
    for row in range(points):
        means, held, *others = (array[row if len(array) > 1 else 0] for array in given)
        plays, last, horizon, ways, own, variance = (x[0] for x in others[: _INSTANCE - 2])
        levels = {
            name: np.broadcast_to(share, means.shape)
            for name, share in zip(shares, others[_INSTANCE - 2 :], strict=True)
        }
        scale = float(variance) > 0
        numbers = ScaleNumbers(domain, horizon, variance) if scale else Numbers(domain, horizon)
        slots = (ScaleSlots if scale else Slots)(
            numbers,
            means,
            [min(round(float(m)), round(float(plays))) for m in held],
            round(float(plays)),
            round(float(last)) - 1,
            0 if np.isnan([float(ways), float(variance)]).any() else round(float(ways)),
            own,
            levels,
        )
        key = domain, ctx.prec, *(_exactly(x) for array in given for x in array[row % len(array)])
        yield _Point(key, slots)


def _exactly(x: Any) -> Any:
    if not isinstance(x, arb):
        return x
    if not x.is_finite():
        return str(x)
    return tuple(int(part) for end in (x.mid(), x.rad()) for part in end.man_exp())
