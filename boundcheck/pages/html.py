"""Convert markdown to one self-contained HTML page: MathML formulas, inline SVG, no network.

The page adds what markdown lacks: contents, badges for verdicts, an anchor for every claim and
links to it. Only figures named by the caller are included. Its content security policy forbids
scripts and external content, in case foreign markup ever gets into a page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from mdit_py_plugins.anchors import anchors_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin

from boundcheck.pages.colours import DARK, stylesheet
from boundcheck.pages.mathml import formula
from boundcheck.pages.palette import TONE_OF
from boundcheck.pages.writing import rendered

_IMAGE = re.compile(r'<p><img src="([^"]+\.svg)" alt="([^"]*)"[^>]*></p>')
# exactly what `writing.folded_part` writes
_FOLD = re.compile(r"<details markdown=\"1\"><summary>([^<>&]*)</summary>|</details>")
LONG = 40  # a cell with more characters is "long"


def page(
    markdown: str,
    beside: Path,
    figures: Collection[str] = (),
    claims: Mapping[str, str] | None = None,
) -> str:
    """The HTML page for a markdown text.

    figures   our own drawings, in the folder `beside`
    claims    titles by id: each claim gets an anchor, and its id, where it stands alone, a link
    """
    tokens, render = _read(markdown)
    _badges(tokens)
    _long_cells(tokens)
    _anchors(tokens, claims or {})

    def drawing(found: re.Match[str]) -> str:
        return _inline(beside / found[1], found[2]) if found[1] in figures else found[0]

    body = _IMAGE.sub(drawing, render(tokens))
    body = re.sub(r'href="([^"#:]+)\.md(#[^"]*)?"', r'href="\1.html\2"', body)
    headings = [
        (opened.tag, opened.attrGet("id"), "".join(c.content for c in inside.children or ()))
        for opened, inside in pairwise(tokens)
        if opened.type == "heading_open"
    ]
    return rendered(
        "pages/page.html.jinja",
        title=headings[0][2],
        contents=[(anchor, text) for tag, anchor, text in headings if tag == "h2"],
        colours=stylesheet(),
        dark={_variable(colour): dark for colour, dark in DARK.items()},
        body=body,
    )


def _read(markdown: str) -> tuple[list[Token], Callable[[list[Token]], str]]:
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    reader.use(dollarmath_plugin, renderer=_formula, double_inline=True)
    reader.use(anchors_plugin, max_level=3)
    reader.block.ruler.before("paragraph", "fold", _fold, {"alt": ["paragraph"]})
    for rule, markup in (
        ("table_open", '<div class="scroll" tabindex="0"><table>\n'),
        ("table_close", "</table></div>\n"),
    ):
        reader.add_render_rule(rule, lambda *_, markup=markup: markup)
    return reader.parse(markdown), lambda tokens: reader.renderer.render(tokens, reader.options, {})


def _formula(latex: str, options: dict[str, bool]) -> str:
    return formula(latex, bool(options.get("display_mode")))


def _fold(state: StateBlock, line: int, _last: int, silent: bool) -> bool:
    """Parser rule for the only HTML in our markdown: collapsible parts."""
    text = state.getLines(line, line + 1, state.blkIndent, False).strip()
    if not _FOLD.fullmatch(text):
        return False
    if not silent:
        state.line = line + 1
        state.push("html_block", "", 0).content = text.replace(' markdown="1"', "") + "\n"
    return True


def _badges(tokens: Sequence[Token]) -> None:
    """Colour verdicts and severities in bold."""
    for token in tokens:
        for opened, inside in pairwise(token.children or ()):
            if opened.type == "strong_open" and inside.content in TONE_OF:
                opened.attrSet("class", f"badge tone-{TONE_OF[inside.content]}")


def _long_cells(tokens: Sequence[Token]) -> None:
    """Mark cells with sentences, which keep a minimum width where the table scrolls."""
    for cell, inside in pairwise(tokens):
        if cell.type == "td_open" and len(inside.content) > LONG:
            cell.attrSet("class", "long")


def _anchors(tokens: Sequence[Token], claims: Mapping[str, str]) -> None:
    """Add an anchor at the place of each claim, and links to it where its id stands alone."""
    places = {claim: place for claim, place in reversed([*_places(tokens)]) if claim in claims}
    for claim, place in places.items():
        place.attrSet("id", claim)
    for token in tokens:
        children = []
        for child in token.children or ():
            alone = token.content in places or child.type == "code_inline"
            linked = alone and child.content in places
            children += _link(child, claims[child.content]) if linked else [child]
        if token.children:
            token.children = children


def _places(tokens: Sequence[Token]) -> Iterator[tuple[str, Token]]:
    """Possible claim ids and their places: headings, then table rows."""
    for opened, inside in pairwise(tokens):
        if opened.type == "heading_open":
            yield inside.content.partition(":")[0], opened
    for row, cell, inside in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if row.type == "tr_open" and cell.type == "td_open":
            yield inside.content.partition(" ")[0], row


def _link(child: Token, title: str) -> list[Token]:
    attributes: dict[str, Any] = {"href": f"#{child.content}", "title": title, "class": "claim"}
    return [Token("link_open", "a", 1, attributes), child, Token("link_close", "a", -1)]


def _inline(path: Path, caption: str) -> str:
    """The SVG, with ids unique on the page and the page's colours."""
    text = path.read_text(encoding="utf-8")
    drawing = text[text.index("<svg") :]
    stem = re.sub(r"\W", "-", path.stem)
    drawing = re.sub(r'\bid="|url\(#|xlink:href="#', rf"\g<0>{stem}-", drawing)
    for colour in map(str.lower, DARK):
        drawing = drawing.replace(f": {colour}", f": var({_variable(colour)}, {colour})")
    return f'<figure role="img" aria-label="{escape(caption)}">{drawing}</figure>'


def _variable(colour: str) -> str:
    return f"--c{colour[1:].lower()}"
