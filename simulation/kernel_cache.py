"""The folder for compiled kernels: beside the package, else a temporary folder, else none.

An installation may be read-only. Numba executes what it finds in its cache, so a folder in a place
that others can write to is used only if it belongs to the current user alone.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from functools import cache
from pathlib import Path


@cache
def folder_for(wanted: Path) -> Path | None:
    """`wanted` if it can be written, otherwise a substitute, with one line of warning."""
    if _writable(wanted):
        return wanted
    spare = _temporary()
    instead = "nowhere: each run compiles them again" if spare is None else f"in {spare}"
    line = f"boundcheck: {wanted}: cannot be written: compiled kernels are kept {instead}"
    print(f"{line}: a warning", file=sys.stderr)
    return spare


def _temporary() -> Path | None:
    try:
        spare = Path(tempfile.gettempdir()) / f"boundcheck-kernels-{os.getuid()}"
        spare.mkdir(mode=0o700, exist_ok=True)
        known = spare.lstat()
    except OSError:  # there is no temporary folder, or a file has that name
        return None
    private = stat.S_ISDIR(known.st_mode) and not known.st_mode & 0o077
    return spare if private and known.st_uid == os.getuid() and _writable(spare) else None


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
