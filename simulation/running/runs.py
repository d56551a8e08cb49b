"""Runs of one policy, one after another in one thread, and the arrays they record."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from simulation.errors import InputError, shown
from simulation.parameters import LARGEST_COUNTED
from simulation.policies import Options, Policy, Setup, find
from simulation.running import loop
from simulation.running.checkpoints import as_counts
from simulation.running.leaping import require_leaping
from simulation.running.trace import Trace
from simulation.world.compiled import World
from simulation.world.draws import stream
from simulation.world.elementary import log
from simulation.world.instance import Instance


class Record(NamedTuple):
    """The arrays recorded by R runs, with P phases, C checkpoints, K arms."""

    regret: np.ndarray  # float64 (R, P, C): pseudo-regret so far, by phase
    reward: np.ndarray  # float64 (R, C): realised total reward so far
    optimal: np.ndarray  # int64, float64 beyond 9e18 slots (R, C): with zero regret
    candidates: np.ndarray  # int64 (R, C): arms not eliminated so far
    learned: np.ndarray  # likewise (R, K): slot after which m^l = m^u first held; 0: never
    lower: np.ndarray  # int64 (R, K): m^l after the last slot
    upper: np.ndarray  # int64 (R, K): m^u after the last slot
    played: np.ndarray  # likewise (R, 2, K): slots with a play, with more plays than the capacity
    leaps: np.ndarray  # int64 (R, 2): blocks leapt, and slots played one by one beside them

    @classmethod
    def blank(cls, runs: int, phases: int, slots: np.ndarray, arms: int) -> Record:
        checkpoints, kind = slots.size, slots.dtype
        return cls(
            regret=np.zeros((runs, phases, checkpoints)),
            reward=np.zeros((runs, checkpoints)),
            optimal=np.zeros((runs, checkpoints), dtype=kind),
            candidates=np.zeros((runs, checkpoints), dtype=np.int64),
            learned=np.zeros((runs, arms), dtype=kind),
            lower=np.zeros((runs, arms), dtype=np.int64),
            upper=np.zeros((runs, arms), dtype=np.int64),
            played=np.zeros((runs, 2, arms), dtype=kind),
            leaps=np.zeros((runs, 2), dtype=np.int64),
        )

    def trace(self, run: int, checkpoints: np.ndarray, eta: float = 0.0) -> Trace:
        """The rows of one run, as views for a kernel to fill."""
        return Trace(
            checkpoints=checkpoints,
            regret=self.regret[run],
            reward=self.reward[run],
            optimal=self.optimal[run],
            candidates=self.candidates[run],
            learned=self.learned[run],
            lower=self.lower[run],
            upper=self.upper[run],
            played=self.played[run],
            regret_so_far=np.zeros(self.regret.shape[1]),
            reward_so_far=np.zeros(1),
            optimal_so_far=np.zeros(1, dtype=self.optimal.dtype),
            passed=np.zeros(1, dtype=np.int64),
            standing=np.full(1, self.lower.shape[1]),
            leaps=self.leaps[run],
            stride=np.ones(1, dtype=self.optimal.dtype),
            caution=-log(eta) if eta > 0.0 else math.inf,
        )


def prepared(
    policy: Policy, instance: Instance, horizon: int, options: Options, leaping: bool = False
) -> Callable[[Generator, Trace], None]:
    """A function that does one run; everything common to all runs is done in advance."""
    own = policy.prepared(instance, horizon, options, leaping)
    if own is not None:
        return own
    world = World.of(instance)
    if policy.player is not None:
        return lambda gen, trace: loop.run_plain(policy, gen, world, horizon, trace)
    far = horizon > LARGEST_COUNTED
    slots = float(horizon) if far else horizon
    arguments = policy.arguments(Setup.of(instance, slots, policy.told), options)
    compiled = loop.announced(policy, loop.loop_of(policy, world.law, leaping, far))
    run = partial(loop.run_compiled, policy, arguments, compiled)
    return lambda gen, trace: run(gen, world, slots, trace)


def run_many(
    instance: Instance,
    policy: str | type | Policy,
    horizon: int,
    checkpoints: np.ndarray,
    seed: int,
    first_run: int,
    runs: int,
    options: Options | None = None,
    eta: float = 0.0,
) -> Record:
    """Runs first_run, ..., first_run + runs - 1 of a policy, one after another in this thread.

    Run r draws from `stream(seed, r)` only, so the grouping of runs does not matter. The GIL is
    released during a run. With eta > 0 it leaps: each block of slots drawn at once differs from
    simulation slot by slot with probability at most eta.
    """
    chosen = find(policy)
    slots = as_counts(checkpoints, horizon)
    _check(horizon, slots, seed, first_run, runs)
    settings = chosen.options(options)
    if eta > 0.0:
        require_leaping(instance, chosen, settings, horizon)
    run = prepared(chosen, instance, horizon, settings, eta > 0.0)
    record = Record.blank(runs, len(chosen.phases), slots, instance.arms)
    for row in range(runs):
        run(stream(seed, first_run + row), record.trace(row, slots, eta))
    return record


def _check(horizon: int, slots: np.ndarray, seed: int, first_run: int, runs: int) -> None:
    for name, value, least in (
        ("horizon", horizon, 1),
        ("runs", runs, 1),
        ("seed", seed, 0),
        ("first_run", first_run, 0),
    ):
        if value < least:
            raise InputError("simulate", name, shown(value), f"a whole number of {least} or more")
    last = slots.dtype.type(horizon)
    inside = slots.ndim == 1 and slots.size > 0 and slots[0] >= 1 and slots[-1] <= last
    if not inside or np.any(np.diff(slots) <= 0):
        expected = f"increasing slots from 1 to {horizon}"
        raise InputError("simulate", "checkpoints", shown(slots.tolist()), expected)
