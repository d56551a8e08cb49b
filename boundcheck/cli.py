"""The command line: every command is one call in Python, and nothing is imported before needed.

terminal/calculator.py   what the theory says     terminal/simulator.py   what happens
terminal/verdicts.py     whether it is true       terminal/reports.py     what people read
web/command.py           all of it, on a page
"""

from __future__ import annotations

import gc
import os
import sys
from io import TextIOWrapper
from typing import Any

import typer

from boundcheck.terminal import calculator, reports, simulator, verdicts
from boundcheck.terminal.shared import app, say
from boundcheck.terminal.stopping import listening
from boundcheck.web import command
from simulation.escaping import one_line

__all__ = ["app", "calculator", "command", "main", "reports", "simulator", "verdicts"]


BEGIN = """\
Is a published bandit theory true, where does it apply, how tight is it?

  boundcheck bounds paper                   what the theory says of an instance
  boundcheck verify paper --effort quick    whether it is true there
  boundcheck report paper -o my-report      all of it, with what to play

Your own instance: boundcheck init -o mine.toml. All commands: boundcheck --help.
"""


@listening()
def main(arguments: list[str] | None = None) -> None:
    """Run the command line; bad input is one line on standard error and exit code 2."""
    from simulation.errors import InputError

    _prepare_streams()
    # nothing here multiplies large matrices, and starting threads for it takes 0.1 s
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(100_000, 20, 20)  # SymPy makes many small objects, and none are garbage
    # typer carries its own copy of click in some versions: its usage error is found by descent
    usage_error: Any = typer.BadParameter.__mro__[1]
    try:
        if not (sys.argv[1:] if arguments is None else arguments):
            print(BEGIN, end="")
            code = 0
        else:
            code = app(arguments, prog_name="boundcheck", standalone_mode=False)
    except InputError as error:
        say(error.on_command_line)
        code = 2
    except usage_error as error:
        say(f"boundcheck: command line: {one_line(error.format_message())} (see --help)")
        code = 2
    except (BrokenPipeError, SystemExit):  # who reads has seen enough; click leaves by itself then
        code = 0
    except OSError as error:
        code = _failed(error)
    code = _flushed(code if isinstance(code, int) else 0)
    gc.freeze()  # nor is it worth looking for garbage on the way out
    sys.exit(code)


def _prepare_streams() -> None:
    """A stream the caller has closed, or of an encoding without our characters, stops nothing."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _failed(error: OSError) -> int:
    from simulation.files.writing import refusal

    if error.filename is not None or _here():
        name = error.filename or "standard output"
        said = refusal("boundcheck", name, error, "a place that can be written")
    else:
        said = refusal("boundcheck", "working directory", error, "a directory that is there")
    say(str(said))
    return 2


def _here() -> bool:
    """Whether the working directory is still there."""
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def _flushed(code: int) -> int:
    """The exit code once all output is out; what cannot be would fail again when Python ends."""
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if code != 2 and not isinstance(error, BrokenPipeError):
            return _failed(error)
    return code


if __name__ == "__main__":
    main()
