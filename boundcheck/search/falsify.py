"""Where does a claim fail, and which of its assumptions does it need?

`falsify` looks for cases that satisfy every assumption of a claim and violate its conclusion.
Floats only suggest; what is reported was decided exactly or by certified enclosures (or, for the
regret of a policy, by fresh runs at a planned level), then made as simple as it can be while it
still fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boundcheck.calculator.results import Results
from boundcheck.claims.card import Claim
from boundcheck.judging.decide import search
from boundcheck.judging.finding import Finding, Role, Verdict
from boundcheck.judging.measured import Number, as_ball, written
from boundcheck.judging.run_context import EFFORTS
from boundcheck.search.hunt import SearchLimit
from simulation.errors import InputError, shown
from simulation.files.writing import write
from simulation.numbers import decimal
from simulation.world.instance import Instance
from simulation.world.samples import Empirical

if TYPE_CHECKING:
    from boundcheck.theory import Theory

EXAMPLES, SECONDS = 2_000, 240.0
POLICY = "policy "
COLUMNS = ("statement", "kind", "published", "actual", "ratio", "examples")  # that people look at


class Kind(StrEnum):
    """What a row is about."""

    COUNTEREXAMPLE = "counterexample"  # the assumptions hold (but for a dropped one), it fails
    NOTHING = "nothing found"
    THRESHOLD = "threshold"  # how far the dropped assumption can be weakened


@dataclass(frozen=True)
class Falsification:
    """A counterexample, or how many examples were looked at without one, or a sharp threshold.

    `published` is what the claim says, `actual` what is true; `parameters` complete the instance
    (delta, T, counts) or, for a claim about one arm, are the whole example.

    >>> from tempfile import TemporaryDirectory
    >>> from boundcheck import falsify
    >>> row = falsify("thm-4.3", examples=100)[0]
    >>> row.found, row.published, row.to_json()["instance"]["plays"]
    (True, '0.4', 2)
    >>> with TemporaryDirectory() as folder:
    ...     saved = row.saved(Path(folder) / "found.toml")
    ...     print(Instance.load(saved.file).to_json()["means"])
    ['2', '1', '0']
    """

    claim: str
    reading: str
    kind: Kind
    examples: int
    explanation: str
    dropped: str | None = None
    instance: Instance | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    published: str | None = None
    actual: str | None = None
    ratio: str | None = None
    file: str | None = None
    statement: str = "intended"
    enclosure: tuple[str, str] | None = None  # of the actual number, where it is not exact

    @property
    def found(self) -> bool:
        """Whether it is a counterexample."""
        return self.kind is Kind.COUNTEREXAMPLE

    def to_json(self) -> dict[str, Any]:
        """The row of `boundcheck falsify --json`."""
        return {
            "claim": self.claim,
            "statement": self.statement,
            "reading": self.reading,
            "dropped": self.dropped,
            "found": self.found,
            "kind": str(self.kind),
            "instance": None if self.instance is None else shown_instance(self.instance),
            "parameters": dict(self.parameters),
            "published": self.published,
            "actual": self.actual,
            "enclosure": None if self.enclosure is None else list(self.enclosure),
            "ratio": self.ratio,
            "examples": self.examples,
            "explanation": self.explanation,
            "file": self.file,
        }

    def saved(self, path: Path) -> Falsification:
        """The counterexample written as an instance file, its story in comments."""
        if self.instance is None:
            return self
        values = ", ".join(f"{name} {value}" for name, value in self.parameters.items())
        lines = [
            f"{'counterexample to ' * self.found}{self.claim}: {self.explanation}",
            f"reading: {self.reading}",
            *([f"published {self.published}, actual {self.actual}"] if self.published else []),
            *([f"assumption dropped: {self.dropped}"] if self.dropped else []),
            *([f"at {values}"] if values else []),
        ]
        named = self.instance.with_(name=path.stem)
        write(path, "".join(f"# {line}\n" for line in lines) + named.to_toml())
        return replace(self, file=str(path))


def shown_instance(instance: Instance) -> dict[str, Any]:
    every, law = instance.to_json(), instance.reward
    shown = {name: every[name] for name in ("means", "capacities", "plays", "reward", "variance")}
    if not isinstance(law, Empirical):
        return shown
    rewards = Empirical(law.samples).fields()  # from 0 to 1, as the means are
    return shown | {name: [[*map(decimal, row)] for row in rows] for name, rows in rewards.items()}


def compared(published: Number, actual: Number) -> dict[str, Any]:
    """The fields `published`, `actual` and `ratio` of a row."""
    first, second = as_ball(published), as_ball(actual)
    ratio = written(first / second) if second != 0 else None
    return {"published": written(published, 15), "actual": written(actual, 15), "ratio": ratio}


def falsify(
    claim: str | Claim,
    drop: str | None = None,
    examples: int = EXAMPLES,
    seconds: float = SECONDS,
    seed: int = 0,
    *,
    theory: Theory,
) -> Results[Falsification]:
    """Search for counterexamples to a claim, by id or as a card, or (`drop`) to the claim without
    an assumption; or, for `policy NAME`, for a law of rewards under which it does not learn."""
    limit = SearchLimit(examples, seconds, seed)
    if isinstance(claim, str) and claim.startswith(POLICY):
        from boundcheck.search.policies import searched

        row = searched(theory.policy(claim.removeprefix(POLICY)), limit)
        return Results([row], claim, COLUMNS)
    card = theory.find(claim)
    theory = theory.with_cards([card])
    if card.id not in theory.falsifiable:
        found = f"{card.id} (its conclusion is not computable)"
        raise InputError("falsify", "claim", found, f"one of {', '.join(theory.falsifiable)}")
    statements = [s for s in theory.statements(card.id) if s.searchable]
    if drop is not None:
        known = {a.name: a for a in (*card.assumptions, *card.implicit)}
        if drop not in known:
            expected = f"one of {', '.join(known)}" if known else f"no --drop for {card.id}"
            raise InputError("falsify", "--drop", shown(drop), expected)
        intended = [s for s in statements if s.role is Role.INTENDED]
        statements = [s.without(card, known[drop]) for s in intended]
    context = theory.context(EFFORTS["quick"], seed=seed)
    rows = [_row(search(card, s, context, limit, theory.model), drop) for s in statements]
    return Results([*rows, *theory.thresholds(card.id, drop)], f"{card.id}: searches", COLUMNS)


def _row(finding: Finding, drop: str | None) -> Falsification:
    case, compared = finding.case, finding.compared
    nothing = Falsification(
        finding.claim,
        finding.reading,
        Kind.NOTHING,
        finding.extent.cases,
        finding.explanation,
        drop,
        statement=finding.statement,
    )
    if finding.verdict is not Verdict.REFUTED or case is None or compared is None:
        return nothing
    ends = finding.evidence.get("actual")
    return replace(
        nothing,
        kind=Kind.COUNTEREXAMPLE,
        instance=case.instance,
        parameters={**case.parameters(), **compared.more},
        published=compared.claimed,
        actual=compared.certain or compared.actual,
        ratio=compared.ratio,
        enclosure=(ends[0], ends[1]) if isinstance(ends, list) else None,
    )
