"""The names the package offers, frozen; each still there after everything is imported."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

import boundcheck

PUBLIC = [
    "Bound", "Claim", "Falsification", "InputError", "Instance", "Question", "Sweep", "bounds",
    "catalogue", "check", "estimate", "falsify", "find", "ledger", "replicate", "sweep", "verify",
]  # fmt: skip


def test_the_public_names_are_these():
    assert boundcheck.__all__ == PUBLIC
    assert dir(boundcheck) == PUBLIC


def test_no_module_hides_a_public_name():
    assert not {module.name for module in iter_modules(boundcheck.__path__)} & set(PUBLIC)
    for name in PUBLIC:
        getattr(boundcheck, name)
    import_module("boundcheck.calculator")
    paper = boundcheck.Instance.load("paper")
    for _ in range(2):  # the second call once met the module in place of the function
        assert boundcheck.bounds(paper, claims=["cor-7.2"])[0].applies
