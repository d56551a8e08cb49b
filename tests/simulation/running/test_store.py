"""The store keeps finished chunks whole, finds them by content, and believes no damaged file."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simulation.errors import InputError
from simulation.running.estimation import estimate
from simulation.running.replicate import replicate
from simulation.running.store import FORMAT, Shelf, Store, content_key, shapes_of
from simulation.world.instance import Instance

ARRAYS = {"regret": np.arange(24.0).reshape(2, 3, 4), "optimal": np.array([[3, 4], [5, 6]])}


def _saved(save: Callable[[io.BytesIO], None]) -> bytes:
    file = io.BytesIO()
    save(file)
    return file.getvalue()


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Store(tmp_path / "store").shelf({"seed": 1})
    shelf.put(10, 2, ARRAYS)
    return shelf


def chunk_file(shelf: Shelf) -> Path:
    (file,) = (shelf.folder / shelf.key).glob("*.chunk")
    return file


def test_a_chunk_comes_back_bit_for_bit(shelf: Shelf) -> None:
    found = shelf.get(10, 2)
    assert found is not None
    assert set(found) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype
        assert found[name].tobytes() == array.tobytes()
    assert shelf.listed() == [(10, 2)]


def test_absent_chunks_are_absent(shelf: Shelf) -> None:
    assert shelf.get(10, 3) is None
    assert Shelf(shelf.folder, content_key({"seed": 2})).get(10, 2) is None
    assert Shelf(shelf.folder, content_key({"seed": 2})).listed() == []


@pytest.mark.parametrize("kept", [0, 1, 18, 19, 60, 84, 85, 200, -1])
def test_a_truncated_chunk_counts_as_absent(shelf: Shelf, kept: int) -> None:
    file = chunk_file(shelf)
    file.write_bytes(file.read_bytes()[:kept])
    assert shelf.get(10, 2) is None


def test_every_single_flipped_byte_is_noticed(shelf: Shelf) -> None:
    file = chunk_file(shelf)
    good = file.read_bytes()
    for position in range(0, len(good), 7):
        bad = bytearray(good)
        bad[position] ^= 1
        file.write_bytes(bytes(bad))
        assert shelf.get(10, 2) is None, position


def test_junk_and_foreign_files_count_as_absent(shelf: Shelf, tmp_path: Path) -> None:
    file = chunk_file(shelf)
    good = file.read_bytes()
    for junk in (b"\0" * 4096, b"PK\x03\x04 not a chunk", good + b"x", os.urandom(len(good))):
        file.write_bytes(junk)
        assert shelf.get(10, 2) is None
    other = Store(tmp_path / "store").shelf({"seed": 2})
    other.put(10, 2, ARRAYS)
    shutil.copy(chunk_file(other), file)
    assert shelf.get(10, 2) is None, "an intact chunk of another shelf"
    file.write_bytes(good)
    file.rename(file.with_name("12-2.chunk"))
    assert shelf.get(12, 2) is None, "an intact chunk of other runs"


FOREIGN = {
    "no archive": b"PK\x03\x04 not a chunk",
    "nothing": b"",
    "one array": _saved(lambda file: np.save(file, np.arange(3))),
    "objects": _saved(lambda file: np.savez(file, regret=np.array([{}], dtype=object))),
    "too few arrays": _saved(lambda file: np.savez(file, regret=ARRAYS["regret"])),
    "other runs": _saved(lambda file: np.savez(file, **{n: x[:1] for n, x in ARRAYS.items()})),
    "other types": _saved(lambda file: np.savez(file, **{n: x + 1j for n, x in ARRAYS.items()})),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_content_under_a_valid_digest_counts_as_absent(shelf: Shelf, name: str) -> None:
    digest = shelf._digest(10, 2, FOREIGN[name])
    chunk_file(shelf).write_bytes(FORMAT + digest + FOREIGN[name])
    assert shelf.get(10, 2, shapes_of(ARRAYS)) is None


def test_a_run_does_not_rest_on_foreign_content(tmp_path: Path) -> None:
    instance = Instance.load("textbook")
    asked = {"horizon": 20, "runs": 3, "store": tmp_path}
    right = replicate(instance, "ts-kc", **asked)["ts-kc"]
    for file in tmp_path.rglob("*.chunk"):
        first_run, runs = map(int, file.stem.split("-"))
        Shelf(tmp_path, file.parent.name).put(first_run, runs, ARRAYS)
    found = replicate(instance, "ts-kc", **asked)["ts-kc"]
    assert (found.restored, found.regret.tolist()) == (0, right.regret.tolist())
    assert replicate(instance, "ts-kc", **asked)["ts-kc"].restored == 3


def test_an_estimate_does_not_rest_on_foreign_content(tmp_path: Path) -> None:
    asked = {"samples": 5, "runs": 10, "store": tmp_path}
    right = estimate(Instance.load("textbook"), 1, **asked)
    for file in tmp_path.rglob("*.chunk"):
        first_run, runs = map(int, file.stem.split("-"))
        Shelf(tmp_path, file.parent.name).put(first_run, runs, ARRAYS)
    assert estimate(Instance.load("textbook"), 1, **asked).to_csv() == right.to_csv()


def test_a_directory_in_the_place_of_a_chunk_counts_as_absent(shelf: Shelf) -> None:
    file = chunk_file(shelf)
    file.unlink()
    file.mkdir()
    assert shelf.get(10, 2) is None
    with pytest.raises(InputError, match=r"store: .*: a directory: expected a writable file"):
        shelf.put(10, 2, ARRAYS)


def test_only_chunk_names_are_listed_in_run_order_longest_first(shelf: Shelf) -> None:
    for first_run, runs in ((2, 1), (2, 8), (100, 1)):
        shelf.put(first_run, runs, ARRAYS)
    for name in ("x.part", "a-b.chunk", "1-2.chunk.bak", "README"):
        (shelf.folder / shelf.key / name).touch()
    assert shelf.listed() == [(2, 8), (2, 1), (10, 2), (100, 1)]


def test_a_chunk_appears_by_rename_and_leaves_nothing_else(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(source: str, target: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        shelf.put(50, 2, ARRAYS)
    assert shelf.listed() == [(10, 2)]
    assert shelf.get(50, 2) is None
    assert os.listdir(shelf.folder / shelf.key) == ["10-2.chunk"]


def test_the_key_sees_every_part_of_the_description() -> None:
    base = {"means": ["1/2"], "horizon": 10, "options": {"delta": 0.1, "width": "paper"}}
    variants = [
        base,
        base | {"means": ["1/3"]},
        base | {"horizon": 11},
        base | {"options": {"delta": 0.2, "width": "paper"}},
    ]
    assert len({content_key(variant) for variant in variants}) == len(variants)


@pytest.mark.parametrize("place", ["file", "file/below", "bad\0name"])
def test_a_store_that_cannot_be_written_is_one_clear_line(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("not a directory")
    with pytest.raises(InputError, match=r"^store: .*: expected a directory that can be written$"):
        Store(tmp_path / place)
