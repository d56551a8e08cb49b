"""What all findings about a claim amount to: its verdict, what is wrong with it, and its proof."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from boundcheck.claim import Claim
from boundcheck.decision import search
from boundcheck.finding import Cover, Finding, Role, Severity, Verdict, gravest
from boundcheck.lab import Lab
from boundcheck.search import SearchLimit
from boundcheck.theory import Theory

if TYPE_CHECKING:
    from boundcheck.proofs import Entry


class ProofState(StrEnum):
    """Of the proof as printed."""

    STANDS = "stands"  # every step that can be decided holds, none is refuted
    REPAIRED = "repaired"  # some step fails, and what is written instead was decided
    OPEN = "open"  # no proof in the ledger, or a step is undecided
    FAILS = "fails"  # some step fails and nothing decided stands in its place


@dataclass(frozen=True)
class Standing:
    """One claim in the light of everything found: a row of `boundcheck audit`."""

    card: Claim
    findings: tuple[Finding, ...]
    steps: tuple[Entry, ...] = ()

    def of(self, *roles: Role) -> list[Finding]:
        return [finding for finding in self.findings if finding.role in roles]

    @property
    def verdict(self) -> Verdict:
        """That of the intended statement: the gravest that anything decided came to."""
        found = [finding.verdict for finding in self.of(Role.INTENDED)]
        return gravest(found) if found else Verdict.INCONCLUSIVE

    @property
    def decisive(self) -> Finding:
        """The finding that the verdict rests on."""
        return next(f for f in self.of(Role.INTENDED) if f.verdict is self.verdict)

    @property
    def failing(self) -> Finding | None:
        """The refutation that a severity above `proof` rests on, a searched one if there is."""
        role = {
            Severity.PSEUDO_CODE: Role.PSEUDO_CODE,
            Severity.WORDING: Role.PRINTED,
        }.get(self.severity or Severity.PROOF, Role.INTENDED)
        refuted = [f for f in self.of(role) if f.verdict is Verdict.REFUTED]
        return max(refuted, key=lambda f: f.extent.cover is Cover.SEARCH, default=None)

    @property
    def severity(self) -> Severity | None:
        """Derived: what fails, and what repairs it."""
        if self.verdict is Verdict.REFUTED:
            if self._stands(Role.CHARITABLE):
                return Severity.SCOPE
            return Severity.CONSTANT if self._stands(Role.CONSTANT) else Severity.SUBSTANCE
        for role, severity in (
            (Role.PSEUDO_CODE, Severity.PSEUDO_CODE),
            (Role.PRINTED, Severity.WORDING),
        ):
            if any(f.verdict is Verdict.REFUTED for f in self.of(role)):
                return severity
        return Severity.PROOF if self.proof is ProofState.FAILS else None

    def _stands(self, role: Role) -> bool:
        """Something decided it, and nothing refuted it: silence is no acquittal."""
        decided = [f.verdict for f in self.of(role) if f.verdict.decided]
        return bool(decided) and Verdict.REFUTED not in decided

    @property
    def proof(self) -> ProofState:
        if not self.steps:
            return ProofState.OPEN
        failing = [entry for entry in self.steps if entry.refuted]
        if failing:
            repaired = all(entry.repaired for entry in failing)
            return ProofState.REPAIRED if repaired else ProofState.FAILS
        undecided = any(entry.verdict is Verdict.INCONCLUSIVE for entry in self.steps)
        return ProofState.OPEN if undecided else ProofState.STANDS

    @property
    def proved(self) -> str | None:
        """Of a result of ours whose proof is in the ledger: a theorem, or proved up to which steps.

        A premise that is neither a step nor an assumption is quoted from the literature.
        """
        if not (self.card.ours and self.steps):
            return None
        if failing := [entry.step.step for entry in self.steps if entry.refuted]:
            return f"not proved: steps {', '.join(failing)} fail"
        sound = (Verdict.HOLDS, Verdict.NOT_APPLICABLE)
        owed = [entry.step.step for entry in self.steps if entry.verdict not in sound]
        known = {entry.step.step for entry in self.steps} | {a.name for a in self.card.stated}
        premises = (premise for entry in self.steps for premise in entry.step.premises)
        quoted = [premise for premise in dict.fromkeys(premises) if premise not in known]
        verdict = f"proved up to steps {', '.join(owed)}" if owed else "theorem"
        return f"{verdict}; quoted: {', '.join(quoted)}" if quoted else verdict

    def to_json(self, counterexamples: Sequence[str] = ()) -> dict[str, Any]:
        return {
            "claim": self.card.id,
            "ours": self.card.ours,
            "statement": self.decisive.statement if self.of(Role.INTENDED) else None,
            "verdict": str(self.verdict),
            "severity": None if self.severity is None else str(self.severity),
            "proof": str(self.proof),
            "repair": " ".join(repair.sentence for repair in self.card.repairs) or None,
            "counterexamples": list(counterexamples),
        }


def searched(theory: Theory, claim: str, lab: Lab, limit: SearchLimit) -> list[Finding]:
    """A search against every statement of a claim; if an intended one falls, against what would
    be left of it with its implicit assumptions."""
    card = theory.cards[claim]
    found = []
    for statement in theory.statements(claim):
        if statement.searchable:
            found.append(search(card, statement, lab, limit, theory.model))
            if statement.role is Role.INTENDED and card.implicit:
                kind = statement.charitable(card)
                found.append(search(card, kind, lab, limit, theory.model))
    return found


def severity_of(
    theory: Theory, finding: Finding, findings: Sequence[Finding], lab: Lab, limit: SearchLimit
) -> Severity | None:
    """What a refuted statement means for its claim, by the same rule as in the audit."""
    if finding.verdict is not Verdict.REFUTED:
        return None
    if finding.role is not Role.INTENDED:
        return Standing(theory.cards[finding.claim], (finding,)).severity
    card = theory.cards[finding.claim]
    found = [f for f in findings if f.claim == finding.claim]
    for statement in theory.statements(finding.claim):
        if statement.role is Role.INTENDED and card.implicit and statement.searchable:
            found.append(search(card, statement.charitable(card), lab, limit, theory.model))
        if statement.role is Role.CONSTANT and statement.searchable:
            found.append(search(card, statement, lab, limit, theory.model))
    return Standing(card, tuple(found)).severity


def collected(
    theory: Theory, findings: Iterable[Finding], steps: Iterable[Entry] = ()
) -> list[Standing]:
    """Findings and steps by claim, in the theory's order."""
    every, ledger = list(findings), list(steps)
    return [
        Standing(
            card,
            tuple(f for f in every if f.claim == card.id),
            tuple(entry for entry in ledger if entry.step.claim == card.id),
        )
        for card in theory.cards.values()
    ]
