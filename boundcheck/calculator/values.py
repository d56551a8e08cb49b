"""The numbers of a claim: its terms in any domain, enclosures that are sharp to a number of digits,
and the comparison with the trivial bound.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import sqrt
from operator import eq, ge, gt, le, lt, ne
from typing import Any

import numpy as np
import sympy
from flint import arb

from boundcheck.calculator.numbers import balls
from boundcheck.calculator.numbers.evaluate import BALLS, FLOATS, Array, Domain
from boundcheck.calculator.setting import Setting
from boundcheck.claims import symbols as s
from boundcheck.claims.card import Quantity, Term, Trivial
from simulation.numbers import decimal, exact

MOST_BITS = 20_000
TRIVIAL_UPPER = {Trivial.REGRET: s.T * s.largest_regret, Trivial.SLOTS: s.T}
_NEAREST, _FARTHEST, _STEPS, _CLOSE = 10.0, 1e300, 300, 3e-6  # for the search for a horizon
_OPERATIONS = {">=": ge, ">": gt, "<=": le, "<": lt, "==": eq, "!=": ne}


def term_values(
    term: Term, setting: Setting, domain: Domain, rows: list[int] | None = None
) -> Array:
    """A term at each point: summed over its arms, or one value for each rank in `rows`."""
    zero = domain.constant(Fraction(0))
    alive = live(term.when, setting)
    if not alive.any():
        return np.broadcast_to(zero, (len(alive), 1 if rows is None else len(rows)))
    if rows is not None:
        value = setting.evaluator(domain, np.asarray(rows) - 1)(term.expression)
        value = np.broadcast_to(value, (len(value), len(rows)))
    elif term.over is None:
        value = setting.evaluator(domain)(term.expression)
    else:
        mask = setting.mask(term.over)
        used = np.asarray(mask.any(axis=0))
        if not used.any():
            return np.broadcast_to(zero, (len(mask), 1))
        value = setting.evaluator(domain, used)(term.expression)
        shape = np.broadcast_shapes(value.shape, mask[:, used].shape)
        value = np.where(mask[:, used], np.broadcast_to(value, shape), zero)
        value = value.sum(axis=1, keepdims=True)
    return value if alive.all() else np.where(alive, value, zero)


def live(when: sympy.Rel | None, setting: Setting) -> Array:
    """Where a term's condition (between whole numbers) holds."""
    if when is None:
        return np.ones((1, 1), dtype=bool)
    values = setting.evaluator(FLOATS)
    return np.asarray(compare_values(when, values(when.lhs), values(when.rhs)), dtype=bool)


def enough_bits(setting: Setting, digits: int) -> int:
    return int(digits * 3.33) + 64 + setting.denominator_bits


def certified_rows(
    quantity: Quantity, setting: Setting, rows: list[int] | None, digits: int
) -> list[tuple[list[arb], arb]]:
    """Enclosures of all terms and of their sum for each row, accurate to `digits` digits."""
    bits, before = enough_bits(setting, digits), None
    while True:
        with balls.precision(bits):
            columns = [
                term_values(term, setting, BALLS, rows)[0].tolist() for term in quantity.terms
            ]
            found = [(list(row), sum(row[1:], row[0])) for row in zip(*columns, strict=True)]
        unsharp = [
            total.rel_accuracy_bits()
            for _, total in found
            if not total.is_exact() and total.rel_accuracy_bits() <= digits * 3.33
        ]
        sharpness = min(unsharp, default=0)
        # stop where more bits no longer sharpen the enclosure
        if not unsharp or bits > MOST_BITS or sharpness == before:
            return found
        before, bits = sharpness, 2 * bits


def compare_values(relation: sympy.Rel, a: Any, b: Any) -> Any:
    return _OPERATIONS[relation.rel_op](a, b)


def trivial(quantity: Quantity, setting: Setting) -> arb | None:
    """The trivial bound with which the claim is compared; None if there is none."""
    if quantity.trivial is Trivial.NONE:
        return None
    if quantity.trivial in TRIVIAL_UPPER:
        known: arb = setting.evaluator(BALLS)(TRIVIAL_UPPER[quantity.trivial]).item()
        return known
    needed = quantity.trivial is Trivial.ONE_EXPLORATION and setting.values[s.delta].item() < 0.5
    return arb(1 if needed else 0)


def informative(quantity: Quantity, value: arb, setting: Setting) -> bool | None:
    """Whether the bound is certainly better than the trivial one; None if there is none.

    A bound that is not finite, or may equal the trivial one, is not informative.
    """
    if not value.is_finite():
        return False
    known = trivial(quantity, setting)
    if known is None:
        return None
    return bool(value < known if quantity.trivial in TRIVIAL_UPPER else value > known)


def informative_from(quantity: Quantity, setting: Setting, known: list[arb]) -> str | None:
    """The horizon from which a regret bound is below the largest possible regret, rounded up to
    four digits; None if it depends on more than T, or is beyond 10^300.

    Bound/T decreases from T = 6 on, so there is one crossing. Starting to its right, repeat: the
    horizon at which the trivial bound equals the current bound is closer but never beyond the
    crossing. Where that is slow (a bound with a part that is linear in T), halve what is left.
    Epsilon and the levels stay as chosen for the horizon in question, at which the terms have the
    values `known`.
    """
    if quantity.trivial not in TRIVIAL_UPPER or quantity.rows is not None:
        return None
    setting = setting.in_floats()
    growing = [term for term in quantity.terms if s.T in term.expression.free_symbols]
    each = zip(quantity.terms, known, strict=True)
    constant = sum(float(value) for term, value in each if term not in growing)
    slope = setting.given({s.T: np.ones((1, 1))}).evaluator(FLOATS)

    def closer(horizon: float) -> float:
        at = setting.given({s.T: np.array([[horizon]])})
        bound = constant + sum(term_values(term, at, FLOATS) for term in growing)
        return float(np.squeeze(bound / slope(TRIVIAL_UPPER[quantity.trivial])))

    with np.errstate(all="ignore"):
        horizon = _crossing(closer)
    return None if horizon is None else decimal(_round_up(horizon), 12 if horizon > _NEAREST else 1)


def _crossing(closer: Callable[[float], float]) -> float | None:
    """The smallest T above `_NEAREST` with closer(T) < T, which stays so for larger T; None if
    that is beyond `_FARTHEST`.
    """
    horizon = _FARTHEST
    for _ in range(_STEPS):
        before, horizon = horizon, closer(horizon)
        if not horizon < before:
            return None if before == _FARTHEST else before
        if horizon < _NEAREST:
            return _NEAREST
        if before - horizon < before * _CLOSE:
            return before
    low = _NEAREST
    if closer(low) < low:
        return low
    while horizon - low > horizon * _CLOSE:
        middle = sqrt(low * horizon)
        low, horizon = (low, middle) if closer(middle) < middle else (middle, horizon)
    return horizon


def _round_up(value: float) -> Fraction:
    digits, _, exponent = f"{value:.3e}".partition("e")
    rounded = exact(f"{digits}e{exponent}")
    return rounded if rounded >= Fraction(value) else rounded + Fraction(10) ** (int(exponent) - 3)
