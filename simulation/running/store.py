"""Finished chunks on disk, so that an interrupted simulation can be resumed.

A shelf is a directory named by the SHA-256 of everything that determines the results of one policy
(instance, policy, options, horizon, checkpoints, seed, code); a chunk is a file on it named by its
runs. The runs are not part of the shelf's name, so a resume may cut the remaining runs in
another way, and a later call with more runs starts from those already there.

A chunk file is one line of format, one line with the SHA-256 of (shelf, runs, content), then the
content. It appears under its name by an atomic rename or not at all; a file that was truncated,
overwritten or brought from another shelf does not match its digest and counts as absent.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from simulation.files import writing

FORMAT = b"boundcheck chunk 1\n"
_NAME = re.compile(r"(\d+)-(\d+)\.chunk")

Arrays = dict[str, np.ndarray[Any, Any]]
Shapes = dict[str, tuple[tuple[int, ...], np.dtype[Any]]]


def content_key(description: Mapping[str, Any]) -> str:
    """SHA-256 of the canonical JSON of a description.

    >>> content_key({"seed": 1, "horizon": 10}) == content_key({"horizon": 10, "seed": 1})
    True
    """
    text = json.dumps(description, sort_keys=True, separators=(",", ":"), default=repr)
    return hashlib.sha256(text.encode()).hexdigest()


class Store:
    """A directory of shelves; opening it checks that it can be written."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = writing.folder(folder, "store")

    def shelf(self, description: Mapping[str, Any]) -> Shelf:
        return Shelf(self.folder, content_key(description))


@dataclass(frozen=True)
class Shelf:
    """The chunks of one policy under one set of parameters."""

    folder: Path
    key: str

    def put(self, first_run: int, runs: int, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Store a finished chunk: completely, or not at all if the process is killed."""
        content = io.BytesIO()
        np.savez(content, **arrays)  # type: ignore[arg-type]  # the stub reads ** as allow_pickle
        payload = content.getvalue()
        target = self._path(first_run, runs)
        try:
            target.parent.mkdir(exist_ok=True)
        except OSError as error:
            raise writing.refusal("store", self.folder, error, writing.A_DIRECTORY) from None
        digest = self._digest(first_run, runs, payload)
        writing.write(target, FORMAT + digest + payload, "store")

    def get(self, first_run: int, runs: int, shapes: Shapes | None = None) -> Arrays | None:
        """A chunk, or None if it is absent, damaged, not from this shelf, or not of these runs.

        Since anyone with write access could also forge a digest, names, types and shapes of the
        arrays are checked before use.
        """
        try:
            text = self._path(first_run, runs).read_bytes()
        except OSError:
            return None
        head = len(FORMAT)
        payload = text[head + 65 :]
        digest = self._digest(first_run, runs, payload)
        if text[:head] != FORMAT or text[head : head + 65] != digest:
            return None
        try:
            with np.load(io.BytesIO(payload), allow_pickle=False) as stored:
                found = {name: stored[name] for name in stored.files}
        except Exception:  # a file that is not an archive of arrays can fail in any way
            return None
        return found if shapes is None or shapes_of(found) == shapes else None

    def listed(self) -> list[tuple[int, int]]:
        """The chunks by name as (first run, runs), in run order, the longest first."""
        try:
            names = os.listdir(self.folder / self.key)
        except OSError:
            return []
        found = [(int(m[1]), int(m[2])) for m in map(_NAME.fullmatch, names) if m]
        return sorted(found, key=lambda chunk: (chunk[0], -chunk[1]))

    def _path(self, first_run: int, runs: int) -> Path:
        return self.folder / self.key / f"{first_run}-{runs}.chunk"

    def _digest(self, first_run: int, runs: int, payload: bytes) -> bytes:
        label = f"{self.key} {first_run} {runs} ".encode()
        return hashlib.sha256(label + payload).hexdigest().encode() + b"\n"


def shapes_of(arrays: Mapping[str, np.ndarray[Any, Any]]) -> Shapes:
    return {name: (array.shape, array.dtype) for name, array in arrays.items()}
