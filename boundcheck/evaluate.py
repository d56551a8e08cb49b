"""One symbolic expression, evaluated as floats, to any number of digits, or as certified balls.

`Evaluator` walks an expression over arrays: rows are parameter points, columns arms. The number
type is a `Domain`: NumPy floats for sweeps, mpmath for digits, python-flint's `arb` for enclosures
that hold by construction, and exact fractions where no irrational function occurs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, ClassVar

import mpmath
import numpy as np
import sympy
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


class Evaluator:
    """Values of expressions for given values of symbols, in one domain and one reward law."""

    def __init__(
        self, domain: Domain, values: Mapping[sympy.Symbol, Array], law: str = "gaussian"
    ) -> None:
        self.domain, self.law = domain, law
        self._given = values
        self._known: dict[sympy.Basic, Array] = {}

    def __call__(self, expression: sympy.Expr) -> Array:
        found = self._known.get(expression)
        if found is None:
            found = self._known[expression] = self._compute(expression)
        return found

    def call(self, function: type[fn.Defined], *arguments: Array) -> Array:
        """A defined function at these values; its formula may use symbols known here."""
        parameters, body, around = function.definition()
        inner = dict(zip(parameters, arguments, strict=True))
        outer = {symbol: self(symbol) for symbol in around}
        return Evaluator(self.domain, outer | inner, self.law)(body)

    def _compute(self, expression: sympy.Expr) -> Array:
        if expression.is_Symbol:
            return self._given[expression]
        if expression.is_Rational:
            return self.domain.constant(Fraction(int(expression.p), int(expression.q)))
        if expression is sympy.pi:
            return np.array([[self.domain.pi()]], dtype=self.domain.dtype)
        if expression is sympy.oo:
            return np.array([[self.domain.infinity()]], dtype=self.domain.dtype)
        if isinstance(expression, sympy.Pow):
            return self._power(expression)
        arguments = [self(argument) for argument in expression.args]
        if isinstance(expression, sympy.Add):
            return _folded(np.add, arguments)
        if isinstance(expression, sympy.Mul):
            return _folded(np.multiply, arguments)
        if isinstance(expression, sympy.Max | sympy.Min):
            name = "max" if isinstance(expression, sympy.Max) else "min"
            return _folded(lambda x, y: self.domain.apply(name, x, y), arguments)
        return self._function(expression.func, arguments)

    def _power(self, expression: sympy.Pow) -> Array:
        if expression.base is sympy.E:
            return self.domain.apply("exp", self(expression.exp))
        base, exponent = self(expression.base), expression.exp
        if exponent.is_Integer:
            power = base ** abs(int(exponent))
        elif exponent.is_Rational and exponent.q == 2:
            power = self.domain.apply("sqrt", base) ** abs(int(exponent.p))
        elif exponent.is_Rational:
            logarithm = self.domain.apply("log", base)
            power = self.domain.apply("exp", self(abs(exponent)) * logarithm)
        else:
            raise TypeError(f"no rule for the power {expression}")
        return self.domain.apply("reciprocal", power) if exponent.is_negative else power

    def _function(self, function: Any, arguments: list[Array]) -> Array:
        if function in fn.BY_LAW:
            function = fn.BY_LAW[function][self.law]
        if issubclass(function, fn.Defined):
            return self.call(function, *arguments)
        return self.domain.apply(function.__name__, *arguments)


def _folded(operation: Callable[[Array, Array], Array], arguments: list[Array]) -> Array:
    total = arguments[0]
    for argument in arguments[1:]:
        total = operation(total, argument)
    return total
