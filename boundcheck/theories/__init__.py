"""The theories that are shipped, by name.

Nothing of the engine imports from here: who calls it says which theory is meant.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from simulation.errors import InputError, shown

if TYPE_CHECKING:
    from boundcheck.theory import Theory

DEFAULT = "shareable-arms"
PACKAGES = {DEFAULT: "shareable_arms", "classic": "classic"}


def shipped_theory(name: str) -> Theory:
    """A shipped theory.

    >>> shipped("shareable-arms").main
    'thm-7.1'
    """
    if name not in PACKAGES:
        raise InputError("--theory", "theory", shown(name), f"one of {', '.join(PACKAGES)}")
    found: Theory = import_module(f"{__name__}.{PACKAGES[name]}").THEORY
    return found


def default() -> Theory:
    """The theory that is meant unless another is named: the paper on shareable arms."""
    return shipped_theory(DEFAULT)
