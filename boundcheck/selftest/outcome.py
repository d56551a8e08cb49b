"""What became of a mutant."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Result(StrEnum):
    CAUGHT = "caught"
    TRUE = "still true"  # shown: evidence is on its side
    UNDECIDED = "undecided"  # neither caught nor shown to be true
    UNCAUGHT = "uncaught"  # a mistake that nothing noticed


@dataclass(frozen=True)
class Outcome:
    """A mutant, and what caught it or shows that it is still true."""

    kind: str  # card, kernel, planted
    mutation: str
    result: Result
    by: tuple[str, ...] = ()
    claim: str | None = None
    term: str | None = None  # where the mutant changes the factor of a whole term
    slack: float | None = None  # by how much more the number could change: not refuted up to here

    @property
    def caught(self) -> bool:
        return self.result is Result.CAUGHT

    @property
    def failed(self) -> bool:
        return self.result in (Result.UNDECIDED, Result.UNCAUGHT)

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "mutation": self.mutation,
            "caught": self.caught,
            "result": str(self.result),
            "by": list(self.by),
            "claim": self.claim,
            "term": self.term,
            "slack": self.slack,
        }
