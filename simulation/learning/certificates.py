"""Certificates: conditions under which a decision stays the same and need not be computed again.

Each certificate is a pair of conditions, cheap to test, under which the exact test would give the
current result. The slack of the exact test is divided in two halves: one for the passage of time,
one for changes of an estimate. First `ROUNDING` times the size of the numbers is subtracted: far
more than rounding errors of the exact test, far less than a useful slack. Outside a certificate the
exact test is made, so certificates change only the speed of a run.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simulation.jit import step
from simulation.learning.likelihoods import Model
from simulation.world.draws import GAUSSIAN, exploration_level, kl
from simulation.world.elementary import log

ROUNDING = 1e-12


@step
def no_candidate(
    arms: np.ndarray, order: np.ndarray, size: int, model: Model, t: int
) -> tuple[float, float]:
    """(floor, until): up to slot `until`, and while muhat_L >= floor, E_t stays empty.

    L is the arm at order[size - 1], and E_t is chosen from those after it. Precondition: E_t is
    empty at slot t, so with x = muhat_L, all of them have muhat_k < x and v_k(x) = tau_k
    kl(muhat_k, x) > f(t). For larger x this stays true because v_k increases. Below x, v_k is
    convex, so it lies above its tangent: v_k(x') >= v_k(x) - (x - x') v_k'(x). And f(t') <= f(t) +
    (1 + 4 / log t) (t' / t - 1), because f is concave in log t.
    """
    x, level = arms[order[size - 1]].muhat, exploration_level(t)
    slack = math.inf
    for place in range(size, order.size):
        slack = min(slack, _clearance(arms[order[place]], x, model, level))
    if not 0.0 < slack < math.inf:
        return x, float(t)
    floor = -math.inf
    for place in range(size, order.size):
        arm = arms[order[place]]
        spread = model.parameter if model.law == GAUSSIAN else x * (1.0 - x)
        slope = arm.individual * (x - arm.muhat) / spread
        floor = max(floor, x - (_clearance(arm, x, model, level) - slack / 2.0) / slope)
    until = t * (1.0 + slack / 2.0 / (1.0 + 4.0 / log(t)))
    return floor, until


@step
def _clearance(arm: Any, x: float, model: Model, level: float) -> float:
    """The excess of tau kl(muhat, x) over the level, minus a margin for rounding."""
    value = arm.individual * kl(model.law, model.parameter, arm.muhat, x)
    return float(value - level - ROUNDING * (arm.individual + value))


@step
def bounds_hold(
    lower: int, upper: int, tau: int, muhat: float, nuhat: float, s: float
) -> tuple[float, float, float]:
    """(above, below, until): up to `until` individual explorations, and while the estimate lies
    between above and below, the interval excludes nothing new from lower, ..., upper.

    It excludes nothing new if nuhat <= lower (muhat' + s') and nuhat >= upper (muhat' - s'). And
    tau' s' >= tau s for each of the widths in `capacity`: none decreases faster than 1 / tau.
    """
    if lower == upper:
        return -math.inf, math.inf, math.inf
    rounding = ROUNDING * (1.0 + abs(muhat) + abs(nuhat) + s)
    above, below = nuhat / lower - s + rounding, nuhat / upper + s - rounding
    slack = min(muhat - above, below - muhat, s)
    if s == math.inf or not slack > 0.0:
        return muhat, muhat, float(tau)
    return above + slack / 2.0, below - slack / 2.0, tau / (1.0 - slack / (2.0 * s))
