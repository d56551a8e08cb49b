"""Tables of results, for text, terminal, notebook, markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simulation.escaping import html_table, printable
from simulation.files.writing import write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame
    from rich.table import Table as RichTable

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
LONGEST_NAME = 28  # characters of the first column that are kept on one line


@dataclass(frozen=True)
class Table:
    """Formatted cells, shown the same way in text, terminal, notebook, markdown and LaTeX.

    `right` names the right-aligned columns; None: all but the first.

    >>> cells = [("1", "0.5"), ("10", "0.25")]
    >>> print(Table("", ("arm", "mean"), cells, ("arm", "mean")).markdown())
    | arm | mean |
    |----:|-----:|
    |   1 |  0.5 |
    |  10 | 0.25 |
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Collection[str] | None = None

    def _to_the_right(self) -> list[bool]:
        if self.right is None:
            return [position > 0 for position in range(len(self.headings))]
        return [heading in self.right for heading in self.headings]

    def __str__(self) -> str:
        lines = [self.headings, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join([self.title, *(_aligned(line, widths) for line in lines)])

    def __rich__(self) -> RichTable:
        from rich import box
        from rich.table import Table as RichTable
        from rich.text import Text

        title = Text(self.title, "table.title")  # as Text, so that brackets are not markup
        table = RichTable(title=title, title_justify="left", box=box.SIMPLE_HEAD)
        table.padding, table.pad_edge = (0, 1, 0, 0), False  # so that a summary fits 80 columns
        names_fit = all(len(row[0]) <= LONGEST_NAME for row in self.rows)  # then they are unbroken
        for position, (heading, right) in enumerate(
            zip(self.headings, self._to_the_right(), strict=True)
        ):
            table.add_column(
                heading,
                justify="right" if right else "left",
                overflow="fold",
                no_wrap=position == 0 and names_fit,
            )
        for row in self.rows:
            table.add_row(*(Text(printable(cell)) for cell in row))
        return table

    def markdown(self, *, padded: bool = True) -> str:
        """The table in markdown, padded so that it can be read as plain text."""
        cells = [[c.replace("|", "\\|").replace("\n", " ") for c in row] for row in self.rows]
        columns = zip(*(self.headings, *cells), strict=True)
        widths = [min(60, max(map(len, column))) if padded else 0 for column in columns]
        right = self._to_the_right()

        def line(row: Sequence[str]) -> str:
            set_out = (
                f"{c:{'>' if r else '<'}{w}}" for c, r, w in zip(row, right, widths, strict=True)
            )
            return f"| {' | '.join(set_out)} |"

        rules = ("-" * max(w + 1, 2) + "-:"[r] for w, r in zip(widths, right, strict=True))
        return "\n".join([line(self.headings), f"|{'|'.join(rules)}|", *map(line, cells)])

    def to_latex(self) -> str:
        lines = [" & ".join(map(latex, row)) + r" \\" for row in (self.headings, *self.rows)]
        columns = "l" + "r" * (len(self.headings) - 1)
        rules = [lines[0], r"\midrule", *lines[1:]]
        inside = "\n".join([r"\toprule", *rules, r"\bottomrule"])
        return f"\\begin{{tabular}}{{{columns}}}\n{inside}\n\\end{{tabular}}\n"

    def _repr_html_(self) -> str:
        return html_table(self.headings, self.rows, self.title)


class Tabular:
    """A result that is displayed as a table, and saved as CSV with all digits."""

    def summary(self) -> Table:
        """The table that is printed."""
        raise NotImplementedError(type(self).__name__)

    def cells(self) -> dict[str, list[Any]]:
        """All columns by heading, with numbers as numbers."""
        raise NotImplementedError(type(self).__name__)

    def __str__(self) -> str:
        return str(self.summary())

    def __rich__(self) -> RichTable:
        return self.summary().__rich__()

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str:
        """CSV text with all digits, also written to `path` if given.

        >>> from simulation import Instance
        >>> from simulation.running.estimation import estimate
        >>> found = estimate(Instance.load("paper"), arm=1, samples=3, runs=10)
        >>> found.to_csv().splitlines()[0][:32]
        'samples,individual,united,right,'
        """
        cells = self.cells()
        text = csv_text(list(cells), zip(*cells.values(), strict=True))
        if path is not None:
            write(path, text)
        return text

    def to_latex(self) -> str:
        """The printed table in LaTeX (package booktabs).

        >>> from simulation import Instance
        >>> from simulation.running.estimation import estimate
        >>> found = estimate(Instance.load("paper"), arm=1, samples=1, runs=10)
        >>> print(found.to_latex().splitlines()[0])
        \\begin{tabular}{lrrrrrrr}
        """
        return self.summary().to_latex()

    def to_pandas(self) -> DataFrame:
        """All columns as a data frame; needs pandas."""
        try:
            from pandas import DataFrame
        except ImportError:
            raise ImportError("to_pandas needs pandas: pip install pandas") from None

        return DataFrame(self.cells())


_LATEX = {
    **{character: "\\" + character for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


def latex(text: str) -> str:
    """Text for LaTeX, with special characters escaped.

    >>> print(latex("50 % of m_1"))
    50 \\% of m\\_1
    """
    return "".join(_LATEX.get(character, character) for character in text)


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = zip(cells, widths, strict=True)
    return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)])


def counted(count: int, thing: str) -> str:
    """A count with its noun.

    >>> counted(1, "claim"), counted(1200, "slot")
    ('1 claim', '1,200 slots')
    """
    return f"{count:,} {thing}" + "s" * (count != 1)


def plain(value: Any) -> Any:
    """Numbers for JSON: those that are not finite become null."""
    if np.ndim(value):
        return [plain(item) for item in value]
    return float(value) if np.isfinite(value) else None


def csv_text(headings: Sequence[str], lines: Iterable[Iterable[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(headings)
    writer.writerows(lines)
    return out.getvalue()


def write_csv(
    path: str | os.PathLike[str], headings: Sequence[str], lines: Iterable[Iterable[object]]
) -> None:
    """Write lines as CSV, completely or not at all."""
    write(path, csv_text(headings, lines))


def axes(ax: Axes | None) -> Axes:
    """The given axes, or those of a new figure."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]
