"""How fast the calculator answers, as ratios within one run of this script.

    python benchmarks/bench_calculator.py

Times are seconds of CPU (own and children), the best of several, so that a busy machine does not
blur them. A sweep of a claim that has a number for each arm gives as many rows for each point: its
time is allowed for every 100,000 rows. The exit code is 1 if a target is missed.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from boundcheck import catalogue, sweep
from simulation import Gaussian, Instance

SYMPY_TIMES = 2.2  # `bounds paper` against `import sympy`
PYTHON_TIMES, HELP_EXTRA = 5, 0.3  # `--help` against `python -c pass`
# arms, plays, options, seconds, megabytes
LARGE = ((1000, 500, ["--json"], 4.0, 500.0), (10_000, 1000, [], 20.0, 1000.0))
POINTS, SWEEP_SECONDS = 100_000, 2.0
ROOT = Path(__file__).parent.parent

Line = tuple[str, str, str, bool]


def best(run: Callable[[], float], repeats: int) -> float:
    return min(run() for _ in range(repeats))


def process_seconds(*arguments: str) -> float:
    """CPU seconds of a Python process with these arguments."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run(
        [sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=environment
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def start_up() -> list[Line]:
    bare = best(lambda: process_seconds("-c", "pass"), 7)
    sympy = best(lambda: process_seconds("-c", "import sympy"), 7)
    helped = best(lambda: process_seconds("-m", "boundcheck", "--help"), 7)
    paper = best(lambda: process_seconds("-m", "boundcheck", "bounds", "paper"), 7)
    allowed = PYTHON_TIMES * bare + HELP_EXTRA
    return [
        (
            "bounds paper",
            f"{paper:.2f} s, {paper / sympy:.2f} x import sympy",
            f"{SYMPY_TIMES} x",
            paper <= SYMPY_TIMES * sympy,
        ),
        ("--help", f"{helped:.2f} s", f"{allowed:.2f} s", helped <= allowed),
    ]


def large_instance(arms: int, plays: int) -> Instance:
    """Means in equal steps and capacities 1, 2, ..., 10, 1, ..., arms in a mixed order."""
    means = [Fraction(1 + 617 * k % arms, arms + 1) for k in range(arms)]
    capacities = [1 + k % 10 for k in range(arms)]
    return Instance(means, capacities, plays, Gaussian(Fraction(1, 2)), "large")


def many_arms() -> Iterator[Line]:
    """The largest child so far is this one, so its memory is read from the operating system."""
    for arms, plays, options, most, room in LARGE:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "large.toml"
            file.write_text(large_instance(arms, plays).to_toml())
            seconds = process_seconds("-m", "boundcheck", "bounds", str(file), *options)
        megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        title = f"bounds, {arms:,} arms, {plays} plays"
        yield title, f"{seconds:.1f} s", f"{most:.0f} s", seconds <= most
        yield title, f"{megabytes:.0f} MB", f"{room:.0f} MB", megabytes <= room


def sweeps() -> list[Line]:
    """Every claim over the parameter that moves all of it, most costly first."""
    textbook = Instance.load("textbook")
    varied = {
        "variance": np.linspace(0.01, 0.5, POINTS),
        "horizon": np.geomspace(1e3, 1e9, POINTS),
        "delta": np.geomspace(1e-9, 0.2, POINTS),
    }
    lines = []
    for card in catalogue().values():
        for position, quantity in enumerate(card.quantities):
            for name, values in varied.items():
                start = time.process_time()
                table = sweep(textbook, card.id, {name: values}, quantity=position)
                taken = time.process_time() - start
                rows = f", {len(table):,} rows" if len(table) > POINTS else ""
                what = f"sweep {card.id} ({quantity.name}) over {name}"
                allowed = SWEEP_SECONDS * max(len(table) / POINTS, 1)
                line = (what, f"{taken:.2f} s{rows}", f"{allowed:.0f} s", taken <= allowed)
                lines.append((taken, line))
    lines.sort(key=lambda line: -line[0])
    count = len(lines)
    slowest = [line for _, line in lines[:5]]
    missed = [line for _, line in lines[5:] if not line[3]]
    rest = f"the other {count - 5} sweeps of {POINTS:,} points"
    return [*slowest, *missed, (rest, f"below {lines[5][0]:.2f} s", "2 s", not missed)]


def show(lines: Sequence[Line]) -> bool:
    table = Table(title="The calculator (seconds of CPU)", title_justify="left")
    for heading in ("what", "found", "allowed", "met"):
        table.add_column(heading, overflow="fold")
    for what, found, allowed, met in lines:
        table.add_row(what, found, allowed, "yes" if met else "NO")
    Console().print(table)
    return all(met for *_, met in lines)


if __name__ == "__main__":
    sys.exit(0 if show([*start_up(), *many_arms(), *sweeps()]) else 1)
