"""The index of KL-UCB: an upper confidence bound for the mean of an arm."""

from __future__ import annotations

import math

from simulation.jit import step
from simulation.world.draws import GAUSSIAN
from simulation.world.elementary import NORMAL, above_log, exp, log

PRECISION = 1e-16
NEGLIGIBLE = 1e-15  # an index this close to 1 counts as 1
STEPS = 30  # limit on Newton steps, of which 5 or 6 suffice


@step
def upper_index(muhat: float, count: int, level: float, law: int, parameter: float) -> float:
    """The largest q with count kl(muhat, q) <= level."""
    if count == 0:
        return math.inf
    spend = level / count
    if law == GAUSSIAN:
        return muhat + math.sqrt(2.0 * parameter * spend)
    if muhat >= 1.0 or spend <= 0.0:
        return muhat
    certain = muhat * log(muhat) if muhat > 0.0 else 0.0
    exponent = (spend - certain) / (1.0 - muhat)
    share = exp(-exponent)
    if (1.0 - muhat) * share <= NEGLIGIBLE:
        return 1.0
    most = (1.0 - muhat) * (1.0 - share if exponent > 1e-3 else exponent)
    return muhat + reach(muhat, spend, most)


@step
def reach(p: float, spend: float, most: float) -> float:
    """The d <= `most` with kl(p, p + d) = spend, by Newton's method.

    kl is convex in d, so from the second point on, d decreases to the root without passing it, with
    error at most about error^2 / d / (1 - q) of the last. It starts near the root of the cubic
    approximation, and stays within the bound that follows from p log(p / q) >= p log p: there kl
    exceeds `spend` by at most 1 - p. So a few steps suffice; if `STEPS` of them do not, bisection
    finds the root.
    """
    d = most
    if p > 0.0:
        quadratic = math.sqrt(2.0 * p * (1.0 - p)) * math.sqrt(spend)
        d = min(max(quadratic + (2.0 / 3.0) * (1.0 - 2.0 * p) * spend, quadratic / 2.0), most)
    for _ in range(STEPS):
        left = (1.0 - p) - d
        step_down = (_divergence(p, d) - spend) * (p + d) * left / d
        d = min(d - step_down, most)
        if not step_down * step_down > PRECISION * d * left:
            return d
    return halved(p, spend, most)


@step
def halved(p: float, spend: float, most: float) -> float:
    """The d <= `most` with kl(p, p + d) = spend by bisection, to 2^-60 of `most`."""
    low, high = 0.0, most
    for _ in range(60):
        d = (low + high) / 2.0
        if _divergence(p, d) > spend:
            high = d
        else:
            low = d
    return low


@step
def _divergence(p: float, d: float) -> float:
    """kl(p, p + d) of Bernoulli laws, for d >= 0: a sum of two nonnegative terms, so no
    cancellation.
    """
    success = above_log(p, d) if p >= NORMAL else d
    return success + above_log(1.0 - p, -d)
