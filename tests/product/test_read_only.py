"""An installation that cannot be written, and nobody's home: every command still works."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulation.kernel_cache import folder_for

ROOT = Path(__file__).parents[2]
SIMULATE = ("simulate", "textbook", "--policy", "ts-kc", "--horizon", "10", "--runs", "2")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy in which nothing can be kept: files stand in the place of the folders for it."""
    place = tmp_path_factory.mktemp("installed")
    for package in ("boundcheck", "simulation"):
        left_out = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, place / package, ignore=left_out)
        for folder in (place / package).rglob("*"):
            if folder.is_dir():
                (folder / "__pycache__").touch()
        (place / package / "__pycache__").touch()
    return place


def run(installed: Path, temporary: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command by somebody without a home; `temporary` may not be there."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    nowhere = {"HOME": "/proc/none", "XDG_CACHE_HOME": "/proc/none", "MPLCONFIGDIR": "/proc/none"}
    return subprocess.run(
        [sys.executable, "-m", "boundcheck", *arguments],
        env=kept | nowhere | {"PYTHONPATH": str(installed), "TMPDIR": str(temporary)},
        cwd="/",
        capture_output=True,
        text=True,
    )


def test_kernels_are_kept_in_the_temporary_folder(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, *SIMULATE)
    (line,) = (line for line in done.stderr.splitlines() if line.endswith(": a warning"))
    spare = tmp_path / f"boundcheck-kernels-{os.getuid()}"
    assert line.endswith(f"compiled kernels are kept in {spare}: a warning")
    assert (done.returncode, "ts-kc" in done.stdout) == (0, True)
    assert list(spare.rglob("*.nbi"))


def test_a_report_is_written_without_home_or_cache(installed: Path, tmp_path: Path) -> None:
    out, line = tmp_path / "out", ("report", "textbook", "--effort", "quick", "--claim", "lem-C.3")
    done = run(installed, tmp_path, *line, "-o", str(out))
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert (out / "report.md").is_file()


@pytest.fixture
def obstructed(tmp_path: Path) -> Iterator[Path]:
    folder_for.cache_clear()
    (tmp_path / "file").touch()
    yield tmp_path / "file"
    folder_for.cache_clear()


def test_what_others_could_write_is_not_trusted(
    obstructed: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    spare = tmp_path / f"boundcheck-kernels-{os.getuid()}"
    spare.mkdir(mode=0o700)
    assert folder_for(obstructed) == spare
    spare.chmod(0o777)
    folder_for.cache_clear()
    assert folder_for(obstructed) is None
    spare.rmdir()
    spare.symlink_to(tmp_path, target_is_directory=True)
    folder_for.cache_clear()
    assert folder_for(obstructed) is None
    told = capsys.readouterr().err.splitlines()
    assert [line.endswith(": a warning") for line in told] == [True] * 3
    assert "nowhere: each run compiles them again" in told[-1]


def test_without_any_folder_kernels_are_compiled_each_time() -> None:
    code = """
import tempfile
tempfile.tempdir = "/proc/none"
from simulation.world.elementary import log
print(log(1.0), log.stats.cache_path)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"NUMBA_CACHE_DIR": "/proc/none", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, "0.0 None\n"), done.stderr
    assert "nowhere: each run compiles them again: a warning" in done.stderr
