"""Leaping against slot by slot over many runs and random instances, by two-sample tests.

    python benchmarks/leaping_agreement.py [RUNS [INSTANCES]]

For every policy that leaps and every instance, regret by phase, reward, optimal slots and the slots
at which capacities were settled are compared (Kolmogorov and Smirnov) at T = 10^4 and 10^5. The
smallest p-value is multiplied by the number of tests: below 1e-3 it is an alarm.
"""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np
from scipy import stats

from simulation.parameters import ETA
from simulation.policies import POLICIES
from simulation.rewards.laws import Gaussian
from simulation.running.runs import run_many
from simulation.world.instance import Instance

LEVEL = 1e-3


def drawn(chance: np.random.Generator) -> Instance:
    """An instance with 3 to 6 arms whose last optimal mean is alone."""
    while True:
        arms = int(chance.integers(3, 7))
        means = [round(x, 2) for x in chance.uniform(0.05, 0.95, arms).tolist()]
        capacities = chance.integers(1, 4, arms).tolist()
        law = Gaussian(Fraction(int(chance.integers(1, 5)), 10)) if chance.random() < 0.5 else None
        found = Instance(means, capacities, int(chance.integers(1, arms)), law)
        others = [abs(mean - found.means[found.last_arm]) for mean in found.means]
        if sorted(others)[1] >= Fraction(1, 20):
            return found


def p_values(instance: Instance, policy: str, horizon: int, runs: int) -> list[float]:
    slots = np.array([horizon // 10, horizon])
    leapt = run_many(instance, policy, horizon, slots, 1, 0, runs, eta=ETA)
    played = run_many(instance, policy, horizon, slots, 2, 0, runs)
    found = []
    for name in ("regret", "reward", "optimal", "learned"):
        one, other = (getattr(each, name).reshape(runs, -1).T for each in (leapt, played))
        pairs = zip(one, other, strict=True)
        found += [float(stats.ks_2samp(*pair, method="asymp").pvalue) for pair in pairs]
    return found


def main(runs: int = 1000, instances: int = 10) -> None:
    chance = np.random.default_rng(1)
    policies = [name for name in POLICIES if POLICIES[name].leaps]
    cases = [(drawn(chance), policy) for _ in range(instances) for policy in policies]
    smallest, tests = 1.0, 0
    for instance, policy in cases:
        for horizon in (10**4, 10**5):
            found = p_values(instance, policy, horizon, runs)
            tests += len(found)
            smallest = min(smallest, *found)
            print(f"{policy:18} T = {horizon:7,}  smallest p {min(found):.2e}", flush=True)
    worst = min(1.0, tests * smallest)
    print(f"{len(cases)} cases, {runs} runs each, {tests} tests: {worst:.3g} after correction")
    sys.exit(worst < LEVEL)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
