"""Files that promise or hold far more than an instance: refused or read in little memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simulation.errors import InputError
from simulation.files.columns import LARGEST_DATA
from simulation.files.measurements import read_measurements

MEGABYTE = 2**20
MOST = 300 * MEGABYTE  # of a process, all told
TIMES = 5  # the size of the file, besides
SPARE = 24 * MEGABYTE  # 100,000 different values as exact numbers, whatever the file's size

READER = """
import json, resource, sys
from pathlib import Path
import numpy  # what is there before a file is opened does not count
from numpy.lib import format
from simulation.errors import InputError
from simulation.files.measurements import empirical
def peak():  # of this program: what getrusage says includes the one that started it
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
resource.setrlimit(resource.RLIMIT_CPU, (40, 40))
before, told = peak(), None
try:
    law = empirical("i", {"file": sys.argv[1], "scale": 1000}, Path(sys.argv[2]))
    told = [len(sample.values) for sample in law.samples]
except InputError as error:
    told = str(error)
print(json.dumps([told, peak() - before, peak()]))
"""


def reading(path: Path) -> object:
    """What comes of a file, once its memory was found to be little."""
    done = subprocess.run(
        [sys.executable, "-c", READER, path.name, str(path.parent)],
        capture_output=True,
        text=True,
        check=True,
    )
    told, more, peak = json.loads(done.stdout)
    print(f"{told!s:.60}: {more / MEGABYTE:.0f} MB more, {peak / MEGABYTE:.0f} MB in all")
    assert more <= TIMES * path.stat().st_size + SPARE, f"{more / MEGABYTE:.0f} MB more"
    assert peak <= MOST, f"{peak / MEGABYTE:.0f} MB"
    return told


def npy(path: Path, shape: str, kind: str = "|u1", body: bytes = b"", order: str = "False") -> Path:
    """An NPY file that says of itself what is asked."""
    head = f"{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    head = head.ljust(117) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + body)
    return path


def no_rows(folder: Path) -> Path:
    return npy(folder / "d.npy", "(0, 10000000)")


def one_row(folder: Path) -> Path:
    return npy(folder / "d.npy", "(1, 2400000)", body=bytes(2_400_000))


def wide_text(folder: Path) -> Path:
    path = folder / "d.csv"
    path.write_bytes(b"1," * 9_900_000 + b"1\n")
    return path


def wide_record(folder: Path) -> Path:
    """One record over many lines, each of which ends inside quotes."""
    path = folder / "d.csv"
    path.write_bytes(b'"' + (b'\n",' + b"1," * 9_000 + b'"') * 1_000 + b'"\n')
    return path


def wide_names(folder: Path) -> Path:
    path = folder / "d.csv"
    path.write_text(";".join(f"station {k}" for k in range(12_000)), encoding="utf-8")
    return path


def endless_line(folder: Path) -> Path:
    path = folder / "d.csv"
    path.write_bytes(b"1" * 19_000_000)
    return path


BOMBS: dict[Callable[[Path], Path], str] = {
    no_rows: "d.npy: columns: more than 10,000",
    one_row: "d.npy: columns: more than 10,000",
    wide_text: "d.csv: line 1, columns: more than 10,000",
    wide_record: "columns: more than 10,000",
    wide_names: "d.csv: line 1, columns: more than 10,000",
    endless_line: "d.csv: line 1: more than 2,000,000 characters",
}


@pytest.mark.parametrize("made", BOMBS)
def test_more_arms_than_an_instance_has_are_refused_before_they_cost(
    tmp_path: Path, made: Callable[[Path], Path]
) -> None:
    assert BOMBS[made] in str(reading(made(tmp_path)))


def test_an_ordinary_file_of_nineteen_megabytes_takes_little(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    with open(path, "w", encoding="utf-8") as file:
        file.write("north,south\n")
        while file.tell() < 18_900_000:
            lines = (f"{n % 40_000 / 100:.2f},{n % 30_000 / 100:.2f}\n" for n in range(120_000))
            file.write("".join(lines))
    assert path.stat().st_size <= LARGEST_DATA
    assert reading(path) == [40_000, 30_000]


def test_more_different_values_than_a_law_has_are_refused_on_the_way(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    lines = (f"{n / 1000:.4f},{n / 1001:.9f}\n" for n in range(700_000))
    path.write_text("".join(lines), encoding="utf-8")
    told = "line 50001: more than 100,000 different values: expected fewer, rounded"
    assert told in str(reading(path))


def test_large_arrays_take_little(tmp_path: Path) -> None:
    path = tmp_path / "d.npy"
    np.save(path, np.arange(19_000_000, dtype=np.uint8).reshape(-1, 1))
    assert reading(path) == [256]
    np.save(path, np.random.default_rng(0).random((2_300_000, 1)))
    assert "more than 100,000 different values" in str(reading(path))


# -- headers that lie --------------------------------------------------------------------------

HEADERS = {
    "(-1, -3)": "shape: (-1, -3)",
    "(-3,)": "shape: (-3,)",
    "(True, 3)": "shape: (True, 3)",
    "(3, False)": "shape: (3, False)",
    "(9223372036854775808, 0)": "shape: (9223372036854775808, 0)",
    "(4294967296, 4294967296)": "columns: more than 10,000",
    "(4611686018427387904, 4)": "array: shorter or longer",
    "(10, 3)": "array: shorter or longer",
    "(1, 3.0)": "header: not that of an NPY file",
    "(0, 3)": "array: shorter or longer",
    "()": "array: 0-dimensional",
    "(1, 1, 3)": "array: 3-dimensional",
    "1": "header: not that of an NPY file",
    "(" * 60: "header: not that of an NPY file",
}


@pytest.mark.parametrize("shape", HEADERS)
def test_a_shape_that_cannot_be_is_one_line(tmp_path: Path, shape: str) -> None:
    with pytest.raises(InputError) as refused:
        read_measurements(npy(tmp_path / "d.npy", shape, body=b"\x00\x01\x01"))
    assert f"d.npy: {HEADERS[shape]}" in str(refused.value)


@pytest.mark.parametrize(
    "kind", ["|O", "|S8", "<U4", "<c16", "<M8[s]", "<m8[s]", "|V8", "<f16", "(3,)<f8", "no", "<i99"]
)
def test_a_kind_that_is_no_real_number_is_one_line(tmp_path: Path, kind: str) -> None:
    with pytest.raises(InputError) as refused:
        read_measurements(npy(tmp_path / "d.npy", "(1, 1)", kind, bytes(8)))
    assert "\n" not in str(refused.value)


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    np.save(tmp_path / "d.npy", np.array([_Trap()], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="array: 1-dimensional, object"):
        read_measurements(tmp_path / "d.npy")
    assert not _Trap.sprung


class _Trap:
    sprung = False

    def __reduce__(self) -> tuple[Callable[..., None], tuple[object, ...]]:
        return setattr, (_Trap, "sprung", True)
