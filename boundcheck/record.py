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
    """Verdict and severity of a claim, and the state of its proof."""

    verdict: Verdict
    severity: Severity | None
    proof: str

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
        )
        for claim, row in json.loads(text).items()
    }
