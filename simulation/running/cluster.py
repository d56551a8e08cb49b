"""A Dask cluster by its address, and one clear line when it does not answer or dies.

Dask itself reschedules the chunks of a dead worker. What it would wait for without end are workers
that never come; and that its scheduler is gone it tells only by cancelling what it was given.
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

ANSWER_SECONDS = 10  # until a silent scheduler is an error
WORKERS_SECONDS = 30  # until a cluster without workers is one

# asked of scheduler and workers in the standard library's words: a function of this package that
# cannot be imported there would end a worker, and the wait for its result would have no end
INSTALLED = "__import__('importlib.util').util.find_spec('simulation') is not None"

# what reading another protocol (a dashboard's HTTP, say) as Dask's ends in: absurd sizes and types
OTHER_PROTOCOL = (MemoryError, TypeError, struct.error)


def cluster_pool(stack: ExitStack, address: str) -> Pool:
    """A pool of the workers at that address; its connection is closed with the stack."""
    try:
        import distributed
    except ImportError:
        expected = "the extra `cluster` (pip install boundcheck[cluster])"
        raise InputError("cluster", shown(address), "dask is not installed", expected) from None
    try:
        _greet(address)
        _hush(stack, "distributed.client")  # it logs tracebacks of what we say in one line
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
    """Knows whether a cluster will ever finish what it was given."""

    def __init__(self, address: str, client: Client) -> None:
        self._address, self._client = address, client

    def watch(self) -> Callable[[], None]:
        """A look at the workers, to be taken again and again during one wait."""
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
        if scheduler is None:  # what is left of a client that has given up its scheduler
            raise ConnectionError
        known: dict[str, int] = await scheduler.ncores()
        return known

    def still_there(self, tasks: Executor) -> Executor:
        """The same executor for what was lost, if the scheduler lives."""
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
    aside = Threads(1)  # a notebook has an event loop of its own running
    greeted = aside.submit(asyncio.run, _greeting(address))
    aside.dismiss()
    greeted.result()


async def _greeting(address: str) -> None:
    """Shake hands with the scheduler in time; a client waits for ever if the port is mute."""
    from distributed import Security
    from distributed.core import connect

    async with asyncio.timeout(ANSWER_SECONDS):
        secured = Security().get_connection_args("client")
        comm = await connect(address, timeout=ANSWER_SECONDS, **secured)
        await comm.close()


def _no_cluster(address: str, reason: str) -> InputError:
    expected = f"a Dask scheduler that answers within {ANSWER_SECONDS} s"
    return InputError("cluster", shown(address), shown(reason, 80), expected)
