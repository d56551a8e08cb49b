"""Machines and files that are hostile by themselves: nothing can be written, or data that would
fill the memory if what it says of itself were believed."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

from fuzzing.inputs import LIMITS, wrong
from fuzzing.trials import Problem
from fuzzing.workers import Limits, Worker

NOWHERE = "/proc/none"
UNWRITABLE = {"NUMBA_CACHE_DIR": NOWHERE, "HOME": NOWHERE, "XDG_CACHE_HOME": NOWHERE}
COMMANDS = (
    ("bounds", "textbook"),
    ("simulate", "textbook", "--policy=ts-kc", "--horizon=20", "--runs=2", "--jobs=1"),
    ("verify", "textbook", "--effort=quick", "--claim=lem-C.3", "--jobs=1"),
    ("report", "textbook", "--effort=quick", "--claim=lem-C.3", "-o", "report"),
)


def npy(shape: str, kind: str = "<f8", content: bytes = b"") -> bytes:
    """A file that declares a shape, whatever follows."""
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + content


# how to write it -> each is read within the limits of an input, or refused in one line
BOMBS: dict[str, Callable[[], bytes]] = {
    "no rows, many columns.npy": lambda: npy("(0, 10000000)"),
    "wide.npy": lambda: npy("(1, 2400000)", "|u1", bytes(2_400_000)),
    "negative.npy": lambda: npy("(-1, 3)"),
    "overflowing.npy": lambda: npy(f"({2**62}, 8)"),
    "true.npy": lambda: npy("(True, 3)", content=bytes(24)),
    "largest.npy": lambda: npy("(2, 1)", "<u8", b"\xff" * 16),
    "big-endian.npy": lambda: npy("(2, 1)", ">f8", bytes(16)),
    "wide.csv": lambda: b"1," * 9_900_000 + b"1\n",
    "long.csv": lambda: b"0.123,0.456\n" * 1_600_000,
}


def read_only(worker: Worker, number: int) -> tuple[list[Problem], tuple[str, ...], float]:
    """A command where no cache can be kept."""
    line = COMMANDS[number % len(COMMANDS)]
    outcome = worker.run(*line, limits=Limits(cpu=300))  # kernels are compiled each time
    found = outcome.failure or ("" if outcome.code == 0 else f"exit code {outcome.code}")
    problems = [Problem(line[:1], found, outcome.err[-3000:])] if found else []
    return problems, line, outcome.cpu


def bomb(worker: Worker, number: int) -> tuple[list[Problem], tuple[str, ...], float]:
    """A file of data that is not what it says, or far too wide."""
    name = list(BOMBS)[number % len(BOMBS)]
    Path(worker.folder / name).write_bytes(BOMBS[name]())
    outcome = worker.run("init", "--data", name, limits=LIMITS)
    problems = [Problem(("init", name), what, outcome.err[-3000:]) for what in wrong(outcome)]
    return problems, ("init", "--data", name), outcome.cpu
