"""What the larger commands show in a terminal: the answer first, on one screen of 80 columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from boundcheck.finding import Role, Severity, Verdict, gravest
from boundcheck.present import (
    CHECK_HEADERS,
    VERIFY_HEADERS,
    about,
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
    from boundcheck.crossvalidate import Verification
    from boundcheck.question import Question
    from simulation.instance import Instance

# -- bounds --------------------------------------------------------------------------------

BOUNDS_HEADERS = ("claim", "arm", "value", "quantity", "here")


def bounds_screen(
    instance: Instance, question: Question, found: Sequence[Bound], *, every: bool, digits: int
) -> list[Any]:
    """Every bound in one row; arm by arm and term by term if `every`."""
    asked = ", ".join(
        f"{name} {human(value)}"
        for name, value in question.to_json().items()
        if value is not None and name != "digits"
    )
    rows = each_bound(found, digits) if every else one_row_each(found, digits)
    parts: list[Any] = [about(instance), asked, table("Bounds", BOUNDS_HEADERS, rows)]
    if every and (terms := term_rows(found, digits)):
        parts.append(table("Term by term", ("claim", "arm", "term", "value"), terms))
    if every and (levels := level_rows(found)):
        parts.append(table("Free levels, as chosen", ("claim", "arm", "level", "value"), levels))
    parts += _unmet(found)
    if any(bound.vacuous for bound in found):
        parts.append("trivial: weaker than what is trivially true")
    since = {b.claim: human(b.nonvacuous_from) for b in found if b.nonvacuous_from is not None}
    if since:
        told = ", ".join(f"{name} {value}" for name, value in since.items())
        parts.append(f"Says more than what is trivially true from this horizon on: {told}")
    if not every:
        parts.append("Arm by arm and term by term: --claim ID, or --json.")
    return parts


def one_row_each(found: Sequence[Bound], digits: int) -> Iterator[list[str]]:
    """A claim's quantity in one row: of several arms, from the smallest to the largest value."""
    groups: dict[tuple[str, str], list[Bound]] = defaultdict(list)
    for bound in found:
        groups[bound.claim, bound.quantity].append(bound)
    for (claim, quantity), group in groups.items():
        numbers = sorted((b.value for b in group if b.value is not None), key=_signed)
        ends = dict.fromkeys(human(x, digits) for x in (numbers[:1] + numbers[-1:]))
        arm = str(group[0].arm or "all") if len(group) == 1 else f"{len(group)} arms"
        yield [claim, arm, " to ".join(ends) or "-", quantity, _here(group)]


def _signed(value: object) -> tuple[bool, float]:
    power = power_of_ten(str(value))
    negative = str(value).startswith("-")
    return not negative, -power if negative else power


def each_bound(found: Iterable[Bound], digits: int = 4) -> Iterator[list[str]]:
    for bound in found:
        arm = str(bound.arm or "all")
        yield [bound.claim, arm, human(bound.value, digits), bound.quantity, _here([bound])]


def term_rows(found: Iterable[Bound], digits: int = 4) -> list[list[str]]:
    return [
        [bound.claim, str(bound.arm or "all"), name, human(value, digits)]
        for bound in found
        if len(bound.terms) > 1
        for name, value in bound.terms
    ]


def level_rows(found: Iterable[Bound]) -> list[list[str]]:
    from simulation.numbers import decimal

    return [
        [bound.claim, str(arm or "all"), name, human(decimal(value, 6))]
        for bound in found
        for name, arm, value in bound.levels
    ]


def _here(group: Sequence[Bound]) -> str:
    """Whether the bounds may be used on this instance, and whether they say anything."""
    applying = sum(bound.applies for bound in group)
    if applying == len(group):
        said = "applies"
    else:
        said = "fails" if not applying else f"applies to {applying}"
    return f"{said}, trivial" if all(bound.vacuous for bound in group) else said


def _unmet(found: Iterable[Bound]) -> list[str]:
    """The assumptions that fail, each with the claims that need it."""
    needed: dict[str, dict[str, None]] = {}
    for bound in found:
        for condition in bound.assumptions:
            if not condition.holds:
                needed.setdefault(condition.name, {})[bound.claim] = None
    if not needed:
        return []
    lines = [f"  {name}: {', '.join(claims)}" for name, claims in needed.items()]
    return ["fails: an assumption does (see `check`):", *lines]


# -- check ---------------------------------------------------------------------------------

WORST_HEADERS = ("assumption", "worst arm", "it is", "it needs", "claims")


