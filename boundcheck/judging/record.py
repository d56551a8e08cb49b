"""What the last audit, selftest and `make certify` came to: quoted by what must answer at once.

The audit writes verdicts, a test derives them afresh and compares; the selftest writes slacks; a
certificate is of a digest of formulas, and says nothing of others.
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
    """Verdict and severity of a claim, the state of its proof, and whether ours is a theorem."""

    verdict: Verdict
    severity: Severity | None
    proof: str
    proved: str | None = None
    trust: dict[str, int] = field(default_factory=dict)  # on what the steps of its proof rest

    @property
    def refuted(self) -> bool:
        return self.verdict is Verdict.REFUTED

    @property
    def is_theorem(self) -> bool:
        """Every step of its proof holds."""
        return (self.proved or "").startswith("theorem")

    def __str__(self) -> str:
        wrong = "" if self.severity is None else f" ({self.severity.phrase})"
        return f"{self.verdict}{wrong}; its proof {self.proof}"


@cache
def recorded(package: str | None) -> dict[str, Recorded]:
    """By claim, as a theory's package has it."""
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
    """By claim and term: the factor by which it could shrink (grow, if a lower bound) before the
    evidence of the selftest refutes the claim."""
    return _read(package, "slack.json")


@cache
def certificates(package: str | None) -> dict[str, dict[str, str]]:
    """By step: who certified it last, and the digest of the formulas that were certified."""
    return _read(package, "certificates.json")


def _read(package: str | None, file: str) -> dict[str, Any]:
    """Nothing of a theory that keeps no records."""
    place = None if package is None else resources.files(package).joinpath(file)
    if place is None or not place.is_file():
        return {}
    return dict(json.loads(place.read_text(encoding="utf-8")))
