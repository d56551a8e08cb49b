"""A chunk: consecutive runs of one policy, the unit of work for workers and of storage.

Run r draws from a stream that depends on (seed, r) only, so runs can be cut into chunks in any way;
`Assembly` combines them in run order.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from math import ceil, log
from typing import Any

import numpy as np

from simulation.errors import InputError
from simulation.parameters import ETA
from simulation.policies import Policy, find
from simulation.running.checkpoints import as_counts
from simulation.running.executors import Pool
from simulation.running.policy_transport import unpacked
from simulation.running.results import RECORDED, PolicyRuns
from simulation.running.runs import Record, run_many
from simulation.running.store import Arrays, Shapes, Shelf, shapes_of
from simulation.world.instance import Instance

CHUNK_SECONDS = 0.5
PILOT_SLOTS = 20_000


@dataclass(frozen=True)
class Chunk:
    """Some runs of a policy, with everything that determines their numbers."""

    instance: Instance
    policy: str
    options: tuple[tuple[str, object], ...]
    horizon: int
    checkpoints: tuple[int, ...]
    seed: int
    code: str
    first_run: int
    runs: int
    packed: bytes | None = None  # the code of a policy that workers do not know by name
    leap: bool = False

    @property
    def algorithm(self) -> Policy:
        return find(self.policy) if self.packed is None else unpacked(self.packed)

    def description(self) -> dict[str, Any]:
        """What identifies the shelf of this chunk: everything but its runs and the instance's
        name.
        """
        world = self.instance
        return {
            "means": list(map(str, world.means)),
            "capacities": list(world.capacities),
            "plays": world.plays,
            "law": world.reward.name,
            "parameter": world.reward.content,
            "policy": self.policy,
            "options": dict(self.algorithm.defaults) | dict(self.options),
            "horizon": self.horizon,
            "checkpoints": list(self.checkpoints),
            "seed": self.seed,
            "code": self.code,
            "leap": self.leap,
        } | ({} if self.packed is None else {"carried": hashlib.sha256(self.packed).hexdigest()})


def compute(chunk: Chunk) -> tuple[Arrays, float]:
    """The recorded arrays of a chunk and the seconds they took, without compilation."""
    require_same_code(chunk.code)
    _compiled(chunk.instance, chunk.policy, chunk.packed, chunk.options)
    started = time.perf_counter()
    record = run_many(
        chunk.instance,
        chunk.algorithm,
        chunk.horizon,
        as_counts(chunk.checkpoints, chunk.horizon),
        chunk.seed,
        chunk.first_run,
        chunk.runs,
        dict(chunk.options),
        **({"eta": ETA} if chunk.leap else {}),
    )
    seconds = time.perf_counter() - started
    return {name: getattr(record, name) for name in RECORDED}, seconds


def require_same_code(code: str) -> None:
    """Raise if the chunk is from another version of the package, whose results may differ."""
    if code != code_version():
        raise InputError(
            "executor", "workers", "another version of the package", "the version used here"
        )


@lru_cache(maxsize=64)
def _compiled(
    instance: Instance, name: str, packed: bytes | None, options: tuple[tuple[str, object], ...]
) -> None:
    """Run one slot, once per process, so that the kernel is compiled or loaded."""
    policy = name if packed is None else unpacked(packed)
    run_many(instance, policy, 1, np.ones(1, dtype=np.int64), 0, 0, 1, dict(options))


def runs_in_half_a_second(chunk: Chunk, pool: Pool) -> int:
    """The number of runs in a chunk of half a second, estimated by a short run on a worker."""
    slots = min(chunk.horizon, PILOT_SLOTS)
    pilot = replace(chunk, horizon=slots, checkpoints=(slots,), first_run=0, runs=1)
    ((_, (_, seconds)),) = pool.completed(compute, [pilot])
    growth = chunk.horizon / slots
    if chunk.leap:
        growth = (log(chunk.horizon + 1) / log(slots + 1)) ** 2
    return max(1, ceil(CHUNK_SECONDS / (seconds * growth)))


@cache
def code_version() -> str:
    """A digest of everything that could change a result: this package's sources, NumPy and
    numba.
    """
    digest = hashlib.sha256()
    for name, source in sorted(_sources(resources.files("simulation"), "simulation")):
        digest.update(f"{name} {len(source)}\n".encode() + source)
    for library in ("numpy", "numba"):
        digest.update(f"{library} {metadata.version(library)}\n".encode())
    return digest.hexdigest()


def _sources(folder: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        path = f"{name}/{entry.name}"
        if entry.is_dir():
            yield from _sources(entry, path)
        elif entry.name.endswith(".py"):
            yield path, entry.read_bytes()


class Assembly:
    """All runs of one policy, filled in chunk by chunk in any order."""

    def __init__(self, whole: Chunk, shelf: Shelf | None) -> None:
        self.whole, self._shelf = whole, shelf
        self._arrays: Arrays = {}
        self._done = np.zeros(whole.runs, dtype=np.bool_)
        self._seconds, self._timed_runs = 0.0, 0
        self.restored = 0
        if shelf is not None:
            self._restore(shelf)

    def _restore(self, shelf: Shelf) -> None:
        for first_run, runs in shelf.listed():
            if first_run >= self.whole.runs or self._done[first_run : first_run + runs].all():
                continue
            arrays = shelf.get(first_run, runs, self._shapes(runs))
            if arrays is not None:
                seconds = float(arrays.pop("seconds"))
                self._place(first_run, runs, arrays, seconds)
        self.restored = int(self._done.sum())

    def _shapes(self, runs: int) -> Shapes:
        """The shapes that the arrays of a stored chunk must have."""
        whole = self.whole
        phases, slots = len(whole.algorithm.phases), as_counts(whole.checkpoints, whole.horizon)
        one = shapes_of(Record.blank(1, phases, slots, whole.instance.arms)._asdict())
        many = {name: ((runs, *shape[1:]), kind) for name, (shape, kind) in one.items()}
        return many | shapes_of({"seconds": np.array(0.0)})

    def missing(self, size: int | None, pool: Pool) -> Iterator[Chunk]:
        """Chunks of `size` runs (None: half a second each) that cover the missing runs."""
        edges = np.flatnonzero(np.diff(np.concatenate(([1], self._done, [1]))))
        if size is None and len(edges):
            size = runs_in_half_a_second(self.whole, pool)
        for start, stop in edges.reshape(-1, 2).tolist():
            for first_run in range(start, stop, size or 1):
                runs = min(size or 1, stop - first_run)
                yield replace(self.whole, first_run=first_run, runs=runs)

    def add(self, chunk: Chunk, arrays: Arrays, seconds: float) -> None:
        """Put a computed chunk in its place, and on the shelf."""
        if self._shelf is not None:
            timed = arrays | {"seconds": np.array(seconds)}
            self._shelf.put(chunk.first_run, chunk.runs, timed)
        self._place(chunk.first_run, chunk.runs, arrays, seconds)

    def _place(self, first_run: int, runs: int, arrays: Arrays, seconds: float) -> None:
        rows = slice(first_run, min(first_run + runs, self.whole.runs))
        for name in RECORDED:
            part = arrays[name]
            if name not in self._arrays:
                self._arrays[name] = np.empty((self.whole.runs, *part.shape[1:]), part.dtype)
            self._arrays[name][rows] = part[: rows.stop - rows.start]
        self._done[rows] = True
        self._seconds += seconds
        self._timed_runs += runs

    def result(self) -> PolicyRuns:
        policy = self.whole.algorithm
        slots = self._timed_runs * self.whole.horizon
        return PolicyRuns(
            policy=policy.name,
            title=policy.title,
            phases=policy.phases,
            options=dict(policy.defaults) | dict(self.whole.options),
            checkpoints=as_counts(self.whole.checkpoints, self.whole.horizon),
            **self._arrays,
            leap=self.whole.leap,
            slots_per_second=slots / self._seconds if self._seconds > 0 else float("nan"),
            restored=self.restored,
        )
