"""Progress on standard error: what is being done, and about how long it will still take."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

# how often each command tells what it is doing: what is left of these is left of its time
TOLD = {
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
    return _Teller(claims or TOLD[command], live)


class _Teller:
    def __init__(self, expected: int, live: bool) -> None:
        self._expected, self._live = expected, live
        self._told, self._started = 0, time.perf_counter()

    def __call__(self, what: str) -> None:
        spent = time.perf_counter() - self._started
        line = f"{spent:6.1f} s  {what}{self._left(spent)}"
        self._told += 1
        end = "" if self._live else "\n"
        print(f"\r{line[:78]:<78}" if self._live else line, end=end, file=sys.stderr, flush=True)

    def _left(self, spent: float) -> str:
        share = self._told / self._expected
        if share < 0.1 or share >= 1 or spent < 5:
            return ""
        return f" (about {spent * (1 - share) / share:.0f} s left)"
