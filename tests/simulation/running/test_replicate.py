"""Replications have the same bits however they are computed, and survive being killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stub_policy import STUB, STUBS

from simulation import Beta, Gaussian, Instance
from simulation.errors import InputError
from simulation.running import chunks
from simulation.running.checkpoints import log_grid
from simulation.running.chunks import Chunk, code_version
from simulation.running.replicate import replicate
from simulation.running.results import PolicyRuns, Replication

PAPER = Instance.load("paper")
ROOT = Path(__file__).parents[3]


def stubs(runs: int = 40, horizon: int = 1000, **settings: Any) -> Replication:
    return replicate(PAPER, STUBS, horizon, runs, 7, **settings)


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The (first run, runs) of every chunk computed in this process, compilation aside."""
    seen: list[tuple[int, int]] = []
    original = chunks.run_many

    def counting(*arguments: Any) -> Any:
        _, _, horizon, _, _, first_run, runs, _ = arguments
        if horizon > 1:
            seen.append((first_run, runs))
        return original(*arguments)

    monkeypatch.setattr(chunks, "run_many", counting)
    return seen


# -- the numbers -------------------------------------------------------------------------


def three_runs() -> PolicyRuns:
    """Three runs whose final regrets are 1, 2 and 6, in two phases, at slots 1 and 4."""
    return PolicyRuns(
        policy="hand",
        title="by hand",
        phases=("first", "second"),
        options={},
        checkpoints=np.array([1, 4]),
        regret=np.array([[[0, 1], [0, 0]], [[0, 1], [0, 1]], [[0, 2], [3, 4]]], dtype=float),
        reward=np.array([[1, 5], [2, 6], [3, 10]], dtype=float),
        optimal=np.array([[1, 3], [1, 4], [0, 2]]),
        candidates=np.full((3, 2), 2),
        learned=np.array([[3, 0], [0, 0], [1, 2]]),
        lower=np.ones((3, 2), dtype=np.int64),
        upper=np.ones((3, 2), dtype=np.int64),
        played=np.array([[[4, 2], [0, 1]], [[4, 0], [2, 0]], [[4, 1], [1, 0]]]),
        slots_per_second=1234567.0,
    )


def test_statistics_agree_with_a_calculation_by_hand() -> None:
    hand = three_runs()
    assert hand.total.tolist() == [[0, 1], [0, 2], [3, 6]]
    assert hand.mean.tolist() == [1, 3]
    # deviations -2, -1, 3: sum of squares 14, variance 7
    assert hand.standard_error == pytest.approx([1, np.sqrt(7 / 3)], rel=1e-15)
    assert hand.quantile(0.5).tolist() == [0, 2]
    assert hand.quantile(0.25).tolist() == [0, 1.5]
    assert hand.quantile(1).tolist() == [3, 6]
    assert hand.phase_mean == pytest.approx(np.array([[0, 4 / 3], [1, 5 / 3]]))
    assert hand.throughput.tolist() == [2, 7]
    assert hand.optimal_share == pytest.approx([2 / 3, 3 / 4])
    assert hand.worst_run == 2
    assert hand.learned_share == pytest.approx([2 / 3, 1 / 3])
    assert hand.learned_time.tolist() == [3, np.inf]


def test_a_single_run_has_no_standard_error() -> None:
    alone = replicate(PAPER, STUB, 100, 1)["stub"]
    assert np.isnan(alone.standard_error).all()
    assert set(alone.to_json()["standard_error"]) == {None}


def test_quantiles_outside_the_unit_interval_are_refused() -> None:
    with pytest.raises(InputError, match="a number from 0 to 1"):
        three_runs().quantile(1.5)


