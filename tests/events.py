"""Waiting for what happens, however long it takes on a busy machine; and CPU time, which does not
depend on who else is there."""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Callable
from pathlib import Path


def until(happened: Callable[[], object]) -> None:
    """Wait for it. If it never happens, `faulthandler_timeout` prints where the test waits."""
    while not happened():
        time.sleep(0.01)


def until_ended(*pids: int) -> None:
    """Wait for processes, whosever they are."""
    for pid in pids:
        try:
            process = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        select.select([process], [], [])
        os.close(process)


def kill_after(lines: int, log: Path, child: subprocess.Popen[bytes]) -> None:
    """SIGKILL once the log has so many more lines than before."""
    before = log.read_bytes().count(b"\n") if log.exists() else 0

    def written() -> bool:
        found = log.read_bytes().count(b"\n") if log.exists() else 0
        return found >= before + lines or child.poll() is not None

    until(written)
    assert child.poll() is None, "it ended by itself"
    child.kill()
    child.wait()


def cpu_seconds(pid: int) -> float:
    """Of all threads of a process that is there, or was and is not yet waited for."""
    times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")
