"""Where chunks are computed: any `concurrent.futures.Executor`.

Threads by default, since the kernels release the GIL; a process pool or any other executor the
caller hands over; a Dask cluster by its address. Which one it is cannot change a result.

A worker that dies takes its chunk with it, not the replication: the chunk is tried again, on a
new pool where the old one is beyond use. Only a pool that loses its workers twice without finishing
anything in between is given up, and then with one line.
"""

from __future__ import annotations

import asyncio
import os
import struct
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    as_completed,
)
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

from simulation.errors import InputError, shown

CLUSTER_TIMEOUT = 10  # seconds until a silent cluster is an error

Task = TypeVar("Task")
Result = TypeVar("Result")


class Pool:
    """An executor, what it raises when a worker dies, and how to replace it then."""

    def __init__(
        self,
        name: str,
        executor: Executor,
        lost: tuple[type[BaseException], ...] = (BrokenExecutor,),
        replacement: Callable[[Executor], Executor] | None = None,
    ) -> None:
        self.name, self.executor, self.lost = name, executor, lost
        self._replacement = replacement

    def completed(
        self, work: Callable[[Task], Result], tasks: Iterable[Task]
    ) -> Iterator[tuple[Task, Result]]:
        """Each task with its result, in the order they finish."""
        waiting, stalled = list(tasks), False
        while waiting:
            futures, again = self._submitted(work, waiting)
            try:
                for future in as_completed(list(futures)):
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
        """Futures of the tasks, and the tasks a broken pool no longer takes."""
        futures: dict[Future[Result], Task] = {}
        for position, task in enumerate(tasks):
            try:
                futures[self.executor.submit(work, task)] = task
            except self.lost:
                return futures, tasks[position:]
        return futures, []

    def _given_up(self, chunks: int) -> InputError:
        found = f"its workers died and {chunks} chunks are unfinished"
        return InputError("executor", self.name, found, "workers that stay alive")


@contextmanager
def open_pool(
    jobs: int | None = None, executor: Executor | None = None, cluster: str | None = None
) -> Iterator[Pool]:
    """The pool that is asked for; what was opened here is closed here."""
    asked = {"jobs": jobs, "executor": executor, "cluster": cluster}
    given = [name for name, value in asked.items() if value is not None]
    if len(given) > 1:
        raise InputError("executor", " and ".join(given), "both given", "one of them")
    with ExitStack() as stack:
        if cluster is not None:
            yield _cluster(stack, cluster)
        elif executor is not None:
            yield _given(stack, executor)
        else:
            workers = default_jobs() if jobs is None else jobs
            yield Pool("threads", stack.enter_context(ThreadPoolExecutor(workers)))


def default_jobs() -> int:
    """The processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _given(stack: ExitStack, executor: Executor) -> Pool:
    if not isinstance(executor, Executor):
        expected = "a concurrent.futures.Executor"
        raise InputError("executor", "executor", shown(executor), expected)
    name = type(executor).__name__
    if not isinstance(executor, ProcessPoolExecutor):
        return Pool(name, executor)

    def replacement(broken: Executor) -> Executor:
        # the caller's pool cannot be revived; ours has the same shape and is closed by us
        shape = {
            argument: getattr(broken, f"_{argument}", default)
            for argument, default in PROCESS_POOL_SHAPE.items()
        }
        return stack.enter_context(ProcessPoolExecutor(**shape))

    return Pool(name, executor, replacement=replacement)


# the arguments of a ProcessPoolExecutor, which it keeps under the same names
PROCESS_POOL_SHAPE: dict[str, Any] = {
    "max_workers": None,
    "mp_context": None,
    "initializer": None,
    "initargs": (),
}


def _cluster(stack: ExitStack, address: str) -> Pool:
    try:
        import distributed
    except ImportError:
        expected = "the extra `cluster` (pip install boundcheck[cluster])"
        raise InputError("cluster", shown(address), "dask is not installed", expected) from None
    try:
        with ThreadPoolExecutor(1) as aside:  # a notebook has an event loop of its own running
            aside.submit(asyncio.run, _greeting(address)).result()
        client = stack.enter_context(
            distributed.Client(address, timeout=CLUSTER_TIMEOUT, set_as_default=False)
        )
        client.wait_for_workers(1, timeout=CLUSTER_TIMEOUT)
        installed = [
            client.run_on_scheduler(eval, INSTALLED),
            *client.run(eval, INSTALLED).values(),
        ]
    except OTHER_PROTOCOL:
        raise _no_cluster(address, "something else answers there") from None
    except (OSError, ValueError) as error:  # a TimeoutError is an OSError
        raise _no_cluster(address, str(error) or "no answer") from None
    if not all(installed):
        raise _no_cluster(address, "boundcheck is not installed on all of it")
    # pure=False: never answer from Dask's memory; Dask itself reschedules the chunks of a dead
    # worker and raises KilledWorker only when several in a row died of the same chunk
    tasks = client.get_executor(pure=False)
    lost = (distributed.KilledWorker, distributed.comm.CommClosedError, CancelledError)
    return Pool(f"cluster {address}", tasks, lost, replacement=lambda same: same)


# asked of scheduler and workers in the standard library's words: a function of this package that
# cannot be imported there would end a worker, and the wait for its result would have no end
INSTALLED = "__import__('importlib.util').util.find_spec('simulation') is not None"

# what reading another protocol (a dashboard's HTTP, say) as Dask's ends in: absurd sizes and types
OTHER_PROTOCOL = (MemoryError, TypeError, struct.error)


async def _greeting(address: str) -> None:
    """Shake hands with the scheduler in time; a client waits for ever if the port is mute."""
    from distributed import Security
    from distributed.core import connect

    async with asyncio.timeout(CLUSTER_TIMEOUT):
        secured = Security().get_connection_args("client")
        comm = await connect(address, timeout=CLUSTER_TIMEOUT, **secured)
        await comm.close()


def _no_cluster(address: str, reason: str) -> InputError:
    expected = f"a Dask scheduler with workers that answers within {CLUSTER_TIMEOUT} s"
    return InputError("cluster", shown(address), shown(reason, 80), expected)
