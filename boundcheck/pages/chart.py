"""The figure that every report has: simulated regret, and how loose the upper bounds are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from boundcheck.pages.drawing import GREY, band, canvas, curve
from boundcheck.pages.study import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEAST_SLOT = 10  # regret of the first few slots says nothing


@dataclass(frozen=True)
class Chart:
    """A figure, what it shows, and its numbers."""

    name: str
    caption: str
    figure: Figure
    headings: Sequence[str]
    rows: Sequence[Sequence[object]]


def regret_chart(
    study: Study, policies: Sequence[str] | None = None, constant: float | None = None
) -> Chart:
    """Simulated regret, with what is known to be the least; how far above the upper bounds are."""
    names = [runs.policy for runs in study.comparison] if policies is None else policies
    with canvas(2, width=8.6, height=3.0) as (figure, (left, right)):
        for position, name in enumerate(names):
            found = study.comparison[name]
            seen = found.checkpoints >= LEAST_SLOT
            slots = found.checkpoints[seen]
            curve(left, position, slots, found.mean[seen], name)
            band(left, position, slots, found.quantile(0.05)[seen], found.quantile(0.95)[seen])
        if constant is not None:
            curve(left, 6, slots, constant * np.log(slots), "exact constant x log T")
        left.set(xscale="log", xlabel="slot", ylabel="cumulative regret", title="Simulated")
        left.set_ylim(bottom=0)
        if names:
            left.legend(loc="upper left")
        for position, (claim, rungs) in enumerate(study.ladders.items()):
            if lossy := [rung for rung in rungs if isfinite(rung.ratio)]:
                horizons, ratios = zip(*((r.runs.horizon, r.ratio) for r in lossy), strict=True)
                label = f"{claim} / {lossy[0].runs.policy}"
                curve(right, position, horizons, ratios, label, marker="o", markersize=3)
        right.axhline(1, color=GREY, linewidth=0.9)
        right.set(xscale="log", yscale="log", xlabel="horizon T", ylabel="bound / simulated regret")
        right.set_title("How loose the upper bounds are")
        if right.get_legend_handles_labels()[0]:
            right.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
        else:
            right.set_axis_off()  # no upper bound is a number here
    rows: list[list[object]] = []
    for found in study.comparison:
        low, high = found.quantile(0.05), found.quantile(0.95)
        columns = (found.checkpoints, found.mean, found.standard_error, low, high)
        rows += [[found.policy, *line] for line in zip(*(c.tolist() for c in columns), strict=True)]
    rows += [
        [claim, rung.runs.horizon, rung.claimed, "", "", ""]
        for claim, rungs in study.ladders.items()
        for rung in rungs
    ]
    headings = ("policy_or_claim", "slot", "mean", "standard_error", "quantile_5", "quantile_95")
    caption = (
        f"Left: mean regret of {study.effort.runs} runs and the middle 90 % of them. Right: the "
        "published and the sharper upper bounds divided by the simulated regret of runs made for "
        "that horizon."
    )
    return Chart("regret", caption, figure, headings, rows)
