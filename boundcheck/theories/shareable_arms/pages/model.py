"""A picture of the model: arms with capacities, plays on them, and one play too many.

python -m boundcheck.theories.shareable_arms.pages.model FILE.svg
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from boundcheck.pages.chart import Chart
from boundcheck.pages.colours import BLUE, INK, VERMILLION
from boundcheck.pages.drawing import canvas, legend_below, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class _Arm(NamedTuple):
    """An arm of the example, and its plays."""

    mean: str
    capacity: int
    plays: int
    says: str

    @property
    def earning(self) -> int:
        return min(self.plays, self.capacity)


EXAMPLE = (
    _Arm("0.9", 2, 3, "one play too many: earns nothing"),
    _Arm("0.8", 4, 3, "one place left free"),
    _Arm("0.7", 3, 1, "one play tells of the mean"),
    _Arm("0.4", 1, 0, "not played"),
)
ARM_HEIGHT = 1.15
PLACE: Any = {"marker": "s", "markersize": 32, "fillstyle": "none", "markeredgewidth": 1.2}
EARNS: Any = {"marker": "o", "markersize": 18}
IDLE: Any = {"marker": "x", "markersize": 14, "markeredgewidth": 3}
MARKS = tuple(
    (name, {**look, "markersize": look["markersize"] / 2.2, "color": colour})
    for name, look, colour in (
        ("a place: serves one play", PLACE, INK),
        ("a play that earns", EARNS, BLUE),
        ("a play that earns nothing", IDLE, VERMILLION),
    )
)


def model(_: object = None) -> Chart:
    """The picture in every report and at the top of the glossary."""
    with canvas(height=3.3) as (figure, ax):
        for row, arm in enumerate(EXAMPLE):
            _draw(ax, -ARM_HEIGHT * row, row + 1, arm)
        ax.set(xlim=(-2.6, 7.0), ylim=(-ARM_HEIGHT * len(EXAMPLE) + 0.55, 0.55))
        ax.set_aspect("equal")
        ax.set_axis_off()
        legend_below(figure, MARKS)
    plays = sum(arm.plays for arm in EXAMPLE)
    told = " + ".join(f"{arm.earning} x {arm.mean}" for arm in EXAMPLE if arm.plays)
    total = sum(arm.earning * float(arm.mean) for arm in EXAMPLE)
    caption = (
        f"One slot of the model: {plays} plays are put on {len(EXAMPLE)} arms. An arm has as many "
        "places as its capacity. A play on a place earns the arm's reward, a play beyond them "
        f"nothing; expected here: {told} = {total:.1f}. A policy sees what each arm earned, but "
        "knows neither the means nor how many places there are."
    )
    rows = [[k, arm.mean, arm.capacity, arm.plays, arm.earning] for k, arm in enumerate(EXAMPLE, 1)]
    headings = ("arm", "mean", "capacity", "plays", "plays_that_earn")
    return Chart("model", caption, figure, headings, rows)


def _draw(ax: Axes, y: float, number: int, arm: _Arm) -> None:
    ax.text(-2.5, y + 0.17, f"arm {number}", size=11, weight="bold", va="center")
    ax.text(-2.5, y - 0.2, f"mean {arm.mean}, capacity {arm.capacity}", size=9, va="center")
    for k in range(max(arm.capacity, arm.plays)):
        if k < arm.capacity:
            ax.plot(k + 0.5, y, color=INK, **PLACE)
        if k < arm.plays:
            earns = k < arm.capacity
            ax.plot(k + 0.5, y, color=BLUE if earns else VERMILLION, **(EARNS if earns else IDLE))
    ax.text(max(arm.plays, arm.capacity) + 0.2, y, arm.says, size=9.5, va="center")


if __name__ == "__main__":
    save(model().figure, Path(sys.argv[1]))
