"""Signals stop any command in time and say what is kept; what is kept is not computed again."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from events import cpu_seconds, until, until_ended
from paper import study

from boundcheck import verify
from boundcheck.cli import main
from boundcheck.judging.effort import EFFORTS, Effort
from boundcheck.judging.verification import Verification
from boundcheck.pages import audit
from boundcheck.pages.study import Study
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.pages import figures
from simulation.running import chunks, estimation, executors
from simulation.world.instance import Instance

ROOT = Path(__file__).parents[2]
TEXTBOOK = Instance.load("textbook")
PAPER = Instance.load("paper")
SECONDS = 3.0  # what is promised

# says when a kernel of 1e9 slots is about to begin
ANNOUNCED = """
from simulation import Instance
from simulation.running import chunks
original = chunks.run_many
def announced(*arguments):
    if arguments[2] >= 10**9:
        print("begun", flush=True)
    return original(*arguments)
chunks.run_many = announced
"""


def started(script: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def stopped(script: str, number: int) -> tuple[int, str]:
    """Start a script, send the signal when it says that it has begun: exit code, last words."""
    with started(script) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        begun = cpu_seconds(process.pid)
        until(lambda: cpu_seconds(process.pid) > begun + 0.1)  # into the kernel itself
        sent = cpu_seconds(process.pid)
        process.send_signal(number)
        until_ended(process.pid)  # which is not yet waited for
        assert cpu_seconds(process.pid) - sent < SECONDS
        _, said = process.communicate()
    return process.returncode, said


def command(*arguments: str) -> str:
    return f"from boundcheck.cli import main\nmain({list(arguments)!r})"


LONG = ("simulate", "paper", "--policy", "ts-kc", "--horizon", "1e9", "--runs", "1")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_kernel_of_a_billion_slots_is_stopped_with_one_line(number: int, code: int) -> None:
    found, said = stopped(ANNOUNCED + command(*LONG, "--jobs", "1"), number)
    assert found == code
    *progress, last = said.splitlines()
    assert set(progress) <= {"simulate: 0 %"}
    assert last == (
        "boundcheck: stopped: nothing is kept; "
        "with --store DIR the same command would continue where it stopped"
    )


def test_a_kernel_on_the_main_thread_itself_is_stopped() -> None:
    script = """
from boundcheck.terminal.stopping import listening
with listening():
    for horizon in (1, 10**9):  # the first compiles
        chunks.run_many(Instance.load("paper"), "ts-kc", horizon, (horizon,), 0, 0, 1)
"""
    code, said = stopped(ANNOUNCED + script, signal.SIGTERM)
    assert code == 143
    assert said.startswith("boundcheck: stopped: ")


def test_an_interrupted_call_in_python_does_not_wait_for_the_kernel() -> None:
    script = """
from simulation.running.replicate import replicate
try:
    replicate(Instance.load("paper"), "ts-kc", 10**9, 1)
except KeyboardInterrupt:
    print("interrupted")
"""
    assert stopped(ANNOUNCED + script, signal.SIGINT) == (0, "")


@pytest.mark.parametrize("words", [("proofs",), ("falsify", "lem-C.3", "--examples", "1e6")])
def test_searches_and_proofs_are_stopped(words: tuple[str, ...]) -> None:
    begun = "import threading; threading.Timer(1.0, print, ['begun'], {'flush': True}).start()\n"
    code, said = stopped(begun + command(*words), signal.SIGTERM)
    assert code == 143
    assert said == (
        "boundcheck: stopped: nothing is kept; the same command starts from the beginning\n"
    )


# -- what is kept ----------------------------------------------------------------------------


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The runs of each chunk that is computed in this process."""
    seen: list[int] = []
    original = chunks.compute

    def noted(chunk: chunks.Chunk) -> Any:
        seen.append(chunk.runs)
        return original(chunk)

    monkeypatch.setattr("simulation.running.replicate.compute", noted)
    return seen


CLAIMS = ("thm-G.5", "thm-H.1")


def test_a_stopped_verification_goes_on_with_the_same_verdicts(
    tmp_path: Path, computed: list[int]
) -> None:
    words = [word for claim in CLAIMS for word in ("--claim", claim)]
    asked = command("verify", "textbook", "--effort", "quick", *words, "--store", str(tmp_path))
    with started(asked) as victim:
        while not list(tmp_path.rglob("*.chunk")):
            assert victim.poll() is None
            time.sleep(0.005)
        victim.send_signal(signal.SIGTERM)
        _, said = victim.communicate()
    assert victim.returncode == 143
    kept = re.search(r"stopped: (\d+) finished chunks? (is|are) kept in (\S+); the same", said)
    assert kept is not None, said
    assert (int(kept[1]), kept[3]) == (len(list(tmp_path.rglob("*.chunk"))), str(tmp_path))

    whole = verify(TEXTBOOK, "quick", claims=CLAIMS)
    needed = sum(computed)
    computed.clear()
    resumed = verify(TEXTBOOK, "quick", claims=CLAIMS, store=tmp_path)
    assert sum(computed) < needed, "finished chunks are found again"
    assert resumed.to_json_rows() == whole.to_json_rows()
    assert resumed.budget.to_json() == whole.budget.to_json()


