"""An agent's files: a journal to which each slot is appended, and a state file.

The folder has two files. `journal` has a line with the agent's settings, then one record for each
slot: its number, the reward of every arm, and a checksum. A record is written before the agent
learns from the slot, so replaying the journal restores the agent. `state` is the agent at some slot
(it is replaced by an atomic rename); records up to that slot are skipped, and the journal starts
again after it. Only the last record can be incomplete after a power cut: it is cut off, and its
slot is asked again.
"""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from simulation.errors import InputError, shown
from simulation.files.writing import folder, write

MOST_RECORDS = 4096  # after these the journal is compacted into the state file
SYNC = ("never", "every slot")
Settings = Mapping[str, Any]


class Journal:
    """The files of one agent, open for appending."""

    def __init__(self, path: Path, settings: Settings, sync: str) -> None:
        if sync not in SYNC:
            raise InputError("agent", "sync", shown(sync), f"one of {', '.join(SYNC)}")
        self.path, self.file = folder(path, "journal"), path / "journal"
        self.settings, self._sync, self.records = settings, sync == "every slot", 0
        self._form = struct.Struct(f"<q{len(settings['arms'])}d")
        self._handle = -1
        begun = settings_of(path)
        if begun is None:
            write(self.file, _header(settings), "journal")
        else:
            require_same(self.file, settings, begun)
        self._handle = os.open(self.file, os.O_RDWR | os.O_APPEND)
        _lock(self._handle, self.file)

    def kept(self) -> Iterator[tuple[int, list[float]]]:
        """The slots and rewards on disk; an incomplete last record is cut off."""
        content = self.file.read_bytes()
        start = content.index(b"\n") + 1
        size = self._form.size + 4
        whole, torn = divmod(len(content) - start, size)
        for place in range(whole):
            record = content[start + place * size : start + (place + 1) * size]
            if zlib.crc32(record[:-4]) != int.from_bytes(record[-4:], "little"):
                if place == whole - 1:
                    whole, torn = place, size
                    break
                expected = "the record as it was written: its checksum differs"
                raise InputError(str(self.file), f"record {place + 1}", "damaged", expected)
            slot, *rewards = self._form.unpack(record[:-4])
            yield slot, rewards
        self.records = whole
        if torn:
            os.ftruncate(self._handle, start + whole * size)

    def add(self, slot: int, rewards: list[float]) -> None:
        """Append one slot: handed to the operating system on return, and on disk if `sync` is
        set.
        """
        record = self._form.pack(slot, *rewards)
        os.write(self._handle, record + zlib.crc32(record).to_bytes(4, "little"))
        if self._sync:
            os.fdatasync(self._handle)
        self.records += 1

    def compact(self, state: bytes) -> None:
        """Write the current state and start an empty journal."""
        write(self.path / "state", state, "journal")
        write(self.file, _header(self.settings), "journal")
        os.close(self._handle)
        self._handle = os.open(self.file, os.O_RDWR | os.O_APPEND)
        _lock(self._handle, self.file)
        self.records = 0

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def _lock(handle: int, file: Path) -> None:
    """Refuse a journal that another process is writing."""
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise InputError(str(file), "journal", "in use", "one agent at a time") from None


def _header(settings: Settings) -> bytes:
    text = json.dumps(settings, sort_keys=True).encode()
    return text + b" %08x\n" % zlib.crc32(text)


def settings_of(path: Path) -> dict[str, Any] | None:
    """The settings of the agent whose journal is in a folder; None if there is none."""
    file = path / "journal"
    if not file.is_file():
        return None
    line = file.read_bytes().partition(b"\n")[0]
    text, _, checksum = line.rpartition(b" ")
    if b"%08x" % zlib.crc32(text) != checksum:
        raise InputError(str(file), "first line", "damaged", "the settings of an agent")
    found: dict[str, Any] = json.loads(text)
    return found


def require_same(file: Path, settings: Settings, begun: Settings) -> None:
    """Refuse the journal of an agent with other settings."""
    for name in (*settings, *begun):
        one, other = begun.get(name), settings.get(name)
        if one != other:
            raise InputError(str(file), name, shown(other), f"{shown(one)}, as it was begun")


def packed(settings: Settings, arrays: list[np.ndarray]) -> bytes:
    """A state file."""
    held = {f"array{place}": array for place, array in enumerate(arrays)}
    text = np.frombuffer(json.dumps(settings, sort_keys=True).encode(), dtype=np.uint8)
    written = io.BytesIO()
    np.savez(written, settings=text, **held)  # type: ignore[arg-type]
    return written.getvalue()


def read_state(file: Path) -> tuple[dict[str, Any], list[np.ndarray]]:
    """The settings and arrays of a state file; the zip format verifies checksums."""
    try:
        with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as held:
            settings = json.loads(held["settings"].tobytes())
            return settings, [held[f"array{place}"] for place in range(len(held.files) - 1)]
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, EOFError) as error:
        raise InputError(str(file), "state", shown(error), "the state file of an agent") from None
