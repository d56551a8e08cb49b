"""What a search ends with: a row of `boundcheck falsify`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

from flint import arb

from boundcheck.numbers import balls
from simulation.files import write
from simulation.instance import Instance
from simulation.numbers import decimal
from simulation.samples import Empirical

DIGITS = 15
Number: TypeAlias = arb | Fraction | int


class Kind(StrEnum):
    """What a row is about."""

    COUNTEREXAMPLE = "counterexample"  # the assumptions hold (but for a dropped one), it fails
    GAP = "gap in the proof"  # a step of the proof fails there, the statement may still hold
    NOTHING = "nothing found"
    THRESHOLD = "threshold"  # how far the dropped assumption can be weakened


@dataclass(frozen=True)
class Falsification:
    """A counterexample, or how many examples were looked at without one, or a sharp threshold.

    `published` is what the claim says, `actual` what is true; `parameters` complete the instance
    (delta, T, counts) or, for a claim about one arm, are the whole example.

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
    kind: Kind
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
        """Whether it is a counterexample, to the claim or to a step of its proof."""
        return self.kind in (Kind.COUNTEREXAMPLE, Kind.GAP)

    def to_json(self) -> dict[str, Any]:
        """The row of `boundcheck falsify --json`."""
        return {
            "claim": self.claim,
            "statement": self.statement,
            "reading": self.reading,
            "dropped": self.dropped,
            "found": self.found,
            "kind": str(self.kind),
            "instance": None if self.instance is None else _shown_instance(self.instance),
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
        """The counterexample written as an instance file, its story in comments."""
        if self.instance is None:
            return self
        values = ", ".join(f"{name} {value}" for name, value in self.parameters.items())
        lines = [
            f"counterexample to {self.claim}: {self.explanation}",
            f"reading: {self.reading}",
            f"published {self.published}, actual {self.actual}",
            *([f"assumption dropped: {self.dropped}"] if self.dropped else []),
            *([f"at {values}"] if values else []),
        ]
        named = self.instance.with_(name=path.stem)
        text = "".join(f"# {line}\n" for line in lines) + named.to_toml()
        write(path, text)
        return replace(self, file=str(path))


def compared(published: Number, actual: Number) -> dict[str, str | None]:
    """The fields `published`, `actual` and `ratio` of a row."""
    first, second = _ball(published), _ball(actual)
    ratio = first / second if second != 0 else arb.nan()
    return {"published": written(published), "actual": written(actual), "ratio": written(ratio, 6)}


def written(value: Number, digits: int = DIGITS) -> str | None:
    if isinstance(value, arb):
        return balls.midpoint(value, digits)
    return decimal(Fraction(value), digits)


def _ball(value: Number) -> arb:
    return value if isinstance(value, arb) else balls.ball(Fraction(value))


def _shown_instance(instance: Instance) -> dict[str, Any]:
    every, law = instance.to_json(), instance.reward
    shown = {name: every[name] for name in ("means", "capacities", "plays", "reward", "variance")}
    if not isinstance(law, Empirical):
        return shown
    sample = {name: [[*map(decimal, row)] for row in rows] for name, rows in law.fields().items()}
    return shown | sample
