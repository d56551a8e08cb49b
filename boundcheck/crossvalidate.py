"""Each claim set beside what really happens on an instance: verdicts with their evidence.

A claim that has no statements, and no kind that makes one, ends as `inconclusive`, never in
silence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from boundcheck.claim import Claim
from boundcheck.collected import severity_of
from boundcheck.decision import decide
from boundcheck.evidence.error_plan import Spent
from boundcheck.finding import Finding, Role, Severity, Verdict
from boundcheck.lab import Effort, Lab, Progress, effort_named
from boundcheck.question import Question
from boundcheck.results import shortened
from boundcheck.search import SearchLimit
from boundcheck.theory import Theory, default
from simulation.escaping import one_line
from simulation.executors import Workers, open_pool
from simulation.instance import Instance
from simulation.tables import Table, Tabular

# how long to look for a counterexample with implicit assumptions added, once a claim is refuted
CHARITY, SECONDS = 150, 20.0
COLUMNS = ("claim", "verdict", "severity", "explanation", "statement", "role", "extent", "reading")


@dataclass(frozen=True)
class Verification(Tabular):
    """The verdict table of an instance, and how the error budget was spent.

    >>> found = crossvalidate(Instance.load("textbook"), "quick", claims=["thm-4.1a"])
    >>> [(finding.statement, str(finding.verdict)) for finding in found.of("thm-4.1a")]
    [('intended', 'holds'), ('printed', 'refuted')]
    >>> found.refuted == tuple(finding for finding, severity in found.refutations)
    True
    >>> found.cells()["severity"], found.to_json_rows()[0]["verdict"], found.summary().headings[0]
    ([None, 'wording'], 'holds', 'claim')
    >>> found.budget.total
    1e-06
    """

    instance: Instance
    effort: Effort
    seed: int
    findings: tuple[Finding, ...]
    lab: Lab = field(repr=False, compare=False)  # what was simulated is asked for again by reports
    severities: tuple[Severity | None, ...]  # of each finding

    @property
    def budget(self) -> Spent:
        """The levels at which something was decided by observation."""
        return Spent.by(self.lab.plan, self.findings)

    @property
    def refutations(self) -> list[tuple[Finding, Severity | None]]:
        """Refuted statements with their severity; what fails beyond an assumption is none."""
        return [
            (f, severity)
            for f, severity in zip(self.findings, self.severities, strict=True)
            if f.verdict is Verdict.REFUTED and f.role not in (Role.WITHOUT, Role.CHARITABLE)
        ]

    @property
    def refuted(self) -> tuple[Finding, ...]:
        """The statements that are refuted."""
        return tuple(f for f, _ in self.refutations)

    def of(self, claim: str) -> tuple[Finding, ...]:
        """What was found about one claim."""
        return tuple(f for f in self.findings if f.claim == claim)

    def to_json_rows(self) -> list[dict[str, Any]]:
        """The rows of `boundcheck verify --json`."""
        return [f.to_json(s) for f, s in zip(self.findings, self.severities, strict=True)]

    def cells(self) -> dict[str, list[Any]]:
        """Everything but the evidence, which is in `to_json_rows`."""
        rows = self.to_json_rows()
        return {name: [row[name] for row in rows] for name in COLUMNS}

    def summary(self) -> Table:
        """A line for each statement, as it is printed."""
        title = f"{one_line(self.instance.name)}: verdicts, {self.effort.name} effort"
        return shortened(title, self.cells(), COLUMNS[:4])


def crossvalidate(
    instance: Instance,
    effort: str = "standard",
    *,
    claims: Iterable[str | Claim] | None = None,
    seed: int = 0,
    jobs: int | None = None,
    executor: Workers | None = None,
    cluster: str | None = None,
    store: str | PathLike[str] | None = None,
    budget: float = 1e-6,
    progress: Progress | None = None,
    arrived: Callable[[Verification], None] | None = None,
    theory: Theory | None = None,
) -> Verification:
    """Decide every statement of a theory (or of some claims, by id or as cards) on an instance.

    jobs, executor, cluster, store   where to simulate and what to keep, as for `replicate`
    arrived   is told what was found of each claim, as soon as it is

    >>> found = crossvalidate(Instance.load("textbook"), "quick", claims=["thm-5.3b"])
    >>> [str(finding.verdict) for finding in found.findings]
    ['holds', 'holds']
    """
    spent, theory = effort_named(effort), theory or default()
    cards = theory.chosen(claims)
    theory = theory.speaking_of(cards)
    findings: list[Finding] = []
    severities: list[Severity | None] = []
    with open_pool(jobs, executor, cluster) as pool:
        lab = theory.lab(spent, budget, seed=seed, progress=progress, executor=pool, store=store)
        question = Question(horizon=lab.horizon, digits=15)
        for card in cards:
            if progress:
                progress(card.id)
            found = list(verified(theory, card, instance, question, lab)) or [_silent(card)]
            limit = SearchLimit(CHARITY, SECONDS, seed)  # its time begins now
            grave = [severity_of(theory, f, found, lab, limit) for f in found]
            if arrived:
                arrived(Verification(instance, spent, seed, tuple(found), lab, tuple(grave)))
            findings += found
            severities += grave
    lab.executor = executor  # the pool is closed; who asks for more runs brings workers along
    return Verification(instance, spent, seed, tuple(findings), lab, tuple(severities))


def verified(
    theory: Theory, card: Claim, instance: Instance, question: Question, lab: Lab
) -> Iterator[Finding]:
    """The statements of a card; where cases lie outside the intended one, what happens there:
    without each assumption that fails, where all the others hold."""
    for statement in theory.statements(card.id):
        cases = list(statement.cases(card, instance, question, lab))
        finding = decide(card, statement, cases, lab)
        yield finding
        if statement.role is not Role.INTENDED:
            continue
        failing = {row["name"] for row in finding.evidence.get("unmet", ())}
        failing |= {*finding.evidence.get("cases_outside", ())}
        for assumption in statement.assumed(card):
            nameless = assumption.fact is not None and instance.reward.arms is not None
            if assumption.name in failing and not nameless:  # of many laws nothing can be said
                beyond = decide(card, statement.without(card, assumption), cases, lab)
                if beyond.verdict is not Verdict.NOT_APPLICABLE:
                    yield beyond


def _silent(card: Claim) -> Finding:
    why = "nothing says how this claim is decided: it has no statements, nor a kind that makes one"
    return Finding(card.id, card.reading, Verdict.INCONCLUSIVE, {}, why)
