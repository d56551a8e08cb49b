"""How figures look and how they are saved: legible at column width, safe for the colour-blind.

Colours are those of Okabe and Ito; every curve also differs by its dash or marker. SVG files hold
text as text and no dates or random names, so the same data give the same bytes.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simulation.files import write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PINK, SKY, BLACK, GREY = "#CC79A7", "#56B4E9", "#222222", "#8A8A8A"
CYCLE: tuple[tuple[str, Any], ...] = (
    (BLUE, "-"),
    (RED, "--"),
    (GREEN, "-."),
    (ORANGE, (0, (5, 1))),
    (PINK, ":"),
    (SKY, (0, (3, 1, 1, 1))),
    (BLACK, (0, (1, 1))),
    (GREY, "-"),
)

COLUMN, HALF_HEIGHT = 6.2, 2.9  # inches: the width of a text column, and a good height for it

STYLE: Any = {
    "font.size": 9,
    "font.family": "sans-serif",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "grid.alpha": 0.25,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.6,
    "figure.constrained_layout.use": True,
    "figure.facecolor": "white",
    "svg.fonttype": "none",
    "svg.hashsalt": "boundcheck",
    "path.simplify_threshold": 1.0,
}


@contextmanager
def canvas(
    columns: int = 1,
    width: float = COLUMN,
    height: float = HALF_HEIGHT,
    **layout: Any,
) -> Iterator[tuple[Figure, Any]]:
    """A figure and its axes in this project's style, without any window."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(width, height))
        FigureCanvasAgg(figure)
        yield figure, figure.subplots(1, columns, **layout)


PIXELS_PER_INCH = 200  # of a PNG: sharp on a slide


def save(figure: Figure, path: Path) -> None:
    """Write the figure, as SVG or PNG by the file's name; the same data give the same bytes."""
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


def curve(ax: Axes, position: int, x: Any, y: Any, label: str, **changes: Any) -> None:
    """The curve in this position of the colour cycle."""
    colour, dash = CYCLE[position % len(CYCLE)]
    ax.plot(x, y, label=label, **({"color": colour, "linestyle": dash} | changes))


def band(ax: Axes, position: int, x: Any, low: Any, high: Any) -> None:
    ax.fill_between(x, low, high, color=CYCLE[position % len(CYCLE)][0], alpha=0.18, linewidth=0)


def standard_band(runs: Any) -> tuple[np.ndarray, np.ndarray]:
    """Mean regret plus and minus 1.96 standard errors (a 95 % band at each slot)."""
    half = 1.96 * np.nan_to_num(runs.standard_error)
    return np.maximum(runs.mean - half, 0.0), runs.mean + half


def marks(ax: Axes, places: Sequence[tuple[float, str, str]]) -> None:
    """Vertical lines with their names in the legend."""
    for position, (x, label, colour) in enumerate(places):
        dash: Any = ("--", ":", "-.")[position % 3]
        ax.axvline(x, color=colour, linestyle=dash, linewidth=1.1, label=label)
