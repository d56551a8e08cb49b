"""The cases on which `selftest` tries a theory: these, if it has no module of its own.

A theory's module defines the same four functions (docs/extending.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from boundcheck.claims.card import Claim
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from boundcheck.theory import Theory


def cases_of(theory: Theory) -> Any:
    """The module with the theory's cases."""
    return import_module(theory.selftest_cases or __name__)


def instances() -> Iterator[Instance]:
    """One play on arms of capacity 1: distant means, close means, many arms."""
    yield Instance(["0.9", "0.5"], [1, 1], 1, name="two arms far apart")
    yield Instance(["0.5", "0.49"], [1, 1], 1, name="two arms close together")
    yield Instance(["0.9", "0.6", "0.5", "0.1"], [1, 1, 1, 1], 1, name="four arms")


def consequences(card: Claim) -> Iterator[Any]:
    """Implications of a card that are tested too: none."""
    return iter(())


def reference() -> list[dict[str, Any]]:
    """Values of the cards computed by other code: none."""
    return []


def stated() -> Mapping[str, str]:
    """The recorded digest of what each proof step checks: none."""
    return {}
