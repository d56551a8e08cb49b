"""Beyond the paper: the `likelihood` policy beside OrchExplore and the exact constant.

Each instance is played for a million slots; regret is set beside C log T, C the exact asymptotic
constant of `sharp-4.3`. Where the optimum is not unique, or the law has no known constant, the
ratio is left out.
"""

from __future__ import annotations

from math import log
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from boundcheck.calculator import bounds
from boundcheck.pages.drawing import band, canvas, curve, save
from boundcheck.pages.paper import exact_constant
from simulation.executors import Pool
from simulation.instance import Instance
from simulation.replicate import replicate
from simulation.results import Replication
from simulation.tables import number

HORIZON = 1_000_000
INSTANCES = ("paper", "paper-gaussian", "5g-4g")
POLICIES = ("likelihood", "orch-explore")
LEAST_SLOT = 10


def beyond(
    name: str,
    out: Path,
    runs: int,
    horizon: int,
    seed: int,
    pool: Pool,
    store: str | PathLike[str] | None,
) -> dict[str, Any]:
    """Simulate, draw and describe one instance."""
    instance = Instance.load(name)
    found = replicate(instance, POLICIES, horizon, runs, seed, executor=pool, store=store)
    constant = exact_constant(bounds(instance, claims=["sharp-4.3"]))
    save(_drawn(found, constant), out / f"beyond-{name}.svg")
    found.to_csv(out / f"beyond-{name}.csv")
    return {
        "name": f"beyond-{name}",
        "title": f"`likelihood` on `{name}`",
        "sentence": _sentence(found, constant),
        "rows": _rows(found, constant),
    }


def _drawn(found: Replication, constant: float | None) -> Any:
    from matplotlib.ticker import LogLocator

    with canvas(2, width=7.4, height=3.0) as (figure, (left, right)):
        for position, policy in enumerate(POLICIES):
            runs = found[policy]
            seen = runs.checkpoints >= LEAST_SLOT
            slots, mean = runs.checkpoints[seen], runs.mean[seen]
            curve(left, position, slots, mean, policy)
            band(left, position, slots, runs.quantile(0.05)[seen], runs.quantile(0.95)[seen])
            if constant:
                curve(right, position, slots, mean / (constant * np.log(slots)), policy)
        left.set(xscale="log", yscale="log", xlabel="slot", ylabel="cumulative regret")
        left.set_title("Mean, and the middle 90 % of the runs")
        if constant:
            slots = found["likelihood"].checkpoints
            slots = slots[slots >= LEAST_SLOT]
            curve(left, 6, slots, constant * np.log(slots), "exact constant x log t")
            right.axhline(1, color="#8A8A8A", linewidth=0.9)
            right.set(xscale="log", yscale="log", xlabel="slot t")
            right.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            right.yaxis.set_major_formatter("{x:g}")
            right.yaxis.set_minor_formatter("")
            right.set_title("Regret / (exact constant x log t)")
        else:
            right.set_axis_off()
        left.legend(loc="upper left")
    return figure


def _sentence(found: Replication, constant: float | None) -> str:
    best, other = found["likelihood"], found["orch-explore"]
    told = (
        f"After {found.horizon:,} slots `likelihood` has lost {number(best.mean[-1])}, "
        f"{best.mean[-1] / other.mean[-1]:.3f} of OrchExplore's {number(other.mean[-1])}; "
        f"its worst run of {found.runs} lost {number(best.total[:, -1].max())}"
    )
    if constant:
        share = best.mean[-1] / (constant * log(found.horizon))
        told += f". That is {share:.3f} times the exact constant ({number(constant)}) x log T"
    return told + "."


def _rows(found: Replication, constant: float | None) -> list[list[str]]:
    base = found["orch-explore"].mean[-1]
    return [
        [
            runs.policy,
            number(runs.mean[-1]),
            number(runs.standard_error[-1]),
            number(runs.total[:, -1].max()),
            f"{runs.mean[-1] / base:.3f}",
            number(runs.mean[-1] / (constant * log(found.horizon))) if constant else "-",
        ]
        for runs in found
    ]
