"""What the larger commands show in a terminal: the answer first, on one screen of 80 columns."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from boundcheck.finding import Role, Severity, Verdict, gravest
from boundcheck.present import (
    CHECK_HEADERS,
    VERIFY_HEADERS,
    about,
    arm_cell,
    budget_line,
    check_row,
    human,
    needs,
    power_of_ten,
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
    yield ", ".join(
        f"{name} {human(value)}"
        for name, value in question.to_json().items()
        if value is not None and name != "digits"
    )
    shown = _each_bound if every else _one_row_each
    rows = shown(found, digits, instance)
    yield table("Bounds", BOUNDS_HEADERS, rows)
    if every and (terms := _term_rows(found, digits, instance)):
        yield table("Term by term", ("claim", "arm", "term", "value"), terms)
    if every and (levels := _level_rows(found, instance)):
        yield table("Free levels, as chosen", ("claim", "arm", "level", "value"), levels)
    yield from _unmet(found)
    if any(bound.vacuous for bound in found):
        yield "trivial: weaker than what is trivially true"
    since = {b.claim: human(b.nonvacuous_from) for b in found if b.nonvacuous_from is not None}
    if since:
        told = ", ".join(f"{name} {value}" for name, value in since.items())
        yield f"Says more than what is trivially true from this horizon on: {told}"
    if not every:
        yield "Arm by arm and term by term: --claim ID, or --json."


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
    return f"{said}, trivial" if all(bound.vacuous for bound in group) else said


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
    instance: Instance, found: Sequence[CheckedAssumption], *, every: bool
) -> Iterator[Any]:
    """What fails, by its worst arm; all rows if `every`; then who is well."""
    failing = [row for row in found if not row.condition.holds]
    stated = [row for row in failing if not row.condition.implicit]
    silent = [row for row in failing if row.condition.implicit]
    yield about(instance)
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
    needed: dict[tuple[str, str], list[Condition]] = defaultdict(list)
    for row in rows:
        needed[row.claim, row.condition.name].append(row.condition)
    shared: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for (claim, name), conditions in needed.items():
        worst = max(conditions, key=_distance)
        arm = arm_cell(instance, worst.arm)
        shared[name, arm, side(worst.lhs), needs(worst)].append(claim)
    for cells, claims in shared.items():
        yield [*cells, ", ".join(claims)]


def _distance(condition: Condition) -> float:
    """How far a condition is from holding, in powers of ten where both sides are numbers."""
    lhs, rhs = power_of_ten(str(condition.lhs)), power_of_ten(str(condition.rhs))
    return 0.0 if lhs == rhs or isnan(lhs - rhs) else abs(lhs - rhs)


# -- verify --------------------------------------------------------------------------------

SAYS = {
    Verdict.REFUTED: "a certified counterexample, or evidence at the stated level",
    Verdict.INCONCLUSIVE: "left open at this effort",
    Verdict.CONSISTENT: "observation does not contradict it",
    Verdict.HOLDS: "decided by exact or certified computation",
    Verdict.VACUOUS: "true, but weaker than what is trivially true",
    Verdict.NOT_APPLICABLE: "an assumption fails, or no case of it arises here",
}


def verify_screen(found: Verification, *, full: bool) -> Iterator[Any]:
    """One line a claim, worst first; every statement with its evidence if `full`."""
    yield about(found.instance)
    if full:
        title = f"Verdicts, {found.effort.name} effort"
        yield table(title, VERIFY_HEADERS, map(verify_row, found.findings))
        yield budget_line(found.budget)
        return
    every = list(standings(found))
    for verdict in Verdict:
        if members := [row for row in every if row[1] is verdict]:
            yield f"{verdict}: {SAYS[verdict]}"
            for claim, _, severity, title in members:
                wrong = "" if severity is None else f" ({severity})"
                yield f"  {claim + wrong:<21} {title}"[:80]
    yield budget_line(found.budget)
    told = "Every statement with its evidence: --full. One claim: --claim ID."
    if worst := _gravest(severity for _, severity in found.refutations):
        told = f"{worst}: {worst.meaning}. {told}"
    yield told


def findings_screen(found: Verification) -> Iterator[Any]:
    """What a report found, in a few lines."""
    every = list(standings(found))
    counts = Counter(verdict for _, verdict, _, _ in every)
    statements, effort = len(found.findings), found.effort.name
    yield about(found.instance)
    yield f"{len(every)} claims were checked in {statements} statements, {effort} effort:"
    yield from (f"  {counts[v]:>3} {v}: {SAYS[v]}" for v in Verdict if counts[v])
    wrong = [row for row in every if row[2] is not None or row[1] is Verdict.REFUTED]
    if wrong:
        yield "Something fails, as the word after each says:"
    for claim, verdict, severity, title in wrong:
        yield f"  {claim} ({severity or verdict}): {title}"[:80]
    yield budget_line(found.budget)


def standings(found: Verification) -> Iterator[tuple[str, Verdict, Severity | None, str]]:
    """claim, the verdict of what its authors mean, what is wrong with it here, its title."""
    cards, refutations = found.lab.cards, found.refutations
    for claim in dict.fromkeys(finding.claim for finding in found.findings):
        meant = [f.verdict for f in found.of(claim) if f.role is Role.INTENDED]
        verdict = gravest(meant or [f.verdict for f in found.of(claim)])
        wrong = _gravest(severity for f, severity in refutations if f.claim == claim)
        yield claim, verdict, wrong, cards[claim].title if claim in cards else ""


def _gravest(severities: Iterable[Severity | None]) -> Severity | None:
    found = set(severities)
    return next((severity for severity in Severity if severity in found), None)
