"""Where things stand: a result's module carries its number, and nothing needs the proofs."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

from boundcheck.theories import shareable_arms
from boundcheck.theories.shareable_arms import THEORY

PACKAGE = shareable_arms.__name__
FOLDER = Path(*shareable_arms.__path__)
FAMILIES = sorted(path.parent.name for path in FOLDER.glob("*/cards.py"))
ROOMS = THEORY.statement_modules


def family_of(claim: str) -> str:
    """The folder whose cards have this claim."""
    (found,) = (
        family
        for family in FAMILIES
        if claim in {card.id for card in import_module(f"{PACKAGE}.{family}.cards").CLAIMS}
    )
    return found


def imported(module: str) -> set[str]:
    """The modules that a module of the package imports, those inside functions too."""
    path = FOLDER.joinpath(*module.removeprefix(f"{PACKAGE}.").split(".")).with_suffix(".py")
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
    return found


# -- rooms


@pytest.mark.parametrize("claim", ROOMS)
def test_a_results_room_carries_its_number(claim):
    number = "".join(letter if letter.isalnum() else "_" for letter in claim.lower())
    assert ROOMS[claim] == f"{PACKAGE}.{family_of(claim)}.{number}"
    assert list(import_module(ROOMS[claim]).STATEMENTS) == [claim]


def test_statements_stand_in_rooms_alone():
    written = {
        f"{PACKAGE}.{path.parent.name}.{path.stem}"
        for family in FAMILIES
        for path in (FOLDER / family).glob("*.py")
        if "STATEMENTS = " in path.read_text(encoding="utf-8")
    }
    assert written == set(ROOMS.values())


@pytest.mark.parametrize("claim", ROOMS)
def test_what_rooms_share_stands_in_no_room(claim):
    assert not imported(ROOMS[claim]) & set(ROOMS.values())