class Inline(Executor):
    """Computes at once, on the thread that asks."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


class Refusing(Executor):
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        raise AssertionError("all there is to compute is in the store")


@pytest.fixture
def _no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is given an executor must not compute anywhere else."""
    monkeypatch.setattr(executors, "Threads", None)
    monkeypatch.setitem(EFFORTS, "tiny", Effort("tiny", trials=400, runs=4, horizon=300))


# runs shared by checks, runs of one check, the estimator step by step
SIMULATING = ("thm-7.1", "thm-G.3", "thm-5.3a")


@pytest.mark.usefixtures("_no_threads")
def test_reports_and_the_audit_simulate_where_they_are_told_and_only_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "store"

    def few(*given: Any, **settings: Any) -> Verification:
        return verify(*given, **settings | {"claims": SIMULATING})

    monkeypatch.setattr("boundcheck.pages.study.verify", few)
    monkeypatch.setattr(audit, "verify", few)

    def studied(executor: Executor) -> Study:
        return study(TEXTBOOK, "tiny", executor=executor, store=store)

    first, again = studied(Inline()), studied(Refusing())
    assert again.verification.to_json_rows() == first.verification.to_json_rows()
    assert again.comparison == first.comparison
    assert again.estimations == first.estimations

    monkeypatch.setattr(audit, "EXAMPLES", {"tiny": 0})
    monkeypatch.setattr(audit, "searched", lambda *given: [])
    alone = replace(THEORY, audited=("textbook",), proofs={})
    found = audit.gather("tiny", executor=Refusing(), store=store, theory=alone)
    told = [f.to_json() for s in found.standings for f in s.findings]
    assert sorted(map(str, told)) == sorted(str(f.to_json()) for f in first.verification.findings)
    assert found.played[0]["likelihood"] == first.comparison["likelihood"]


@pytest.mark.usefixtures("_no_threads")
def test_figures_simulate_where_they_are_told_and_only_once(tmp_path: Path) -> None:
    def drawn(executor: Executor) -> bytes:
        wanted: dict[str, Any] = {"runs": 2, "horizon": 100, "only": ["candidates", "beyond-paper"]}
        page = figures.write_figures(
            tmp_path, executor=executor, store=tmp_path / "store", **wanted
        )
        return page.read_bytes()

    assert drawn(Inline()) == drawn(Refusing())


def test_blocks_of_an_estimation_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimation, "DRAWS_PER_BLOCK", 2_000)  # ten runs of 100 steps
    explored: list[int] = []
    original = estimation._explored

    def noted(block: Any) -> Any:
        explored.append(block.first_run)
        return original(block)

    monkeypatch.setattr(estimation, "_explored", noted)

    def estimated(runs: int, **where: Any) -> estimation.Estimation:
        return estimation.estimate(PAPER, 1, samples=100, runs=runs, **where)

    whole = estimated(50)
    explored.clear()
    estimated(20, store=tmp_path)
    assert estimated(50, store=tmp_path) == whole
    assert sorted(explored) == [0, 10, 20, 30, 40], "each block once"
    estimated(50, store=tmp_path, delta=0.1)
    assert len(explored) == 10, "another delta is another shelf"


@pytest.mark.parametrize(
    ("words", "function"),
    [
        (("verify", "textbook"), "judging.verification.verify"),
        (("report", "textbook"), "pages.instance.write_report"),
        (("audit",), "pages.audit.write_audit"),
        (("figures",), "theories.shareable_arms.pages.figures.write_figures"),
        (("estimate", "textbook", "--arm", "1"), "terminal.run_simulate.estimate"),
    ],
)
def test_commands_pass_on_where_to_simulate_and_what_to_keep(
    words: tuple[str, ...], function: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Called(Exception):
        pass

    def called(*arguments: Any, **settings: Any) -> None:
        raise Called(settings["cluster"], settings["store"])

    monkeypatch.setattr(f"boundcheck.{function}", called)
    with pytest.raises(Called) as told:
        main([*words, "--cluster", "tcp://somewhere:1", "--store", "kept"])
    assert told.value.args == ("tcp://somewhere:1", "kept")


def test_a_signal_within_a_callback_that_cannot_raise_stops_all_the_same() -> None:
    code, said = stopped(
        """
import os, signal, weakref
from boundcheck.terminal import stopping

class Thing: pass

with stopping.listening():
    thing = Thing()
    callback = weakref.ref(thing, lambda _: os.kill(os.getpid(), signal.SIGTERM) or list(range(9)))
    print("begun", flush=True)
    del thing
    while True: pass
""",
        signal.SIGTERM,
    )
    assert (code, said.count("Traceback")) == (143, 0)
