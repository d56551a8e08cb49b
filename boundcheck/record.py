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

from boundcheck.finding import Severity, Verdict


@dataclass(frozen=True)
class Recorded:
    """Verdict and severity of a claim, the state of its proof, and whether ours is a theorem."""

    verdict: Verdict
    severity: Severity | None
    proof: str
    proved: str | None = None
    trust: dict[str, int] = field(default_factory=dict)  # on what the steps of its proof rest

    def __str__(self) -> str:
        wrong = "" if self.severity is None else f", {self.severity}: {self.severity.meaning}"
        return f"{self.verdict}{wrong}; its proof {self.proof}"


@cache
def recorded() -> dict[str, Recorded]:
    """By claim."""
    rows = _read("record.json")
    for row in rows.values():
        row["verdict"] = Verdict(row["verdict"])
        row["severity"] = row["severity"] and Severity(row["severity"])
    return {claim: Recorded(**row) for claim, row in rows.items()}


@cache
def slacks() -> dict[str, dict[str, float]]:
    """By claim and term: the factor by which it could shrink (grow, if a lower bound) before the
    evidence of the selftest refutes the claim."""
    return _read("slack.json")


@cache
def certificates() -> dict[str, dict[str, str]]:
    """By step: who certified it last, and the digest of the formulas that were certified."""
    return _read("certificates.json")


def slack(claim: str, quantity: str, term: str) -> float | None:
    """None where it was not measured."""
    found = slacks().get(claim, {})
    return found.get(f"{quantity}: {term}", found.get(term))


def _read(file: str) -> dict[str, Any]:
    place = resources.files("boundcheck").joinpath("shareable_arms", file)
    return dict(json.loads(place.read_text(encoding="utf-8")))
