"""`simulate`: many runs of policies, with the same bits for any workers, chunks, executor or
resume.

Runs are recorded at checkpoints on a logarithmic grid, so memory does not grow with the horizon.
Results are computed from the runs in order, once all of them are complete.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from os import PathLike

from simulation.errors import InputError, shown
from simulation.parameters import (
    LARGEST_HORIZON,
    LARGEST_LEAPT,
    LARGEST_RUNS,
    LARGEST_SEED,
    Number,
    whole_number,
)
from simulation.policies import Policy, find
from simulation.running.checkpoints import log_grid, own_grid
from simulation.running.chunks import Assembly, Chunk, code_version, compute
from simulation.running.executors import Workers
from simulation.running.policy_transport import as_bytes
from simulation.running.pools import open_pool
from simulation.running.results import Replication
from simulation.running.store import Store
from simulation.running.trial import require_tried
from simulation.world.instance import Instance

# called with slots done (including those from the store), all slots, slots computed per second
Progress = Callable[[int, int, float], None]


def replicate(
    instance: Instance,
    policies: str | type | Policy | Sequence[str | type | Policy],
    horizon: Number = 100_000,
    runs: Number = 200,
    seed: Number = 0,
    *,
    jobs: Number | None = None,
    executor: Workers | None = None,
    cluster: str | None = None,
    store: str | PathLike[str] | None = None,
    chunk: Number | None = None,
    options: Mapping[str, object] | None = None,
    checkpoints: Sequence[int] | None = None,
    leap: bool = False,
    progress: Progress | None = None,
) -> Replication:
    """Simulate policies on an instance.

    policies      one or several: names, or policies of your own (docs/extending.md)
    horizon       slots of a run
    runs, seed    independent runs of each policy; run r depends on (seed, r) alone
    jobs          threads of this process (default: as many as there are processors)
    executor      any `concurrent.futures` executor, in place of threads
    cluster       address of a Dask scheduler, in place of threads
    store         folder that keeps finished runs; a repeated call finds them there
    chunk         runs computed together (default: as many as take half a second)
    options       of the policies, by name; at least one policy must know each
    checkpoints   slots at which regret is recorded, besides the horizon (default: a log grid)
    leap          draw many slots of one action at once: horizons up to 1e30, other random numbers,
                  and almost the same distribution (`PolicyRuns.tv_error` bounds the difference)
    progress      called with the slots done, all slots, and slots per second

    The result does not depend on where it is computed. `instance` has the arms.

    >>> found = replicate(Instance.load("paper"), ["ts-kc", "kl-ucb-kc"], horizon=1000, runs=10)
    >>> {runs.policy: round(float(runs.mean[-1]), 1) for runs in found}
    {'ts-kc': 81.1, 'kl-ucb-kc': 119.9}
    """
    horizon = whole_number(
        "simulate", "horizon", horizon, 1, LARGEST_LEAPT if leap else LARGEST_HORIZON
    )
    runs = whole_number("simulate", "runs", runs, 1, LARGEST_RUNS)
    seed = whole_number("simulate", "seed", seed, 0, LARGEST_SEED)
    chunk = None if chunk is None else whole_number("simulate", "chunk", chunk, 1, LARGEST_RUNS)
    grid = log_grid(horizon) if checkpoints is None else own_grid(checkpoints, horizon)
    found = _found(policies)
    known = _known_options(found, options or {})
    for policy in found:
        require_tried(policy)
    if leap:
        _require_leaping(instance, found, known, horizon)
    shelves = None if store is None else Store(store)
    code = code_version()
    with open_pool(jobs, executor, cluster) as pool:
        assemblies = {}
        for policy in found:
            own = tuple(sorted((key, known[key]) for key in known if key in policy.defaults))
            every = Chunk(
                instance,
                policy.name,
                own,
                horizon,
                grid,
                seed,
                code,
                0,
                runs,
                as_bytes(policy),
                leap,
            )
            shelf = None if shelves is None else shelves.shelf(every.description())
            assemblies[policy.name] = Assembly(every, shelf)
        restored = sum(assembly.restored for assembly in assemblies.values())
        pieces = [
            piece for assembly in assemblies.values() for piece in assembly.missing(chunk, pool)
        ]
        meter = _Meter(progress, restored * horizon, runs * len(found) * horizon)
        for piece, (arrays, seconds) in pool.completed(compute, pieces):
            assemblies[piece.policy].add(piece, arrays, seconds)
            meter.advance(piece.runs * horizon)
    results = tuple(assembly.result() for assembly in assemblies.values())
    return Replication(instance, horizon, runs, seed, results)


class _Meter:
    """Calls `progress`; the rate counts computed slots, not those found in the store."""

    def __init__(self, progress: Progress | None, restored: int, total: int) -> None:
        self._progress, self._restored, self._total = progress, restored, total
        self._computed, self._started = 0, time.perf_counter()
        self.advance(0)

    def advance(self, slots: int) -> None:
        self._computed += slots
        if self._progress is not None:
            rate = self._computed / max(time.perf_counter() - self._started, 1e-9)
            self._progress(self._restored + self._computed, self._total, rate)


def _found(policies: str | type | Policy | Sequence[str | type | Policy]) -> list[Policy]:
    found = [
        find(p) for p in ([policies] if isinstance(policies, str | type | Policy) else policies)
    ]
    if not found:
        raise InputError("simulate", "policy", "none given", "the name of a policy")
    names = [policy.name for policy in found]
    for position, name in enumerate(names):
        if name in names[:position]:
            raise InputError("simulate", "policy", f"{shown(name)} twice", "each policy once")
    return found


def _require_leaping(
    instance: Instance, policies: Sequence[Policy], options: Mapping[str, object], horizon: int
) -> None:
    from simulation.running.leaping import require_leaping  # compiles

    for policy in policies:
        require_leaping(instance, policy, {**policy.defaults, **options}, horizon)


def _known_options(
    policies: Sequence[Policy], options: Mapping[str, object]
) -> Mapping[str, object]:
    known = sorted({key for policy in policies for key in policy.defaults})
    for key in options:
        if key not in known:
            close = get_close_matches(key, known, n=1)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            expected = f"one of {', '.join(known) or 'none'}{hint}"
            raise InputError("simulate", "option", shown(key), expected)
        if not isinstance(options[key], str | int | float | None):
            raise InputError("simulate", key, shown(options[key]), "a word or a number")
    return options
