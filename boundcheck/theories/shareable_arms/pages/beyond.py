"""Beyond the paper: the policy `likelihood` compared with OrchExplore and the exact constant.

Each instance is played for a million slots; regret is compared with C log T, where C is the exact
asymptotic constant of `sharp-4.3`. The ratio is left out if the optimum is not unique, or the law
has no known constant.
"""

from __future__ import annotations

from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boundcheck.calculator.bounds import bounds
from boundcheck.judging.run_context import RunContext
from boundcheck.pages.chart import LEAST_SLOT, finish_regret, regret_curves
from boundcheck.pages.drawing import canvas, curve, name_curves, save
from boundcheck.pages.palette import LOWER, styles
from boundcheck.theories.shareable_arms.pages.study import exact_constant
from simulation.formatting import number
from simulation.running.replicate import replicate
from simulation.running.results import Replication
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HORIZON = 1_000_000
INSTANCES = ("paper", "paper-gaussian", "5g-4g")
POLICIES = ("likelihood", "orch-explore")


def beyond_bounds(
    name: str, out: Path, runs: int, horizon: int, context: RunContext
) -> dict[str, Any]:
    instance = Instance.load(name)
    where: dict[str, Any] = {"executor": context.executor, "store": context.store}
    found = replicate(instance, POLICIES, horizon, runs, context.seed, **where)
    constant = exact_constant(bounds(instance, claims=["sharp-4.3"], theory=context.theory))
    save(_drawn(found, constant), out / f"beyond-{name}.svg")
    found.to_csv(out / f"beyond-{name}.csv")
    return {
        "name": f"beyond-{name}",
        "title": f"`likelihood` on `{name}`",
        "sentence": _sentence(found, constant),
        "rows": _rows(found, constant),
    }


def _drawn(found: Replication, constant: float | None) -> Figure:
    drawn, both = styles(POLICIES), [found[policy] for policy in POLICIES]
    with canvas(2 if constant else 1, squeeze=False) as (figure, panels):
        regret_curves(panels[0, 0], both, drawn, constant)
        if constant:
            for runs in both:
                seen = runs.checkpoints >= LEAST_SLOT
                slots = runs.checkpoints[seen]
                share = runs.mean[seen] / (constant * np.log(slots))
                curve(panels[1, 0], drawn[runs.policy], slots, share, runs.policy)
            _share_axis(panels[1, 0])
        finish_regret(panels[0, 0], "Mean (line) and middle 90 % of the runs (band)")
    return figure


def _share_axis(ax: Axes) -> None:
    from matplotlib.ticker import LogLocator

    ax.axhline(1, color=LOWER.colour, linestyle=LOWER.dash)
    ax.set(xscale="log", yscale="log", xlabel="slot t", ylabel="times the least")
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter("")
    ax.set_title("Regret / (exact constant x log t)")
    name_curves(ax)


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
