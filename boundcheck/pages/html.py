"""Markdown to one self-contained page: formulas as MathML, figures as inline SVG, no network.

Only the figures named by the caller are taken into the page. Its content security policy forbids
scripts and everything from elsewhere, should markup ever get there that is not ours.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from html import escape
from pathlib import Path

from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from mdit_py_plugins.anchors import anchors_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin

from boundcheck.pages.writing import rendered

_IMAGE = re.compile(r'<img src="([^"]+\.svg)" alt="([^"]*)"[^>]*>')


def page(markdown: str, beside: Path, figures: Collection[str] = ()) -> str:
    """The page for a markdown text; `figures` are our own drawings, in the folder `beside`."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    reader.use(dollarmath_plugin, renderer=_formula, double_inline=True)
    reader.use(anchors_plugin, max_level=3)

    def drawing(found: re.Match[str]) -> str:
        return _inline(beside / found[1], found[2]) if found[1] in figures else found[0]

    tokens = reader.parse(markdown)
    body = _IMAGE.sub(drawing, reader.renderer.render(tokens, reader.options, {}))
    body = re.sub(r'href="([^"#:]+)\.md(#[^"]*)?"', r'href="\1.html\2"', body)
    title = "".join(piece.content for piece in tokens[1].children or ())  # of the first heading
    return rendered("page.html.jinja", title=title, body=body)


def _formula(latex: str, options: dict[str, bool]) -> str:
    display = "block" if options.get("display_mode") else "inline"
    return convert(latex, display=display)


def _inline(path: Path, caption: str) -> str:
    """The drawing itself, its ids made unique on the page."""
    text = path.read_text(encoding="utf-8")
    drawing = text[text.index("<svg") :]
    stem = re.sub(r"\W", "-", path.stem)
    drawing = re.sub(r'\bid="([^"]+)"', rf'id="{stem}-\1"', drawing)
    drawing = re.sub(r"url\(#([^)]+)\)", rf"url(#{stem}-\1)", drawing)
    drawing = re.sub(r'xlink:href="#([^"]+)"', rf'xlink:href="#{stem}-\1"', drawing)
    return f'<figure role="img" aria-label="{escape(caption)}">{drawing}</figure>'
