"""What all findings about a claim amount to: its verdict, what is wrong with it, and its proof."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from boundcheck.claims.card import Claim
from boundcheck.judging.decide import search
from boundcheck.judging.finding import Cover, Finding, Role, Severity, Verdict, gravest
from boundcheck.judging.run_context import RunContext
from boundcheck.search import SearchLimit

if TYPE_CHECKING:
    from boundcheck.proof_steps.ledger import Entry
    from boundcheck.theory import Theory


class ProofState(StrEnum):
    """Of the proof as printed."""

    STANDS = "stands"  # every step that can be decided holds, none is refuted
    REPAIRED = "repaired"  # some step fails, and what is written instead was decided
    OPEN = "open"  # no proof in the ledger, or a step is undecided
    FAILS = "fails"  # some step, or one of a proof it rests on, fails and is not repaired


# what is wrong if only a statement taken literally fails
_LITERAL = {Role.PSEUDO_CODE: Severity.PSEUDO_CODE, Role.PRINTED: Severity.WORDING}


@dataclass(frozen=True)
class Standing:
    """One claim in the light of everything found: a row of `boundcheck audit`."""

    card: Claim
    findings: tuple[Finding, ...]
    steps: tuple[Entry, ...] = ()
    cited: tuple[Entry, ...] = ()  # steps of other claims' proofs that its own steps rest on

    def of(self, role: Role) -> list[Finding]:
        return [finding for finding in self.findings if finding.role is role]

    @property
    def verdict(self) -> Verdict:
        """That of the intended statement: the gravest that anything decided came to, of what says
        more than the trivial bound."""
        found = (f.verdict for f in self.of(Role.INTENDED) if f.informative is not False)
        return gravest(found) or Verdict.UNDECIDED

    @property
    def decisive(self) -> Finding:
        """The finding that the verdict rests on."""
        found = self.of(Role.INTENDED)
        informative = [f for f in found if f.informative is not False]
        return next((f for f in informative if f.verdict is self.verdict), found[0])

    @property
    def failing(self) -> Finding | None:
        """The refutation that a severity above `proof` rests on, a searched one if there is."""
        roles = {severity: role for role, severity in _LITERAL.items()}
        role = roles.get(self.severity or Severity.PROOF, Role.INTENDED)
        refuted = [f for f in self.of(role) if f.verdict is Verdict.REFUTED]
        return max(refuted, key=lambda f: f.extent.cover is Cover.SEARCH, default=None)

    @property
    def severity(self) -> Severity | None:
        """Derived: what fails, and what repairs it."""
        if self.verdict is Verdict.REFUTED:
            if self._stands(Role.CHARITABLE):
                return Severity.SCOPE
            return Severity.CONSTANT if self._stands(Role.CONSTANT) else Severity.SUBSTANCE
        for role, severity in _LITERAL.items():
            if any(f.verdict is Verdict.REFUTED for f in self.of(role)):
                return severity
        return Severity.PROOF if self.proof is ProofState.FAILS else None

    def _stands(self, role: Role) -> bool:
        """Cases were looked at, and none refutes it."""
        found = [f for f in self.of(role) if f.verdict is not None and f.extent.cases]
        return bool(found) and all(f.verdict is not Verdict.REFUTED for f in found)

    @property
    def proof(self) -> ProofState:
        if not self.steps:
            return ProofState.OPEN
        if self.unrepaired or self.inherited:
            return ProofState.FAILS
        if any(entry.refuted for entry in self.steps):
            return ProofState.REPAIRED
        undecided = any(entry.checked.open for entry in self.steps)
        return ProofState.OPEN if undecided else ProofState.STANDS

    @property
    def unrepaired(self) -> tuple[Entry, ...]:
        """The steps that fail with nothing decided in their place."""
        return tuple(entry for entry in self.steps if entry.refuted and not entry.repaired)

    @property
    def repaired_by(self) -> tuple[str, ...]:
        """What stands in for the steps that fail, where another part of the ledger decides it."""
        mended = (entry for entry in self.steps if entry.refuted and entry.repaired)
        return tuple(dict.fromkeys(name for entry in mended for name in entry.repaired_by))

    @property
    def failing_when_added(self) -> tuple[Entry, ...]:
        """The steps that fail even with the assumptions that the proof uses silently."""
        return tuple(entry for entry in self.steps if entry.fails_under(self.card.implicit))

    @property
    def inherited(self) -> tuple[Entry, ...]:
        """The steps that fail, unrepaired, in the proofs it cites: even where it holds what it
        uses silently itself."""
        failing = (entry for entry in self.cited if entry.fails_under(self.card.implicit))
        return tuple(entry for entry in failing if not entry.repaired)

    @property
    def true_when_added(self) -> bool:
        """Is it proved, cited proofs included, once what it uses silently is added?"""
        sound = (Verdict.HOLDS, None)
        return bool(self.steps) and not any(
            entry.fails_under(self.card.implicit) if entry.refuted else entry.verdict not in sound
            for entry in (*self.steps, *self.cited)
        )

    @property
    def proved(self) -> str | None:
        """Of a result of ours whose proof is in the ledger: a theorem, or proved up to which steps.

        A premise that is neither a step nor an assumption is quoted from the literature.
        """
        if not (self.card.ours and self.steps):
            return None
        if failing := [entry.step.step for entry in self.steps if entry.refuted]:
            return f"not proved: steps {', '.join(failing)} fail"
        sound = (Verdict.HOLDS, None)
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


def searched(
    theory: Theory,
    claim: str,
    context: RunContext,
    limit: SearchLimit,
    *,
    only_repairs: bool = False,
) -> list[Finding]:
    """A search against every statement of a claim (or those with another constant alone), and
    against what would be left of the intended ones with their implicit assumptions."""
    card, wanted = theory.cards[claim], []
    for statement in theory.statements(claim):
        if statement.searchable:
            if statement.role is Role.CONSTANT or not only_repairs:
                wanted.append(statement)
            if statement.role is Role.INTENDED and card.implicit:
                wanted.append(statement.charitable(card))
    return [search(card, statement, context, limit, theory.model) for statement in wanted]


def severity_of(
    theory: Theory,
    finding: Finding,
    findings: Sequence[Finding],
    context: RunContext,
    limit: SearchLimit,
) -> Severity | None:
    """What a refuted statement means for its claim, by the same rule as in the audit."""
    if finding.verdict is not Verdict.REFUTED:
        return None
    claim, found = finding.claim, [finding]
    if finding.role is Role.INTENDED:
        found = [f for f in findings if f.claim == claim]
        found += searched(theory, claim, context, limit, only_repairs=True)
    return Standing(theory.cards[claim], tuple(found)).severity


def standings(
    theory: Theory, findings: Iterable[Finding], steps: Iterable[Entry] = ()
) -> list[Standing]:
    """Findings and steps by claim, in the theory's order."""
    every, ledger = list(findings), list(steps)
    return [
        Standing(
            card,
            tuple(f for f in every if f.claim == card.id),
            tuple(entry for entry in ledger if entry.step.claim == card.id),
            _cited(card, ledger),
        )
        for card in theory.cards.values()
    ]


def _cited(card: Claim, ledger: Sequence[Entry]) -> tuple[Entry, ...]:
    """The steps of other proofs that the steps of this one name, by step or by claim."""
    own = [entry for entry in ledger if entry.step.claim == card.id]
    named = {premise for entry in own for premise in entry.step.premises} - {card.id}
    return tuple(e for e in ledger if e not in own and named & {e.step.claim, e.step.step})
