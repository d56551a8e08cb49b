"""The figures of a report on the paper's theory. Each takes the study and gives figure and data.

The data of a figure are rows of numbers under headings, written beside it as CSV.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import log
from typing import TYPE_CHECKING

import numpy as np

from boundcheck.pages.chart import LEAST_SLOT, Chart, regret_chart
from boundcheck.pages.drawing import (
    BLACK,
    BLUE,
    CYCLE,
    GREEN,
    GREY,
    ORANGE,
    RED,
    canvas,
    curve,
    marks,
)
from boundcheck.pages.paper import KNOWN_CAPACITY, UNKNOWN_CAPACITY, PaperStudy
from simulation.numbers import decimal

if TYPE_CHECKING:
    pass

INTERVAL_NAMES = {
    "uniform": "published, phi",
    "hoeffding": "Hoeffding, rho",
    "joint": "joint, psi",
    "likelihood": "likelihood set",
}
PHASE_NAMES = {
    "pie-base": "individual rounds, empirical best",
    "deliberate": "individual rounds, a play moved",
    "pue": "united rounds",
    "exploitation": "exploitation",
}


def hardest_arm(study: PaperStudy) -> int:
    """Of the arms studied, the one whose capacity takes longest to learn."""
    return max(study.studied_arms, key=lambda arm: study.estimations[arm, "uniform"].samples[-1])


def failure(study: PaperStudy) -> Chart:
    """The estimator's failure probability against its sample size, with the sizes of the theory."""
    arm = hardest_arm(study)
    capacity = study.instance.capacities[arm - 1]
    with canvas() as (figure, ax):
        for position, interval in enumerate(study.intervals):
            found = study.estimations[arm, interval]
            curve(ax, position, found.samples, 1 - found.right, INTERVAL_NAMES[interval])
        found = study.estimations[arm, "uniform"]
        curve(ax, 6, found.samples, found.rounding_wrong, "no interval: ratio rounded")
        ax.axhline(float(found.delta), color=GREY, linewidth=0.9, label="delta = 0.05")
        places = [
            (float(bound.value), name + ("" if bound.applies else " (does not apply)"), colour)
            for claim, name, colour in (
                ("thm-4.1a", "lower bound 4.1a", BLACK),
                ("sharp-5.3a", "sharp-5.3a", GREEN),
                ("thm-5.3a", "published size 5.3a", RED),
            )
            if (bound := study.size(claim, arm)) is not None and bound.value is not None
        ]
        marks(ax, [(x, label, colour) for x, label, colour in places if x >= 1])
        ax.set(
            xscale="log",
            xlabel="explorations of each kind, n",
            ylabel="probability of not being right",
            ylim=(-0.02, 1.02),
            title=f"Learning the capacity {capacity} of arm {arm}",
        )
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    rows = [
        [interval, *line]
        for interval in study.intervals
        for line in zip(
            *(
                getattr(study.estimations[arm, interval], name).tolist()
                for name in ("samples", "right", "wrong", "undecided", "rounding_wrong")
            ),
            strict=True,
        )
    ]
    headings = ("interval", "samples", "right", "wrong", "undecided", "rounding_wrong")
    caption = (
        f"Arm {arm}, both kinds of exploration in lockstep: the share of runs in which the "
        "estimator has not (yet) settled on the capacity, and the sizes the theory names. "
        "Hoeffding's interval is valid at one size only; the others at all sizes at once."
    )
    spread = study.instance.reward.proxy_variance
    if spread > Fraction(1, 4):
        caption += (
            f" These widths are meant for rewards of variance 1/4 or less; here it is "
            f"{decimal(spread, 4)}, so they may fail more often than delta."
        )
    return Chart("failure", caption, figure, headings, rows)


def regret(study: PaperStudy) -> Chart:
    """Two policies beside the exact lower bound."""
    simulated = [runs.policy for runs in study.comparison]
    names = [name for name in UNKNOWN_CAPACITY if name in simulated][:2]
    return regret_chart(study, names, study.exact_constant)


def phases(study: PaperStudy) -> Chart:
    """Which part of OrchExplore causes its regret."""
    runs = study.comparison["orch-explore"]
    seen = runs.checkpoints >= LEAST_SLOT
    slots = runs.checkpoints[seen]
    with canvas(height=2.6) as (figure, ax):
        below = np.zeros(slots.size)
        for position, (name, mean) in enumerate(zip(runs.phases, runs.phase_mean, strict=True)):
            above = below + mean[seen]
            colour = CYCLE[position][0]
            label = PHASE_NAMES[name]
            ax.fill_between(slots, below, above, color=colour, alpha=0.75, linewidth=0, label=label)
            below = above
        ax.set(xscale="log", xlabel="slot", ylabel="cumulative regret")
        ax.set_title("Where OrchExplore's regret comes from")
        ax.legend(loc="upper left")
    rows = [
        [int(slot), *(float(x) for x in line)]
        for slot, line in zip(runs.checkpoints, runs.phase_mean.T, strict=True)
    ]
    caption = "Mean regret by the phase that caused it, stacked."
    return Chart("phases", caption, figure, ("slot", *runs.phases), rows)


def policies(study: PaperStudy) -> Chart:
    """All policies side by side at the horizon."""
    order = sorted(study.comparison, key=lambda runs: -runs.mean[-1])
    with canvas(height=0.6 + 0.27 * len(order)) as (figure, ax):
        for row, runs in enumerate(order):
            known = runs.policy in KNOWN_CAPACITY
            final = np.maximum(runs.total[:, -1], 1e-3)
            low, high = np.quantile(final, [0.05, 0.95])
            colour = ORANGE if known else BLUE
            ax.plot([low, high], [row, row], color=colour, linewidth=4, alpha=0.3)
            shape = "s" if known else "o"
            ax.plot(max(runs.mean[-1], 1e-3), row, shape, color=colour, markersize=5)
            ax.plot(final.max(), row, "x", color=BLACK, markersize=4)
        if study.exact_constant:
            floor = study.exact_constant * log(study.effort.horizon)
            ax.axvline(floor, color=GREY, linestyle="--", linewidth=1)
        ax.set_yticks(range(len(order)), [runs.policy for runs in order])
        ax.set(xscale="log", xlabel=f"regret after {study.effort.horizon:,} slots")
        ax.grid(axis="y", visible=False)
    rows = [
        [r.policy, r.mean[-1], r.standard_error[-1], r.quantile(0.95)[-1], r.total[:, -1].max()]
        for r in reversed(order)
    ]
    caption = (
        "Mean (dot; square: told the capacities), middle 90 % of the runs (bar), worst run "
        "(cross); dashed: the exact asymptotic constant times log T."
    )
    headings = ("policy", "mean", "standard_error", "quantile_95", "worst")
    return Chart("policies", caption, figure, headings, rows)


CHARTS: tuple[Callable[[PaperStudy], Chart], ...] = (failure, regret, phases, policies)
