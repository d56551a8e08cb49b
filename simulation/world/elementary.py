"""log, exp and log Gamma with the same bits on every machine.

The C library and NumPy choose implementations of these functions by the features of the processor,
and they differ in the last bits. Here they are computed with +, -, * and / in the order written,
for which IEEE 754 prescribes the rounding, and with tables rounded from 50-digit decimals.

Errors, measured in the tests: log 0.7, exp 0.55 and log1p 1.5 units in the last place, log_gamma
1e-14 of max(1, |log Gamma|).
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import numpy.typing as npt

from simulation.jit import kernel, step

Floats = npt.NDArray[np.float64]

NORMAL = 2.0**-1022  # the smallest normal number; smaller ones have fewer digits
_GRID = 2.0**-42  # its multiples up to 2^10 add up without rounding

# log: x = 2^k m with m from 0.6875 to twice that. This range is cut in 256, by the bits of m; with
# c the centre of a piece, m = c (1 + r) and |r| <= 2^-8. Next to 1, c is 1 itself.
_LEAST = int(np.float64(0.6875).view(np.int64))
# exp: x = k log(2) / 128 + r
_PIECES = 128
_ROUNDING = 1.5 * 2.0**52  # adding and subtracting it rounds to an integer
_EXP_RANGE = 746.0  # beyond it exp is 0 or infinite


def _centre(piece: int) -> float:
    ends = np.array([_LEAST + (piece << 44), _LEAST + ((piece + 1) << 44)]).view(np.float64)
    return 1.0 if 1.0 in ends else float(ends.mean())


def _split(value: Decimal) -> tuple[float, float]:
    """A multiple of the grid, and the remainder."""
    high = round(value / Decimal(_GRID)) * _GRID
    return high, float(value - Decimal(high))


with localcontext(prec=50):
    _log_2 = Decimal(2).ln()
    _LOG_2, _LOG_2_REST = _split(_log_2)
    _CENTRES = np.array([_centre(piece) for piece in range(256)])
    _LOGS, _LOG_RESTS = np.array([_split(Decimal(c).ln()) for c in _CENTRES.tolist()]).T.copy()
    _STEPS = float(_PIECES / _log_2)
    _STEP, _STEP_REST = _split(_log_2 / _PIECES)
    _powers = [(_log_2 * i / _PIECES).exp() for i in range(_PIECES)]
    _EXPS = np.array([float(power) for power in _powers])
    _EXP_RESTS = np.array([float(power / Decimal(float(power)) - 1) for power in _powers])
_INVERSES = 1.0 / _CENTRES
_HALF_LOG_2_PI = 0.9189385332046728


@step
def log(x: float) -> float:
    """The natural logarithm; -inf at 0, nan below."""
    shift = 0
    if not NORMAL <= x < math.inf:
        if not 0.0 < x < NORMAL:
            return -math.inf if x == 0.0 else x + math.inf if x > 0.0 else math.nan
        x, shift = x * 2.0**54, 54
    bits = np.float64(x).view(np.int64)
    k, piece = (bits - _LEAST) >> 52, ((bits - _LEAST) >> 44) & 255
    m = np.int64(bits - (k << 52)).view(np.float64)
    k -= shift
    r = (m - _CENTRES[piece]) * _INVERSES[piece]
    square = r * r
    series = (-1 / 2 + r / 3.0) + square * ((-1 / 4 + r / 5.0) + square * (-1 / 6 + r / 7.0))
    whole = k * _LOG_2 + _LOGS[piece]
    total = whole + r
    rest = (whole - total) + r  # exactly the rounding error of the sum
    return float(total + (rest + (k * _LOG_2_REST + _LOG_RESTS[piece]) + square * series))


@step
def exp(x: float) -> float:
    """The exponential function."""
    if not abs(x) < _EXP_RANGE:
        return 0.0 if x < 0.0 else x + math.inf
    steps = (x * _STEPS + _ROUNDING) - _ROUNDING
    k = int(steps)
    r = (x - steps * _STEP) - steps * _STEP_REST
    square = r * r
    growth = r + square * ((1 / 2 + r / 6.0) + square * (1 / 24 + r / 120.0))
    value = _EXPS[k & 127] + _EXPS[k & 127] * (growth + _EXP_RESTS[k & 127])
    half = (k >> 7) >> 1
    return float(value * _power_of_2(half) * _power_of_2((k >> 7) - half))


@step
def _power_of_2(k: int) -> float:
    return float(np.int64((1023 + k) << 52).view(np.float64))


@step
def log_gamma(x: float) -> float:
    """log Gamma(x) for x > 0: by recurrence up to 8, in at most 8 steps, then Stirling's series."""
    product = 1.0
    while x < 8.0:
        product *= x
        x += 1.0
    inverse = 1.0 / x
    square = inverse * inverse
    series = 1 / 1188 - square * (691 / 360360 - square / 156)
    series = 1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square * series))
    series = inverse * (1 / 12 - square * series)
    return (x - 0.5) * log(x) - x + (_HALF_LOG_2_PI + series) - log(product)


@step
def log1p(x: float) -> float:
    """log(1 + x) for x > -1, accurate also for small x."""
    near = 1.0 + x
    return log(near) + (x - (near - 1.0)) / near if near < math.inf else near


@step
def above_log(w: float, d: float) -> float:
    """w (x - log(1 + x)) for x = d / w.

    For small x by s = x / (2 + x), as log(1 + x) = 2 (s + s^3/3 + s^5/5 + ...) and x - 2 s = x s.
    """
    if abs(d) > 0.1 * w:
        return d - w * log((w + d) / w)
    s = d / (w + w + d)
    z = s * s
    series = (1 / 3 + z / 5.0) + z * z * ((1 / 7 + z / 9.0) + z * z * (1 / 11 + z / 13.0))
    return d * s - 2.0 * w * s * z * series


@kernel
def _logs(values: np.ndarray) -> np.ndarray:
    return np.array([log(x) for x in values])


@kernel
def _logs1p(values: np.ndarray) -> np.ndarray:
    return np.array([log1p(x) for x in values])


@kernel
def _exps(values: np.ndarray) -> np.ndarray:
    return np.array([exp(x) for x in values])


def logs(values: Floats) -> Floats:
    """The logarithm of each value, for arrays of any shape."""
    return np.asarray(_logs(values.ravel()).reshape(values.shape))


def logs1p(values: Floats) -> Floats:
    """`log1p` of each value."""
    return np.asarray(_logs1p(values.ravel()).reshape(values.shape))


def exps(values: Floats) -> Floats:
    """`exp` of each value."""
    return np.asarray(_exps(values.ravel()).reshape(values.shape))


def log_sums(logarithms: Floats) -> Floats:
    """log(sum(exp(...))) of finite logarithms along the last axis."""
    top = logarithms.max(axis=-1, keepdims=True)
    return np.asarray(top[..., 0] + logs(exps(logarithms - top).sum(axis=-1)))
