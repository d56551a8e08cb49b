"""Policies and claims from outside: as objects, as plug-ins, on workers that never saw them."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import re
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher
from paper import theory_with

from boundcheck import bounds, falsify, verify
from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.cli import main
from boundcheck.judging.finding import Verdict
from boundcheck.theories import default
from boundcheck.theory import Theory
from simulation.errors import InputError
from simulation.policies import Policy, find
from simulation.running.loop import loop_of
from simulation.running.policy_transport import as_bytes, unpacked
from simulation.running.replicate import replicate
from simulation.world.instance import Instance

ROOT = Path(__file__).parents[2]
FILE = ROOT / "examples" / "round_robin.py"
PAPER = Instance.load("paper")
TEXTBOOK = Instance.load("textbook")


@pytest.fixture(scope="module")
def example() -> Theory:
    return theory_with([str(FILE)])


def own(theory: Theory) -> tuple[Claim, Policy]:
    card = theory.find("ex-round-robin")
    assert isinstance(card.policy, Policy)
    return card, card.policy


# -- objects ---------------------------------------------------------------------------------


def test_the_policy_loses_what_the_page_says(example: Theory) -> None:
    found = replicate(PAPER, [own(example)[1]], 9 * 40, 3, seed=1)["round-robin"]
    expected = 40 * (9 * PAPER.optimal_reward - 7 * sum(PAPER.means))
    assert found.total[:, -1].tolist() == pytest.approx([float(expected)] * 3)


def test_a_card_goes_wherever_an_id_goes(example: Theory) -> None:
    card, _ = own(example)
    (bound,) = bounds(PAPER, Question(horizon="360"), [card])
    assert float(bound.value or "nan") == pytest.approx(40 * (9 * 5.7 - 7 * 4.5) + 9 * 5.7)
    assert [name for name, _ in bound.terms][:2] == ["optimal reward", "reward of all arms in turn"]
    short = Question(horizon="1000")  # where the bound lies 18 above a regret of 1,200
    (finding,) = verify(TEXTBOOK, "quick", claims=[card], question=short).findings
    assert finding.verdict is Verdict.SUPPORTED
    assert finding.evidence["policy"] == "round-robin"
    (row,) = falsify(card, examples=5)
    assert not row.found
    assert card.id not in default().cards  # nothing was patched


def test_what_a_theory_cannot_evaluate_is_refused_in_one_line(example: Theory) -> None:
    from dataclasses import replace

    from sympy import Symbol

    card, _ = own(example)
    (quantity,) = card.quantities
    term = replace(quantity.terms[0], expression=Symbol("zeta"))
    odd = replace(card, id="odd", quantities=(replace(quantity, terms=(term,)),))
    with pytest.raises(InputError, match="odd: symbols: zeta: expected symbols of the theory"):
        bounds(PAPER, claims=[odd])


# -- workers -----------------------------------------------------------------------------------


def test_kernels_travel_and_bring_the_same_bits(example: Theory) -> None:
    policy = own(example)[1]
    here = replicate(PAPER, [policy], 500, 4, seed=3)["round-robin"]
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as workers:
        there = replicate(PAPER, [policy], 500, 4, seed=3, executor=workers, chunk=2)["round-robin"]
    assert np.array_equal(here.total, there.total)
    assert np.array_equal(here.reward, there.reward)
    loops = loop_of(policy, PAPER.reward.code)
    assert loops.signatures  # it ran compiled


def test_what_travels_names_the_shelf(example: Theory, tmp_path: Path) -> None:
    policy = own(example)[1]
    replicate(PAPER, [policy], 50, 2, store=tmp_path)
    again = replicate(PAPER, [policy], 50, 2, store=tmp_path)["round-robin"]
    assert again.restored == 2

    def longer(*arguments: Any) -> Any:  # the same numbers from other code
        return policy.begin(*arguments)

    other = Policy(policy.name, policy.title, begin=longer, decide=policy.decide)
    assert replicate(PAPER, [other], 50, 2, store=tmp_path)["round-robin"].restored == 0
    packed = as_bytes(policy)
    assert packed is not None
    assert unpacked(packed) is policy  # at home nothing is compiled twice
    there = pickle.loads(packed.partition(b"\n")[2])  # what a worker makes of it
    assert isinstance(there.decide, Dispatcher)
    assert there.decide.py_func is not policy.decide.py_func  # type: ignore[union-attr]
    assert as_bytes(find("mp-se")) is None  # workers have it


def test_what_was_typed_into_a_notebook_travels_too() -> None:
    space: dict[str, Any] = {}
    exec(compile(FILE.read_text(encoding="utf-8"), "<cell>", "exec"), space)
    packed = as_bytes(space["ROUND_ROBIN"])
    assert packed is not None
    there = pickle.loads(packed.partition(b"\n")[2])
    found = [replicate(PAPER, [p], 50, 2)["round-robin"] for p in (space["ROUND_ROBIN"], there)]
    assert np.array_equal(found[0].reward, found[1].reward)


def test_a_shipped_kernel_with_arguments_of_ones_own_travels() -> None:
    shipped = find("ts-kc")
    parts = {name: getattr(shipped, name) for name in ("begin", "decide", "learn")}
    mine = Policy("mine", "mine", arguments=lambda *given: given[:0], **parts)
    there = pickle.loads((as_bytes(mine) or b"").partition(b"\n")[2])
    assert isinstance(there, Policy)  # the class itself goes by name
    assert there.decide is shipped.decide
    assert there.arguments(1, 2) == ()


def test_what_cannot_travel_is_one_line() -> None:
    lock = Lock()
    with pytest.raises(InputError, match=r"policy: odd: .*: expected code that can travel"):
        as_bytes(Policy("odd", "odd", arguments=lambda *_: (lock,), decide=lambda *_: None))


def test_code_of_another_python_is_refused(example: Theory) -> None:
    packed = as_bytes(own(example)[1]) or b""
    with pytest.raises(InputError, match="another Python"):
        unpacked(b"2.7" + packed[packed.index(b"\n") :])


# -- plug-ins ----------------------------------------------------------------------------------


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    assert isinstance(left.value.code, int)
    return left.value.code


def test_a_plug_in_is_known_to_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    plugged = ("--plugin", str(FILE))
    assert run(*plugged, "claims", "ex-round-robin") == 0
    assert "Regret of round robin" in capsys.readouterr().out
    simulated = ("simulate", "textbook", "--policy", "round-robin", "--policy", "mp-se")
    assert run(*plugged, *simulated, "--horizon", "20", "--runs", "2", "--json") == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["policy"] for row in rows} == {"round-robin", "mp-se"}
    assert run(*plugged, "bounds", "textbook", "--claim", "ex-round-robin", "--json") == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["applies"]
    assert run("claims", "ex-round-robin") == 2  # another command knows nothing of it


def test_the_variable_names_plug_ins_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOUNDCHECK_PLUGINS", str(FILE))
    assert run("--plugin", str(FILE), "claims", "EX-round-robin") == 0  # the same one, once
    assert "Regret of round robin" in capsys.readouterr().out


def test_installed_packages_announce_theirs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = tmp_path / "mine-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text("[boundcheck.plugins]\nmine = mine_plugged\n")
    (tmp_path / "mine_plugged.py").write_text(FILE.read_text(encoding="utf-8"))
    monkeypatch.syspath_prepend(tmp_path)
    assert theory_with().find("ex-round-robin").title == "Regret of round robin"


BROKEN = {
    "import nothing_of_this_name": "ModuleNotFoundError: .* \\(line 1\\)",
    "1 +": "SyntaxError",
    "x = 1 / 0": "ZeroDivisionError: division by zero \\(line 1\\)",
    "raise SystemExit(0)": "SystemExit",
    "x = 1": "nothing to add",
    "CLAIMS = (1,)": "CLAIMS: 1: expected objects of type Claim",
    "THEORY = 3": "THEORY: 3: expected a Theory",
    "from boundcheck import find\nCLAIMS = (find('thm-7.1'),)": "CLAIMS: thm-7.1 again",
    "from simulation.policies import find\nPOLICIES = (find('mp-se'),)": "POLICIES: mp-se again",
    "CLAIMS = 5": "CLAIMS: 5 alone: expected a tuple",
    "POLICIES = None": "POLICIES: None alone: expected a tuple",
    "THEORY = None": "THEORY: None: expected a Theory",
    "def __getattr__(name): raise RuntimeError(name)": "RuntimeError: THEORY",
    "class X:\n  def __repr__(self): raise OSError('r')\nCLAIMS = [X()]": "OSError: r",
    "CLAIMS = (1 / 0 for _ in [1])": "CLAIMS: <generator .* alone: expected a tuple",
}


@pytest.mark.parametrize("text", BROKEN)
def test_a_plug_in_that_cannot_be_used_is_one_line(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(text, encoding="utf-8")
    assert run("--plugin", str(file), "claims") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert re.match(rf"{re.escape(str(file))}: .*{BROKEN[text]}", line)


def test_what_foreign_packages_announce_is_not_our_business(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("latin", "folder", "mine"):
        (tmp_path / f"{name}-1.dist-info").mkdir()
    (tmp_path / "latin-1.dist-info/entry_points.txt").write_bytes(b"[x]\n\xe9 = \xff:y\n")
    (tmp_path / "folder-1.dist-info/entry_points.txt").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert run("claims", "thm-7.1") == 0
    announced = tmp_path / "mine-1.dist-info/entry_points.txt"
    announced.write_text("[boundcheck.plugins]\nmine = no_such_module\n")
    assert run("claims", "thm-7.1") == 2
    assert capsys.readouterr().err.startswith("entry point mine: plug-in: ModuleNotFoundError")
    announced.write_bytes(announced.read_bytes() + b"# \xff")
    assert run("claims", "thm-7.1") == 2
    assert capsys.readouterr().err.startswith(f"{announced}: plug-in: UnicodeDecodeError")


def test_no_such_plug_in(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--plugin", "absent.py", "claims") == 2
    assert "absent.py: plug-in: no such file" in capsys.readouterr().err
    assert run("--plugin", "/dev/zero", "claims") == 2
    assert "/dev/zero: plug-in: not a file" in capsys.readouterr().err


# -- the page ----------------------------------------------------------------------------------


def test_the_script_of_the_page_runs_outside_the_repository(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    ((name, text),) = re.findall(r"```python\n# (\S+)\n(.*?)```", page, re.S)
    (tmp_path / name).write_text(text, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, name],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    assert re.search(r"^all-on-one supported the mean regret of all-on-one", ran.stdout, re.M)
    assert re.search(r"^a-third refuted the regret of all-on-one", ran.stdout, re.M)
    assert re.search(r"^all-on-one .*no counterexample among", ran.stdout, re.M)
    assert re.search(r"a-third the regret of all-on-one up to T = \d+ is", ran.stdout)
    assert re.search(r"^means +1 0$", ran.stdout, re.M)  # shrunk
    report = (tmp_path / "my-report" / "details.md").read_text(encoding="utf-8")
    assert "### all-on-one: Regret of putting all plays on one arm" in report
    assert re.search(r"^\| mp-se +\|", report, re.M)  # compared beside it
    assert "thm-7.1" not in report


@pytest.mark.parametrize("page", ["extending.md", "agents.md"])
def test_the_first_example_of_a_page_runs(page: str, tmp_path: Path) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    example = re.search(r"```python\n((?:# .*\n)?import .*?)```", text, re.S)
    assert example is not None
    (tmp_path / "example.py").write_text(example[1], encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "example.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    assert ("ucb1" if page == "extending.md" else "would play") in ran.stdout


def test_examples_are_short_and_the_page_links_to_them() -> None:
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    for file in (ROOT / "examples").glob("*.py"):
        assert len(file.read_text(encoding="utf-8").splitlines()) <= 300
        assert f"(../examples/{file.name})" in page
