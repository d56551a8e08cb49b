"""The frame of cross-validation: no silence, no verdict without evidence, one error budget."""

from __future__ import annotations

import json

import pytest

from boundcheck.checks import registered
from boundcheck.claims import catalogue
from boundcheck.cli import main
from boundcheck.crossvalidate import crossvalidate
from boundcheck.evidence import Verdict
from boundcheck.shareable_arms import THEORY
from simulation import InputError, Instance

TEXTBOOK = Instance.load("textbook")


def test_every_claim_has_a_check():
    assert {*registered(), *THEORY.modules} == set(catalogue())


def test_without_their_checks_all_claims_are_inconclusive():
    found = crossvalidate(TEXTBOOK, "quick", checks={})
    assert [f.claim for f in found.findings] == list(catalogue())
    assert {f.verdict for f in found.findings} == {Verdict.INCONCLUSIVE}
    assert all(f.explanation for f in found.findings)


def test_a_check_that_finds_nothing_is_not_taken_for_a_success():
    found = crossvalidate(
        TEXTBOOK, "quick", claims=["thm-4.1a"], checks={"thm-4.1a": lambda card, run: iter(())}
    )
    assert [f.verdict for f in found.findings] == [Verdict.INCONCLUSIVE]


def test_an_unknown_effort_is_one_line():
    with pytest.raises(InputError, match="one of quick, standard, thorough"):
        crossvalidate(TEXTBOOK, "enormous")


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
