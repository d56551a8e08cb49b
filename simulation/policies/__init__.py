"""Policies: what they are, and those that are shipped, one file per algorithm, found by name.

Anyone's `Policy` object goes wherever a name goes. To write one:
1. write a kernel

       @kernel
       def run(gen: Generator, world: World, horizon: int, trace: Trace, *arguments) -> None

   that acts for `horizon` slots, draws from `gen` alone (rewards by `simulation.world.earn`, which
   knows every law), and calls `settle` once per slot. Let it make its arrays and then call `step`
   functions (see `simulation.jit`): they are several times faster in a loop. Logarithms and
   exponentials come from `simulation.elementary`: those of `math` depend on the processor;
2. make a `Policy` of it. A plug-in lists its policies in a tuple `POLICIES` (docs/extending.md). A
   policy that is to be shipped gets a file here with that tuple and a line in `WHERE` below;
   kernels that two of them share live in `simulation/`, not in another policy's file.

Nothing is imported, and nothing compiled, before a policy is asked for.
"""

from __future__ import annotations

import difflib
import importlib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simulation.errors import InputError, shown

if TYPE_CHECKING:
    from simulation.instance import Instance
    from simulation.trace import Trace

WHERE = {
    "orch-explore": "orch_explore",
    "orch-explore-kc": "orch_explore",
    "orch-explore-hfd": "orch_explore",
    "mp-se-sa": "mp_se_sa",
    "mp-se-sa-hfd": "mp_se_sa",
    "mp-se": "mp_se_sa",
    "se-kc": "mp_se_sa",
    "etc-ucb": "etc_ucb",
    "etc-ucb-hfd": "etc_ucb",
    "kl-ucb-kc": "kl_ucb_kc",
    "ts-kc": "ts_kc",
    "ucb-implicit": "ucb_implicit",
    "ts-implicit": "ts_implicit",
    "se-implicit": "se_implicit",
    "likelihood": "likelihood",
    "certify": "certify",
    "law-free": "law_free",
}

# textbook policies for one play: found by name as the others are, listed after them
CLASSIC = (
    *("ucb1", "alpha-ucb", "ucb", "ucb-asymptotic", "moss", "moss-ls", "moss-anytime"),
    *("kl-ucb", "kl-ucb-ls", "thompson", "etc", "exp3"),
)

Options = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Policy:
    """An algorithm that can be run: its kernel, its options, and the phases of its regret.

    `arguments(instance, horizon, options)` gives what the kernel takes after the trace; this is
    where a policy refuses an instance or an option it cannot serve.

    >>> policy = find("mp-se-sa")
    >>> policy.phases, policy.options({"gamma": 0.1})["gamma"]
    (('individual', 'united', 'exploitation'), 0.1)
    """

    name: str
    title: str
    phases: tuple[str, ...]
    kernel: Callable[..., None]
    arguments: Callable[[Instance, int, Options], tuple[Any, ...]]
    defaults: Options = field(default_factory=dict)
    told: str = ""  # what it must know of the instance, besides plays and arms
    leaps: bool = False  # whether its kernel heeds `trace.caution` (see `simulation.leaping`)

    def options(self, given: Options | None) -> dict[str, Any]:
        """The defaults with the given options in their place; an unknown one is refused."""
        for name in given or {}:
            if name not in self.defaults:
                known = ", ".join(self.defaults) or "no options"
                raise InputError(self.name, name, "unknown option", f"one of {known}")
        return {**self.defaults, **(given or {})}


class Record(NamedTuple):
    """What a batch of runs leaves: R runs, P phases, C checkpoints, K arms."""

    regret: np.ndarray  # float64 (R, P, C): pseudo-regret so far, by phase
    reward: np.ndarray  # float64 (R, C): realised total reward so far
    optimal: np.ndarray  # int64 (R, C): slots so far whose action lost nothing
    candidates: np.ndarray  # int64 (R, C): arms not eliminated so far
    learned: np.ndarray  # int64 (R, K): slot after which m^l = m^u first held; 0: never, or known
    lower: np.ndarray  # int64 (R, K): m^l after the last slot
    upper: np.ndarray  # int64 (R, K): m^u after the last slot
    played: np.ndarray  # int64 (R, 2, K): slots with a play, with more plays than the capacity
    leaps: np.ndarray  # int64 (R, 2): blocks that were leapt, and the slots in them

    @classmethod
    def blank(cls, runs: int, phases: int, checkpoints: int, arms: int) -> Record:
        return cls(
            regret=np.zeros((runs, phases, checkpoints)),
            reward=np.zeros((runs, checkpoints)),
            optimal=np.zeros((runs, checkpoints), dtype=np.int64),
            candidates=np.zeros((runs, checkpoints), dtype=np.int64),
            learned=np.zeros((runs, arms), dtype=np.int64),
            lower=np.zeros((runs, arms), dtype=np.int64),
            upper=np.zeros((runs, arms), dtype=np.int64),
            played=np.zeros((runs, 2, arms), dtype=np.int64),
            leaps=np.zeros((runs, 2), dtype=np.int64),
        )

    def trace(self, run: int, checkpoints: np.ndarray, eta: float = 0.0) -> Trace:
        """The rows of one run, as views that a kernel fills."""
        from simulation.elementary import log
        from simulation.trace import Trace

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
            passed=np.zeros(2, dtype=np.int64),
            standing=np.full(1, self.lower.shape[1]),
            leaps=self.leaps[run],
            stride=np.ones(1, dtype=np.int64),
            caution=-log(eta) if eta > 0.0 else math.inf,
        )


