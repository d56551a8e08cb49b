"""`sharp-4.3-law-free`: what the class of all laws on [0, 1] costs, beside a linear program.

The program knows nothing of the formula: over all actions, the least regret per log T that tells
every arm beyond L from itself with the nearest law of mean mu_L, and every arm before L from itself
with a larger capacity. Laws are discretised: Beta laws at the nodes of Gauss and Jacobi, which keep
the mean; the nearest law has the support of the law and the value 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, pairwise
from math import comb

import numpy as np
from flint import arb
from scipy.optimize import linprog, minimize_scalar
from scipy.special import roots_jacobi
from scipy.stats import beta

from boundcheck.claims.card import Claim
from boundcheck.judging.comparison import Measured, Relation
from boundcheck.judging.default_statements.whole import InstanceCase
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Enclosed
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.search.strategies import instances
from boundcheck.theories.shareable_arms.lower_regret.program import constant, whole
from simulation.rewards.laws import Beta
from simulation.rewards.samples import Empirical
from simulation.world.instance import Instance

LARGEST = 20_000  # actions
TOLERANCE = 1e-3  # a share, for discretised laws and floats
NODES = 64
TINY = 1e-300
CLOSEST = 1e-4

Law = tuple[np.ndarray, np.ndarray]  # values, and how likely they are


def discretised(instance: Instance, k: int) -> Law:
    """The law of arm k, of the same mean, on finitely many values."""
    law, mean = instance.reward, float(instance.means[k])
    if isinstance(law, Empirical):
        sample = law.samples[k]
        weights = np.array([float(w) for w in sample.weights])
        return np.array([float(v) for v in sample.values]), weights / weights.sum()
    if isinstance(law, Beta):
        c = float(law.concentration)
        with np.errstate(all="ignore"):  # SciPy divides by 0 where it then takes another branch
            nodes, weights = roots_jacobi(NODES, (1 - mean) * c - 1, mean * c - 1)
        return (1 + nodes) / 2, weights / weights.sum()
    return np.array([0.0, 1.0]), np.array([1 - mean, mean])


def least_divergence(law: Law, x: float) -> float:
    """Of a law on [0, 1] from those of mean x or more (K_inf), by its dual problem."""
    values, weights = law
    if x >= 1:
        return float("inf")

    def told(s: float) -> float:
        return float(weights @ np.log(np.maximum(1 - s * (values - x), TINY)))

    end = 1 / (1 - x)
    inside = minimize_scalar(lambda s: -told(s), bounds=(0, end), method="bounded")
    return max(told(float(inside.x)), told(end))


def surplus_divergence(instance: Instance, k: int) -> float:
    """Of m X from (m + 1) X, for Beta rewards from their densities.

    Finitely many values: infinite, as the smallest of m X above 0 is none of (m + 1) X.
    """
    if not isinstance(instance.reward, Beta):
        return float("inf")
    (values, weights), held = discretised(instance, k), instance.capacities[k]
    c, mean = float(instance.reward.concentration), float(instance.means[k])
    law = beta(mean * c, (1 - mean) * c)
    shown = law.logpdf(values) - law.logpdf(values * held / (held + 1))
    return float(weights @ shown + np.log1p(1 / held))


def actions(arms: int, plays: int) -> Iterator[tuple[int, ...]]:
    """All ways to put the plays on the arms."""
    for bars in combinations(range(plays + arms - 1), arms - 1):
        ends = (-1, *bars, plays + arms - 1)
        yield tuple(b - a - 1 for a, b in pairwise(ends))


def least_growth(instance: Instance) -> float:
    """The linear program: slots of each action per log T, the least they lose."""
    table = np.array(list(actions(instance.arms, instance.plays)))
    losses = np.array([float(instance.regret(tuple(map(int, row)))) for row in table])
    x, telling, needed = float(instance.means[instance.last_arm]), [], []
    for place, k in enumerate(instance.order):
        if place == instance.L - 1:
            continue
        beyond = place >= instance.L
        told = (
            least_divergence(discretised(instance, k), x)
            if beyond
            else surplus_divergence(instance, k)
        )
        if np.isnan(told):
            return told
        if told < np.inf:  # else one look is enough
            telling.append(table[:, k] > (0 if beyond else instance.capacities[k]))
            needed.append(1 / told)
    if not needed:
        return 0.0
    solved = linprog(losses, A_ub=-np.array(telling, dtype=float), b_ub=-np.array(needed))
    return float(solved.fun)


def _program(card: Claim, case: InstanceCase, context: RunContext) -> Measured | None:
    """It refutes a constant that is larger by more than the tolerance, and certifies none.

    None where there are too many actions, or means so close that floats do not tell them apart.
    """
    instance = case.instance
    ranked = sorted(instance.means)
    if min(b - a for a, b in pairwise(ranked)) < CLOSEST:
        return None
    if comb(instance.plays + instance.arms - 1, instance.plays) > LARGEST:
        return None
    least = least_growth(instance)
    if np.isnan(least):  # shapes beyond what floats can discretise
        return None
    most = Enclosed.at_most(arb(least * (1 + TOLERANCE)))
    return replace(most, method="linear program in floats")


AT_LEAST = Statement(
    role=Role.INTENDED,
    text="a policy that is consistent for every law on [0, 1] loses at least this per log T",
    actual=(Measurement("linear program", _program),),
    claimed=constant,
    cases=whole,
    strategy=lambda: instances(smallest=2, largest=4, distinct=True).map(InstanceCase),
    relation=Relation.AT_LEAST,
    inapplicable_reason="there are too many actions for the program, or means too close for floats",
    explanations={
        Verdict.REFUTED: "the program gives {actual}, the formula {claimed}",
        Verdict.UNDECIDED: "the program gives {actual}, the formula {claimed}",
    },
)
STATEMENTS = {"sharp-4.3-law-free": (AT_LEAST,)}
