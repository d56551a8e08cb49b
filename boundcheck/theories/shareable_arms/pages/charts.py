"""The figures of a report on the paper's theory; each function takes the study.

The data of a figure are rows of numbers under headings, also written as CSV.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from boundcheck.pages.chart import LEAST_SLOT, Chart, regret_chart, rows_of
from boundcheck.pages.colours import GREY, INK
from boundcheck.pages.drawing import canvas, curve, legend_below, legend_beside
from boundcheck.pages.palette import (
    ALGORITHMS,
    INTERVALS,
    LOWER,
    SHARPER_UPPER,
    UPPER,
    Style,
    styles,
    tints,
)
from boundcheck.theories.shareable_arms.pages.measured import between
from boundcheck.theories.shareable_arms.pages.model import model
from boundcheck.theories.shareable_arms.pages.study import (
    INTERVAL_NAMES,
    KNOWN_CAPACITY,
    UNKNOWN_CAPACITY,
    PaperStudy,
)
from simulation.escaping import markdown
from simulation.numbers import decimal

PHASE_NAMES = {
    "pie-base": "individual rounds, empirical best",
    "deliberate": "individual rounds, a play moved",
    "pue": "united rounds",
    "exploitation": "exploitation",
}
SIZES = (  # sample sizes marked in the figure of the estimators
    ("thm-4.1a", "too few", LOWER),
    ("sharp-5.3a", "enough", SHARPER_UPPER),
    ("thm-5.3a", "enough", UPPER),
)
LEAST_REGRET = 1e-3  # a logarithmic axis has no 0
# the marks of a policy
LEARNS: Any = {"marker": "o", "markersize": 6, "linestyle": ""}
TOLD: Any = {"marker": "s", "markersize": 6, "markerfacecolor": "white", "linestyle": ""}
WORST: Any = {"marker": "x", "markersize": 5, "linestyle": ""}
MIDDLE: Any = {"linestyle": "-", "linewidth": 4, "alpha": 0.35}
MARKS = (
    ("mean, capacities learnt", LEARNS),
    ("mean, told the capacities", TOLD),
    ("middle 90 % of the runs", MIDDLE),
    ("worst run", WORST),
    ("least possible growth", {"color": LOWER.colour, "linestyle": LOWER.dash}),
)


def failure(study: PaperStudy) -> Chart:
    """The estimator's failure probability against its sample size, with the theory's sample
    sizes.
    """
    # among the studied arms, the one whose capacity takes longest to learn
    arm = max(study.studied_arms, key=lambda arm: study.estimations[arm, "uniform"].samples[-1])
    capacity = study.instance.capacities[arm - 1]
    with canvas() as (figure, ax):
        for interval in study.intervals:
            found = study.estimations[arm, interval]
            style = INTERVALS[interval]
            curve(ax, style, found.samples, 1 - found.right, INTERVAL_NAMES[interval])
        found = study.estimations[arm, "uniform"]
        curve(ax, Style(GREY), found.samples, found.rounding_wrong, "no interval: ratio rounded")
        ax.axhline(float(found.delta), color=INK, linewidth=0.7, label="delta = 0.05")
        for claim, says, (colour, dash) in SIZES:
            bound = study.size(claim, arm)
            if bound is not None and bound.value is not None and bound.value >= 1:
                label = f"{says}: {claim}" + ("" if bound.applies else "\n(does not apply)")
                place = float(bound.value)
                ax.axvline(place, color=colour, linestyle=dash, linewidth=1.1, label=label)
        ax.set(
            xscale="log",
            xlabel="explorations of each kind, n",
            ylabel="probability of not being right",
            ylim=(-0.02, 1.02),
        )
        title = f"Learning the capacity {capacity} of {study.instance.label(arm)}"
        ax.set_title(title, parse_math=False)
        legend_beside(ax)
    headings = ("interval", "samples", "right", "wrong", "undecided", "rounding_wrong")
    rows = [
        (interval, *line)
        for interval in study.intervals
        for line in rows_of(
            *(getattr(study.estimations[arm, interval], name) for name in headings[1:])
        )
    ]
    caption = (
        f"{markdown(study.instance.label(arm, 'Arm {}'))}, both kinds of exploration in lockstep: "
        "the share of runs in which the estimator has not (yet) settled on the capacity, and the "
        "sizes the theory names. Hoeffding's interval is valid at one size only; the others at all "
        "sizes at once."
    )
    spread = study.instance.reward.proxy_variance
    if spread > Fraction(1, 4):
        caption += (
            f" These widths are meant for rewards of variance 1/4 or less; here it is "
            f"{decimal(spread, 4)}, so they may fail more often than delta."
        )
    return Chart("failure", caption, figure, headings, rows)


def _regret(study: PaperStudy) -> Chart:
    """The policies that learn the capacities, and the exact lower bound."""
    simulated = [runs.policy for runs in study.comparison]
    names = [name for name in UNKNOWN_CAPACITY if name in simulated]
    return regret_chart(study, names, study.exact_constant)


def phases(study: PaperStudy) -> Chart:
    """Which part of OrchExplore causes its regret."""
    runs = study.comparison["orch-explore"]
    seen = runs.checkpoints >= LEAST_SLOT
    slots = runs.checkpoints[seen]
    shades = tints(ALGORITHMS[runs.policy], len(runs.phases))
    with canvas() as (figure, ax):
        below = np.zeros(slots.size)
        for name, mean, colour in zip(runs.phases, runs.phase_mean, shades, strict=True):
            above = below + mean[seen]
            ax.fill_between(slots, below, above, color=colour, linewidth=0, label=PHASE_NAMES[name])
            below = above
        ax.set(xscale="log", xlabel="slot", ylabel="regret so far")
        ax.set_title("Where OrchExplore's regret comes from: parts add up")
        ax.margins(x=0)
        legend_beside(ax, reverse=True)
    rows = rows_of(runs.checkpoints, *runs.phase_mean)
    caption = "Mean regret by the phase that caused it, stacked."
    return Chart("phases", caption, figure, ("slot", *runs.phases), rows)


def _policies(study: PaperStudy) -> Chart:
    order = sorted(study.comparison, key=lambda runs: -runs.mean[-1])
    drawn = styles(runs.policy for runs in study.comparison)
    with canvas(height=1.2 + 0.29 * len(order)) as (figure, ax):
        for row, runs in enumerate(order):
            final = np.maximum(runs.total[:, -1], LEAST_REGRET)
            low, high = np.quantile(final, [0.05, 0.95])
            colour = drawn[runs.policy].colour
            ax.plot([low, high], [row, row], color=colour, **MIDDLE)
            mean = max(runs.mean[-1], LEAST_REGRET)
            ax.plot(mean, row, color=colour, **(TOLD if runs.policy in KNOWN_CAPACITY else LEARNS))
            ax.plot(final.max(), row, color=colour, **WORST)
        if least := study.least_regret:
            ax.axvline(least, color=LOWER.colour, linestyle=LOWER.dash, linewidth=1.2)
        ax.set_yticks(range(len(order)), [runs.policy for runs in order])
        ax.set(xscale="log", xlabel=f"regret after {study.effort.horizon:,} slots")
        ax.grid(axis="y", visible=False)
        legend_below(figure, MARKS if least else MARKS[:-1])
    rows = [
        [r.policy, r.mean[-1], r.standard_error[-1], r.quantile(0.95)[-1], r.total[:, -1].max()]
        for r in reversed(order)
    ]
    caption = (
        f"Each policy in {study.effort.runs} runs, on a logarithmic axis. Those told the "
        "capacities need not learn them: what they save is the price of not knowing."
    )
    headings = ("policy", "mean", "standard_error", "quantile_95", "worst")
    return Chart("policies", caption, figure, headings, rows)


CHARTS: tuple[Callable[[PaperStudy], Chart], ...] = (
    failure,
    between,
    _regret,
    phases,
    _policies,
    model,
)
