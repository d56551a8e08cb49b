"""Regret per decade compared with the theory: a figure and a table in a report on the paper."""

from __future__ import annotations

from collections.abc import Iterator
from math import log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from boundcheck.judging.default_statements.regret import as_float
from boundcheck.pages.chart import Chart
from boundcheck.pages.drawing import canvas, legend_beside
from boundcheck.pages.palette import LOWER, UPPER, Style, styles
from simulation.formatting import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from boundcheck.evidence.groups import Groups
    from boundcheck.theories.shareable_arms.pages.study import PaperStudy

# they leap and do not need the capacities
POLICIES = ("likelihood", "law-free", "orch-explore", "mp-se-sa")
LINES = (  # increase per decade in the limit, by the theory
    ("sharp-4.3", "least possible: sharp-4.3", LOWER),
    ("cor-7.2", "at most: cor-7.2", UPPER),
)
LEVEL = 0.05
CAPTION = (
    "How much regret each decade of the horizon adds, with 95 % intervals; every horizon has runs "
    "of its own. Shaded: a decade by the slope over all of them. What runs out at the bottom "
    "reaches 0 or less."
)


def charts(study: PaperStudy) -> list[Chart]:
    """Differences of regret by decade; none if no policy leaps over a decade."""
    if not study.decades:
        return []
    rows = list(_rows(study))
    floor = 0.3 * min((row[3] for row in rows if row[3] > 0), default=1.0)
    with canvas() as (figure, ax):
        drawn = styles(study.decades)
        for position, (policy, groups) in enumerate(study.decades.items()):
            _draw(ax, position, drawn[policy].colour, policy, groups, floor)
        for name, value, style in _lines(study):
            ax.axhline(value, color=style.colour, linestyle=style.dash, linewidth=1.1, label=name)
        ax.set(xscale="log", yscale="log", xlabel="horizon T", ylabel="regret of a decade")
        ax.set_ylim(bottom=floor)
        ax.set_title("Regret per decade, and what the theory says")
        legend_beside(ax)
    headings = ("policy_or_claim", "from", "to", "difference", "standard_error", "low", "high")
    return [Chart("decades", CAPTION, figure, headings, rows)]


def _draw(ax: Axes, position: int, colour: str, policy: str, groups: Groups, floor: float) -> None:
    """Each decade with its interval, next to those of other policies; the overall slope as a
    band.
    """
    below = floor / 2  # below the end of the axis
    steps = [(sqrt(before * after), step) for before, after, step in groups.differences()]
    means = np.array([max(step.value, below) for _, step in steps])
    low, high = np.array([step.interval(LEVEL) for _, step in steps]).T
    ax.errorbar(
        [place * 1.25 ** (position - 1) for place, _ in steps],
        means,
        yerr=[means - np.maximum(low, below), np.maximum(high - means, 0.0)],
        fmt="oDs^"[position],
        color=colour,
        markersize=4,
        linewidth=1.1,
        capsize=2,
        label=policy,
    )
    least, most = (log(10) * end for end in groups.slope().interval(LEVEL))
    ax.axhspan(max(least, below), max(most, below), color=colour, alpha=0.15, linewidth=0)


def _lines(study: PaperStudy) -> Iterator[tuple[str, float, Style]]:
    """The known limits, per decade."""
    for claim, name, style in LINES:
        bound = study.size(claim, None)
        if bound is not None and bound.applies and as_float(bound.value) > 0:
            yield f"{name} x log 10", as_float(bound.value) * log(10), style


def _rows(study: PaperStudy) -> Iterator[list[Any]]:
    for policy, groups in study.decades.items():
        for before, after, step in groups.differences():
            yield [policy, before, after, step.value, step.error, *step.interval(LEVEL)]
    yield from ([name, "", "", value, "", "", ""] for name, value, _ in _lines(study))


def slopes_table(study: PaperStudy) -> list[list[str]]:
    """The slope of each policy over all its decades, and the exact constant."""
    rows = []
    for policy, groups in study.decades.items():
        slope = groups.slope()
        low, high = slope.interval(LEVEL)
        ratio = slope.value / study.exact_constant if study.exact_constant else None
        rows.append(
            [
                policy,
                f"{groups.times[0]:,} to {groups.times[-1]:,}",
                str(sum(len(group) for group in groups.values)),
                number(slope.value),
                f"{number(low)} to {number(high)}",
                "-" if ratio is None else number(ratio),
            ]
        )
    return rows
