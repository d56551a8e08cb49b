"""The figure in every report: simulated regret, and how loose the upper bounds are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from boundcheck.pages.colours import GREY
from boundcheck.pages.drawing import band, canvas, curve, name_curves, regret_axis, save
from boundcheck.pages.palette import LOWER, Style, styles
from boundcheck.pages.study import Study
from simulation.running.results import PolicyRuns
from simulation.tables import write_csv

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEAST_SLOT = 10  # regret of the first few slots is not meaningful


@dataclass(frozen=True)
class Chart:
    """A figure, its caption, and its data."""

    name: str
    caption: str
    figure: Figure
    headings: Sequence[str]
    rows: Iterable[Sequence[object]]

    def save(self, out: Path) -> None:
        """Write the figure and its data as CSV."""
        save(self.figure, out / f"{self.name}.svg")
        write_csv(out / f"{self.name}.csv", self.headings, self.rows)


def rows_of(*columns: np.ndarray) -> list[tuple[object, ...]]:
    return list(zip(*(column.tolist() for column in columns), strict=True))


def regret_curves(
    ax: Axes, compared: Iterable[PolicyRuns], drawn: dict[str, Style], constant: float | None
) -> None:
    """Means and the middle 90 % of the runs, and the least possible growth."""
    for runs in compared:
        seen = runs.checkpoints >= LEAST_SLOT
        slots, style = runs.checkpoints[seen], drawn[runs.policy]
        curve(ax, style, slots, runs.mean[seen], runs.policy)
        band(ax, style, slots, runs.quantile(0.05)[seen], runs.quantile(0.95)[seen])
    if constant:
        curve(ax, LOWER, slots, constant * np.log(slots), "least possible growth")


def finish_regret(ax: Axes, title: str) -> None:
    ax.set(xscale="log", xlabel="slot", ylabel="regret so far")
    ax.set_title(title)
    regret_axis(ax)
    name_curves(ax)


def regret_chart(
    study: Study, policies: Sequence[str] | None = None, constant: float | None = None
) -> Chart:
    """Simulated regret with the least possible growth; below, how loose the upper bounds are."""
    names = [runs.policy for runs in study.comparison]
    drawn = styles(names)
    with canvas(2) as (figure, (above, below)):
        shown = [study.comparison[name] for name in (names if policies is None else policies)]
        regret_curves(above, shown, drawn, constant)
        finish_regret(above, "Simulated: mean (line) and middle 90 % of the runs (band)")
        _looseness(below, study, drawn)
    rows: list[Sequence[object]] = []
    for found in study.comparison:
        quantiles = found.quantile(0.05), found.quantile(0.95)
        columns = rows_of(found.checkpoints, found.mean, found.standard_error, *quantiles)
        rows += [(found.policy, *line) for line in columns]
    rows += [
        (claim, rung.runs.horizon, rung.claimed, "", "", "")
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


def _looseness(ax: Axes, study: Study, drawn: dict[str, Style]) -> None:
    """The ratio of each upper bound to simulated regret, against the horizon."""
    ours = {card.id for card in study.cards if card.ours}
    for claim, rungs in study.ladders.items():
        if lossy := [rung for rung in rungs if isfinite(rung.ratio)]:
            horizons, ratios = zip(*((r.runs.horizon, r.ratio) for r in lossy), strict=True)
            policy = lossy[0].runs.policy
            mark = {"marker": "D" if claim in ours else "o", "markersize": 4, "clip_on": False}
            label = f"{claim}, {policy}"
            curve(ax, drawn.get(policy, Style(GREY)), horizons, ratios, label, **mark)
    if not ax.get_lines():
        ax.set_axis_off()  # no upper bound has a number here
        return
    ax.axhline(1, color=GREY, linewidth=0.9)
    ax.set(xscale="log", yscale="log", xlabel="horizon T", ylabel="bound / simulated regret")
    ax.set_title("How loose the upper bounds are")
    name_curves(ax)