def test_text_terminal_and_notebook_show_the_same_cells() -> None:
    replication = Replication(PAPER.with_(name="<a & b>"), 4, 3, 1, (three_runs(),))
    (cells,) = replication.summary().rows
    assert cells[:3] == ["hand", "3", "1.528"]
    text, page, rich = str(replication), replication._repr_html_(), replication.__rich__()
    assert [column.header for column in rich.columns] == replication.summary().headings
    for heading, cell, column in zip(
        replication.summary().headings, cells, rich.columns, strict=True
    ):
        assert heading in text
        assert cell in text
        assert f"<td>{cell}</td>" in page
        assert [str(found) for found in column.cells] == [cell]
    assert "&lt;a &amp; b&gt;" in page


def test_json_rows_have_the_agreed_keys_and_are_json() -> None:
    rows = json.loads(json.dumps(stubs().to_json_rows(), allow_nan=False))
    agreed = {"policy", "checkpoints", "mean", "standard_error", "runs", "slots_per_second"}
    for row in rows:
        assert agreed <= set(row)
        assert row["runs"] == 40
        assert row["checkpoints"][-1] == 1000
        assert len(row["checkpoints"]) == len(row["mean"]) == len(row["standard_error"])
        total = np.sum([row["phases"][name] for name in row["phases"]], axis=0)
        assert total == pytest.approx(np.array(row["mean"]), rel=1e-12)


def test_csv_has_a_line_per_policy_and_checkpoint_with_all_digits(tmp_path: Path) -> None:
    replication = stubs()
    replication.to_csv(tmp_path / "out.csv")
    heading, *lines = (tmp_path / "out.csv").read_text().splitlines()
    assert heading.startswith("policy,slot,mean,standard_error,quantile 0.05,")
    assert heading.endswith(",phase seeking,phase settling")
    assert len(lines) == 2 * len(log_grid(1000))
    name, slot, mean, *_ = lines[-1].split(",")
    assert (name, int(slot), float(mean)) == ("stub-two", 1000, replication["stub-two"].mean[-1])
    with pytest.raises(InputError, match="a writable file"):
        replication.to_csv(tmp_path / "absent" / "out.csv")


def test_the_plot_shows_each_policy_at_its_checkpoints() -> None:
    from matplotlib.figure import Figure

    replication = stubs()
    axes = replication.plot(Figure().subplots())
    assert [line.get_label() for line in axes.get_lines()] == ["stub", "stub-two"]
    assert axes.get_lines()[0].get_ydata().tolist() == replication["stub"].mean.tolist()


# -- the same bits -----------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.parametrize("chunk", [None, 1, 7, 40, 1000])
def test_jobs_and_chunks_do_not_change_a_bit(jobs: int, chunk: int | None) -> None:
    assert stubs(jobs=jobs, chunk=chunk) == stubs(jobs=1, chunk=40)


def test_a_run_depends_on_the_seed_and_its_number_alone() -> None:
    few, many = stubs(runs=5)["stub"], stubs(runs=40)["stub"]
    assert np.array_equal(few.regret, many.regret[:5])
    assert np.array_equal(few.learned, many.learned[:5])
    other = replicate(PAPER, STUB, 1000, 5, 8)["stub"]
    assert not np.array_equal(few.regret, other.regret)
    assert np.array_equal(few.regret, replicate(PAPER, STUB, 1000, 5, 7)["stub"].regret)


def test_equality_sees_a_changed_bit_and_no_timing() -> None:
    one, two = stubs(), stubs()
    assert one["stub"].slots_per_second != two["stub"].slots_per_second
    assert one == two
    two["stub"].regret[3, 0, 0] = np.nextafter(two["stub"].regret[3, 0, 0], 2)
    assert one != two


def test_real_kernels_have_the_same_bits_in_one_thread_and_in_several() -> None:
    worlds = [
        PAPER,
        Instance.load("paper-gaussian"),
        Instance([0.7, 0.4, 0.2], [1, 2, 2], 2, Beta(4)),
    ]
    for world in worlds:
        first, *others = (
            replicate(world, ["orch-explore", "orch-explore-kc"], 2000, 12, 3, jobs=j, chunk=c)
            for j, c in ((1, 12), (2, 1), (5, 5))
        )
        assert all(other == first for other in others)
        assert first["orch-explore"].mean[-1] > 0


