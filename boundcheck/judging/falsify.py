"""`falsify`: search for counterexamples to a claim, with or without one of its assumptions.

A counterexample satisfies every assumption and violates the conclusion. Floats find candidates;
what is reported was decided exactly or by certified enclosures (for a policy's regret, by fresh
runs at a planned level), and then simplified as far as it still fails.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from boundcheck.calculator.results import Results
from boundcheck.claims.card import Claim
from boundcheck.judging.effort import EFFORTS
from boundcheck.judging.falsification import Falsification, RowKind
from boundcheck.judging.finding import Finding, Role, Verdict, plain_evidence
from boundcheck.judging.policy_search import policy_row
from boundcheck.judging.searching import search
from boundcheck.search.hunt import SearchLimit
from simulation.errors import InputError, shown

if TYPE_CHECKING:
    from boundcheck.theory import Theory

EXAMPLES, SECONDS = 2_000, 240.0
POLICY = "policy "
# columns of the printed table
COLUMNS = ("statement", "kind", "published", "actual", "ratio", "examples")


def falsify(
    claim: str | Claim,
    drop: str | None = None,
    examples: int = EXAMPLES,
    seconds: float = SECONDS,
    seed: int = 0,
    *,
    theory: Theory,
) -> Results[Falsification]:
    """Search for counterexamples to a claim, given by id or as a card, or (`drop`) to the claim
    without one assumption; or, for `policy NAME`, for a reward law under which it does not learn.
    """
    limit = SearchLimit(examples, seconds, seed)
    if isinstance(claim, str) and claim.startswith(POLICY):
        row = policy_row(theory.policy(claim.removeprefix(POLICY)), limit)
        return Results([row], claim, COLUMNS)
    card = theory.find(claim)
    theory = theory.with_cards([card])
    if card.id not in theory.falsifiable:
        found = f"{card.id} (its conclusion is not computable)"
        raise InputError("falsify", "claim", found, f"one of {', '.join(theory.falsifiable)}")
    statements = [s for s in theory.statements(card.id) if s.searchable]
    if drop is not None:
        known = {a.name: a for a in (*card.assumptions, *card.implicit)}
        if drop not in known:
            expected = f"one of {', '.join(known)}" if known else f"no --drop for {card.id}"
            raise InputError("falsify", "--drop", shown(drop), expected)
        intended = [s for s in statements if s.role is Role.INTENDED]
        statements = [s.without(card, known[drop]) for s in intended]
    context = theory.context(EFFORTS["quick"], seed=seed)
    rows = [_row(search(card, s, context, limit, theory.model), drop) for s in statements]
    return Results([*rows, *theory.thresholds(card.id, drop)], f"{card.id}: searches", COLUMNS)


def _row(finding: Finding, drop: str | None) -> Falsification:
    case, compared = finding.case, finding.compared
    nothing = Falsification(
        finding.claim,
        finding.reading,
        RowKind.NOTHING,
        finding.extent.cases,
        finding.explanation,
        drop,
        statement=finding.statement,
    )
    if finding.verdict is not Verdict.REFUTED or case is None or compared is None:
        return nothing
    ends = finding.evidence.get("actual")
    return replace(
        nothing,
        kind=RowKind.COUNTEREXAMPLE,
        instance=case.instance,
        parameters=plain_evidence({**case.parameters(), **compared.more}),
        published=compared.claimed,
        actual=compared.certain or compared.actual,
        ratio=compared.ratio,
        enclosure=(ends[0], ends[1]) if isinstance(ends, list) else None,
    )
