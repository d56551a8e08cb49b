"""Options that commands share, as defaults of their parameters. A group of options is defined once,
and passed to a command as a dictionary.
"""

from __future__ import annotations

from typing import Any

import typer

from boundcheck.terminal.stopping import remember_store
from boundcheck.theories import OPTIONS, PACKAGES


def option(default: Any, help: str, metavar: str | None = None, *names: str, **more: Any) -> Any:
    return typer.Option(default, *names, help=help, metavar=metavar, **more)


def argument(default: Any, help: str, metavar: str) -> Any:
    return typer.Argument(default, help=help, metavar=metavar)


class Group(dict[str, tuple[Any, Any]]):
    """Names of options with the type and default of each."""


def _text(metavar: str, help: str, **more: Any) -> tuple[Any, Any]:
    return str | None, option(None, help, metavar, **more)


_shipped = "A shipped instance (paper, paper-gaussian, textbook, 5g-4g, certain, ...)"
INSTANCE = argument(..., f"{_shipped}, a TOML file, or - for standard input.", "INSTANCE")
JSON = option(False, "Print JSON (docs/schema.json) on standard output.", None, "--json")
_strict = "Exit with 1 if something is refuted or an assumption fails."
STRICT = option(False, _strict, None, "--strict")
_only = "Only this claim, such as thm-7.1 or classic:ucb1; may be repeated. See `claims`."
CLAIMS = option(None, _only, "ID", "--claim")
_about = f"The theory that this command is about: {' or '.join(PACKAGES)}."
THEORY = option(None, _about, "NAME", "--theory")
_efforts = "quick (under a minute), standard (minutes) or thorough (an hour)."
EFFORT = option("standard", _efforts, "EFFORT")
CSV = option(None, "CSV file to write.", "FILE", "-o", "--output")
FORMAT = option("markdown", "markdown, or html: one page.", "FORM", "--format")
_same = "The same seed gives the same numbers."
SEED = option("0", _same, "N")


def directory(name: str) -> Any:
    return option(name, "Directory to write to.", "DIR", "-o", "--output")


def runs(count: str) -> Any:
    return option(count, "Independent runs.", "R")


QUESTION: Any = Group(
    delta=_text("D", "Confidence level, between 0 and 1.  [default: 0.05]"),
    horizon=_text("T", "Slots, such as 1e5 or 10^532.  [default: 1e6]"),
    epsilon=_text(
        "E",
        "The free epsilon of a bound.  [default: what makes it, or its sum over arms, smallest]",
    ),
    samples=_text("n", "Number of explorations n, in claims about one size.  [default: 10]"),
    **{name: _text(*words) for name, words in OPTIONS.items()},
    digits=_text("N", "Show this many digits; four for people, 30 in JSON, unless given."),
)
WITHOUT_DIGITS: Any = Group((name, kind) for name, kind in QUESTION.items() if name != "digits")
_kept = "Keep finished simulations here; an interrupted command continues."
PLACES = Group(
    cluster=_text("ADDRESS", "Simulate on this Dask scheduler, such as tcp://host:8786."),
    store=_text("DIR", _kept, callback=remember_store),
)
_jobs = "Threads; all processors unless given."
WORK: Any = Group(
    seed=(int, option(0, _same, "N", min=0)),
    jobs=(int | None, option(None, _jobs, "N", min=1)),
    **PLACES,
)
RUNNING: Any = Group(seed=(str, SEED), jobs=_text("N", _jobs), **PLACES)  # numbers are kept as text
