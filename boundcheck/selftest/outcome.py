"""The outcome of a mutant."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Result(StrEnum):
    CAUGHT = "caught"
    TRUE = "still true"  # shown by evidence in its favour
    UNDECIDED = "undecided"  # neither caught nor shown to be true
    UNCAUGHT = "uncaught"  # an error that nothing detects


@dataclass(frozen=True)
class Outcome:
    """A mutant, and what caught it or shows that it is still true."""

    kind: str  # card, kernel, planted
    mutation: str
    result: Result
    by: tuple[str, ...] = ()
    claim: str | None = None
    term: str | None = None  # set if the mutant changes the factor of a whole term
    slack: float | None = None  # the factor up to which the number is not refuted

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
