"""README.md shows the first rows of the almanac that is committed."""

from __future__ import annotations

import readme_almanac
from readme_almanac import PAGE, README, ROWS


def test_readme_shows_the_first_rows_of_the_almanac() -> None:
    readme, page = README.read_text(encoding="utf-8"), PAGE.read_text(encoding="utf-8")
    rows = readme_almanac.first_rows(page)
    assert len(rows) == ROWS
    assert all(row.startswith("| `") and "**" in row for row in rows)
    assert readme_almanac.with_rows(readme, page) == readme, "python tools/readme_almanac.py"
    assert readme_almanac.with_rows(readme, page.replace("**supported**", "**new**")) != readme
