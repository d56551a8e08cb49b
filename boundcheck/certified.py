"""Enclosed probabilities set beside the bound a claim gives them: verdicts without sampling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from boundcheck import balls
from boundcheck.evidence import Finding, Verdict
from boundcheck.tails import Enclosure
from simulation.numbers import decimal

BITS = 256  # of the balls in all certified checks
_DIGITS = 6


@dataclass(frozen=True)
class Chance:
    """P(failure) in one case (an arm, counts, ...), which a claim says is at most delta."""

    case: Mapping[str, Any]
    delta: Fraction
    probability: Enclosure = field(compare=False)

    @property
    def refutes(self) -> bool:
        return bool(self.probability[0] > balls.ball(self.delta))

    @property
    def satisfies(self) -> bool:
        return bool(self.probability[1] <= balls.ball(self.delta))

    @property
    def badness(self) -> tuple[bool, float]:
        """A refuting case comes last, then the largest multiple of delta."""
        ratio = self.probability[0 if self.refutes else 1] / balls.ball(self.delta)
        return self.refutes, float(ratio.log().mid()) if ratio > 0 else float("-inf")

    def evidence(self) -> dict[str, Any]:
        return {
            **self.case,
            "delta": decimal(self.delta, _DIGITS),
            "probability_lower": balls.lower(self.probability[0], _DIGITS),
            "probability_upper": balls.upper(self.probability[1], _DIGITS),
        }


def decided(
    claim: str, reading: str, chances: Sequence[Chance], method: str, explanations: tuple[str, str]
) -> Finding:
    """Refuted by the worst case, or holds in all of them; `explanations` are for these two."""
    worst = max(chances, key=lambda chance: chance.badness, default=None)
    if worst is None:
        return Finding(
            claim, reading, Verdict.INCONCLUSIVE, {}, "no case to compute: other counts would be"
        )
    evidence = {"method": method, **worst.evidence(), "cases": len(chances)}
    if worst.refutes:
        return Finding(claim, reading, Verdict.REFUTED, evidence, explanations[1])
    if all(chance.satisfies for chance in chances):
        return Finding(claim, reading, Verdict.HOLDS, evidence, explanations[0])
    undecided = "the enclosure of the worst case holds delta: a sharper one, or simulation, decides"
    return Finding(claim, reading, Verdict.INCONCLUSIVE, evidence, undecided)
