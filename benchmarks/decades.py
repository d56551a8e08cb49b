"""Regret per log T, decade by decade up to 10^12 slots, beside the exact constant of `sharp-4.3`.

    python benchmarks/decades.py [INSTANCE ...]    six policies on shipped instances
    python benchmarks/decades.py --random 20       `likelihood` on instances drawn at random

Every horizon has runs of its own: policies that are told T explore for it from the first slot on,
so the regret within one run says nothing on how regret grows with T. Slopes have their standard
errors; the last column is by least squares through the means at 10^6 to 10^12. Policies that know
the capacities may stay below C where capacities cost something.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from math import log

import numpy as np
from rich.console import Console
from rich.table import Table

from boundcheck import bounds
from boundcheck.calculator.question import Question
from boundcheck.evidence.groups import Estimate, Groups
from simulation.rewards.laws import Bernoulli, Gaussian
from simulation.running.replicate import replicate
from simulation.world.instance import Instance

POLICIES = ("likelihood", "law-free", "orch-explore", "orch-explore-kc", "kl-ucb-kc", "se-kc")
EXPONENTS, LATE = (4, 6, 8, 10, 12), 1  # the slope is taken from the second one on
RUNS = {"paper": 16, "paper-gaussian": 8, "textbook": 200, "5g-4g": 2}
RANDOM_RUNS = 60


def exact_constant(instance: Instance) -> float:
    (bound,) = bounds(instance, Question(), ("sharp-4.3",))
    return float(bound.value)


def regrets(instance: Instance, policy: str, runs: int, exponents: tuple[int, ...]) -> Groups:
    """The regret of each run at each horizon."""
    values = []
    for exponent in exponents:
        slots = 10**exponent
        found = replicate(instance, policy, slots, runs, exponent, leap=True, checkpoints=[slots])
        values.append(found[policy].total[:, -1])
    return Groups([10**exponent for exponent in exponents], values)


def shown(found: Estimate, unit: float = 1.0) -> str:
    return f"{found.value / unit:.4g} ± {found.error / unit:.2g}"


def shipped(names: list[str]) -> None:
    for name in names:
        instance = Instance.load(name)
        title = f"{name}: regret per log T, C = {exact_constant(instance):.4g}"
        steps = [f"10^{a} to 10^{b}" for a, b in pairwise(EXPONENTS)]
        table = Table("policy", *steps, "10^6 to 10^12", title=title)
        for policy in POLICIES:
            found = regrets(instance, policy, RUNS.get(name, 20), EXPONENTS)
            late = Groups(found.times[LATE:], found.values[LATE:])
            cells = [shown(step, log(after / t)) for t, after, step in found.differences()]
            table.add_row(policy, *cells, shown(late.slope()))
        Console(width=120).print(table)


def drawn(gen: np.random.Generator, name: str, gaussian: bool) -> Instance:
    """Three to six arms, distinct means on a grid of 1/20."""
    arms = int(gen.integers(3, 7))
    means = [f"{k}/20" for k in gen.choice(np.arange(1, 20), arms, replace=False)]
    capacities = gen.integers(1, 4, arms).tolist()
    law = Gaussian("1/4") if gaussian else Bernoulli()
    return Instance(means, capacities, int(gen.integers(1, arms)), law, name=name)


def at_random(count: int) -> None:
    gen = np.random.default_rng(15)
    table = Table("law", "means x 20", "capacities", "N", "C", "slope", "slope / C")
    ratios = []
    for number in range(count):
        instance = drawn(gen, f"random {number}", number % 2 == 1)
        constant = exact_constant(instance)
        slope = regrets(instance, "likelihood", RANDOM_RUNS, EXPONENTS[LATE:]).slope()
        ratios.append(slope.value / constant)
        means, held = (" ".join(map(str, row)) for row in _rows(instance))
        row = (f"{constant:.4g}", shown(slope), shown(slope, constant))
        table.add_row(instance.reward.name, means, held, str(instance.plays), *row)
    Console(width=120).print(table)
    spread = np.std(ratios, ddof=1) / np.sqrt(count)
    print(f"slope / C of {count} instances on average: {np.mean(ratios):.3f} ± {spread:.3f}")


def _rows(instance: Instance) -> tuple[list[int], list[int]]:
    order = instance.order
    return [int(20 * instance.means[k]) for k in order], [instance.capacities[k] for k in order]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--random"]:
        at_random(int(sys.argv[2]))
    else:
        shipped(sys.argv[1:] or list(RUNS))
