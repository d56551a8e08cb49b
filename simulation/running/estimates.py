"""Results of exploring one arm: how often the estimator is right, wrong or undecided."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simulation.escaping import one_line
from simulation.formatting import number
from simulation.tables import Floats, Integers, Table, Tabular, axes, plain
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Outcomes(NamedTuple):
    """Results of R runs: steps and bounds by run, and counts of runs for each of C sample sizes."""

    stopped: Integers  # (R): first step with one integer left, 0 if never
    missed: Integers  # (R): first step whose interval misses m, 0 if never
    lower: Integers  # (R): m^l after the last step
    upper: Integers  # (R): m^u after the last step
    covered: Integers  # (C): runs whose interval at this step contains m
    rounded: Integers  # (C): runs in which nuhat / muhat rounds to m

    @classmethod
    def blank(cls, runs: int, sizes: int) -> Outcomes:
        return cls(*(np.zeros(length, dtype=np.int64) for length in (runs,) * 4 + (sizes,) * 2))

    def place(self, first_run: int, part: Outcomes) -> None:
        """Copy the results of some runs; they are integers, so the order does not matter."""
        rows = slice(first_run, first_run + part.stopped.size)
        for name in ("stopped", "missed", "lower", "upper"):
            getattr(self, name)[rows] = getattr(part, name)
        self.covered[:] += part.covered
        self.rounded[:] += part.rounded


@dataclass(frozen=True, eq=False)
class Estimation(Tabular):
    """Results of exploring one arm of capacity m, at a grid of sample sizes n.

    All probabilities are frequencies over `runs` runs, as arrays over `samples`.

    >>> from simulation.running.estimation import estimate
    >>> found = estimate(Instance.load("paper"), arm=1, samples=1000, runs=100)
    >>> found.failure, found.stopping_time(0.95), float(found.coverage.min())
    (0.0, 201.0, 1.0)
    """

    instance: Instance
    arm: int
    capacity: int
    delta: float
    interval: str
    width: str
    schedule: str
    seed: int
    samples: Integers
    individual: Integers
    united: Integers
    outcomes: Outcomes

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Estimation):
            return NotImplemented
        settings = ("instance", "arm", "delta", "interval", "width", "schedule", "seed")
        arrays = (self.samples, self.individual, self.united, *self.outcomes)
        others = (other.samples, other.individual, other.united, *other.outcomes)
        return all(getattr(self, name) == getattr(other, name) for name in settings) and all(
            np.array_equal(mine, theirs) for mine, theirs in zip(arrays, others, strict=True)
        )

    @property
    def runs(self) -> int:
        return int(self.outcomes.stopped.size)

    @property
    def right(self) -> Floats:
        """P(after n steps one integer is left, and it is m)."""
        return self._by(self._decided(right=True))

    @property
    def wrong(self) -> Floats:
        """P(after n steps one integer is left, and it is not m): the failure probability."""
        return self._by(self._decided(right=False))

    @property
    def undecided(self) -> Floats:
        """P(after n steps several integers are left)."""
        return 1.0 - self._by(self.outcomes.stopped)

    @property
    def coverage(self) -> Floats:
        """P(the interval at step n contains m)."""
        return np.asarray(self.outcomes.covered / self.runs)

    @property
    def uniform_coverage(self) -> Floats:
        """P(the intervals at steps 1 to n all contain m)."""
        return 1.0 - self._by(self.outcomes.missed)

    @property
    def rounding_wrong(self) -> Floats:
        """P(nuhat / muhat does not round to m at step n), the estimator without an interval."""
        return np.asarray(1.0 - self.outcomes.rounded / self.runs)

    @property
    def failure(self) -> float:
        """P(a single integer other than m is left at the end)."""
        return float(self.wrong[-1])

    @property
    def ever_excluded(self) -> float:
        """P(some interval missed m)."""
        return float((self.outcomes.missed > 0).mean())

    def stopping_time(self, q: float = 0.5) -> float:
        """The q-quantile of the step at which the estimator stops, infinite if it did not."""
        stopped = np.where(self.outcomes.stopped > 0, self.outcomes.stopped, np.inf)
        return float(np.quantile(stopped, q, method="inverted_cdf"))

    def _decided(self, *, right: bool) -> Integers:
        """Stopping steps of the runs that ended right (or wrong), 0 for the others."""
        return np.where((self.outcomes.lower == self.capacity) == right, self.outcomes.stopped, 0)

    def _by(self, steps: Integers) -> Floats:
        """The share of runs in which an event (at a step above 0) has occurred by each size n."""
        happened = np.sort(steps[steps > 0])
        return np.asarray(np.searchsorted(happened, self.samples, side="right") / self.runs)

    # -- in and out ----------------------------------------------------------------------

    def to_json_rows(self) -> list[dict[str, Any]]:
        columns = self.cells()
        lines = zip(*columns.values(), strict=True)
        return [dict(zip(columns, line, strict=True)) for line in lines]

    def cells(self) -> dict[str, list[Any]]:
        """One line per sample size."""
        found = {name: get(self).tolist() for name, get in COLUMNS.items()}
        return found | {"runs": [self.runs] * len(self.samples)}

    def facts(self) -> dict[str, Any]:
        """Results about the whole estimation rather than one sample size."""
        return {
            "arm": self.arm,
            "capacity": self.capacity,
            "delta": self.delta,
            "failure": self.failure,
            "ever_excluded": self.ever_excluded,
            "stopping_time": {str(q): plain(self.stopping_time(q)) for q in (0.05, 0.5, 0.95)},
        }

    def summary(self) -> Table:
        title = (
            f"{one_line(self.instance.name)}, {self.instance.label(self.arm)} of capacity "
            f"{self.capacity}: "
            f"{self.interval} interval, {self.width} width, delta {self.delta:g}, {self.schedule}, "
            f"{self.runs:,} runs, seed {self.seed}"
        )
        # the number of steps follows from the two counts
        shown = {name: get for name, get in COLUMNS.items() if name != "samples"}
        lines = zip(*(get(self).tolist() for get in shown.values()), strict=True)
        headings = [name.replace("_", " ") for name in shown]
        return Table(title, headings, [[number(value) for value in line] for line in lines])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Wrong, undecided and rounding error against the sample size."""
        ax = axes(ax)
        for name in ("wrong", "undecided", "rounding_wrong"):
            ax.plot(self.samples, getattr(self, name), label=name.replace("_", " "))
        ax.axhline(self.delta, linestyle=":", color="grey", label="delta")
        ax.set(xscale="log", xlabel="steps n", ylabel="probability")
        ax.set_title(one_line(self.instance.name), parse_math=False)
        ax.legend()
        return ax


# columns for each sample size, the same in tables, CSV and JSON
COLUMNS: dict[str, Callable[[Estimation], Any]] = {
    "samples": lambda e: e.samples,
    "individual": lambda e: e.individual,
    "united": lambda e: e.united,
    "right": lambda e: e.right,
    "wrong": lambda e: e.wrong,
    "undecided": lambda e: e.undecided,
    "coverage": lambda e: e.coverage,
    "uniform_coverage": lambda e: e.uniform_coverage,
    "rounding_wrong": lambda e: e.rounding_wrong,
}
