"""The style of figures and how they are saved: legible at column width, labels beside curves.

Colours are in `palette`. Panels are stacked, so that text is legible on a phone. SVG files contain
text as text and no dates or random ids, so the same data give the same bytes.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boundcheck.pages.colours import GREY, INK
from boundcheck.pages.palette import Style
from simulation.files.writing import write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMN, PANEL = 6.2, 2.7  # inches: the width of a text column, and the height of one panel
POWERS = 10.0  # if curves end further apart than this factor, the axis is logarithmic
LABEL_LINE = 1.25  # distance between labels, in heights of the text
PIXELS_PER_INCH = 200  # resolution of PNG files, sharp on a slide

STYLE: Any = {
    "font.size": 10,
    "font.family": "sans-serif",
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": GREY,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.titlesize": 10.5,
    "axes.titlelocation": "left",
    "grid.alpha": 0.25,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "lines.linewidth": 1.6,
    "figure.constrained_layout.use": True,
    "figure.facecolor": "white",
    "svg.fonttype": "none",
    "svg.hashsalt": "boundcheck",
    "path.simplify_threshold": 1.0,
}


@contextmanager
def canvas(panels: int = 1, height: float = PANEL, **layout: Any) -> Iterator[tuple[Figure, Any]]:
    """A figure with panels of this height, in this project's style, without a window."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(COLUMN, panels * height))
        FigureCanvasAgg(figure)
        yield figure, figure.subplots(panels, **layout)


def save(figure: Figure, path: Path) -> None:
    """Write the figure as SVG or PNG, by file name; the same data give the same bytes."""
    import matplotlib

    drawn = io.BytesIO()
    with matplotlib.rc_context(STYLE):
        if path.suffix == ".png":
            figure.savefig(drawn, format="png", dpi=PIXELS_PER_INCH, metadata={"Software": None})
            write(path, drawn.getvalue())
        else:
            figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
            text = drawn.getvalue().decode()
            write(path, "\n".join(line.rstrip() for line in text.split("\n")))


def curve(ax: Axes, style: Style, x: Any, y: Any, label: str = "", **changes: Any) -> None:
    """Draw a curve; `name_curves` writes its label beside it."""
    ax.plot(x, y, label=label, **({"color": style.colour, "linestyle": style.dash} | changes))


def band(ax: Axes, style: Style, x: Any, low: Any, high: Any) -> None:
    ax.fill_between(x, low, high, color=style.colour, alpha=0.16, linewidth=0)


def regret_axis(ax: Axes) -> None:
    """An axis from 0, or logarithmic if the curves end powers of ten apart."""
    curves = [np.asarray(line.get_ydata(), dtype=float) for line in ax.get_lines()]
    ends = [values[-1] for values in curves]
    if curves and min(ends) > 0 and max(ends) >= POWERS * min(ends):
        least = min(values[values > 0].min() for values in curves)
        ax.set(yscale="log", ylim=(least / 1.5, None))
    else:
        ax.set_ylim(bottom=0)
        ax.yaxis.set_major_formatter("{x:,.10g}")


def name_curves(ax: Axes) -> None:
    """Write the name of each curve to the right of its end, without overlaps."""
    from matplotlib.lines import Line2D

    every: Any = ax.get_lines()
    named = [line for line in every if not str(line.get_label()).startswith("_")]
    ax.margins(x=0)
    figure: Any = ax.figure
    figure.draw_without_rendering()  # the height of the axes is known only after this
    line_height = LABEL_LINE * STYLE["legend.fontsize"] * figure.dpi / 72
    ends = [  # as shares of the panel
        ax.transAxes.inverted().transform(ax.transData.transform(line.get_xydata()[-1]))
        for line in named
    ]
    heights = [float(np.clip(np.nan_to_num(y), 0.0, 1.0)) for _, y in ends]
    places = spread_apart(heights, line_height / ax.get_window_extent().height)
    for line, (x, _), y, place in zip(named, ends, heights, places, strict=True):
        pointer = Line2D([x + 0.01, 1.04], [y, place], linewidth=0.6, color=line.get_color())
        sample = Line2D([1.04, 1.09], [place, place])
        sample.update_from(line)
        sample.set(marker="")
        for piece in (pointer, sample):
            piece.set(transform=ax.transAxes, clip_on=False, label="_")
            ax.add_artist(piece)
        where: Any = {"transform": ax.transAxes, "va": "center", "size": STYLE["legend.fontsize"]}
        ax.text(1.105, place, str(line.get_label()), parse_math=False, **where)


def spread_apart(heights: Sequence[float], gap: float) -> list[float]:
    """Positions close to these heights, in the same order, at least a gap apart; within 0 and 1 if
    they fit.

    >>> [round(place, 2) for place in spread_apart([0.5, 0.2, 0.5, 1.0], 0.1)]
    [0.5, 0.2, 0.6, 1.0]
    """
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    places = list(heights)
    for below, above in pairwise(order):
        places[above] = max(places[above], places[below] + gap)
    top = 1.0
    for i in reversed(order):
        places[i] = min(places[i], top)
        top = places[i] - gap
    return places


def legend_beside(ax: Axes, **changes: Any) -> None:
    """A legend to the right of the panel, for curves that end at the same point."""
    ax.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), borderaxespad=0, **changes)


def legend_below(figure: Figure, marks: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    """A legend under the panels: each name with the style of its mark."""
    from matplotlib.lines import Line2D

    plain: dict[str, Any] = {"color": GREY, "linestyle": ""}
    handles = [Line2D([], [], **{**plain, **style}) for _, style in marks]
    names = [name for name, _ in marks]
    figure.legend(handles, names, ncols=3, loc="outside lower center")
