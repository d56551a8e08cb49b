"""Is a bound better than what is true anyway, and from which horizon on?"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import arb

from boundcheck import symbols as s
from boundcheck.calculator.values import term_values
from boundcheck.claim import Quantity, Trivial
from boundcheck.numbers.evaluate import BALLS, FLOATS
from boundcheck.setting import Setting
from simulation.numbers import decimal, exact

TRIVIAL_UPPER = {Trivial.REGRET: s.T * s.largest_regret, Trivial.SLOTS: s.T}


def trivial(quantity: Quantity, setting: Setting) -> arb | None:
    """What is true anyway, beside which the bound is measured; None where nothing is."""
    if quantity.trivial is Trivial.NONE:
        return None
    if quantity.trivial in TRIVIAL_UPPER:
        known: arb = setting.evaluator(BALLS)(TRIVIAL_UPPER[quantity.trivial]).item()
        return known
    needed = quantity.trivial is Trivial.ONE_EXPLORATION and setting.values[s.delta].item() < 0.5
    return arb(1 if needed else 0)


def vacuous(quantity: Quantity, value: arb, setting: Setting) -> bool | None:
    """Is the bound no better than what is true anyway? None where nothing is."""
    known = trivial(quantity, setting)
    if value.is_nan() or known is None:
        return None
    return bool(value >= known if quantity.trivial in TRIVIAL_UPPER else value <= known)


def nonvacuous_from(quantity: Quantity, setting: Setting) -> str | None:
    """The horizon from which a regret bound is below the largest regret, to four digits, up.

    Bound/T decreases from T = 6 on, so there is one crossing; it is bracketed on a grid of
    exponents and zoomed in on, at the epsilon and the levels chosen for the horizon asked about.
    None: not a function of T alone, or beyond 10^300.
    """
    if quantity.trivial not in TRIVIAL_UPPER or quantity.rows is not None:
        return None
    low, high = 1.0, 300.0
    setting = setting.in_floats()
    growing = [term for term in quantity.terms if s.T in term.expression.free_symbols]
    with np.errstate(all="ignore"):
        fixed = [term for term in quantity.terms if term not in growing]
        constant = sum(term_values(term, setting, FLOATS) for term in fixed)
        for _ in range(4):
            exponents = np.linspace(low, high, 200)
            at = setting.given({s.T: 10.0 ** exponents[:, None]})
            bound = constant + sum(term_values(term, at, FLOATS) for term in growing)
            trivial = at.evaluator(FLOATS)(TRIVIAL_UPPER[quantity.trivial])
            above = np.flatnonzero(~np.broadcast_to(bound < trivial, at.values[s.T].shape).ravel())
            if len(above) == 0:
                return decimal(Fraction(10), 1) if low == 1.0 else None
            if above[-1] == len(exponents) - 1:
                return None
            low, high = exponents[above[-1]], exponents[above[-1] + 1]
    return decimal(_round_up(10.0**high), 12)


def _round_up(value: float) -> Fraction:
    digits, _, exponent = f"{value:.3e}".partition("e")
    rounded = exact(f"{digits}e{exponent}")
    return rounded if rounded >= Fraction(value) else rounded + Fraction(10) ** (int(exponent) - 3)
