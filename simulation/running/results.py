"""Results of a replication: arrays over runs and checkpoints, and their tables and plots.

Everything is computed from the per-run arrays in run order, so equal arrays give results equal to
the last bit. Text, terminal and notebook show the same columns (`SUMMARY`). Speed is shown, too,
but does not count as a result: two replications are equal if their numbers are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simulation.errors import InputError, shown
from simulation.escaping import one_line
from simulation.formatting import number
from simulation.parameters import ETA
from simulation.tables import Floats, Integers, Table, Tabular, axes, plain
from simulation.world.amounts import amount
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from matplotlib.axes import Axes

QUANTILES = (0.05, 0.5, 0.95)


@dataclass(frozen=True, eq=False)
class PolicyRuns:
    """All runs of one policy; C checkpoints, K arms.

    regret   cumulative pseudo-regret (runs, phases, C)
    reward   cumulative realised reward (runs, C)
    optimal  slots so far with an optimal action (runs, C)
    candidates  arms not eliminated so far (runs, C)
    learned  slot at which the capacity of an arm was settled, 0 if never (runs, K)
    lower, upper  final bounds on the capacities (runs, K)
    played   slots in which an arm had a play, and more plays than its capacity (runs, 2, K)
    leaps    blocks of slots drawn at once, and slots played one by one beside them (runs, 2)

    >>> from simulation.running.replicate import replicate
    >>> runs = replicate(Instance.load("paper"), "ts-kc", horizon=1000, runs=10)["ts-kc"]
    >>> [round(float(x[-1]), 1) for x in (runs.mean, runs.standard_error, runs.quantile(0.95))]
    [81.1, 8.3, 119.3]
    """

    policy: str
    title: str
    phases: tuple[str, ...]
    options: Mapping[str, object]
    checkpoints: Integers
    regret: Floats
    reward: Floats
    optimal: Integers
    candidates: Integers
    learned: Integers
    lower: Integers
    upper: Integers
    played: Integers
    leaps: Integers = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    leap: bool = False  # whether blocks of slots may be drawn at once (`leaping`)
    slots_per_second: float = float("nan")  # for one worker, without compilation
    restored: int = 0  # runs found in the store

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PolicyRuns):
            return NotImplemented
        call, other_call = ((each.policy, each.options, each.leap) for each in (self, other))
        return call == other_call and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("checkpoints", *RECORDED)
        )

    @property
    def runs(self) -> int:
        return len(self.regret)

    def first(self, runs: int) -> PolicyRuns:
        """The first `runs` runs: the same as if only these had been simulated."""
        if runs == self.runs:
            return self
        return replace(self, **{name: getattr(self, name)[:runs] for name in RECORDED})

    @property
    def horizon(self) -> int:
        return int(self.checkpoints[-1])

    @cached_property
    def total(self) -> Floats:
        """Cumulative regret of each run over all phases (runs, C)."""
        return np.asarray(self.regret.sum(axis=1))

    @cached_property
    def mean(self) -> Floats:
        """Mean cumulative regret (C)."""
        return np.asarray(self.total.mean(axis=0))

    @cached_property
    def standard_error(self) -> Floats:
        """Standard error of `mean` (C); not a number for a single run."""
        if self.runs == 1:
            return np.full(len(self.checkpoints), np.nan)
        return np.asarray(self.total.std(axis=0, ddof=1) / np.sqrt(self.runs))

    def quantile(self, q: float) -> Floats:
        """The q-quantile of cumulative regret over runs (C)."""
        if not 0 <= q <= 1:
            raise InputError("quantile", "q", shown(q), "a number from 0 to 1")
        return np.asarray(np.quantile(self.total, q, axis=0))

    @cached_property
    def phase_mean(self) -> Floats:
        """Mean cumulative regret by phase (phases, C)."""
        return np.asarray(self.regret.mean(axis=0))

    @cached_property
    def throughput(self) -> Floats:
        """Mean cumulative realised reward (C)."""
        return np.asarray(self.reward.mean(axis=0))

    @cached_property
    def optimal_share(self) -> Floats:
        """Share of the slots so far in which the action was optimal (C)."""
        return np.asarray(self.optimal.mean(axis=0) / self.checkpoints)

    @property
    def worst_run(self) -> int:
        """The run with the largest final regret; replay it from (seed, this index) alone."""
        return int(np.argmax(self.total[:, -1]))

    @cached_property
    def learned_share(self) -> Floats:
        """Share of runs in which the capacity of each arm was settled (K)."""
        return np.asarray((self.learned > 0).mean(axis=0))

    @cached_property
    def learned_time(self) -> Floats:
        """Median slot at which the capacity of each arm was settled, infinite if never (K)."""
        slots = np.where(self.learned > 0, self.learned, np.inf)
        return np.asarray(np.median(slots, axis=0))

    @cached_property
    def mean_played(self) -> Floats:
        """Mean slots in which each arm had a play, and more plays than its capacity (2, K)."""
        return np.asarray(self.played.mean(axis=0))

    @property
    def steps(self) -> float:
        """Average number of steps of a run, counting a block of slots drawn at once as one step."""
        return float(self.leaps.sum(axis=1).mean()) if self.leap else float(self.horizon)

    @property
    def tv_error(self) -> float:
        """Bound on the total variation distance between a run and one simulated slot by slot."""
        return float(ETA * self.leaps[:, 0].max(initial=0))

    def _counts(self) -> dict[str, list[float] | None]:
        """`mean_played` by name; None for a policy that does not count its plays."""
        names, counted = ("played", "overfull"), self.played.any()
        return dict(zip(names, self.mean_played.tolist() if counted else (None, None), strict=True))

    def to_json(self) -> dict[str, Any]:
        """The row of `boundcheck simulate --json`."""
        return {
            "policy": self.policy,
            "checkpoints": self.checkpoints.tolist(),
            "mean": self.mean.tolist(),
            "standard_error": plain(self.standard_error),
            "runs": self.runs,
            "slots_per_second": plain(self.slots_per_second),
            "options": dict(self.options),
            "quantiles": {str(q): self.quantile(q).tolist() for q in QUANTILES},
            "phases": dict(zip(self.phases, self.phase_mean.tolist(), strict=True)),
            "throughput": self.throughput.tolist(),
            "optimal_share": self.optimal_share.tolist(),
            "learned_share": self.learned_share.tolist(),
            "learned_time": plain(self.learned_time),
            **self._counts(),
            "leap": self.leap,
            "tv_error": self.tv_error,
            "steps": self.steps,
            "worst_run": {"run": self.worst_run, "regret": float(self.total[:, -1].max())},
        }


RECORDED = (
    "regret",
    "reward",
    "optimal",
    "candidates",
    "learned",
    "lower",
    "upper",
    "played",
    "leaps",
)

# heading and content of each column of the summary
SUMMARY: tuple[tuple[str, Callable[[PolicyRuns], str]], ...] = (
    ("policy", lambda p: p.policy),
    ("regret", lambda p: number(p.mean[-1])),
    ("± s.e.", lambda p: number(p.standard_error[-1])),
    ("median", lambda p: number(p.quantile(0.5)[-1])),
    ("95 %", lambda p: number(p.quantile(0.95)[-1])),
    ("worst run", lambda p: number(p.total[:, -1].max())),
    ("optimal", lambda p: f"{p.optimal_share[-1]:.1%}"),
    ("slots/s", lambda p: number(p.slots_per_second)),
)


@dataclass(frozen=True)
class Replication(Tabular):
    """Runs of several policies on one instance, one horizon and one seed.

    >>> from simulation.running.replicate import replicate
    >>> found = replicate(Instance.load("paper"), ["ts-kc"], horizon=1000, runs=10)
    >>> found["ts-kc"].worst_run, found.summary().headings[:3], found.cells()["slot"][-1]
    (4, ['policy', 'regret', '± s.e.'], 1000)
    """

    instance: Instance
    horizon: int
    runs: int
    seed: int
    policies: tuple[PolicyRuns, ...]

    def __getitem__(self, policy: str) -> PolicyRuns:
        for found in self.policies:
            if found.policy == policy:
                return found
        names = ", ".join(p.policy for p in self.policies)
        raise InputError("replication", "policy", shown(policy), f"one of {names}")

    def __iter__(self) -> Iterator[PolicyRuns]:
        return iter(self.policies)

    def __len__(self) -> int:
        return len(self.policies)

    def to_json_rows(self) -> list[dict[str, Any]]:
        return [policy.to_json() for policy in self.policies]

    def summary(self) -> Table:
        title = (
            f"{one_line(self.instance.name)}: regret after {self.horizon:,} slots, "
            f"{self.runs:,} runs, seed {self.seed}"
        )
        if self.instance.unit is not None:
            title += f", 1 = {amount(self.instance, 1)}"
        if any(policy.leap for policy in self):
            worst = max(policy.tv_error for policy in self)
            title += f", leaping (total variation {number(worst)})"
        rows = [[show(policy) for _, show in SUMMARY] for policy in self.policies]
        return Table(title, [heading for heading, _ in SUMMARY], rows)

    def cells(self) -> dict[str, list[Any]]:
        """One line per policy and checkpoint; phases that a policy does not have are empty."""
        phases = list(dict.fromkeys(name for policy in self for name in policy.phases))
        parts = [_cells(policy, phases) for policy in self]
        return {name: [x for part in parts for x in part[name]] for name in parts[0]}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Mean regret against slots, with the middle 90 % of the runs shaded."""
        ax = axes(ax)
        for policy in self.policies:
            (line,) = ax.plot(policy.checkpoints, policy.mean, label=policy.policy)
            low, high = policy.quantile(QUANTILES[0]), policy.quantile(QUANTILES[-1])
            ax.fill_between(policy.checkpoints, low, high, color=line.get_color(), alpha=0.2)
        ax.set(xscale="log", xlabel="slot", ylabel="cumulative regret")
        ax.set_title(one_line(self.instance.name), parse_math=False)
        ax.legend()
        return ax


def _cells(policy: PolicyRuns, phases: Sequence[str]) -> dict[str, list[Any]]:
    own = dict(zip(policy.phases, policy.phase_mean.tolist(), strict=True))
    absent = [""] * len(policy.checkpoints)
    return {
        "policy": [policy.policy] * len(policy.checkpoints),
        "slot": policy.checkpoints.tolist(),
        "mean": policy.mean.tolist(),
        "standard_error": policy.standard_error.tolist(),
        **{f"quantile {q}": policy.quantile(q).tolist() for q in QUANTILES},
        "throughput": policy.throughput.tolist(),
        "optimal_share": policy.optimal_share.tolist(),
        **{f"phase {name}": own.get(name, absent) for name in phases},
    }
