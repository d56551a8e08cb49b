"""Policies of one's own: in plain Python, and the faults that the trial finds before they run."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boundcheck.cli import main
from simulation.errors import InputError
from simulation.jit import folded
from simulation.learning.action import clear, put
from simulation.policies import Policy
from simulation.running import trial
from simulation.running.replicate import replicate
from simulation.world.instance import Instance

TEXTBOOK = Instance.load("textbook")
ROOT = Path(__file__).parents[3]


class Greedy:
    """One play on each of the arms that earned most per play."""

    name = "greedy"

    def __init__(self, arms: int, plays: int) -> None:
        self.plays, self.count, self.total = plays, np.ones(arms), np.full(arms, 2.0)

    def decide(self, slot: int, gen: np.random.Generator) -> np.ndarray:
        loads = np.zeros(self.count.size, dtype=int)
        loads[np.argsort(-self.total / self.count, kind="stable")[: self.plays]] = 1
        return loads

    def learn(self, slot: int, loads: np.ndarray, rewards: np.ndarray) -> None:
        self.count += loads
        self.total += rewards


def test_a_class_in_plain_python_runs_anywhere_a_policy_does() -> None:
    found = replicate(TEXTBOOK, [Greedy, "mp-se"], 300, 3, seed=2)
    assert found["greedy"].title == "One play on each of the arms that earned most per play"
    again = replicate(TEXTBOOK, Policy.of(Greedy), 300, 3, seed=2, chunk=1, jobs=2)["greedy"]
    assert np.array_equal(found["greedy"].regret, again.regret)
    assert 0 < found["greedy"].total[:, -1].max() < 300 * float(TEXTBOOK.largest_regret)


# -- faults in a class ----------------------------------------------------------------------------


def changed(**methods: Callable[..., Any]) -> type:
    return type("Greedy", (Greedy,), methods)


def endless(self: Any, slot: int, gen: Any) -> Any:
    while slot == 3:
        pass
    return Greedy.decide(self, slot, gen)


def undecided(self: Any, slot: int, gen: Any) -> Any:
    return np.roll(Greedy.decide(self, slot, gen), np.random.default_rng().integers(0, 9))


def remembering(self: Any, slot: int, loads: Any, rewards: Any) -> None:
    Greedy.learn(self, slot, loads, rewards)
    self.past = [*getattr(self, "past", []), rewards]


PLAIN = {
    "slot 1: [1, 1, 1, 1, 1, 1]: expected a load for each": {"decide": lambda *_: [1] * 6},
    "expected whole loads": {"decide": lambda s, t, g: np.full(s.count.size, np.nan)},
    "expected loads of 0 or more": {
        "decide": lambda s, t, g: np.eye(s.count.size)[0] * (s.plays + 1) - np.eye(s.count.size)[1]
    },
    "slot 5: .*: expected loads that add up to the plays": {
        "decide": lambda s, t, g: Greedy.decide(s, t, g) * (1 + (t == 5))
    },
    "slot 150: learn changed nothing: expected a policy that learns": {"learn": lambda *_: None},
    "another decision: expected the same decisions for the same seed": {"decide": undecided},
    "slot 3: no answer within 4 s: expected decide and learn to return": {"decide": endless},
    "slot 7: index 99 .*: expected nothing read or written outside its arrays": {
        "learn": lambda s, t, a, r: (Greedy.learn(s, t, a, r), s.count[99 if t == 7 else 0])
    },
    "slot 6: index 99 .*: expected nothing read or written outside its arrays": {
        "decide": lambda s, t, g: (np.zeros(5)[99 if t == 6 else 0], Greedy.decide(s, t, g))[1]
    },
    "slot 4: NaN in its state": {
        "learn": lambda s, t, a, r: Greedy.learn(s, t, a, r * (np.nan if t == 4 else 1))
    },
}


@pytest.mark.parametrize("line", PLAIN)
def test_a_fault_in_a_class_is_one_line(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "DECIDING", 4.0)
    with pytest.raises(InputError, match=line.replace("[", r"\[")) as caught:
        replicate(TEXTBOOK, changed(**PLAIN[line]), 10, 1)
    assert str(caught.value).startswith("policy greedy: slot ")
    assert "\n" not in str(caught.value)


def test_a_state_that_grows_is_noted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "_marker", lambda code: None)  # nobody has tried it before
    replicate(TEXTBOOK, changed(learn=remembering), 10, 1)
    assert "policy greedy: its state grows with the slots" in capsys.readouterr().err


# -- faults in what is compiled -------------------------------------------------------------------


def begin(gen: Any, arms: int, plays: int) -> tuple[int, np.ndarray]:
    return plays, np.zeros(arms)


def policy(fault: str) -> Policy:
    """The first arms in turn; one thing is wrong in slot 3."""

    @folded
    def decide(state, slot, gen, action):
        plays, seen = state
        clear(action, 0)
        for k in range(plays):
            put(action, (k + slot) % seen.size, 1)
        if slot == 3:
            if fault == "sum":
                action.loads[0] += 1
            elif fault == "wrapped":
                action.loads[-1] -= 1
                action.loads[0] += 1
            elif fault == "arm":
                action.played[0] = 40
            elif fault == "put beyond":
                put(action, 40, 1)
            elif fault == "put before":
                put(action, -1, 1)
            elif fault == "outside":
                seen[seen.size] = 1.0
            elif fault == "endless":
                while seen[0] < 1e300:
                    seen[0] = min(seen[0] + 1.0, 1e9)
            elif fault == "phase":
                action.plan[0].phase = 3

    @folded
    def learn(state, slot, gen, phase, arm, load, reward):
        if fault != "nothing learnt":
            state[1][arm] += 1.0 if fault != "nan" else np.nan

    return Policy("turns", "in turn", begin=begin, decide=decide, learn=learn)


COMPILED = {
    "sum": "slot 3: .*: expected loads that add up to the plays",
    "wrapped": "slot 3: .*: expected (loads of 0 or more|played)",
    "arm": "slot 3: .*: expected played: every arm with plays once",
    "put beyond": "slot 3: .*out of bounds.*: expected nothing read or written outside its arrays",
    "put before": "slot 3: .*: expected ",
    "outside": "slot 3: .*out of bounds.*: expected nothing read or written outside its arrays",
    "endless": "slot 3: no answer within 4 s: expected decide and learn to return",
    "phase": "slot 3: .*: expected a phase that the policy has",
    "nothing learnt": "slot 150: learn changed nothing",
    "nan": "slot 1: NaN in its state",
}


@pytest.mark.parametrize("fault", COMPILED)
def test_a_fault_in_compiled_code_is_one_line(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "DECIDING", 4.0)
    with pytest.raises(InputError, match=f"^policy turns: {COMPILED[fault]}"):
        replicate(TEXTBOOK, policy(fault), 10, 1)


def test_what_the_trial_let_pass_is_held_against_the_rules_in_every_run() -> None:
    @folded
    def decide(state, slot, gen, action):
        clear(action, 0)
        put(action, 0, state[0] if slot != 1000 else state[0] + 1)

    late = Policy("late", "late", begin=begin, decide=decide)
    assert replicate(TEXTBOOK, late, 900, 1)["late"].runs == 1
    with pytest.raises(InputError, match=r"policy late: slot 1000: .*: expected loads that add up"):
        replicate(TEXTBOOK, late, 2000, 1)


def test_the_form_of_old_gets_one_line() -> None:
    with pytest.raises(InputError, match="policy old: kernel: it runs the slots itself: expected"):
        Policy("old", "old", ("play",), lambda *_: None, lambda *_: ())


# -- plug-ins -------------------------------------------------------------------------------------

PLUGIN = """
from typing import NamedTuple

