"""The figure that every report has: simulated regret, and how loose the upper bounds are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from boundcheck.pages.drawing import band, canvas, curve, name_curves, regret_axis
from boundcheck.pages.palette import GREY, LOWER, Look, looks
from boundcheck.pages.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
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
    drawn = looks(runs.policy for runs in study.comparison)
    with canvas(2) as (figure, (above, below)):
        for name in names:
            found = study.comparison[name]
            seen = found.checkpoints >= LEAST_SLOT
            slots = found.checkpoints[seen]
            curve(above, drawn[name], slots, found.mean[seen], name)
            low, high = found.quantile(0.05)[seen], found.quantile(0.95)[seen]
            band(above, drawn[name], slots, low, high)
        if constant:
            curve(above, LOWER, slots, constant * np.log(slots), "least possible growth")
        above.set(xscale="log", xlabel="slot", ylabel="regret so far")
        above.set_title("Simulated: mean (line) and middle 90 % of the runs (band)")
        regret_axis(above)
        name_curves(above)
        _looseness(below, study, drawn)
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
        f"Above: mean regret of {study.effort.runs} runs and the middle 90 % of them. Below: each "
        "upper bound divided by the simulated regret of runs made for that horizon, in the colour "
        "of the policy it is about (dots: published, diamonds: ours). At 1 a bound would be exact."
    )
    return Chart("regret", caption, figure, headings, rows)


def _looseness(ax: Axes, study: Study, drawn: dict[str, Look]) -> None:
    """How many times too large each upper bound is, against the horizon."""
    ours = {card.id for card in study.cards if card.ours}
    for claim, rungs in study.ladders.items():
        if lossy := [rung for rung in rungs if isfinite(rung.ratio)]:
            horizons, ratios = zip(*((r.runs.horizon, r.ratio) for r in lossy), strict=True)
            policy = lossy[0].runs.policy
            mark = {"marker": "D" if claim in ours else "o", "markersize": 4, "clip_on": False}
            label = f"{claim}, {policy}"
            curve(ax, drawn.get(policy, Look(GREY)), horizons, ratios, label, **mark)
    if not ax.get_lines():
        ax.set_axis_off()  # no upper bound is a number here
        return
    ax.axhline(1, color=GREY, linewidth=0.9)
    ax.set(xscale="log", yscale="log", xlabel="horizon T", ylabel="bound / simulated regret")
    ax.set_title("How loose the upper bounds are")
    name_curves(ax)
