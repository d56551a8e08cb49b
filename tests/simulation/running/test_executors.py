"""Threads, processes and a Dask cluster give the same bits, and outlive their workers."""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from events import until
from paper import theory_with
from stub_policy import STUB

from simulation import Instance
from simulation.errors import InputError
from simulation.running import cluster as dask_cluster
from simulation.running.executors import Pool
from simulation.running.pools import open_pool
from simulation.running.replicate import replicate
from simulation.running.results import Replication

PAPER = Instance.load("paper")
ROOT = Path(__file__).parents[3]
REAL = ("orch-explore", "orch-explore-kc")


def processes(workers: int = 2) -> ProcessPoolExecutor:
    # spawned, not forked: a worker starts from nothing, as on another machine
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, context)


def real(**where: Any) -> Replication:
    return replicate(PAPER, REAL, 1500, 10, 5, chunk=3, **where)


def stub(**settings: Any) -> Replication:
    return replicate(PAPER, STUB, 1000, 12, 7, chunk=2, **settings)


# -- processes ---------------------------------------------------------------------------


def test_processes_compute_the_bits_of_threads() -> None:
    threads = real(jobs=1)
    with processes() as pool:
        assert real(executor=pool) == threads


def test_a_process_that_dies_once_costs_a_retry(tmp_path: Path) -> None:
    options = {"grave": str(tmp_path / "grave")}
    with processes() as pool:
        survived = stub(executor=pool, options=options, store=tmp_path / "store")
    assert (tmp_path / "grave").exists(), "a worker did die"
    assert survived == stub(options=options)


def test_processes_that_always_die_are_given_up_with_one_line(tmp_path: Path) -> None:
    stub(store=tmp_path)
    with processes(1) as pool, pytest.raises(InputError, match="6 chunks are unfinished") as caught:
        stub(executor=pool, options={"grave": "always"}, store=tmp_path)
    assert "\n" not in str(caught.value)
    assert stub(store=tmp_path)["stub"].restored == 12, "finished chunks are kept"


# -- what counts as giving up ------------------------------------------------------------


class Mortal(Executor):
    """Runs tasks at once; dies at the task with the number `last`, and takes nothing after it."""

    def __init__(self, last: int) -> None:
        self.last, self.taken = last, 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self.taken > self.last:
            raise BrokenExecutor
        future: Future[Any] = Future()
        if self.taken == self.last:
            future.set_exception(BrokenExecutor())
        else:
            future.set_result(fn(*args, **kwargs))
        self.taken += 1
        return future


def test_a_pool_that_gets_on_may_die_many_times() -> None:
    pool = Pool("mortals", Mortal(1), replacement=lambda dead: Mortal(1))
    assert sorted(pool.completed(str, range(20))) == [(n, str(n)) for n in range(20)]


def test_a_pool_that_gets_nowhere_is_replaced_once() -> None:
    lives: list[Executor] = [Mortal(0)]
    pool = Pool("mortals", lives[0], replacement=lambda dead: lives.append(Mortal(0)) or lives[-1])  # type: ignore[func-returns-value]
    with pytest.raises(InputError, match="its workers died and 5 chunks are unfinished"):
        list(pool.completed(str, range(5)))
    assert len(lives) == 2


def test_a_pool_that_cannot_be_replaced_is_given_up_at_once() -> None:
    with pytest.raises(InputError, match="workers that stay alive"):
        list(Pool("mortal", Mortal(3)).completed(str, range(5)))


def test_an_error_of_the_task_itself_is_not_retried() -> None:
    tried = []

    def fails(task: int) -> None:
        tried.append(task)
        raise ZeroDivisionError

    with open_pool(jobs=1) as pool, pytest.raises(ZeroDivisionError):
        list(pool.completed(fails, [1]))
    assert tried == [1]


# -- a Dask cluster ----------------------------------------------------------------------


