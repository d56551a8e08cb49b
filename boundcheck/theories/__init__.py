"""The shipped theories, by name.

The engine does not import this module: callers pass the theory they mean.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from simulation.errors import InputError, shown

if TYPE_CHECKING:
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
        raise InputError("--theory", "theory", shown(name), f"one of {', '.join(PACKAGES)}")
    found: Theory = import_module(f"{__name__}.{PACKAGES[name]}").THEORY
    return found


def default() -> Theory:
    """The default theory: the paper on shareable arms."""
    return shipped_theory(DEFAULT)
