"""What numbers an expression can be evaluated in: floats, digits, certified balls, exact fractions.

A `Domain` is NumPy floats for sweeps, mpmath for digits, python-flint's `arb` for enclosures that
hold by construction, and exact fractions where no irrational function occurs.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, ClassVar

import mpmath
import numpy as np
from flint import arb
from numpy.typing import NDArray

from boundcheck import functions as fn
from boundcheck.balls import ball

Array = NDArray[Any]


class Irrational(ArithmeticError):
    """An exact fraction was asked for where the value is irrational."""


def _elementwise(function: Callable[..., Any]) -> Callable[..., Array]:
    """A Python function of numbers as a function of object arrays of any broadcastable shapes."""

    def over_arrays(*arrays: Array) -> Array:
        views = np.broadcast_arrays(*arrays) if len(arrays) > 1 else arrays
        out: Array = np.empty(views[0].shape, dtype=object)
        out.ravel()[:] = [function(*xs) for xs in zip(*(v.flat for v in views), strict=True)]
        return out

    return over_arrays


class Domain:
    """A kind of number: how rationals enter it and how its functions are computed."""

    dtype: ClassVar[type] = object

    def number(self, value: Fraction) -> Any:
        raise NotImplementedError(f"{type(self).__name__}.number")

    def infinity(self) -> Any:
        return self.number(Fraction(1))  # replaced where the domain has one

    def pi(self) -> Any:
        raise Irrational("pi")

    def lift(self, values: Array) -> Array:
        """An array of exact fractions as an array of this domain."""
        return _elementwise(self.number)(values)

    def constant(self, value: Fraction) -> Array:
        return np.array([[self.number(value)]], dtype=self.dtype)

    def apply(self, name: str, *arrays: Array) -> Array:
        """A function of `functions.Primitive` or one of log, exp, sqrt, reciprocal, max, min."""
        return _elementwise(getattr(self, "_" + name))(*arrays)

    def _reciprocal(self, x: Any) -> Any:
        # denominators of the theory (squares, gaps, divergences) approach 0 from above
        return self.infinity() if x == 0 else 1 / x

    def _max(self, x: Any, y: Any) -> Any:
        return max(x, y)

    def _min(self, x: Any, y: Any) -> Any:
        return min(x, y)

    def _rel_entr(self, p: Any, q: Any) -> Any:
        if p == 0:
            return p
        return self.infinity() if q == 0 else p * self._log(p / q)

    def _log(self, x: Any) -> Any:
        raise Irrational("log")

    def _smallest_count(self, c: Any, delta: Any, r: Any) -> Any:
        """Bisection over the integers; phi is decreasing."""
        if not r > 0:
            return self.infinity()

        def reached(x: int) -> bool:
            return bool(c * self._phi(x, delta) < r)

        high = 1
        while not reached(high):
            high *= 2
        low = high // 2  # not reached, or 0
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if reached(middle) else (middle, high)
        return self.number(Fraction(high))

    def _phi(self, x: int, delta: Any) -> Any:
        count = self.constant(Fraction(x))
        return self._widths(count, np.array([[delta]], dtype=object)).item()

    def _widths(self, counts: Array, delta: Array) -> Array:
        from boundcheck.evaluate import Evaluator  # which evaluates in a domain

        return Evaluator(self, {}).call(fn.phi, counts, delta)


class Exact(Domain):
    """Fractions; irrational functions raise."""

    def number(self, value: Fraction) -> Fraction:
        return value

    def infinity(self) -> Any:
        raise Irrational("infinity")

    def _sqrt(self, *x: Any) -> Any:
        raise Irrational("sqrt")

    _exp = _two_point_error = _loggamma = _digamma = _mean_log = _sqrt


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

    def _log(self, x: Any) -> Any:
        return self.context.log(x)

    def _exp(self, x: Any) -> Any:
        return self.context.exp(x)

    def _sqrt(self, x: Any) -> Any:
        return self.context.sqrt(x)

    def _loggamma(self, x: Any) -> Any:
        return self.context.loggamma(x)

    def _digamma(self, x: Any) -> Any:
        return self.context.digamma(x)

    def _mean_log(self, a: Any, b: Any, m: Any) -> Any:
        from boundcheck.beta_law import digits_mean_log

        return digits_mean_log(self.context, a, b, m)

    def _two_point_error(self, a: Any, b: Any, theta2: Any, n: Any) -> Any:
        from boundcheck.two_point import digits_error

        return digits_error(self.context, a, b, theta2, n)


class Balls(Domain):
    """arb: every result encloses the true value at the precision in force."""

    def number(self, value: Fraction) -> arb:
        return ball(value)

    def infinity(self) -> arb:
        return arb.pos_inf()

    def pi(self) -> arb:
        return arb.pi()

    def _log(self, x: arb) -> arb:
        return x.log()

    def _exp(self, x: arb) -> arb:
        return x.exp()

    def _sqrt(self, x: arb) -> arb:
        return x.sqrt()

    def _loggamma(self, x: arb) -> arb:
        return x.lgamma()

    def _digamma(self, x: arb) -> arb:
        return x.digamma()

    def _mean_log(self, a: arb, b: arb, m: arb) -> arb:
        from boundcheck.beta_law import enclosed_mean_log

        return enclosed_mean_log(a, b, m)

    def _max(self, x: arb, y: arb) -> arb:
        return x.max(y)

    def _min(self, x: arb, y: arb) -> arb:
        return x.min(y)

    def apply(self, name: str, *arrays: Array) -> Array:
        if name == "smallest_count":
            return self._certified_counts(*arrays)
        return super().apply(name, *arrays)

    def _certified_counts(self, c: Array, delta: Array, r: Array) -> Array:
        """Guess in floats, certify both sides with balls, bisect where that does not decide."""
        c, delta, r = np.broadcast_arrays(c, delta, r)
        with np.errstate(all="ignore"):
            rough = [np.vectorize(float, otypes=[float])(x) for x in (c, delta, r)]
            guess = FLOATS.apply("smallest_count", *rough)
        guess = np.where(guess < 2.0**53, guess, 1)  # beyond, neighbouring floats are not integers
        counts = _elementwise(lambda x: arb(int(x)))(guess)
        certified = self._first(counts, c, delta, r)
        for at in np.argwhere(~certified):
            place = tuple(at)
            counts[place] = self._smallest_count(c[place], delta[place], r[place])
        return counts

    def _first(self, counts: Array, c: Array, delta: Array, r: Array) -> Array:
        """Certainly reached at the count, and certainly not one before."""
        reached = c * self._widths(counts, delta) < r
        one = self.constant(Fraction(1))
        before = self.apply("max", counts - one, one)
        earlier = ~np.asarray(c * self._widths(before, delta) >= r, dtype=bool)
        later = np.asarray(counts > one, dtype=bool)
        return np.asarray(np.asarray(reached, dtype=bool) & ~(earlier & later))

    def _smallest_count(self, c: arb, delta: arb, r: arb) -> arb:
        found = super()._smallest_count(c, delta, r)
        if not found.is_finite():
            return found
        certified = self._first(*(np.array([[x]], dtype=object) for x in (found, c, delta, r)))
        # else bisection took an undecided comparison for "not reached"
        return found if certified.item() else (found - 1).union(found)

    def _two_point_error(self, a: arb, b: arb, theta2: arb, n: arb) -> arb:
        from boundcheck.two_point import enclosed_error

        return enclosed_error(a, b, theta2, n)


class Floats(Domain):
    """NumPy doubles, whole arrays at a time."""

    dtype = float
    _ufuncs: ClassVar[dict[str, Any]] = {
        "log": np.log,
        "exp": np.exp,
        "sqrt": np.sqrt,
        "max": np.maximum,
        "min": np.minimum,
        "reciprocal": np.reciprocal,
    }

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
        if name in self._ufuncs:
            return np.asarray(self._ufuncs[name](*arrays))
        return np.asarray(getattr(self, "_" + name)(*arrays))

    def _rel_entr(self, p: Array, q: Array) -> Array:
        return np.where(p == 0, 0.0, p * np.log(p / q))

    def _loggamma(self, x: Array) -> Array:
        from scipy.special import gammaln

        return np.asarray(gammaln(x))

    def _digamma(self, x: Array) -> Array:
        from scipy.special import digamma

        return np.asarray(digamma(x))

    def _mean_log(self, a: Array, b: Array, m: Array) -> Array:
        from boundcheck.beta_law import float_mean_logs

        return float_mean_logs(*np.broadcast_arrays(a, b, m))

    def _smallest_count(self, c: Array, delta: Array, r: Array) -> Array:
        """x phi(x)^2 hardly varies, so x -> x (c phi(x)/r)^2 settles fast on c phi(x) = r."""
        c, delta, r = np.broadcast_arrays(c, delta, r)
        root = np.ones(c.shape)
        for _ in range(200):
            better = np.maximum(root * (c * self._widths(root, delta) / r) ** 2, 1.0)
            moving = abs(better - root) > 1e-3 + 1e-14 * better  # false where nothing is finite
            root = better
            if not moving.any():
                break
        count = np.ceil(root - 0.5)  # the answer, or one below it
        return np.where(r > 0, count + ~(c * self._widths(count, delta) < r), np.inf)

    def _two_point_error(self, a: Array, b: Array, theta2: Array, n: Array) -> Array:
        from boundcheck.two_point import float_errors

        return float_errors(*np.broadcast_arrays(a, b, theta2, n))


FLOATS = Floats()
EXACT = Exact()
BALLS = Balls()
