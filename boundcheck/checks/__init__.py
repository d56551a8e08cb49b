"""How each claim is checked: one function for each claim, found by its id.

A check takes the card and a `Run` and yields findings. To add one, write a function in a module of
this package and decorate it with `@checks("claim-id")`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boundcheck.crossvalidate import Check

_REGISTERED: dict[str, Check] = {}


def checks(*claims: str) -> Callable[[Check], Check]:
    """Registers a function as the check of these claims."""

    def register(function: Check) -> Check:
        for claim in claims:
            if claim in _REGISTERED:
                raise ValueError(f"two checks for {claim}")
            _REGISTERED[claim] = function
        return function

    return register


def registered() -> dict[str, Check]:
    """All checks by claim id."""
    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    return dict(_REGISTERED)
