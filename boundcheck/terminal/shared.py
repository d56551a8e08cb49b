"""What all commands share: the application, reading input, writing output."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from inspect import Parameter, Signature, signature
from textwrap import fill
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from boundcheck.terminal.options import Group, option
from boundcheck.terminal.progress import clear
from boundcheck.theories import DEFAULT, PACKAGES, shipped
from simulation.escaping import one_line, printable

if TYPE_CHECKING:
    from boundcheck.theory import Theory
    from simulation.policies import Policy
    from simulation.world.instance import Instance


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
    "Whether it is true": ("try", "verify", "falsify", "proofs", "selftest"),
    "What happens": ("policies", "simulate", "estimate"),
    "All of it, to read": ("report", "audit", "almanac", "figures", "plot"),
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


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Add a command; a parameter whose default is a group of options stands for each of them."""
    groups: dict[str, Group] = {}
    parameters: list[Parameter] = []
    for parameter in signature(function, eval_str=True).parameters.values():
        if isinstance(parameter.default, Group):
            groups[parameter.name] = parameter.default
            parameters += [
                parameter.replace(name=name, annotation=kind, default=option)
                for name, (kind, option) in parameter.default.items()
            ]
        else:
            parameters.append(parameter)

    @wraps(function)
    def called(**given: Any) -> None:
        for name, group in groups.items():
            asked = {each: given.pop(each) for each in group}
            given[name] = {each: value for each, value in asked.items() if value is not None}
        function(**given)

    called.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {each.name: each.annotation for each in parameters}
    # `try` is a word of Python: its function ends in an underscore
    app.command(function.__name__.strip("_"))(called)
    return called


def _version(asked: bool) -> None:
    if asked:
        from boundcheck import __version__

        print(f"boundcheck {__version__}")
        raise typer.Exit


_plugins: list[str] = []  # files named for the command that runs
_named = [DEFAULT]  # the shipped theory that it is about


@app.callback()
def plug_in(
    plugin: list[str] | None = option(
        None, "Claims, policies or a theory of your own; may be repeated.", "FILE.py"
    ),
    theory_name: str = option(
        DEFAULT, f"The theory that commands are about: {' or '.join(PACKAGES)}.", "NAME", "--theory"
    ),
    version: bool = option(
        False, "Print the version.", None, "--version", callback=_version, is_eager=True
    ),
) -> None:
    """Is a published bandit theory true, where does it apply, how tight is it?

    Begin with `boundcheck bounds paper`, `boundcheck verify paper --effort quick` and
    `boundcheck report paper`.
    """
    _plugins[:], _named[0] = plugin or (), theory_name
    if _plugins or theory_name != DEFAULT:
        theory()  # a plug-in that cannot be used is an error whatever the command


def theory() -> Theory:
    """The theory that the command is about: the one named, or that of a plug-in."""
    from boundcheck.plugins import theory_with

    return theory_with(shipped(_named[0]), _plugins)


def plugins() -> list[str]:
    return [*_plugins]


def policies_named(names: list[str]) -> list[str | Policy]:
    """Policies by name; without plug-ins there are only those that are shipped."""
    from boundcheck.plugins import installed, named

    plugged = installed() or named(_plugins)
    return [theory().policy(name) for name in names] if plugged else [*names]


def loaded(source: str, output: str | None = None) -> Instance:
    """The instance; where its answer will be written is looked at before the work."""
    from simulation.files.writing import require_writable
    from simulation.world.instance import Instance

    instance = Instance.load(source)
    for warning in instance.warnings:
        say(f"{source}: {warning}: a warning")
    if output is not None:
        require_writable(output)
    return instance


def answer(
    command: str,
    instance: Instance | None,
    parameters: dict[str, Any],
    rows: Iterable[Any],
    parts: Iterable[Any],
    json: bool,
) -> None:
    """Rows as JSON, or parts for people: the other is not even computed if it is a generator."""
    if json:
        from boundcheck.pages.present import envelope

        clear()
        print(envelope(command, instance, parameters, list(rows)))
    else:
        show(*parts)


def say(line: str) -> None:
    clear()
    print(one_line(line, 1000), file=sys.stderr)


def show(*parts: Any) -> None:
    from rich.console import Console

    clear()
    width = terminal_width()
    console = Console(width=width, highlight=False, markup=False, emoji=False)
    for part in parts:
        console.print(hanging(printable(part), width) if isinstance(part, str) else part)


def terminal_width() -> int:
    return shutil.get_terminal_size().columns  # COLUMNS, the terminal, or 80


def hanging(text: str, width: int) -> str:
    """Indented prose goes on below itself, not at the margin; formulas stay as they are drawn."""
    return "\n".join(
        fill(
            line,
            width,
            subsequent_indent=" " * (len(line) - len(line.lstrip()) + 2),
            break_on_hyphens=False,
        )
        if line.isascii() and len(line) > width
        else line
        for line in text.split("\n")
    )
