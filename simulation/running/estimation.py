"""`estimate`: simulate the capacity estimator alone, on explorations of one arm (section 5).

An individual exploration at a load a <= m gives a sample of X, a united one at a load a >= m a
sample of m X; in general a load a yields min(a, m) X. From tau and iota of them come muhat, nuhat
and the interval of `capacity`. A run takes one step n = 1, 2, ... after another:

    lockstep           tau = iota = n
    individual-first   tau = head_start, iota = n: one count large, the other growing
    united-first       tau = n, iota = head_start

The estimator stops when one integer is left, and fails if that is not m. The interval misses m at
a step if m lies outside it, whatever was known before. Hoeffding's interval is taken with delta
itself (lemma J.1): its coverage is promised at each single step, not at all of them. The set of
the likelihood interval need not be an interval: m is missed if it is not in the set, and the bounds
are the ends of the set.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from simulation.errors import InputError, shown
from simulation.jit import kernel
from simulation.learning.capacity import (
    LIKELIHOOD,
    Confidence,
    Sums,
    is_likely,
    likelihood_bar,
    likely_bounds,
    narrowed,
    tightened,
)
from simulation.learning.capacity import width as width_after
from simulation.parameters import LARGEST_SEED, Number, probability, whole_number
from simulation.running.checkpoints import log_grid
from simulation.running.chunks import code_version, require_same_code
from simulation.running.estimates import Estimation, Outcomes
from simulation.running.executors import Pool, Workers
from simulation.running.pools import open_pool
from simulation.running.store import Shelf, Store, shapes_of
from simulation.world.compiled import World, table_of
from simulation.world.draws import earned, stream
from simulation.world.instance import Instance

LARGEST_SAMPLES = 10**9
LARGEST_RUNS = 10**7
DRAWS_PER_BLOCK = 20_000_000  # takes a thread some tenths of a second

SUMS = np.dtype(
    [("count", np.int64), ("total", np.float64), ("squares", np.float64), ("first", np.float64)]
)


class Explorations(NamedTuple):
    """The arm that is explored, and the growth of both counts: head + n * step after n steps."""

    law: int
    table: np.ndarray  # table for sampling rewards of one arm
    mean: float
    capacity: int
    plays: int
    individual_load: int
    united_load: int
    individual_head: int
    united_head: int
    individual_step: int
    united_step: int


SCHEDULES = {  # (individual, united): which count has a head start, and which one grows
    "lockstep": ((0, 0), (1, 1)),
    "individual-first": ((1, 0), (0, 1)),
    "united-first": ((0, 1), (1, 0)),
}


def estimate(
    instance: Instance,
    arm: Number,
    *,
    samples: Number = 1000,
    runs: Number = 10_000,
    seed: Number = 0,
    delta: Number = 0.05,
    interval: str = "uniform",
    width: str = "paper",
    schedule: str = "lockstep",
    head_start: Number | None = None,
    loads: tuple[int, int] | None = None,
    jobs: Number | None = None,
    executor: Workers | None = None,
    cluster: str | None = None,
    store: str | PathLike[str] | None = None,
) -> Estimation:
    """Simulate the capacity estimator by itself on one arm.

    instance    the arms
    arm         number of the arm, from 1
    samples     explorations of each kind
    runs, seed  independent repetitions, and the seed of their random numbers
    delta       confidence parameter of the interval
    interval    "uniform", "hoeffding", "joint" or "likelihood"
    width       "paper", or "scaled" by the standard deviation of the law
    schedule    order of the explorations: "lockstep", "individual-first" or "united-first"
    head_start  explorations of the kind that comes first (default: 10 * `samples`)
    loads       plays in an individual and in a united exploration (default: 1, all plays)
    jobs, executor, cluster, store   as for `simulate`

    Returns the share of runs that are right, wrong and undecided after each number of explorations.

    >>> found = estimate(Instance.load("paper"), arm=1, samples=1000, runs=100)
    >>> found.capacity, found.failure, found.stopping_time(), float(found.right[-1])
    (2, 0.0, 141.0, 1.0)
    """
    arm = whole_number("estimate", "arm", arm, 1, instance.arms)
    samples = whole_number("estimate", "samples", samples, 1, LARGEST_SAMPLES)
    runs = whole_number("estimate", "runs", runs, 1, LARGEST_RUNS)
    seed = whole_number("estimate", "seed", seed, 0, LARGEST_SEED)
    head = 10 * samples if head_start is None else head_start
    head = whole_number("estimate", "head_start", head, 1, 10 * LARGEST_SAMPLES)
    delta = probability("estimate", "delta", delta)
    # with horizon 1 Hoeffding's interval uses all of delta
    confidence = Confidence.of(instance, 1, interval, width, delta)
    explorations = _explorations(instance, arm, schedule, head, loads)
    grid = np.array(log_grid(samples), dtype=np.int64)
    widths = _widths(confidence, explorations, samples)
    outcomes = Outcomes.blank(runs, grid.size)
    draws_per_run = 2 * samples + (0 if schedule == "lockstep" else head)
    size = max(1, DRAWS_PER_BLOCK // draws_per_run)
    code = code_version()
    blocks = [
        _Block(explorations, confidence, widths, grid, seed, code, first, min(size, runs - first))
        for first in range(0, runs, size)
    ]
    shelf = None if store is None else Store(store).shelf(blocks[0].description())
    with open_pool(jobs, executor, cluster) as pool:
        for block, part in _all_explored(blocks, pool, shelf):
            outcomes.place(block.first_run, part)
    return Estimation(
        instance=instance,
        arm=arm,
        capacity=explorations.capacity,
        delta=delta,
        interval=interval,
        width=width,
        schedule=schedule,
        seed=seed,
        samples=grid,
        individual=explorations.individual_head + grid * explorations.individual_step,
        united=explorations.united_head + grid * explorations.united_step,
        outcomes=outcomes,
    )


def _explorations(
    instance: Instance, arm: int, schedule: str, head_start: int, loads: tuple[int, int] | None
) -> Explorations:
    if schedule not in SCHEDULES:
        expected = f"one of {', '.join(SCHEDULES)}"
        raise InputError("estimate", "schedule", shown(schedule), expected)
    world = World.of(instance)
    individual, united = (1, world.plays) if loads is None else loads
    ahead, grows = SCHEDULES[schedule]
    return Explorations(
        law=world.law,
        table=table_of(instance.reward.of_arm(arm - 1), 1),
        mean=float(world.means[arm - 1]),
        capacity=int(world.capacities[arm - 1]),
        plays=world.plays,
        individual_load=whole_number("estimate", "individual load", individual, 1, world.plays),
        united_load=whole_number("estimate", "united load", united, 1, world.plays),
        individual_head=ahead[0] * head_start,
        united_head=ahead[1] * head_start,
        individual_step=grows[0],
        united_step=grows[1],
    )


@dataclass(frozen=True)
class _Block:
    """Consecutive runs, the unit of work of a thread and of storage."""

    explorations: Explorations
    confidence: Confidence
    widths: np.ndarray
    grid: np.ndarray
    seed: int
    code: str
    first_run: int
    runs: int

    def description(self) -> dict[str, Any]:
        """What identifies the shelf of this block: everything but its runs."""
        return {
            "explorations": [np.asarray(part).tolist() for part in self.explorations],
            "confidence": list(self.confidence),
            "samples": int(self.grid[-1]),
            "seed": self.seed,
            "code": self.code,
        }


def _all_explored(
    blocks: Sequence[_Block], pool: Pool, shelf: Shelf | None
) -> Iterator[tuple[_Block, Outcomes]]:
    """The blocks found on the shelf, then the others, which are stored there."""
    missing = []
    for block in blocks:
        shapes = shapes_of(Outcomes.blank(block.runs, block.grid.size)._asdict())
        kept = None if shelf is None else shelf.get(block.first_run, block.runs, shapes)
        if kept is None:
            missing.append(block)
        else:
            yield block, Outcomes(**kept)
    for block, part in pool.completed(_explored, missing):
        if shelf is not None:
            shelf.put(block.first_run, block.runs, part._asdict())
        yield block, part


def _explored(block: _Block) -> Outcomes:
    require_same_code(block.code)
    outcomes = Outcomes.blank(block.runs, block.grid.size)
    gen = stream(block.seed, block.first_run)
    for row in range(block.runs):
        # one generator set to each run's stream: a new one costs numba 100 microseconds
        gen.bit_generator.state = stream(block.seed, block.first_run + row).bit_generator.state
        _explore(gen, block.explorations, block.confidence, block.widths, block.grid, outcomes, row)
    return outcomes


@kernel
def _widths(confidence: Confidence, arm: Explorations, samples: int) -> np.ndarray:
    """The width of the interval after each step; it depends on the counts only."""
    widths = np.empty(samples)
    for n in range(1, samples + 1):
        individual = arm.individual_head + n * arm.individual_step
        united = arm.united_head + n * arm.united_step
        widths[n - 1] = width_after(confidence, individual, united)
    return widths


@kernel
def _observe(gen: Generator, arm: Explorations, load: int, explorations: int, sums: Any) -> None:
    """Add observations at this load to the sums."""
    served = min(load, arm.capacity)
    for _ in range(explorations):
        seen = served * earned(gen, arm.law, arm.table, 0, arm.mean)
        if sums.count == 0:
            sums.first = seen
        sums.count += 1
        sums.total += seen
        sums.squares += seen * seen


@kernel
def _explore(
    gen: Generator,
    arm: Explorations,
    confidence: Confidence,
    widths: np.ndarray,
    grid: np.ndarray,
    outcomes: Outcomes,
    run: int,
) -> None:
    """One run: explore, and record when the estimator stops, when it misses m and whether it covers
    m.
    """
    m, lower, upper = arm.capacity, 1, arm.plays
    sums = np.zeros(2, dtype=SUMS)
    per_load, full_load = sums[0], sums[1]
    _observe(gen, arm, arm.individual_load, arm.individual_head, per_load)
    _observe(gen, arm, arm.united_load, arm.united_head, full_load)
    row = 0
    for n in range(1, widths.size + 1):
        _observe(gen, arm, arm.individual_load, arm.individual_step, per_load)
        _observe(gen, arm, arm.united_load, arm.united_step, full_load)
        muhat = per_load.total / (per_load.count * arm.individual_load)
        nuhat = full_load.total / full_load.count
        if confidence.interval == LIKELIHOOD:
            low, high, covered = _likely(confidence, per_load, full_load, arm)
            lower, upper = tightened(lower, upper, low, high)
        else:
            covered = _covers(muhat, nuhat, widths[n - 1], m)
            lower, upper = narrowed(lower, upper, muhat, nuhat, widths[n - 1], arm.plays)
        if not covered and outcomes.missed[run] == 0:
            outcomes.missed[run] = n
        if lower == upper and outcomes.stopped[run] == 0:
            outcomes.stopped[run] = n
        if n == grid[row]:
            outcomes.covered[row] += covered
            outcomes.rounded[row] += _rounded(muhat, nuhat, arm.plays) == m
            row += 1
    outcomes.lower[run], outcomes.upper[run] = lower, upper


@kernel
def _likely(
    confidence: Confidence, per_load: Any, full_load: Any, arm: Explorations
) -> tuple[int, int, bool]:
    """The least and the largest likely capacity, and whether m is likely."""
    load = arm.individual_load
    seen = Sums(
        per_load.first / load,
        per_load.count,
        per_load.total / load,
        per_load.squares / (load * load),
        full_load.count,
        full_load.total,
        full_load.squares,
    )
    low, high = likely_bounds(confidence, seen, arm.plays)
    bar = likelihood_bar(confidence, seen, arm.plays)
    return low, high, is_likely(confidence, seen, arm.capacity, bar)


@kernel
def _covers(muhat: float, nuhat: float, s: float, m: int) -> bool:
    """Whether m is in [nuhat / (muhat + s), nuhat / (muhat - s)]; a denominator <= 0 gives no
    limit.
    """
    above = muhat + s <= 0.0 or nuhat / (muhat + s) <= m
    below = muhat - s <= 0.0 or m <= nuhat / (muhat - s)
    return above and below


@kernel
def _rounded(muhat: float, nuhat: float, plays: int) -> int:
    """The integer in [1, N] nearest to nuhat / muhat; 0 where undefined."""
    if muhat <= 0.0:
        return 0
    return int(min(max(math.floor(nuhat / muhat + 0.5), 1.0), float(plays)))
