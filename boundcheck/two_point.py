"""The exact minimax error of telling capacity a from capacity b > a (`sharp-4.1-test`).

After n plays at load b or more, with theta = mu/sigma and h = ab/(a + b), the likelihood ratio is a
function of Q = sum (Y_i/sigma - theta h)^2. Under capacity a, Q/a^2 is noncentral chi-square with n
degrees of freedom and noncentrality n theta^2 a^2/(a + b)^2; likewise under b. The minimax test
compares Q with the threshold at which both errors are equal: the error at a falls with the
threshold, the error at b rises, so any threshold encloses their common value between them.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import log2
from typing import Any

from flint import arb, ctx

from boundcheck.balls import ball, precision


def enclosed_error(a: arb, b: arb, theta2: arb, n: arb) -> arb:
    """Ball that holds the minimax error, about as sharp as the precision in force."""
    return _solved(_errors(a, b, theta2, int(n.unique_fmpz())))


def digits_error(context: Any, a: Any, b: Any, theta2: Any, n: Any) -> Any:
    """The same as an mpmath number: the middle of an enclosure of that many digits."""
    with precision(context.prec + 40):
        exact = [_dyadic(*context.mpf(x).man_exp) for x in (a, b, theta2)]
        middle = _solved(_errors(*exact, int(n))).mid()
        mantissa, exponent = (int(part) for part in middle.man_exp())
    return context.mpf(mantissa) * context.mpf(2) ** exponent


def _dyadic(mantissa: int, exponent: int) -> arb:
    return ball(Fraction(mantissa) * Fraction(2) ** exponent)


def float_error(a: float, b: float, theta2: float, n: float) -> float:
    with precision(90):
        return float(_solved(_errors(arb(a), arb(b), arb(theta2), int(n))))


Errors = Callable[[arb], tuple[arb, arb]]


def _errors(a: arb, b: arb, theta2: arb, n: int) -> Errors:
    """Threshold on Q -> (error under a: Q above it, error under b: Q below it)."""
    shift = theta2 * n / (a + b) ** 2

    def at(threshold: arb) -> tuple[arb, arb]:
        above = noncentral_tail(n, shift * a * a, threshold / (a * a), upper=True)
        below = noncentral_tail(n, shift * b * b, threshold / (b * b), upper=False)
        return above, below

    # exposed for the starting bracket: the means of Q under the two capacities
    at.start = (a * a * (n + shift * a * a), b * b * (n + shift * b * b))  # type: ignore[attr-defined]
    return at


def noncentral_tail(n: int, noncentrality: arb, x: arb, *, upper: bool) -> arb:
    """P(chi2 > x) or P(chi2 < x), chi2 noncentral chi-square with n degrees of freedom.

    A Poisson(noncentrality/2) mixture over j of central laws with n + 2j degrees of freedom, cut
    off where the remaining Poisson weight cannot matter; that weight is added to the radius.
    """
    half, y = noncentrality / 2, x / 2
    terms = _enough_terms(half)
    shape = arb(n) / 2
    weights = [(-half).exp()]
    for j in range(1, terms):
        weights.append(weights[-1] * half / j)
    # the rest of the Poisson law is below a geometric series of ratio half/terms < 1/2
    rest = (weights[-1] * half / terms * 2).union(arb(0))
    central = _upper_gamma(n, y) if upper else _lower_gamma(shape + (terms - 1), y)
    total = arb(0)
    if upper:
        step = _step(shape, y)
        for j in range(terms):
            total += weights[j] * central
            central += step
            step = step * y / (shape + (j + 1))
        return total + rest  # a central tail is at most 1
    rest *= central
    # from the largest shape down, so that only positive numbers are added
    step = _step(shape + (terms - 1), y)
    for j in range(terms - 1, -1, -1):
        total += weights[j] * central
        step = step * (shape + j) / y
        central += step
    return total + rest


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


def _lower_gamma(s: arb, y: arb) -> arb:
    """P(s, y) = the sum of all further steps, cut off where they halve at least each time."""
    step = _step(s, y)
    total = step
    smallest = arb(2) ** -(ctx.prec + 20)
    while True:
        s += 1
        step = step * y / s
        total += step
        if s > 2 * y and step < total * smallest:
            return total + step.union(arb(0))


def _enough_terms(half: arb) -> int:
    """So many that the Poisson weight beyond is below 2^-precision, and the ratio below 1/2."""
    mean = float(half)
    terms = int(2 * mean + 10)
    log2_weight = -mean * 1.4426950408889634
    count, target = 0, -(ctx.prec + 20)
    while count < terms or log2_weight > target:
        count += 1
        log2_weight += _log2(mean / count)
    return count + 1


def _log2(x: float) -> float:
    return log2(x) if x > 0 else -1e9


def _solved(errors: Errors) -> arb:
    """The common value of the two errors at the threshold that equalises them."""
    low, high = errors.start  # type: ignore[attr-defined]
    goal = ctx.prec

    def balance(threshold: arb) -> arb:
        above, below = errors(threshold)
        return (above.log() - below.log()).mid()

    with precision(80):
        low, high = low.mid(), high.mid()
        while balance(low) < 0:
            low /= 2
        while balance(high) > 0:
            high *= 2
        for _ in range(20):
            middle = ((low + high) / 2).mid()
            low, high = (middle, high) if balance(middle) > 0 else (low, middle)
    point = _secant(balance, low, high, goal)
    slack = arb(2) ** (24 - goal)
    before, after = (point * (1 - slack)).mid(), (point * (1 + slack)).mid()
    above, below = errors(before)
    above_after, below_after = errors(after)
    if not (above > below and below_after > above_after):
        # bracket not certified at this precision: any threshold still encloses the value
        return above.union(below).union(above_after).union(below_after)
    lowest = below.lower().max(above_after.lower())
    highest = above.upper().min(below_after.upper())
    return lowest.union(highest)


def _secant(balance: Callable[[arb], arb], low: arb, high: arb, goal: int) -> arb:
    x0, x1 = low, high
    y0, y1 = balance(x0), balance(x1)
    for _ in range(60):
        if y1 == y0:
            break
        step = (y1 * (x1 - x0) / (y1 - y0)).mid()
        x0, y0 = x1, y1
        x1 = (x1 - step).mid()
        y1 = balance(x1)
        if abs(step) < abs(x1) * arb(2) ** (30 - goal):
            break
    return x1