from beside import first_state
from simulation.learning.action import clear, put
from simulation.jit import folded, step
from simulation.policies import Policy

@step
def first(plays):
    return plays - plays

@folded
def decide(state, slot, gen, action):
    clear(action, 0)
    put(action, first(state[0]), state[0])

class State(NamedTuple):
    plays: int

def begin(gen, arms, plays):
    return State(first_state(plays))

X = Policy("mine", "mine", begin=begin, decide=decide)
POLICIES = {}
"""
IMPORTED = (
    "import sys; sys.path.insert(0, {folder!r}); import mine; from simulation import Instance;"
    "from simulation.running.replicate import replicate;"
    "print(replicate(Instance.load('textbook'), mine.X, 10, 1)['mine'].policy)"
)


def test_a_file_is_a_plug_in_and_a_module_in_either_order(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PLUGIN.format("(X,)"))
    (tmp_path / "beside.py").write_text("def first_state(plays): return plays\n")
    plugged = ["-m", "boundcheck", "--plugin", str(tmp_path / "mine.py"), "simulate"]
    plugged += ["textbook", "--policy", "mine", "--horizon", "10", "--runs", "1", "--json"]
    imported = ["-c", IMPORTED.format(folder=str(tmp_path))]
    shipped = ["-m", "boundcheck", "simulate", "textbook", "--policy", "ts-kc", "--policy"]
    shipped += ["mp-se", "--horizon", "10", "--runs", "1", "--json"]
    for arguments in (plugged, imported, plugged, shipped):
        ran = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=ROOT)
        assert ran.returncode == 0, ran.stderr
        assert ("mine" if arguments is not shipped else "ts-kc") in ran.stdout


def test_a_fault_in_a_plug_in_is_one_line_of_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "plug.py").write_text(
        "class Off:\n"
        "    def __init__(self, arms, plays):\n        self.arms = arms\n"
        "    def decide(self, slot, gen):\n        return [1] * (self.arms + 1)\n"
        "    def learn(self, slot, loads, rewards):\n        pass\n"
        "POLICIES = (Off,)\n"
    )
    asked = ("simulate", "textbook", "--policy", "off", "--horizon", "10", "--runs", "1")
    with pytest.raises(SystemExit) as ended:
        main(["--plugin", str(tmp_path / "plug.py"), *asked])
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert re.fullmatch(r"policy off: slot 1: .*: expected a load for each.*\n", told)


def test_a_policy_that_is_not_in_a_tuple_is_one_line(tmp_path: Path) -> None:
    from paper import theory_with

    (tmp_path / "mine.py").write_text(PLUGIN.format("(X)"))
    (tmp_path / "beside.py").write_text("def first_state(plays): return plays\n")
    with pytest.raises(InputError, match="POLICIES: mine alone: expected a tuple, such as"):
        theory_with([str(tmp_path / "mine.py")])
