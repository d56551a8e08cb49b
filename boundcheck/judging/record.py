"""Results of the last audit, selftest and `make certify`, for commands that must answer at once.

The audit writes verdicts (a test derives them again and compares); the selftest writes slacks; a
certificate belongs to a digest of formulas and covers no others.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from boundcheck.judging.finding import Severity, Verdict


@dataclass(frozen=True)
class Recorded:
    """Verdict and severity of a claim, the state of its proof, and whether our result is a
    theorem.
    """

    verdict: Verdict
    severity: Severity | None
    proof: str
    proved: str | None = None
    # number of proof steps by how they were established
    trust: dict[str, int] = field(default_factory=dict)

    @property
    def refuted(self) -> bool:
        return self.verdict is Verdict.REFUTED

    @property
    def is_theorem(self) -> bool:
        """Whether every step of its proof holds."""
        return (self.proved or "").startswith("theorem")

    def __str__(self) -> str:
        wrong = "" if self.severity is None else f" ({self.severity.phrase})"
        return f"{self.verdict}{wrong}; its proof {self.proof}"


@cache
def recorded(package: str | None) -> dict[str, Recorded]:
    """The records of a theory's package, by claim."""
    rows = _read(package, "record.json")
    return {
        claim: Recorded(
            Verdict(row["verdict"]),
            row["severity"] and Severity(row["severity"]),
            row["proof"],
            row.get("proved"),
            row.get("trust", {}),
        )
        for claim, row in rows.items()
    }


@cache
def slacks(package: str | None) -> dict[str, dict[str, float]]:
    """By claim and term: the factor by which the term could shrink (grow, in a lower bound) before
    the selftest's evidence refutes the claim.
    """
    return _read(package, "slack.json")


@cache
def certificates(package: str | None) -> dict[str, dict[str, str]]:
    """By step: the prover that certified it last, and the digest of the certified formulas."""
    return _read(package, "certificates.json")


def _read(package: str | None, file: str) -> dict[str, Any]:
    """The content of a record file; empty if the theory has none."""
    place = None if package is None else resources.files(package).joinpath(file)
    if place is None or not place.is_file():
        return {}
    return dict(json.loads(place.read_text(encoding="utf-8")))
