"""Files are written whole or not at all, and refused before the work where that can be known.

A file appears under its name by an atomic rename. A device such as /dev/null is written to as it
is; a pipe is refused, because nobody knows before the work whether it will be read.
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
    """Write a file; where that fails the old one, if any, is still there."""
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
    """Refuse a file that cannot be written, without making one that may stay empty."""
    try:
        target = _target(path)
        if target.is_char_device():
            with open(target, "wb", buffering=0) as device:
                device.write(b"")  # a full device refuses even that
        else:
            _probe(target.parent)
    except (OSError, ValueError) as error:
        raise refusal(where, path, error, A_FILE) from None


def require_new(path: Name, where: str = "--output") -> None:
    """Refuse a file that is there already: what a person wrote is not overwritten. A device is no
    file that anyone wrote."""
    if os.path.lexists(_named(path)) and not _named(path).is_char_device():
        raise InputError(
            where, shown(os.fspath(path)), "is there already", "the name of a new file"
        )


def folder(path: Name, where: str = "--output") -> Path:
    """A directory for output, made if need be; refused if nothing can be written there."""
    try:
        out = _named(path)
        out.mkdir(parents=True, exist_ok=True)
        _probe(out)
    except (OSError, ValueError) as error:
        raise refusal(where, path, error, A_DIRECTORY) from None
    return out


def refusal(where: str, path: Name, error: OSError | ValueError, expected: str) -> InputError:
    """What the operating system said, as one line."""
    reason = getattr(error, "strerror", None) or str(error)
    return InputError(where, shown(os.fspath(path)), shown(reason), expected)


def _named(path: Name) -> Path:
    if not os.fspath(path):
        raise FileNotFoundError(errno.ENOENT, "no name given")
    return Path(path)


def _target(path: Name) -> Path:
    """The file itself, behind links: a rename must not replace a link such as /dev/stdout."""
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
        probe.write(bytes(4096))  # a full disk takes names but no content


def _replace(target: Path, data: bytes) -> None:
    unfinished = target.with_name(f".{uuid4().hex}.part")
    try:
        with open(unfinished, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # a power cut must not leave the name without content
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)
