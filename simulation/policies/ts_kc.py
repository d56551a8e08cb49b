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
from typing import Any

import numpy as np
from numpy.random import Generator

from simulation.draws import BERNOULLI, GAUSSIAN, standard_normal, unimodal_beta
from simulation.instance import Instance
from simulation.jit import kernel, step
from simulation.policies import Options, Policy
from simulation.procedures import Team, assembled, fill, rank_by, report_bounds
from simulation.trace import Trace, count_plays, settle
from simulation.world import World, earn, regret

PHASES = ("play",)


@kernel
def ts_kc(gen: Generator, world: World, horizon: int, trace: Trace, capacities: np.ndarray) -> None:
    """One run."""
    team = assembled(gen, capacities, capacities)
    play(gen, world, horizon, trace, team, np.zeros(capacities.size))
    report_bounds(team, trace)


@step
def play(
    gen: Generator, world: World, horizon: int, trace: Trace, team: Team, theta: np.ndarray
) -> None:
    """All slots. `theta` is scratch: the means sampled in a slot."""
    for t in range(1, horizon + 1):
        for k in range(theta.size):
            arm = team.arms[k]
            theta[k] = sampled(gen, world, arm.individual, arm.individual_sum)
        rank_by(theta, team)
        size = fill(team, world.plays)
        reward = 0.0
        for k in team.order[:size]:
            x = earn(gen, world, k)
            reward += team.loads[k] * x
            if world.law != BERNOULLI and world.law != GAUSSIAN:
                x = 1.0 if gen.random() < x else 0.0
            team.arms[k].individual += 1
            team.arms[k].individual_sum += x
        settle(trace, t, 0, regret(world, team.loads), reward)
        count_plays(trace, world.capacities, team.loads, 1)


@step
def sampled(gen: Generator, world: World, count: int, total: float) -> float:
    """A mean from the posterior after `count` observations that add up to `total`."""
    if world.law != GAUSSIAN:
        return unimodal_beta(gen, 1.0 + total, 1.0 + count - total)
    if count == 0:
        return math.inf
    return total / count + math.sqrt(world.parameter / count) * standard_normal(gen)


def _arguments(instance: Instance, horizon: int, options: Options) -> tuple[Any, ...]:
    return (World.of(instance).capacities,)


POLICIES = (
    Policy(
        "ts-kc",
        "Thompson sampling, told the capacities: fills arms by sampled means",
        PHASES,
        ts_kc,
        _arguments,
        told="capacities, scale",
    ),
)
