"""Commands in a process of their own, killed when they use more CPU, memory or time than allowed.

Needs /proc, so Linux. The process lives on from command to command until one fails.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import cached_property
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from fuzzing.serving import serve

GIGABYTE = 10**9
MOST_AT_REST = 600 * 10**6  # a process that keeps more than this is replaced
LOOK_EVERY = 0.05  # seconds
TICK = 1 / os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")

_FRAME = re.compile(r'File "[^"]*/((?:boundcheck|simulation)/[^"]*)", line \d+,? in (\S+)')
_FATAL = re.compile(r"^Fatal Python error: (.*)", re.MULTILINE)


@dataclass(frozen=True)
class Limits:
    """What a command may use: seconds of CPU, bytes of memory; a clock ends one that sleeps."""

    cpu: float
    memory: int = GIGABYTE

    @property
    def clock(self) -> float:
        return 60 + 10 * self.cpu  # other processes want the CPU, too


@dataclass(frozen=True)
class Outcome:
    """How a command ended: `code` is None if it was killed (`killed` says for what) or crashed."""

    arguments: tuple[str, ...]
    code: int | None
    out: str
    err: str
    cpu: float
    memory: int
    killed: str = ""

    @cached_property
    def failure(self) -> str:
        """Empty if it ended by itself; else the same words for failures of one cause."""
        if self.killed:
            return self.killed
        if self.code is not None:
            return ""
        frames = _FRAME.findall(self.err)
        if fatal := _FATAL.search(self.err):  # most recent call first
            return f"died: {fatal[1]} in {' '.join(frames[0]) if frames else 'no words'}"
        raised = [line for line in self.err.splitlines() if line and not line.startswith(" ")]
        kind = raised[-1].split(":")[0] if raised else "no words"
        return f"traceback: {kind} in {' '.join(frames[-1]) if frames else 'no words'}"


class Worker(AbstractContextManager["Worker"]):
    """Runs commands in a process, started when needed; `folder` is its working directory."""

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self._environment = folder, dict(environment or {})
        self._out, self._err = folder / ".stdout", folder / ".stderr"
        self._process: Any = None

    def run(self, *arguments: str, limits: Limits) -> Outcome:
        if self._process is None:
            self._start()
        before, started = self._used()[0], time.monotonic()
        self._pipe.send(list(arguments))
        cpu, memory = 0.0, 0
        while not self._pipe.poll(LOOK_EVERY):
            total, memory = self._used()
            cpu = total - before
            late = time.monotonic() - started > limits.clock
            if killed := _excess(cpu, memory, limits) or "hang" * late:
                self.stop()
                return Outcome(arguments, None, *self._written(), cpu, memory, killed)
        try:
            code, cpu, memory = self._pipe.recv()
        except EOFError:  # it died: of an exception, most often
            self.stop()
            return Outcome(arguments, None, *self._written(), cpu, memory)
        if self._used()[1] > MOST_AT_REST:
            self.stop()
        killed = _excess(cpu, memory, limits)  # between two looks
        return Outcome(arguments, code, *self._written(), cpu, memory, killed)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None

    def __exit__(self, *failure: object) -> None:
        self.stop()

    def _start(self) -> None:
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        arguments = (theirs, self._out, self._err, self.folder, self._environment)
        self._process = context.Process(target=serve, args=arguments, daemon=True)
        self._process.start()
        theirs.close()
        self._last = 0.0, 0
        try:
            self._pipe.recv()  # imports are not the first command's
        except EOFError:
            raise RuntimeError(f"a worker did not start: {self._written()[1]}") from None

    def _written(self) -> tuple[str, str]:
        texts = (path.read_bytes() for path in (self._out, self._err))
        out, err = (text.decode("utf-8", "surrogateescape") for text in texts)
        return out, err

    def _used(self) -> tuple[float, int]:
        """Seconds of CPU of all its threads, and resident bytes; the last known if it is gone."""
        proc = Path(f"/proc/{self._process.pid}")
        with suppress(FileNotFoundError, ProcessLookupError):
            times = (proc / "stat").read_text().rpartition(")")[2].split()[11:13]
            pages = int((proc / "statm").read_text().split()[1])
            self._last = sum(map(int, times)) * TICK, pages * PAGE
        return self._last


def _excess(cpu: float, memory: int, limits: Limits) -> str:
    if memory > limits.memory:
        return "memory"
    return "hang" if cpu > limits.cpu else ""
