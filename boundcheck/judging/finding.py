"""Findings about statements: a verdict, what it covers, and the evidence for it.

The order of verdicts and that of severities are defined here and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from simulation.numbers import decimal
from simulation.tables import counted

if TYPE_CHECKING:
    from boundcheck.judging.comparison import Compared
    from boundcheck.judging.decide import Judged
    from boundcheck.judging.statement import Case


class _Word(StrEnum):
    """A word, its meaning, and the phrase that pages use for it."""

    meaning: str
    phrase: str

    def __new__(cls, word: str, meaning: str = "", phrase: str = "") -> Self:
        member = str.__new__(cls, word)
        member._value_, member.meaning, member.phrase = word, meaning, phrase or word
        return member


class Verdict(_Word):
    """Is the statement true? Gravest first."""

    REFUTED = "refuted", "a certified counterexample, or evidence at the stated error level"
    UNDECIDED = (
        "undecided",
        "neither shown nor refuted; the explanation says which way it leans and what would decide "
        "it",
    )
    SUPPORTED = (
        "supported",
        "the data exclude its opposite: that is refuted at level 0.05, whatever the law of a run",
    )
    HOLDS = "holds", "decided by exact or certified computation, for the cases its extent names"

    @property
    def decided(self) -> bool:
        return self is not Verdict.UNDECIDED


DOES_NOT_APPLY = "does not apply"
NO_BETTER = "no better than the trivial bound"
ANSWERS = {
    **{str(verdict): verdict.meaning for verdict in Verdict},
    NO_BETTER: "or not a finite number, for this horizon and delta",
    DOES_NOT_APPLY: "an assumption fails, or there is no such arm: see `check`",
}


def in_short(answer: str) -> str:
    """The first clause of an answer's meaning."""
    return re.split(r"[;:,]", ANSWERS[answer])[0]


class Leaning(StrEnum):
    """Which way the evidence about an undecided statement points."""

    FOR = "for"
    AGAINST = "against"
    NONE = "none"


def gravest(verdicts: Iterable[Verdict | None]) -> Verdict | None:
    """The gravest decided verdict among several on one statement, else undecided, else None."""
    every = [verdict for verdict in verdicts if verdict is not None]
    return min([v for v in every if v.decided] or every, key=list(Verdict).index, default=None)


class Severity(_Word):
    """What is wrong with a claim, gravest first; computed from its findings."""

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
    """The relation of a statement to its claim."""

    INTENDED = "intended"  # what the authors use it for
    PRINTED = "printed"  # the words taken literally
    PSEUDO_CODE = "pseudo-code"  # the algorithm taken literally
    CONSTANT = "constant"  # a repair: the same with another constant
    FURTHER = "further"  # another statement of the result
    CHARITABLE = "charitable"  # derived: the intended one with implicit assumptions added
    WITHOUT = "without"  # derived: the intended one where an assumption fails


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
        return f"{self.cover} of {counted(self.cases, 'case')}"


@dataclass(frozen=True)
class Finding:
    """What was found about one statement of one claim: a row of `boundcheck verify`.

    Three answers: `applies` (do its assumptions hold here?), `informative` (is it better than the
    trivial bound? None where there is none) and `verdict` (is it true? None where it does not
    apply, or gives no finite number).

    >>> Finding("thm-1", "as printed", Verdict.HOLDS)
    Traceback (most recent call last):
    ...
    ValueError: thm-1: a verdict 'holds' needs evidence
    """

    claim: str
    reading: str  # the statement in words
    verdict: Verdict | None
    evidence: Mapping[str, Any] = field(default_factory=dict)
    explanation: str = ""
    statement: str = "intended"
    extent: Extent = Extent()
    rests_on: tuple[str, ...] = ()
    scope: str = "search"  # or the instance whose cases were decided
    applies: bool = True
    informative: bool | None = None
    leans: Leaning | None = None  # for an undecided statement
    # the horizon, delta, ... at which it was judged
    at: Mapping[str, Any] = field(default_factory=dict)
    case: Case | None = field(default=None, compare=False, repr=False)
    compared: Compared | None = field(default=None, compare=False, repr=False)
    judged: tuple[Judged, ...] = field(default=(), compare=False, repr=False)
    closest: Judged | None = field(default=None, compare=False, repr=False)  # of a search

    def __post_init__(self) -> None:
        verdict = None if self.verdict is None else Verdict(self.verdict)
        object.__setattr__(self, "verdict", verdict)
        object.__setattr__(self, "evidence", plain_evidence(dict(self.evidence)))
        object.__setattr__(self, "at", plain_evidence(dict(self.at)))
        if verdict is Verdict.UNDECIDED:
            object.__setattr__(self, "leans", Leaning(self.leans or Leaning.NONE))
            if not self.explanation:
                raise ValueError(f"{self.claim}: 'undecided' must say what would decide it")
            return
        if self.leans is not None:
            raise ValueError(f"{self.claim}: only an undecided statement leans")
        if not self.evidence:
            said = "no verdict" if verdict is None else f"a verdict '{verdict}'"
            raise ValueError(f"{self.claim}: {said} needs evidence")
        if verdict is not None and not self.applies:
            raise ValueError(f"{self.claim}: what does not apply has no verdict")

    @property
    def answer(self) -> str:
        """One answer for tables: does not apply, not informative, or the verdict."""
        if not self.applies:
            return DOES_NOT_APPLY
        return NO_BETTER if self.informative is False else str(self.verdict)

    @property
    def role(self) -> Role:
        return Role(self.statement.partition(":")[0])

    def to_json(self, severity: Severity | None = None) -> dict[str, Any]:
        return {
            "claim": self.claim,
            "statement": self.statement,
            "role": str(self.role),
            "reading": self.reading,
            "at": dict(self.at),
            "applies": self.applies,
            "informative": self.informative,
            "verdict": None if self.verdict is None else str(self.verdict),
            "leans": None if self.leans is None else str(self.leans),
            "extent": str(self.extent),
            "severity": None if severity is None else str(severity),
            "rests_on": list(self.rests_on),
            "evidence": dict(self.evidence),
            "explanation": self.explanation,
        }


def plain_evidence(value: object) -> Any:
    """Evidence as JSON: exact numbers as decimals, infinities as words, arrays as lists.

    Floats are rounded to twelve digits, since the last ones may depend on the processor.

    >>> found = {"bound": Fraction(1, 4), "limit": float("inf"), "loads": np.arange(2)}
    >>> plain_evidence(found | {"x": 0.1 * 3})
    {'bound': '0.25', 'limit': 'inf', 'loads': [0, 1], 'x': 0.3}
    """
    if isinstance(value, np.generic | np.ndarray):
        return plain_evidence(value.tolist())
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str | Decimal):
        return str(value)
    if isinstance(value, float):
        return float(f"{value:.12g}") if isfinite(value) else str(value)
    if isinstance(value, Fraction):
        return decimal(value)
    if isinstance(value, Mapping):
        return {str(key): plain_evidence(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_evidence(item) for item in value]
    raise TypeError(f"evidence cannot hold a {type(value).__name__}")
