"""What the rule of `law-free` for a known scale costs, beside the rule that it replaced.

    python benchmarks/scale_rule.py [RUNS]

Regret at 10^5 slots on 20 instances drawn at random (Gaussian rewards of variance 1/4, 1/2 or 1)
and on `paper-gaussian`. The former rule had no proof: it priced the two groups once, took y for
non-negative, and tested means by n kl without the weight n/(n + 4). Its figures, from 200 runs of
the same seeds, are those in `FORMER`.
"""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np

from simulation.rewards.laws import Gaussian
from simulation.running.runs import run_many
from simulation.world.instance import Instance

HORIZON, SEED = 100_000, 4
FORMER = (  # mean regret and its standard error
    (922.0, 23.6),
    (1021.5, 21.2),
    (426.7, 8.1),
    (1245.0, 21.2),
    (173.0, 3.3),
    (1043.6, 14.2),
    (144.7, 10.0),
    (788.5, 19.4),
    (673.0, 12.4),
    (408.1, 7.2),
    (1201.1, 31.8),
    (242.5, 67.9),
    (1145.8, 17.7),
    (418.0, 6.9),
    (289.0, 47.7),
    (974.2, 21.1),
    (470.8, 8.4),
    (472.9, 10.6),
    (355.8, 27.3),
    (848.2, 42.8),
    (858.6, 12.5),
)


def drawn(chance: np.random.Generator) -> Instance:
    """3 to 7 plays, one to three arms more than plays, no mean within 0.03 of the last one's."""
    while True:
        plays = int(chance.integers(3, 8))
        arms = plays + int(chance.integers(1, 4))
        means = [f"{x:.2f}" for x in chance.uniform(0.1, 1.0, arms)]
        capacities = chance.integers(1, plays + 1, arms).tolist()
        law = Gaussian(Fraction(1, int(chance.choice([1, 2, 4]))))
        found = Instance(means, capacities, plays, law)
        gaps = sorted(abs(mean - found.means[found.last_arm]) for mean in found.means)
        if gaps[1] >= Fraction(3, 100):
            return found


def measured(instance: Instance, runs: int) -> tuple[float, float]:
    record = run_many(instance, "law-free", HORIZON, np.array([HORIZON]), SEED, 0, runs)
    regret = record.regret[:, :, -1].sum(axis=1)
    return float(regret.mean()), float(regret.std(ddof=1) / runs**0.5)


def main(runs: int = 200) -> None:
    chance = np.random.default_rng(20)
    instances = [Instance.load("paper-gaussian"), *(drawn(chance) for _ in range(20))]
    ratios = []
    for place, instance in enumerate(instances):
        mean, error = measured(instance, runs)
        before, its_error = FORMER[place]
        ratio = mean / before
        spread = ratio * ((error / mean) ** 2 + (its_error / before) ** 2) ** 0.5
        ratios.append(ratio)
        what = " ".join(map(str, instance.capacities)) + f", N = {instance.plays}"
        print(
            f"{place:2} {what:30} variance {float(instance.reward.parameter):4.2f}  "
            f"{mean:9.1f} ± {error:6.1f}, before {before:9.1f} ± {its_error:6.1f}: "
            f"{ratio:.3f} ± {spread:.3f}",
            flush=True,
        )
    mean, error = np.mean(ratios[1:]), np.std(ratios[1:], ddof=1) / 20**0.5
    print(f"mean ratio of the 20 drawn at random: {mean:.3f} ± {error:.3f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
