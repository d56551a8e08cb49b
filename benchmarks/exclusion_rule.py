"""What excluding means beside the mixture likelihood costs `likelihood` with Gaussian rewards.

    python benchmarks/exclusion_rule.py [RUNS]

Both rules (option exclusion) with the same seeds, regret at 30,000 slots, on `paper-gaussian` and
on the random instances of `scale_rule.py`; differences are taken run by run.
"""

from __future__ import annotations

import sys

import numpy as np
from scale_rule import drawn

from simulation.running.runs import run_many
from simulation.world.instance import Instance

HORIZON, SEED = 30_000, 6


def regrets(instance: Instance, exclusion: str, runs: int) -> np.ndarray:
    slots, options = np.array([HORIZON]), {"exclusion": exclusion}
    record = run_many(instance, "likelihood", HORIZON, slots, SEED, 0, runs, options)
    return record.regret[:, :, -1].sum(axis=1)


def main(runs: int = 300) -> None:
    chance = np.random.default_rng(20)
    instances = [Instance.load("paper-gaussian"), *(drawn(chance) for _ in range(20))]
    costs = []
    for place, instance in enumerate(instances):
        mixture, likelihood = (regrets(instance, each, runs) for each in ("mixture", "likelihood"))
        more = (mixture - likelihood) / likelihood.mean()
        costs.append(more.mean())
        error = more.std(ddof=1) / runs**0.5
        print(
            f"{place:2} {likelihood.mean():8.1f}, mixture {mixture.mean():8.1f}: "
            f"{100 * more.mean():+5.1f} ± {100 * error:.1f} %",
            flush=True,
        )
    mean, error = np.mean(costs[1:]), np.std(costs[1:], ddof=1) / 20**0.5
    print(f"the 20 drawn at random: {100 * mean:+.1f} ± {100 * error:.1f} %")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
