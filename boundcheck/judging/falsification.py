"""The rows of `falsify`: a counterexample, a search that found none, or a sharp threshold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from boundcheck.judging.comparison import Number, as_ball, written
from simulation.files.writing import write
from simulation.numbers import decimal
from simulation.rewards.samples import Empirical
from simulation.world.instance import Instance


class RowKind(StrEnum):
    """The kind of row."""

    # all assumptions hold (but a dropped one) and the claim fails
    COUNTEREXAMPLE = "counterexample"
    NOTHING = "nothing found"
    THRESHOLD = "threshold"  # how far the dropped assumption can be weakened


@dataclass(frozen=True)
class Falsification:
    """A counterexample, or the number of examples tried without one, or a sharp threshold.

    `published` is what the claim says, `actual` what is true. `parameters` (delta, T, counts)
    complete the instance, or are the whole example if the claim is about one arm.

    >>> from tempfile import TemporaryDirectory
    >>> from boundcheck import falsify
    >>> row = falsify("thm-4.3", examples=100)[0]
    >>> row.found, row.published, row.to_json()["instance"]["plays"]
    (True, '0.4', 2)
    >>> with TemporaryDirectory() as folder:
    ...     saved = row.saved(Path(folder) / "found.toml")
    ...     print(Instance.load(saved.file).to_json()["means"])
    ['2', '1', '0']
    """

    claim: str
    reading: str
    kind: RowKind
    examples: int
    explanation: str
    dropped: str | None = None
    instance: Instance | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    published: str | None = None
    actual: str | None = None
    ratio: str | None = None
    file: str | None = None
    statement: str = "intended"
    enclosure: tuple[str, str] | None = None  # of the actual number, where it is not exact

    @property
    def found(self) -> bool:
        """Whether it is a counterexample."""
        return self.kind is RowKind.COUNTEREXAMPLE

    def to_json(self) -> dict[str, Any]:
        """The row of `boundcheck falsify --json`."""
        return {
            "claim": self.claim,
            "statement": self.statement,
            "reading": self.reading,
            "dropped": self.dropped,
            "found": self.found,
            "kind": str(self.kind),
            "instance": None if self.instance is None else shown_instance(self.instance),
            "parameters": dict(self.parameters),
            "published": self.published,
            "actual": self.actual,
            "enclosure": None if self.enclosure is None else list(self.enclosure),
            "ratio": self.ratio,
            "examples": self.examples,
            "explanation": self.explanation,
            "file": self.file,
        }

    def saved(self, path: Path) -> Falsification:
        """Write the counterexample as an instance file, with an explanation in comments."""
        if self.instance is None:
            return self
        values = ", ".join(f"{name} {value}" for name, value in self.parameters.items())
        lines = [
            f"{'counterexample to ' * self.found}{self.claim}: {self.explanation}",
            f"reading: {self.reading}",
            *([f"published {self.published}, actual {self.actual}"] if self.published else []),
            *([f"assumption dropped: {self.dropped}"] if self.dropped else []),
            *([f"at {values}"] if values else []),
        ]
        named = self.instance.with_(name=path.stem)
        write(path, "".join(f"# {line}\n" for line in lines) + named.to_toml())
        return replace(self, file=str(path))


def shown_instance(instance: Instance) -> dict[str, Any]:
    every, law = instance.to_json(), instance.reward
    shown = {name: every[name] for name in ("means", "capacities", "plays", "reward", "variance")}
    if not isinstance(law, Empirical):
        return shown
    rewards = Empirical(law.samples).fields()  # from 0 to 1, as the means are
    return shown | {name: [[*map(decimal, row)] for row in rows] for name, rows in rewards.items()}


def published_and_actual(published: Number, actual: Number) -> dict[str, Any]:
    """The fields `published`, `actual` and `ratio` of a row."""
    first, second = as_ball(published), as_ball(actual)
    ratio = written(first / second) if second != 0 else None
    return {"published": written(published, 15), "actual": written(actual, 15), "ratio": ratio}
