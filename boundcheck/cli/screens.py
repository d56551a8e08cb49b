"""What the larger commands show in a terminal: the answer first, on one screen of 80 columns."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from boundcheck.calculator.conditions import distance
from boundcheck.crossvalidate import Outcome
from boundcheck.finding import ANSWERS, DOES_NOT_APPLY
from boundcheck.present import (
    CHECK_HEADERS,
    VERIFY_HEADERS,
    about,
    arm_cell,
    budget_line,
    check_row,
    human,
    needed,
    side,
    table,
    verify_row,
)

if TYPE_CHECKING:
    from boundcheck.calculator import Bound, CheckedAssumption
    from boundcheck.calculator.conditions import Condition
    from boundcheck.commands.simulate import Answer
    from boundcheck.crossvalidate import Verification
    from boundcheck.question import Question
    from simulation.instance import Instance

# -- bounds --------------------------------------------------------------------------------

BOUNDS_HEADERS = ("claim", "arm", "value", "quantity", "here")


def bounds_screen(
    instance: Instance, question: Question, found: Sequence[Bound], *, every: bool, digits: int
) -> Iterator[Any]:
    """Every bound in one row; arm by arm and term by term if `every`."""
    yield about(instance)
    yield asked(question)
    shown = _each_bound if every else _one_row_each
    rows = shown(found, digits, instance)
    yield table("Bounds", BOUNDS_HEADERS, rows)
    if every and (terms := _term_rows(found, digits, instance)):
        yield table("Term by term", ("claim", "arm", "term", "value"), terms)
    if every and (levels := _level_rows(found, instance)):
        yield table("Free levels, as chosen", ("claim", "arm", "level", "value"), levels)
    yield from _unmet(found)
    if any(bound.informative is False for bound in found):
        yield "trivial: no better than the trivial bound, or not a finite number"
    since = {b.claim: human(b.informative_from) for b in found if b.informative_from is not None}
    if since:
        told = ", ".join(f"{name} {value}" for name, value in since.items())
        yield f"Better than the trivial bound from this horizon on: {told}"
    if not every:
        yield "Arm by arm and term by term: --claim ID, or --json."


def asked(question: Question) -> str:
    """The question in one line, the same for every command."""
    return ", ".join(
        f"{name} {human(value)}"
        for name, value in question.to_json().items()
        if value is not None and name != "digits"
    )


def simulated_screen(instance: Instance, found: Answer[Any]) -> Iterator[Any]:
    """What was simulated, and the bounds beside it."""
    yield about(instance)
    yield found.result
    if found.bounds:
        yield table("Bounds", BOUNDS_HEADERS, _each_bound(found.bounds, 4, instance))


def _one_row_each(found: Sequence[Bound], digits: int, instance: Instance) -> Iterator[list[str]]:
    """A claim's quantity in one row: of several arms, from the smallest to the largest value."""
    groups: dict[tuple[str, str], list[Bound]] = defaultdict(list)
    for bound in found:
        groups[bound.claim, bound.quantity].append(bound)
    for (claim, quantity), group in groups.items():
        numbers = sorted(b.value for b in group if b.value is not None)
        ends = dict.fromkeys(human(x, digits) for x in (numbers[:1] + numbers[-1:]))
        one = arm_cell(instance, group[0].arm, "all")
        arm = one if len(group) == 1 else f"{len(group)} arms"
        yield [claim, arm, " to ".join(ends) or "-", quantity, _here(group)]


def _each_bound(found: Iterable[Bound], digits: int, instance: Instance) -> Iterator[list[str]]:
    for bound in found:
        arm = arm_cell(instance, bound.arm, "all")
        yield [bound.claim, arm, human(bound.value, digits), bound.quantity, _here([bound])]


def _term_rows(found: Iterable[Bound], digits: int, instance: Instance) -> list[list[str]]:
    return [
        [bound.claim, arm_cell(instance, bound.arm, "all"), name, human(value, digits)]
        for bound in found
        if len(bound.terms) > 1
        for name, value in bound.terms
    ]


def _level_rows(found: Iterable[Bound], instance: Instance) -> list[list[str]]:
    from simulation.numbers import decimal

    return [
        [bound.claim, arm_cell(instance, arm, "all"), name, human(decimal(value, 6))]
        for bound in found
        for name, arm, value in bound.levels
    ]


def _here(group: Sequence[Bound]) -> str:
    """Whether the bounds may be used on this instance, and whether they say anything."""
    applying = sum(bound.applies for bound in group)
    said = "fails" if not applying else f"applies to {applying}"
    if applying == len(group):
        said = "applies"
    return f"{said}, trivial" if all(bound.informative is False for bound in group) else said


