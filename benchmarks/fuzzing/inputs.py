"""Malformed files and options: each is refused in one line, or was legal after all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from fuzzing.active import controls
from fuzzing.trials import Problem, complaints
from fuzzing.workers import Limits, Outcome, Worker

LIMITS = Limits(cpu=5, memory=500 * 10**6)

GOOD = """name = "good"
plays = 2
means = [0.9, 0.5, 0.2]
capacities = [2, 1, 1]

[reward]
law = "gaussian"
variance = 0.25
"""

# no command is long on what is legal among these
ODD = (
    "", " ", "nan", "inf", "-inf", "-1", "0", "-0", "1e999999999", "1e-99999", "1e99999", "1e",
    "0x10", "1/0", "1/3", "0/0", "1,5", "1_0", "_", "١٢", "²", "½", "１２", "true", "None", "abc",
    "--", "-", ".", "..", "1.5", "3.0", "9" * 5000, "0." + "0" * 5000 + "1", "1e-400", "1e400",
    "\x1b[31m1", "1\n2", "1\x7f", "😀", "a=b", "=", "a=", "=b", "[1]", "{}", "'1'", "\\", "/", "~",
    "10^99999999", "10**9999", "2^0.5", "+1", "++1", "1e+", "e5", "1.2.3", "NaN", "INF", "\u202e1",
)  # fmt: skip

ODD_TOML = (
    "[]", "{}", "true", "1979-05-27", "'x'", "nan", "-inf", "[[1]]", "1e99999", "-7", "0",
    "1e-99999", "2147483648", "99999999999999999999", "{ a = 1 }", "0.1" + "0" * 3000,
)  # fmt: skip
VALUES = (  # of the good instance: what stands before, and the value
    (b"name = ", b'"good"'),
    (b"plays = ", b"2"),
    (b"means = ", b"[0.9, 0.5, 0.2]"),
    (b"means = [0.9, ", b"0.5"),
    (b"capacities = ", b"[2, 1, 1]"),
    (b"capacities = [2, ", b"1"),
    (b"law = ", b'"gaussian"'),
    (b"variance = ", b"0.25"),
)
CODES = ("utf-16", "utf-8-sig", "utf-32", "utf-7")

PLACES = (
    "/dev/null", "/dev/zero", "/dev/full", "/proc/self/mem", "/", "", ".", "missing.toml",
    "missing/folder/x", "a" * 300, "/".join(["deep"] * 2000), "fifo", "folder", "unreadable.toml",
    "\x1b[31mred.toml", "line\nbreak.toml", "-", "--", "http://example.org/x.toml", "paper ",
    "papr", "PAPER", "\u202egnp.toml", "file\x00", "~", "$HOME", "*",
)  # fmt: skip

SMALL = {  # each command on something small; FILE is the good instance
    "claims": ("thm-7.1",),
    "bounds": ("FILE", "--claim=thm-7.1"),
    "check": ("FILE", "--claim=thm-7.1"),
    "sweep": ("FILE", "--vary=plays=1:2"),
    "simulate": ("FILE", "--policy=ts-kc", "--horizon=20", "--runs=2", "--jobs=1"),
    "estimate": ("FILE", "--arm=1", "--samples=5", "--runs=2", "--jobs=1"),
    "verify": ("FILE", "--effort=quick", "--claim=lem-E.4", "--jobs=1"),
    "falsify": ("lem-E.4", "--examples=2", "--seconds=2"),
    "proofs": ("lem-E.4",),
}
QUESTION = ("delta", "horizon", "epsilon", "threshold", "gamma", "xi")
OPTIONS = {
    "claims": (),
    "bounds": (*QUESTION, "samples", "digits", "claim"),
    "check": (*QUESTION, "digits", "claim"),
    "sweep": (*QUESTION, "samples", "claim", "vary", "output"),
    "simulate": ("policy", "horizon", "runs", "seed", "jobs", "interval", "option", "output",
                 "store", "cluster"),
    "estimate": ("arm", "delta", "interval", "width", "schedule", "samples", "runs", "seed",
                 "jobs", "output"),
    "verify": ("effort", "claim", "seed", "jobs", "budget", "output", "store", "cluster"),
    "falsify": ("drop", "examples", "seconds", "seed", "output"),
    "proofs": (),
}  # fmt: skip
# a legal value of these would start something long: only what is surely wrong
LONG = (
    ("report", "FILE", "--effort"),
    ("report", "FILE", "--format"),
    ("audit", "--effort"),
    ("audit", "--format"),
    ("figures", "--figure"),
    ("figures", "--horizon"),
)
SURELY_WRONG = ("", "nan", "inf", "-1", "abc", "\x1b[31m", "😀", "1e-99999", "quick quick", "--")


def attempt(worker: Worker, number: int, seed: int) -> tuple[list[Problem], tuple[str, ...], float]:
    """One malformed input: what is wrong with the answer, the command line, the CPU it took."""
    draw = Random(f"{seed} input {number}")
    arguments = draw.choice((_bad_file, _bad_file, _bad_option, _bad_option, _bad_line))(
        draw, worker.folder
    )
    outcome = worker.run(*arguments, limits=LIMITS)
    found = [Problem(arguments[:1], what, outcome.err[-3000:]) for what in wrong(outcome)]
    return found, arguments, outcome.cpu


def wrong(outcome: Outcome) -> list[str]:
    """A refusal must be clear; what was legal must have run."""
    if outcome.failure:
        return [outcome.failure]
    if outcome.code == 0:
        raw = controls(outcome.out)
        return [f"raw characters {' '.join(raw)}"] if raw else []
    return complaints(outcome)


# -- what to get wrong --------------------------------------------------------------------


def _bad_option(draw: Random, folder: Path) -> tuple[str, ...]:
    """One option of a command with an odd value; or a place that cannot be written to."""
    if draw.random() < 0.1:
        *line, option = draw.choice(LONG)
        return (*_named(line, folder), option, draw.choice(SURELY_WRONG), "-o", "unused")
    command = draw.choice([name for name, options in OPTIONS.items() if options])
    option = draw.choice(OPTIONS[command])
    value = draw.choice(PLACES if option in ("output", "store") else ODD)
    rest = (part for part in SMALL[command] if not part.startswith(f"--{option}="))
    return (command, *_named(rest, folder), f"--{option}={_possible(value)}")


def _bad_line(draw: Random, folder: Path) -> tuple[str, ...]:
    """Missing, repeated, unknown, misplaced words; instances that are no files.

    The options that keep a command short stay.
    """
    command = draw.choice(list(SMALL))
    line = [command, *_named(SMALL[command], folder)]
    place, subject = draw.randrange(len(line) + 1), _possible(draw.choice((*ODD, *PLACES)))
    change = draw.choice(("missing", "repeated", "unknown", "misplaced", "odd", "odd"))
    if change == "missing" and "FILE" in SMALL[command]:
        del line[1]
    elif change == "repeated":
        line.insert(place, draw.choice(line))
    elif change == "unknown":
        line.insert(place, draw.choice(("--unknown", "-x", "--json=1")))
    elif change == "misplaced":
        line[0] = subject
    else:
        _places(folder)
        line[1] = subject
    return tuple(line)


def _bad_file(draw: Random, folder: Path) -> tuple[str, ...]:
    """The good instance with one or two things wrong, under an ordinary or an odd name."""
    content = GOOD.encode()
    for _ in range(draw.randint(1, 2)):
        content = draw.choice(CHANGES)(draw, content)
    name = draw.choice(("bad.toml", "bad.toml", "bad.toml", "\x1b[31mred.toml", "a\nb.toml"))
    (folder / name).write_bytes(content)
    command = draw.choice(("bounds", "check", "simulate", "verify"))
    return (command, name, *SMALL[command][1:])


def _odd_value(draw: Random, content: bytes) -> bytes:
    """A value of a field, or one entry of a list, that is no such thing."""
    value = draw.choice((f'"{_escaped(draw.choice(ODD))}"', *ODD_TOML))
    before, old = draw.choice(VALUES)
    return content.replace(before + old, before + value.encode(), 1)


def _escaped(text: str) -> str:
    return "".join(c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08x}" for c in text)


def _lost_line(draw: Random, content: bytes) -> bytes:
    lines = content.split(b"\n")
    del lines[draw.randrange(len(lines))]
    return b"\n".join(lines)


def _extra_line(draw: Random, content: bytes) -> bytes:
    """Unknown, repeated, nested or enormous keys."""
    extra = draw.choice((
        b"plays = 3", b"color = 1", b"[reward]", b"[[reward]]", b"[other]", b"means.x = 1",
        b".".join([b"a"] * 5000) + b" = 1", b"x = " + b"[" * 3000 + b"]" * 3000,
        b"x = " + b"{ a = " * 300 + b"1" + b" }" * 300, b"= 1", b"x =", b'"\\u0000" = 1',
        b'"\x1b[31m" = 1', b"m\xc3\xa9ans = 1", b"\xff\xfe", b"x = '''", b'"" = 1', b"Plays = 2",
    ))  # fmt: skip
    lines = content.split(b"\n")
    lines.insert(draw.randrange(len(lines) + 1), extra)
    return b"\n".join(lines)


def _noise(draw: Random, content: bytes) -> bytes:
    """A few bytes changed."""
    noisy = bytearray(content)
    for _ in range(draw.randint(1, 4)):
        if noisy:
            noisy[draw.randrange(len(noisy))] = draw.randrange(256)
    return bytes(noisy)


def _cut(draw: Random, content: bytes) -> bytes:
    return content[: draw.randrange(len(content) + 1)]


def _coded(draw: Random, content: bytes) -> bytes:
    """Other encodings, marks of byte order, other ends of lines."""
    text = content.decode("utf-8", "replace")
    others = (content.replace(b"\n", end) for end in (b"\r", b"\r\n", b"\0", b""))
    return draw.choice([*(text.encode(code, "replace") for code in CODES), *others])


def _many_arms(draw: Random, content: bytes) -> bytes:
    """Lists of other lengths, up to a million."""
    count = draw.choice((0, 1, 2, 4, 1000, 10**6))
    long = b"[" + b", ".join([b"0.5"] * count) + b"]"
    return content.replace(b"[0.9, 0.5, 0.2]", long)


CHANGES: tuple[Callable[[Random, bytes], bytes], ...] = (
    _odd_value, _odd_value, _odd_value, _odd_value, _lost_line, _extra_line, _extra_line, _noise,
    _cut, _coded, _many_arms,
)  # fmt: skip


def _named(line: Iterator[str] | tuple[str, ...] | list[str], folder: Path) -> Iterator[str]:
    """The words of a command line, with the good instance written where it is named."""
    (folder / "good.toml").write_text(GOOD)
    return ("good.toml" if part == "FILE" else part for part in line)


def _possible(argument: str) -> str:
    """A command line cannot carry a null character."""
    return argument.replace("\0", "?")


def _places(folder: Path) -> None:
    """What some of PLACES speak of: a pipe nobody writes to, a folder, a file without rights."""
    if not (folder / "fifo").exists():
        os.mkfifo(folder / "fifo")
    (folder / "folder").mkdir(exist_ok=True)
    (folder / "unreadable.toml").touch(mode=0o000)
