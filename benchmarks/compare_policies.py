"""Policies that do not know the capacities, side by side: what they lose, and how badly at worst.

    python benchmarks/compare_policies.py [--horizon T] [--runs R] [--instance NAME ...]
                                          [--policy NAME ...]

For each policy the mean regret, the worst run, the mean as a share of OrchExplore's, and the mean
divided by C log T, where C is the exact constant of `sharp-4.3` (the least a consistent policy can
have in the limit, where it is claimed). A run looks linear if in its second half it loses more than
one part in a thousand of what the best action earns.
"""

from __future__ import annotations

import argparse
from math import log

import numpy as np
from rich.console import Console
from rich.table import Table

from boundcheck import bounds
from simulation import Instance
from simulation.running.replicate import replicate
from simulation.running.results import Replication

POLICIES = ("mp-se-sa", "etc-ucb", "likelihood")
INSTANCES = ("paper", "paper-gaussian", "5g-4g")
LINEAR = 1e-3  # of f(a*), lost per slot in the second half of a run


def constant(instance: Instance) -> float | None:
    """C of `sharp-4.3`, where it is a number."""
    (bound,) = bounds(instance, claims=["sharp-4.3"])
    return None if bound.value is None else float(bound.value)


def table_of(runs: Replication) -> Table:
    least = constant(runs.instance)
    table = Table("policy", "mean", "+-", "worst run", "of orch-explore", "/ (C log T)", "linear")
    reference = runs["orch-explore"]
    for result in runs:
        total = result.total
        mean = total[:, -1].mean()
        error = total[:, -1].std(ddof=1) / np.sqrt(runs.runs)
        late = (total[:, -1] - total[:, -2]) / (runs.horizon - result.checkpoints[-2])
        linear = int((late > LINEAR * float(runs.instance.optimal_reward)).sum())
        table.add_row(
            result.policy,
            f"{mean:,.1f}",
            f"{error:,.1f}",
            f"{total[:, -1].max():,.1f}",
            f"{mean / reference.total[:, -1].mean():.3f}",
            "" if least is None else f"{mean / (least * log(runs.horizon)):.2f}",
            str(linear),
        )
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--horizon", type=float, default=1e6)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--instance", nargs="+", default=INSTANCES)
    parser.add_argument("--policy", nargs="+", default=POLICIES, help="besides orch-explore")
    options = parser.parse_args()
    console, horizon = Console(width=100), int(options.horizon)
    for name in options.instance:
        runs = replicate(
            Instance.load(name),
            list(dict.fromkeys(["orch-explore", *options.policy])),
            horizon,
            options.runs,
            options.seed,
            jobs=options.jobs,
            checkpoints=[horizon // 2],
        )
        console.print(f"{name}: T = {horizon:,}, {options.runs} runs, seed {options.seed}")
        console.print(table_of(runs))


if __name__ == "__main__":
    main()
