"""Likelihoods of an arm's capacity and mean, from observations at any loads.

An observation y at load a is min(a, m) X, so under capacity c it means X = z = y / min(a, c), with
a density of X taken at z and divided by min(a, c). For each capacity c = 1, ..., N the mean is
maximised out, and

    gap_c = max_c' l_c' - l_c,     l_c = max_mu log-likelihood of all observations under (c, mu)

Capacities of at least `top`, the largest load so far, cannot be distinguished: only c <= top are
kept.

Bernoulli  a success shows min(a, m): a gap is 0 or infinite, and failures carry no information.
Gaussian   of known variance: l_c = -sum log min(a, c) - sum (z - mean_c)^2 / (2 variance).
           Sums are of z minus the arm's first z, so that means far above sigma cost no digits.
Beta       of known concentration k: with A = k mu, B = k - A, the mean solves digamma(A) -
           digamma(B) = average of log z - log(1 - z); y > c excludes capacity c.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simulation.errors import InputError, shown
from simulation.jit import inlined, step
from simulation.rewards.laws import Bernoulli, Beta, Gaussian, RewardLaw, described
from simulation.rewards.samples import Empirical
from simulation.world.draws import BERNOULLI, GAUSSIAN, kl
from simulation.world.elementary import exp, log, log_gamma

if TYPE_CHECKING:
    from simulation.policies import Setup

OWN = "own"  # the law of the instance
SMALLEST = 1e-300  # smaller Beta values, including 0.0, are replaced by this
NEAREST = 2.0**-53  # and 1 minus a value that rounds to 1.0 by this

ARM = np.dtype(
    [
        ("muhat", np.float64),  # the mean under the likeliest capacity, 0 before the first look
        ("capacity", np.int64),  # the likeliest, the smallest of several; 1 before the first look
        ("doubt", np.float64),  # gap of the likeliest among the larger ones; infinite if none is
        ("count", np.int64),
        ("top", np.int64),  # largest load seen
        ("total", np.float64),  # Bernoulli: successes; Gaussian: first z; Beta: sum of log y
        ("priority", np.int64),  # the smaller comes first among equal muhat
        ("mixture", np.float64),  # see `mixture_excess`, which keeps it
        ("mixed", np.int64),  # at which count
    ]
)
CANDIDATE = np.dtype(
    [
        ("gap", np.float64),
        ("mean", np.float64),
        ("linear", np.float64),  # Gaussian: sum of z - first z; Beta: sum of log(1 - z)
        ("square", np.float64),  # Gaussian: sum of (z - first z)^2
        ("log_served", np.float64),  # sum of log min(a, c); infinite where c is impossible
    ]
)


class Model(NamedTuple):
    """The law that a policy assumes; `parameter` is the variance or the concentration."""

    law: int
    parameter: float

    @classmethod
    def bare(cls, setup: Setup) -> Model:
        """What every policy knows of the law: that it is Gaussian of a given scale, or on [0,
        1].
        """
        return cls(setup.reward.code, float(setup.reward.parameter))

    @classmethod
    def of(cls, policy: str, setup: Setup, told: object = OWN) -> Model:
        """The law that a policy is given: the instance's own, or another one such as beta:4."""
        law = setup.reward if told == OWN else _law_told(policy, told)
        if not isinstance(law, Bernoulli | Gaussian | Beta):
            expected = (
                "a law known but for its means (bernoulli, gaussian with one variance, beta), or "
                "the law to believe in, such as law=beta:4"
            )
            raise InputError(policy, "law", described(law), expected)
        if told != OWN and not _can_be_seen(law, setup.reward):
            raise InputError(policy, "law", described(law), "one whose rewards are those seen")
        return cls(law.code, float(law.parameter))


def _law_told(policy: str, told: object) -> RewardLaw:
    name, _, parameter = str(told).partition(":")
    if name == "bernoulli" and not parameter:
        return Bernoulli()
    if name not in ("gaussian", "beta") or not parameter:
        expected = f"{OWN}, bernoulli, gaussian:VARIANCE or beta:CONCENTRATION"
        raise InputError(policy, "law", shown(told), expected)
    return Gaussian(parameter) if name == "gaussian" else Beta(parameter)  # type: ignore[arg-type]


def _can_be_seen(told: RewardLaw, law: RewardLaw) -> bool:
    """Whether observations under `law` are possible under the law that the policy assumes."""
    if isinstance(told, Bernoulli) and isinstance(law, Empirical):
        return all(value in (0, 1) for sample in law.samples for value in sample.values)
    return isinstance(told, Gaussian) or told == law or (isinstance(told, Beta) and law.bounded)


