"""Progress on standard error: what is being done, and about how long it will still take."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from itertools import count

# how often each command tells what it is doing: what is left of these is left of its time
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
    """Who may be told what is being done; nobody where no terminal shows it.

    BOUNDCHECK_PROGRESS=1 writes a line for each step to a log, too.
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


_shown: list[bool] = []  # whether a line of progress stands on the terminal


def clear_line() -> None:
    """Remove the line of progress, before anything else is written."""
    if _shown:
        _shown.clear()
        print("\r" + " " * 78 + "\r", end="", file=sys.stderr, flush=True)
