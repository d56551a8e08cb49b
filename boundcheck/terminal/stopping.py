"""SIGINT and SIGTERM end any command within seconds, with one line on what is kept.

The signal is raised as an exception in the main thread, so that files are closed and a cluster is
told on the way out. A main thread inside compiled code does not notice: then a thread that watches
ends the process. Kernels run on other threads, cannot be interrupted, and are not waited for.
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
GRACE = 1.5  # seconds for the main thread to tidy up

_resumable = False  # whether the command has the option --store
_store: str | None = None  # and what was given
_leaving = threading.Lock()


class Stopped(BaseException):
    """Raised by a signal; no Exception, lest someone on the way takes it for a failure."""


def remember_store(folder: str | None) -> str | None:
    """Called when the command line is parsed, before any work; `line` speaks of it."""
    global _resumable, _store
    _resumable, _store = True, folder
    if folder is not None:
        writing.folder(folder, "store")
    return folder


@contextmanager
def listening() -> Iterator[None]:
    """Within, a signal raises `Stopped`, and ends the process if that has no effect."""
    global _resumable, _store
    _resumable, _store = False, None
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are for the main thread alone, and for whoever owns it
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
        os.close(told)  # the watcher reads the end of it


def _raise(number: int, frame: object) -> NoReturn:
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)  # once is enough: the watcher sees to the rest
    raise Stopped(number)


def _unraisable(failed: sys.UnraisableHookArgs) -> None:
    """A signal may come while a callback runs that cannot raise: the watcher sees to it."""
    if not isinstance(failed.exc_value, Stopped):
        sys.__unraisablehook__(failed)


def _watch(heard: int) -> None:
    with os.fdopen(heard, "rb", buffering=0) as pipe:
        while byte := pipe.read(1):
            if byte[0] in SIGNALS:
                time.sleep(GRACE)
                leave(byte[0])


def leave(number: int) -> NoReturn:
    """Say what is kept and end the process: kernels on other threads would go on and on."""
    _leaving.acquire()  # for good: whoever comes second has nothing to add
    start = "\n" if sys.stderr.isatty() else ""  # below what progress has written
    print(f"{start}boundcheck: stopped: {_line()}", file=sys.stderr, flush=True)
    os._exit(128 + number)


def _line() -> str:
    """What is kept, and how to go on."""
    from simulation.errors import shown

    if not _resumable:
        return "nothing is kept; the same command starts from the beginning"
    if _store is None:
        return "nothing is kept; with --store DIR the same command would go on where it stopped"
    chunks = sum(1 for _ in Path(_store).glob("*/*.chunk"))
    counted = "1 finished chunk is" if chunks == 1 else f"{chunks} finished chunks are"
    return f"{counted} kept in {shown(_store, 200)}; the same command goes on from there"
