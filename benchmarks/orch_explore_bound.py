"""`sharp-7.1` beside the simulated regret of OrchExplore, on random instances at four horizons.

    python benchmarks/orch_explore_bound.py [INSTANCES [RUNS]]

Bernoulli, Beta and Gaussian (variance at most 1/4) arms, runs made for each horizon, with
leaping where it is possible. The bound is on expected regret; here it has to be above the largest
of the runs. The exit code is 1 where it is not.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from boundcheck import bounds
from boundcheck.calculator.question import Question
from simulation.parameters import ETA
from simulation.rewards.laws import Bernoulli, Beta, Gaussian, RewardLaw
from simulation.running.runs import run_many
from simulation.world.instance import Instance

HORIZONS = (10**3, 10**4, 10**5, 10**6)


def drawn(chance: np.random.Generator) -> Instance:
    """2 to 9 arms, capacities up to N, means in hundredths, other means than that of arm L."""
    while True:
        arms = int(chance.integers(2, 10))
        plays = int(chance.integers(1, arms))
        means = [Fraction(int(x), 100) for x in chance.integers(1, 100, arms)]
        capacities = chance.integers(1, plays + 1, arms).tolist()
        laws: tuple[RewardLaw, ...] = (
            Bernoulli(),
            Beta(Fraction(int(chance.integers(1, 40)), 4)),
            Gaussian(Fraction(1, int(chance.choice([4, 10, 100])))),
        )
        found = Instance(means, capacities, plays, laws[int(chance.integers(3))])
        if means.count(found.means[found.last_arm]) == 1:
            return found


def ratios(
    instance: Instance, runs: int, seed: int, horizons: tuple[int, ...] = HORIZONS
) -> Iterator[tuple[int, float, float, bool]]:
    """Horizon, the bound over mean and largest regret, whether it says less than is trivial."""
    for horizon in horizons:
        (bound,) = bounds(instance, Question(horizon=horizon, digits=6), ["sharp-7.1"])
        assert bound.applies
        assert bound.lower is not None
        slots = np.array([horizon])
        eta = 0.0 if instance.reward.name == "beta" else ETA  # which cannot leap
        found = run_many(instance, "orch-explore", horizon, slots, seed, 0, runs, eta=eta)
        total = found.regret.sum(axis=1)[:, -1]
        lost = [max(float(x), 1e-9) for x in (total.mean(), total.max())]
        yield horizon, *(float(bound.lower) / x for x in lost), bound.informative is False


def main(instances: int = 200, runs: int = 5) -> int:
    chance = np.random.default_rng(71)
    found = [row for number in range(instances) for row in ratios(drawn(chance), runs, seed=number)]
    for horizon in HORIZONS:
        here = [row for row in found if row[0] == horizon]
        telling = [row[1] for row in here if not row[3]]
        print(
            f"T = {horizon:,}: at least {min(row[2] for row in here):.2f} times the largest of "
            f"{runs} runs; {len(telling)} of {len(here)} bounds say more than the trivial one, "
            f"the median of these is {np.median(telling):.0f} times the mean"
        )
    return int(min(row[2] for row in found) < 1)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
