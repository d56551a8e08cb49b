"""The frame of cross-validation: no silence, no verdict without evidence, one error budget."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest

from boundcheck import catalogue, verify
from boundcheck.cli import main
from boundcheck.judging.finding import Role, Verdict
from boundcheck.theories.shareable_arms import THEORY
from simulation import InputError, Instance

verification = import_module("boundcheck.judging.verification")

TEXTBOOK = Instance.load("textbook")


def test_every_claim_has_an_intended_statement():
    for claim in catalogue():
        roles = [statement.role for statement in THEORY.statements(claim)]
        assert Role.INTENDED in roles, claim


def test_a_claim_that_nothing_decides_is_not_taken_for_a_success():
    silent = replace(catalogue()["lem-E.2"], id="ex-silent")
    (found,) = verify(TEXTBOOK, "quick", claims=[silent]).findings
    assert found.verdict is Verdict.UNDECIDED
    assert "no statements" in found.explanation


def test_a_statement_is_judged_at_the_same_level_whatever_else_is_asked():
    alone = verify(TEXTBOOK, "quick", claims=["lem-5.1"]).budget
    beside = verify(TEXTBOOK, "quick", claims=["lem-D.1", "lem-5.1"]).budget
    levels = [{e["check"]: e["level"] for e in spent.checks} for spent in (alone, beside)]
    assert levels[0]["lem-5.1 intended"] == levels[1]["lem-5.1 intended"] > 0
    assert beside.spent < beside.total == 1e-6


def test_an_unknown_effort_is_one_line():
    with pytest.raises(InputError, match="one of quick, standard, thorough"):
        verify(TEXTBOOK, "enormous")


def test_the_verify_command(capsys):
    with pytest.raises(SystemExit) as stop:
        main(
            ["verify", "textbook", "--effort", "quick", "--claim", "rem-4.2", "--json", "--strict"]
        )
    assert stop.value.code == 1  # its second half is refuted
    document = json.loads(capsys.readouterr().out)
    assert document["command"] == "verify"
    row = document["rows"][0]
    assert set(row) >= {"claim", "reading", "verdict", "evidence", "explanation"}
    assert row["verdict"] in {str(v) for v in Verdict}


def test_a_severity_does_not_depend_on_how_long_the_claims_before_it_took(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A search for a charitable statement has its time from when it begins."""
    clock = [0.0]

    def slowly(*given: Any, **more: Any) -> Any:
        clock[0] += 100 * verification.SECONDS
        return verified(*given, **more)

    verified = verification.verified
    monkeypatch.setattr(verification, "verified", slowly)
    watch = SimpleNamespace(monotonic=lambda: clock[0])
    monkeypatch.setattr(import_module("boundcheck.search.hunt"), "time", watch)
    found = verify(Instance.load("paper-gaussian"), "quick", claims=["lem-E.6"])
    assert [str(severity) for _, severity in found.refutations] == ["scope"]
