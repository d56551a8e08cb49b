"""The pool of worker processes: two that stay for short requests, one at a time for requests that
are made once, and one for each job, up to a limit. Each worker has a limit of memory.

If a worker fails or takes too long, the request that it was serving gets an error message, and
another worker takes its place. A worker that was killed while idle is replaced unnoticed.
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
ONCE, ONCE_SECONDS = 1, 120.0  # workers for requests made once, and the time that one may take
MEMORY = 2 * 10**9  # bytes for each worker
JOB_SECONDS = 3600.0
LONGEST_MESSAGE = 2**26
NICENESS = 10  # of jobs, so that short requests come first
REMEMBERED, LONGEST_REMEMBERED = 64, 250_000  # cached answers, and the most bytes of one


def message(words: str) -> bytes:
    """An error message in the form in which workers send it."""
    return json.dumps({"error": {"field": "", "message": words}}).encode() + b"\n"


LOST = message("boundcheck: the computation failed; the terminal of the server says why")
LATE = message("boundcheck: the computation took too long and was ended: expected less work")
BUSY = message("boundcheck: too many requests at once: expected a moment of patience")
FULL = message(
    f"boundcheck: jobs: {MOST_JOBS} are running: expected at most {MOST_JOBS} at once; "
    "try again when one has ended"
)


class Worker:
    """A worker process and its pipes."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process, self._killed = process, False

    @classmethod
    async def started(cls, plugins: Sequence[str], niceness: int = 0) -> Worker:
        """Start a worker with this process's module paths, whatever the current folder."""
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
        """All messages up to the last; `LOST` if the process ends before that."""
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
        """Whether the process, whose pipe is closed, was ended by a signal that we did not send."""
        return not self._killed and await self._process.wait() < 0

    async def end(self) -> None:
        with anyio.CancelScope(shield=True):
            if self._process.returncode is None and not self._killed:
                self._killed = True
                self._process.kill()
            await self._process.wait()


class WorkerPool:
    """All workers, the queue for them, and a cache of answers."""

    def __init__(self, plugins: Sequence[str] = ()) -> None:
        self._plugins = plugins
        self._every: set[Worker] = set()
        self._idle: list[Worker] = []
        self._short, self._single = asyncio.Semaphore(ANSWERING), asyncio.Semaphore(ONCE)
        self._waiting = 0
        self._under_way: dict[bytes, asyncio.Task[bytes]] = {}
        self._cached: OrderedDict[bytes, bytes] = OrderedDict()
        self._closed = False
        self.jobs = 0

    async def begin(self) -> None:
        self._idle += [await self._begun() for _ in range(ANSWERING)]

    async def end(self) -> None:
        """End all workers; clients that wait for one get `LOST`."""
        self._closed = True
        self._idle.clear()
        for worker in [*self._every]:
            await self._ended(worker)

    async def _begun(self, niceness: int = 0) -> Worker:
        worker = await Worker.started(self._plugins, niceness)
        self._every.add(worker)
        if self._closed:  # meanwhile
            await self._ended(worker)
        return worker

    async def _ended(self, worker: Worker) -> None:
        self._every.discard(worker)
        await worker.end()

    async def answer(self, request: Mapping[str, Any]) -> bytes:
        """Answer a short request, by one of the workers that stay."""
        return await self._joined(request, partial(self._queued, self._short, self._by_idle))

    async def once(self, request: Mapping[str, Any]) -> bytes:
        """Answer a request that is made once, by a new worker, which then gives its memory back."""
        return await self._joined(request, partial(self._queued, self._single, self._by_new))

    async def _joined(self, request: Mapping[str, Any], compute: Compute) -> bytes:
        """Compute equal requests once: those that come meanwhile wait for the same task, which does
        not end when one of its clients disconnects."""
        key = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).digest()
        if key in self._cached:
            self._cached.move_to_end(key)
            return self._cached[key]
        if key not in self._under_way:
            task = asyncio.create_task(self._remembered(key, request, compute))
            self._under_way[key] = task
            task.add_done_callback(lambda _: self._under_way.pop(key))
        return await asyncio.shield(self._under_way[key])

    async def _remembered(self, key: bytes, request: Mapping[str, Any], compute: Compute) -> bytes:
        line = await compute(request)
        if line.startswith(b'{"done"') and len(line) <= LONGEST_REMEMBERED:
            self._cached[key] = line
            if len(self._cached) > REMEMBERED:
                self._cached.popitem(last=False)
        return line

    async def _queued(
        self, turns: asyncio.Semaphore, compute: Compute, request: Mapping[str, Any]
    ) -> bytes:
        """Wait for a turn; the queue has a limited length."""
        if self._waiting >= MOST_WAITING:
            return BUSY
        self._waiting += 1
        try:
            async with turns:
                return await compute(request)
        finally:
            self._waiting -= 1

    async def _by_new(self, request: Mapping[str, Any]) -> bytes:
        worker = await self._begun()
        try:
            async with asyncio.timeout(ONCE_SECONDS):
                return await worker.result(request)
        except TimeoutError:
            return LATE
        finally:
            await self._ended(worker)

    async def _by_idle(self, request: Mapping[str, Any]) -> bytes:
        """Ask an idle worker; one that was killed while idle is passed over, the last replaced."""
        line = LOST
        while line == LOST and self._idle:
            line, killed = await self._asked(self._idle.pop(), request)
            if not killed:
                return line
        return (await self._asked(await self._begun(), request))[0]

    async def _asked(self, worker: Worker, request: Mapping[str, Any]) -> tuple[bytes, bool]:
        """The answer of a worker, and whether it was killed from outside before it gave one."""
        line, killed = LOST, False
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                line = await worker.result(request)
                killed = line == LOST and not self._closed and await worker.killed_by_another()
        except TimeoutError:
            line = LATE
        finally:
            if line in (LATE, LOST):
                await self._ended(worker)
            else:
                self._idle.append(worker)
        return line, killed

    async def job(self, request: Mapping[str, Any]) -> AsyncIterator[bytes]:
        """The messages of a job; it ends when its client disconnects."""
        if self.jobs >= MOST_JOBS:
            yield FULL
            return
        self.jobs += 1
        try:
            with _folder(request) as folder:
                worker = await self._begun(NICENESS)
                try:
                    async with asyncio.timeout(JOB_SECONDS):
                        async for line in worker.messages({**request, "folder": folder}):
                            yield line
                except TimeoutError:
                    yield LATE
                finally:
                    await self._ended(worker)
        except OSError as error:
            yield message(str(refusal("report", "files", error, "room for its files")))
        finally:
            self.jobs -= 1


def _folder(request: Mapping[str, Any]) -> AbstractContextManager[str | None]:
    """A temporary folder for the files of a report; other jobs write none."""
    if request["work"] != "report":
        return nullcontext()
    return tempfile.TemporaryDirectory(prefix="boundcheck-", ignore_cleanup_errors=True)
