"""Fill templates with data: markdown, tables and numbers that also read well as plain text."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from traceback import extract_tb
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, UndefinedError

from boundcheck import __version__
from simulation.escaping import code, one_line
from simulation.formatting import number
from simulation.tables import Table

LIBRARIES = ("numpy", "scipy", "numba", "sympy", "mpmath", "python-flint")


def rendered(template: str, **facts: Any) -> str:
    """A filled-in template of the package; an undefined name is an error, not a blank."""
    environment = Environment(
        loader=PackageLoader("boundcheck", "."),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=template.endswith(".html.jinja"),
    )
    environment.filters.update(number=number, code=code)
    environment.globals.update(table=markdown_table, folded=folded_part, section=section)
    text = environment.get_template(template).render(**facts)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def attempted(facts: Mapping[str, Callable[[], Any]]) -> dict[str, Any]:
    """Values for a template; one that cannot be computed raises again in each section that uses
    it.
    """
    found = {}
    for name, compute in facts.items():
        try:
            found[name] = compute()
        except Exception as error:  # a bug must not cost the rest of the page
            found[name] = StrictUndefined(hint=_told(error))
    return found


def section(title: str = "", *, caller: Callable[[], str]) -> str:
    """A part of a page with its heading, if it is not empty. If it cannot be made, the error is
    shown on the page and on standard error, and other parts are unaffected.
    """
    try:
        text = caller().strip()
    except Exception as error:
        told = str(error) if isinstance(error, UndefinedError) else _told(error)
        text = f"**This part could not be made**: {code(told)}"
        line = f"boundcheck: page: {title or 'a part'}: {told}: expected all of the page"
        print(one_line(line, 1000), file=sys.stderr)
    return "\n\n".join(filter(None, (f"## {title}" if title and text else "", text))) + "\n\n"


def _told(error: Exception) -> str:
    """An error, with the line of our code where it occurred."""
    last = extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(last.filename).name}, line {last.lineno})"


def markdown_table(
    headings: Sequence[str], rows: Iterable[Sequence[object]], right: str = ""
) -> str:
    """A markdown table, padded so that it can be read as plain text.

    `right` has an `r` for each right-aligned column.

    >>> print(markdown_table(("arm", "mean"), [(1, 0.5), (10, 0.25)], "rr"))
    | arm | mean |
    |----:|-----:|
    |   1 |  0.5 |
    |  10 | 0.25 |
    """
    signs = zip(headings, right.ljust(len(headings), "l"), strict=True)
    named = {heading for heading, sign in signs if sign == "r"}
    return Table("", headings, [[*map(str, row)] for row in rows], named).markdown()


def provenance() -> str:
    """The versions of libraries on which numbers depend."""
    versions = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return f"boundcheck {__version__} with {versions}"


def folded_part(summary: str, text: str) -> str:
    """A collapsible part of a page, in markdown and on our HTML pages."""
    return f'<details markdown="1"><summary>{summary}</summary>\n\n{text}\n\n</details>'
