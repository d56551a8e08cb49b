"""Results, one line of JSON each, so that a killed fuzz goes on where it was; and the figures."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Lock

from rich.table import Table

from fuzzing.trials import Problem

KINDS = ("instance", "input", "name", "request", "read-only", "bomb")


@dataclass(frozen=True)
class Record:
    """What came of one instance, input or name."""

    kind: str
    number: int
    subject: str  # the instance file, the command line, the name
    problems: list[Problem]
    cpu: dict[str, float]
    memory: int = 0
    verdicts: dict[str, int] = field(default_factory=dict)
    refused: int = 0

    @classmethod
    def read(cls, line: str) -> Record:
        fields = json.loads(line)
        problems = [
            Problem(tuple(p["command"]), p["what"], p["detail"]) for p in fields.pop("problems")
        ]
        return cls(**fields, problems=problems)


class Records:
    """All that was found so far, in memory and on disk; a torn last line is not counted."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, Lock()
        self.all: list[Record] = []
        if path.exists():
            text = path.read_text(encoding="utf-8")
            whole = text[: text.rfind("\n") + 1]
            path.write_text(whole, encoding="utf-8")
            self.all = [Record.read(line) for line in whole.splitlines()]

    def add(self, record: Record) -> None:
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(record)) + "\n")
            self.all.append(record)

    def missing(self, kind: str, count: int) -> Iterator[int]:
        done = {record.number for record in self.all if record.kind == kind}
        return (number for number in range(count) if number not in done)

    def causes(self) -> dict[tuple[str, str], list[Record]]:
        """Failures by kind and cause, the most frequent first."""
        found: dict[tuple[str, str], list[Record]] = {}
        for record in self.all:
            for cause in dict.fromkeys(problem.cause for problem in record.problems):
                found.setdefault((record.kind, cause), []).append(record)
        return dict(sorted(found.items(), key=lambda item: -len(item[1])))


def figures(records: Iterable[Record]) -> Iterator[Table | str]:
    """How many were tried, how many failed in which way, and what it cost."""
    known = list(records)
    table = Table(title="Fuzz", title_justify="left")
    columns = ("", "tried", "tracebacks", "hangs", "memory", "verdicts missing", "active", "other")
    for column in columns:
        table.add_column(column, justify="left" if column == "" else "right")
    for kind in KINDS:
        own = [record for record in known if record.kind == kind]
        counts = Counter(_sort(problem) for record in own for problem in record.problems)
        table.add_row(kind, str(len(own)), *(str(counts[sort]) for sort in columns[2:]))
    yield table
    yield from _costs([record for record in known if record.kind == "instance"])


def _sort(problem: Problem) -> str:
    starts = {
        "traceback": "tracebacks",
        "died": "tracebacks",
        "hang": "hangs",
        "memory": "memory",
        "missing verdict": "verdicts missing",
        "undecided though": "verdicts missing",
        "active": "active",
        "raw characters": "active",
        "a local file": "active",
        "other elements": "active",
    }
    return next((sort for start, sort in starts.items() if problem.what.startswith(start)), "other")


def _costs(instances: list[Record]) -> Iterator[str]:
    if not instances:
        return
    commands: dict[str, list[float]] = {}
    verdicts: Counter[str] = Counter()
    for record in instances:
        verdicts.update(record.verdicts)
        for command, seconds in record.cpu.items():
            commands.setdefault(command, []).append(seconds)
    for command, used in commands.items():
        mean, most = sum(used) / len(used), max(used)
        yield f"{command}: {len(used)} times, CPU {mean:.1f} s on average, {most:.1f} s at most"
    yield f"memory: at most {max(record.memory for record in instances) / 1e6:.0f} MB"
    yield f"policies that do not admit an instance: {sum(r.refused for r in instances)}"
    yield "verdicts: " + ", ".join(f"{count} {name}" for name, count in verdicts.most_common())
