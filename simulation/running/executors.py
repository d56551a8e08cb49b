"""Executors on which chunks are computed: any `concurrent.futures.Executor`.

By default threads, since the kernels release the GIL; else a process pool or another executor from
the caller, or a Dask cluster (`cluster.py`). The choice does not affect results.

If a worker dies, its chunk is tried again, on a new pool if the old one is broken. A pool that
loses its workers twice without finishing anything in between is given up, with a one-line error.

Waiting for a chunk can be interrupted at any time: chunks that have not started are cancelled, and
running ones are abandoned.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from simulation.errors import InputError, shown

PULSE = 1.0  # seconds between two checks of the workers

Task = TypeVar("Task")
Result = TypeVar("Result")


def _unwatched() -> None:
    """For threads and processes, which need no monitoring."""


class Pool:
    """An executor, the exceptions it raises when a worker dies, and how to replace it.

    `watch` is called before each wait for a result; the function that it returns is called every
    second until the result arrives, and raises an error if none will.
    """

    def __init__(
        self,
        name: str,
        executor: Executor,
        lost: tuple[type[BaseException], ...] = (BrokenExecutor,),
        replacement: Callable[[Executor], Executor] | None = None,
        watch: Callable[[], Callable[[], None]] = lambda: _unwatched,
    ) -> None:
        self.name, self.executor, self.lost = name, executor, lost
        self._replacement, self._watch = replacement, watch

    def completed(
        self, work: Callable[[Task], Result], tasks: Iterable[Task]
    ) -> Iterator[tuple[Task, Result]]:
        """Each task with its result, in the order in which they finish."""
        waiting, stalled = list(tasks), False
        while waiting:
            futures, again = self._submitted(work, waiting)
            finished: SimpleQueue[Future[Result]] = SimpleQueue()
            try:
                for future in futures:
                    future.add_done_callback(finished.put)
                while futures:
                    future = self._awaited(finished)
                    task = futures.pop(future)
                    try:
                        result = future.result()
                    except self.lost:
                        again.append(task)
                        continue
                    stalled = False
                    yield task, result
            finally:
                for future in futures:
                    future.cancel()
            if again:
                if stalled or self._replacement is None:
                    raise self._given_up(len(again))
                self.executor, stalled = self._replacement(self.executor), True
            waiting = again

    def _submitted(
        self, work: Callable[[Task], Result], tasks: list[Task]
    ) -> tuple[dict[Future[Result], Task], list[Task]]:
        """Futures of the tasks, and the tasks that a broken pool does not accept."""
        futures: dict[Future[Result], Task] = {}
        for position, task in enumerate(tasks):
            try:
                futures[self.executor.submit(work, task)] = task
            except self.lost:
                return futures, tasks[position:]
        return futures, []

    def _awaited(self, finished: SimpleQueue[Future[Result]]) -> Future[Result]:
        look = self._watch()
        while True:
            try:
                return finished.get(timeout=PULSE)
            except Empty:
                look()

    def _given_up(self, chunks: int) -> InputError:
        found = f"its workers died and {chunks} chunks are unfinished"
        return InputError("executor", self.name, found, "workers that stay alive")


class Threads(Executor):
    """Threads that need not be joined.

    A kernel cannot be interrupted, and threads of `concurrent.futures` are joined when their pool
    is closed and when the interpreter exits: an interrupt would take as long as the kernel.
    """

    def __init__(self, workers: int) -> None:
        self._workers, self._started, self._dismissed = workers, 0, False
        self._tasks: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self._dismissed:
            raise RuntimeError("threads that were dismissed take no more work")
        future: Future[Any] = Future()
        self._tasks.put((future, partial(fn, *args, **kwargs)))
        if self._started < self._workers:
            Thread(target=self._serve, daemon=True).start()
            self._started += 1
        return future

    def _serve(self) -> None:
        while (task := self._tasks.get()) is not None:
            future, call = task
            if future.set_running_or_notify_cancel():
                try:
                    result = call()
                except BaseException as error:  # any exception is passed on to the caller
                    future.set_exception(error)
                else:
                    future.set_result(result)

    def dismiss(self) -> None:
        """Let each thread end when it has nothing left to do."""
        self._dismissed = True
        for _ in range(self._started):
            self._tasks.put(None)


# an executor, or an open pool that stays open
Workers = Executor | Pool


def default_jobs() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def given_pool(stack: ExitStack, executor: Executor) -> Pool:
    if not isinstance(executor, Executor):
        expected = "a concurrent.futures.Executor"
        raise InputError("executor", "executor", shown(executor), expected)
    name = type(executor).__name__
    if not isinstance(executor, ProcessPoolExecutor):
        return Pool(name, executor)

    def replacement(broken: Executor) -> Executor:
        # the caller's pool cannot be restarted; a new one of the same shape is created, and closed
        # by us
        shape = {
            argument: getattr(broken, f"_{argument}", default)
            for argument, default in PROCESS_POOL_SHAPE.items()
        }
        return stack.enter_context(ProcessPoolExecutor(**shape))

    return Pool(name, executor, replacement=replacement)


# the arguments of a ProcessPoolExecutor, stored in attributes of the same names
PROCESS_POOL_SHAPE: dict[str, Any] = {
    "max_workers": None,
    "mp_context": None,
    "initializer": None,
    "initargs": (),
}
