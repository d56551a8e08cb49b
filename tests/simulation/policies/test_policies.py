"""The registry of policies, the contract of `run_many`, and how kernels are cached."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulation.errors import InputError
from simulation.jit import _fingerprint
from simulation.policies import POLICIES, WHERE, find
from simulation.running.runs import run_many
from simulation.world.instance import Instance

PAPER = Instance.load("paper")
GRID = np.array([1, 10, 100])


def run(*arguments: str, **environment: str) -> str:
    """What a fresh interpreter prints."""
    code = subprocess.run(
        [sys.executable, "-c", *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    return code.stdout.strip()


def test_every_registered_policy_is_found_under_its_name() -> None:
    assert list(POLICIES) == list(WHERE)
    for name in POLICIES:
        policy = find(name)
        assert policy.name == name
        assert policy.title
        assert len(policy.phases) == len(set(policy.phases)) > 0


@pytest.mark.parametrize("name", sorted(WHERE))
def test_every_policy_keeps_the_contract(name: str) -> None:
    # two plays and four arms: small enough for the policies whose arms are whole allocations
    instance = Instance([0.9, 0.5, 0.4, 0.2], [1, 2, 1, 1], 2)
    record = run_many(instance, name, 100, GRID, 1, 0, 3)
    assert record.regret.shape == (3, len(find(name).phases), 3)
    assert np.all(record.regret >= 0.0)
    assert np.all(np.diff(record.regret, axis=2) >= 0.0)
    assert np.all(record.regret.sum(axis=1) <= GRID * float(instance.optimal_reward) + 1e-9)
    assert np.all(np.diff(record.optimal, axis=1) >= 0)
    assert np.all(record.optimal <= GRID)
    assert np.all(record.reward[:, -1] > 0)
    assert np.all(record.lower <= record.upper)
    assert np.all((record.learned >= 0) & (record.learned <= 100))


@pytest.mark.parametrize("name", sorted(WHERE))
def test_a_run_does_not_depend_on_the_runs_beside_it(name: str) -> None:
    instance = Instance([0.9, 0.5, 0.4, 0.2], [1, 2, 1, 1], 2)
    together = run_many(instance, name, 100, GRID, 1, 0, 4)
    for r in range(4):
        alone = run_many(instance, name, 100, GRID, 1, r, 1)
        for many, one in zip(together, alone, strict=True):
            assert np.array_equal(many[r : r + 1], one)


@pytest.mark.parametrize("name", ["orch-explore", "likelihood"])
def test_an_action_that_stands_is_the_one_that_would_be_decided(name: str) -> None:
    always = replace(POLICIES[name], stands=None)
    for instance in (PAPER, Instance.load("paper-gaussian")):
        standing, deciding = (
            run_many(instance, policy, 20_000, np.array([100, 20_000]), 2, 0, 2)
            for policy in (name, always)
        )
        for one, other in zip(standing, deciding, strict=True):
            assert np.array_equal(one, other)


def test_the_nearest_policy_is_suggested() -> None:
    with pytest.raises(InputError, match=r"simulate: policy: orchexplore: .*'orch-explore'"):
        find("orchexplore")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"horizon": 0}, "simulate: horizon: 0: expected a whole number of 1 or more"),
        ({"runs": 0}, "simulate: runs: 0: expected a whole number of 1 or more"),
        ({"seed": -1}, "simulate: seed: -1: expected a whole number of 0 or more"),
        ({"first_run": -1}, "simulate: first_run: -1: expected a whole number of 0 or more"),
        ({"checkpoints": np.array([5, 101])}, "simulate: checkpoints: [5, 101]: expected"),
        ({"checkpoints": np.array([5, 5])}, "simulate: checkpoints: [5, 5]: expected"),
        ({"checkpoints": np.array([])}, "simulate: checkpoints: []: expected"),
    ],
)
def test_bad_input_gets_one_line(changes: dict[str, Any], message: str) -> None:
    call = {"horizon": 100, "checkpoints": GRID, "seed": 1, "first_run": 0, "runs": 1}
    with pytest.raises(InputError) as caught:
        run_many(PAPER, "orch-explore", **(call | changes))
    assert str(caught.value).startswith(message)


def test_knowing_the_policies_costs_no_compiler() -> None:
    code = "import sys, simulation.policies as p; list(p.POLICIES); print('numba' in sys.modules)"
    assert run(code) == "False"


def test_a_later_process_loads_the_kernel_an_earlier_one_compiled(tmp_path: Path) -> None:
    code = (
        "from simulation.world.draws import exploration_level as f; f(10);"
        "print(len(f.stats.cache_hits), len(f.stats.cache_misses))"
    )
    assert run(code, NUMBA_CACHE_DIR=str(tmp_path)) == "0 1"
    assert run(code, NUMBA_CACHE_DIR=str(tmp_path)) == "1 0"


def test_a_change_in_a_shared_kernel_renews_all_and_other_files_do_not(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    shared = tmp_path / "folder" / "shared.py"
    shared.write_text("from simulation.jit import kernel\n")
    (tmp_path / "plain.py").write_text("x = 1\n")
    before = _fingerprint(tmp_path)
    (tmp_path / "plain.py").write_text("x = 2\n")
    assert _fingerprint(tmp_path) == before
    shared.write_text("from simulation.jit import kernel, step\n")
    assert _fingerprint(tmp_path) != before
