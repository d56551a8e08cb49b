"""Every statement of a claim on one instance: the cases it gives, decided."""

from __future__ import annotations

from collections.abc import Iterator

from boundcheck.claim import Claim
from boundcheck.decision import decide
from boundcheck.finding import Finding, Role, Verdict
from boundcheck.lab import Lab
from boundcheck.question import Question
from boundcheck.statement import Statement
from boundcheck.theory import Theory
from simulation.instance import Instance


def verified(
    theory: Theory, card: Claim, instance: Instance, question: Question, lab: Lab
) -> Iterator[Finding]:
    """The statements of a card; where cases lie outside the intended one, what happens there."""
    for statement in theory.statements(card.id):
        cases = list(statement.cases(card, instance, question, lab))
        finding = decide(card, statement, cases, lab)
        yield finding
        if statement.role is Role.INTENDED:
            yield from _beyond(card, statement, instance, cases, finding, lab)


def _beyond(
    card: Claim,
    statement: Statement,
    instance: Instance,
    cases: list[object],
    finding: Finding,
    lab: Lab,
) -> Iterator[Finding]:
    """Without each assumption that fails, where all the others hold."""
    evidence = finding.evidence
    failing = {row["name"] for row in evidence.get("unmet", ())} | {
        *evidence.get("cases_outside", ())
    }
    for assumption in statement.assumed(card):
        nameless = assumption.fact is not None and instance.reward.arms is not None
        if assumption.name in failing and not nameless:  # of many laws nothing can be said
            beyond = decide(card, statement.without(card, assumption), cases, lab)
            if beyond.verdict is not Verdict.NOT_APPLICABLE:
                yield beyond
