"""The catalogue: every module here that has `CLAIMS` adds its cards.

To add a claim, write one module with a tuple `CLAIMS` of `Claim` objects; tables, property tests,
bounds, sweeps and reports pick it up.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from boundcheck.claim import Claim
from simulation.errors import InputError, shown

# the order in which the paper states its results; ours follow, anything new comes last
_ORDER = (
    *("thm-4.1a", "thm-4.1b", "rem-4.2", "thm-4.3", "lem-5.1", "lem-5.2", "thm-5.3a", "thm-5.3b"),
    *("thm-7.1", "cor-7.2", "rem-8.1", "lem-C.3", "lem-D.1"),
    *("lem-E.1", "lem-E.2", "lem-E.3", "lem-E.4", "lem-E.5", "lem-E.6"),
    *("thm-G.1", "cor-G.2", "thm-G.3", "lem-G.4", "thm-G.5", "thm-H.1"),
    *("lem-J.1", "lem-J.2", "cor-J.3"),
    *("sharp-4.1", "sharp-4.1-test", "sharp-4.3", "sharp-5.1"),
    *("sharp-5.3a", "sharp-5.3b", "sharp-7.1"),
)


@cache
def catalogue() -> dict[str, Claim]:
    """All cards by id, in the paper's order."""
    found: dict[str, Claim] = {}
    for module in iter_modules(__path__):
        for claim in import_module(f"{__name__}.{module.name}").CLAIMS:
            if claim.id in found:
                raise ValueError(f"two cards with the id {claim.id}")
            found[claim.id] = claim
    place = {name: position for position, name in enumerate(_ORDER)}
    return dict(sorted(found.items(), key=lambda item: place.get(item[0], len(place))))


def find(name: str) -> Claim:
    """The card with this id.

    >>> find("thm-7.1").title
    'Regret upper bound of OrchExplore'
    """
    cards = catalogue()
    if name in cards:
        return cards[name]
    by_lower = {key.lower(): key for key in cards}
    if name.lower() in by_lower:
        return cards[by_lower[name.lower()]]
    close = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.4)
    hint = f" (did you mean {by_lower[close[0]]!r}?)" if close else ""
    raise InputError("--claim", "id", shown(name), f"an id of the catalogue{hint}")


def chosen(names: Iterable[str | Claim] | None) -> list[Claim]:
    """The cards with these ids or these cards, each asked for once; all if none are named.

    >>> [claim.id for claim in chosen(["THM-7.1", "cor-7.2"])]
    ['thm-7.1', 'cor-7.2']
    """
    if names is None:
        return list(catalogue().values())
    found: dict[str, Claim] = {}
    for name in names:
        card = name if isinstance(name, Claim) else find(name)
        if card.id in found:
            raise InputError("--claim", "id", f"{card.id} twice", "each claim once")
        found[card.id] = card
    return list(found.values())
