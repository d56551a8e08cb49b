"""The one place where a statement is judged: `decide` for given cases, `search` for drawn ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
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
from boundcheck.statement import Case, Measurement, Quantifier, Statement
from simulation.instance import Instance

BITS = 256  # of all certified measurements
_FAR = -1e4  # the score of a case outside the domain


# -- what a case must satisfy ------------------------------------------------------------


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


# -- given cases ---------------------------------------------------------------------------


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
    every = list(cases)
    assumed, derive = statement.assumed(claim), lab.theory.derive
    failing = [(case, unmet(case, assumed, derive)) for case in every]
    admitted = [case for case, rows in failing if not rows]
    if statement.violates:
        admitted = [c for c in admitted if all(unmet(c, [a], derive) for a in statement.violates)]
    if not admitted:
        return _not_applicable(claim, statement, [row for _, rows in failing for row in rows])
    silent = {
        place: why
        for place, case in enumerate(admitted)
        if statement.vacuous is not None and (why := statement.vacuous(claim, case, lab))
    }
    spoken = [case for place, case in enumerate(admitted) if place not in silent]
    if not spoken:
        return _finding(claim, statement, Verdict.VACUOUS, _silence(silent, admitted), admitted)
    with balls.precision(BITS):
        judged = [_certified(claim, statement, case, lab) for case in spoken]
        if not any(one.compared.refutes for one in judged):
            judged = _sampled(claim, statement, judged, lab)
    outside = Counter(name for _, rows in failing for name in {row.name for row in rows})
    return _concluded(claim, statement, judged, len(silent), outside)


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
    still_open = [one for one in judged if one.compared.true is None]
    if not ways or not still_open:
        return judged
    measured = {
        id(one): found for one in still_open if (found := _observed(claim, one.case, ways, lab))
    }
    if not measured:
        return judged
    level = lab.plan.level(f"{claim.id} {statement.id}", len(measured))
    out = []
    for one in judged:
        if id(one) in measured:
            claimed = statement.claimed(claim, one.case)
            compared = measured[id(one)].beside(statement.relation, claimed, level)
            one = Judged(one.case, compared, sampled=True)
        out.append(one)
    return out


def _observed(claim: Claim, case: Any, ways: Sequence[Measurement], lab: Lab) -> Any:
    found = (way.of(claim, case, lab) for way in ways)
    return next((measured for measured in found if measured is not None), None)


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
    return Finding(
        claim.id,
        statement.words,
        verdict,
        evidence,
        _sentence(statement, verdict, worst),
        statement=statement.id,
        extent=Extent(cover, len(judged)),
        rests_on=statement.rests_on,
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


def _sentence(statement: Statement, verdict: Verdict, worst: Judged) -> str:
    """The statement's own words for this outcome, with any number told of the worst case."""
    default = {
        Verdict.REFUTED: "the actual value is {actual}, claimed to be {relation} {claimed}",
        Verdict.HOLDS: "true in every case; in the closest one the actual value is {actual}, "
        "claimed to be {relation} {claimed}",
        Verdict.CONSISTENT: "the value seen is {actual}, claimed to be {relation} {claimed}",
        Verdict.INCONCLUSIVE: "the value seen is {actual}, claimed to be {relation} {claimed}: "
        "more effort would tell",
    }
    words = statement.seen.get(verdict, default.get(verdict, ""))
    compared = worst.compared
    numbers = {**worst.case.told(), **compared.evidence}
    numbers["actual"] = compared.actual or "nothing that could be computed"
    numbers |= {"claimed": compared.claimed, "relation": statement.relation.value}
    return words.format(**{name: legible(value) for name, value in numbers.items()})


def _silence(silent: dict[int, str], admitted: Sequence[Any]) -> tuple[dict[str, Any], str]:
    place = max(silent)
    return {**admitted[place].told(), "cases": len(admitted)}, silent[place]


def _not_applicable(claim: Claim, statement: Statement, rows: list[Condition]) -> Finding:
    if not rows:
        evidence: dict[str, Any] = {"reason": statement.nowhere}
        return _finding(claim, statement, Verdict.NOT_APPLICABLE, (evidence, statement.nowhere), [])
    distinct = {(row.name, row.arm): row for row in rows}.values()
    failing = [
        {"name": c.name, "arm": c.arm, "value": c.lhs, "needs": c.rhs, "margin": c.margin}
        for c in distinct
    ]
    names = ", ".join(dict.fromkeys(str(c["name"]) for c in failing))
    told = {"unmet": failing}, f"assumptions that fail: {names}"
    return _finding(claim, statement, Verdict.NOT_APPLICABLE, told, [])


def _finding(
    claim: Claim,
    statement: Statement,
    verdict: Verdict,
    told: tuple[dict[str, Any], str],
    cases: Sequence[Any],
) -> Finding:
    return Finding(
        claim.id,
        statement.words,
        verdict,
        *told,
        statement=statement.id,
        extent=Extent(Cover.GRID, len(cases)),
        rests_on=statement.rests_on,
    )


# -- drawn cases -----------------------------------------------------------------------------


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
        derive = self.lab.theory.derive
        if unmet(case, (*self.model, *self.statement.assumed(self.claim)), derive):
            return False
        silent = self.statement.vacuous
        return all(unmet(case, [a], derive) for a in self.statement.violates) and not (
            silent is not None and silent(self.claim, case, self.lab)
        )

    def score(self, case: Any) -> float:
        found = self.compared(case)
        self.looked_at += found is not None
        return _FAR if found is None else max(found.excess, _FAR)

    def fails(self, case: Any) -> bool:
        found = self.compared(case)
        return found is not None and found.refutes

    def surely_fails(self, case: Any) -> bool:
        found = self.compared(case, surely=True)
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
        suspected = statement.suspects(claim, limit.seed, limit.examples)
        example = hunter.first_of(suspected.cases, limit)
        hunter.looked_at += suspected.looked_at - len(suspected.cases)
    if example is None and statement.drawn is not None:
        example = hunt(statement.drawn(), hunter.score, hunter.fails, limit).example
    extent = Extent(Cover.SEARCH, hunter.looked_at)
    if example is None:
        return _nothing(claim, statement, extent)
    # what is certain is not simplified into what is only observed
    fails = hunter.surely_fails if hunter.surely_fails(example) else hunter.fails
    case = simplest(example, type(example).simpler, fails, limit)
    return replace(decide(claim, statement, [case], lab), extent=extent)


def _nothing(claim: Claim, statement: Statement, extent: Extent) -> Finding:
    """No counterexample; what was never in the domain was not looked at."""
    if not extent.cases:
        told: tuple[dict[str, Any], str] = (
            {},
            "no example satisfied its assumptions: more would tell",
        )
        verdict = Verdict.INCONCLUSIVE
    else:
        seen = {"method": "search", "examples": extent.cases}
        told = seen | {"detectable": "a counterexample among these cases"}, ""
        told = told[0], f"no counterexample among {extent.cases:,} cases"
        verdict = Verdict.CONSISTENT
    return replace(_finding(claim, statement, verdict, told, ()), extent=extent)
