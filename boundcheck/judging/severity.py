"""A claim's verdict, severity and proof state, derived from all findings about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from boundcheck.claims.card import Claim
from boundcheck.judging.finding import Cover, Finding, Role, Severity, Verdict, gravest
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.searching import search
from boundcheck.search import SearchLimit

if TYPE_CHECKING:
    from boundcheck.proof_steps.ledger import Entry
    from boundcheck.theory import Theory


class ProofState(StrEnum):
    """State of the proof as printed."""

    STANDS = "stands"  # no step is refuted or undecided
    REPAIRED = "repaired"  # some step fails, and a repair of it was decided
    OPEN = "open"  # there is no proof, or a step is undecided
    FAILS = "fails"  # a step of it, or of a proof it cites, fails and is not repaired


# severity if only a statement taken literally fails
_LITERAL = {Role.PSEUDO_CODE: Severity.PSEUDO_CODE, Role.PRINTED: Severity.WORDING}


@dataclass(frozen=True)
class Standing:
    """One claim with all findings and proof steps about it: a row of `boundcheck audit`."""

    card: Claim
    findings: tuple[Finding, ...]
    steps: tuple[Entry, ...] = ()
    cited: tuple[Entry, ...] = ()  # steps of other proofs that its own steps cite

    def of(self, role: Role) -> list[Finding]:
        return [finding for finding in self.findings if finding.role is role]

    @property
    def verdict(self) -> Verdict:
        """The gravest decided verdict on the intended statement, uninformative cases left out."""
        found = (f.verdict for f in self.of(Role.INTENDED) if f.informative is not False)
        return gravest(found) or Verdict.UNDECIDED

    @property
    def decisive(self) -> Finding:
        """The finding on which the verdict rests."""
        found = self.of(Role.INTENDED)
        informative = [f for f in found if f.informative is not False]
        return next((f for f in informative if f.verdict is self.verdict), found[0])

    @property
    def failing(self) -> Finding | None:
        """The refutation on which a severity above `proof` rests, if possible one found by
        search.
        """
        roles = {severity: role for role, severity in _LITERAL.items()}
        role = roles.get(self.severity or Severity.PROOF, Role.INTENDED)
        refuted = [f for f in self.of(role) if f.verdict is Verdict.REFUTED]
        return max(refuted, key=lambda f: f.extent.cover is Cover.SEARCH, default=None)

    @property
    def severity(self) -> Severity | None:
        """What is wrong with the claim, derived from what fails and what repairs it."""
        if self.verdict is Verdict.REFUTED:
            if self._stands(Role.CHARITABLE):
                return Severity.SCOPE
            return Severity.CONSTANT if self._stands(Role.CONSTANT) else Severity.SUBSTANCE
        for role, severity in _LITERAL.items():
            if any(f.verdict is Verdict.REFUTED for f in self.of(role)):
                return severity
        return Severity.PROOF if self.proof is ProofState.FAILS else None

    def _stands(self, role: Role) -> bool:
        """Whether cases were judged and none refutes a statement of this role."""
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
        """The failing steps for which no repair was decided."""
        return tuple(entry for entry in self.steps if entry.refuted and not entry.repaired)

    @property
    def repaired_by(self) -> tuple[str, ...]:
        """The parts of the ledger that replace failing steps."""
        mended = (entry for entry in self.steps if entry.refuted and entry.repaired)
        return tuple(dict.fromkeys(name for entry in mended for name in entry.repaired_by))

    @property
    def failing_when_added(self) -> tuple[Entry, ...]:
        """The steps that fail even if the implicit assumptions are added."""
        return tuple(entry for entry in self.steps if entry.fails_under(self.card.implicit))

    @property
    def inherited(self) -> tuple[Entry, ...]:
        """The unrepaired failing steps of cited proofs, with this claim's implicit assumptions
        added.
        """
        failing = (entry for entry in self.cited if entry.fails_under(self.card.implicit))
        return tuple(entry for entry in failing if not entry.repaired)

    @property
    def true_when_added(self) -> bool:
        """Whether it is proved, with cited proofs, once its implicit assumptions are added."""
        sound = (Verdict.HOLDS, None)
        return bool(self.steps) and not any(
            entry.fails_under(self.card.implicit) if entry.refuted else entry.verdict not in sound
            for entry in (*self.steps, *self.cited)
        )

    @property
    def proved(self) -> str | None:
        """For a result of ours with a proof: "theorem", or which steps are missing.

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
    """Search against every statement of a claim (with `only_repairs`, against those with another
    constant), and against the intended ones with implicit assumptions added.
    """
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
    """The severity that a refuted statement gives its claim, by the rule of the audit."""
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
    """Findings and steps grouped by claim, in the theory's order."""
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
    """The steps of other proofs that this claim's steps cite, by step or by claim."""
    own = [entry for entry in ledger if entry.step.claim == card.id]
    named = {premise for entry in own for premise in entry.step.premises} - {card.id}
    return tuple(e for e in ledger if e not in own and named & {e.step.claim, e.step.step})
