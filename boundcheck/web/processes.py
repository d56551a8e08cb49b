"""Who computes: two processes that stay and answer at once, one for what is asked once, and one
for each of a few jobs. There are never more, whatever is sent, and each has a limit of memory.

A process that ends by a fault, or takes too long, costs the one who asked a clear message and
nobody else anything: another takes its place. One that was killed while nobody asked it costs
nobody anything.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
import tempfile
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, TypeAlias

import anyio

from simulation.files.writing import refusal

Compute: TypeAlias = Callable[[Mapping[str, Any]], Awaitable[bytes]]

ANSWERING = 2
ANSWER_SECONDS = 15.0
MOST_WAITING = 100
MOST_JOBS = 4
APART, APART_SECONDS = 1, 120.0  # processes for what is asked once, and how long one may take
MEMORY = 2 * 10**9  # bytes that a process may hold
JOB_SECONDS = 3600.0
LONGEST_MESSAGE = 2**26
NICENESS = 10  # of a job: who types goes first
REMEMBERED, LONGEST_REMEMBERED = 64, 250_000  # answers, and bytes of each


def message(words: str) -> bytes:
    """An error as a worker would send it."""
    return json.dumps({"error": {"field": "", "message": words}}).encode() + b"\n"


LOST = message("boundcheck: the computation failed; the terminal of the server says why")
LATE = message("boundcheck: the computation took too long and was ended: expected less work")
BUSY = message("boundcheck: too many requests at once: expected a moment of patience")
FULL = message(
    f"boundcheck: jobs: {MOST_JOBS} are running: expected at most {MOST_JOBS} at once; "
    "try again when one has ended"
)


class Process:
    """A worker and the line to it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process, self._killed = process, False

    @classmethod
    async def started(cls, plugins: Sequence[str], niceness: int = 0) -> Process:
        """`-P` and the paths of this process: it finds what we find, wherever it is started."""
        paths = os.pathsep.join(path for path in sys.path if path)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "boundcheck.web.worker", str(niceness), str(MEMORY)),
            *plugins,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST_MESSAGE,
            env=os.environ | {"PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"},
            start_new_session=True,  # Ctrl-C in the terminal is for the server
        )
        return cls(process)

    async def messages(self, request: Mapping[str, Any]) -> AsyncIterator[bytes]:
        """All that is told until it is done; a process that ends before leaves an error."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        line = b""
        while not line.startswith((b'{"done"', b'{"error"')):
            line = await self._process.stdout.readline()
            yield line or LOST
            if not line:
                return

    async def result(self, request: Mapping[str, Any]) -> bytes:
        line = b""
        async for line in self.messages(request):  # noqa: B007
            pass
        return line

    async def killed_by_another(self) -> bool:
        """Of a process whose line is closed: whether a signal ended it that is not ours."""
        return not self._killed and await self._process.wait() < 0

    async def end(self) -> None:
        with anyio.CancelScope(shield=True):
            if self._process.returncode is None and not self._killed:
                self._killed = True
                self._process.kill()
            await self._process.wait()


class Processes:
    """Those at work, and how much they may do at once."""

    def __init__(self, plugins: Sequence[str] = ()) -> None:
        self._plugins = plugins
        self._every: set[Process] = set()
        self._idle: list[Process] = []
        self._turns, self._turns_apart = asyncio.Semaphore(ANSWERING), asyncio.Semaphore(APART)
        self._waiting = 0
        self._under_way: dict[bytes, asyncio.Task[bytes]] = {}
        self._known: OrderedDict[bytes, bytes] = OrderedDict()
        self._over = False
        self.jobs = 0

    async def begin(self) -> None:
        self._idle += [await self._begun() for _ in range(ANSWERING)]

    async def end(self) -> None:
        """Everyone, at work or not: who listens to a job is told that it is lost."""
        self._over = True
        self._idle.clear()
        for process in [*self._every]:
            await self._ended(process)

    async def _begun(self, niceness: int = 0) -> Process:
        process = await Process.started(self._plugins, niceness)
        self._every.add(process)
        if self._over:  # while it began
            await self._ended(process)
        return process

    async def _ended(self, process: Process) -> None:
        self._every.discard(process)
        await process.end()

    async def answer(self, request: Mapping[str, Any]) -> bytes:
        """A message that comes at once."""
        return await self._joined(request, partial(self._in_turn, self._turns, self._computed))

    async def once(self, request: Mapping[str, Any]) -> bytes:
        """The same by a process of its own, which may need more memory than those that stay."""
        return await self._joined(request, partial(self._in_turn, self._turns_apart, self._apart))

    async def _joined(self, request: Mapping[str, Any], compute: Compute) -> bytes:
        """An equal question is computed once: by whoever asks first, also for those who ask while
        it is under way. They wait for a task of its own, which outlives each of them."""
        key = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).digest()
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        if key not in self._under_way:
            task = asyncio.create_task(self._remembered(key, request, compute))
            self._under_way[key] = task
            task.add_done_callback(lambda _: self._under_way.pop(key))
        return await asyncio.shield(self._under_way[key])

    async def _remembered(self, key: bytes, request: Mapping[str, Any], compute: Compute) -> bytes:
        line = await compute(request)
        if line.startswith(b'{"done"') and len(line) <= LONGEST_REMEMBERED:
            self._known[key] = line
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return line

    async def _in_turn(
        self, turns: asyncio.Semaphore, compute: Compute, request: Mapping[str, Any]
    ) -> bytes:
        """The one queue that leads to a process which answers; it has an end."""
        if self._waiting >= MOST_WAITING:
            return BUSY
        self._waiting += 1
        try:
            async with turns:
                return await compute(request)
        finally:
            self._waiting -= 1

    async def _apart(self, request: Mapping[str, Any]) -> bytes:
        process = await self._begun()
        try:
            async with asyncio.timeout(APART_SECONDS):
                return await process.result(request)
        except TimeoutError:
            return LATE
        finally:
            await self._ended(process)

    async def _computed(self, request: Mapping[str, Any]) -> bytes:
        """By one of those that stay; one that was killed while it waited is replaced first."""
        line = LOST
        while line == LOST and self._idle:
            line, killed = await self._asked(self._idle.pop(), request)
            if not killed:
                return line
        return (await self._asked(await self._begun(), request))[0]

    async def _asked(self, process: Process, request: Mapping[str, Any]) -> tuple[bytes, bool]:
        """The answer of a process, and whether somebody killed it before it gave one."""
        line, killed = LOST, False
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                line = await process.result(request)
                killed = line == LOST and not self._over and await process.killed_by_another()
        except TimeoutError:
            line = LATE
        finally:
            if line in (LATE, LOST):
                await self._ended(process)
            else:
                self._idle.append(process)
        return line, killed

    async def job(self, request: Mapping[str, Any]) -> AsyncIterator[bytes]:
        """What a job tells, line by line; it ends with whoever listens."""
        if self.jobs >= MOST_JOBS:
            yield FULL
            return
        self.jobs += 1
        try:
            with _folder(request) as folder:
                process = await self._begun(NICENESS)
                try:
                    async with asyncio.timeout(JOB_SECONDS):
                        async for line in process.messages({**request, "folder": folder}):
                            yield line
                except TimeoutError:
                    yield LATE
                finally:
                    await self._ended(process)
        except OSError as error:
            yield message(str(refusal("report", "files", error, "room for its files")))
        finally:
            self.jobs -= 1


def _folder(request: Mapping[str, Any]) -> AbstractContextManager[str | None]:
    """For the files that a report is made of; nothing else writes any."""
    if request["work"] != "report":
        return nullcontext()
    return tempfile.TemporaryDirectory(prefix="boundcheck-", ignore_cleanup_errors=True)
