"""The shipped theories, by name.

The engine does not import this module: callers pass the theory they mean.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from simulation.errors import InputError, shown

if TYPE_CHECKING:
    from boundcheck.claims.card import Claim
    from boundcheck.theory import Theory

DEFAULT = "shareable-arms"
PACKAGES = {DEFAULT: "shareable_arms", "classic": "classic"}

# options of the command line for the parameters that only these theories have (`Theory.question`)
OPTIONS = {
    "threshold": (
        "d",
        'The d of "the capacity is at least d".  [default: plays left for the last arm]',
    ),
    "gamma": ("g", "The factor of MP-SE-SA's elimination.  [default: 1]"),
    "xi": ("x", "The factor of ETC-UCB's exploration.  [default: 1]"),
}


def shipped_theory(name: str) -> Theory:
    """A shipped theory.

    >>> shipped_theory("shareable-arms").main
    'thm-7.1'
    """
    if name not in PACKAGES:
        raise _unknown("--theory", name, [*PACKAGES])
    found: Theory = import_module(f"{__name__}.{PACKAGES[name]}").THEORY
    return found


def default() -> Theory:
    """The default theory: the paper on shareable arms."""
    return shipped_theory(DEFAULT)


def shipped_cards() -> list[Claim]:
    """The cards of every shipped theory."""
    return [card for name in PACKAGES for card in shipped_theory(name).cards.values()]


def short_name(theory: Theory) -> str:
    """What stands before the colon in ids such as `classic:ucb1`.

    >>> short_name(default())
    'shareable-arms'
    """
    return theory.name.lower().replace(" ", "-")


def theory_of(
    claims: Iterable[str | Claim] | None, theory: Theory
) -> tuple[Theory, list[Any] | None]:
    """The theory that ids such as `classic:ucb1` name, and the ids within it.

    An id without a theory belongs to the one that is given.

    >>> found, ids = theory_of(["classic:ucb1"], default())
    >>> found.name, ids
    ('classic', ['ucb1'])
    """
    if claims is None:
        return theory, None
    pairs = [_split(claim, theory) for claim in claims]
    found = list(dict.fromkeys(owner for owner, _ in pairs))
    if len(found) > 1:
        names = " and ".join(map(short_name, found))
        raise InputError("--claim", "theory", names, "claims of one theory at a time")
    return (found[0] if found else theory), [claim for _, claim in pairs]


def _split(claim: str | Claim, theory: Theory) -> tuple[Theory, str | Claim]:
    """The theory of a claim, and its id there."""
    if not isinstance(claim, str) or ":" not in claim or claim in theory.cards:
        return theory, claim
    name, _, rest = claim.partition(":")
    if name.lower() == short_name(theory):
        return theory, rest
    if name.lower() not in PACKAGES:
        raise _unknown("--claim", name, [*dict.fromkeys((short_name(theory), *PACKAGES))])
    return shipped_theory(name.lower()), rest


def _unknown(option: str, name: str, known: list[str]) -> InputError:
    return InputError(option, "theory", shown(name), f"one of {', '.join(known)}")
