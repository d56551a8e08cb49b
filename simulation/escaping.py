"""Escaping of names and other text from outside, for terminals, markdown, HTML and LaTeX.

Everything that displays such text uses this module: a terminal must not receive escape characters,
and markdown, formulas, HTML and notebooks must not find markup in a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

LONGEST = 200  # characters of a name that are shown; files and JSON keep all

# punctuation that could be markup, except a hyphen or underscore inside a word and a decimal point
_MARKUP = re.compile(r"(?<![^\W_])[-_]|[-_](?![^\W_])|(?<![0-9])\.|\.(?![0-9])|[!-+/:-@\[-^`{-~]")


def printable(text: str) -> str:
    """Text without characters that control a terminal or reorder text; line breaks are kept.

    >>> printable("a\\x1b[31mb")
    'a?[31mb'
    """
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in text)


def one_line(text: str, limit: int = LONGEST) -> str:
    """Printable text on one line, cut where it is too long.

    >>> one_line("two\\nlines"), one_line("a long name", 8)
    ('two lines', 'a lon...')
    """
    line = printable(" ".join(text.split()))
    return line if len(line) <= limit else line[: limit - 3] + "..."


def markdown(text: str) -> str:
    """Text for markdown, including tables, that is displayed literally.

    >>> markdown("paper-gaussian"), markdown("*a|b* $x$")
    ('paper-gaussian', '&#42;a&#124;b&#42; &#36;x&#36;')
    """
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", one_line(text))


def code(text: str) -> str:
    """Text as inline code in markdown; not for tables, where a pipe ends the cell.

    >>> print(code("paper"), code("a`b"), code("`"))
    `paper` ``a`b`` `` ` ``
    """
    line = one_line(text)
    if not line:
        return ""
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    apart = " " if "`" in (line[0], line[-1]) else ""
    return f"{fence}{apart}{line}{apart}{fence}"


def html(text: str) -> str:
    """Text for HTML. Notebooks also look for formulas, but not across elements.

    >>> html("<b>$x$")
    '&lt;b&gt;<span>$</span>x<span>$</span>'
    """
    return re.sub(r"[$\\]", r"<span>\g<0></span>", escape(printable(text)))


def html_table(headings: Iterable[str], rows: Iterable[Sequence[str]], caption: str) -> str:
    """An HTML table for a notebook; all cells are escaped."""
    lines = [("th", headings), *(("td", row) for row in rows)]
    body = "".join(
        "<tr>" + "".join(f"<{tag}>{html(cell)}</{tag}>" for cell in cells) + "</tr>"
        for tag, cells in lines
    )
    return f"<table><caption>{html(caption)}</caption>{body}</table>"
