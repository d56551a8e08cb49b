"""Names are text: whatever an instance is called, it is shown and never obeyed.

Every place that shows words from outside takes them from here: a terminal must not receive escape
characters, and markdown, formulas, HTML and notebooks must not find markup in a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

LONGEST = 200  # characters of a name; the file and the JSON keep all of it

# punctuation that could be markup; a hyphen or underscore inside a word and the point of a number
# are not
_MARKUP = re.compile(r"(?<![^\W_])[-_]|[-_](?![^\W_])|(?<![0-9])\.|\.(?![0-9])|[!-+/:-@\[-^`{-~]")


def printable(text: str) -> str:
    """Text without characters that steer a terminal or reorder what is read; lines stay.

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
    """Text for a place in markdown, tables included, that reads as itself.

    >>> markdown("paper-gaussian"), markdown("*a|b* $x$")
    ('paper-gaussian', '&#42;a&#124;b&#42; &#36;x&#36;')
    """
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", one_line(text))


def code(text: str) -> str:
    """Text as code in markdown, outside of tables (a pipe would end the cell).

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
    """Text for HTML. Notebooks also look for formulas in it, but never across an element.

    >>> html("<b>$x$")
    '&lt;b&gt;<span>$</span>x<span>$</span>'
    """
    return re.sub(r"[$\\]", r"<span>\g<0></span>", escape(printable(text)))


def html_table(headings: Iterable[str], rows: Iterable[Sequence[str]], caption: str) -> str:
    """A table for a notebook, all of it text."""
    lines = [("th", headings), *(("td", row) for row in rows)]
    body = "".join(
        "<tr>" + "".join(f"<{tag}>{html(cell)}</{tag}>" for cell in cells) + "</tr>"
        for tag, cells in lines
    )
    return f"<table><caption>{html(caption)}</caption>{body}</table>"
