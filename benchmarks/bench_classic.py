"""How fast the textbook policies are, on one core with ten arms.

    python benchmarks/bench_classic.py [POLICY ...]

Ten Bernoulli arms (unit Gaussian ones for the stopping rule, which takes two), one run of a million
slots, the best of three, in seconds of this thread's CPU, so that a busy machine does not blur
them. `classic_outside.py` times SMPyBandits' policies of the same name.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

from simulation.policies.classic import FILES
from simulation.rewards.laws import Gaussian
from simulation.running.runs import run_many
from simulation.world.instance import Instance

HORIZON, ARMS = 1_000_000, 10
ASKED = 5_000_000  # slots per second
# each slot draws from ten posteriors, solves for an index, or takes exponentials
ASKED_OF = {"thompson": 1_000_000, "kl-ucb": 1_000_000, "kl-ucb-ls": 1_000_000}


def instance_for(policy: str) -> Instance:
    """Ten coins from 0.5 to 0.05; two normal arms for a rule that stops."""
    if policy == "gaussian-stop":
        return Instance(["0.1", 0], [1, 1], 1, Gaussian(1))
    return Instance([f"0.{5 * k:02d}" for k in range(1, ARMS + 1)], [1] * ARMS, 1)


def slots_per_second(policy: str, horizon: int = HORIZON) -> float:
    instance, best = instance_for(policy), 0.0
    run_many(instance, policy, 100, np.array([100]), 1, 0, 1)
    for _ in range(3):
        start = time.thread_time()
        run_many(instance, policy, horizon, np.array([horizon]), 1, 0, 1)
        best = max(best, horizon / (time.thread_time() - start))
    return best


def main(policies: Sequence[str]) -> None:
    table = Table("policy", "million slots/s", "asked", "met")
    for policy in policies:
        found, asked = slots_per_second(policy), ASKED_OF.get(policy, ASKED)
        met = "yes" if found >= asked else "NO"
        table.add_row(policy, f"{found / 1e6:.2f}", f"{asked / 1e6:g}", met)
    Console(width=80).print(table)


if __name__ == "__main__":
    main(sys.argv[1:] or list(FILES))
