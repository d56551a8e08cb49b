"""The command line: every command is one call in Python, and nothing is imported before needed.

calculator.py   what the theory says     simulator.py   what happens
verdicts.py     whether it is true       reports.py     what people read
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from typing import Any

import typer

# each adds its commands, and --help shows them in this order
from boundcheck.cli import calculator, simulator, verdicts, reports  # isort: skip
from boundcheck.cli.shared import app, say
from boundcheck.cli.stopping import listening

__all__ = ["app", "calculator", "main", "reports", "simulator", "verdicts"]


@listening()
def main(arguments: list[str] | None = None) -> None:
    """Run the command line; bad input is one line on standard error and exit code 2."""
    from simulation.errors import InputError

    gc.set_threshold(100_000, 20, 20)  # SymPy makes many small objects, and none are garbage
    # typer carries its own copy of click in some versions: its usage error is found by descent
    usage_error: Any = typer.BadParameter.__mro__[1]
    try:
        code = app(arguments, prog_name="boundcheck", standalone_mode=False)
    except InputError as error:
        say(str(error))
        code = 2
    except usage_error as error:
        say(f"boundcheck: command line: {_one_line(error.format_message)}")
        code = 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code if isinstance(code, int) else 0)


def _one_line(message: Callable[[], str]) -> str:
    text = " ".join(message().split())
    return f"{text} (see --help)"
