"""The exact minimax error of distinguishing capacity a from capacity b > a (`sharp-4.1-test`).

After n plays at load b or more, with theta = mu/sigma and h = ab/(a + b), the likelihood ratio is a
function of Q = sum (Y_i/sigma - theta h)^2. Under capacity a, Q/a^2 is noncentral chi-square with n
degrees of freedom and noncentrality n theta^2 a^2/(a + b)^2; likewise under b. The minimax test
compares Q with the threshold at which both errors are equal: the error at a falls with the
threshold, the error at b rises, so any threshold encloses their common value between them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from boundcheck.calculator.numbers.balls import ball, precision
from boundcheck.calculator.numbers.domains import Code

# limit on the noncentrality: the mixture of `noncentral_tail` takes about 2 terms for each unit
_LARGEST_NONCENTRALITY = 40_000


def enclosed_error(a: arb, b: arb, theta2: arb, n: arb) -> arb:
    """A ball that contains the minimax error, about as sharp as the current precision."""
    return _Test(a, b, theta2, int(n.unique_fmpz())).error()


def error_between(a: arb, b: arb, theta2: arb, n: int) -> tuple[arb, arb]:
    """Two numbers with the minimax error between them, not close, for n of any size."""
    return _Test(a, b, theta2, n).affinity_bounds()


def digits_error(context: Any, a: Any, b: Any, theta2: Any, n: Any) -> Any:
    """The minimax error as an mpmath number: the midpoint of an enclosure with this many digits."""
    with precision(context.prec + 40):
        a, b, theta2 = (_dyadic(*context.mpf(x).man_exp) for x in (a, b, theta2))
        middle = _Test(a, b, theta2, int(n)).error().mid()
        mantissa, exponent = (int(part) for part in middle.man_exp())
    return context.mpf(mantissa) * context.mpf(2) ** exponent


def _dyadic(mantissa: int, exponent: int) -> arb:
    return ball(Fraction(mantissa) * Fraction(2) ** exponent)


@dataclass(frozen=True)
class _Test:
    """The test of capacity a against b after n plays, by a threshold on Q."""

    a: arb
    b: arb
    theta2: arb
    n: int

    @property
    def _shift(self) -> arb:
        return self.theta2 * self.n / (self.a + self.b) ** 2

    def errors(self, threshold: arb) -> tuple[arb, arb]:
        """Under a: Q above the threshold; under b: Q below it."""
        a2, b2 = self.a * self.a, self.b * self.b
        above = noncentral_tail(self.n, self._shift * a2, threshold / a2, upper=True)
        below = noncentral_tail(self.n, self._shift * b2, threshold / b2, upper=False)
        return above, below

    def error(self) -> arb:
        if not self._shift * self.b * self.b < _LARGEST_NONCENTRALITY:
            low, high = self.affinity_bounds()
            return low.union(high)
        a, b, theta2 = (float(x) for x in (self.a, self.b, self.theta2))
        rough = float(rough_threshold(a, b, theta2, self.n))
        return _equalised(self.errors, arb(rough))

    def affinity_bounds(self) -> tuple[arb, arb]:
        """A^2/4 and A/2, A the Bhattacharyya affinity of the n observations (Le Cam)."""
        squares = self.a**2 + self.b**2
        spread = (2 * self.a * self.b / squares).log() / 2
        distance = (self.b - self.a) ** 2 * self.theta2 / (4 * squares)
        affinity = ((spread - distance) * self.n).exp()
        low = (affinity**2 / 4).lower()
        return low if low > 0 else arb(0), (affinity / 2).upper()


# -- floats ------------------------------------------------------------------------------

Floats = NDArray[np.float64]


def rough_threshold(a: Any, b: Any, theta2: Any, n: Any) -> Floats:
    """The threshold by Sankaran's normal approximation, good to about four digits."""
    shift = theta2 * n / (a + b) ** 2

    def imbalance(threshold: Floats) -> Floats:
        scores = (_normal_score(threshold / c**2, n, shift * c**2) for c in (a, b))
        return np.asarray(sum(scores), dtype=float)

    x0, x1 = a**2 * (n + shift * a**2), b**2 * (n + shift * b**2)  # the means of Q
    y0, y1 = imbalance(x0), imbalance(x1)
    for _ in range(4):  # nearly a straight line
        with np.errstate(all="ignore"):
            x2 = x1 - y1 * (x1 - x0) / (y1 - y0)
        x0, y0, x1 = x1, y1, np.where(np.isfinite(x2) & (x2 > 0), x2, x1)
        y1 = imbalance(x1)
    return np.asarray(x1, dtype=float)