def check_screen(
    instance: Instance, found: Sequence[CheckedAssumption], *, every: bool
) -> list[Any]:
    """What fails, by its worst arm; all rows if `every`; then who is well."""
    failing = [row for row in found if not row.condition.holds]
    parts: list[Any] = [about(instance)]
    if every:
        parts.append(table("Assumptions", CHECK_HEADERS, map(check_row, found)))
    else:
        for implicit, title in (
            (False, "Stated assumptions that fail"),
            (True, "Assumptions only the proof uses, that fail"),
        ):
            rows = list(worst_rows(row for row in failing if row.condition.implicit is implicit))
            if rows:
                parts.append(table(title, WORST_HEADERS, rows))
    parts += sorted({row.condition.witness for row in failing if row.condition.witness})
    stated = {row.claim for row in failing if not row.condition.implicit}
    silent = {row.claim for row in failing if row.condition.implicit}
    clean = [claim for claim in dict.fromkeys(row.claim for row in found) if claim not in stated]
    parts.append(f"All stated assumptions hold for: {', '.join(clean) or 'none'}")
    if silent:
        told = ", ".join(sorted(silent))
        parts.append(f"An implicit assumption, which only the proof uses, fails for: {told}")
    if not every and failing:
        parts.append("Every arm, and what holds: --all.")
    return parts


def worst_rows(rows: Iterable[CheckedAssumption]) -> Iterator[list[str]]:
    """An assumption by the arm that is farthest from it; claims that need the same share a row."""
    worst: dict[tuple[str, str], Condition] = {}
    for row in rows:
        key = (row.claim, row.condition.name)
        if key not in worst or distance(row.condition) > distance(worst[key]):
            worst[key] = row.condition
    shared: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for (claim, name), condition in worst.items():
        arm = "" if condition.arm is None else str(condition.arm)
        shared[name, arm, side(condition.lhs), needs(condition)].append(claim)
    for cells, claims in shared.items():
        yield [*cells, ", ".join(claims)]


def distance(condition: Condition) -> float:
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


def verify_screen(found: Verification, *, full: bool) -> list[Any]:
    """One line a claim, worst first; every statement with its evidence if `full`."""
    if full:
        rows = [verify_row(finding) for finding in found.findings]
        title = f"Verdicts, {found.effort.name} effort"
        return [
            about(found.instance),
            table(title, VERIFY_HEADERS, rows),
            budget_line(found.budget),
        ]
    lines: list[Any] = [about(found.instance)]
    groups: dict[Verdict, list[str]] = {verdict: [] for verdict in Verdict}
    for claim, verdict, severity, title in standings(found):
        wrong = "" if severity is None else f" ({severity})"
        groups[verdict].append(f"  {claim + wrong:<21} {title}"[:80])
    for verdict, members in groups.items():
        if members:
            lines += [f"{verdict}: {SAYS[verdict]}", *members]
    return [*lines, budget_line(found.budget), *_how_to_go_on(found)]


def findings_screen(found: Verification) -> list[Any]:
    """What a report found, in a few lines."""
    every = list(standings(found))
    wrong = [row for row in every if row[2] is not None or row[1] is Verdict.REFUTED]
    statements = len(found.findings)
    lines: list[Any] = [
        about(found.instance),
        f"{len(every)} claims were checked in {statements} statements, {found.effort.name} effort:",
    ]
    for verdict in Verdict:
        count = sum(row[1] is verdict for row in every)
        if count:
            lines.append(f"  {count:>3} {verdict}: {SAYS[verdict]}")
    if wrong:
        lines.append("Something fails, as the word after each says:")
        lines += [
            f"  {claim} ({severity or verdict}): {title}"[:80]
            for claim, verdict, severity, title in wrong
        ]
    return [*lines, budget_line(found.budget)]


def standings(found: Verification) -> Iterator[tuple[str, Verdict, Severity | None, str]]:
    """claim, the verdict of what its authors mean, what is wrong with it here, its title."""
    titles = {name: card.title for name, card in found.lab.cards.items()}
    wrong: dict[str, list[Severity]] = {f.claim: [] for f in found.findings}
    for finding, severity in found.refutations:
        if severity is not None:
            wrong[finding.claim].append(severity)
    order = list(Severity)
    for claim in wrong:
        meant = [f.verdict for f in found.of(claim) if f.role is Role.INTENDED]
        verdict = gravest(meant or [f.verdict for f in found.of(claim)])
        yield (
            claim,
            verdict,
            min(wrong[claim], key=order.index, default=None),
            titles.get(claim, ""),
        )


def _how_to_go_on(found: Verification) -> list[str]:
    told = "Every statement with its evidence: --full. One claim: --claim ID."
    severities = [severity for _, severity in found.refutations if severity is not None]
    if severities:
        worst = min(severities, key=list(Severity).index)
        told = f"{worst}: {worst.meaning}. {told}"
    return [told]
