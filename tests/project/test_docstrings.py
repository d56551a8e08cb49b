"""What people call is documented: every parameter of every public function is named."""

from __future__ import annotations

import inspect
import re

import pytest

import boundcheck

FUNCTIONS = [name for name in boundcheck.__all__ if inspect.isfunction(getattr(boundcheck, name))]


@pytest.mark.parametrize("name", [*FUNCTIONS, "Instance"])
def test_every_parameter_is_documented(name: str) -> None:
    told = inspect.getdoc(getattr(boundcheck, name)) or ""
    parameters = inspect.signature(getattr(boundcheck, name)).parameters.values()
    named = {p.name for p in parameters if p.kind is not p.VAR_KEYWORD}
    text = told.partition(">>>")[0]
    assert {word for word in named if not re.search(rf"\b{word}\b", text)} == set()


@pytest.mark.parametrize("name", boundcheck.__all__)
def test_every_name_says_what_it_is_in_a_sentence(name: str) -> None:
    told = inspect.getdoc(getattr(boundcheck, name)) or ""
    first = told.partition("\n\n")[0]
    assert re.match(r"[A-Z]", first)
    assert re.search(r"[.:]$", first)
