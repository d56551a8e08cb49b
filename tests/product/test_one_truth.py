"""Verification, searches, the ledger, the audit, the figures, the catalogue and the README agree.

The record of the audit is what the quick commands quote. Here every claim is searched and its
proof checked afresh, with fewer examples than the audit takes, and nothing may tell another story.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest
from paper import recorded

from boundcheck import ledger
from boundcheck.cli import main
from boundcheck.judging.effort import EFFORTS
from boundcheck.judging.finding import Role, Severity, Verdict
from boundcheck.judging.severity import ProofState, Standing, searched, standings
from boundcheck.proof_steps.step import Step
from boundcheck.search import SearchLimit
from boundcheck.theories.shareable_arms import THEORY

ROOT = Path(__file__).parents[2]
REPORTS = ROOT / "reports"


@cache
def standing(claim: str) -> Standing:
    context = THEORY.context(EFFORTS["quick"])
    literal = recorded()[claim].severity in (Severity.WORDING, Severity.PSEUDO_CODE)
    limit = SearchLimit(300 if literal else 60, 30.0)  # what only the words say takes longer
    found = searched(THEORY, claim, context, limit)
    cited = {premise for step in ledger_steps(claim) for premise in step.premises}
    proofs = [each for each in (claim, *sorted(cited - {claim})) if each in _proved()]
    steps = [entry for each in proofs for entry in ledger(each)]
    (one,) = [s for s in standings(THEORY, found, steps) if s.card.id == claim]
    return one


def ledger_steps(claim: str) -> list[Step]:
    from paper import steps

    return list(steps(claim)) if claim in _proved() else []


@cache
def _proved() -> tuple[str, ...]:
    from paper import proved

    return proved()


@pytest.mark.parametrize("claim", THEORY.cards)
def test_a_fresh_search_tells_what_the_record_tells(claim: str) -> None:
    """A refutation found by search is in the record, and its severity is the recorded one."""
    fresh, told = standing(claim), recorded()[claim]
    if fresh.verdict is Verdict.REFUTED:
        assert told.verdict is Verdict.REFUTED
        assert fresh.severity is told.severity
    if told.severity in (Severity.WORDING, Severity.PSEUDO_CODE):
        assert fresh.severity is told.severity
    if fresh.steps:
        assert str(fresh.proof) == told.proof
        assert fresh.proved == told.proved


@pytest.mark.parametrize("instance", ["paper", "paper-gaussian", "5g-4g", "textbook"])
def test_an_instance_report_refutes_nothing_that_the_audit_lets_stand(instance: str) -> None:
    rows = json.loads((REPORTS / instance / "verdicts.json").read_text())["rows"]
    for row in rows:
        told = recorded()[row["claim"]]
        if row["verdict"] == "refuted" and row["role"] == Role.INTENDED:
            assert told.verdict is Verdict.REFUTED, row
            assert row["severity"] == told.severity, row


def test_the_audit_page_its_record_and_the_package_agree() -> None:
    written = json.loads((REPORTS / "audit" / "record.json").read_text())
    assert {c: (r["verdict"], r["severity"], r["proof"]) for c, r in written.items()} == {
        c: (str(r.verdict), None if r.severity is None else str(r.severity), r.proof)
        for c, r in recorded().items()
    }
    page = (REPORTS / "audit" / "audit.md").read_text(encoding="utf-8")
    for claim, told in recorded().items():
        row = next(line for line in page.splitlines() if line.startswith(f"| {claim} "))
        assert f"**{told.verdict}**" in row
        own = (REPORTS / "audit" / "claims" / f"{claim}.md").read_text(encoding="utf-8")
        assert f"**{told.verdict}**" in own


def test_the_readme_counts_what_the_record_counts() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    theirs = [told for claim, told in recorded().items() if not THEORY.cards[claim].ours]
    for severity in Severity:
        count = sum(told.severity is severity for told in theirs)
        if count:
            assert re.search(rf"{count} `{severity}`", readme), severity
    whole = {card.part_of or card.id for card in THEORY.cards.values() if not card.ours}
    assert f"{len(whole)} numbered results, judged as {len(theirs)} claims" in readme


def test_the_catalogue_quotes_the_record(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["claims", "--json"])
    for row in json.loads(capsys.readouterr().out)["rows"]:
        told = recorded()[row["claim"]]
        assert (row["verdict"], row["severity"]) == (told.verdict, told.severity)


def test_the_figures_page_and_the_audit_do_not_disagree() -> None:
    page = (REPORTS / "figures" / "README.md").read_text(encoding="utf-8")
    contradicted = "contradicted" in page
    own = (REPORTS / "audit" / "claims" / "rem-8.1.md").read_text(encoding="utf-8")
    rows = [line for line in own.splitlines() if line.startswith("| further:figure")]
    refuted = [line for line in rows if "**refuted**" in line]
    assert contradicted == bool(refuted)


def test_a_proof_that_fails_is_never_called_standing() -> None:
    for claim in _proved():
        found = standing(claim)
        refuted = [entry for entry in found.steps if entry.refuted]
        assert (found.proof is ProofState.STANDS) <= (not refuted)


def test_the_audit_says_where_each_finding_was_made_and_what_a_claim_lacks() -> None:
    audit = (REPORTS / "audit" / "audit.md").read_text(encoding="utf-8")
    places = {*THEORY.audited, "search"}
    for claim, card in THEORY.cards.items():
        if recorded()[claim].severity is Severity.SCOPE:
            phrase = Severity.SCOPE.phrase
            (line,) = re.findall(rf"^- \*\*{phrase}\*\* \[{claim}\].*: .*$", audit, re.M)
            assert all(assumption.statement in line for assumption in card.implicit), claim
        page = (REPORTS / "audit" / "claims" / f"{claim}.md").read_text(encoding="utf-8")
        found = page.split("## Statements")[1].partition("## ")[0]
        rows = re.findall(r"^\| ([^|]*?) +\| \*\*[a-z-]+\*\*", found, re.M)
        assert rows, claim
        assert {place for row in rows for place in row.split(", ")} <= places, claim
        assert "**intended**: " in found
