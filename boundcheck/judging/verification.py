"""`verify`: test every claim on an instance; verdicts with their evidence.

A claim without statements, and of a kind that gives none, is reported as `undecided`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

from boundcheck.calculator.one_claim import Here, here
from boundcheck.calculator.question import Question
from boundcheck.calculator.results import shortened
from boundcheck.calculator.setting import parameters
from boundcheck.claims.card import Claim
from boundcheck.evidence.error_plan import Spent
from boundcheck.judging.decide import Judgement, decide
from boundcheck.judging.effort import Effort, effort_named
from boundcheck.judging.finding import Cover, Extent, Finding, Leaning, Role, Severity, Verdict
from boundcheck.judging.run_context import Progress, RunContext
from boundcheck.judging.severity import severity_of
from boundcheck.judging.statement import Statement
from boundcheck.search import SearchLimit
from simulation.escaping import one_line
from simulation.running.executors import Workers
from simulation.running.pools import open_pool
from simulation.tables import Table, Tabular, counted
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from boundcheck.theory import Theory

# limits on the search with implicit assumptions added, made once a claim is refuted
CHARITY, SECONDS = 150, 20.0
COLUMNS = (
    *("claim", "applies", "informative", "verdict", "severity", "explanation", "statement", "role"),
    *("extent", "reading"),
)
SHOWN = ("claim", "verdict", "severity", "explanation")


@dataclass(frozen=True)
class ClaimOutcome:
    """The result for one claim: its intended statement at the question, and a finding at another
    point where that one is undecided, uninformative or does not apply.
    """

    card: Claim
    here: Finding
    elsewhere: Finding | None
    severity: Severity | None  # for what is refuted on this instance
    false_elsewhere: bool = False  # the last audit refuted it, though this run did not

    @property
    def note(self) -> str:
        """What every summary line about the claim has to mention."""
        told = []
        if self.here.leans in (Leaning.FOR, Leaning.AGAINST):
            told.append(f"leans {self.here.leans}")
        if self.severity is not None:
            told.append(self.severity.phrase)
        elif self.false_elsewhere:
            told.append("refuted in general: do not rely on it")
        if self.elsewhere is not None:
            leaning = f", leans {self.elsewhere.leans}" if self.elsewhere.leans else ""
            told.append(f"{self.elsewhere.verdict}{leaning} at {point_in_words(self.elsewhere.at)}")
        return "; ".join(told)


_NAMES = {"horizon": "T"}


def point_in_words(at: Mapping[str, Any]) -> str:
    """The parameters of a point in words, such as "T = 10,000, delta = 0.05"."""
    from simulation.formatting import human

    return ", ".join(f"{_NAMES.get(name, name)} = {human(value)}" for name, value in at.items())


@dataclass(frozen=True)
class Verification(Tabular):
    """What `verify` found: `findings`, the same by claim in `outcomes`, and the error `budget`.

    >>> from boundcheck import verify
    >>> found = verify(Instance.load("textbook"), "quick", claims=["thm-4.1a"])
    >>> [(finding.statement, str(finding.verdict)) for finding in found.of("thm-4.1a")]
    [('intended', 'holds'), ('intended', 'holds'), ('printed', 'refuted')]
    >>> [(each.here.answer, each.severity.phrase) for each in found.outcomes]
    [('no better than the trivial bound', 'false only as printed')]
    >>> found.refuted == tuple(finding for finding, severity in found.refutations)
    True
    >>> found.cells()["severity"], found.to_json_rows()[0]["verdict"], found.summary().headings[0]
    ([None, None, 'wording'], 'holds', 'claim')
    >>> found.told(found.findings[0]) == found.findings[0].explanation  # its arms have no names
    True
    >>> found.checked
    '1 claim was checked in 3 statements'
    >>> found.budget.total
    1e-06
    """

    instance: Instance
    question: Question
    effort: Effort
    seed: int
    findings: tuple[Finding, ...]
    context: RunContext = field(repr=False, compare=False)  # reports reuse its simulations
    severities: tuple[Severity | None, ...]  # one for each finding

    @property
    def budget(self) -> Spent:
        """The error levels spent on statements that were decided by sampling."""
        return Spent.by(self.context.plan, self.findings)

    def told(self, finding: Finding, written: Callable[[str], str] = one_line) -> str:
        """The explanation of a finding with arms named; `written` formats a name for its medium."""

        def name(found: re.Match[str]) -> str:
            arm = int(found[1])
            return written(self.instance.label(arm)) if arm <= self.instance.arms else found[0]

        return re.sub(r"\barm ([1-9]\d*)\b", name, finding.explanation)

    @property
    def checked(self) -> str:
        """The number of claims and statements judged, as a sentence."""
        claims = len(self.outcomes)
        verb = "was" if claims == 1 else "were"
        statements = counted(len(self.findings), "statement")
        return f"{counted(claims, 'claim')} {verb} checked in {statements}"

    @property
    def refutations(self) -> list[tuple[Finding, Severity | None]]:
        """Refuted statements with their severity, without those derived by changing assumptions."""
        return [
            (f, severity)
            for f, severity in zip(self.findings, self.severities, strict=True)
            if f.verdict is Verdict.REFUTED and f.role not in (Role.WITHOUT, Role.CHARITABLE)
        ]

    @property
    def refuted(self) -> tuple[Finding, ...]:
        """The statements that are refuted."""
        return tuple(f for f, _ in self.refutations)

    @cached_property
    def outcomes(self) -> tuple[ClaimOutcome, ...]:
        """The outcome for each claim, in the order of the catalogue."""
        found = []
        for claim in dict.fromkeys(finding.claim for finding in self.findings):
            meant = [f for f in self.of(claim) if f.role is Role.INTENDED] or list(self.of(claim))
            graves = [s for f, s in self.refutations if f.claim == claim and s is not None]
            severity = min(graves, key=list(Severity).index, default=None)
            others = (f for f in meant[1:] if f.statement == meant[0].statement)
            card = self.context.cards[claim]
            found.append(
                ClaimOutcome(
                    card, meant[0], next(others, None), severity, self._false_in_general(card)
                )
            )
        return tuple(found)

    def _false_in_general(self, card: Claim) -> bool:
        """Whether `bounds` reports the claim as refuted here."""
        theory, known = self.context.theory, self.context.theory.recorded(card)
        if known is None or not known.refuted:
            return False
        return here(card, self.instance, self.question, theory).refuted

    def of(self, claim: str) -> tuple[Finding, ...]:
        """The findings about one claim."""
        return tuple(f for f in self.findings if f.claim == claim)

    def to_json_rows(self) -> list[dict[str, Any]]:
        """The rows of `boundcheck verify --json`."""
        return [f.to_json(s) for f, s in zip(self.findings, self.severities, strict=True)]

    def cells(self) -> dict[str, list[Any]]:
        """Everything but the evidence, which is in `to_json_rows`."""
        rows = self.to_json_rows()
        return {name: [row[name] for row in rows] for name in COLUMNS}

    def summary(self) -> Table:
        """The printed table: a line for each statement."""
        title = f"{one_line(self.instance.name)}: verdicts, {self.effort.name} effort"
        return shortened(title, self.cells(), SHOWN)


def verify(
    instance: Instance,
    effort: str = "standard",
    *,
    question: Question | None = None,
    claims: Iterable[str | Claim] | None = None,
    seed: int = 0,
    jobs: int | None = None,
    executor: Workers | None = None,
    cluster: str | None = None,
    store: str | PathLike[str] | None = None,
    budget: float = 1e-6,
    progress: Progress | None = None,
    arrived: Callable[[Verification], None] | None = None,
    theory: Theory,
    **given: Any,
) -> Verification:
    """Decide every statement of a theory, or of the claims given by id or as cards, on an
    instance.
    """
    spent, asked = effort_named(effort), theory.question.asked(question, given)
    cards = theory.chosen(claims)
    theory = theory.with_cards(cards)
    findings: list[Finding] = []
    severities: list[Severity | None] = []
    with open_pool(jobs, executor, cluster) as pool:
        context = theory.context(
            spent, budget, seed=seed, progress=progress, executor=pool, store=store
        )
        for card in cards:
            if progress:
                progress(card.id)
            found = list(verified(theory, card, instance, asked, context)) or [_silent(card)]
            limit = SearchLimit(CHARITY, SECONDS, seed)  # its time limit starts now
            grave = [severity_of(theory, f, found, context, limit) for f in found]
            if arrived:
                arrived(
                    Verification(instance, asked, spent, seed, tuple(found), context, tuple(grave))
                )
            findings += found
            severities += grave
    context.executor = executor  # the pool is closed: later runs need workers of their own
    return Verification(instance, asked, spent, seed, tuple(findings), context, tuple(severities))


def verified(
    theory: Theory, card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[Finding]:
    """The findings about a card at the question asked, and at other points.

    The calculator says whether a claim applies and is informative. If it does not apply, is
    uninformative or stays open, what was found at other points is a further row; so is a
    contradiction there. If cases violate assumptions, there is a row for each failing assumption:
    what happens without it where all others hold.
    """
    question = theory.question.of(question)
    now = here(card, instance, question, theory)
    at = {
        name: x for name in parameters(card, question) if (x := getattr(question, name)) is not None
    }

    def as_asked(case: Any) -> bool:
        of_case = theory.question.of(case.question)
        return all(getattr(of_case, name) == value for name, value in at.items())

    for statement in theory.statements(card.id):
        cases = list(statement.cases(card, instance, question, context))
        judgement = Judgement(card, statement, cases, context)
        main = statement.role is Role.INTENDED and not statement.name
        first, elsewhere = judgement.of(as_asked), judgement.of(lambda case: not as_asked(case))
        if main and not now.applies:
            first, elsewhere = _inapplicable(first, statement, now), judgement.of()
        elif main:
            first = _as_calculated(first, statement, now, bool(cases))
        # all its cases are at other points
        if not main and cases and not any(map(as_asked, cases)):
            yield replace(elsewhere, at=_point(elsewhere, card, question) or at)
        else:
            yield replace(first, at=at)
            if _adds(elsewhere, first):
                yield replace(elsewhere, at=_point(elsewhere, card, question))
        if statement.role is Role.INTENDED:
            yield from _beyond(card, statement, judgement, question, context)


def _inapplicable(found: Finding, statement: Statement, now: Here) -> Finding:
    """The finding changed to say that the claim does not apply at the question."""
    return replace(
        found,
        applies=False,
        verdict=None,
        leans=None,
        informative=None,
        evidence={"failing": now.failing}
        if now.failing
        else {"reason": statement.inapplicable_reason},
        explanation=now.why_not if now.failing else statement.inapplicable_reason,
        extent=Extent(Cover.GRID, 0),
    )


def _as_calculated(found: Finding, statement: Statement, now: Here, cases: bool) -> Finding:
    """The finding for a claim that applies, with `informative` taken from the calculator."""
    if not found.applies:  # there is no case, or none at the question
        why = "it is judged at other points" if cases else statement.inapplicable_reason
        words = f"nothing to decide here: {why}"
        found = replace(found, applies=True, verdict=Verdict.UNDECIDED, explanation=words)
    return replace(found, informative=now.informative)


def _adds(elsewhere: Finding, first: Finding) -> bool:
    """Whether what was found at other points adds to what was found at the question."""
    if elsewhere.verdict is None or first.verdict is Verdict.REFUTED:
        return False
    if elsewhere.verdict is Verdict.UNDECIDED:
        if first.applies and not first.extent.cases:  # no case at the question
            return True
        return elsewhere.leans is Leaning.AGAINST and first.leans is not Leaning.AGAINST
    if elsewhere.verdict is Verdict.REFUTED:
        return True
    said = first.verdict in (Verdict.HOLDS, Verdict.SUPPORTED) and first.informative is not False
    return not said and elsewhere.informative is not False


def _point(found: Finding, card: Claim, question: Question) -> dict[str, Any]:
    """The parameters of the case on which a finding rests, those of the kind of `question`."""
    if found.case is None:
        return {}
    there = type(question).of(found.case.question)
    values = {name: getattr(there, name) for name in parameters(card, question)}
    return {name: value for name, value in values.items() if value is not None}


def _beyond(
    card: Claim, statement: Statement, judgement: Judgement, question: Question, context: RunContext
) -> Iterator[Finding]:
    """Findings without each failing assumption, for cases in which all others hold."""
    failing = judgement.failing
    for assumption in statement.assumed(card):
        many_laws = any(case.instance.reward.arms is not None for case in judgement.cases)
        nameless = assumption.fact is not None and many_laws
        # an assumption on the law is not dropped where each arm has its own law
        if assumption.name in failing and not nameless:
            beyond = decide(card, statement.without(card, assumption), judgement.cases, context)
            if beyond.applies:
                yield replace(beyond, at=_point(beyond, card, question))


def _silent(card: Claim) -> Finding:
    why = "nothing says how this claim is decided: it has no statements, nor a kind that makes one"
    return Finding(card.id, card.reading, Verdict.UNDECIDED, {}, why)