@step
def observe(model: Model, arm: Any, candidates: np.ndarray, load: int, y: float) -> None:
    """Add one observation; candidates[c - 1] is for capacity c."""
    arm.count += 1
    if model.law == BERNOULLI:
        _count_success(arm, candidates.size, load, y)
        return
    if load > arm.top:
        _look_further(arm, candidates, load)
    if model.law == GAUSSIAN:
        if arm.count == 1:
            arm.total = y / load
        _add_gaussian(model, arm, candidates, load, y)
    else:
        _add_beta(model, arm, candidates, load, max(y, SMALLEST))
    compare(arm, candidates)


@step
def _count_success(arm: Any, plays: int, load: int, y: float) -> None:
    if y > 0.0:
        arm.total += 1.0
        if y < load:
            arm.capacity, arm.doubt = int(y), math.inf
        elif load > arm.capacity:
            arm.capacity = load
    if arm.capacity == plays:
        arm.doubt = math.inf
    arm.muhat = arm.total / arm.count


@step
def _look_further(arm: Any, candidates: np.ndarray, load: int) -> None:
    """Initialise the capacities from `top` to `load`, which had the likelihood of `top` so far."""
    for c in range(arm.top + 1, load + 1):
        if arm.top > 0:
            candidates[c - 1] = candidates[arm.top - 1]
        else:
            candidates[c - 1].mean = 0.5
    arm.top = load


@step
def _add_gaussian(model: Model, arm: Any, candidates: np.ndarray, load: int, y: float) -> None:
    """Add a Gaussian observation; stores -l_c in `gap`."""
    for c in range(1, arm.top + 1):
        each = candidates[c - 1]
        served = min(load, c)
        shift = y / served - arm.total
        each.linear += shift
        each.square += shift * shift
        each.log_served += log(served)
        weigh(model, arm, each)


@inlined
def weigh(model: Model, arm: Any, each: Any) -> None:
    """From the sums of z - total: the mean under a capacity, and -l_c stored in `gap`."""
    average = each.linear / arm.count
    each.mean = arm.total + average
    spread = each.square - each.linear * average
    each.gap = each.log_served + spread / (2.0 * model.parameter)


@step
def _add_beta(model: Model, arm: Any, candidates: np.ndarray, load: int, y: float) -> None:
    """Add a Beta observation; stores -l_c in `gap`."""
    arm.total += log(y)
    for c in range(1, arm.top + 1):
        each = candidates[c - 1]
        if y > c and load > c:
            each.log_served = each.gap = math.inf
        elif each.log_served < math.inf:
            served = min(load, c)
            each.linear += log(max(1.0 - y / served, NEAREST))
            each.log_served += log(served)
            difference = (arm.total - each.log_served - each.linear) / arm.count
            each.mean = beta_mean(difference, model.parameter, each.mean)
            each.gap = -_beta_value(model.parameter, arm, each, each.mean)


@step
def compare(arm: Any, candidates: np.ndarray) -> None:
    """Replace -l_c by gaps, and update what depends on them."""
    best = 1
    for c in range(2, arm.top + 1):
        if candidates[c - 1].gap < candidates[best - 1].gap:
            best = c
    least = candidates[best - 1].gap
    doubt = math.inf
    for c in range(1, arm.top + 1):
        candidates[c - 1].gap -= least
        if c > best:
            doubt = min(doubt, candidates[c - 1].gap)
    if best == arm.top and best < candidates.size:
        doubt = 0.0
    arm.capacity, arm.doubt, arm.muhat = best, doubt, candidates[best - 1].mean


@step
def distance(model: Model, arm: Any, candidates: np.ndarray, x: float) -> float:
    """The log-likelihood cost of a mean of at least x, minimised over capacities.

    Nondecreasing in x; 0 for an arm without observations.
    """
    if arm.count == 0:
        return 0.0
    if model.law == BERNOULLI:
        return arm.count * kl(BERNOULLI, 0.0, arm.muhat, x) if arm.muhat < x else 0.0
    least = math.inf
    for c in range(1, arm.top + 1):
        each = candidates[c - 1]
        cost = each.gap
        if each.mean < x and cost < least:
            if model.law == GAUSSIAN:
                cost += arm.count * kl(GAUSSIAN, model.parameter, each.mean, x)
            elif x < 1.0:
                held = _beta_value(model.parameter, arm, each, each.mean)
                cost += max(held - _beta_value(model.parameter, arm, each, x), 0.0)
            else:
                cost = math.inf
        least = min(least, cost)
    return least


