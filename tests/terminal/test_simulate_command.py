"""The functions behind `boundcheck simulate` and `boundcheck estimate`, and their progress."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from stub_policy import STUB

from boundcheck.terminal import run_simulate as command
from boundcheck.theories import default
from boundcheck.theories.shareable_arms import THEORY
from simulation import Instance
from simulation.errors import InputError
from simulation.running.estimation import estimate
from simulation.running.replicate import replicate

PAPER = Instance.load("paper")


def test_simulate_reads_numbers_and_options_as_they_are_typed(tmp_path: Path) -> None:
    answer = command.simulate(
        PAPER, [STUB], "1e3", "12", "7", jobs="2", store=str(tmp_path), option=["pause=0.001"]
    )
    assert answer.result == replicate(PAPER, STUB, 1000, 12, 7, options={"pause": 0.001})
    assert answer.parameters["horizon"] == 1000
    assert answer.parameters["options"] == {"pause": 0.001}
    assert json.loads(json.dumps(answer.rows, allow_nan=False))[0]["policy"] == "stub"


def test_estimate_gives_the_bounds_of_its_arm_beside_the_frequencies() -> None:
    answer = command.estimate(PAPER, "2", default(), samples="100", runs="50", delta="0.05", seed=1)
    assert answer.result == estimate(PAPER, 2, samples=100, runs=50, delta=0.05, seed=1)
    assert {bound.claim for bound in answer.bounds} == set(THEORY.sizes)
    assert {bound.arm for bound in answer.bounds} == {2}
    typical = [b.value for b in answer.bounds if b.quantity == "typical stopping size"]
    assert typical == [535]
    assert json.loads(json.dumps(answer.parameters, allow_nan=False))["capacity"] == 4


@pytest.mark.parametrize("pair", ["width", "=scaled", "width=", " = "])
def test_an_option_that_is_no_pair_is_one_clear_line(pair: str) -> None:
    with pytest.raises(InputError, match="expected key=value such as width=scaled"):
        command.parsed_options([pair])


def test_options_keep_words_and_read_numbers() -> None:
    options = command.parsed_options(["a=1e3", "b=0.25", "c=joint", "d=x=y"])
    assert options == {"a": 1000, "b": 0.25, "c": "joint", "d": "x=y"}
    assert isinstance(options["a"], int)


def test_progress_in_a_log_is_a_line_now_and_then_on_stderr(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with command.progress_on_stderr("simulate") as progress:
        for done in range(100):
            progress(done, 100, 20.0)
        assert capsys.readouterr() == ("", ""), "no line before its time"
        monkeypatch.setattr(command, "SECONDS_BETWEEN_LINES", 0.0)
        progress(40, 100, 20.0)
    assert capsys.readouterr() == ("", "simulate: 40 %, 20 slots/s, 3 s left\n")


def test_progress_on_a_terminal_is_a_bar_on_stderr(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with command.progress_on_stderr("simulate") as progress:
        progress(25, 100, 0.5)
    out, err = capsys.readouterr()
    assert out == ""
    assert "2 min 30 s left" in err
