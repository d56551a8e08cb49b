"""Every shell line of the README runs, in the order in which a reader types them."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

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


def test_the_lines_of_the_readme_run(tmp_path: Path) -> None:
    lines = shell_lines()
    assert set(lines) >= SET_UP
    commands = {line.split()[1] for line in lines if line.startswith("boundcheck")}
    assert commands >= {"bounds", "check", "estimate", "simulate", "verify", "falsify", "report"}
    tools = tmp_path / "bin"
    tools.mkdir()
    shim = tools / "boundcheck"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m boundcheck "$@"\n')
    shim.chmod(0o755)
    place = tmp_path / "clone"
    place.mkdir()
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, place)
    found = os.environ | {
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }
    for line in lines:
        if line in SET_UP:
            continue
        typed = line.replace("make ", "make --dry-run ")  # what they do, the suite does itself
        done = subprocess.run(
            typed, shell=True, cwd=place, env=found, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{line}: {done.stderr[-500:]}"
        assert done.stdout.strip() or done.stderr.strip(), line


def test_the_bound_of_the_first_screen_is_decided_as_it_shows() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    (typed,) = (n for n, line in enumerate(lines[:60]) if line.startswith("    boundcheck try "))
    shown = subprocess.run(
        [sys.executable, "-m", "boundcheck", *shlex.split(lines[typed])[1:]],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert lines[typed + 2][4:] in shown


def test_what_the_readme_shows_is_what_is_printed(tmp_path: Path) -> None:
    """The excerpt below `boundcheck bounds paper`, line by line and in its order."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    excerpt = (
        text[text.index("    1. How many") : text.index("`paper` is the")].strip("\n").splitlines()
    )
    shown = subprocess.run(
        [sys.executable, "-m", "boundcheck", "bounds", "paper"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"COLUMNS": "80"},
    ).stdout.splitlines()
    places = [shown.index(line[4:]) for line in excerpt]
    assert len(places) >= 8
    assert places == sorted(places)


def test_what_is_said_of_theorem_7_1_is_computed() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"applies only from T = {shortest_horizon()} on" in " ".join(text.split())
    assert f"applies only from T = {shortest_horizon()} on" in said_first()
