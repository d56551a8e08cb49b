"""Where compiled kernels are kept: beside the package, else in the temporary folder, else nowhere.

An installation may be read-only. What numba keeps is code that it will run, so a folder in a place
that others can write to is used only if it is ours alone.
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
    """`wanted` if it can be written, or what stands in its place; said once, in one line."""
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
    except OSError:  # no temporary folder at all, or a file of that name
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
