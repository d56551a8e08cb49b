"""The documentation site: built strictly, it shows everything and loads nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import boundcheck
import simulation

ROOT = Path(__file__).parents[2]


def test_every_page_of_the_repository_is_there(site: Path) -> None:
    for folder in ("docs", "reports"):
        for page in (ROOT / folder).rglob("*.md"):
            name = page.relative_to(ROOT).with_suffix(".html")
            if page.stem == "README":
                name = name.with_name("index.html")
            assert (site / name).is_file(), name


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = re.findall(r"<(?:script|link|img|iframe)\b[^>]*>", page.read_text())
        assert loaded, page
        assert not [tag for tag in loaded if re.search(r'(?:src|href)="(?:https?:)?//', tag)], page


def test_formulas_are_shown_as_mathml(site: Path) -> None:
    for page in (ROOT / "reports").rglob("*.md"):
        formulas = page.read_text().count("$$") // 2
        if formulas:
            html = (site / page.relative_to(ROOT).with_suffix(".html")).read_text()
            assert html.count("<math") >= formulas, page
            assert "$$" not in html, page


def test_the_reference_has_every_public_name_and_its_example(site: Path) -> None:
    html = (site / "api.html").read_text()
    for package in (boundcheck, simulation):
        for name in package.__all__:
            assert re.search(rf'id="(?:boundcheck|simulation)\.{name}"', html), name
    assert "<blockquote>" not in html, "an example taken for a quotation"


def test_relations_in_a_sentence_are_no_markup(site: Path) -> None:
    html = (site / "docs" / "theorems" / "attainment.html").read_text()
    assert "sum_{k&lt;L} mu_L 1{a_k &gt; m_k}" in html


def test_what_a_page_folds_away_is_read_like_the_rest(tmp_path: Path) -> None:
    folded = '<details markdown="1"><summary>more</summary>\n\n{}\n\n</details>\n'
    table = "| arm | says |\n|---|---|\n| k<L and j>L | $x_1$ |"
    done = made(tmp_path, "# Page\n\n" + folded.format(table))
    html = (tmp_path / "out" / "index.html").read_text()
    assert done.returncode == 0, done.stderr
    assert '<details markdown="1">' in html
    assert "<td><p>k&lt;L and j&gt;L</p></td>" in html
    assert re.search(r"<td><p><math .*</math></p></td>", html)


@pytest.mark.parametrize("link", ["[there](nowhere.md)", "[there](#nowhere)", "![there](no.svg)"])
def test_a_link_that_leads_nowhere_is_an_error(tmp_path: Path, link: str) -> None:
    done = made(tmp_path, f"# Page\n\n{link}\n")
    assert done.returncode != 0
    assert "nowhere" in done.stderr or "no.svg" in done.stderr


def made(folder: Path, markdown: str) -> subprocess.CompletedProcess[str]:
    """A site of one page."""
    (folder / "pages").mkdir()
    (folder / "pages" / "index.md").write_text(markdown)
    command = "import sys, build; sys.exit(build.make(*sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-c", command, str(folder / "pages"), str(folder / "out")],
        cwd=ROOT / "website",
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "website")])},
        capture_output=True,
        text=True,
        check=False,
    )
