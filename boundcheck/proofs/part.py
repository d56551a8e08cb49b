"""A part of a step: what one computation found, the formulas it decides, and on what it rests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from boundcheck.finding import Verdict
from boundcheck.proofs.goal import Goal

# what decides when several parts stand for one step, the strongest word first
_SEVERITY = (
    Verdict.REFUTED,
    Verdict.INCONCLUSIVE,
    Verdict.NOT_APPLICABLE,
    Verdict.CONSISTENT,
    Verdict.VACUOUS,
    Verdict.HOLDS,
)
EVERYWHERE = "wherever both sides are defined"  # where an identity holds


class Trust(StrEnum):
    """On what a verdict rests, the firmest ground first."""

    PROOF_ASSISTANT = "proof assistant"
    SMT = "SMT solver"
    SYMBOLIC = "symbolic identity"
    ENCLOSURE = "certified enclosure"
    ENUMERATION = "exact enumeration"
    SAMPLE = "sample"
    STATEMENT = "statement"


_TRUST = {
    "identity": Trust.SYMBOLIC,
    "calculus": Trust.SYMBOLIC,
    "limit": Trust.SYMBOLIC,
    "enclosure": Trust.ENCLOSURE,
    "certified sum": Trust.ENCLOSURE,
    "exhaustive": Trust.ENUMERATION,
    "exact paths": Trust.ENUMERATION,
    "exact example": Trust.ENUMERATION,
    "exact number": Trust.ENUMERATION,
    "lattice paths": Trust.ENUMERATION,
    "search": Trust.ENUMERATION,  # a counterexample found is one in exact arithmetic
    "linear program": Trust.ENCLOSURE,
    "statement": Trust.STATEMENT,
}
_ORDER = list(Trust)


@dataclass(frozen=True)
class Part:
    """What one computation found: where it looked (or where it fails), and what it saw.

    `goals` are the formulas it decides, None for what is no formula.
    """

    method: str
    verdict: Verdict
    region: str
    detail: str = ""
    goals: tuple[Goal | None, ...] = (None,)

    def __post_init__(self) -> None:
        if not (self.method and self.region):
            raise ValueError("a part says how it was computed and where")

    def told(self, detail: str, region: str | None = None) -> Part:
        """The same finding in better words, which must be true whatever the verdict."""
        return replace(self, detail=detail, region=region or self.region)

    @property
    def formulas(self) -> tuple[Goal, ...]:
        return tuple(goal for goal in self.goals if goal is not None)

    @property
    def formal(self) -> bool:
        """Do formulas say all of it, none of them a mere x = x?"""
        return bool(self.goals) and all(goal and not goal.trivial for goal in self.goals)

    @property
    def trust(self) -> Trust | None:
        """The weakest ground among its methods; None for a definition, which asserts nothing."""
        grounds = [_TRUST[m] for m in self.method.split(" + ") if m != "definition"]
        if not grounds:
            return None
        weakest = max(grounds, key=_ORDER.index)
        if self.verdict is Verdict.CONSISTENT:  # some cases of many
            return max(weakest, Trust.SAMPLE, key=_ORDER.index)
        if self.verdict is Verdict.REFUTED:  # at a point, by an enclosure
            return max(weakest, Trust.ENCLOSURE, key=_ORDER.index)
        return weakest


def combined(*parts: Part) -> Part:
    """Several parts for one step: the most severe verdict, and where that was found."""
    worst = min(parts, key=lambda part: _SEVERITY.index(part.verdict))
    alike = [part for part in parts if part.verdict is worst.verdict]
    regions = [part.region for part in alike if part.region != EVERYWHERE] or [EVERYWHERE]
    methods = [method for part in parts for method in part.method.split(" + ")]
    return Part(
        " + ".join(dict.fromkeys(methods)),
        worst.verdict,
        "; ".join(dict.fromkeys(regions)),
        "; ".join(dict.fromkeys(part.detail for part in alike if part.detail)),
        tuple(goal for part in parts for goal in part.goals),
    )
