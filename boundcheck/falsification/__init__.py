"""Where does a claim fail, and which of its assumptions does it need?

`falsify` looks for cases that satisfy every assumption of a claim and violate its conclusion.
Floats only suggest; what is reported was decided exactly or by certified enclosures (or, for the
regret of a policy, by fresh runs at a planned level), then made as simple as it can be while it
still fails.
"""

from __future__ import annotations

from boundcheck.claims import find
from boundcheck.falsification.outcome import Falsification, Kind
from boundcheck.falsification.statements import searched
from boundcheck.results import Results
from boundcheck.search.hunt import SearchLimit
from boundcheck.shareable_arms import THEORY
from simulation.errors import InputError

__all__ = ["Falsification", "Kind", "falsifiable", "falsify"]

EXAMPLES, SECONDS = 2_000, 240.0
COLUMNS = ("statement", "kind", "published", "actual", "ratio", "examples")  # that people look at


def falsifiable() -> tuple[str, ...]:
    """The claims of which some statement can be searched for a counterexample."""
    return tuple(
        claim
        for claim in THEORY.cards
        if any(statement.searchable for statement in THEORY.statements(claim))
    )


def falsify(
    claim: str,
    drop: str | None = None,
    examples: int = EXAMPLES,
    seconds: float = SECONDS,
    seed: int = 0,
) -> Results[Falsification]:
    """Search for counterexamples to a claim, or (`drop`) to the claim without an assumption.

    >>> [row.statement for row in falsify("thm-4.3", examples=100) if row.found]
    ['intended', 'further:filled-arms']
    """
    card = find(claim)
    if card.id not in falsifiable():
        found = f"{card.id} (its conclusion is not computable)"
        raise InputError("falsify", "claim", found, f"one of {', '.join(falsifiable())}")
    rows = searched(THEORY, card, drop, SearchLimit(examples, seconds, seed))
    return Results(rows, f"{card.id}: searches", COLUMNS)
