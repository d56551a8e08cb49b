"""SIGINT and SIGTERM end any command within seconds, with one line about what is kept.

The signal raises an exception in the main thread, so that files and cluster connections are closed.
A main thread in compiled code does not notice the signal; then a watcher thread ends the process.
Kernels run on other threads, cannot be interrupted, and are not waited for.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from simulation.files import writing

SIGNALS = (signal.SIGINT, signal.SIGTERM)
GRACE = 1.5  # seconds for the main thread to clean up

_resumable = False  # whether the command has the option --store
_store: str | None = None  # the value of --store
_leaving = threading.Lock()


class Stopped(BaseException):
    """Raised by a signal; not an Exception, so that no handler takes it for a failure."""


def remember_store(folder: str | None) -> str | None:
    """Callback of --store, called while the command line is parsed; `_line` uses the value."""
    global _resumable, _store
    _resumable, _store = True, folder
    if folder is not None:
        writing.folder(folder, "store")
    return folder


@contextmanager
def listening() -> Iterator[None]:
    """Context in which a signal raises `Stopped`, and ends the process if that has no effect."""
    global _resumable, _store
    _resumable, _store = False, None
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may handle signals
        return
    heard, told = os.pipe()
    os.set_blocking(told, False)
    earlier = {number: signal.signal(number, _raise) for number in SIGNALS}
    hook, sys.unraisablehook = sys.unraisablehook, _unraisable
    wakeup = signal.set_wakeup_fd(told)
    threading.Thread(target=_watch, args=(heard,), daemon=True).start()
    try:
        yield
    except Stopped as stop:
        leave(stop.args[0])
    finally:
        signal.set_wakeup_fd(wakeup)
        for number, handler in earlier.items():
            signal.signal(number, handler)
        sys.unraisablehook = hook
        os.close(told)  # the watcher then reads end-of-file


def _raise(number: int, frame: object) -> NoReturn:
    for each in SIGNALS:
        # further signals are ignored: the watcher ends the process
        signal.signal(each, signal.SIG_IGN)
    raise Stopped(number)


def _unraisable(failed: sys.UnraisableHookArgs) -> None:
    """Ignore a signal that arrives in a callback that cannot raise: the watcher ends the
    process.
    """
    if not isinstance(failed.exc_value, Stopped):
        sys.__unraisablehook__(failed)


def _watch(heard: int) -> None:
    with os.fdopen(heard, "rb", buffering=0) as pipe:
        while byte := pipe.read(1):
            if byte[0] in SIGNALS:
                time.sleep(GRACE)
                leave(byte[0])


def leave(number: int) -> NoReturn:
    """Print what is kept and end the process, since kernels on other threads would continue."""
    _leaving.acquire()  # never released, so that only the first caller prints
    start = "\n" if sys.stderr.isatty() else ""  # below the line of progress
    print(f"{start}boundcheck: stopped: {_line()}", file=sys.stderr, flush=True)
    os._exit(128 + number)


def _line() -> str:
    """What is kept, and how to continue."""
    from simulation.errors import shown

    if not _resumable:
        return "nothing is kept; the same command starts from the beginning"
    if _store is None:
        return "nothing is kept; with --store DIR the same command would continue where it stopped"
    chunks = sum(1 for _ in Path(_store).glob("*/*.chunk"))
    counted = "1 finished chunk is" if chunks == 1 else f"{chunks} finished chunks are"
    return f"{counted} kept in {shown(_store, 200)}; the same command continues from there"