# -- killed and resumed ------------------------------------------------------------------


def test_finished_chunks_are_not_computed_again(
    tmp_path: Path, computed: list[tuple[int, int]]
) -> None:
    first = stubs(store=tmp_path, chunk=8)
    assert len(computed) == 10
    computed.clear()
    again = stubs(store=tmp_path, chunk=8)
    assert computed == []
    assert again == first == stubs()
    assert [policy.restored for policy in again] == [40, 40]


def test_a_resume_may_cut_chunks_another_way_and_add_runs(
    tmp_path: Path, computed: list[tuple[int, int]]
) -> None:
    replicate(PAPER, STUB, 1000, 20, 7, store=tmp_path, chunk=8)
    computed.clear()
    more = replicate(PAPER, STUB, 1000, 50, 7, store=tmp_path, chunk=25)
    assert sorted(computed) == [(20, 25), (45, 5)]
    assert more == replicate(PAPER, STUB, 1000, 50, 7)
    fewer = replicate(PAPER, STUB, 1000, 33, 7, store=tmp_path)
    assert fewer["stub"].restored == 33
    assert fewer == replicate(PAPER, STUB, 1000, 33, 7)


def test_the_store_is_asked_only_for_the_very_same_numbers(
    tmp_path: Path, computed: list[tuple[int, int]]
) -> None:
    def ask(world: Instance = PAPER, horizon: int = 1000, seed: int = 7, **settings: Any) -> None:
        replicate(world, STUB, horizon, 4, seed, store=tmp_path, chunk=4, **settings)

    ask()
    different: list[Callable[[], None]] = [
        lambda: ask(seed=8),
        lambda: ask(horizon=1001),
        lambda: ask(checkpoints=[10]),
        lambda: ask(options={"pause": 1e-6}),
        lambda: ask(PAPER.with_(plays=6)),
        lambda: ask(PAPER.with_(means=(0.91, *PAPER.means[1:]))),
        lambda: ask(PAPER.with_(reward=Gaussian(4))),
        lambda: ask(PAPER.with_(reward=Beta(4))),
        lambda: ask(PAPER.with_(reward=Beta(5))),
    ]
    for position, other in enumerate(different, 2):
        other()
        assert len(computed) == position
    ask(PAPER.with_(name="renamed"), options={"pause": 0.0})
    assert len(computed) == 1 + len(different), "a name or a spelt-out default changes no number"


