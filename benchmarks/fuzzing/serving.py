"""A process that answers one command after another, as `boundcheck` would answer each.

Imports and compiled kernels are paid once. What is not caught kills the process, with a traceback
on its standard error, as it would for a user.
"""

from __future__ import annotations

import faulthandler
import inspect
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import wraps
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

Answer = tuple[int, float, int]  # exit code, seconds of CPU, peak of resident memory in bytes

ROOM = 2**31  # of addresses beyond those in use at the start: no array of gigabytes
MOST_CPU = 900  # seconds for a command: what a killed fuzz leaves behind ends, too
IRRELEVANT = {"instance", "jobs", "executor", "cluster", "store", "progress"}  # to what is found


def serve(
    pipe: Connection, out: Path, err: Path, folder: Path, environment: dict[str, str]
) -> None:
    """Answer commands from the pipe; their output goes to the files `out` and `err`."""
    os.environ.update(environment)
    for path, descriptor in ((out, 1), (err, 2)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), descriptor)
    os.setsid()  # ctrl-C is for the fuzz, which then ends its workers
    os.chdir(folder)
    os.environ["BOUNDCHECK_PROGRESS"] = "1"  # a hang is named by the last claim told
    faulthandler.enable()
    remember_computations()
    used = memory("VmSize")
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, used + ROOM))
    pipe.send("ready")
    for arguments in iter(pipe.recv, None):
        pipe.send(answer(arguments))


def answer(arguments: list[str]) -> Answer:
    for descriptor in (1, 2):
        os.ftruncate(descriptor, 0)
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    started = time.process_time()
    most = int(started) + MOST_CPU
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
    code = notebook(arguments[1]) if arguments[0] == "notebook" else command(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    return code, time.process_time() - started, memory("VmHWM")


def command(arguments: list[str]) -> int:
    from boundcheck.cli import main

    try:
        main(arguments)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0


def notebook(path: str) -> int:
    """What a notebook shows of an instance and of what is computed from it."""
    from boundcheck import estimate, replicate, verify
    from simulation.world.instance import Instance

    instance = Instance.load(path)
    shown = (
        instance,
        replicate(instance, ["ts-kc"], 20, 2),
        estimate(instance, 1, samples=5, runs=2),
        verify(instance, "quick", claims=["lem-E.4"]),
    )
    for result in shown:
        print(result._repr_html_())
    return 0


def memory(field: str) -> int:
    """A field of /proc/self/status, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) * 1024


# -- what was just computed is not computed again -----------------------------------------


def remember_computations() -> None:
    """`report` verifies what `verify` just did, and an instance under another name is the same."""
    study: Any = import_module("boundcheck.pages.study")
    verification: Any = import_module("boundcheck.judging.verification")
    recent = Recent()
    verification.verify = study.verify = recent(telling(study.verify))
    paper: Any = import_module("boundcheck.theories.shareable_arms.pages.paper")
    paper.estimate = recent(paper.estimate)


class Recent:
    """Results for the latest instance, whatever its name."""

    def __init__(self) -> None:
        self._instance: Any = None
        self._results: dict[str, Any] = {}

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def remembered(instance: Any, *arguments: Any, **options: Any) -> Any:
            nameless = instance.with_(name="")
            if nameless != self._instance:
                self._instance, self._results = nameless, {}
            call = inspect.signature(function).bind(instance, *arguments, **options)
            call.apply_defaults()
            key = repr([function.__name__, *sorted(_relevant(call.arguments))])
            if key not in self._results:
                self._results[key] = function(*call.args, **call.kwargs)
            return replace(self._results[key], instance=instance)

        return remembered


def _relevant(arguments: dict[str, Any]) -> Iterator[tuple[str, str]]:
    return ((name, repr(x)) for name, x in arguments.items() if name not in IRRELEVANT)


def telling(verify: Callable[..., Any]) -> Callable[..., Any]:
    """With progress on standard error even beside JSON: it says where a command was killed."""

    @wraps(verify)
    def told(*arguments: Any, **options: Any) -> Any:
        tell = options.pop("progress", None) or (lambda what: print(what, file=sys.stderr))
        return verify(*arguments, **options, progress=tell)

    return told
