"""The number types in which expressions are evaluated, each a `Domain`.

NumPy floats for sweeps, mpmath for digits, python-flint's `arb` for certified enclosures, and exact
fractions where no irrational function occurs.
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
    """Raised by the exact domain where a value is irrational."""


def elementwise(function: Callable[..., Any]) -> Callable[..., Array]:
    """Apply a Python function of numbers to object arrays of broadcastable shapes."""

    def over_arrays(*arrays: Array) -> Array:
        views = np.broadcast_arrays(*arrays) if len(arrays) > 1 else arrays
        out: Array = np.empty(views[0].shape, dtype=object)
        out.ravel()[:] = [function(*xs) for xs in zip(*(v.flat for v in views), strict=True)]
        return out

    return over_arrays


_ERROR = {name: np.vectorize(getattr(math, name), otypes=[float]) for name in ("erf", "erfc")}


class Code(NamedTuple):
    """Implementations of a function: for float arrays, for an mpmath context and numbers, for
    balls.
    """

    floats: Callable[..., Array]
    digits: Callable[..., Any]
    balls: Callable[..., arb]


class Domain:
    """A number type: how rationals are converted and how functions are computed."""

    dtype: ClassVar[type] = object

    number: Callable[[Fraction], Any]
    infinity: Callable[[], Any]
    pi: Callable[[], Any]
    function: Callable[[str], Callable[..., Any]]  # by name: log, exp, sqrt, loggamma, digamma
    own: Callable[..., Array]  # applies a `Code` to arrays, with its implementation for this domain

    def lift(self, values: Array) -> Array:
        """Convert an array of exact fractions to this domain."""
        return elementwise(self.number)(values)

    def constant(self, value: Fraction) -> Array:
        return np.array([[self.number(value)]], dtype=self.dtype)

    def apply(self, name: str, *arrays: Array) -> Array:
        """Apply a `functions.Primitive`, or one of log, exp, sqrt, reciprocal, max, min, by
        name.
        """
        return elementwise(getattr(self, "_" + name, None) or self.function(name))(*arrays)

    _max, _min = staticmethod(max), staticmethod(min)

    def _reciprocal(self, x: Any) -> Any:
        # the theories' denominators (squares, gaps, divergences) approach 0 from above
        return self.infinity() if x == 0 else 1 / x

    def _rel_entr(self, p: Any, q: Any) -> Any:
        if p == 0:
            return p
        return self.infinity() if q == 0 else p * self.function("log")(p / q)


class _Exact(Domain):
    """Exact fractions; irrational values raise `Irrational`."""

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
    """mpmath with this many decimal digits and 15 guard digits."""

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
    """arb: every result encloses the true value at the current precision."""

    number = staticmethod(ball)
    infinity, pi = staticmethod(arb.pos_inf), staticmethod(arb.pi)
    _max, _min, _loggamma = staticmethod(arb.max), staticmethod(arb.min), staticmethod(arb.lgamma)

    def function(self, name: str) -> Callable[..., Any]:
        return cast(Callable[..., Any], getattr(arb, name))

    def own(self, code: Code, *arrays: Array) -> Array:
        return elementwise(code.balls)(*arrays)


class Floats(Domain):
    """NumPy doubles, on whole arrays."""

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
