"""The smallest regret per log T of a consistent policy, by brute force (Graves and Lai, 1997).

A policy that plays action a about c_a log T times must gather, against every instance lambda under
which a* is no longer the best but looks exactly as it does now, sum_a c_a KL_a(theta, lambda) >= 1.
The least sum_a c_a (f* - f(a)) is a linear program over all actions. It does not use the gap
identity or the formula that it checks (`sharp-4.3`). The derivation is in docs/graves-lai.md:

- alternatives with the same rewards under a*: an arm with plays keeps its mean and has capacity at
  least its load (Gaussian of known variance: by the variance; Bernoulli: by a success; Beta
  of known concentration: by the largest possible reward);
- a* stops being the best exactly if a filled arm (k < L) can hold more, or an arm that takes no
  play (k > L) has a mean above mu_L, whatever its capacity;
- information adds up over arms, so changing one such arm is the hardest alternative to exclude.

Floats (HiGHS) only propose a solution: alternatives and actions are added until none improves it,
then the effort and the weights of the alternatives are rounded to rationals that satisfy every
constraint, which balls certify. By weak duality the value is between the primal and dual ones. The
actions are not enumerated: reward and information are sums over arms, so the best action is found
arm by arm.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from flint import arb
from numpy.typing import NDArray
from scipy.optimize import linprog

from boundcheck.calculator.numbers import balls
from boundcheck.theories.shareable_arms.exact.alternatives import Action, Alternative, Alternatives
from simulation.rewards.samples import Empirical
from simulation.world.instance import Instance

LARGEST = 1_000  # arms times plays
_SLACK = Fraction(1, 10**12)  # relative: smaller violations are attributed to rounding
_WIDEST = Fraction(1, 10**6)  # a wider enclosure does not count as a solution
_ROUNDED = 80  # bits of the rational that scales the effort
_ROUNDS = 200
_BITS = 160  # bits of balls, plus twice the bits that close means share
_CLOSEST_BITS = 450  # means that differ by 2^-450 have a divergence of about 2^-900

Floats = NDArray[np.float64]
Reached: TypeAlias = tuple[Any, Action]  # a sum over some arms, and the loads that give it


@dataclass(frozen=True)
class Program:
    """The solved program: how often each action is explored, and the weight of each alternative.

    `effort` satisfies every constraint, so its cost is an upper bound on the value; `weights`
    satisfy every constraint of the dual program, so their sum is a lower bound.
    """

    low: Fraction
    high: Fraction
    effort: Mapping[Action, Fraction]
    weights: Mapping[Alternative, Fraction]

    @property
    def value(self) -> arb:
        """The enclosure as a ball at the current precision."""
        return balls.ball(self.low).union(balls.ball(self.high))

    @property
    def width(self) -> float:
        """The width relative to the value."""
        return float((self.high - self.low) / self.high) if self.high else 0.0


class Unsolved(ArithmeticError):
    """The linear program cannot be solved in floats."""


def graves_lai(instance: Instance) -> Program | None:
    """The least regret per log T. None if there are too many arms and plays, if there are two best
    actions, or for an empirical law, which is not defined at other means.

    >>> from simulation.rewards.laws import Gaussian
    >>> found = graves_lai(Instance([3, 2, 1], [1, 1, 1], plays=1, reward=Gaussian("0.5")))
    >>> found.low <= Fraction(3, 2) <= found.high, found.width < 1e-11
    (True, True)
    """
    if instance.arms * instance.plays > LARGEST or isinstance(instance.reward, Empirical):
        return None
    with balls.precision(_enough_bits(instance)):
        world = _World(instance)
        return world.enclosed(*world.settled()) if world.one_best else None


def _enough_bits(instance: Instance) -> int:
    """Bits of precision: a divergence is about the square of the distance of its means, so it
    cancels.
    """
    means = sorted({*instance.means, Fraction(0), Fraction(1)})
    closest = min(high - low for low, high in pairwise(means))
    shared = closest.denominator.bit_length() - closest.numerator.bit_length()
    if shared > _CLOSEST_BITS:
        raise Unsolved("divergences of means so close are 0 in floats")
    return _BITS + 2 * max(shared, 0)


def _solved(costs: Floats, looks: Floats) -> Any:
    """Minimise costs c subject to c >= 0 and looks c >= 1."""
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


class _World(Alternatives):
    """The regret and information of actions on an instance, by arm and load."""

    @cached_property
    def earned(self) -> list[list[Fraction]]:
        return [
            [min(load, m) * mean for load in range(self.plays + 1)]
            for m, mean in zip(self.capacities, self.means, strict=True)
        ]

    @property
    def one_best(self) -> bool:
        return bool(self.best_other(self.earned)[0] < self.instance.optimal_reward)

    def best_other(self, gains: Sequence[Sequence[Any]]) -> Reached:
        """The largest sum of gains over the arms, over all actions but a*, and an action that
        attains it.

        For balls: an enclosure of the largest sum, and an action that may attain it.
        """
        best: dict[tuple[int, bool], Reached] = {(0, False): (gains[0][0] * 0, ())}
        for row, usual in zip(gains, self.instance.optimal_action, strict=True):
            longer: dict[tuple[int, bool], Reached] = {}
            for (used, other), (total, loads) in best.items():
                for load in range(self.plays - used + 1):
                    state = (used + load, other or load != usual)
                    reached = (total + row[load], (*loads, load))
                    longer[state] = _larger(longer[state], reached) if state in longer else reached
            best = longer
        return best[self.plays, True]

    # -- the program in floats ---------------------------------------------------------------

    def settled(self) -> tuple[dict[Action, Fraction], dict[Alternative, Fraction]]:
        """Add the most violated alternatives and actions until none is violated."""
        rows, columns = list(self.first_alternatives), self._first_actions()
        for _ in range(_ROUNDS):
            effort, weights = self.cheapest(rows, columns)
            hard = [self.hardest(row, effort) for row in self.first_alternatives]
            fresh = [row for row in hard if self.gathered(row, effort) < 1 - balls.ball(_SLACK)]
            over, action = self.best_other(self._dual_gains(weights, 1 + _SLACK))
            better = not over <= 0 and action not in columns
            if not (fresh or better):
                return effort, weights
            rows += map(self._shorter, fresh)
            columns += [action] if better else []
        raise Unsolved(f"the alternatives did not settle in {_ROUNDS} rounds")

    def _shorter(self, row: Alternative) -> Alternative:
        """A mean rounded to a float is hard enough, and keeps fractions short."""
        mean = self.means[row.arm] if self.instance.optimal_action[row.arm] else self.last_mean
        return Alternative(row.arm, max(mean, Fraction(float(row.mean))), row.capacity)

    def _first_actions(self) -> list[Action]:
        """Every load of every arm once, with the other plays where they earn most."""
        found = (
            self._filled(arm, load)
            for arm in range(self.instance.arms)
            for load in range(self.plays + 1)
        )
        return [action for action in dict.fromkeys(found) if action != self.instance.optimal_action]

    def _filled(self, arm: int, load: int) -> Action:
        loads = {arm: load}
        for other in self.instance.order:
            if other != arm:
                loads[other] = min(self.capacities[other], self.plays - sum(loads.values()))
        return tuple(loads[k] for k in range(self.instance.arms))

    def cheapest(
        self, rows: Sequence[Alternative], columns: Sequence[Action]
    ) -> tuple[dict[Action, Fraction], dict[Alternative, Fraction]]:
        """The cheapest effort on these actions that excludes these alternatives, and its dual."""
        if not rows:
            return {}, {}
        loads = np.array(columns)
        looks = np.array(
            [np.array([float(x) for x in self.told(row)])[loads[:, row.arm]] for row in rows]
        )
        # in units of the largest information of an action, all coefficients are in [0, 1] and the
        # bound is 1, because the solver's tolerances are absolute and variances of 1e-9 do occur
        most = looks.max(axis=0)
        useful = most > 0
        gaps = np.array([float(self.instance.regret(action)) for action in columns])
        costs, looks = gaps[useful] / most[useful], looks[:, useful] / most[useful]
        unit = float(costs.max())
        # in the second pass the least cost is about 1, so that the absolute tolerance is a relative
        # one
        for _ in range(2):
            if not 0 < unit < np.inf:
                raise Unsolved(f"linear program: a cost of {unit}")
            found = _solved(costs / unit, looks)
            weights = -found.ineqlin.marginals * unit
            unit *= float(found.fun)
        effort = found.x / most[useful]
        explored = (column for column, use in zip(columns, useful, strict=True) if use)
        return _positive(zip(explored, effort, strict=True)), _positive(
            zip(rows, weights, strict=True)
        )

    # -- rounded and certified -----------------------------------------------------------------

    def _dual_gains(
        self, weights: Mapping[Alternative, Fraction], scale: Fraction
    ) -> list[list[arb]]:
        """sum_lambda y KL_a(theta, lambda) - scale (f* - f(a)), arm by arm and load by load."""
        gains = [[balls.ball(scale * x) for x in row] for row in self.earned]
        gains[0] = [x - balls.ball(scale * self.instance.optimal_reward) for x in gains[0]]
        for row, weight in weights.items():
            y = balls.ball(weight)
            gains[row.arm] = [
                x + y * told for x, told in zip(gains[row.arm], self.told(row), strict=True)
            ]
        return gains

    def enclosed(
        self, effort: dict[Action, Fraction], weights: dict[Alternative, Fraction]
    ) -> Program:
        """Move both solutions slightly inside, where balls certify every constraint."""
        gathered = [
            self.gathered(self.hardest(row, effort), effort) for row in self.first_alternatives
        ]
        least = min((_below(x) for x in gathered), default=Fraction(1))
        excess = _SLACK / 1000
        while not self.best_other(self._dual_gains(weights, 1 + excess))[0] <= 0:
            excess *= 4
            if excess > _WIDEST:
                raise Unsolved("linear program: weights that are far from feasible")
        if least < 1 - _WIDEST:
            raise Unsolved("linear program: an effort that is far from feasible")
        effort = {action: times / least for action, times in effort.items()}
        weights = {row: weight / (1 + excess) for row, weight in weights.items()}
        high = sum((c * self.instance.regret(a) for a, c in effort.items()), Fraction(0))
        return Program(sum(weights.values(), Fraction(0)), high, effort, weights)


def _larger(one: Reached, two: Reached) -> Reached:
    value = one[0].max(two[0]) if isinstance(one[0], arb) else max(one[0], two[0])
    return value, (two if two[0] > one[0] else one)[1]


def _positive(pairs: Iterable[tuple[Any, float]]) -> dict[Any, Fraction]:
    return {key: Fraction(float(x)) for key, x in pairs if x > 0}


def _below(x: arb) -> Fraction:
    """A rational just below every point of the ball."""
    return Fraction(int((x * 2**_ROUNDED).lower().floor().unique_fmpz()), 2**_ROUNDED)
