"""All cards of the theory, in the order in which the paper states its results."""

from __future__ import annotations

from boundcheck.claims.card import Claim
from boundcheck.theories.shareable_arms.counting import cards as counting
from boundcheck.theories.shareable_arms.elimination import cards as elimination
from boundcheck.theories.shareable_arms.etc_ucb import cards as etc_ucb
from boundcheck.theories.shareable_arms.explorations import cards as explorations
from boundcheck.theories.shareable_arms.interval import cards as interval
from boundcheck.theories.shareable_arms.law_free import cards as law_free
from boundcheck.theories.shareable_arms.lower_explorations import cards as lower_explorations
from boundcheck.theories.shareable_arms.lower_regret import cards as lower_regret
from boundcheck.theories.shareable_arms.orch_explore import cards as orch_explore
from boundcheck.theories.shareable_arms.rem_8_1 import cards as rem_8_1
from boundcheck.theory import by_id

_FAMILIES = (lower_explorations, lower_regret, interval, explorations, counting, orch_explore)
_MORE = (elimination, etc_ucb, rem_8_1, law_free)

# then our results; ids that are not listed come last
_ORDER = (
    *("thm-4.1a", "thm-4.1b", "rem-4.2", "thm-4.3", "lem-5.1", "lem-5.2", "thm-5.3a", "thm-5.3b"),
    *("thm-7.1", "cor-7.2", "rem-8.1", "lem-C.3", "lem-D.1"),
    *("lem-E.1", "lem-E.2", "lem-E.3", "lem-E.4", "lem-E.5", "lem-E.6"),
    *("thm-G.1", "cor-G.2", "thm-G.3", "lem-G.4", "thm-G.5", "thm-H.1"),
    *("lem-J.1", "lem-J.2", "cor-J.3"),
    *("sharp-4.1", "sharp-4.1-test", "sharp-4.3", "sharp-4.3-law-free", "sharp-5.1"),
    *("sharp-5.3a", "sharp-5.3b", "sharp-7.1", "sharp-law-free", "sharp-law-free-scale"),
)


_PLACE = {name: position for position, name in enumerate(_ORDER)}
_FOUND = by_id(card for family in (*_FAMILIES, *_MORE) for card in family.CLAIMS)
CARDS = {name: _FOUND[name] for name in sorted(_FOUND, key=lambda x: _PLACE.get(x, len(_PLACE)))}


def find(claim: str) -> Claim:
    """The card with this id."""
    return CARDS[claim]
