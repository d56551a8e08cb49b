"""The smallest regret per log T of a consistent policy, by brute force (Graves and Lai, 1997).

A policy that plays action a about c_a log T times must gather, against every instance lambda under
which a* is no longer the best but looks exactly as it does now, sum_a c_a KL_a(theta, lambda) >= 1.
The least sum_a c_a (f* - f(a)) is a linear program over all actions. It knows nothing of the gap
identity or of the formula it checks (`sharp-4.3`). The derivation is in docs/graves-lai.md:

- whoever looks the same under a*: an arm that takes plays keeps its mean and has a capacity of at
  least its load (Gaussian of known variance: the variance tells; Bernoulli: a success tells; Beta
  of known concentration: the largest reward possible tells);
- a* stops being the best exactly if a filled arm (k < L) can hold more, or an arm that takes no
  play (k > L) has a mean above mu_L, whatever its capacity;
- information adds up over arms, so changing one such arm is the hardest alternative to exclude.

Notation: theta the instance, m', mu' capacity and mean of the changed arm, F(x) = log x + 1/x - 1.
Beta rewards of concentration c are Beta(a, b) with a = mu c, b = (1 - mu) c.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import ceil, comb, inf, log, log10
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from simulation.instance import Instance
from simulation.rewards import Bernoulli, Beta, Gaussian
from simulation.samples import Empirical

LARGEST = 5_000  # actions
_VIOLATED = 1e-9
_ROUNDS = 200
_DIGITS = 60  # of divergences, and twice as many as close means share
_CLOSEST_BITS = 450  # means that differ by 2^-450 have a divergence of about 2^-900

Floats = NDArray[np.float64]
Action = tuple[int, ...]


@dataclass(frozen=True)
class Alternative:
    """One arm (by position) with another mean and capacity: enough to make a* a wrong choice."""

    arm: int
    mean: Fraction
    capacity: int


@dataclass(frozen=True)
class Program:
    """The solved program: its value, who is explored how often, and which alternatives were met."""

    value: float
    effort: dict[Action, float]
    alternatives: tuple[Alternative, ...]


class Unsolved(ArithmeticError):
    """The linear program is beyond what floats can solve."""


def graves_lai(instance: Instance) -> float | None:
    """Least regret per log T; None if there are too many actions, or two best ones, or
    the law is that of a sample.

    >>> from simulation.rewards import Gaussian
    >>> round(graves_lai(Instance([3, 2, 1], [1, 1, 1], plays=1, reward=Gaussian("0.5"))), 9)
    1.5
    """
    program = solve(instance)
    return None if program is None else program.value


def solve(instance: Instance) -> Program | None:
    """Add the most violated alternative of each kind until none is left, then stop."""
    if isinstance(instance.reward, Empirical):
        return None  # known are its values, not what they would be at another mean
    if comb(instance.arms + instance.plays - 1, instance.plays) > LARGEST:
        return None
    world = _World(instance)
    if world.best_actions != 1:
        return None
    rows = list(world.first_alternatives())
    for _ in range(_ROUNDS):
        effort = world.cheapest(rows)
        fresh = world.violated(effort)
        if not fresh:
            chosen = {tuple(a): c for a, c in zip(world.actions.tolist(), effort, strict=True) if c}
            return Program(float(world.gaps @ effort), chosen, tuple(rows))
        rows += fresh
    raise Unsolved(f"the alternatives did not settle in {_ROUNDS} rounds")


def _solved(costs: Floats, looks: Floats) -> Any:
    """Least cost of c >= 0 with looks c >= 1."""
    found = linprog(
        costs,
        A_ub=-looks,
        b_ub=-np.ones(len(looks)),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.status != 0:
        raise Unsolved(f"linear program: {found.message}")
    return found


class _World:
    """All actions of an instance, what they lose, and what they tell."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.plays = instance.plays
        self.capacities = [min(m, instance.plays) for m in instance.capacities]
        self.means = instance.means
        self.last_mean = instance.means[instance.last_arm]
        losses = {action: instance.regret(action) for action in _actions(instance)}
        self.best_actions = sum(loss == 0 for loss in losses.values())
        self.actions = np.array([a for a, loss in losses.items() if loss > 0])
        self.gaps = np.array([float(loss) for loss in losses.values() if loss > 0])

    def first_alternatives(self) -> Iterator[Alternative]:
        """One for every arm and capacity that can make a* a wrong choice."""
        for arm, load in enumerate(self.instance.optimal_action):
            if load == 0:
                for capacity in range(1, self.plays + 1):
                    yield Alternative(arm, self.last_mean, capacity)
            elif arm != self.instance.last_arm:
                for capacity in range(load + 1, self.plays + 1):
                    yield Alternative(arm, self.means[arm], capacity)

    def cheapest(self, rows: list[Alternative]) -> Floats:
        """The c that loses least among those that tell theta from each of these alternatives."""
        told = [self.information(row) for row in rows]
        # a single look at an infinite divergence is enough, and costs nothing per log T
        finite = np.array([row for row in told if np.isfinite(row).all()])
        if len(finite) == 0:
            return np.zeros(len(self.gaps))
        # in units of what an action tells at most, all coefficients lie in [0, 1] and the bound is
        # 1: the solver's tolerances are absolute, variances of 1e-9 are not rare
        most = finite.max(axis=0)
        useful = most > 0
        costs = self.gaps[useful] / most[useful]
        looks = finite[:, useful] / most[useful]
        value = float(costs.max())
        if not 0 < value < inf:
            raise Unsolved(f"linear program: a cost of {value}")
        # the second time the least cost is about 1: a tolerance that is absolute is then relative
        for _ in range(2):
            found = _solved(costs / value, looks)
            value *= float(found.fun)
        dual = -found.ineqlin.marginals.sum()
        if abs(found.fun - dual) > 1e-7 * found.fun:
            raise Unsolved(f"linear program: primal {found.fun} and dual {dual} differ")
        effort = np.zeros(len(self.gaps))
        effort[useful] = found.x / most[useful]
        return effort

    def violated(self, effort: Floats) -> list[Alternative]:
        """For each arm and capacity the alternative that this effort tells apart the least."""
        found = []
        for row in self.first_alternatives():
            hardest = self._hardest(row, effort)
            told = self.information(hardest)
            if np.isfinite(told).all() and told @ effort < 1 - _VIOLATED:
                found.append(hardest)
        return found

    def _hardest(self, row: Alternative, effort: Floats) -> Alternative:
        """The mean mu' >= mu_L that minimises sum_a c_a KL_a.

        Gaussian: a parabola in mu', least at the average of (b/b') mu over the slots that play
        the arm, b and b' the loads served at the true and at the other capacity. Bernoulli and
        Beta: the divergence (where finite) grows in mu' >= mu_L > mu.
        """
        arm = row.arm
        if self.instance.optimal_action[arm] > 0 or self.instance.reward.bounded:
            return row
        loads = self.actions[:, arm]
        weights = np.where(loads > 0, effort, 0.0)
        if weights.sum() == 0:
            return row
        served = np.minimum(np.maximum(loads, 1), self.capacities[arm])
        other = np.minimum(np.maximum(loads, 1), row.capacity)
        share = Fraction(float(weights @ (served / other) / weights.sum()))
        return Alternative(arm, max(self.last_mean, share * self.means[arm]), row.capacity)

    def information(self, other: Alternative) -> Floats:
        """KL_a(theta, other) for every action."""
        table = np.array([self._at_load(load, other) for load in range(self.plays + 1)])
        return np.asarray(table[self.actions[:, other.arm]], dtype=float)

    def _at_load(self, load: int, other: Alternative) -> float:
        if load == 0:
            return 0.0
        served = min(load, self.capacities[other.arm])
        supposed = min(load, other.capacity)
        mean = self.means[other.arm]
        law = self.instance.reward.of_arm(other.arm)
        if isinstance(law, Gaussian):
            ratio = Fraction(supposed, served)
            shift = (other.mean - mean / ratio) ** 2 / (2 * law.variance)
            return log(ratio) + float((1 / ratio**2 - 1) / 2 + shift)
        if isinstance(law, Bernoulli):
            return inf if served != supposed and mean > 0 else _kl_bernoulli(mean, other.mean)
        if served > supposed:
            return inf  # rewards above what the other capacity allows
        assert isinstance(law, Beta)
        return _kl_beta(mean, other.mean, Fraction(served, supposed), law.concentration)


