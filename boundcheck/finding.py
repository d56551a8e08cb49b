"""What was found about a statement: a verdict, what it covers, and the evidence for it.

One order of verdicts and one of severities, here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from simulation.numbers import decimal

if TYPE_CHECKING:
    from boundcheck.decision import Judged
    from boundcheck.measured import Compared
    from boundcheck.statement import Case


class _Word(StrEnum):
    """A word with its meaning, and the phrase that pages say for it."""

    meaning: str
    phrase: str

    def __new__(cls, word: str, meaning: str = "", phrase: str = "") -> Self:
        member = str.__new__(cls, word)
        member._value_, member.meaning, member.phrase = word, meaning, phrase
        return member


class Verdict(_Word):
    """Gravest first."""

    REFUTED = "refuted", "a certified counterexample, or evidence at the stated error level"
    INCONCLUSIVE = (
        "inconclusive",
        "neither shown nor refuted; the explanation says what would decide it",
    )
    CONSISTENT = (
        "consistent",
        "observation does not contradict it, and would have shown the discrepancy called "
        "detectable",
    )
    HOLDS = ("holds", "decided by exact or certified computation, for the cases its extent names")
    VACUOUS = "vacuous", "true, but it says less than what is trivially true"
    NOT_APPLICABLE = (
        "not-applicable",
        "an assumption named in the evidence fails, or no case of it can arise",
    )

    @property
    def decided(self) -> bool:
        """Something was learnt about the statement: it was not out of place, nor left open."""
        return self not in (Verdict.NOT_APPLICABLE, Verdict.INCONCLUSIVE)


def gravest(verdicts: Iterable[Verdict]) -> Verdict:
    """Of several findings about the same statement: the gravest that was decided, if any was."""
    every = list(verdicts)
    return min([v for v in every if v.decided] or every, key=list(Verdict).index)


class Severity(_Word):
    """What is wrong with a claim, gravest first; derived from its findings, never typed."""

    SUBSTANCE = (
        "substance",
        "false, even with the assumptions that its proof uses silently",
        "false",
    )
    CONSTANT = (
        "constant",
        "false as stated, true with another constant",
        "true with another constant",
    )
    SCOPE = (
        "scope",
        "false as stated; nothing refutes it once an assumption its proof uses silently is added",
        "false without an added assumption",
    )
    PSEUDO_CODE = (
        "pseudo-code",
        "only the algorithm taken literally fails",
        "only the literal algorithm fails",
    )
    WORDING = "wording", "only the printed words, taken literally, fail", "false only as printed"
    PROOF = (
        "proof",
        "the statement stands or is open; a step of its proof fails",
        "the proof has a gap",
    )


class Role(StrEnum):
    """What a statement is to its claim."""

    INTENDED = "intended"  # what the authors use it for
    PRINTED = "printed"  # the words taken literally
    PSEUDO_CODE = "pseudo-code"  # the algorithm taken literally
    CONSTANT = "constant"  # a repair: the same with another constant
    FURTHER = "further"  # said in passing
    CHARITABLE = "charitable"  # derived: intended, implicit assumptions added
    WITHOUT = "without"  # derived: intended, an assumption fails


class Cover(StrEnum):
    EVERY = "every parameter"
    GRID = "a grid"
    SAMPLE = "a sample"
    SEARCH = "a search"


@dataclass(frozen=True)
class Extent:
    """What a finding covers.

    >>> print(Extent(Cover.GRID, 12))
    a grid of 12 cases
    """

    cover: Cover = Cover.GRID
    cases: int = 1

    def __str__(self) -> str:
        if self.cover is Cover.EVERY:
            return f"{self.cover} of the instance"
        counted = f"{self.cases:,} case" if self.cases == 1 else f"{self.cases:,} cases"
        return f"{self.cover} of {counted}"


@dataclass(frozen=True)
class Finding:
    """One verdict about one statement of one claim: a row of `boundcheck verify`.

    >>> Finding("thm-1", "as printed", Verdict.HOLDS)
    Traceback (most recent call last):
    ...
    ValueError: thm-1: a verdict 'holds' needs evidence
    """

    claim: str
    reading: str  # the statement in words
    verdict: Verdict
    evidence: Mapping[str, Any] = field(default_factory=dict)
    explanation: str = ""
    statement: str = "intended"
    extent: Extent = Extent()
    rests_on: tuple[str, ...] = ()
    scope: str = "search"  # or the instance whose cases were decided
    case: Case | None = field(default=None, compare=False, repr=False)
    compared: Compared | None = field(default=None, compare=False, repr=False)
    judged: tuple[Judged, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        verdict = Verdict(self.verdict)
        object.__setattr__(self, "verdict", verdict)
        object.__setattr__(self, "evidence", plain(dict(self.evidence)))
        if verdict is Verdict.INCONCLUSIVE:
            if not self.explanation:
                raise ValueError(f"{self.claim}: 'inconclusive' must say what would decide it")
        elif not self.evidence:
            raise ValueError(f"{self.claim}: a verdict '{verdict}' needs evidence")
        seen = self.evidence.get("detectable")  # `plain` has turned infinities and NaN into words
        if verdict is Verdict.CONSISTENT and seen in (None, "", [], {}, "inf", "-inf", "nan"):
            raise ValueError(f"{self.claim}: 'consistent' needs the discrepancy it could have seen")

    @property
    def role(self) -> Role:
        return Role(self.statement.partition(":")[0])

    def to_json(self, severity: Severity | None = None) -> dict[str, Any]:
        return {
            "claim": self.claim,
            "statement": self.statement,
            "role": str(self.role),
            "reading": self.reading,
            "verdict": str(self.verdict),
            "extent": str(self.extent),
            "severity": None if severity is None else str(severity),
            "rests_on": list(self.rests_on),
            "evidence": dict(self.evidence),
            "explanation": self.explanation,
        }


def plain(value: object) -> Any:
    """Evidence as JSON: exact numbers as decimals, infinities as words, arrays as lists.

    Floats keep twelve digits: what their last ones are may be up to the processor.

    >>> plain({"bound": Fraction(1, 4), "limit": float("inf"), "loads": np.arange(2), "x": 0.1 * 3})
    {'bound': '0.25', 'limit': 'inf', 'loads': [0, 1], 'x': 0.3}
    """
    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist())
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str | Decimal):
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
