"""The one place where statements are judged: `decide`, for given cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import Any

from boundcheck.calculator.conditions import Condition, conditions, failing, needs
from boundcheck.calculator.numbers import balls
from boundcheck.calculator.question import Question
from boundcheck.calculator.setting import Derive, exact_setting
from boundcheck.claims.card import Assumption, Claim
from boundcheck.judging.comparison import Compared, legible
from boundcheck.judging.finding import Cover, Extent, Finding, Leaning, Verdict
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Case, Statement
from simulation.world.instance import Instance

NOT_FINITE = "is not a finite number"
BITS = 256  # of all certified measurements


def unmet(case: Case, assumptions: Iterable[Assumption], derive: Derive) -> list[Condition]:
    """The assumptions that fail for this case, decided exactly or by enclosures."""
    return [
        row
        for assumption in assumptions
        for row in _states(assumption, case.instance, case.question, derive)
        if not row.holds and (case.arm is None or row.arm in (None, case.arm))
    ]


@lru_cache(maxsize=4096)
def _states(
    assumption: Assumption, instance: Instance, question: Question, derive: Derive
) -> tuple[Condition, ...]:
    """An assumption on an instance, cached because many cases ask about its arms."""
    setting = exact_setting(instance, question, derive)
    return tuple(conditions(assumption, instance, setting, question.digits))


@dataclass(frozen=True)
class Judged:
    """A case and the comparison of its actual with its claimed number."""

    case: Any
    compared: Compared
    sampled: bool

    @property
    def badness(self) -> tuple[bool, bool, bool, float]:
        """Sort key: the maximum is the worst case. Refuted cases rank above open ones, those above
        supported ones, those above true ones; within each, by excess.
        """
        found = self.compared
        return found.refutes, not found.stands, found.holds is None, found.excess


def decide(
    claim: Claim, statement: Statement, cases: Iterable[Any], context: RunContext
) -> Finding:
    """The verdict about these cases, with the case on which it rests."""
    return Judgement(claim, statement, cases, context).of()


class Judgement:
    """The cases of a statement, each judged once; `of` gives the finding for all or some of
    them.
    """

    def __init__(
        self, claim: Claim, statement: Statement, cases: Iterable[Any], context: RunContext
    ) -> None:
        self.claim, self.statement, self.cases = claim, statement, list(cases)
        assumed, derive = statement.assumed(claim), context.theory.derive
        self._failing = [unmet(case, assumed, derive) for case in self.cases]
        admitted = [
            place
            for place, rows in enumerate(self._failing)
            if not rows and all(unmet(self.cases[place], [a], derive) for a in statement.violates)
        ]
        silent = statement.uninformative
        said = {p: silent and silent(claim, self.cases[p], context) for p in admitted}
        self._silent = {place: why for place, why in said.items() if why}
        self._judged: dict[int, Judged] = {}
        with balls.precision(BITS):
            spoken = [place for place in admitted if place not in self._silent]
            judged = [_certified(claim, statement, self.cases[p], context) for p in spoken]
            if not any(one.compared.refutes for one in judged):
                judged = _sampled(claim, statement, judged, context)
            self._judged = dict(zip(spoken, judged, strict=True))

    @property
    def failing(self) -> set[str]:
        """The assumptions that fail in some case."""
        return {row.name for rows in self._failing for row in rows}

    def of(self, chosen: Callable[[Any], bool] = lambda case: True) -> Finding:
        """The finding for the cases that `chosen` selects."""
        places = [place for place, case in enumerate(self.cases) if chosen(case)]
        judged = [self._judged[place] for place in places if place in self._judged]
        silent = [self._silent[place] for place in places if place in self._silent]
        failing = [self._failing[place] for place in places]
        if judged:
            outside = Counter(name for rows in failing for name in {row.name for row in rows})
            return _concluded(self.claim, self.statement, judged, len(silent), outside)
        if silent:
            case = next(self.cases[p] for p in reversed(places) if p in self._silent)
            return _uninformative(self.claim, self.statement, case, silent)
        return _inapplicable(self.claim, self.statement, [row for rows in failing for row in rows])


def compared(
    claim: Claim, statement: Statement, case: Any, context: RunContext, *, surely: bool = False
) -> Compared:
    """Judge one case that satisfies the assumptions; `surely`: without sampling."""
    with balls.precision(BITS):
        found = _certified(claim, statement, case, context)
        if found.compared.holds is None and statement.sampled and not surely:
            (found,) = _sampled(claim, statement, [found], context)
    return found.compared


def _certified(claim: Claim, statement: Statement, case: Any, context: RunContext) -> Judged:
    """Compare by the first non-sampling measurement that decides or agrees, else by the last
    tried.
    """
    found = Compared(None, -inf, "", "")
    for way in statement.actual:
        if not way.sampled and (measured := way.of(claim, case, context)) is not None:
            claimed = statement.claimed(claim, case)
            found = measured.compare(statement.relation, claimed, 0.0)
            if found.holds is not None or found.missing:
                break
    return Judged(case, found, sampled=False)


def _sampled(
    claim: Claim, statement: Statement, judged: list[Judged], context: RunContext
) -> list[Judged]:
    """Judge the cases that are still open by sampling; they share the statement's error level."""
    ways = [way for way in statement.actual if way.sampled]
    measured = {
        place: found
        for place, one in enumerate(judged)
        if one.compared.holds is None
        # a sample cannot tell which of two contradicting claims is false
        and "contradiction" not in one.compared.evidence
        and (found := next(filter(None, (way.of(claim, one.case, context) for way in ways)), None))
    }
    if not measured:
        return judged
    level = context.plan.level(f"{claim.id} {statement.id}", len(measured))
    judged = list(judged)
    for place, found in measured.items():
        case = judged[place].case
        compared = found.compare(statement.relation, statement.claimed(claim, case), level)
        judged[place] = Judged(case, compared, sampled=True)
    return judged


