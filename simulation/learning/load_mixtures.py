"""Confidence regions for mean and capacity from a stack: the observations of an arm at one load.

At load a the entries are y = c X with c = min(a, m). A stack has the mixture likelihood

    Q = (1/a) sum over c = 1..a of the integral of prod p_{x,c}(y) w(x) dx

with w normal around 0 of the rewards' variance for Gaussian rewards and uniform on (0, 1) else. Q
over the true likelihood has expectation at most 1 at any stopping time. So the pairs (x, c) with

    log Q - log p_{x,c} <= level

miss the truth with probability at most exp(-level). For each c they are an interval of x.
Factors that all x and c share are left out on both sides.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simulation.jit import step
from simulation.learning.likelihoods import NEAREST, SMALLEST, Model, beta_mean
from simulation.world.draws import BERNOULLI, GAUSSIAN
from simulation.world.elementary import exp, log, log_gamma

_NODES = 128
_DROP = 40.0  # where the integrand is below exp(-40) of its peak it is ignored
_HALVINGS = 60

STACK = np.dtype(
    [
        ("count", np.int64),
        ("total", np.float64),  # Bernoulli: successes; Gaussian: mean of y; Beta: sum of log y
        ("spread", np.float64),  # Gaussian: sum of (y - mean)^2
        ("largest", np.float64),  # y so far
        ("log_mixture", np.float64),  # log Q
    ]
)


@step
def add(model: Model, stack: Any, rests: np.ndarray, load: int, y: float) -> None:
    """Add one observation; rests[c - 1] is the sum of log(1 - y/c), for Beta rewards."""
    stack.count += 1
    stack.largest = max(stack.largest, y)
    if model.law == BERNOULLI:
        if y > 0.0:
            stack.total += 1.0
    elif model.law == GAUSSIAN:
        before = y - stack.total
        stack.total += before / stack.count
        stack.spread += before * (y - stack.total)
    else:
        stack.total += log(max(y, SMALLEST))
        for c in range(1, load + 1):
            rests[c - 1] += log(max(1.0 - y / c, NEAREST))
    stack.log_mixture = _log_mixture(model, stack, rests, load)


@step
def span(model: Model, stack: Any, rests: np.ndarray, c: int, level: float) -> tuple[float, float]:
    """The interval of means in the region with c = min(load, capacity); inf, -inf if empty."""
    if _impossible(model, stack, c):
        return math.inf, -math.inf
    best = _likeliest(model, stack, rests, c)
    least = stack.log_mixture - level
    slack = _log_likelihood(model, stack, rests, c, best) - least
    if slack < 0.0:
        return math.inf, -math.inf
    if model.law == GAUSSIAN:
        half = math.sqrt(2.0 * model.parameter * slack / stack.count)
        return best - half, best + half
    low = _end(model, stack, rests, c, best, 0.0, least)
    return low, _end(model, stack, rests, c, best, 1.0, least)


@step
def _end(
    model: Model, stack: Any, rests: np.ndarray, c: int, best: float, out: float, least: float
) -> float:
    """The last mean between `best` and `out` with a log-likelihood of `least`, by bisection."""
    if _log_likelihood(model, stack, rests, c, out) >= least:
        return out
    inside = best
    for _ in range(_HALVINGS):
        middle = (inside + out) / 2.0
        if _log_likelihood(model, stack, rests, c, middle) >= least:
            inside = middle
        else:
            out = middle
    return inside


@step
def _impossible(model: Model, stack: Any, c: int) -> bool:
    """Whether some observation is impossible with c: a success equals c, Beta rewards are below
    it.
    """
    if model.law == BERNOULLI:
        return bool(stack.total > 0.0 and stack.largest != c)
    return bool(model.law != GAUSSIAN and stack.largest > c)


@step
def _likeliest(model: Model, stack: Any, rests: np.ndarray, c: int) -> float:
    """The maximum-likelihood mean."""
    if model.law == BERNOULLI:
        return float(stack.total / stack.count)
    if model.law == GAUSSIAN:
        return float(stack.total / c)
    difference = (stack.total - rests[c - 1]) / stack.count - log(c)
    return beta_mean(difference, model.parameter, 0.5)


@step
def _log_likelihood(model: Model, stack: Any, rests: np.ndarray, c: int, x: float) -> float:
    """log p_{x,c} of all observations."""
    if model.law == BERNOULLI:
        failures = stack.count - stack.total
        value = stack.total * log(x) if stack.total > 0.0 else 0.0
        return value + failures * log(1.0 - x) if failures > 0.0 else value
    if model.law == GAUSSIAN:
        away = stack.total / c - x
        squares = stack.spread / (c * c) + stack.count * away * away
        return float(-stack.count * log(c) - squares / (2.0 * model.parameter))
    if not 0.0 < x < 1.0:
        return -math.inf
    one, other = model.parameter * x, model.parameter * (1.0 - x)
    shown = (one - 1.0) * (stack.total - stack.count * log(c)) + (other - 1.0) * rests[c - 1]
    normalised = log_gamma(one) + log_gamma(other) - log_gamma(model.parameter) + log(c)
    return float(shown - stack.count * normalised)


# -- the mixture ----------------------------------------------------------------------------------


@step
def _log_mixture(model: Model, stack: Any, rests: np.ndarray, load: int) -> float:
    top, total = -math.inf, 0.0
    for c in range(1, load + 1):
        if _impossible(model, stack, c):
            continue
        value = _log_integral(model, stack, rests, c)
        if value > top:
            top, total = value, total * exp(top - value) + 1.0
        else:
            total += exp(value - top)
    return top + log(total / load)


@step
def _log_integral(model: Model, stack: Any, rests: np.ndarray, c: int) -> float:
    """log of the integral of p_{x,c} w(x) dx."""
    n = stack.count
    if model.law == BERNOULLI:
        ways = log_gamma(stack.total + 1.0) + log_gamma(n - stack.total + 1.0)
        return float(ways - log_gamma(n + 2.0))
    if model.law == GAUSSIAN:
        mean = stack.total / c
        squares = stack.spread / (c * c) + n * mean * mean / (n + 1.0)
        return float(-n * log(c) - 0.5 * log(n + 1.0) - squares / (2.0 * model.parameter))
    return _beta_integral(model, stack, rests, c)


@step
def _beta_integral(model: Model, stack: Any, rests: np.ndarray, c: int) -> float:
    """The integral for Beta rewards by the trapezoidal rule in the logit u of x, in which it is
    analytic.
    """
    best = _likeliest(model, stack, rests, c)
    centre = log(best / (1.0 - best))
    peak = _in_logit(model, stack, rests, c, centre)
    left = _fallen(model, stack, rests, c, centre, -1.0, peak)
    right = _fallen(model, stack, rests, c, centre, 1.0, peak)
    width, total = (right - left) / _NODES, 0.0
    for i in range(_NODES + 1):
        total += exp(_in_logit(model, stack, rests, c, left + i * width) - peak)
    return peak + log(total * width)


@step
def _fallen(
    model: Model, stack: Any, rests: np.ndarray, c: int, centre: float, side: float, peak: float
) -> float:
    """A logit on this side beyond which the integrand is below exp(-40) of its peak."""
    away = 2.0**-20
    while away < 700.0 and (_in_logit(model, stack, rests, c, centre + side * away) > peak - _DROP):
        away *= 1.25
    return centre + side * away


@step
def _in_logit(model: Model, stack: Any, rests: np.ndarray, c: int, u: float) -> float:
    """Log of the integrand in the logit u: dx = x (1 - x) du."""
    x, rest = 1.0 / (1.0 + exp(-u)), 1.0 / (1.0 + exp(u))
    x = min(max(x, SMALLEST), 1.0 - NEAREST)
    return _log_likelihood(model, stack, rests, c, x) + log(x) + log(max(rest, SMALLEST))
