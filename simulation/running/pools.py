"""Open the pool of workers that a caller asks for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from simulation.errors import InputError
from simulation.parameters import LARGEST_RUNS, Number, whole_number
from simulation.running.cluster import cluster_pool
from simulation.running.executors import Pool, Threads, Workers, default_jobs, given_pool


@contextmanager
def open_pool(
    jobs: Number | None = None, executor: Workers | None = None, cluster: str | None = None
) -> Iterator[Pool]:
    """The pool that the arguments describe; if it was opened here, it is closed here."""
    asked = {"jobs": jobs, "executor": executor, "cluster": cluster}
    given = [name for name, value in asked.items() if value is not None]
    if len(given) > 1:
        raise InputError("executor", " and ".join(given), "both given", "one of them")
    with ExitStack() as stack:
        if cluster is not None:
            yield cluster_pool(stack, cluster)
        elif isinstance(executor, Pool):
            yield executor
        elif executor is not None:
            yield given_pool(stack, executor)
        else:
            wanted = default_jobs() if jobs is None else jobs
            threads = Threads(whole_number("executor", "jobs", wanted, 1, LARGEST_RUNS))
            stack.callback(threads.dismiss)
            yield Pool("threads", threads)
