"""Each claim set beside what really happens on an instance: a verdict with its evidence.

The checks live in `boundcheck.checks`, one function for each claim; here they are given an
instance, simulated runs (shared between checks), an error budget, and an effort. A claim whose
check finds nothing to say ends as `inconclusive`, never in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

from boundcheck.calculator import Bound, bounds
from boundcheck.calculator import check as check_assumptions
from boundcheck.claim import Claim
from boundcheck.claims import chosen
from boundcheck.conditions import Condition
from boundcheck.evidence import Budget, Finding, Verdict
from boundcheck.finding import Severity
from boundcheck.lab import Effort, Lab, Progress, effort_named
from boundcheck.question import Question
from boundcheck.search import SearchLimit
from boundcheck.verification import verified
from simulation.escaping import html_table, one_line
from simulation.executors import Workers, open_pool
from simulation.instance import Instance

if TYPE_CHECKING:
    from simulation.results import PolicyRuns


@dataclass
class Run:
    """What a check may use: the instance, the question, simulated runs, the error budget."""

    instance: Instance
    effort: Effort
    budget: Budget
    seed: int = 0
    progress: Progress | None = None
    executor: Workers | None = None
    store: str | PathLike[str] | None = None
    _simulated: dict[tuple[Any, ...], PolicyRuns] = field(default_factory=dict)

    @cached_property
    def question(self) -> Question:
        """The calculator's question at the horizon that is simulated."""
        return Question(horizon=Fraction(self.effort.horizon), digits=15)

    def ask(self, **changes: Any) -> Question:
        same = {name: getattr(self.question, name) for name in ("horizon", "delta", "digits")}
        return Question(**(same | changes))

    def bounds(self, claim: str, question: Question | None = None) -> list[Bound]:
        return bounds(self.instance, question or self.question, [claim])

    def unmet(self, claim: str, question: Question | None = None) -> list[Condition]:
        """The stated assumptions of a claim that fail on this instance."""
        rows = check_assumptions(self.instance, question or self.question, [claim])
        return [r.condition for r in rows if not r.condition.holds and not r.condition.implicit]

    def level(self, check: str, weight: float = 1.0) -> float:
        """This check's share of the error budget."""
        return self.budget.share(check, weight)

    def simulated(
        self,
        policy: str,
        *,
        horizon: int | None = None,
        runs: int | None = None,
        options: Mapping[str, object] | None = None,
    ) -> PolicyRuns:
        """Runs of a policy on the instance, simulated once and shared by all checks."""
        horizon, runs = horizon or self.effort.horizon, runs or self.effort.runs
        key = (policy, horizon, runs, tuple(sorted((options or {}).items())))
        if key not in self._simulated:
            if self.progress:
                self.progress(f"{policy}: {runs} runs of {horizon} slots")
            self._simulated[key] = self.replicated(self.instance, policy, horizon, runs, options)
        return self._simulated[key]

    def replicated(
        self,
        instance: Instance,
        policy: str,
        horizon: int,
        runs: int,
        options: Mapping[str, object] | None,
    ) -> PolicyRuns:
        """Runs of a policy on any instance."""
        from simulation.replicate import replicate

        return replicate(
            instance,
            [policy],
            horizon,
            runs,
            self.seed,
            executor=self.executor,
            store=self.store,
            options=options,
        )[policy]


Check = Callable[[Claim, Run], Iterator[Finding]]
# how long to look for a counterexample with implicit assumptions added, once a claim is refuted
CHARITY, SECONDS = 150, 20.0


@dataclass(frozen=True)
class Verification:
    """The verdict table of an instance, and how the error budget was spent."""

    instance: Instance
    effort: Effort
    seed: int
    findings: tuple[Finding, ...]
    budget: Budget
    lab: Lab = field(repr=False, compare=False)  # what was simulated is asked for again by reports
    severities: tuple[Severity | None, ...] = ()  # of each finding

    @property
    def refuted(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if f.verdict is Verdict.REFUTED)

    def of(self, claim: str) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if f.claim == claim)

    def to_json_rows(self) -> list[dict[str, Any]]:
        severities = self.severities or (None,) * len(self.findings)
        return [f.to_json(severity) for f, severity in zip(self.findings, severities, strict=True)]

    def _repr_html_(self) -> str:
        from boundcheck.present import VERIFY_HEADERS, verify_row

        rows = [verify_row(finding) for finding in self.findings]
        caption = f"{one_line(self.instance.name)}, {self.effort.name} effort"
        return html_table(VERIFY_HEADERS, rows, caption)


def crossvalidate(
    instance: Instance,
    effort: str = "standard",
    *,
    claims: Iterable[str] | None = None,
    seed: int = 0,
    jobs: int | None = None,
    executor: Workers | None = None,
    cluster: str | None = None,
    store: str | PathLike[str] | None = None,
    budget: float = 1e-6,
    progress: Progress | None = None,
    checks: Mapping[str, Check] | None = None,
) -> Verification:
    """Check every claim of the catalogue (or some) on an instance.

    jobs, executor, cluster, store   where to simulate and what to keep, as for `replicate`
    """
    from boundcheck.checks import registered
    from boundcheck.collected import severity_of
    from boundcheck.shareable_arms import THEORY

    spent = effort_named(effort)
    known = registered() if checks is None else checks
    cards = chosen(claims)
    theory = THEORY
    for card in cards:
        theory = theory if theory.cards.get(card.id) is card else theory.with_card(card)
    findings: list[Finding] = []
    with open_pool(jobs, executor, cluster) as pool:
        run = Run(instance, spent, Budget(budget / 2), seed, progress, pool, store)
        lab = theory.lab(
            spent, budget / 2, seed=seed, progress=progress, executor=pool, store=store
        )
        for card in cards:
            if progress:
                progress(card.id)
            if theory.statements(card.id) and checks is None:
                findings += verified(theory, card, instance, run.question, lab)
                continue
            findings += _checked(card, run, known.get(card.id))
        limit = SearchLimit(CHARITY, SECONDS, seed)
        severities = [severity_of(theory, f, findings, lab, limit) for f in findings]
    return Verification(
        instance, run.effort, seed, tuple(findings), run.budget, lab, tuple(severities)
    )


def _checked(card: Claim, run: Run, check: Check | None) -> list[Finding]:
    found = [] if check is None else list(check(card, run))
    if found:
        return found
    explanation = "no evidence was gathered: " + (
        "no check is registered for this claim" if check is None else "its check had nothing to say"
    )
    return [Finding(card.id, card.reading, Verdict.INCONCLUSIVE, {}, explanation)]


def not_applicable(card: Claim, unmet: Iterable[Condition], **context: Any) -> Finding:
    """The finding for a claim whose stated assumptions fail, with their margins."""
    failing = [
        {"name": c.name, "arm": c.arm, "value": c.lhs, "needs": c.rhs, "margin": c.margin}
        for c in unmet
    ]
    names = ", ".join(dict.fromkeys(str(c["name"]) for c in failing))
    return Finding(
        card.id,
        card.reading,
        Verdict.NOT_APPLICABLE,
        {"unmet": failing, **context},
        f"assumptions that fail: {names}",
    )


def cannot_arise(card: Claim, reading: str, why: str, **evidence: Any) -> Finding:
    """The finding for what no effort brings about on this instance: `why` names what is missing."""
    return Finding(card.id, reading, Verdict.NOT_APPLICABLE, {"missing": why, **evidence}, why)
