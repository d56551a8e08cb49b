"""Every command and every line of Python on the task page works as it is printed.

`--effort quick` is made smaller here: the README's lines run at the effort that they name.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

SMALL = """
from boundcheck.judging.effort import EFFORTS, Effort
EFFORTS["quick"] = Effort("quick", trials=400, runs=4, horizon=300)
from boundcheck.cli import main
main()
"""
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_what_the_page_prints_works_in_its_order(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    command = tmp_path / "bin" / "boundcheck"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c {shlex.quote(SMALL)} "$@"\n')
    command.chmod(0o755)
    path = os.pathsep.join([str(command.parent), os.environ["PATH"]])
    started = {"sh": ["sh", "-e"], "python": [sys.executable]}
    for language, lines in BLOCK.findall(PAGE):
        done = subprocess.run(
            started[language],
            input=lines,
            cwd=tmp_path,
            env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (lines, done.stderr)
    written = {"mine.toml", "measured.toml", "found.toml", "plays.csv", "mine"}
    assert written <= {path.name for path in tmp_path.iterdir()}


def test_there_are_ten_tasks_and_each_has_a_command() -> None:
    tasks = PAGE.split("\n## ... ")[1:]
    assert len(tasks) >= 10
    assert [task for task in tasks if "```sh\nboundcheck " not in task] == []
