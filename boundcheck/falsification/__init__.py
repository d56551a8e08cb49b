"""Where does a claim fail, and which of its assumptions does it need?

`falsify` looks for cases that satisfy every assumption of a claim and violate its conclusion.
Floats only suggest; what is reported was decided exactly or by certified enclosures (or, for the
regret of a policy, by fresh runs at a planned level), then made as simple as it can be while it
still fails.
"""

from __future__ import annotations

from boundcheck.claim import Claim
from boundcheck.falsification.outcome import Falsification, Kind
from boundcheck.falsification.statements import searched
from boundcheck.results import Results
from boundcheck.search.hunt import SearchLimit
from boundcheck.theory import Theory, default
from simulation.errors import InputError

__all__ = ["Falsification", "Kind", "falsify"]

EXAMPLES, SECONDS = 2_000, 240.0
POLICY = "policy "
COLUMNS = ("statement", "kind", "published", "actual", "ratio", "examples")  # that people look at


def falsify(
    claim: str | Claim,
    drop: str | None = None,
    examples: int = EXAMPLES,
    seconds: float = SECONDS,
    seed: int = 0,
    *,
    theory: Theory | None = None,
) -> Results[Falsification]:
    """Search for counterexamples to a claim, by id or as a card, or (`drop`) to the claim without
    an assumption; or, for `policy NAME`, for a law of rewards under which it does not learn.

    >>> [row.statement for row in falsify("thm-4.3", examples=100) if row.found]
    ['intended', 'further:filled-arms']
    """
    theory = theory or default()
    if isinstance(claim, str) and claim.startswith(POLICY):
        from boundcheck.falsification.policies import searched as misled

        policy = theory.policy(claim.removeprefix(POLICY))
        return Results([misled(policy, SearchLimit(examples, seconds, seed))], claim, COLUMNS)
    card = theory.find(claim)
    theory = theory.speaking_of([card])
    if card.id not in theory.falsifiable:
        found = f"{card.id} (its conclusion is not computable)"
        raise InputError("falsify", "claim", found, f"one of {', '.join(theory.falsifiable)}")
    rows = searched(theory, card, drop, SearchLimit(examples, seconds, seed))
    return Results(rows, f"{card.id}: searches", COLUMNS)
