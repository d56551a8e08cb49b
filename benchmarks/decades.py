"""Regret per log T, decade by decade up to 10^12 slots, beside the exact constant of `sharp-4.3`.

    python benchmarks/decades.py [INSTANCE ...]

Every horizon has runs of its own: policies that are told T explore for it from the first slot on,
so the regret within one run says nothing on how regret grows with T. Slopes have their standard
errors. Policies that know the capacities may stay below C where capacities cost something.
"""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np
from rich.console import Console
from rich.table import Table

from boundcheck.calculator import bounds
from boundcheck.question import Question
from simulation.instance import Instance
from simulation.replicate import replicate

POLICIES = ("likelihood", "orch-explore", "orch-explore-kc", "kl-ucb-kc", "se-kc")
EXPONENTS = (4, 6, 8, 10, 12)
RUNS = {"paper": 40, "paper-gaussian": 24, "textbook": 200, "5g-4g": 2}


def exact_constant(instance: Instance) -> float:
    (bound,) = bounds(instance, Question(), ("sharp-4.3",))
    return float(bound.value)


def regrets(instance: Instance, policy: str, runs: int) -> np.ndarray:
    """The regret of each run (rows) at each horizon."""
    columns = []
    for exponent in EXPONENTS:
        slots = 10**exponent
        found = replicate(instance, policy, slots, runs, exponent, leap=True, checkpoints=[slots])
        columns.append(found[policy].total[:, -1])
    return np.array(columns).T


def slope(regret: np.ndarray, start: int, end: int) -> str:
    """Per log T between two of the exponents; the runs at the two horizons are independent."""
    first, last = (regret[:, EXPONENTS.index(each)] for each in (start, end))
    span = (end - start) * np.log(10)
    error = np.sqrt((first.var(ddof=1) + last.var(ddof=1)) / len(regret)) / span
    return f"{(last.mean() - first.mean()) / span:.4g} ± {error:.2g}"


def main(names: list[str]) -> None:
    for name in names:
        instance = Instance.load(name)
        title = f"{name}: regret per log T, C = {exact_constant(instance):.4g}"
        steps = list(pairwise(EXPONENTS))
        headings = [f"10^{start} to 10^{end}" for start, end in [*steps, (6, 12)]]
        table = Table("policy", *headings, title=title)
        for policy in POLICIES:
            found = regrets(instance, policy, RUNS.get(name, 20))
            table.add_row(policy, *(slope(found, *ends) for ends in [*steps, (6, 12)]))
        Console(width=120).print(table)


if __name__ == "__main__":
    main(sys.argv[1:] or list(RUNS))