def _unmet(found: Iterable[Bound]) -> Iterator[str]:
    """The assumptions that fail, each with the claims that need it."""
    needed: dict[str, dict[str, None]] = {}
    for bound in found:
        for condition in bound.assumptions:
            if not condition.holds:
                needed.setdefault(condition.name, {})[bound.claim] = None
    if needed:
        yield "fails: an assumption does (see `check`):"
        yield from (f"  {name}: {', '.join(claims)}" for name, claims in needed.items())


# -- check ---------------------------------------------------------------------------------

WORST_HEADERS = ("assumption", "worst arm", "it is", "it needs", "claims")


def check_screen(
    instance: Instance, question: Question, found: Sequence[CheckedAssumption], *, every: bool
) -> Iterator[Any]:
    """What fails, by its worst arm; all rows if `every`; then who is well."""
    failing = [row for row in found if not row.condition.holds]
    stated = [row for row in failing if not row.condition.implicit]
    silent = [row for row in failing if row.condition.implicit]
    yield about(instance)
    yield asked(question)
    if every:
        yield table("Assumptions", CHECK_HEADERS, (check_row(row, instance) for row in found))
    elif stated:
        yield table("Stated assumptions that fail", WORST_HEADERS, _worst_rows(stated, instance))
    if silent and not every:
        title = "Assumptions only the proof uses, that fail"
        yield table(title, WORST_HEADERS, _worst_rows(silent, instance))
    yield from sorted({row.condition.witness for row in failing if row.condition.witness})
    unwell = {row.claim for row in stated}
    clean = [claim for claim in dict.fromkeys(row.claim for row in found) if claim not in unwell]
    yield f"All stated assumptions hold for: {', '.join(clean) or 'none'}"
    if silent:
        told = ", ".join(sorted({row.claim for row in silent}))
        yield f"An implicit assumption, which only the proof uses, fails for: {told}"
    if not every and failing:
        yield "Every arm, and what holds: --all."


def _worst_rows(rows: Iterable[CheckedAssumption], instance: Instance) -> Iterator[list[str]]:
    """An assumption by the arm that is farthest from it; claims that need the same share a row."""
    needing: dict[tuple[str, str], list[Condition]] = defaultdict(list)
    for row in rows:
        needing[row.claim, row.condition.name].append(row.condition)
    shared: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for (claim, name), conditions in needing.items():
        worst = max(conditions, key=distance)
        arm = arm_cell(instance, worst.arm)
        shared[name, arm, side(worst.lhs), needed(worst)].append(claim)
    for cells, claims in shared.items():
        yield [*cells, ", ".join(claims)]


# -- verify --------------------------------------------------------------------------------


def verify_screen(found: Verification, *, full: bool) -> Iterator[Any]:
    """One line a claim, worst first; every statement with its evidence if `full`."""
    yield about(found.instance)
    yield asked(found.question)
    if full:
        title = f"Verdicts, {found.effort.name} effort"
        yield table(title, VERIFY_HEADERS, map(verify_row, found.findings))
        yield budget_line(found.budget)
        return
    for group, meaning in ANSWERS.items():
        members = [outcome for outcome in found.outcomes if outcome.here.answer == group]
        if group == DOES_NOT_APPLY and members:
            told = ", ".join(_in_passing(outcome) for outcome in members)
            yield f"{group} ({meaning}):\n  {told}"
        elif members:
            yield f"{group}: {meaning}"
            yield from map(_line, members)
    yield budget_line(found.budget)
    yield "Every statement with its evidence: --full. One claim: --claim ID."


def _line(outcome: Outcome) -> str:
    note = f" [{outcome.note}]" if outcome.note else ""
    return f"  {outcome.card.id:<15} {outcome.card.title}{note}"


def _in_passing(outcome: Outcome) -> str:
    return f"{outcome.card.id} ({outcome.note})" if outcome.note else outcome.card.id


def findings_screen(found: Verification) -> Iterator[Any]:
    """What a report found, in a few lines."""
    counts = Counter(outcome.here.answer for outcome in found.outcomes)
    claims, statements = len(found.outcomes), len(found.findings)
    yield about(found.instance)
    yield f"{claims} claims were checked in {statements} statements, {found.effort.name} effort:"
    yield from (f"  {counts[g]:>3} {g}: {says}" for g, says in ANSWERS.items() if counts[g])
    wrong = [o for o in found.outcomes if o.severity is not None or o.here.answer == "refuted"]
    if wrong:
        yield "Problems (type in parentheses):"
    for outcome in wrong:
        kind = "refuted" if outcome.severity is None else outcome.severity.phrase
        yield f"  {outcome.card.id} ({kind}): {outcome.card.title}"
    yield budget_line(found.budget)
