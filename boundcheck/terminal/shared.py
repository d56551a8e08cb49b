"""Functions that all commands use: the application, reading input, writing output."""

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
from boundcheck.terminal.progress import clear_line
from boundcheck.theories import DEFAULT, PACKAGES, shipped_theory, theory_of
from simulation.escaping import one_line, printable

if TYPE_CHECKING:
    from boundcheck.theory import Theory
    from simulation.policies import Policy
    from simulation.world.instance import Instance


class _AsWritten:
    """Leaves text unconverted; Typer would import pydantic, a fifth of a short command's time."""

    @staticmethod
    def coerce(value: Any, *, param: Any, ctx: Any) -> Any:
        return () if value is None and param.multiple else value


class Commands(TyperGroup):
    """The commands, grouped in --help by the question they answer. Text and flags are passed
    unchanged; only numbers are converted by Typer.
    """

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


# question -> the commands that answer it, as --help shows them
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
    """Register a command; a parameter whose default is a group of options becomes one for each."""
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
    # functions of commands are private, and `try` is a Python keyword
    app.command(function.__name__.strip("_"))(called)
    return called


def _version(asked: bool) -> None:
    if asked:
        from boundcheck import __version__

        print(f"boundcheck {__version__}")
        raise typer.Exit


_plugins: list[str] = []  # plug-in files of the current command
_named = [DEFAULT]  # the shipped theory of the current command


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
        theory()  # load it now, so that an invalid plug-in is an error for every command


def theory(name: str | None = None) -> Theory:
    """The theory that the command uses: the one named, or that of a plug-in."""
    from boundcheck.plugins import theory_with

    return theory_with(shipped_theory(name or _named[0]), _plugins)


def theory_and_claims(
    claims: list[str] | None, name: str | None = None
) -> tuple[Theory, list[Any] | None]:
    """The theory that the command uses, and the claims by their ids in it; an id such as
    `classic:ucb1` names its theory."""
    return theory_of(claims, theory(name))


def plugins() -> list[str]:
    return [*_plugins]


def policies_named(names: list[str]) -> list[str | Policy]:
    """Policies by name; without plug-ins only shipped ones exist."""
    from boundcheck.plugins import installed, plugin_files

    plugged = installed() or plugin_files(_plugins)
    return [theory().policy(name) for name in names] if plugged else [*names]


def loaded(source: str, output: str | None = None, theory: Theory | None = None) -> Instance:
    """The instance, with warnings, also about a theory's model; the output file is checked before
    the work.
    """
    from simulation.files.writing import require_writable
    from simulation.world.instance import Instance

    instance = Instance.load(source)
    for warning in (
        *instance.warnings,
        *(theory.outside(instance) if theory and theory.outside else ()),
    ):
        say(f"{source}: {warning}: a warning")
    if output is not None:
        require_writable(output)
    return instance


def print_answer(
    command: str,
    instance: Instance | None,
    parameters: dict[str, Any],
    rows: Iterable[Any],
    parts: Iterable[Any],
    json: bool,
) -> None:
    """Print rows as JSON, or parts for people; the other one, if a generator, is not computed."""
    if json:
        from boundcheck.pages.present import envelope

        clear_line()
        print(envelope(command, instance, parameters, list(rows)))
    else:
        show(*parts)


def say(line: str) -> None:
    clear_line()
    print(one_line(line, 1000), file=sys.stderr)


def show(*parts: Any) -> None:
    clear_line()
    width = terminal_width()
    for part in parts:
        shown = hanging(printable(part), width) if isinstance(part, str) else part
        # plain lines that fit need no library of their own, which takes as long as ten bounds
        if isinstance(shown, str) and shown.isascii() and _widest(shown) <= width:
            print(shown)
        else:
            _console(width).print(shown)


def _widest(text: str) -> int:
    return max(map(len, text.split("\n")))


def _console(width: int) -> Any:
    from rich.console import Console

    return Console(width=width, highlight=False, markup=False, emoji=False)


def terminal_width() -> int:
    return shutil.get_terminal_size().columns  # COLUMNS, the terminal, or 80


def hanging(text: str, width: int) -> str:
    """Wrap text: continuation lines are indented like the line; formulas are not wrapped."""
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
