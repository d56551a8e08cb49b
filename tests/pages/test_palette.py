"""One palette: figures, written pages and the page of `serve` take their colours from one place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from boundcheck.judging.finding import Severity, Verdict
from boundcheck.pages import palette
from boundcheck.pages.colours import HUES, TONES, name_of, stylesheet

PACKAGE = Path(palette.__file__).parent.parent
COLOUR = re.compile(r"#[0-9a-fA-F]{3}(?:[0-9a-fA-F]{3})?\b")


@pytest.mark.parametrize(
    "path",
    [
        *(PACKAGE / "web" / "static").glob("*.js"),
        *(PACKAGE / "web" / "static").glob("*.css"),
        PACKAGE / "web" / "static" / "index.html",
        PACKAGE / "pages" / "page.html.jinja",
    ],
    ids=lambda path: path.name,
)
def test_no_page_has_colours_of_its_own(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"@media print \{\n.*?\n\}", "", text, flags=re.S)  # black on white
    assert COLOUR.findall(re.sub(r'href="#[^"]*"|url\(#[^)]*\)', "", text)) == []


def test_every_variable_that_the_page_uses_is_defined() -> None:
    style = (PACKAGE / "web" / "static" / "style.css").read_text(encoding="utf-8")
    template = (PACKAGE / "pages" / "page.html.jinja").read_text(encoding="utf-8")
    known = set(re.findall(r"(--[\w-]+):", stylesheet()))
    own = set(re.findall(r"(--[\w-]+):", style))
    assert set(re.findall(r"var\((--[\w-]+)", style)) <= known | own
    assert set(re.findall(r"var\((--[\w-]+)", template)) <= known


def test_every_curve_has_a_named_colour_and_every_verdict_a_tone() -> None:
    drawn = [*palette.ALGORITHMS.values(), *palette.OTHERS, *palette.LOWERS, *palette.UPPERS]
    assert {name_of(hue) for hue in drawn} <= HUES.keys()
    assert palette.BADGES.keys() == {*Verdict, *Severity}
    assert set(palette.BADGES.values()) <= TONES.keys()
