"""The first rows of the almanac, as README.md shows them.

python tools/readme_almanac.py    writes them into README.md, in the place of those that are there
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE, README = ROOT / "reports" / "almanac" / "almanac.md", ROOT / "README.md"
HEAD = ["| result | verdict | bound over simulated regret |", "|---|---|---|"]
ROWS, COLUMNS = 5, ("result", "verdict", "bound over actual")


def first_rows(page: str) -> list[str]:
    """The first rows of the page's table, of these columns alone."""
    lines = [line for line in page.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    chosen = [cells[0].index(name) for name in COLUMNS]
    return [f"| {' | '.join(row[k] for k in chosen)} |" for row in cells[2 : 2 + ROWS]]


def with_rows(readme: str, page: str) -> str:
    """The text of README.md with these rows below the head of its table."""
    lines = readme.splitlines()
    start = lines.index(HEAD[0]) + len(HEAD)
    end = next(n for n in range(start, len(lines)) if not lines[n].startswith("|"))
    return "\n".join([*lines[:start], *first_rows(page), *lines[end:], ""])


if __name__ == "__main__":
    README.write_text(with_rows(README.read_text("utf-8"), PAGE.read_text("utf-8")), "utf-8")
