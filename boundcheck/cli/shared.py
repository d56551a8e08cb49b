"""What all commands share: the application, common options, reading input, writing output."""

from __future__ import annotations

import shutil
import sys
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
    """The commands; text and flags are taken as they are written, numbers are for Typer."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _unconverted(super().get_params(ctx))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            _unconverted(command.get_params(ctx))
        return command


def _unconverted(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        described = getattr(parameter, "type_descriptor", None)  # Typer before 0.29 has none
        if described is not None and described.annotation in (str, list[str], bool):
            parameter._runtime_param = _AsWritten
    return parameters


app = typer.Typer(
    name="boundcheck",
    cls=Commands,
    help="Is a published bandit theory true, where does it apply, how tight is it?",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

InstanceName = Annotated[str, typer.Argument(metavar="INSTANCE", help="Name, TOML file, or -.")]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]
Strict = Annotated[bool, typer.Option("--strict", help="Exit 1 if something fails.")]
Claims = Annotated[list[str] | None, typer.Option("--claim", help="Only this claim; repeatable.")]
Cluster = Annotated[str | None, typer.Option(help="Address of a Dask scheduler.")]
StoreFolder = Annotated[
    str | None,
    typer.Option(help="Directory of finished chunks, found again.", callback=remember_store),
]
Text = Annotated[str | None, typer.Option()]

_plugins: list[str] = []  # files named for the command that runs


@app.callback()
def plug_in(
    plugin: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE.py", help="Claims, policies or a theory; repeatable."),
    ] = None,
) -> None:
    """Is a published bandit theory true, where does it apply, how tight is it?"""
    _plugins[:] = plugin or ()
    if _plugins:
        theory()  # a plug-in that cannot be used is an error whatever the command


def theory() -> Theory:
    """The theory that the command speaks of: the paper's, or that of a plug-in."""
    from boundcheck.plugins import theory_with

    return theory_with(_plugins)


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
        console.print(printable(part) if isinstance(part, str) else part)
