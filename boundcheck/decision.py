"""The one place where a statement is judged: `decide` for given cases, `search` for drawn ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from math import inf
from typing import Any

from boundcheck.calculator.conditions import Condition, conditions
from boundcheck.claim import Assumption, Claim
from boundcheck.finding import Cover, Extent, Finding, Verdict
from boundcheck.lab import Lab
from boundcheck.measured import Compared, legible
from boundcheck.numbers import balls
from boundcheck.question import Question
from boundcheck.search import SearchLimit, hunt, simplest
from boundcheck.setting import Derive, exact_setting
from boundcheck.statement import Case, Quantifier, Statement
from simulation.instance import Instance

BITS = 256  # of all certified measurements
_FAR = -1e4  # the score of a case outside the domain


def unmet(
    case: Case, assumptions: Iterable[Assumption], derive: Derive | None = None
) -> list[Condition]:
    """The assumptions that fail for this case, decided exactly or by enclosures."""
    return [
        row
        for assumption in assumptions
        for row in _states(assumption, case.instance, case.question, derive)
        if not row.holds and (case.arm is None or row.arm in (None, case.arm))
    ]


@lru_cache(maxsize=4096)
def _states(
    assumption: Assumption, instance: Instance, question: Question, derive: Derive | None
) -> tuple[Condition, ...]:
    """An assumption on an instance, decided once for all cases that speak of its arms."""
    setting = exact_setting(instance, question, derive)
    return tuple(conditions(assumption, instance, setting, question.digits))


@dataclass(frozen=True)
class Judged:
    """A case with what was found of it."""

    case: Any
    compared: Compared
    sampled: bool

    @property
    def badness(self) -> tuple[bool, bool, float]:
        """Refuted last, then open, then the narrowest."""
        return self.compared.refutes, self.compared.true is None, self.compared.excess


def decide(claim: Claim, statement: Statement, cases: Iterable[Any], lab: Lab) -> Finding:
    """The verdict about these cases, and the case it rests on."""
    assumed, derive = statement.assumed(claim), lab.theory.derive
    failing = [(case, unmet(case, assumed, derive)) for case in cases]
    admitted = [
        case
        for case, rows in failing
        if not rows and all(unmet(case, [a], derive) for a in statement.violates)
    ]
    if not admitted:
        return _not_applicable(claim, statement, [row for _, rows in failing for row in rows])
    silent = [statement.vacuous and statement.vacuous(claim, case, lab) for case in admitted]
    spoken = [case for case, why in zip(admitted, silent, strict=True) if not why]
    if not spoken:
        told = {**admitted[-1].told(), "cases": len(admitted)}
        extent = Extent(Cover.GRID, len(admitted))
        return _finding(claim, statement, Verdict.VACUOUS, told, str(silent[-1]), extent)
    with balls.precision(BITS):
        judged = [_certified(claim, statement, case, lab) for case in spoken]
        if not any(one.compared.refutes for one in judged):
            judged = _sampled(claim, statement, judged, lab)
    outside = Counter(name for _, rows in failing for name in {row.name for row in rows})
    return _concluded(claim, statement, judged, len(admitted) - len(spoken), outside)


def compared(
    claim: Claim, statement: Statement, case: Any, lab: Lab, *, surely: bool = False
) -> Compared:
    """One case that is known to be admitted; `surely`: without sampling."""
    with balls.precision(BITS):
        found = _certified(claim, statement, case, lab)
        if found.compared.true is None and statement.sampled and not surely:
            (found,) = _sampled(claim, statement, [found], lab)
    return found.compared


def _certified(claim: Claim, statement: Statement, case: Any, lab: Lab) -> Judged:
    """The first way without sampling that decides or agrees, else the last that was tried."""
    found = Compared(None, -inf, "", "")
    for way in statement.actual:
        if not way.sampled and (measured := way.of(claim, case, lab)) is not None:
            claimed = statement.claimed(claim, case)
            found = measured.beside(statement.relation, claimed, 0.0)
            if found.true is not None or found.detectable is not None:
                break
    return Judged(case, found, sampled=False)


def _sampled(claim: Claim, statement: Statement, judged: list[Judged], lab: Lab) -> list[Judged]:
    """What is still open, observed; the level is shared between the cases observed."""
    ways = [way for way in statement.actual if way.sampled]
    measured = {
        place: found
        for place, one in enumerate(judged)
        if one.compared.true is None
        and (found := next(filter(None, (way.of(claim, one.case, lab) for way in ways)), None))
    }
    if not measured:
        return judged
    level = lab.plan.level(f"{claim.id} {statement.id}", len(measured))
    judged = list(judged)
    for place, found in measured.items():
        case = judged[place].case
        compared = found.beside(statement.relation, statement.claimed(claim, case), level)
        judged[place] = Judged(case, compared, sampled=True)
    return judged


def _concluded(
    claim: Claim, statement: Statement, judged: list[Judged], silent: int, outside: Counter[str]
) -> Finding:
    worst = max(judged, key=lambda one: one.badness)
    verdict = _verdict(statement, judged)
    if statement.quantifier is Quantifier.SOME and verdict is Verdict.HOLDS:
        worst = next(one for one in judged if one.compared.true)
    whole = Cover.EVERY if statement.complete else Cover.GRID
    cover = Cover.SAMPLE if any(one.sampled for one in judged) else whole
    evidence: dict[str, Any] = {**worst.case.told(), **worst.compared.evidence}
    evidence["cases"] = len(judged)
    if silent:
        evidence["cases_that_say_nothing"] = silent
    if outside:
        evidence["cases_outside"] = dict(outside)
    if worst.compared.detectable is not None:
        evidence["detectable"] = worst.compared.detectable
    return _finding(
        claim,
        statement,
        verdict,
        evidence,
        _sentence(statement, verdict, worst),
        Extent(cover, len(judged)),
        case=worst.case,
        compared=worst.compared,
        judged=tuple(judged),
    )


def _verdict(statement: Statement, judged: list[Judged]) -> Verdict:
    if statement.quantifier is Quantifier.SOME:
        if any(one.compared.true for one in judged):
            return Verdict.HOLDS
        all_fail = statement.complete and all(one.compared.refutes for one in judged)
        return Verdict.REFUTED if all_fail else Verdict.INCONCLUSIVE
    if any(one.compared.refutes for one in judged):
        return Verdict.REFUTED
    if all(one.compared.true for one in judged):
        return Verdict.HOLDS
    seen = all(one.compared.true or one.compared.detectable is not None for one in judged)
    return Verdict.CONSISTENT if seen else Verdict.INCONCLUSIVE


_SENTENCES = {
    Verdict.REFUTED: "the actual value is {actual}, claimed to be {relation} {claimed}",
    Verdict.HOLDS: "true in every case; in the closest one the actual value is {actual}, "
    "claimed to be {relation} {claimed}",
    Verdict.CONSISTENT: "the value seen is {actual}, claimed to be {relation} {claimed}",
    Verdict.INCONCLUSIVE: "the value seen is {actual}, claimed to be {relation} {claimed}: "
    "more effort would tell",
}


def _sentence(statement: Statement, verdict: Verdict, worst: Judged) -> str:
    """The statement's own words for this outcome, with any number told of the worst case."""
    words, compared = statement.seen.get(verdict, _SENTENCES[verdict]), worst.compared
    numbers = {**worst.case.told(), **compared.evidence}
    numbers["actual"] = compared.actual or "nothing that could be computed"
    numbers |= {"claimed": compared.claimed, "relation": statement.relation.value}
    return words.format(**{name: legible(value) for name, value in numbers.items()})


