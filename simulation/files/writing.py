"""Write files completely or not at all, and detect unwritable paths before long work.

A file appears under its name by an atomic rename. A device such as /dev/null is written to
directly; a pipe is refused, because it cannot be known in advance whether it will be read.
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

from simulation.errors import InputError, shown

Name: TypeAlias = str | os.PathLike[str]

A_FILE = "a writable file"
A_DIRECTORY = "a directory that can be written"


def write(path: Name, content: str | bytes, where: str = "--output") -> None:
    """Write a file; if that fails, an existing file is unchanged."""
    data = content.encode() if isinstance(content, str) else content
    try:
        target = _target(path)
        if target.is_char_device():
            target.write_bytes(data)
        else:
            _replace(target, data)
    except (OSError, ValueError) as error:
        raise refusal(where, path, error, A_FILE) from None


def require_writable(path: Name, where: str = "--output") -> None:
    """Raise if a file cannot be written, without creating it."""
    try:
        target = _target(path)
        if target.is_char_device():
            with open(target, "wb", buffering=0) as device:
                device.write(b"")  # fails on a full device
        else:
            _probe(target.parent)
    except (OSError, ValueError) as error:
        raise refusal(where, path, error, A_FILE) from None


def require_new(path: Name, where: str = "--output") -> None:
    """Raise if a file exists, so that users' files are not overwritten. Devices are allowed."""
    if os.path.lexists(_named(path)) and not _named(path).is_char_device():
        raise InputError(
            where, shown(os.fspath(path)), "is there already", "the name of a new file"
        )


def folder(path: Name, where: str = "--output") -> Path:
    """Create a directory for output if necessary, and check that it can be written."""
    try:
        out = _named(path)
        out.mkdir(parents=True, exist_ok=True)
        _probe(out)
    except (OSError, ValueError) as error:
        raise refusal(where, path, error, A_DIRECTORY) from None
    return out


def refusal(where: str, path: Name, error: OSError | ValueError, expected: str) -> InputError:
    """An error of the operating system as an `InputError`."""
    reason = getattr(error, "strerror", None) or str(error)
    return InputError(where, shown(os.fspath(path)), shown(reason), expected)


def _named(path: Name) -> Path:
    if not os.fspath(path):
        raise FileNotFoundError(errno.ENOENT, "no name given")
    return Path(path)


def _target(path: Name) -> Path:
    """The file behind any links: renaming must not replace a link such as /dev/stdout."""
    target = Path(os.path.realpath(_named(path)))
    try:
        kind = os.stat(target).st_mode
    except FileNotFoundError:
        return target
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, "a directory")
    if not (stat.S_ISREG(kind) or stat.S_ISCHR(kind)):
        raise OSError(errno.EINVAL, "neither a file nor a device to write to")
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return target


def _probe(directory: Path) -> None:
    with tempfile.TemporaryFile(dir=directory) as probe:
        probe.write(bytes(4096))  # on a full disk files can be created but not filled


def _replace(target: Path, data: bytes) -> None:
    unfinished = target.with_name(f".{uuid4().hex}.part")
    try:
        with open(unfinished, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # otherwise a power cut could leave an empty file
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)
