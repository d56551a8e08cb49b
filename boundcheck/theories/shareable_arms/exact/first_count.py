"""The smallest x = 1, 2, ... with c phi(x, delta) < r, in each domain of numbers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from boundcheck.calculator.numbers.domains import BALLS, FLOATS, Array, Domain, elementwise
from boundcheck.calculator.numbers.evaluate import Evaluator
from boundcheck.theories.shareable_arms.widths import phi


def counts(domain: Domain, c: Array, delta: Array, r: Array) -> Array:
    if domain is FLOATS:
        return _in_floats(c, delta, r)
    if domain is BALLS:
        return _certified(c, delta, r)
    return elementwise(lambda *one: _bisected(domain, *one))(c, delta, r)


def first_whole(holds: Callable[[int], bool], most: int | None = None) -> int:
    """The smallest number 1, 2, ... at which a monotone predicate holds, which is at most
    `most`.
    """
    low, high = 0, 1
    while (most is None or high < most) and not holds(high):
        low, high = high, 2 * high if most is None else min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _widths(domain: Domain, counts: Array, delta: Array) -> Array:
    return Evaluator(domain, {}).call(phi, counts, delta)


def _bisected(domain: Domain, c: Any, delta: Any, r: Any) -> Any:
    """By bisection, since phi is decreasing."""
    if not r > 0:
        return domain.infinity()
    given = np.array([[delta]], dtype=object)

    def reached(x: int) -> bool:
        return bool(c * _widths(domain, domain.constant(Fraction(x)), given).item() < r)

    return domain.number(Fraction(first_whole(reached)))


def _in_floats(c: Array, delta: Array, r: Array) -> Array:
    """x phi(x)^2 is nearly constant, so x -> x (c phi(x)/r)^2 converges fast to c phi(x) = r."""
    c, delta, r = np.broadcast_arrays(c, delta, r)
    root = np.ones(c.shape)
    for _ in range(200):
        better = np.maximum(root * (c * _widths(FLOATS, root, delta) / r) ** 2, 1.0)
        moving = abs(better - root) > 1e-3 + 1e-14 * better  # false where values are not finite
        root = better
        if not moving.any():
            break
    count = np.ceil(root - 0.5)  # the answer, or one below it
    return np.where(r > 0, count + ~(c * _widths(FLOATS, count, delta) < r), np.inf)


def _certified(c: Array, delta: Array, r: Array) -> Array:
    """Guess in floats, certify both sides with balls, and use bisection where that is undecided."""
    c, delta, r = np.broadcast_arrays(c, delta, r)
    with np.errstate(all="ignore"):
        guess = _in_floats(*(np.vectorize(float, otypes=[float])(x) for x in (c, delta, r)))
    guess = np.where(guess < 2.0**53, guess, 1)  # larger floats do not represent every integer
    found = elementwise(lambda x: arb(int(x)))(guess)
    for at in np.argwhere(~_first(found, c, delta, r)):
        place = tuple(at)
        found[place] = _enclosed(c[place], delta[place], r[place])
    return found


def _first(counts: Array, c: Array, delta: Array, r: Array) -> Array:
    """Whether the count certainly reaches the condition and the one before certainly does not."""
    reached = c * _widths(BALLS, counts, delta) < r
    one = BALLS.constant(Fraction(1))
    before = BALLS.apply("max", counts - one, one)
    earlier = ~np.asarray(c * _widths(BALLS, before, delta) >= r, dtype=bool)
    later = np.asarray(counts > one, dtype=bool)
    return np.asarray(np.asarray(reached, dtype=bool) & ~(earlier & later))


def _enclosed(c: arb, delta: arb, r: arb) -> arb:
    found = _bisected(BALLS, c, delta, r)
    if not found.is_finite():
        return found
    certified = _first(*(np.array([[x]], dtype=object) for x in (found, c, delta, r)))
    # otherwise bisection treated an undecided comparison as "not reached"
    return found if certified.item() else (found - 1).union(found)
