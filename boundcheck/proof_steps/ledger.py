"""The proof ledger: judges every displayed relation of the paper's proofs, and of ours.

A theory names for each claim the module with its proof; the module's tuple `STEPS` holds the steps
in the order of the paper. The `parts` of a step decide it by computation; no step counts as proved
by assertion.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from boundcheck.calculator.results import Results
from boundcheck.claims.card import Assumption, Claim
from boundcheck.judging.finding import Verdict
from boundcheck.proof_steps.coq_terms import digest
from boundcheck.proof_steps.step import Part, Step, Trust
from simulation.errors import InputError, shown

if TYPE_CHECKING:
    from boundcheck.theory import Theory

COLUMNS = ("step", "verdict", "method", "display")  # columns of the printed table


def steps(claim: str | None, theory: Theory) -> Iterator[Step]:
    """The steps of one proof, or of all, unchecked; only the necessary modules are imported."""
    wanted = theory.proofs if claim is None else [_named(claim, theory)]
    for module in dict.fromkeys(theory.proofs[name] for name in wanted):
        yield from (step for step in import_module(module).STEPS if step.claim in wanted)


def ledger(
    claim: str | None = None, progress: Callable[[str], None] | None = None, *, theory: Theory
) -> Results[Entry]:
    """Check the steps of one proof, or of all."""
    entries = []
    for step in steps(claim, theory):
        if progress is not None:
            progress(f"{step.claim} {step.step}")
        entries.append(Entry.of(step, theory))
    return Results(entries, "steps of proofs", COLUMNS)


def _named(claim: str, theory: Theory) -> str:
    by_lower = {name.lower(): name for name in theory.proofs}
    if claim.lower() not in by_lower:
        raise InputError("proofs", "ID", shown(claim), f"one of {', '.join(theory.proofs)}")
    return by_lower[claim.lower()]


@dataclass(frozen=True)
class Entry:
    """A step with its verdict: a row of `boundcheck proofs`."""

    step: Step
    checked: Part
    theory: Theory

    @classmethod
    def of(cls, step: Step, theory: Theory) -> Entry:
        """Check a step."""
        return cls(step, step.check(theory), theory)

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle: a step contains functions, so it is pickled by name."""
        return _entry, (self.theory, self.step.claim, self.step.step, self.checked)

    @property
    def verdict(self) -> Verdict | None:
        return self.checked.verdict

    @property
    def refuted(self) -> bool:
        return self.verdict is Verdict.REFUTED

    @cached_property
    def trust(self) -> Trust | None:
        """How it is established: by other software, if that certified exactly these formulas."""
        found, goals = self.theory.certificate(self.step.step), self.checked.formulas
        if found is None or self.verdict is not Verdict.HOLDS or not self.checked.formal:
            return self.checked.trust
        return Trust(found["by"]) if found["digest"] == digest(goals) else self.checked.trust

    @property
    def repair(self) -> str | None:
        """The text of its repair."""
        return None if self.step.repair is None else self.step.repair.words

    @cached_property
    def repaired(self) -> bool | None:
        """Whether the repair is correct; None if nothing decides that (checking some cases does
        not).

        A repair that is a statement of the catalogue is correct if that statement is, and one that
        consists of other steps of the ledger if these hold.
        """
        if self.repaired_by:
            return all(_holds(self.theory, name) for name in self.repaired_by) or None
        found = self.step.repaired(self.theory)
        if found is None or found.open:
            return None
        if found.agrees and found.trust is not Trust.STATEMENT:
            return None
        return found.verdict is not Verdict.REFUTED

    @property
    def repaired_by(self) -> tuple[str, ...]:
        """The steps of the ledger that its repair names."""
        return () if self.step.repair is None else self.step.repair.stands_in

    def fails_under(self, assumptions: Iterable[Assumption]) -> bool:
        """Whether it is refuted even where these assumptions hold."""
        cured = [self.step.under[a.name] for a in assumptions if a.name in self.step.under]
        found = (self.step.check(self.theory, **constants) for constants in cured)
        return self.refuted and not any(part.stands for part in found)

    @property
    def survives(self) -> bool | None:
        """Whether the claim is true in spite of the failing step, according to the audit. None:
        unknown.
        """
        if not self.refuted or self.repaired:
            return True
        known = self.theory.recorded(self.card)
        if known is None or known.verdict is Verdict.UNDECIDED:
            return None
        return not known.refuted

    @property
    def card(self) -> Claim:
        """The claim that its proof is about."""
        return self.theory.cards[self.step.claim]

    @property
    def explanation(self) -> str:
        parts = (self.step.statement, self.checked.detail, self.step.consequence)
        return "; ".join(part for part in parts if part)

    def to_json(self) -> dict[str, Any]:
        return {
            "claim": self.step.claim,
            "step": self.step.step,
            "display": self.step.display,
            "method": self.checked.method,
            "verdict": None if self.verdict is None else str(self.verdict),
            "trust": self.trust,
            "ours": self.card.ours,
            "region": self.checked.region,
            "repair": self.repair,
            "survives": self.survives,
            "explanation": self.explanation,
        }


def by_trust(entries: Iterable[Entry]) -> dict[str, int]:
    """The number of steps by how they are established, most trusted first; definitions do not
    count.
    """
    counts = Counter(entry.trust for entry in entries)
    return {str(trust): counts[trust] for trust in Trust if counts[trust]}


@cache
def _holds(theory: Theory, name: str) -> bool:
    """Whether this step of the theory's proofs holds."""
    found = next((step for step in steps(None, theory) if step.step == name), None)
    if found is None:
        raise ValueError(f"a repair names {name}, which is no step of the ledger")
    return found.check(theory).verdict is Verdict.HOLDS


def _entry(theory: Theory, claim: str, name: str, checked: Part) -> Entry:
    return Entry(next(step for step in steps(claim, theory) if step.step == name), checked, theory)
