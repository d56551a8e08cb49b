"""Progress on standard error: the current step, and about how much time is left."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from itertools import count

# expected number of steps of each command, to estimate the time left
TOLD = {
    "try": 250,
    "verify": 45,
    "report": 60,
    "audit": 560,
    "figures": 12,
    "plot": 12,
    "proofs": 250,
    "selftest": 200,
}


def telling(command: str, claims: int | None = None) -> Callable[[str], None] | None:
    """A function to be called with each step; None if progress is not shown.

    BOUNDCHECK_PROGRESS=1 writes a line for each step even if standard error is not a terminal.
    """
    live = sys.stderr.isatty()
    if not live and not os.environ.get("BOUNDCHECK_PROGRESS"):
        return None
    expected, told, started = claims or TOLD[command], count(), time.perf_counter()

    def tell(what: str) -> None:
        spent, share = time.perf_counter() - started, next(told) / expected
        line = f"{spent:6.1f} s  {what}"
        if 0.1 <= share < 1 and spent >= 5:
            line += f" (about {spent * (1 - share) / share:.0f} s left)"
        line = f"\r{line[:78]:<78}" if live else f"{line}\n"
        print(line, end="", file=sys.stderr, flush=True)
        if live and not _shown:
            _shown.append(True)

    return tell


_shown: list[bool] = []  # non-empty while a line of progress is on the terminal


def clear_line() -> None:
    """Remove the line of progress before other output."""
    if _shown:
        _shown.clear()
        print("\r" + " " * 78 + "\r", end="", file=sys.stderr, flush=True)
