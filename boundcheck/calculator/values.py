"""The numbers of a claim: its terms in any domain, and certified to a number of digits."""

from __future__ import annotations

from fractions import Fraction
from operator import eq, ge, gt, le, lt, ne
from typing import Any

import numpy as np
import sympy
from flint import arb

from boundcheck.claim import Quantity, Term
from boundcheck.numbers import balls
from boundcheck.numbers.evaluate import BALLS, FLOATS, Array, Domain
from boundcheck.setting import Setting

MOST_BITS = 20_000
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
    """Where a condition (between whole numbers) holds."""
    if when is None:
        return np.ones((1, 1), dtype=bool)
    values = setting.evaluator(FLOATS)
    return np.asarray(compare(when, values(when.lhs), values(when.rhs)), dtype=bool)


def enough_bits(setting: Setting, digits: int) -> int:
    return int(digits * 3.33) + 64 + setting.denominator_bits


def certified_rows(
    quantity: Quantity, setting: Setting, rows: list[int] | None, digits: int
) -> list[tuple[list[arb], arb]]:
    """Enclosures of all terms and of their sum, for each row, sharp to `digits` digits."""
    bits, before = enough_bits(setting, digits), None
    while True:
        with balls.precision(bits):
            columns = [
                term_values(term, setting, BALLS, rows)[0].tolist() for term in quantity.terms
            ]
            found = [(list(row), sum(row[1:], row[0])) for row in zip(*columns, strict=True)]
        unsharp = [total for _, total in found if not balls.accurate(total, digits)]
        sharpness = min((total.rel_accuracy_bits() for total in unsharp), default=0)
        # an enclosure that more bits do not sharpen is left as wide as it is
        if not unsharp or bits > MOST_BITS or sharpness == before:
            return found
        before, bits = sharpness, 2 * bits


def compare(relation: sympy.Rel, a: Any, b: Any) -> Any:
    return _OPERATIONS[relation.rel_op](a, b)
