"""Write pages to files, as markdown or HTML."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path

from boundcheck.pages.html import page
from simulation.errors import InputError, shown
from simulation.files.writing import write

FORMATS = ("markdown", "html")


def page_of(
    text: str,
    out: Path,
    name: str,
    form: str,
    figures: Collection[str] = (),
    claims: Mapping[str, str] | None = None,
) -> Path:
    """Write the markdown and, if asked for, the HTML page with these figures.

    Claims (titles by id) get anchors on the page, and links to them. Returns the path of the file
    to open.
    """
    path = out / f"{name}.md"
    write(path, text)
    if form == "html":
        path = out / f"{name}.html"
        linked = re.sub(r"\]\((report|details)\.md", r"](\1.html", text)
        write(path, page(linked, out, figures, claims))
    return path


def known_form(form: str) -> None:
    """Raise for an unknown format, before any work."""
    if form not in FORMATS:
        raise InputError("--format", "format", shown(form), f"one of {', '.join(FORMATS)}")