def _normal_score(x: Any, n: Any, noncentrality: Any) -> Any:
    mean, double = n + noncentrality, n + 2 * noncentrality
    h = 1 - 2 * mean * (n + 3 * noncentrality) / (3 * double**2)
    p = double / mean**2
    q = (h - 1) * (1 - 3 * h)
    centre = 1 + h * p * (h - 1 - (2 - h) * q * p / 2)
    return ((x / mean) ** h - centre) / (h * (2 * p) ** 0.5 * (1 + q * p / 2))


def float_errors(a: Floats, b: Floats, theta2: Floats, n: Floats) -> Floats:
    """The minimax error for arrays; 0 if it is too small for a double."""
    arguments = [np.ravel(x) for x in (a, b, theta2, n)]
    with np.errstate(all="ignore"):
        threshold = rough_threshold(*arguments)
        found = np.empty(threshold.shape)
        left = np.arange(len(found))
        for _ in range(6):
            here = [x[left] for x in arguments]
            found[left], threshold[left], off = _improved(threshold[left], *here)
            left = left[off > 1e-8]
            if len(left) == 0:
                break
    return found.reshape(np.shape(a))


def _improved(
    threshold: Floats, a: Floats, b: Floats, theta2: Floats, n: Floats
) -> tuple[Floats, Floats, Floats]:
    """One secant step on the logarithms of both errors.

    Returned are the error where they cross, the threshold there, and how far apart the logarithms
    were at the second point of the secant. If they were equal there, it is the crossing.

    The errors are nearly linear in these logarithms, so the error of the secants' crossing is of
    the order of the square of the second point's error.
    """
    from scipy.special import log_ndtr
    from scipy.stats import ncx2  # slow to import, and only sweeps need it

    shift = theta2 * n / (a + b) ** 2

    def logarithms(x: Floats) -> tuple[Floats, Floats]:
        above = ncx2.sf(x / a**2, n, shift * a**2)
        return np.log(above), np.log(ncx2.cdf(x / b**2, n, shift * b**2))

    def rough_imbalance(x: Floats) -> Floats:
        under_a, under_b = (_normal_score(x / c**2, n, shift * c**2) for c in (a, b))
        return np.asarray(log_ndtr(-under_a) - log_ndtr(under_b))

    x0, step = threshold, threshold * 1e-3
    above0, below0 = logarithms(x0)
    slope = (rough_imbalance(x0 + step) - rough_imbalance(x0)) / step
    x1 = x0 - (above0 - below0) / slope
    x1 = np.where((x1 > 0) & (x1 != x0), x1, x0 + step)
    above1, below1 = logarithms(x1)
    off = above1 - below1
    rise = above1 - above0
    part = off / ((below1 - below0) - rise)  # as a share of the step from x0 to x1
    crossing = np.exp(above1 + np.where(off == 0, 0.0, part * rise))
    return np.where(np.isneginf(above1), 0.0, crossing), x1 + part * (x1 - x0), abs(off)


# -- balls -------------------------------------------------------------------------------


