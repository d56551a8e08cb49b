"""Every shell line of the README runs, in the order in which a reader types them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from boundcheck.theories.shareable_arms.pages.explained import said_first, shortest_horizon

ROOT = Path(__file__).parents[2]
# what makes the environment that these tests run in already
SET_UP = {"python3 -m venv .venv", ". .venv/bin/activate", "pip install ."}


def shell_lines() -> list[str]:
    """The indented lines that are commands, without their remarks; what they print is not."""
    text = re.sub(r"```.*?```", "", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.S)
    indented = [line[4:] for line in text.splitlines() if line.startswith("    ")]
    typed = (line for line in indented if re.match(r"(boundcheck|make|pip|python3|\.) ", line))
    return [re.sub(r"\s+#.*", "", line) for line in typed]


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each line prints, run in the order of the README in a folder like a clone."""
    folder = tmp_path_factory.mktemp("readme")
    tools, place = folder / "bin", folder / "clone"
    tools.mkdir()
    place.mkdir()
    shim = tools / "boundcheck"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m boundcheck "$@"\n')
    shim.chmod(0o755)
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, place)
    found = os.environ | {
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        "COLUMNS": "80",
    }
    output = {}
    for line in shell_lines():
        if line in SET_UP:
            continue
        typed = line.replace("make ", "make --dry-run ")  # what they do, the suite does itself
        done = subprocess.run(
            typed, shell=True, cwd=place, env=found, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{line}: {done.stderr[-500:]}"
        assert done.stdout.strip() or done.stderr.strip(), line
        output[line] = done.stdout
    return output


def test_the_lines_of_the_readme_run(printed: dict[str, str]) -> None:
    assert set(shell_lines()) >= SET_UP
    commands = {line.split()[1] for line in printed if line.startswith("boundcheck")}
    assert commands >= {"bounds", "check", "estimate", "simulate", "verify", "falsify", "report"}


def test_the_bound_of_the_first_screen_is_decided_as_it_shows(printed: dict[str, str]) -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    (typed,) = (n for n, line in enumerate(lines[:60]) if line.startswith("    boundcheck try "))
    assert lines[typed + 2][4:] in printed[lines[typed][4:]].splitlines()


def test_what_the_readme_shows_is_what_is_printed(printed: dict[str, str]) -> None:
    """The excerpt below `boundcheck bounds paper`, line by line and in its order."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    excerpt = (
        text[text.index("    1. How many") : text.index("`paper` is the")].strip("\n").splitlines()
    )
    shown = printed["boundcheck bounds paper"].splitlines()
    places = [shown.index(line[4:]) for line in excerpt]
    assert len(places) >= 8
    assert places == sorted(places)


def test_what_is_said_of_theorem_7_1_is_computed() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"applies only from T = {shortest_horizon()} on" in " ".join(text.split())
    assert f"applies only from T = {shortest_horizon()} on" in said_first()