def _actions(instance: Instance) -> Iterator[Action]:
    for placed in combinations_with_replacement(range(instance.arms), instance.plays):
        yield tuple(placed.count(arm) for arm in range(instance.arms))


def _enough_digits(p: Fraction, q: Fraction) -> int:
    """A divergence is about the square of the distance of its means, and cancels to it."""
    distance = abs(p - q)
    shared = distance.denominator.bit_length() - distance.numerator.bit_length()
    if shared > _CLOSEST_BITS:
        raise Unsolved("divergences of means so close are 0 in floats")
    return _DIGITS + 2 * ceil(log10(2) * max(shared, 0))


def _kl_bernoulli(p: Fraction, q: Fraction) -> float:
    """p log(p/q) + (1 - p) log((1 - p)/(1 - q)) with 0 log 0 = 0; for close p and q it cancels."""
    with mpmath.workdps(_enough_digits(p, q)):
        total = mpmath.mpf(0)
        for x, y in ((p, q), (1 - p, 1 - q)):
            if x > 0 and y == 0:
                return inf
            if x > 0:
                total += x.numerator * mpmath.log(_mpf(x / y)) / x.denominator
        return float(total)


@cache  # many actions and alternatives share a load
def _kl_beta(p: Fraction, q: Fraction, r: Fraction, concentration: Fraction) -> float:
    """Divergence of r X, X of mean p, from X' of mean q, with r <= 1.

    E log(f(X)/r) - E log f'(r X), f and f' the densities of X and X', written out.
    """
    with mpmath.workdps(_enough_digits(p, q)):
        a, b = _mpf(p * concentration), _mpf((1 - p) * concentration)
        other_a, other_b = _mpf(q * concentration), _mpf((1 - q) * concentration)
        scale = _mpf(r)
        log_x, log_y = (mpmath.digamma(x) - mpmath.digamma(a + b) for x in (a, b))
        log_rest = log_y if r == 1 else _mean_log_rest(a, b, scale)
        total = mpmath.log(mpmath.beta(other_a, other_b) / mpmath.beta(a, b))
        total += (a - other_a) * log_x - other_a * mpmath.log(scale)
        total += (b - 1) * log_y - (other_b - 1) * log_rest
        return float(total)


def _mean_log_rest(a: Any, b: Any, r: Any) -> Any:
    """E log(1 - r X) = -sum_n E (r X)^n/n for r < 1."""
    moments, total, n = r * a / (a + b), mpmath.mpf(0), 1
    while moments > total * mpmath.eps * (1 - r):
        total += moments / n
        moments *= r * (a + n) / (a + b + n)
        n += 1
    return -total


def _mpf(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator
