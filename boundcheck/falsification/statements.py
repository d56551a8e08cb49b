"""A claim's statements, each searched for a counterexample, as rows of `boundcheck falsify`."""

from __future__ import annotations

from boundcheck.claim import Claim
from boundcheck.decision import search
from boundcheck.falsification.outcome import Falsification, Kind
from boundcheck.finding import Finding, Role, Verdict
from boundcheck.lab import EFFORTS
from boundcheck.search.hunt import SearchLimit
from boundcheck.theory import Theory
from simulation.errors import InputError, shown


def searched(
    theory: Theory, card: Claim, drop: str | None, limit: SearchLimit
) -> list[Falsification]:
    """The statements as they stand, or the intended ones without an assumption."""
    lab = theory.lab(EFFORTS["quick"], seed=limit.seed)
    statements = [s for s in theory.statements(card.id) if s.searchable]
    if drop is not None:
        known = {a.name: a for a in (*card.assumptions, *card.implicit)}
        if drop not in known:
            expected = f"one of {', '.join(known)}" if known else f"no --drop for {card.id}"
            raise InputError("falsify", "--drop", shown(drop), expected)
        intended = [s for s in statements if s.role is Role.INTENDED]
        statements = [s.without(card, known[drop]) for s in intended]
    rows = [_row(search(card, s, lab, limit, theory.model), drop) for s in statements]
    return rows + theory.thresholds(card.id, drop)


def _row(finding: Finding, drop: str | None) -> Falsification:
    found, compared = finding.verdict is Verdict.REFUTED, finding.compared
    case = finding.case if found else None
    return Falsification(
        finding.claim,
        finding.reading,
        Kind.COUNTEREXAMPLE if found else Kind.NOTHING,
        finding.extent.cases,
        finding.explanation,
        drop,
        instance=None if case is None else case.instance,
        parameters={**case.told(), **compared.more} if case and compared else {},
        published=compared.claimed if found and compared else None,
        actual=(compared.certain or compared.actual) if found and compared else None,
        ratio=compared.ratio if found and compared else None,
        statement=finding.statement,
        enclosure=_enclosure(finding) if found else None,
    )


def _enclosure(finding: Finding) -> tuple[str, str] | None:
    """Between which numbers the actual one certainly lies, where it is not known exactly."""
    ends = finding.evidence.get("actual")
    return (ends[0], ends[1]) if isinstance(ends, list) else None
