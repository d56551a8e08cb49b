"""`Trial`, the result of trying a bound."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from boundcheck.judging.falsification import Falsification, shown_instance
from boundcheck.judging.falsification import RowKind as Row
from boundcheck.judging.finding import Finding, Verdict, plain_evidence
from boundcheck.language.reading import Line
from simulation.errors import InputError
from simulation.world.instance import Instance

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class Trial:
    """What `try_bound` found: the verdict in `finding`, how loose the bound is, what was assumed.

    >>> from boundcheck import try_bound
    >>> trial = try_bound("regret(etc) <= T/100", "quick", law="bernoulli", horizon=100)
    >>> str(trial.finding.verdict), trial.worst.plays, trial.to_json()["policy"]
    ('refuted', 1, 'etc')
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     trial.saved(Path(folder, "worst.toml"))
    ...     Instance.load(f"{folder}/worst.toml").means == trial.worst.means
    True
    """

    line: Line
    finding: Finding
    # bound over actual; with a `?`, the constant that suffices
    by_case: tuple[tuple[Any, float], ...]
    informative_from: str | None
    assumed: tuple[str, ...]
    constant: dict[str, Any] | None = None

    @property
    def looseness(self) -> dict[str, float] | None:
        """Bound over actual: smallest, median and largest over the cases judged.

        >>> from boundcheck import try_bound
        >>> trial = try_bound("|mean - mu| <= sqrt(log(2/delta)/(2*n)) with probability 1 - delta")
        >>> sorted(trial.looseness)
        ['largest', 'median', 'smallest']
        """
        if not self.by_case or self.constant is not None:
            return None
        ratios = [ratio for _, ratio in self.by_case]
        return {"smallest": min(ratios), "median": median(ratios), "largest": max(ratios)}

    @property
    def worst(self) -> Instance | None:
        """The instance on which the bound is closest to failing, or fails."""
        case, judged = self.finding.case, self.finding.compared is not None
        return case.instance if case is not None and (judged or self.constant) else None

    def to_json(self) -> dict[str, Any]:
        """The row of `boundcheck try --json`."""
        found, worst = self.finding, None
        if self.worst is not None and found.case is not None:
            worst = {
                "horizon": None,
                **shown_instance(self.worst),
                **plain_evidence(found.case.parameters()),
            }
        return {
            "claim": self.line.text,
            "policy": self.line.card.policy_name,
            "verdict": None if found.verdict is None else str(found.verdict),
            "leans": None if found.leans is None else str(found.leans),
            "explanation": found.explanation,
            "worst": worst,
            "looseness": plain_evidence(self.looseness),
            "informative_from": self.informative_from,
            "assumed": list(self.assumed),
            "constant": plain_evidence(self.constant),
            "evidence": dict(found.evidence),
        }

    def saved(self, path: str | PathLike[str]) -> None:
        """Write the worst instance as an instance file, with the findings in comments."""
        found, beside = self.finding, self.finding.compared
        if self.worst is None or found.case is None:
            raise InputError(
                "try", "--output", "no case was judged", "a line with a worst instance"
            )
        Falsification(
            self.line.text,
            found.reading,
            Row.COUNTEREXAMPLE if found.verdict is Verdict.REFUTED else Row.NOTHING,
            found.extent.cases,
            found.explanation,
            instance=self.worst,
            parameters=found.case.parameters(),
            published=None if beside is None else beside.claimed,
            actual=None if beside is None else beside.certain or beside.actual,
        ).saved(Path(path))

    def __str__(self) -> str:
        from boundcheck.trying.screen import lines

        return "\n".join(lines(self))
