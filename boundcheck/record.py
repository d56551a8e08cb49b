"""What the last audit came to, claim by claim: quoted by commands that must answer at once.

The audit writes it; a test derives it afresh and compares.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources

from boundcheck.finding import Severity, Verdict

FILE = "shareable_arms/record.json"


@dataclass(frozen=True)
class Recorded:
    """Verdict and severity of a claim, the state of its proof, and whether ours is a theorem."""

    verdict: Verdict
    severity: Severity | None
    proof: str
    proved: str | None = None

    def __str__(self) -> str:
        wrong = "" if self.severity is None else f", {self.severity}: {self.severity.meaning}"
        return f"{self.verdict}{wrong}; its proof {self.proof}"


@cache
def recorded() -> dict[str, Recorded]:
    """By claim."""
    text = resources.files("boundcheck").joinpath(FILE).read_text(encoding="utf-8")
    return {
        claim: Recorded(
            Verdict(row["verdict"]),
            None if row["severity"] is None else Severity(row["severity"]),
            row["proof"],
            row.get("proved"),
        )
        for claim, row in json.loads(text).items()
    }
