"""What a range that is wider than need be costs a policy that is told nothing but the range.

Such a policy takes rewards in [0, s] for as random as they can be, those of a coin with sides 0 and
s. To tell an arm of mean a from one of mean b it needs about log(T) / kl(a/s, b/s) plays, each of
which loses b - a. The sum of (b - a) / kl(a/s, b/s) over the arms that are not to be played is what
a scale costs, up to what no scale changes: a rule of thumb, no bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf, isfinite, log
from typing import TYPE_CHECKING

from simulation.numbers import decimal
from simulation.samples import Empirical

if TYPE_CHECKING:
    from simulation.instance import Instance

_NEAR = 1e-5  # below this distance the divergence is computed as a square


def loose_scale(instance: Instance) -> str | None:
    """What is said of a scale that is more than twice the largest value measured."""
    law = instance.reward
    if not isinstance(law, Empirical) or not 0 < 2 * law.largest < 1:
        return None
    largest, scale = decimal(law.largest * law.scale, 6), decimal(law.scale, 6)
    less = price_of_range(instance, law.largest)
    told = "" if less is None else f", about {1 / less:.2g} times as much here"
    return (
        f"reward.scale: {scale}: more than twice the largest value, {largest}; law-free loses "
        f"more the larger it is{told}: state the largest reward possible"
    )


def price_of_range(instance: Instance, wider: Fraction) -> float | None:
    """How many times as much a policy loses that is told a range `wider` times as long."""
    idle = [instance.means[k] for k in instance.order[instance.L :]]
    return times_as_much(idle, instance.means[instance.last_arm], wider)


def times_as_much(means: Sequence[Fraction], least: Fraction, wider: Fraction) -> float | None:
    """How many times as much a range `wider` times as long costs, if that is a number.

    means    of the arms that are not to be played, as rewards in [0, 1]
    least    the smallest mean of those that are

    >>> round(times_as_much([Fraction(2, 5)], Fraction(1, 2), Fraction(2)), 2)
    3.06
    >>> times_as_much([Fraction(1, 2)], Fraction(1, 2), Fraction(2)) is None
    True
    """
    gaps = [(float(a), float(least)) for a in means if a < least]
    now = sum((b - a) / _divergence(a, b) for a, b in gaps)
    then = sum((b - a) / _divergence(a / float(wider), b / float(wider)) for a, b in gaps)
    return then / now if now and then and isfinite(then / now) else None


def _divergence(a: float, b: float) -> float:
    """kl(a, b), of coins."""
    if b >= 1:
        return inf
    if b - a < _NEAR:
        return max((b - a) ** 2 / (2 * b * (1 - b)), 1e-300)
    return (a * log(a / b) if a else 0.0) + (1 - a) * log((1 - a) / (1 - b))
