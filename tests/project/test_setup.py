"""`make setup`: an environment that works is never lost for one that could not be built."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# in place of Python: `-m venv --clear FOLDER` makes an environment with itself as interpreter,
# `-m pip` installs a command there, or not, and anything else is that command being run
PYTHON = """#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
case "$2" in
  venv) rm -rf "$4"; mkdir -p "$4/bin"; cp "$0" "$4/bin/python" ;;
  pip)
    case "$FATE" in
      offline) echo "no network" >&2; exit 1 ;;
      slow) touch begun; sleep 60 ;;
    esac
    printf '#!%s/python\\n' "$here" > "$here/boundcheck"
    chmod +x "$here/boundcheck"
    echo "$FATE" > "$here/made" ;;
  *) cat "$here/made" ;;
esac
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose environment is older than what it depends on."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).touch()
    (tmp_path / "python").write_text(PYTHON)
    (tmp_path / "python").chmod(0o755)
    assert setup(tmp_path, "first").wait() == 0
    os.utime(tmp_path / ".venv" / ".ready", (0, 0))
    return tmp_path


def setup(project: Path, fate: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["make", "setup", "PYTHON=./python"],
        cwd=project,
        env=os.environ | {"FATE": fate},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def environment(project: Path) -> str:
    """Which environment the installed command runs in."""
    command = project / ".venv" / "bin" / "boundcheck"
    return subprocess.run([command], capture_output=True, text=True, check=True).stdout.strip()


def test_a_new_environment_takes_the_place_of_the_old_one(project: Path) -> None:
    assert environment(project) == "first"
    assert setup(project, "second").wait() == 0
    assert environment(project) == "second"
    assert not [*project.glob(".venv.*")]
    assert setup(project, "third").wait() == 0
    assert environment(project) == "second", "there was nothing to do"


def test_offline_the_old_environment_stays(project: Path) -> None:
    assert setup(project, "offline").wait() != 0
    assert environment(project) == "first"
    assert setup(project, "second").wait() == 0
    assert environment(project) == "second"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_the_old_environment_stays(project: Path, number: int) -> None:
    make = setup(project, "slow")
    while not (project / "begun").exists():
        assert make.poll() is None
        time.sleep(0.01)
    os.killpg(make.pid, number)
    assert make.wait() != 0
    assert environment(project) == "first"


def test_a_change_of_places_that_was_cut_is_undone(project: Path) -> None:
    (project / ".venv").rename(project / ".venv.old")
    assert setup(project, "offline").wait() != 0
    assert environment(project) == "first"