def noncentral_tail(n: int, noncentrality: arb, x: arb, *, upper: bool) -> arb:
    """P(chi2 > x) or P(chi2 < x), where chi2 is noncentral chi-square with n degrees of freedom.

    A Poisson(noncentrality/2) mixture over j of central laws with n + 2j degrees of freedom,
    truncated where the remaining Poisson weight is negligible; that weight is added to the radius.
    """
    half, y = noncentrality / 2, x / 2
    return _upper_tail(n, half, y) if upper else _lower_tail(n, half, y)


def _upper_tail(n: int, half: arb, y: arb) -> arb:
    shape, far, smallest = arb(n) / 2, 2 * float(half) + 1, arb(2) ** -(ctx.prec + 20)
    weight, central, step = (-half).exp(), _upper_gamma(n, y), _step(shape, y)
    total, j = weight * central, 0
    while True:
        j += 1
        weight = weight * half / j
        central += step
        step = step * y / (shape + j)
        # from j > 2 half on, weights at least halve: the remaining ones sum to at most twice this
        # one, and a central tail is at most 1
        if j > far and 2 * weight < total * smallest:
            return total + (2 * weight).union(arb(0))
        total += weight * central


def _lower_tail(n: int, half: arb, y: arb) -> arb:
    """P(s + j, y) is the sum of the steps from j on, so a step counts for all weights up to it."""
    far, smallest = 2 * float(y) + 1, arb(2) ** -(ctx.prec + 20)
    shape, j = arb(n) / 2, 0
    step = _step(shape, y)
    weight = weights = (-half).exp()
    total = step * weights
    while True:
        j += 1
        step = step * y / (shape + j)
        weight = weight * half / j
        weights += weight
        total += step * weights
        # from shapes above 2 y on, steps at least halve: the remaining ones sum to at most this
        # one, and all weights to at most 1
        if n / 2 + j > far and step < total * smallest:
            return total + step.union(arb(0))


def _step(s: arb, y: arb) -> arb:
    """y^s e^-y / Gamma(s + 1): P(s, y) - P(s + 1, y) for the regularised incomplete gamma P."""
    return (s * y.log() - y - (s + 1).lgamma()).exp()


def _upper_gamma(n: int, y: arb) -> arb:
    """Q(n/2, y), from Q(1, y) = e^-y or Q(1/2, y) = erfc(sqrt y) upwards: a sum of positives."""
    total = y.sqrt().erfc() if n % 2 else (-y).exp()
    s = arb(1) / 2 if n % 2 else arb(1)
    step = _step(s, y)
    for _ in range((n - 1) // 2):
        total += step
        s += 1
        step = step * y / s
    return total


def _equalised(errors: Callable[[arb], tuple[arb, arb]], start: arb) -> arb:
    """The common value of both errors at the threshold that makes them equal.

    Secant steps on the difference of their logarithms, kept inside a bracket, until the errors at a
    threshold, which enclose the value, are close. The first steps use few bits, to be faster.
    """
    goal, bits = ctx.prec, min(ctx.prec, 64)
    close = arb(2) ** (min(goal // 4, 48) - goal)
    low, high = arb(0), arb.pos_inf()
    x0 = y0 = None
    x = start
    for _ in range(200):
        with precision(bits):
            above, below = errors(x)
            difference = above.log() - below.log()
        settled = bool(difference.contains(0) or abs(difference) < close)
        if settled and bits == goal:
            break
        if settled or abs(difference) < arb(2) ** -24:
            bits = goal
        low = x if difference > 0 else low
        high = x if difference < 0 else high
        y = difference.mid()
        following = (x * (1 + arb(2) ** -9 * y.sgn())).mid()
        if x0 is not None and y != y0:
            following = (x - y * (x - x0) / (y - y0)).mid()
        if not low < following < high:
            following = ((low + high) / 2).mid() if high.is_finite() else 2 * x
        x0, y0, x = x, y, following
    return above.union(below)


ERROR = Code(float_errors, digits_error, enclosed_error)