def _not_applicable(claim: Claim, statement: Statement, rows: list[Condition]) -> Finding:
    evidence: dict[str, Any] = {"reason": statement.nowhere}
    words = statement.nowhere
    if rows:
        distinct = {(row.name, row.arm): row for row in rows}.values()
        failing = [
            {"name": c.name, "arm": c.arm, "value": c.lhs, "needs": c.rhs, "margin": c.margin}
            for c in distinct
        ]
        names = dict.fromkeys(row.name for row in distinct)
        evidence, words = {"unmet": failing}, f"assumptions that fail: {', '.join(names)}"
    extent = Extent(Cover.GRID, 0)
    return _finding(claim, statement, Verdict.NOT_APPLICABLE, evidence, words, extent)


def _finding(
    claim: Claim,
    statement: Statement,
    verdict: Verdict,
    evidence: dict[str, Any],
    explanation: str,
    extent: Extent,
    **more: Any,
) -> Finding:
    return Finding(
        claim.id,
        statement.words,
        verdict,
        evidence,
        explanation,
        statement.id,
        extent,
        statement.rests_on,
        **more,
    )


@dataclass
class _Hunter:
    """A statement as a search sees it: is a case in its domain, how close, does it fail?"""

    claim: Claim
    statement: Statement
    lab: Lab
    model: tuple[Assumption, ...]
    looked_at: int = 0

    def compared(self, case: Any, *, surely: bool = False) -> Compared | None:
        """None outside the domain; `surely`: without sampling."""
        with balls.precision(BITS):
            if not self._admits(case):
                return None
        return compared(self.claim, self.statement, case, self.lab, surely=surely)

    def _admits(self, case: Any) -> bool:
        statement, derive = self.statement, self.lab.theory.derive
        return (
            not unmet(case, (*self.model, *statement.assumed(self.claim)), derive)
            and all(unmet(case, [a], derive) for a in statement.violates)
            and not (statement.vacuous and statement.vacuous(self.claim, case, self.lab))
        )

    def score(self, case: Any) -> float:
        found = self.compared(case)
        self.looked_at += found is not None
        return _FAR if found is None else max(found.excess, _FAR)

    def fails(self, case: Any, *, surely: bool = False) -> bool:
        found = self.compared(case, surely=surely)
        return found is not None and found.refutes

    def first_of(self, cases: Iterable[Any], limit: SearchLimit) -> Any:
        for case in cases:
            if limit.late:
                break
            if self.score(case) > 0 and self.fails(case):
                return case
        return None


