"""How fast the kernels are, against a floor measured in the same run.

    python benchmarks/bench_kernels.py [POLICY ...]

The floor draws one reward for each optimal arm in every slot and does nothing else: no simulator
of the instance can be faster. Times are the best of three and in seconds of this thread's CPU, so
that a busy machine does not blur them (only the gain of a second thread is by the clock). Absolute
speeds are the machine's; ratios are ours.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from rich.console import Console
from rich.table import Table

from simulation.jit import step
from simulation.policies import WHERE
from simulation.running.runs import run_many
from simulation.world.compiled import World, earn
from simulation.world.draws import stream
from simulation.world.instance import Instance

HORIZON = 1_000_000
# slots per second asked for, where it is not a million, and the horizon that shows it in time
ASKED = {
    "orch-explore": 5_000_000,
    "likelihood": 2_000_000,
    "ucb-implicit": 50_000,
    "ts-implicit": 0,
    "se-implicit": 0,
}
SHORT = {"ucb-implicit": 50_000, "ts-implicit": 20_000, "se-implicit": 50_000}
# how many times the floor a policy may cost on an instance
MOST_FLOORS = {("orch-explore", "paper"): 5, ("law-free", "paper"): 10, ("law-free", "5g-4g"): 15}
LEAST_SPEED_UP = 1.7  # of two threads
LONGEST_COMPILATION = 10.0
LONGEST_VERIFICATION = 60.0  # of `verify paper --effort quick`, kernels compiled


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    instance: str
    slots: int
    seconds: float
    floor: float  # seconds of the floor for as many slots
    asked: str
    met: bool | None

    def cells(self) -> tuple[str, ...]:
        verdict = "" if self.met is None else ("yes" if self.met else "NO")
        return (
            self.what,
            self.instance,
            f"{self.seconds / self.slots * 1e9:,.1f}",
            f"{self.slots / self.seconds:,.0f}",
            f"{self.seconds / self.floor:.2f}",
            self.asked,
            verdict,
        )


@step
def draws_only(gen: Generator, world: World, arms: np.ndarray, horizon: int) -> float:
    """The floor: the rewards of the optimal arms, slot after slot."""
    total = 0.0
    for _ in range(horizon):
        for k in arms:
            total += earn(gen, world, k)
    return total


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.thread_time) -> float:
    """The best of three."""
    best = float("inf")
    for _ in range(3):
        start = clock()
        work()
        best = min(best, clock() - start)
    return best


def floor_seconds(instance: Instance, horizon: int) -> float:
    world, arms = World.of(instance), np.array(instance.order[: instance.L])
    draws_only(stream(0, 0), world, arms, 1)
    return seconds(lambda: draws_only(stream(0, 0), world, arms, horizon))


def run(instance: Instance, policy: str, horizon: int, first_run: int = 0) -> None:
    run_many(instance, policy, horizon, np.array([horizon]), 1, first_run, 1)


def policy_row(instance: Instance, policy: str, horizon: int, asked: int) -> Row:
    run(instance, policy, 10)
    floor = floor_seconds(instance, horizon)
    taken = seconds(lambda: run(instance, policy, horizon))
    met, words = horizon / taken >= asked, f"{asked:,} slots/s" if asked else ""
    if (most := MOST_FLOORS.get((policy, instance.name))) is not None:
        met, words = met and taken <= most * floor, f"{words}, {most} floors"
    return Row(policy, instance.name, horizon, taken, floor, words, met if words else None)


def crowd() -> Instance:
    """200 arms and 150 plays: nothing may cost a logarithm per arm and slot."""
    chance = np.random.default_rng(0)
    means = np.round(chance.uniform(0.05, 0.95, 200), 4).tolist()
    return Instance(means, chance.integers(1, 6, 200).tolist(), 150, name="K=200, N=150")


def threads_line(instance: Instance, policy: str) -> str:
    """Four runs by one thread and by two."""

    def four_runs(workers: int) -> None:
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(lambda r: run(instance, policy, HORIZON, r), range(4)))

    one, two = (seconds(lambda n=n: four_runs(n), time.perf_counter) for n in (1, 2))
    gain = one / two
    verdict = "yes" if gain >= LEAST_SPEED_UP else "NO"
    return f"two threads: {gain:.2f} times one (asked: {LEAST_SPEED_UP}; {verdict})"


def cold_row(most: float, *arguments: str) -> tuple[str, ...]:
    """CPU of a command, without a cache of kernels and then with the one it left."""
    command = [sys.executable, "-m", "boundcheck", *arguments]
    with tempfile.TemporaryDirectory() as cache:
        cold, warm = (children_seconds(command, cache) for _ in range(2))
    met = "yes" if cold <= most else "NO"
    return " ".join(arguments), f"{cold:.1f}", f"{warm:.1f}", f"{most:.0f} s", met


def children_seconds(command: Sequence[str], cache: str) -> float:
    """User and system time of a command with this kernel cache."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    subprocess.run(command, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main(policies: Sequence[str]) -> None:
    console, paper = Console(width=110), Instance.load("paper")
    table = Table("policy", "instance", "ns/slot", "slots/s", "floors", "asked", "met")
    floor = floor_seconds(paper, HORIZON)
    table.add_row(*Row("draws only", "paper", HORIZON, floor, floor, "", None).cells())
    for policy in policies:
        horizon = SHORT.get(policy, HORIZON)
        row = policy_row(paper, policy, horizon, ASKED.get(policy, 1_000_000))
        table.add_row(*row.cells())
    if "likelihood" in policies:
        gaussian = Instance.load("paper-gaussian")
        table.add_row(*policy_row(gaussian, "likelihood", HORIZON, 1_000_000).cells())
    if "law-free" in policies:
        table.add_row(*policy_row(Instance.load("5g-4g"), "law-free", HORIZON, 1_000_000).cells())
    if "orch-explore" in policies:
        table.add_row(*policy_row(crowd(), "orch-explore", 50_000, 50_000).cells())
    console.print(table)
    console.print(threads_line(paper, policies[0]))
    table = Table("first command", "cold, s of CPU", "warm", "asked", "met")
    short = ("--horizon", "100", "--runs", "1", "--jobs", "1")
    for policy in policies:
        simulated = ("simulate", "paper", "--policy", policy, *short)
        table.add_row(*cold_row(LONGEST_COMPILATION, *simulated))
    table.add_row(*cold_row(LONGEST_VERIFICATION, "verify", "paper", "--effort", "quick"))
    console.print(table)


if __name__ == "__main__":
    main(sys.argv[1:] or list(WHERE))