@contextmanager
def dask(folder: Path, workers: int) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The address and the process of a scheduler with workers on the loopback interface."""
    contact = folder / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    local = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(contact)]
    shape = ["--nworkers", str(workers), "--nthreads", "1", "--local-directory", str(folder)]
    commands = [[*dask, "scheduler", "--port", "0", *local], [*dask, "worker", *shape, *local]]
    started: list[subprocess.Popen[bytes]] = []
    with open(folder / "log", "wb") as log:
        try:
            for command in commands:
                started.append(
                    subprocess.Popen(
                        command, env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=log, stderr=log
                    )
                )
                _wait_for(contact)
            yield json.loads(contact.read_text())["address"], started[0]
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait(30)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with dask(tmp_path_factory.mktemp("dask"), workers=2) as (address, _):
        yield address


def _wait_for(file: Path) -> None:
    until(file.exists)


def test_a_cluster_computes_the_bits_of_threads(cluster: str) -> None:
    threads = real(jobs=1)
    assert real(cluster=cluster) == threads


def test_a_cluster_leaps_as_threads_do(cluster: str) -> None:
    policies, call = ["likelihood", "orch-explore", "se-kc"], {"leap": True, "chunk": 2}
    threads = replicate(PAPER, policies, "1e9", 4, 5, jobs=1, **call)
    there = replicate(PAPER, policies, "1e9", 4, 5, cluster=cluster, **call)
    assert there == threads
    for policy in policies:
        found = there[policy]
        assert found.leap
        assert found.steps < 10**6 < found.played[:, 0].max()
        assert found.played.any(axis=(1, 2)).all()


def test_a_cluster_computes_a_policy_it_never_saw(cluster: str) -> None:
    file = str(ROOT / "examples" / "round_robin.py")
    policy = theory_with([file]).policy("round-robin")
    threads = replicate(PAPER, [policy], 300, 6, 5, chunk=3, jobs=1)
    assert replicate(PAPER, [policy], 300, 6, 5, chunk=3, cluster=cluster) == threads


def test_a_cluster_without_this_package_is_one_line(
    cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_cluster, "INSTALLED", "__import__('sys').modules.get('absent')")
    with pytest.raises(InputError, match="boundcheck is not installed on all of it"):
        stub(cluster=cluster)


def test_a_cluster_worker_that_dies_costs_a_retry(cluster: str, tmp_path: Path) -> None:
    options = {"grave": str(tmp_path / "grave")}
    survived = stub(cluster=cluster, options=options)
    assert (tmp_path / "grave").exists(), "a worker did die"
    assert survived == stub(options=options)


def test_chunks_from_a_cluster_are_kept_here(cluster: str, tmp_path: Path) -> None:
    first = stub(cluster=cluster, store=tmp_path)
    assert stub(store=tmp_path)["stub"].restored == 12
    assert first == stub()


@pytest.mark.cluster
@pytest.mark.parametrize("workers", [0, 1])
def test_a_cluster_whose_workers_stay_away_is_one_line(
    workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from distributed import LocalCluster

    monkeypatch.setattr(dask_cluster, "WORKERS_SECONDS", 1)  # as 30 s would, without the wait
    with LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=False,
        protocol="tcp",
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
    ) as local:

        def left(done: int, total: int, rate: float) -> None:
            if done:
                local.scale(0)

        with pytest.raises(InputError, match="no workers for 1 s: expected at least one worker"):
            stub(cluster=local.scheduler_address, progress=left, options={"pause": 0.1})


@pytest.mark.cluster
def test_a_scheduler_that_dies_is_called_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_cluster, "ANSWER_SECONDS", 2)
    with dask(tmp_path, workers=1) as (address, scheduler):

        def killed(done: int, total: int, rate: float) -> None:
            if done:
                scheduler.kill()

        with pytest.raises(InputError, match=f"{address}: the scheduler died: expected") as caught:
            stub(cluster=address, progress=killed, options={"pause": 0.1}, store=tmp_path / "store")
    assert "\n" not in str(caught.value)
    assert len(list((tmp_path / "store").rglob("*.chunk"))) >= 1, "finished chunks are kept"


@pytest.mark.cluster
@pytest.mark.parametrize("listening", [False, True])
def test_a_cluster_that_does_not_answer_is_one_line_in_time(
    listening: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_cluster, "ANSWER_SECONDS", 2)  # as 10 s would, without the wait
    with socket.socket() as port:
        port.bind(("127.0.0.1", 0))  # not listening: refused; listening: accepted, never answered
        if listening:
            port.listen()
        address = f"tcp://127.0.0.1:{port.getsockname()[1]}"
        with pytest.raises(InputError, match="that answers within 2 s") as caught:
            stub(cluster=address)
    assert address in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_promises_are_ten_seconds_and_thirty() -> None:
    assert (dask_cluster.ANSWER_SECONDS, dask_cluster.WORKERS_SECONDS) == (10, 30)


@pytest.mark.cluster
def test_a_port_that_speaks_another_protocol_is_one_line() -> None:
    def answer() -> None:
        caller, _ = port.accept()
        with caller:
            caller.sendall(b"HTTP/1.0 400 Bad Request\r\n\r\n" * 9)
            caller.recv(1)

    with socket.create_server(("127.0.0.1", 0)) as port:
        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(InputError, match="something else answers there: expected a Dask"):
            stub(cluster=f"tcp://127.0.0.1:{port.getsockname()[1]}")
        thread.join()


@pytest.mark.parametrize("address", ["nonsense://x", "", "127.0.0.1:notaport"])
def test_an_address_that_is_none_is_one_line(address: str) -> None:
    with pytest.raises(InputError, match=r"^cluster: "):
        stub(cluster=address)


def test_a_missing_extra_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"expected the extra `cluster`"):
        stub(cluster="tcp://127.0.0.1:8786")


def test_dismissed_threads_refuse_work_instead_of_waiting_for_ever() -> None:
    from simulation.running.executors import Threads

    threads = Threads(1)
    assert threads.submit(pow, 2, 3).result() == 8
    threads.dismiss()
    with pytest.raises(RuntimeError, match="no more work"):
        threads.submit(pow, 2, 3)
