"""How a check ends: a verdict with its evidence, never silence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from math import isfinite
from typing import Any, Protocol

import numpy as np

from simulation.numbers import decimal


class Verdict(StrEnum):
    HOLDS = "holds"
    CONSISTENT = "consistent"
    REFUTED = "refuted"
    VACUOUS = "vacuous"
    NOT_APPLICABLE = "not-applicable"
    INCONCLUSIVE = "inconclusive"

    @property
    def meaning(self) -> str:
        return _MEANINGS[self]


_MEANINGS = {
    Verdict.HOLDS: "decided by exact or certified computation for these parameters",
    Verdict.CONSISTENT: "observation does not contradict it, and would have shown the discrepancy "
    "called detectable",
    Verdict.REFUTED: "a certified counterexample, or evidence at the stated error level",
    Verdict.VACUOUS: "true, but it says less than what is trivially true",
    Verdict.NOT_APPLICABLE: "an assumption named in the evidence fails",
    Verdict.INCONCLUSIVE: "neither shown nor refuted; the explanation says what would decide it",
}


@dataclass(frozen=True)
class Finding:
    """What was found about one claim in one reading: a row of `boundcheck verify`.

    >>> Finding("thm-7.1", "as printed", Verdict.HOLDS)
    Traceback (most recent call last):
    ...
    ValueError: thm-7.1: a verdict 'holds' needs evidence
    """

    claim: str
    reading: str
    verdict: Verdict
    evidence: Mapping[str, Any] = field(default_factory=dict)
    explanation: str = ""

    def __post_init__(self) -> None:
        verdict = Verdict(self.verdict)
        object.__setattr__(self, "verdict", verdict)
        object.__setattr__(self, "evidence", plain(dict(self.evidence)))
        if verdict is Verdict.INCONCLUSIVE:
            if not self.explanation:
                raise ValueError(f"{self.claim}: 'inconclusive' must say what would decide it")
        elif not self.evidence:
            raise ValueError(f"{self.claim}: a verdict '{verdict}' needs evidence")
        if verdict is Verdict.CONSISTENT and not _stated(self.evidence.get("detectable")):
            raise ValueError(f"{self.claim}: 'consistent' needs the discrepancy it could have seen")

    def to_json(self) -> dict[str, Any]:
        return {
            "claim": self.claim,
            "reading": self.reading,
            "verdict": str(self.verdict),
            "evidence": dict(self.evidence),
            "explanation": self.explanation,
        }


class Check(Protocol):
    """A claim set beside observations (`MeanCheck`, `ProportionCheck`)."""

    @property
    def refuted(self) -> bool: ...

    @property
    def detectable(self) -> float | None: ...

    def evidence(self) -> dict[str, Any]: ...


def conclude(
    claim: str,
    reading: str,
    check: Check,
    explanation: str = "",
    context: Mapping[str, Any] | None = None,
) -> Finding:
    """The finding that a check by observation supports: it never says `holds`.

    `context` is further evidence (an arm, a horizon, a policy) that stands before the check's own.
    """
    if check.refuted:
        verdict = Verdict.REFUTED
    elif check.detectable is None:
        verdict = Verdict.INCONCLUSIVE
        explanation = explanation or "too few observations to see any discrepancy: more runs"
    else:
        verdict = Verdict.CONSISTENT
    evidence = {**(context or {}), **check.evidence()}
    return Finding(claim, reading, verdict, evidence, explanation)


def _stated(discrepancy: object) -> bool:
    """Something was named; `plain` has already turned infinities and NaN into words."""
    return discrepancy not in (None, "", [], {}, "inf", "-inf", "nan")


def plain(value: object) -> Any:
    """Evidence as JSON: exact numbers as decimals, infinities as words, arrays as lists.

    Floats keep twelve digits: what their last ones are may be up to the processor.

    >>> plain({"bound": Fraction(1, 4), "top": float("inf"), "loads": np.arange(2), "x": 0.1 + 0.2})
    {'bound': '0.25', 'top': 'inf', 'loads': [0, 1], 'x': 0.3}
    """
    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist())
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        return float(f"{value:.12g}") if isfinite(value) else str(value)
    if isinstance(value, Fraction):
        return decimal(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    raise TypeError(f"evidence cannot hold a {type(value).__name__}")
