"""Replication: two threads against one, and the memory of ten thousand runs.

    python benchmarks/bench_replicate.py [--quick]

Ratios are taken within one run of this script, so they do not depend on the machine's speed.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

from simulation import Instance
from simulation.running.replicate import replicate

PAPER = Instance.load("paper")
POLICY = "orch-explore"
REQUIRED_SPEEDUP = 1.7
ALLOWED_MEGABYTES = 400


def seconds(jobs: int, runs: int, horizon: int) -> float:
    started = time.perf_counter()
    replicate(PAPER, POLICY, horizon, runs, jobs=jobs, chunk=max(1, runs // 8))
    return time.perf_counter() - started


def speedup(runs: int, horizon: int) -> float:
    """The best of three alternating pairs: other work on the machine only slows things down."""
    seconds(2, 2, 1000)  # compile
    one = two = float("inf")
    for _ in range(3):
        one = min(one, seconds(1, runs, horizon))
        two = min(two, seconds(2, runs, horizon))
    return one / two


def peak_megabytes(runs: int, horizon: int) -> float:
    """In a process of its own, which does nothing else."""
    arguments = [sys.executable, __file__, "--peak", str(runs), str(horizon)]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True)
    return float(done.stdout)


def measure_peak(runs: int, horizon: int) -> None:
    replicate(PAPER, POLICY, horizon, runs)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main(quick: bool) -> None:
    ratio = speedup(16, 10**5 if quick else 10**6)
    print(f"two threads / one thread      {ratio:8.2f}   (at least {REQUIRED_SPEEDUP})")
    for runs, horizon in ((10_000, 10**3), (10_000, 10**4 if quick else 10**5)):
        peak = peak_megabytes(runs, horizon)
        label = f"{runs:,} runs of {horizon:,} slots"
        print(f"{label:29s} {peak:8.0f}   MB at most (at most {ALLOWED_MEGABYTES})")


if __name__ == "__main__":
    if "--peak" in sys.argv:
        measure_peak(*map(int, sys.argv[-2:]))
    else:
        main("--quick" in sys.argv)