@pytest.mark.parametrize("damage", ["truncated", "junk", "empty"])
def test_a_damaged_chunk_is_computed_again(
    tmp_path: Path, computed: list[tuple[int, int]], damage: str
) -> None:
    whole = replicate(PAPER, STUB, 1000, 40, 7, store=tmp_path, chunk=8)
    (file,) = tmp_path.rglob("16-8.chunk")
    good = file.read_bytes()
    bad = {"truncated": good[: len(good) // 2], "junk": b"\xff" * len(good), "empty": b""}
    file.write_bytes(bad[damage])
    computed.clear()
    assert replicate(PAPER, STUB, 1000, 40, 7, store=tmp_path, chunk=8) == whole
    assert computed == [(16, 8)]
    (file,) = tmp_path.rglob("16-8.chunk")
    computed.clear()
    assert replicate(PAPER, STUB, 1000, 40, 7, store=tmp_path) == whole
    assert computed == [], "the damaged chunk was replaced"


def test_killed_half_way_and_resumed(tmp_path: Path, computed: list[tuple[int, int]]) -> None:
    script = f"""
import os, signal
from stub_policy import STUB
from simulation import Instance
from simulation.running.replicate import replicate
from simulation.running.store import Shelf

put, kept = Shelf.put, []

def killed_after_ten(*chunk):
    put(*chunk)
    kept.append(chunk)
    if len(kept) == 10:
        os.kill(os.getpid(), signal.SIGKILL)

Shelf.put = killed_after_ten
replicate(Instance.load("paper"), STUB, 1000, 40, 7, jobs=2, chunk=1, store={str(tmp_path)!r})
"""
    path = os.pathsep.join([str(ROOT), str(Path(__file__).parents[2])])
    victim = subprocess.Popen([sys.executable, "-c", script], env=os.environ | {"PYTHONPATH": path})
    assert victim.wait() == -signal.SIGKILL
    assert len(list(tmp_path.rglob("*.chunk"))) == 10
    resumed = replicate(PAPER, STUB, 1000, 40, 7, store=tmp_path, chunk=1)
    assert len(computed) == 30
    assert resumed["stub"].restored == 10
    assert resumed == replicate(PAPER, STUB, 1000, 40, 7, chunk=1)


def test_chunks_finished_before_a_failure_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = chunks.run_many

    def failing(*arguments: Any) -> Any:
        if arguments[5] == 24:
            raise InputError("stub", "run", "24", "another one")
        return original(*arguments)

    monkeypatch.setattr(chunks, "run_many", failing)
    with pytest.raises(InputError, match="another one"):
        replicate(PAPER, STUB, 1000, 40, 7, jobs=1, store=tmp_path, chunk=8)
    monkeypatch.setattr(chunks, "run_many", original)
    assert replicate(PAPER, STUB, 1000, 40, 7, store=tmp_path)["stub"].restored == 24


# -- chunks, checkpoints, progress, memory -----------------------------------------------


def test_chunks_are_worth_sending_to_a_worker(computed: list[tuple[int, int]]) -> None:
    replicate(PAPER, STUB, 1000, 12, 7, options={"pause": 0.12})
    pilot, *sent = computed
    assert pilot == (0, 1)
    assert all(runs >= 4 for _, runs in sent[:-1]), "at 0.12 s a run, half a second is 5 runs"


@pytest.mark.parametrize("horizon", [1, 2, 9, 10, 11, 999, 10**6, 123456789, 10**15])
def test_the_grid_has_one_the_powers_of_ten_and_the_horizon(horizon: int) -> None:
    grid = log_grid(horizon)
    powers = {10**k for k in range(16) if 10**k <= horizon}
    assert {1, horizon} | powers <= set(grid)
    assert list(grid) == sorted(set(grid))
    assert len(grid) <= 10 * (len(powers) + 1)
    assert all(later <= 1.3 * earlier + 1 for earlier, later in pairwise(grid))


def test_own_checkpoints_are_measured_in_order_with_the_horizon() -> None:
    found = replicate(PAPER, STUB, 100, 3, checkpoints=[50, 5, 50])["stub"]
    assert found.checkpoints.tolist() == [5, 50, 100]
    assert found.regret.shape == (3, 2, 3)


def test_progress_counts_slots_and_starts_with_what_the_store_had(tmp_path: Path) -> None:
    told: list[tuple[int, int, float]] = []
    replicate(PAPER, STUB, 1000, 8, 7, store=tmp_path, chunk=4)
    replicate(
        PAPER, STUB, 1000, 20, 7, store=tmp_path, chunk=4, progress=lambda *step: told.append(step)
    )
    assert [done for done, _, _ in told] == [8000, 12000, 16000, 20000]
    assert {total for _, total, _ in told} == {20000}
    assert told[0][2] == 0
    assert all(rate > 0 for _, _, rate in told[1:])


def peak_memory(horizon: int, runs: int) -> int:
    tracemalloc.start()
    try:
        replicate(PAPER, STUB, horizon, runs, checkpoints=[1, 10, 100], jobs=1, chunk=100)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_horizon_and_little_with_runs() -> None:
    peak_memory(1000, 10)  # imports
    short, long = peak_memory(1000, 300), peak_memory(10**12, 300)
    assert long < 1.1 * short + 50_000
    kept_per_run = 8 * (2 * 4 + 2 * 4 + 3 * 9)  # phases, reward and optimal, arms
    growth = peak_memory(1000, 1300) - short
    assert growth < 2 * 1000 * kept_per_run


def test_a_real_kernel_keeps_no_slots() -> None:
    script = (
        "import resource; from simulation import Instance\n"
        "from simulation.running.replicate import replicate\n"
        "peaks = []\n"
        "for horizon in (1000, 4_000_000):\n"
        "    replicate(Instance.load('paper'), 'orch-explore', horizon, 1, jobs=1, chunk=1)\n"
        "    peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
        "print(peaks[1] - peaks[0])"
    )
    grown = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(grown.stdout) < 8_000, "kilobytes; one number per slot would be 32,000"


# -- bad input ---------------------------------------------------------------------------

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"policies": "orch-explor"}, "policy: orch-explor.*did you mean 'orch-explore'"),
    ({"policies": []}, "policy: none given"),
    ({"policies": [STUB, STUB]}, "policy: stub twice"),
    ({"horizon": 0}, "horizon: 0: expected a whole number from 1"),
    ({"horizon": 1.5}, "horizon: 1.5"),
    ({"horizon": 10**532}, "horizon: 1000"),
    ({"horizon": "many"}, "horizon: many"),
    ({"runs": 0}, "runs: 0: expected a whole number from 1"),
    ({"runs": -3}, "runs: -3"),
    ({"runs": True}, "runs: True"),
    ({"seed": -1}, "seed: -1: expected a whole number from 0"),
    ({"jobs": 0}, "jobs: 0"),
    ({"chunk": 0}, "chunk: 0"),
    ({"checkpoints": [0]}, "checkpoints: 0: expected a whole number from 1 to 100"),
    ({"checkpoints": [101]}, "checkpoints: 101"),
    ({"options": {"paus": 1}}, "option: paus: expected one of grave, pause.*did you mean 'pause'"),
    ({"options": {"pause": [1]}}, "pause: .*: expected a word or a number"),
    ({"jobs": 2, "cluster": "tcp://127.0.0.1:1"}, "jobs and cluster: both given"),
    ({"executor": "threads"}, "executor: threads: expected a concurrent.futures.Executor"),
]


