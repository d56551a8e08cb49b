"""How fast leaping is: seconds of CPU a run, steps, and how both grow from 10^6 slots on.

python benchmarks/bench_leaping.py
"""

from __future__ import annotations

import time
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from simulation.parameters import ETA
from simulation.running.runs import run_many
from simulation.world.instance import Instance

LEAST, MOST = 10**6, 10**12
MOST_GROWTH = 8.0  # of the seconds, from LEAST to MOST slots


class Case(NamedTuple):
    """What is run, and what was asked of it."""

    instance: str
    policy: str
    runs: int
    seconds: float | None = None  # a run at `most` slots
    growth: float | None = None
    most: int = MOST


CASES = (
    Case("paper", "orch-explore", 6, 2.0, MOST_GROWTH),
    Case("paper", "likelihood", 6, 2.0, MOST_GROWTH),
    Case("paper", "law-free", 6, 2.0, MOST_GROWTH),
    Case("paper", "orch-explore-kc", 4),
    Case("paper", "kl-ucb-kc", 4),
    Case("paper", "mp-se-sa", 4),
    Case("paper-gaussian", "orch-explore", 4, 10.0),
    Case("paper-gaussian", "likelihood", 4, 10.0),
    Case("5g-4g", "orch-explore", 1, 20.0),
    Case("paper-gaussian", "law-free", 4, 10.0),
    Case("5g-4g", "likelihood", 1, 20.0),
    Case("5g-4g", "law-free", 1, 20.0),
    Case("certain", "orch-explore", 20, 2.0, most=10**22),
    Case("paper", "orch-explore", 6, 2.0, most=10**30),
)


def measured(case: Case, horizon: int) -> tuple[float, float]:
    """Seconds of CPU and steps, a run."""
    instance, slots = Instance.load(case.instance), [horizon]
    run_many(instance, case.policy, horizon, slots, 1, 0, 1, eta=ETA)  # compiles
    start = time.thread_time()
    record = run_many(instance, case.policy, horizon, slots, 1, 0, case.runs, eta=ETA)
    seconds = (time.thread_time() - start) / case.runs
    return seconds, float(record.leaps.sum(axis=1).mean())


def cells(case: Case) -> tuple[str, ...]:
    short, _ = measured(case, LEAST)
    seconds, steps = measured(case, case.most)
    asked, met = [], True
    if case.seconds is not None:
        asked.append(f"{case.seconds:.0f} s")
        met = met and seconds <= case.seconds
    if case.growth is not None:
        asked.append(f"{case.growth:.0f} times")
        met = met and seconds <= case.growth * short
    numbers = (
        f"{case.most:.0e}",
        f"{short:.3f}",
        f"{seconds:.3f}",
        f"{steps:,.0f}",
        f"{seconds / short:.1f}",
    )
    verdict = ("yes" if met else "NO") if asked else ""
    return (case.policy, case.instance, *numbers, ", ".join(asked), verdict)


def main() -> None:
    headings = ("T", "s at 10^6", "s at T", "steps", "growth", "asked", "met")
    table = Table("leaping", "instance", *headings)
    for case in CASES:
        table.add_row(*cells(case))
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
