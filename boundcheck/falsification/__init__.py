"""Where does a claim fail, and which of its assumptions does it need?

`falsify` looks for examples that satisfy every assumption of a claim and violate its conclusion.
Floats only suggest; what is reported was decided exactly or by certified enclosures, then made as
simple as it can be while it still fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from boundcheck.claim import Assumption, Claim
from boundcheck.claims import find
from boundcheck.falsification.outcome import Falsification, Kind
from boundcheck.falsification.registry import SEARCHES, Task
from boundcheck.falsification.statements import searched
from boundcheck.search.hunt import SearchLimit
from boundcheck.shareable_arms import THEORY
from simulation.errors import InputError, shown

__all__ = ["Falsification", "Kind", "falsifiable", "falsify"]

EXAMPLES, SECONDS = 2_000, 240.0

# every module with searches; importing it registers them
for _module in ("constants", "proofs", "regret", "two_points"):
    import_module(f"{__name__}.{_module}")


def falsifiable() -> tuple[str, ...]:
    """The claims whose conclusion can be decided by computation."""
    from boundcheck.claims import catalogue

    return tuple(claim for claim in catalogue() if claim in SEARCHES or _searchable(claim))


def _searchable(claim: str) -> bool:
    return any(statement.searchable for statement in THEORY.statements(claim))


def falsify(
    claim: str,
    drop: str | None = None,
    examples: int = EXAMPLES,
    seconds: float = SECONDS,
    seed: int = 0,
) -> list[Falsification]:
    """Search for counterexamples to a claim, or (`drop`) to the claim without an assumption.

    >>> [row.instance.arms for row in falsify("thm-4.3", examples=500)]
    [3, 4]
    """
    card = find(claim)
    if _searchable(card.id):
        return searched(THEORY, card, drop, SearchLimit(examples, seconds, seed))
    if card.id not in SEARCHES:
        found = f"{card.id} (its conclusion is not computable)"
        raise InputError("falsify", "claim", found, f"one of {', '.join(falsifiable())}")
    entry = SEARCHES[card.id]
    dropped = None if drop is None else _assumption(card, drop, entry.drops)
    return list(entry.search(Task(card, dropped, SearchLimit(examples, seconds, seed))))


def _assumption(card: Claim, name: str, able: Sequence[str] | None) -> Assumption:
    known = {a.name: a for a in (*card.assumptions, *card.implicit)}
    can = [other for other in known if able is None or other in able]
    if name in can:
        return known[name]
    expected = f"one of {', '.join(can)}" if can else f"no --drop for {card.id}"
    raise InputError("falsify", "--drop", shown(name), expected)
