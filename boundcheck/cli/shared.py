"""What all commands share: the application, common options, reading input, writing output."""

from __future__ import annotations

import shutil
import sys
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from boundcheck.cli.stopping import remember_store
from simulation.escaping import one_line, printable

if TYPE_CHECKING:
    from boundcheck.question import Question
    from boundcheck.theory import Theory
    from simulation.instance import Instance
    from simulation.policies import Policy


class _AsWritten:
    """Text needs no conversion, and Typer imports pydantic for it: a fifth of a short command."""

    @staticmethod
    def coerce(value: Any, *, param: Any, ctx: Any) -> Any:
        return () if value is None and param.multiple else value


class Commands(TyperGroup):
    """The commands, listed by the question they answer; text and flags are taken as they are
    written, numbers are for Typer."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _unconverted(super().get_params(ctx))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            _unconverted(command.get_params(ctx))
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        listed = dict(self.commands)
        others = {"Others": tuple(set(listed) - {n for names in QUESTIONS.values() for n in names})}
        for question, names in (QUESTIONS | others).items():
            rows = [(n, listed[n].get_short_help_str(66)) for n in names if n in listed]
            if rows:
                with formatter.section(question):
                    formatter.write_dl(rows)


def _unconverted(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        described = getattr(parameter, "type_descriptor", None)  # Typer before 0.29 has none
        if described is not None and described.annotation in (str, list[str], bool):
            parameter._runtime_param = _AsWritten
    return parameters


# the question a command answers -> its commands, as --help shows them
QUESTIONS = {
    "What the theory says": ("claims", "bounds", "check", "sweep"),
    "Whether it is true": ("verify", "falsify", "proofs", "selftest"),
    "What happens": ("policies", "simulate", "estimate"),
    "All of it, to read": ("report", "audit", "figures", "plot"),
    "To begin": ("init", "serve"),
}


app = typer.Typer(
    name="boundcheck",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        from boundcheck import __version__

        print(f"boundcheck {__version__}")
        raise typer.Exit


def option(help: str, *names: str, metavar: str | None = None, **more: Any) -> Any:
    return typer.Option(*names, help=help, metavar=metavar, **more)


InstanceName = Annotated[
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
Claims = Annotated[
    list[str] | None,
    option(
        "Only this claim, such as thm-7.1; may be repeated. See `claims`.", "--claim", metavar="ID"
    ),
]
Effort = Annotated[
    str, option("quick (seconds), standard (a minute) or thorough (an hour).", metavar="EFFORT")
]
Seed = Annotated[int, option("The same seed gives the same numbers.", metavar="N", min=0)]
Jobs = Annotated[int | None, option("Threads; all processors unless given.", metavar="N", min=1)]
Cluster = Annotated[
    str | None,
    option("Simulate on this Dask scheduler, such as tcp://host:8786.", metavar="ADDRESS"),
]
StoreFolder = Annotated[
    str | None,
    option(
        "Keep finished simulations here: a run that was stopped goes on.",
        metavar="DIR",
        callback=remember_store,
    ),
]
Delta = Annotated[
    str | None, option("Confidence level, between 0 and 1.  [default: 0.05]", metavar="D")
]
Horizon = Annotated[
    str | None, option("Slots, such as 1e5 or 10^532.  [default: 1e6]", metavar="T")
]
Epsilon = Annotated[
    str | None,
    option("The free epsilon of a regret bound.  [default: what makes it smallest]", metavar="E"),
]
Threshold = Annotated[
    str | None,
    option("The d of claims that have one.  [default: plays left for the last arm]", metavar="d"),
]
Samples = Annotated[
    str | None, option("The n of claims that have one.  [default: 10]", metavar="n")
]
Gamma = Annotated[
    str | None, option("The factor of MP-SE-SA's elimination.  [default: 1]", metavar="g")
]
Xi = Annotated[
    str | None, option("The factor of ETC-UCB's exploration.  [default: 1]", metavar="x")
]
Digits = Annotated[
    str | None,
    option("Show this many digits; four for people, 30 in JSON, unless given.", metavar="N"),
]
Runs = Annotated[str, option("Independent runs.", metavar="R")]
SeedText = Annotated[str, option("The same seed gives the same numbers.", metavar="N")]
JobsText = Annotated[str | None, option("Threads; all processors unless given.", metavar="N")]
CsvFile = Annotated[str | None, option("CSV file to write.", "-o", "--output", metavar="FILE")]
Directory = Annotated[str, option("Directory to write to.", "-o", "--output", metavar="DIR")]
Format = Annotated[str, option("markdown, or html: one page.", "--format", metavar="FORM")]

_plugins: list[str] = []  # files named for the command that runs


@app.callback()
def plug_in(
    plugin: Annotated[
        list[str] | None,
        option("Claims, policies or a theory of your own; may be repeated.", metavar="FILE.py"),
    ] = None,
    version: Annotated[
        bool, option("Print the version.", "--version", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Is a published bandit theory true, where does it apply, how tight is it?

    Begin with `boundcheck bounds paper` and `boundcheck report paper`.
    """
    _plugins[:] = plugin or ()
    if _plugins:
        theory()  # a plug-in that cannot be used is an error whatever the command


def theory() -> Theory:
    """The theory that the command speaks of: the paper's, or that of a plug-in."""
    from boundcheck.plugins import theory_with

    return theory_with(_plugins)


def plugins() -> list[str]:
    """The files named for the command that runs."""
    return [*_plugins]


def policies(names: list[str]) -> list[str | Policy]:
    """Policies by name; without plug-ins there are only those that are shipped."""
    from boundcheck.plugins import modules

    return [theory().policy(name) for name in names] if modules(_plugins) else [*names]


def asked(**given: str | None) -> Question:
    from boundcheck.question import Question

    chosen: dict[str, Any] = {name: text for name, text in given.items() if text is not None}
    return Question(**chosen)


def loaded(source: str) -> Instance:
    from simulation.instance import Instance

    instance = Instance.load(source)
    for warning in instance.warnings:
        say(f"{source}: {warning}: a warning")
    return instance


def say(line: str) -> None:
    print(one_line(line, 1000), file=sys.stderr)


def show(*parts: Any) -> None:
    from rich.console import Console

    width = shutil.get_terminal_size().columns  # COLUMNS, the terminal, or 80
    console = Console(width=width, highlight=False, markup=False, emoji=False)
    for part in parts:
        console.print(_hanging(printable(part), width) if isinstance(part, str) else part)


def _hanging(text: str, width: int) -> str:
    """Indented prose goes on below itself, not at the margin; formulas stay as they are drawn."""
    return "\n".join(
        fill(line, width, subsequent_indent=" " * (len(line) - len(line.lstrip()) + 2))
        if line.startswith(" ") and line.isascii() and len(line) > width
        else line
        for line in text.split("\n")
    )
