"""Mutants of our proofs' checks, weakened one part at a time.

A part is dropped, its `<` becomes `<=`, its region is halved, or half of its cases are left out. A
weaker check is noticed if the step's verdict changes, or if a constant with which it must be
refuted no longer refutes it; otherwise by the record of what each step states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import count, islice, product
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from sympy import oo

from boundcheck.judging.finding import Verdict
from boundcheck.proof_steps import parts
from boundcheck.proof_steps.ledger import steps
from boundcheck.proof_steps.methods import decided
from boundcheck.proof_steps.relations import Goal, Ranges
from boundcheck.proof_steps.step import Part, Step
from boundcheck.selftest.cases import cases_of
from boundcheck.selftest.outcome import Outcome, Result
from simulation.numbers import exact

if TYPE_CHECKING:
    from boundcheck.theory import Theory

KIND = "check"
RECORD = "the record of what steps state"
Weaker = Callable[[Goal], Goal | None]  # None: the formula is dropped
DROPPED = Part("identity", Verdict.HOLDS, "no formula is checked", goals=())


@dataclass(frozen=True)
class _Change:
    """A change to one formula of a step, or to its cases if `place` is None."""

    words: str
    place: int | None = None
    weaker: Weaker | None = None


def changes(step: Step, theory: Theory) -> Iterator[_Change]:
    """Every way to weaken a step's checks."""
    goals, enumerated = _looked_at(step, theory)
    for place, goal in enumerate(goals):
        words = f"formula {place + 1}"
        yield _Change(f"{words} dropped", place, lambda goal: None)
        if goal.strict:
            yield _Change(f"{words}: < becomes <=", place, _not_strict)
        if not goal.equation and goal.domain:
            yield _Change(f"{words}: region halved", place, _halved)
    if enumerated:
        yield _Change("half of the cases left out")


def check_outcomes(theory: Theory, claim: str) -> Iterator[Outcome]:
    """The outcomes of all weakened checks of a proof."""
    recorded = cases_of(theory).stated()
    for step in steps(claim, theory):
        if not step.check(theory).stands:
            continue
        for change in changes(step, theory):
            by = _noticed(step, theory, change, recorded.get(step.step))
            result = Result.UNCAUGHT if by is None else Result.CAUGHT
            words = f"{step.step}: {change.words}"
            yield Outcome(KIND, words, result, () if by is None else (by,), claim)


def _noticed(step: Step, theory: Theory, change: _Change, due: str | None) -> str | None:
    with _weakened(change):
        if not step.check(theory).stands:
            return "the step comes out otherwise"
    for name, value in step.false_with.items():
        with _weakened(change):
            if step.check(theory, **{name: value}).verdict is not Verdict.REFUTED:
                return f"{name} = {_short(value)} is no longer refuted"
    with _weakened(change):
        return RECORD if stated_digest(step, theory) != due else None


def _weakened(change: _Change) -> Any:
    """Patch one check of a step; formulas are counted in the order in which they are decided."""
    if change.weaker is None:

        def half(*lists: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
            cases = list(product(*lists))
            return islice(cases, len(cases) // 2)

        return patch.object(parts, "product", half)
    places, weaker = count(), change.weaker

    def deciding(goal: Goal) -> Part:
        if next(places) != change.place:
            return decided(goal)
        less = weaker(goal)
        return DROPPED if less is None else decided(less)

    return patch.object(parts, "decided", deciding)


def _looked_at(step: Step, theory: Theory) -> tuple[list[Goal], bool]:
    """The formulas that a step decides, and whether it enumerates cases."""
    goals: list[Goal] = []
    enumerated = []

    def keeping(goal: Goal) -> Part:
        goals.append(goal)
        return decided(goal)

    def going(*lists: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
        enumerated.append(all(lists))  # an empty enumeration has no case to leave out
        return product(*lists)

    with patch.object(parts, "decided", keeping), patch.object(parts, "product", going):
        step.check(theory)
    return goals, any(enumerated)


def _not_strict(goal: Goal) -> Goal:
    return replace(goal, relation="<=")


def _halved(goal: Goal) -> Goal:
    """The lower half of each range; an infinite one is cut to length 1."""
    ranges = {s: (low, _middle(low, high)) for s, (low, high) in goal.ranges.items()}
    return replace(goal, ranges=ranges)


def _middle(low: object, high: object) -> object:
    return exact(low) + 1 if high is oo else (exact(low) + exact(high)) / 2


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


# -- the record --------------------------------------------------------------------------------


def stated_digest(step: Step, theory: Theory) -> str:
    """A digest of what a step checks: formulas, regions, cases."""
    given = (theory,) if step.reads_card else ()
    text = "\n".join(map(_text, step.parts(*given)))
    return sha256(text.encode()).hexdigest()[:16]


def _text(part: Part) -> str:
    goals = (f"{g.lhs} {g.relation} {g.rhs} {_told(g.ranges)}" for g in part.formulas)
    return "; ".join((part.method, part.region, part.detail, *goals))


def _told(ranges: Ranges) -> str:
    return ", ".join(f"{s}: {low} to {high}" for s, (low, high) in ranges.items())


def written_down(theory: Theory) -> dict[str, str]:
    """The digests of all steps of our proofs; `make record` writes them to a file."""
    ours = (claim for claim in theory.proofs if theory.cards[claim].ours)
    return {
        step.step: stated_digest(step, theory) for claim in ours for step in steps(claim, theory)
    }