@pytest.mark.parametrize(("wrong", "line"), WRONG, ids=[line[:24] for _, line in WRONG])
def test_bad_input_is_one_clear_line(wrong: dict[str, Any], line: str) -> None:
    settings: dict[str, Any] = {"policies": STUB, "horizon": 100, "runs": 2}
    with pytest.raises(InputError, match=line) as caught:
        replicate(PAPER, **(settings | wrong))
    assert "\n" not in str(caught.value)


def test_a_store_that_cannot_be_written_is_refused_before_anything_runs(
    tmp_path: Path, computed: list[tuple[int, int]]
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="a directory that can be written"):
        stubs(store=tmp_path / "file" / "store")
    assert computed == []


def test_an_unknown_policy_among_the_results_is_one_clear_line() -> None:
    with pytest.raises(InputError, match="one of stub, stub-two"):
        stubs()["ucb"]


def test_an_option_reaches_the_policies_that_know_it() -> None:
    found = replicate(PAPER, STUBS, 100, 2, options={"pause": 0.001})
    assert [policy.options["pause"] for policy in found] == [0.001, 0.001]


def test_workers_with_other_code_are_refused() -> None:
    other = Chunk(PAPER, "stub", (), 10, (10,), 0, "0" * 64, 0, 1)
    assert len(code_version()) == len(other.code)
    with pytest.raises(InputError, match="another version of the package"):
        chunks.compute(other)


def test_an_executor_of_the_caller_is_left_open() -> None:
    with ThreadPoolExecutor(2) as own:
        assert stubs(executor=own, chunk=3) == stubs()
        assert own.submit(int, "5").result() == 5
