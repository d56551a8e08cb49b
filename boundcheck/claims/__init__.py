"""The paper's catalogue: every module here has a tuple `CLAIMS` of its cards."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from boundcheck.claim import Claim

# the order in which the paper states its results; ours follow, anything new comes last
_ORDER = (
    *("thm-4.1a", "thm-4.1b", "rem-4.2", "thm-4.3", "lem-5.1", "lem-5.2", "thm-5.3a", "thm-5.3b"),
    *("thm-7.1", "cor-7.2", "rem-8.1", "lem-C.3", "lem-D.1"),
    *("lem-E.1", "lem-E.2", "lem-E.3", "lem-E.4", "lem-E.5", "lem-E.6"),
    *("thm-G.1", "cor-G.2", "thm-G.3", "lem-G.4", "thm-G.5", "thm-H.1"),
    *("lem-J.1", "lem-J.2", "cor-J.3"),
    *("sharp-4.1", "sharp-4.1-test", "sharp-4.3", "sharp-5.1"),
    *("sharp-5.3a", "sharp-5.3b", "sharp-7.1", "sharp-law-free"),
)


@cache
def catalogue() -> dict[str, Claim]:
    """All cards by id, in the paper's order.

    >>> list(catalogue())[:2], catalogue()["lem-5.1"].title
    (['thm-4.1a', 'thm-4.1b'], 'Uniform confidence interval for a capacity')
    """
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
    from boundcheck.theory import default

    return default().find(name)
