"""A worker process: requests are lines of JSON on standard input, messages lines on its output.

A request ends with a message `{"done": ...}` or `{"error": ...}`; a job sends others before that.
The process ends when its standard input is closed, whatever it is doing, and at any internal error:
the traceback goes to the server's terminal, and the server starts another worker.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import shutil
import signal
import sys
from collections.abc import Callable, Mapping
from importlib import import_module, resources
from queue import SimpleQueue
from threading import Thread
from typing import Any

from boundcheck.plugins import theory_with
from boundcheck.theories import default
from boundcheck.theory import Theory
from boundcheck.web import answers
from simulation.errors import InputError, shown

NO_MEMORY = "boundcheck: the computation needs more than {:,} bytes of memory: expected less work"
ANSWERS = ("start", "read", "answer", "curves")
LINES = ("line", "regret")  # in `lines`, which imports the parser
JOBS = ("policies", "simulate", "verify", "decide", "report")  # in `jobs`, which imports numba


def audit_page(name: str) -> str:
    """A page of the shipped audit, as HTML."""
    from boundcheck.pages.html import page

    folder = resources.files("boundcheck") / "web" / "audit"
    known = {file.name: file for file in folder.iterdir()}
    known |= {f"claims/{file.name}": file for file in (folder / "claims").iterdir()}
    if f"{name}.md" not in known:
        raise InputError("audit", "page", shown(name), "a page of the audit")
    with resources.as_file(known[f"{name}.md"]) as path:
        return page(path.read_text(encoding="utf-8"), path.parent)


def _done(request: Mapping[str, Any], theory: Theory, tell: Callable[..., None]) -> Any:
    work = request["work"]
    if work in ANSWERS:
        return getattr(answers, work)(request, theory)
    if work in LINES:
        return getattr(import_module("boundcheck.web.lines"), work)(request, theory)
    if work == "audit":
        return audit_page(str(request["page"]))
    assert work in JOBS
    return getattr(import_module("boundcheck.web.jobs"), work)(request, theory, tell)


def main(niceness: str, memory: str, *plugins: str) -> None:
    os.nice(int(niceness))
    limited(int(memory))
    gc.set_threshold(100_000, 20, 20)  # as on the command line: few of SymPy's objects are garbage
    theory = theory_with(default(), plugins)
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # prints go to the terminal, not among the messages
    requests: SimpleQueue[str] = SimpleQueue()
    folders: list[str] = []

    def listen() -> None:
        for line in sys.stdin:
            requests.put(line)
        for folder in folders:  # the server removes them, unless it was killed
            removed(folder)
        os._exit(0)

    def tell(message: dict[str, Any]) -> None:
        try:
            out.write(json.dumps(message, allow_nan=False, separators=(",", ":")) + "\n")
            out.flush()
        except BrokenPipeError:  # the server is gone: `listen` ends this process
            listener.join()

    listener = Thread(target=listen, daemon=True)
    listener.start()
    while True:
        request = json.loads(requests.get())
        folders += filter(None, [request.get("folder")])
        try:
            done = _done(request, theory, tell)
        except InputError as error:
            tell({"error": {"field": error.field, "message": error.on_command_line}})
        except MemoryError:
            tell({"error": {"field": "", "message": NO_MEMORY.format(int(memory))}})
            os.kill(os.getpid(), signal.SIGKILL)  # the server starts another one
        else:
            tell({"done": done})


def limited(memory: int) -> None:
    """Limit the memory of this process; a smaller limit that is already set stays."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    least = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (least, hard))


def removed(folder: str) -> None:
    """Remove a folder to which another thread may still be writing."""
    for _ in range(100):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
