"""Thompson sampling with known capacities: fill arms in the order of sampled means (section 8).

Every slot a mean is drawn for each arm from its posterior, arm by arm, and arms get their capacity
of plays from the largest on. Every arm played is observed once per load.

- Laws on [0, 1]: uniform prior, posterior Beta(1 + successes, 1 + failures). An observation x that
  is neither 0 nor 1 counts as a success with probability x, by a coin of its own, so that the
  posterior is that of a Bernoulli arm of the same mean.
- Gaussian: flat prior, posterior Normal(muhat, variance / count); an arm never observed comes
  first. Equal values are ranked by a random order drawn once at the start.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from simulation.jit import folded, step
from simulation.learning.action import Action, clear
from simulation.learning.arms import fill, introduced, report_bounds
from simulation.learning.likelihoods import Model
from simulation.learning.procedures import rank_by
from simulation.policies import Options, Policy, Setup
from simulation.world.draws import BERNOULLI, GAUSSIAN, standard_normal, unimodal_beta


class State(NamedTuple):
    arms: np.ndarray
    order: np.ndarray  # by sampled mean
    theta: np.ndarray  # the means sampled in a slot
    plays: int
    model: Model


def begin(gen: Generator, arms: int, plays: int, capacities: np.ndarray, model: Model) -> State:
    table, order = introduced(gen, capacities, capacities)
    return State(table, order, np.zeros(arms), plays, model)


@folded
def decide(state: State, t: int, gen: Generator, action: Action) -> None:
    """Sample a mean for each arm, and fill arms in that order."""
    for k in range(state.theta.size):
        arm = state.arms[k]
        state.theta[k] = _sampled(gen, state.model, arm.individual, arm.individual_sum)
    rank_by(state.theta, state.arms, state.order)
    clear(action, 0)
    fill(state.arms, state.order, state.plays, action)


@step
def _sampled(gen: Generator, model: Model, count: int, total: float) -> float:
    """A mean from the posterior after `count` observations that add up to `total`."""
    if model.law != GAUSSIAN:
        return unimodal_beta(gen, 1.0 + total, 1.0 + count - total)
    if count == 0:
        return math.inf
    return total / count + math.sqrt(model.parameter / count) * standard_normal(gen)


@folded
def learn(
    state: State, t: int, gen: Generator, phase: int, k: int, load: int, reward: float
) -> None:
    """Count one observation per load."""
    x = reward / load
    if state.model.law != BERNOULLI and state.model.law != GAUSSIAN:
        x = 1.0 if gen.random() < x else 0.0
    state.arms[k].individual += 1
    state.arms[k].individual_sum += x


@step
def report(state: State, t: int, learned: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
    """Write the capacities, which are known."""
    report_bounds(state.arms, lower, upper)


def _arguments(setup: Setup, options: Options) -> tuple[Any, ...]:
    return setup.capacities, Model.bare(setup)


POLICIES = (
    Policy(
        "ts-kc",
        "Thompson sampling, told the capacities: fills arms by sampled means",
        arguments=_arguments,
        told="capacities, scale",
        begin=begin,
        decide=decide,
        learn=learn,
        report=report,
    ),
)
