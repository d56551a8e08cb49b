"""The free epsilon of the regret bounds: its range, and the value that makes a bound smallest."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from boundcheck import symbols as s
from boundcheck.calculator.values import term_values
from boundcheck.claim import Quantity
from boundcheck.numbers.evaluate import FLOATS, Array
from boundcheck.setting import Setting
from simulation.errors import InputError
from simulation.instance import Instance
from simulation.numbers import decimal, exact

_GOLDEN = (5**0.5 - 1) / 2


def best_epsilons(quantity: Quantity, setting: Setting) -> Array:
    """At each point the admissible epsilon that makes the bound smallest; nan if there is none.

    The bound is a sum of convex functions of epsilon: golden-section search. All rows of a
    quantity with one row for each arm share the epsilon that is best for their sum.
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
    """The same for one exact setting, cut to six digits (so it stays admissible)."""
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
