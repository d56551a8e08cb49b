"""`sharp-law-free` beside the simulated regret of law-free, on random instances.

    python benchmarks/law_free_bound.py [INSTANCES [RUNS [scale]]]

Bernoulli and Beta arms, 1 to 5 plays; with `scale` Gaussian ones, some bad arms of negative mean,
and `sharp-law-free-scale`. The bound is on expected regret; here it has to be above the
largest of the runs. The exit code is 1 where it is not.
"""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np

from boundcheck import bounds
from boundcheck.calculator.question import Question
from simulation.rewards.laws import Bernoulli, Beta, Gaussian
from simulation.running.runs import run_many
from simulation.world.instance import Instance

HORIZONS = (10**3, 10**4, 10**5)


def drawn(chance: np.random.Generator, scale: bool = False) -> Instance:
    """2 to 9 arms, capacities up to N, means in hundredths, other means than that of arm L."""
    while True:
        plays = int(chance.integers(1, 6))
        arms = int(chance.integers(plays + 1, 10))
        means = [Fraction(int(x), 100) for x in chance.integers(1, 100, arms)]
        capacities = chance.integers(1, plays + 1, arms).tolist()
        law = (Bernoulli(), Beta(Fraction(int(chance.integers(1, 40)), 4)))[chance.integers(2)]
        found = Instance(means, capacities, plays, law)
        if scale:
            nu, lower = found.means[found.last_arm], Fraction(int(chance.integers(0, 100)), 100)
            means = [x - lower * (x < nu) for x in means]
            law = Gaussian(Fraction(1, int(chance.choice([1, 2, 4]))))
            found = found.with_(means=means, reward=law)
        if means.count(found.means[found.last_arm]) == 1:
            return found


def ratios(instance: Instance, runs: int, seed: int) -> list[tuple[float, float, bool]]:
    """At each horizon the bound over mean and largest regret, whether it is better than trivial."""
    slots = np.array(HORIZONS)
    claim = "sharp-law-free" if instance.reward.bounded else "sharp-law-free-scale"
    lost = run_many(instance, "law-free", HORIZONS[-1], slots, seed, 0, runs).regret.sum(axis=1)
    rows = []
    for place, horizon in enumerate(HORIZONS):
        (bound,) = bounds(instance, Question(horizon=horizon, digits=6), [claim])
        assert bound.applies
        assert bound.lower is not None
        mean, most = lost[:, place].mean(), lost[:, place].max()
        value = float(bound.lower)
        rows.append((value / max(mean, 1e-9), value / max(most, 1e-9), bound.informative is True))
    return rows


def main(instances: str = "200", runs: str = "5", scale: str = "") -> int:
    chance = np.random.default_rng(32)
    found = [
        ratios(drawn(chance, scale == "scale"), int(runs), seed=number)
        for number in range(int(instances))
    ]
    for place, horizon in enumerate(HORIZONS):
        here = [rows[place] for rows in found]
        better = [mean for mean, _, informative in here if informative]
        print(
            f"T = {horizon:,}: at least {min(row[1] for row in here):.2f} times the largest of "
            f"{runs} runs; {len(better)} of {len(here)} bounds are better than the trivial one, "
            f"the median of these is {np.median(better) if better else np.nan:.0f} times the mean"
        )
    return int(min(row[1] for rows in found for row in rows) < 1)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
