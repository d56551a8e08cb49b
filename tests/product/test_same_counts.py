"""Every page of a report counts the verdicts that its JSON holds, in the same words."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from boundcheck.judging.finding import ANSWERS, DOES_NOT_APPLY, NO_BETTER
from boundcheck.theories.shareable_arms import THEORY

REPORTS = Path(__file__).parents[2] / "reports"
INSTANCES = [*THEORY.audited, "edge-trace"]


def answer(row: dict[str, Any]) -> str:
    if not row["applies"]:
        return DOES_NOT_APPLY
    return NO_BETTER if row["informative"] is False else str(row["verdict"])


def counted(instance: str) -> Counter[str]:
    """Claim by claim: the answer about the intended statement at the question."""
    rows = json.loads((REPORTS / instance / "verdicts.json").read_text())["rows"]
    first: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row["role"] == "intended":
            first.setdefault(row["claim"], row)
    return Counter(answer(row) for row in first.values())


def table(page: str) -> Counter[str]:
    """The table of answers of a page."""
    words = "|".join(map(re.escape, ANSWERS))
    found = re.findall(rf"^\| \*\*({words})\*\* +\| +(\d+) \|", page, re.MULTILINE)
    return Counter({word: int(count) for word, count in found})


@pytest.mark.parametrize("instance", INSTANCES)
@pytest.mark.parametrize("page", ["report.md", "details.md"])
def test_a_page_counts_what_its_verdicts_say(instance: str, page: str) -> None:
    text = (REPORTS / instance / page).read_text(encoding="utf-8")
    assert table(text) == counted(instance)


@pytest.mark.parametrize("instance", INSTANCES)
def test_what_a_report_says_of_a_claim_is_its_verdict(instance: str) -> None:
    rows = json.loads((REPORTS / instance / "verdicts.json").read_text())["rows"]
    report = (REPORTS / instance / "report.md").read_text(encoding="utf-8")
    said = re.findall(r"^- `([\w.-]+)`, .* Verdict here: \*\*([a-z ]+)\*\*", report, re.MULTILINE)
    assert len(said) > 5
    for claim, word in said:
        intended = [r for r in rows if r["claim"] == claim and r["role"] == "intended"]
        assert word == answer(intended[0]), claim


def test_only_the_four_verdicts_are_used() -> None:
    for instance in INSTANCES:
        for row in json.loads((REPORTS / instance / "verdicts.json").read_text())["rows"]:
            assert row["verdict"] in (None, "holds", "supported", "refuted", "undecided")
            assert (row["verdict"] == "undecided") == (row["leans"] is not None)
