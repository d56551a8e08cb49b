"""Options that commands share. A group of them is written once and given to a command as a dict
of what was given."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from boundcheck.cli.stopping import remember_store


def option(help: str, *names: str, metavar: str | None = None, **more: Any) -> Any:
    return typer.Option(*names, help=help, metavar=metavar, **more)


class Group(dict[str, tuple[Any, Any]]):
    """Names of options -> what each is, and its default."""

    def without(self, name: str) -> Group:
        return Group((each, kind) for each, kind in self.items() if each != name)


def _one(metavar: str, help: str, kind: Any = str | None, default: Any = None, **more: Any) -> Any:
    return Annotated[kind, option(help, metavar=metavar, **more)], default


Instance = Annotated[
    str,
    typer.Argument(
        metavar="INSTANCE",
        help="A shipped instance (textbook, paper, paper-gaussian, 5g-4g), a TOML file, or - for "
        "standard input.",
    ),
]
Json = Annotated[bool, option("Print JSON (docs/schema.json) on standard output.", "--json")]
Strict = Annotated[
    bool, option("Exit with 1 if something is refuted or an assumption fails.", "--strict")
]
_only = "Only this claim, such as thm-7.1; may be repeated. See `claims`."
Claims = Annotated[list[str] | None, option(_only, "--claim", metavar="ID")]
Effort = Annotated[
    str, option("quick (seconds), standard (a minute) or thorough (an hour).", metavar="EFFORT")
]
_same = "The same seed gives the same numbers."
Seed = Annotated[str, option(_same, metavar="N")]
Runs = Annotated[str, option("Independent runs.", metavar="R")]
CsvFile = Annotated[str | None, option("CSV file to write.", "-o", "--output", metavar="FILE")]
Directory = Annotated[str, option("Directory to write to.", "-o", "--output", metavar="DIR")]
Format = Annotated[str, option("markdown, or html: one page.", "--format", metavar="FORM")]


QUESTION = Group(
    delta=_one("D", "Confidence level, between 0 and 1.  [default: 0.05]"),
    horizon=_one("T", "Slots, such as 1e5 or 10^532.  [default: 1e6]"),
    epsilon=_one("E", "The free epsilon of a regret bound.  [default: what makes it smallest]"),
    threshold=_one("d", "The d of claims that have one.  [default: plays left for the last arm]"),
    samples=_one("n", "The n of claims that have one.  [default: 10]"),
    gamma=_one("g", "The factor of MP-SE-SA's elimination.  [default: 1]"),
    xi=_one("x", "The factor of ETC-UCB's exploration.  [default: 1]"),
    digits=_one("N", "Show this many digits; four for people, 30 in JSON, unless given."),
)
_kept = "Keep finished simulations here: a run that was stopped goes on."
PLACES = Group(
    cluster=_one("ADDRESS", "Simulate on this Dask scheduler, such as tcp://host:8786."),
    store=_one("DIR", _kept, callback=remember_store),
)
_jobs = ("N", "Threads; all processors unless given.")
WORK = Group(seed=_one("N", _same, int, 0, min=0), jobs=_one(*_jobs, int | None, min=1), **PLACES)
RUNNING = Group(seed=(Seed, "0"), jobs=_one(*_jobs), **PLACES)  # numbers as they may be written

Work = Annotated[dict[str, Any], WORK]
Running = Annotated[dict[str, Any], RUNNING]
