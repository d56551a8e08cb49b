"""How an observation ends: a check becomes a finding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from boundcheck.finding import Finding, Verdict, plain

__all__ = ["Check", "Finding", "Verdict", "conclude", "plain"]


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
