"""Every public name has an example, every public method is in one; pytest runs them all."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

import boundcheck
import simulation
from boundcheck.search import strategies

NEEDS_AN_EXTRA = {"to_pandas"}  # pandas is not there where the examples run


def public() -> Iterator[tuple[str, Any]]:
    for package in (boundcheck, simulation):
        for name in package.__all__:
            yield f"{package.__name__}.{name}", getattr(package, name)
    for name, strategy in vars(strategies).items():
        if getattr(strategy, "__module__", "") == strategies.__name__ and not name.startswith("_"):
            yield f"strategies.{name}", strategy


NAMES = {name: found for name, found in public() if name != "simulation.RewardLaw"}  # a type


def example(documented: Any) -> str:
    """The lines of its own docstring that are code."""
    own = documented.__doc__ or ""
    return "\n".join(line for line in own.splitlines() if re.match(r"\s*(>>>|\.\.\.) ", line))


def methods(kind: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties, also those it has from a class of ours."""
    stored = {field.name for field in fields(kind)} if is_dataclass(kind) else set()
    for name, found in inspect.getmembers_static(kind):
        plain = getattr(found, "fget", None) or getattr(found, "func", None) or found
        plain = getattr(plain, "__func__", plain)
        ours = str(getattr(plain, "__module__", "")).startswith(("boundcheck", "simulation"))
        if ours and inspect.isroutine(plain) and name not in stored and not name.startswith("_"):
            yield name, plain


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_has_an_example(name: str) -> None:
    assert example(NAMES[name])


@pytest.mark.parametrize("name", [name for name in NAMES if inspect.isclass(NAMES[name])])
def test_every_public_method_is_in_an_example(name: str) -> None:
    kind = NAMES[name]
    for method, found in methods(kind):
        shown = example(found) or re.search(rf"\.{method}\b", example(kind))
        assert shown or method in NEEDS_AN_EXTRA, method


def test_the_walk_finds_what_it_should() -> None:
    assert {"bounds", "Instance"} <= {name.partition(".")[2] for name in NAMES}
    assert {"strategies.unit_means", "strategies.instances"} <= set(NAMES)
    assert {"regret", "L", "arms", "load"} <= {name for name, _ in methods(boundcheck.Instance)}
    assert {"to_csv", "cells", "summary"} <= {name for name, _ in methods(boundcheck.Results)}
