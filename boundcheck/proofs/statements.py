"""The verdict on a claim's own statement, for a step of a proof that is such a statement.

Statements are asked for by id (`intended`, `charitable`, `printed`, `further:NAME`, ...), and the
same search decides as in `boundcheck falsify`.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from boundcheck.decision import search
from boundcheck.lab import EFFORTS
from boundcheck.proofs.step import Part
from boundcheck.search import SearchLimit
from boundcheck.shareable_arms import THEORY
from boundcheck.statement import Case
from simulation.numbers import decimal

_SECONDS = 60.0


@cache
def statement_verdict(claim: str, statement: str, examples: int) -> Part:
    """What is known of a statement of a claim."""
    lab = THEORY.lab(EFFORTS["quick"])
    stated, limit = THEORY.statement(claim, statement), SearchLimit(examples, _SECONDS)
    found = search(THEORY.cards[claim], stated, lab, limit, THEORY.model)
    region = found.reading if found.case is None else f"at {_place(found.case)}"
    return Part("statement", found.verdict, region, found.explanation)


def _place(case: Case) -> str:
    """What a case tells of itself, or its instance if it is nothing else."""
    if told := case.told():
        return ", ".join(f"{name} {value}" for name, value in told.items())
    given = case.instance
    means, held = (
        " ".join(decimal(Fraction(x), 6) for x in values)
        for values in (given.means, given.capacities)
    )
    return f"means {means}, capacities {held}, {given.plays} plays"