def _concluded(
    claim: Claim, statement: Statement, judged: list[Judged], silent: int, outside: Counter[str]
) -> Finding:
    worst = max(judged, key=lambda one: one.badness)
    verdict = _verdict(judged)
    whole = Cover.EVERY if statement.complete else Cover.GRID
    cover = Cover.SAMPLE if any(one.sampled for one in judged) else whole
    evidence: dict[str, Any] = {**worst.case.parameters(), **worst.compared.evidence}
    evidence["cases"] = len(judged)
    if silent:
        evidence["cases_that_say_nothing"] = silent
    if outside:
        evidence["cases_outside"] = dict(outside)
    return finding_about(
        claim,
        statement,
        verdict,
        evidence,
        _sentence(statement, verdict, worst),
        Extent(cover, len(judged)),
        informative=True if statement.uninformative else None,
        leans=worst.compared.leans if verdict is Verdict.UNDECIDED else None,
        case=worst.case,
        compared=worst.compared,
        judged=tuple(judged),
    )


def _verdict(judged: list[Judged]) -> Verdict:
    if any(one.compared.refutes for one in judged):
        return Verdict.REFUTED
    if all(one.compared.holds for one in judged):
        return Verdict.HOLDS
    stands = all(one.compared.stands for one in judged)
    return Verdict.SUPPORTED if stands else Verdict.UNDECIDED


_SENTENCES = {
    Verdict.REFUTED: "the actual value is {actual}, claimed to be {relation} {claimed}",
    Verdict.HOLDS: "true in every case; in the closest one the actual value is {actual}, "
    "claimed to be {relation} {claimed}",
    Verdict.SUPPORTED: "the value seen is {actual}, claimed to be {relation} {claimed}",
    Verdict.UNDECIDED: "the value seen is {actual}, claimed to be {relation} {claimed}",
}


def _sentence(statement: Statement, verdict: Verdict, worst: Judged) -> str:
    """The statement's explanation of this verdict, filled with the numbers of the worst case. For
    an undecided statement also which way it leans and what would decide it.
    """
    words, compared = statement.explanations.get(verdict, _SENTENCES[verdict]), worst.compared
    if not compared.actual:
        return "it can be neither computed nor simulated here within this effort"
    numbers = {**worst.case.parameters(), **compared.evidence}
    shown = {name: legible(value) for name, value in numbers.items()} | compared.legible()
    told = words.format(**shown | {"relation": statement.relation.value})
    if verdict is not Verdict.UNDECIDED:
        return told
    leaning = {Leaning.FOR: "leans for: ", Leaning.AGAINST: "leans against: "}
    missing = compared.missing or (
        "" if verdict in statement.explanations else "more effort would tell"
    )
    return leaning.get(compared.leans, "") + told + (f"; {missing}" if missing else "")


def _uninformative(claim: Claim, statement: Statement, case: Any, silent: list[str]) -> Finding:
    """The finding where all cases give the trivial bound or worse, or no finite number."""
    told = {**case.parameters(), "cases": len(silent), "reason": silent[-1]}
    finite = NOT_FINITE not in silent[-1]
    return finding_about(
        claim,
        statement,
        Verdict.HOLDS if finite else None,
        told,
        silent[-1],
        Extent(Cover.GRID, len(silent)),
        informative=False,
        case=case,
    )


def _inapplicable(claim: Claim, statement: Statement, rows: list[Condition]) -> Finding:
    evidence: dict[str, Any] = {"reason": statement.inapplicable_reason}
    words = statement.inapplicable_reason
    if rows:
        evidence, words = {"failing": failing(rows)}, f"does not apply: {needs(rows)}"
    extent = Extent(Cover.GRID, 0)
    return finding_about(claim, statement, None, evidence, words, extent, applies=False)


def finding_about(
    claim: Claim,
    statement: Statement,
    verdict: Verdict | None,
    evidence: dict[str, Any],
    explanation: str,
    extent: Extent,
    **more: Any,
) -> Finding:
    return Finding(
        claim.id,
        statement.text,
        verdict,
        evidence,
        explanation,
        statement.id,
        extent,
        tuple(dict.fromkeys((*statement.rests_on, *filter(None, [evidence.get("premise")])))),
        **more,
    )
