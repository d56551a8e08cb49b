"""A step of a proof: one displayed relation, its premises, and the computation that judges it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from boundcheck.evidence import Verdict

# what decides when several computations stand for one step, the strongest word first
_SEVERITY = (
    Verdict.REFUTED,
    Verdict.INCONCLUSIVE,
    Verdict.NOT_APPLICABLE,
    Verdict.CONSISTENT,
    Verdict.VACUOUS,
    Verdict.HOLDS,
)
EVERYWHERE = "wherever both sides are defined"  # where an identity holds


@dataclass(frozen=True)
class Checked:
    """What a computation found: where it looked (or where the step fails), and what it saw."""

    method: str
    verdict: Verdict
    region: str
    detail: str = ""

    def __post_init__(self) -> None:
        if not (self.method and self.region):
            raise ValueError("a check says how it computed and where")


@dataclass(frozen=True)
class Step:
    """One relation of a proof in the paper.

    `display` is where it stands, `statement` what it says in our words, `premises` what it rests on
    (ids of earlier steps or claims, names of assumptions, or a result of the literature). `check`
    computes: a false step must come out otherwise. For a step that fails, `repair` is the line to
    write instead (if there is one), `survives` whether the claim remains true all the same (None:
    not known), `consequence` says so in a sentence.
    """

    claim: str
    step: str
    display: str
    statement: str
    premises: tuple[str, ...]
    check: Callable[[], Checked]
    repair: str | None = None
    survives: bool | None = True
    consequence: str = ""

    def entry(self) -> Entry:
        return Entry(self, self.check())


@dataclass(frozen=True)
class Entry:
    """A step with its verdict: a row of `boundcheck proofs`."""

    step: Step
    checked: Checked

    @property
    def verdict(self) -> Verdict:
        return self.checked.verdict

    @property
    def refuted(self) -> bool:
        return self.verdict is Verdict.REFUTED

    @property
    def explanation(self) -> str:
        parts = (self.step.statement, self.checked.detail, self.step.consequence)
        return "; ".join(part for part in parts if part)

    def to_json(self) -> dict[str, Any]:
        return {
            "claim": self.step.claim,
            "step": self.step.step,
            "display": self.step.display,
            "method": self.checked.method,
            "verdict": str(self.verdict),
            "region": self.checked.region,
            "repair": self.step.repair,
            "survives": self.step.survives,
            "explanation": self.explanation,
        }


def combined(*parts: Checked) -> Checked:
    """Several computations for one step: the most severe verdict, and where that was found."""
    worst = min(parts, key=lambda part: _SEVERITY.index(part.verdict))
    alike = [part for part in parts if part.verdict is worst.verdict]
    regions = [part.region for part in alike if part.region != EVERYWHERE] or [EVERYWHERE]
    methods = [method for part in parts for method in part.method.split(" + ")]
    return Checked(
        " + ".join(dict.fromkeys(methods)),
        worst.verdict,
        "; ".join(dict.fromkeys(regions)),
        "; ".join(dict.fromkeys(part.detail for part in alike if part.detail)),
    )
