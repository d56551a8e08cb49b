"""What numbers an expression can be evaluated in: floats, digits, certified balls, exact fractions.

A `Domain` is NumPy floats for sweeps, mpmath for digits, python-flint's `arb` for enclosures that
hold by construction, and exact fractions where no irrational function occurs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, NamedTuple, cast

import mpmath
import numpy as np
from flint import arb
from numpy.typing import NDArray

from boundcheck.calculator.numbers.balls import ball

Array = NDArray[Any]
FloatArray = NDArray[np.float64]


class Irrational(ArithmeticError):
    """An exact fraction was asked for where the value is irrational."""


def elementwise(function: Callable[..., Any]) -> Callable[..., Array]:
    """A Python function of numbers as a function of object arrays of any broadcastable shapes."""

    def over_arrays(*arrays: Array) -> Array:
        views = np.broadcast_arrays(*arrays) if len(arrays) > 1 else arrays
        out: Array = np.empty(views[0].shape, dtype=object)
        out.ravel()[:] = [function(*xs) for xs in zip(*(v.flat for v in views), strict=True)]
        return out

    return over_arrays


_ERROR = {name: np.vectorize(getattr(math, name), otypes=[float]) for name in ("erf", "erfc")}


class Code(NamedTuple):
    """What computes a function: of float arrays, of an mpmath context and numbers, of balls."""

    floats: Callable[..., Array]
    digits: Callable[..., Any]
    balls: Callable[..., arb]


class Domain:
    """A kind of number: how rationals enter it and how its functions are computed."""

    dtype: ClassVar[type] = object

    number: Callable[[Fraction], Any]
    infinity: Callable[[], Any]
    pi: Callable[[], Any]
    function: Callable[[str], Callable[..., Any]]  # log, exp, sqrt, loggamma, digamma of numbers
    own: Callable[..., Array]  # of a `Code` and arrays: with code of its own in each domain

    def lift(self, values: Array) -> Array:
        """An array of exact fractions as an array of this domain."""
        return elementwise(self.number)(values)

    def constant(self, value: Fraction) -> Array:
        return np.array([[self.number(value)]], dtype=self.dtype)

    def apply(self, name: str, *arrays: Array) -> Array:
        """A function of `functions.Primitive` or one of log, exp, sqrt, reciprocal, max, min."""
        return elementwise(getattr(self, "_" + name, None) or self.function(name))(*arrays)

    _max, _min = staticmethod(max), staticmethod(min)

    def _reciprocal(self, x: Any) -> Any:
        # denominators of the theory (squares, gaps, divergences) approach 0 from above
        return self.infinity() if x == 0 else 1 / x

    def _rel_entr(self, p: Any, q: Any) -> Any:
        if p == 0:
            return p
        return self.infinity() if q == 0 else p * self.function("log")(p / q)


class _Exact(Domain):
    """Fractions; what is irrational raises."""

    def number(self, value: Fraction) -> Fraction:
        return value

    def infinity(self) -> Any:
        raise Irrational("infinity")

    def pi(self) -> Any:
        raise Irrational("pi")

    def function(self, name: str) -> Callable[..., Any]:
        raise Irrational(name)

    def own(self, code: Code, *arrays: Array) -> Array:
        raise Irrational(code.digits.__name__)


class Digits(Domain):
    """mpmath at a number of decimal digits (with guard digits)."""

    def __init__(self, digits: int) -> None:
        self.context = mpmath.mp.clone()
        self.context.dps = digits + 15

    def number(self, value: Fraction) -> Any:
        return self.context.mpf(value.numerator) / value.denominator

    def infinity(self) -> Any:
        return self.context.inf

    def pi(self) -> Any:
        return +self.context.pi

    def function(self, name: str) -> Callable[..., Any]:
        return cast(Callable[..., Any], getattr(self.context, name))

    def own(self, code: Code, *arrays: Array) -> Array:
        return elementwise(partial(code.digits, self.context))(*arrays)


class Balls(Domain):
    """arb: every result encloses the true value at the precision in force."""

    number = staticmethod(ball)
    infinity, pi = staticmethod(arb.pos_inf), staticmethod(arb.pi)
    _max, _min, _loggamma = staticmethod(arb.max), staticmethod(arb.min), staticmethod(arb.lgamma)

    def function(self, name: str) -> Callable[..., Any]:
        return cast(Callable[..., Any], getattr(arb, name))

    def own(self, code: Code, *arrays: Array) -> Array:
        return elementwise(code.balls)(*arrays)


class Floats(Domain):
    """NumPy doubles, whole arrays at a time."""

    dtype = float

    def number(self, value: Fraction) -> float:
        try:
            return float(value)
        except OverflowError:
            return float("inf")

    def infinity(self) -> float:
        return float("inf")

    def pi(self) -> float:
        return np.pi

    def lift(self, values: Array) -> Array:
        return values if values.dtype == float else super().lift(values).astype(float)

    def apply(self, name: str, *arrays: Array) -> Array:
        return np.asarray(self.function(name)(*arrays))

    def function(self, name: str) -> Callable[..., Any]:
        if name in ("loggamma", "digamma"):
            from scipy import special

            name = {"loggamma": "gammaln"}.get(name, name)
            return cast(Callable[..., Any], getattr(special, name))
        ours = {"max": np.maximum, "min": np.minimum, "rel_entr": self._rel_entr}
        return cast(Callable[..., Any], ours.get(name) or _ERROR.get(name) or getattr(np, name))

    def _rel_entr(self, p: Array, q: Array) -> Array:
        return np.where(p == 0, 0.0, p * np.log(p / q))

    def own(self, code: Code, *arrays: Array) -> Array:
        return np.asarray(code.floats(*np.broadcast_arrays(*arrays)))


FLOATS = Floats()
EXACT = _Exact()
BALLS = Balls()