@step
def excess(
    model: Model, arm: Any, candidates: np.ndarray, x: float, levels: tuple[float, float, float]
) -> float:
    """By how much a mean of at least x is excluded under every capacity; for Gaussian rewards.

    Under capacity c it is excluded if its cost relative to the mean of c exceeds the first level,
    or relative to the mixture likelihood the second. A margin for rounding, the third number times
    its size, is subtracted from each cost. Nondecreasing in x.
    """
    for_means, for_mixture, rounding = levels
    if arm.count == 0:
        return -for_means
    best, least = mixture_excess(model, arm, candidates), math.inf
    for c in range(1, arm.top + 1):
        each, cost = candidates[c - 1], 0.0
        if each.mean < x:
            cost = arm.count * kl(GAUSSIAN, model.parameter, each.mean, x)
        size = rounding * (arm.count + cost + each.gap)
        over = max(cost - for_means, best + each.gap + cost - for_mixture) - size
        least = min(least, over)
    return least


@step
def mixture_excess(model: Model, arm: Any, candidates: np.ndarray) -> float:
    """log Q - max_c l_c for Gaussian rewards, with the mixture likelihood of the arm

        Q = (1/N) sum over c = 1..N of the integral of prod p_{x,min(a,c)}(y) w(x) dx,

    w normal around 0 of the rewards' variance. A mean drawn from w costs a capacity
    mean_c^2 n / (n + 1) / (2 variance) + log(n + 1) / 2 of its l_c.
    """
    if arm.mixed != arm.count:
        plays, total, least = candidates.size, 0.0, math.inf
        kept = arm.count / (arm.count + 1.0) / (2.0 * model.parameter)
        for c in range(1, arm.top + 1):
            mean = candidates[c - 1].mean
            least = min(least, candidates[c - 1].gap + kept * mean * mean)
        for c in range(1, arm.top + 1):
            mean, times = candidates[c - 1].mean, plays - c + 1 if c == arm.top else 1
            total += times * exp(least - candidates[c - 1].gap - kept * mean * mean)
        arm.mixture = log(total / plays) - least - 0.5 * log(arm.count + 1.0)
        arm.mixed = arm.count
    return float(arm.mixture)


@step
def largest_within(arm: Any, candidates: np.ndarray, level: float) -> int:
    """The largest capacity whose gap is at most `level`."""
    if arm.doubt > level:
        return int(arm.capacity)
    if arm.top == arm.capacity or arm.top == 0 or candidates[arm.top - 1].gap <= level:
        return candidates.size
    for c in range(arm.top - 1, arm.capacity, -1):
        if candidates[c - 1].gap <= level:
            return int(c)
    return int(arm.capacity)


@step
def _beta_value(concentration: float, arm: Any, each: Any, mean: float) -> float:
    """The log-likelihood of (c, mean), without terms common to all capacities and means."""
    one, other = concentration * mean, concentration * (1.0 - mean)
    shown = (one - 1.0) * (arm.total - each.log_served) + (other - 1.0) * each.linear
    normalised = arm.count * (log_gamma(one) + log_gamma(other))
    return float(shown - normalised - each.log_served)


@step
def beta_mean(difference: float, concentration: float, start: float) -> float:
    """The mean mu with digamma(k mu) - digamma(k (1 - mu)) = difference, by Newton in logit mu.

    As a function of logit mu this is increasing, concave up to 0 and convex from there. So Newton's
    method moves towards the root until it has passed it, on the side away from 0, and then returns
    without passing it again. Steps are limited to 3, because the first may be too long; logits
    within 720 of 0, more than floats distinguish, take 480 steps, and the rest about twelve.
    """
    logit = log(start / (1.0 - start))
    for _ in range(500):
        mu, rest = 1.0 / (1.0 + exp(-logit)), 1.0 / (1.0 + exp(logit))
        value, slope = _polygammas(max(concentration * mu, SMALLEST))
        other_value, other_slope = _polygammas(max(concentration * rest, SMALLEST))
        change = (value - other_value - difference) / (rest * slope + mu * other_slope)
        logit -= min(max(change, -3.0), 3.0)
        if abs(change) < 1e-11:
            break
    mean = 1.0 / (1.0 + exp(-logit))
    return min(max(mean, SMALLEST), 1.0 - NEAREST)


@step
def _polygammas(x: float) -> tuple[float, float]:
    """digamma(x), and x times its derivative: by recurrence up to 8, then the asymptotic series.

    For x > 0 the recurrence takes at most 8 steps.
    """
    first, value, slope = x, 0.0, 0.0
    while x < 8.0:
        inverse = 1.0 / x
        value -= inverse
        slope += first * inverse * inverse
        x += 1.0
    inverse = 1.0 / x
    square = inverse * inverse
    series = 1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132)))
    value += log(x) - 0.5 * inverse - square * series
    series = 1 / 6 - square * (1 / 30 - square * (1 / 42 - square * (1 / 30 - square * 5 / 66)))
    slope += first * (inverse + 0.5 * square + inverse * square * series)
    return value, slope
