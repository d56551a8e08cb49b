"""Where things stand: a result's module carries its number, and nothing needs the proofs."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from shutil import copytree, ignore_patterns, rmtree

import imports
import pytest

from boundcheck.theories import shareable_arms
from boundcheck.theories.shareable_arms import THEORY

PACKAGE = shareable_arms.__name__
FOLDER = Path(*shareable_arms.__path__)
FAMILIES = sorted(path.parent.name for path in FOLDER.glob("*/cards.py"))
ROOMS = THEORY.statement_modules
PROOFS = f"{PACKAGE}.proofs"
MODULES = imports.graph()


def family_of(claim: str) -> str:
    """The folder whose cards have this claim."""
    (found,) = (
        family
        for family in FAMILIES
        if claim in {card.id for card in import_module(f"{PACKAGE}.{family}.cards").CLAIMS}
    )
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
    assert not MODULES[ROOMS[claim]] & set(ROOMS.values())


# -- proofs


def proof_code(module: str) -> bool:
    return f"{module}.".startswith(f"{PROOFS}.")


def test_nothing_imports_proofs_but_proofs():
    proofs = {module for module in MODULES if proof_code(module)}
    assert set(THEORY.proofs.values()) <= proofs
    assert not {module for module in MODULES.keys() - proofs if MODULES[module] & proofs}


@pytest.fixture(scope="module")
def without_proofs(tmp_path_factory):
    """The package without the folder of proofs, and how to run its command line."""
    place = tmp_path_factory.mktemp("without")
    source = FOLDER.parents[1]
    copytree(source, place / "boundcheck", ignore=ignore_patterns("__pycache__"))
    rmtree(place.joinpath("boundcheck", "theories", "shareable_arms", "proofs"))

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        paths = os.pathsep.join(map(str, (place, source.parent)))
        return subprocess.run(
            [sys.executable, "-m", "boundcheck", *arguments],
            cwd=place,
            env={**os.environ, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("bounds textbook", "thm-7.1"),
        ("check textbook", "thm-7.1"),
        ("verify textbook --effort quick --claim lem-5.2", "lem-5.2"),
        ("report textbook --effort quick --claim lem-C.3 -o out", "report.md"),
    ],
)
def test_commands_work_without_the_proofs(without_proofs, command, shown):
    found = without_proofs(*command.split())
    assert found.returncode == 0, found.stderr
    assert shown in found.stdout + found.stderr


@pytest.mark.parametrize("claim", [(), ("lem-5.1",)])
def test_without_proofs_there_are_none_to_show(without_proofs, claim):
    found = without_proofs("proofs", *claim)
    assert (found.returncode, found.stdout) == (2, "")
    (line,) = found.stderr.splitlines()
    assert "expected a theory with proofs" in line


# -- tests

BESIDE = {"project", "product", "data", "twins", "mutants"}  # folders of tests that mirror no room


def test_the_folders_of_tests_are_those_of_the_package() -> None:
    root = FOLDER.parents[2]
    tests = root / "tests"
    assert not list(tests.glob("test_*.py")), "a test belongs into the folder of what it tests"
    for file in tests.rglob("test_*.py"):
        folder = file.parent.relative_to(tests)
        mirrored = folder if folder.parts[0] == "simulation" else Path("boundcheck") / folder
        assert folder.parts[0] in BESIDE or (root / mirrored).is_dir(), file
