"""Whether a document carries more than text: scripts, links, foreign images, escape sequences."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

FORBIDDEN = {"script", "iframe", "object", "embed", "form", "base", "link", "frame", "applet"}
ADDRESSES = {"href", "src", "xlink:href", "action", "formaction", "data", "poster", "srcset"}
SCHEMES = {"", "http", "https", "data"}  # data: figures; what must not be asked for is marked
MARK = "evil.example"  # stands in every address that a name carries
SECRET = "SECRET-OF-A-LOCAL-FILE"  # stands in a file that no page may take in
_BIDI = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def controls(text: str) -> list[str]:
    """Characters that move a cursor or colour a terminal, turn writing around, or are no text."""
    kinds = {"Cc", "Cs"}
    found = {c for c in text if c not in "\n\t" and unicodedata.category(c) in kinds}
    return sorted(map(ascii, found | (_BIDI & set(text))))


class Page(HTMLParser):
    """The elements of a page, and what in it is active; drawings are counted as one element."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: Counter[str] = Counter()
        self.active: list[str] = []
        self._drawings = 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self._drawings += tag == "svg"
        bare = tag == "span" and not attributes  # says nothing: it may keep a $ from being math
        if not self._drawings and not bare:
            self.elements[tag] += 1
        if tag in FORBIDDEN:
            self.active.append(f"<{tag}>")
        self.active += _active(dict(attributes))

    def handle_endtag(self, tag: str) -> None:
        self._drawings -= tag == "svg"


def _active(attributes: dict[str, str | None]) -> Iterator[str]:
    for name, value in attributes.items():
        address = "".join((value or "").split()).lower()
        if name.startswith("on"):
            yield f"{name}="
        elif name in ADDRESSES and (urlsplit(address).scheme not in SCHEMES or MARK in address):
            yield f"{name}={address[:40]}"


def page_of(markdown: str) -> Page:
    """The page a reader of the markdown sees who is given everything: raw HTML, tables, math."""
    reader = MarkdownIt("commonmark", {"html": True}).enable("table").use(dollarmath_plugin)
    return Page(reader.render(markdown))