class _Registry(Mapping[str, Policy]):
    """Policies by name; a policy's file is imported when it is first looked up."""

    def __init__(self, where: Mapping[str, str]) -> None:
        self._where = where

    def __getitem__(self, name: str) -> Policy:
        module = importlib.import_module(f"simulation.policies.{self._where[name]}")
        policies: tuple[Policy, ...] = module.POLICIES
        return next(policy for policy in policies if policy.name == name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._where)

    def __len__(self) -> int:
        return len(self._where)


POLICIES: Mapping[str, Policy] = _Registry(WHERE)
SHIPPED: Mapping[str, Policy] = _Registry({**WHERE, **dict.fromkeys(CLASSIC, "classic")})


def find(name: str | Policy, among: Mapping[str, Policy] = SHIPPED) -> Policy:
    """The policy of that name, or a policy as it is; an unknown name gets a suggestion."""
    if isinstance(name, Policy):
        return name
    if name not in among:
        close = difflib.get_close_matches(name, among, n=1, cutoff=0.4)
        hint = f" (did you mean {close[0]!r}?)" if close else ""
        raise InputError("simulate", "policy", shown(name), f"one of {', '.join(among)}{hint}")
    return among[name]


def refused(
    policy: Policy, instance: Instance, horizon: int, options: Options | None = None
) -> str | None:
    """Why a policy does not run on an instance, in one line; None: it does."""
    try:
        policy.arguments(instance, horizon, policy.options(options))
    except InputError as error:
        return str(error)
    return None


def run_many(
    instance: Instance,
    policy: str | Policy,
    horizon: int,
    checkpoints: np.ndarray,
    seed: int,
    first_run: int,
    runs: int,
    options: Options | None = None,
    eta: float = 0.0,
) -> Record:
    """Runs first_run, ..., first_run + runs - 1 of a policy, one after another in this thread.

    Run r draws from `stream(seed, r)` alone, so it does not matter how runs are grouped. The GIL
    is free while a run computes. With an eta above 0 it leaps: each block of slots drawn at once
    differs from slot by slot with probability eta at most.
    """
    chosen = find(policy)
    _check(horizon, checkpoints, seed, first_run, runs)
    from simulation.draws import stream
    from simulation.world import World

    world, settings = World.of(instance), chosen.options(options)
    if eta > 0.0:
        from simulation.leaping import require_leaping

        require_leaping(instance, chosen, settings)
    arguments = chosen.arguments(instance, horizon, settings)
    slots = np.ascontiguousarray(checkpoints, dtype=np.int64)
    record = Record.blank(runs, len(chosen.phases), slots.size, instance.arms)
    for row in range(runs):
        gen = stream(seed, first_run + row)
        chosen.kernel(gen, world, horizon, record.trace(row, slots, eta), *arguments)
    return record


def _check(horizon: int, checkpoints: np.ndarray, seed: int, first_run: int, runs: int) -> None:
    for name, value, least in (
        ("horizon", horizon, 1),
        ("runs", runs, 1),
        ("seed", seed, 0),
        ("first_run", first_run, 0),
    ):
        if value < least:
            raise InputError("simulate", name, shown(value), f"a whole number of {least} or more")
    slots = np.asarray(checkpoints)
    inside = slots.ndim == 1 and slots.size > 0 and slots[0] >= 1 and slots[-1] <= horizon
    if not inside or np.any(np.diff(slots) <= 0):
        expected = f"increasing slots from 1 to {horizon}"
        raise InputError("simulate", "checkpoints", shown(slots.tolist()), expected)
