"""The command line. Each command makes one Python call; modules are imported when needed.

terminal/calculator.py   bounds of instances      terminal/simulator.py   simulations
terminal/verdicts.py     checks of claims         terminal/reports.py     reports
web/command.py           the same on a web page
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
    # no large matrices are multiplied here, and starting BLAS threads takes 0.1 s
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(300_000, 20, 20)  # SymPy makes many small objects that live on
    # some versions of typer bundle click: its usage error is found through the base classes
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
    # the reader has closed the pipe; click exits by itself then
    except (BrokenPipeError, SystemExit):
        code = 0
    except OSError as error:
        code = _failed(error)
    code = _flushed(code if isinstance(code, int) else 0)
    gc.freeze()  # no garbage collection on exit
    sys.exit(code)


def _prepare_streams() -> None:
    """Let output work where a stream is closed or its encoding lacks our characters."""
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
    """Whether the working directory still exists."""
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def _flushed(code: int) -> int:
    """Flush standard output and return the exit code. If flushing fails, output is sent to the null
    device, because Python would flush again on exit and fail again.
    """
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if code != 2 and not isinstance(error, BrokenPipeError):
            return _failed(error)
    return code


if __name__ == "__main__":
    main()
