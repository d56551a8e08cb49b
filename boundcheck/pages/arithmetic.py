"""A counterexample computed step by step: assumptions in numbers, the published number term by term
and the true one, and commands that compute both again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from boundcheck.calculator.bounds import Bound, bounds_of, check
from boundcheck.calculator.numbers import balls
from boundcheck.calculator.numbers.evaluate import BALLS, EXACT
from boundcheck.calculator.question import Question
from boundcheck.calculator.setting import exact_setting
from boundcheck.calculator.values import enough_bits, term_values
from boundcheck.claims.card import Claim
from boundcheck.claims.symbols import epsilon
from boundcheck.judging.finding import Finding, Verdict
from boundcheck.judging.statement import Case
from boundcheck.proof_steps.ledger import steps
from simulation.formatting import human
from simulation.numbers import decimal, exact
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from boundcheck.theory import Theory

DIGITS = 12
_SHOWN_ELSEWHERE = ("actual", "claimed", "cases", "method", "bound", "detectable")


@dataclass(frozen=True)
class Explanation:
    """A theory's explanation of a counterexample, and the proof steps that decide what it says; if
    `instance` is set, for that instance only.
    """

    sentences: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    instance: Instance | None = None

    def about(self, found: Instance) -> bool:
        """Whether it is about this instance; the name does not matter."""
        return self.instance is None or self.instance.with_(name=found.name) == found


@dataclass(frozen=True)
class Arithmetic:
    """The computation for a refuted statement on its counterexample."""

    statement: str
    conditions: list[list[str]]
    published: list[list[str]]
    total: str | None
    claimed: str
    actual: str
    how: list[list[str]]  # what the actual number was computed from
    # results on which it rests, term by term
    premises: list[tuple[Claim, list[list[str]], str | None]]
    commands: list[str]
    sentences: tuple[str, ...] = ()
    decided: tuple[tuple[str, str, str], ...] = ()  # steps of the ledger: id, statement, verdict


def worked_out(
    card: Claim, finding: Finding, theory: Theory, file: str | None, words: Explanation
) -> Arithmetic | None:
    """The computation, or None if there is no counterexample to show."""
    case, compared = finding.case, finding.compared
    if case is None or compared is None or finding.verdict is not Verdict.REFUTED:
        return None
    rows, total = summands(card, case, theory)
    premises = [theory.cards[name] for name in finding.rests_on if name in theory.cards]
    told = set(case.parameters())
    said = words if words.about(case.instance) else Explanation()
    return Arithmetic(
        finding.statement,
        list(_conditions(card, case, theory)),
        rows,
        total,
        human(compared.claimed),
        compared.actual,
        [
            [name.replace("_", " "), _value(value)]
            for name, value in finding.evidence.items()
            if name not in (*_SHOWN_ELSEWHERE, *told)
        ],
        [(premise, *summands(premise, case, theory)) for premise in premises],
        list(_commands(card, case, premises, file)),
        said.sentences,
        tuple(_decided(said.steps, theory)),
    )


def summands(card: Claim, case: Case, theory: Theory) -> tuple[list[list[str]], str | None]:
    """The first number of a card on a case, term by term and arm by arm, and their sum."""
    question = replace(case.question, digits=DIGITS)
    found = bounds_of([card], case.instance, question, theory, since=False)
    bound = next((b for b in found if b.arm in (None, case.arm) and b.value is not None), None)
    if bound is None:
        return [], None
    rows = [row for row in _rows(card, bound, case, question, theory) if row]
    return rows, human(bound.value)


def _rows(
    card: Claim, bound: Bound, case: Case, question: Question, theory: Theory
) -> Iterator[list[str]]:
    setting = exact_setting(case.instance, question, theory.derive)
    if bound.epsilon is not None:
        setting = setting.given({epsilon: EXACT.constant(exact(str(bound.epsilon)))})
    whole = bound.arm is not None or bound.levels
    for term, (name, value) in zip(card.quantities[0].terms, bound.terms, strict=True):
        ranks = [] if whole or term.over is None else setting.ranks_in(term.over)
        if not ranks:
            empty = term.over is not None and not whole
            yield [name, "no arm" if empty else str(bound.arm or "-"), human(value)]
            continue
        with balls.precision(enough_bits(setting, DIGITS)):
            values = term_values(replace(term, over=None), setting, BALLS, ranks)[0]
            for rank, x in zip(ranks, values, strict=True):
                arm = case.instance.order[rank - 1] + 1
                yield [name, str(arm), human(balls.midpoint(x, DIGITS))]


def _conditions(card: Claim, case: Case, theory: Theory) -> Iterator[list[str]]:
    found = check(case.instance, case.question, [card], theory=theory)
    met = {checked.condition.name for checked in found}
    for assumption in (a for a in card.stated if a.name not in met):
        yield [assumption.name, assumption.statement, "no arm", "-", "yes"]
    for checked in found:
        c = checked.condition
        if case.arm is not None and c.arm not in (None, case.arm):
            continue
        relation = c.assumption.relation
        known = c.lhs or "-"
        if relation is not None and c.lhs is not None:
            known = f"{human(c.lhs)} {relation.rel_op} {human(c.rhs)}"
        name = f"{c.name} (not stated)" if c.implicit else c.name
        yield [name, c.assumption.statement, str(c.arm or "-"), known, "yes" if c.holds else "no"]


def _commands(
    card: Claim, case: Case, premises: Sequence[Claim], file: str | None
) -> Iterator[str]:
    question = case.question
    usual = type(question)()
    given = {name: getattr(question, name) for name in question.parameters()}
    flags = "".join(
        f" --{name} {decimal(value, DIGITS)}"
        for name, value in given.items()
        if value is not None and value != getattr(usual, name)
    )
    if file is not None:
        claims = "".join(f" --claim {each.id}" for each in (card, *premises) if each.quantities)
        if claims:
            yield f"boundcheck bounds {file}{claims}{flags}"
        yield f"boundcheck check {file} --claim {card.id}{flags}"
    yield f"boundcheck falsify {card.id}"


def _decided(names: Sequence[str], theory: Theory) -> Iterator[tuple[str, str, str]]:
    wanted = {step.step: step for step in steps(None, theory) if step.step in names}
    for name in names:
        yield name, wanted[name].statement, str(wanted[name].check(theory).verdict)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_value(x)}" for name, x in value.items())
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    return human(str(value)) if isinstance(value, float) else str(value)
