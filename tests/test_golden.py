"""What was true before statements took the place of readings, and where it differs today.

tests/golden holds the verdicts of four instances at quick effort, every search, the ledger, the
bounds and the selftest as they were; changes.toml has a line for each reading that went elsewhere
or came out otherwise, with the reason.
"""

from __future__ import annotations

import json
import tomllib
from decimal import Decimal
from pathlib import Path

import pytest

from boundcheck.calculator import bounds
from boundcheck.proofs import ledger
from boundcheck.question import Question
from boundcheck.shareable_arms import THEORY
from simulation.instance import Instance

GOLDEN = Path(__file__).parent / "golden"
CHANGES = tomllib.loads((GOLDEN / "changes.toml").read_text(encoding="utf-8"))["change"]


def frozen(name: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads((GOLDEN / name).read_text(encoding="utf-8"))
    return rows


@pytest.mark.parametrize("name", ["textbook", "paper", "paper-gaussian", "5g-4g"])
def test_every_bound_is_the_number_it_was(name: str) -> None:
    found = bounds(Instance.load(name), Question())
    now = {(b.claim, b.quantity, b.arm): b.value for b in found}
    for row in frozen(f"bounds-{name}.json"):
        value = now[row["claim"], row["quantity"], row["arm"]]
        before = row["value"]
        assert (value is None) == (before is None), row
        if value is not None:
            assert Decimal(value) == Decimal(str(before)), row


def test_every_step_of_the_ledger_has_the_verdict_it_had() -> None:
    now = {entry.step.step: str(entry.verdict) for entry in ledger()}
    changed = {change["step"]: change["new"] for change in CHANGES if "step" in change}
    for row in frozen("proofs.json"):
        step = str(row["step"])
        assert now[step] == changed.get(step, row["verdict"]), step


def test_a_change_names_a_claim_what_it_was_what_it_is_and_why() -> None:
    for change in CHANGES:
        assert change["claim"] in THEORY.cards
        assert change["old"]
        assert change["new"]
        assert change["why"] or change["old"] == change["new"], change
