"""A Dask cluster given by its address, with one-line errors if it does not answer or dies.

Dask itself reschedules the chunks of a dead worker. But it would wait forever for workers that
never come, and reports a lost scheduler only by cancelling tasks.
"""

from __future__ import annotations

import asyncio
import logging
import struct
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor
from contextlib import ExitStack
from typing import TYPE_CHECKING

from simulation.errors import InputError, shown
from simulation.running.executors import Pool, Threads

if TYPE_CHECKING:
    from distributed import Client

ANSWER_SECONDS = 10  # then a scheduler that does not answer is an error
WORKERS_SECONDS = 30  # then a cluster without workers is an error

# evaluated by scheduler and workers with the standard library only: a function of this package that
# cannot be imported there would end a worker, and its result would never come
INSTALLED = "__import__('importlib.util').util.find_spec('simulation') is not None"

# errors from reading another protocol (a dashboard's HTTP, say) as Dask's: absurd sizes and types
OTHER_PROTOCOL = (MemoryError, TypeError, struct.error)


def cluster_pool(stack: ExitStack, address: str) -> Pool:
    """A pool of the workers at that address; the stack closes its connection."""
    try:
        import distributed
    except ImportError:
        expected = "the extra `cluster` (pip install boundcheck[cluster])"
        raise InputError("cluster", shown(address), "dask is not installed", expected) from None
    try:
        _greet(address)
        # it logs tracebacks of errors that we report in one line
        _hush(stack, "distributed.client")
        client = stack.enter_context(
            distributed.Client(address, timeout=ANSWER_SECONDS, set_as_default=False)
        )
        cluster = _Cluster(address, client)
        cluster.wait_for_workers()
        installed = [
            client.run_on_scheduler(eval, INSTALLED),
            *client.run(eval, INSTALLED).values(),
        ]
    except InputError:
        raise
    except OTHER_PROTOCOL:
        raise _no_cluster(address, "something else answers there") from None
    except (OSError, ValueError) as error:  # a TimeoutError is an OSError
        raise _no_cluster(address, str(error) or "no answer") from None
    if not all(installed):
        raise _no_cluster(address, "boundcheck is not installed on all of it")
    # pure=False: never answer from Dask's memory; KilledWorker comes only when several workers in
    # a row died of the same chunk
    tasks = client.get_executor(pure=False)
    lost = (distributed.KilledWorker, distributed.comm.CommClosedError, CancelledError)
    return Pool(f"cluster {address}", tasks, lost, cluster.still_there, cluster.watch)


class _Cluster:
    """Monitors whether a cluster can still finish its tasks."""

    def __init__(self, address: str, client: Client) -> None:
        self._address, self._client = address, client

    def watch(self) -> Callable[[], None]:
        """A function that checks the workers, to be called repeatedly during one wait."""
        left: float | None = None  # when the cluster was first seen without workers

        def look() -> None:
            nonlocal left
            if self._workers():
                left = None
            elif left is None:
                left = time.monotonic()
            elif time.monotonic() - left >= WORKERS_SECONDS:
                found = f"no workers for {WORKERS_SECONDS} s"
                raise InputError("cluster", shown(self._address), found, "at least one worker")

        return look

    def wait_for_workers(self) -> None:
        look = self.watch()
        while not self._workers():
            look()
            time.sleep(0.1)

    def _workers(self) -> int:
        try:
            known = self._client.sync(self._threads_of_workers, callback_timeout=ANSWER_SECONDS)
        except OSError:
            raise self._dead() from None
        return len(known)

    async def _threads_of_workers(self) -> dict[str, int]:
        scheduler = self._client.scheduler
        if scheduler is None:  # the client has given up its scheduler
            raise ConnectionError
        known: dict[str, int] = await scheduler.ncores()
        return known

    def still_there(self, tasks: Executor) -> Executor:
        """The same executor for lost tasks, if the scheduler is alive."""
        try:
            _greet(self._address)
        except OSError:
            raise self._dead() from None
        return tasks

    def _dead(self) -> InputError:
        expected = "one that lives as long as the work"
        return InputError("cluster", shown(self._address), "the scheduler died", expected)


def _hush(stack: ExitStack, name: str) -> None:
    logger = logging.getLogger(name)
    stack.callback(logger.setLevel, logger.level)
    logger.setLevel(logging.CRITICAL)


def _greet(address: str) -> None:
    aside = Threads(1)  # in a thread, because a notebook already runs an event loop
    greeted = aside.submit(asyncio.run, _greeting(address))
    aside.dismiss()
    greeted.result()


async def _greeting(address: str) -> None:
    """Connect to the scheduler with a time limit; a client waits forever if the port is silent."""
    from distributed import Security
    from distributed.core import connect

    async with asyncio.timeout(ANSWER_SECONDS):
        secured = Security().get_connection_args("client")
        comm = await connect(address, timeout=ANSWER_SECONDS, **secured)
        await comm.close()


def _no_cluster(address: str, reason: str) -> InputError:
    expected = f"a Dask scheduler that answers within {ANSWER_SECONDS} s"
    return InputError("cluster", shown(address), shown(reason, 80), expected)
