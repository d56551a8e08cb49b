"""The chance that the estimator fails at a published size, enclosed for some arms.

One time, both counts at the size rounded up; delta is the largest power of ten that the condition
of theorem 5.3, delta <= 2 exp(-A) with A = 49 m^2/mu^2, allows.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import ceil, log

import sympy
from flint import arb

from boundcheck import functions as fn
from boundcheck import symbols as s
from boundcheck.evidence.tails import Arm, Explored
from boundcheck.numbers import balls
from boundcheck.proofs import relations as rel
from boundcheck.proofs.parts import largest, number
from boundcheck.proofs.step import Part
from simulation.rewards import Bernoulli, Gaussian, RewardLaw

_LAWS: tuple[RewardLaw, ...] = (Gaussian(Fraction(1, 4)), Bernoulli())
_CASES = ((1, "1"), (1, "0.5"), (2, "0.75"), (3, "1"), (1, "8"))
_ARMS = [
    Arm(1, Fraction(mean), capacity, law)
    for (capacity, mean), law in product(_CASES, _LAWS)
    if law.admits(Fraction(mean))
]


def chances(width: type[fn.Defined], size: sympy.Expr, threshold: int | None = None) -> Part:
    """P(the bounds do not meet at m), m < N, or (`threshold`) P(the lower bound stays below it)."""
    arms = [arm for arm in _ARMS if arm.capacity >= (threshold or 1)]
    found = [_failure(arm, width, size, threshold) for arm in arms]
    told = ", ".join(f"({arm.capacity}, {arm.mean}, {arm.law.name})" for arm in arms)
    return number(
        largest(found),
        at_most=1,
        region=f"(m, mu, law) = {told}",
        words="the largest chance, in multiples of delta",
        sample=True,
    )


def _failure(arm: Arm, width: type[fn.Defined], size: sympy.Expr, threshold: int | None) -> arb:
    """The chance in multiples of delta, enclosed."""
    scale = 49 * arm.capacity**2 / arm.mean**2
    delta = Fraction(1, 10 ** max(ceil(float(scale) / log(10)), 1))
    point = {s.m: Fraction(arm.capacity), s.mu: arm.mean, s.delta: delta}
    if threshold is not None:
        point[s.d] = Fraction(threshold)
    with balls.precision(rel.BITS):
        count = int(rel.value(size, point).upper().ceil().unique_fmpz())
        spread = 2 * rel.value(width(s.n, s.delta), {s.n: Fraction(count), s.delta: delta})
        explored = Explored(arm, count, count)
        if threshold is None:
            _, high = explored.unlearned(spread)
            low = explored.open_above(arm.capacity, spread).lower()
        else:
            low, high = explored.unreached(threshold, spread)
        return low.union(high) / balls.ball(delta)
