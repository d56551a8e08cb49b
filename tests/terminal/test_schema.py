"""Every --json document is what docs/schema.json says, and the schema can refuse one."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import ValidationError
from schema import SCHEMA, VALIDATOR

from boundcheck.cli import main

ROOT = Path(__file__).parents[2]

# one small call of each command; those that take minutes are covered by what they commit
CALLS = {
    "claims": ("claims",),
    "bounds": ("bounds", "paper", "--horizon", "1e600"),
    "bounds of a Gaussian": ("bounds", "textbook"),
    "bounds of measurements": ("bounds", str(ROOT / "examples" / "edge-trace.toml")),
    "falsify a policy": ("falsify", "policy", "orch-explore", "--examples", "2"),
    "check": ("check", "paper-gaussian"),
    "sweep": ("sweep", "paper", "--vary", "plays=2:8", "--claim", "cor-7.2"),
    "simulate": ("simulate", "textbook", "--policy", "orch-explore", "--horizon", "50", "--runs=2"),
    "estimate": ("estimate", "textbook", "--arm", "1", "--samples", "20", "--runs", "5"),
    "verify": ("verify", "textbook", "--claim", "sharp-4.1", "--effort", "quick"),
    "names in bounds": ("claims", "--symbols"),
    "try": ("try", "regret(etc(m=2)) <= 3*sum(gap)", "--effort", "quick", "--horizon", "10"),
    "try a constant": ("try", "regret(ucb1) <= ?*T", "--effort", "quick", "--horizon", "10"),
    "falsify": ("falsify", "lem-E.1", "--examples", "50"),
    "falsify, regret": ("falsify", "thm-7.1", "--examples", "60"),
    "falsify, thresholds": ("falsify", "thm-4.1a", "--drop", "signal-to-noise", "--examples", "5"),
    "proofs": ("proofs", "thm-5.3a"),
    "figures": ("figures", "--figure", "widths", "-o", "out"),
}


def document(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> Any:
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--json"])
    assert ended.value.code == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("arguments", CALLS.values(), ids=CALLS)
def test_a_command_prints_what_the_schema_says(
    arguments: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    found = document(arguments, capsys)
    VALIDATOR.validate(found)
    assert found["command"] == arguments[0]
    assert found["rows"]


def test_the_committed_verdicts_are_what_the_schema_says() -> None:
    files = sorted((ROOT / "reports").glob("*/verdicts.json"))
    assert {file.parent.name for file in files} >= {"5g-4g", "paper", "paper-gaussian", "textbook"}
    for file in files:
        VALIDATOR.validate(json.loads(file.read_text()))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema",), 2),
        (("rows", 0, "arm"), "1"),
        (("rows", 0, "value"), 1.5),
        (("rows", 0, "applies"), None),
        (("instance", "L"), 0),
        (("instance", "means", 0), 0.9),
    ],
)
def test_the_schema_refuses_a_document_with_a_field_spoilt(
    path: tuple[Any, ...], value: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    spoilt = copy.deepcopy(document(("bounds", "textbook", "--claim", "thm-4.1a"), capsys))
    VALIDATOR.validate(spoilt)
    place = spoilt
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(ValidationError):
        VALIDATOR.validate(spoilt)


def test_every_command_of_the_program_is_in_the_schema() -> None:
    from boundcheck.cli import app

    names = {command.name or command.callback.__name__ for command in app.registered_commands}
    assert names - {"serve"} == set(
        SCHEMA["properties"]["command"]["enum"]
    )  # it prints no document