def search(
    claim: Claim,
    statement: Statement,
    lab: Lab,
    limit: SearchLimit,
    model: Sequence[Assumption] = (),
) -> Finding:
    """Look for a case that refutes: the known hard ones, suspects, then drawn ones; simplify it.

    Floats and other random numbers only suggest. The verdict comes from `decide`. What is claimed
    of some case is shown by a known one.
    """
    if statement.quantifier is Quantifier.SOME:
        return decide(claim, statement, statement.hard(), lab)
    binding = tuple(a for a in model if a.name not in {v.name for v in statement.violates})
    hunter = _Hunter(claim, statement, lab.elsewhere() if statement.sampled else lab, binding)
    example = hunter.first_of(statement.hard(), limit)
    if example is None and statement.suspects is not None:
        looked_at, suspected = statement.suspects(claim, limit.seed, limit.examples)
        example = hunter.first_of(suspected, limit)
        hunter.looked_at += looked_at - len(suspected)
    if example is None and statement.drawn is not None:
        example, _ = hunt(statement.drawn(), hunter.score, hunter.fails, limit)
    extent = Extent(Cover.SEARCH, hunter.looked_at)
    if example is None and not hunter.looked_at:  # what is outside the domain was not looked at
        words = "no example satisfied its assumptions: more would tell"
        return _finding(claim, statement, Verdict.INCONCLUSIVE, {}, words, extent)
    if example is None:
        seen = {"method": "search", "examples": extent.cases}
        seen["detectable"] = "a counterexample among these cases"
        words = f"no counterexample among {extent.cases:,} cases"
        return _finding(claim, statement, Verdict.CONSISTENT, seen, words, extent)
    # what is certain is not simplified into what is only observed
    fails = partial(hunter.fails, surely=hunter.fails(example, surely=True))
    case = simplest(example, type(example).simpler, fails, limit)
    return replace(decide(claim, statement, [case], lab), extent=extent)
