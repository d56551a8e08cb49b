"""The output of the larger commands: the main answer first, on one screen of 80 columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from boundcheck.judging.finding import NO_BETTER
from boundcheck.pages.headline import (
    Headline,
    Section,
    failing_formulas,
    headline,
    headline_of,
    ids_with_titles,
    section_lines,
)
from boundcheck.pages.present import CHECK_HEADERS, about, arm_cell, check_row, question_line, table
from boundcheck.terminal.shared import hanging, terminal_width
from simulation.formatting import human

if TYPE_CHECKING:
    from boundcheck.calculator.bounds import Bound, CheckedAssumption
    from boundcheck.calculator.question import Question
    from boundcheck.terminal.run_simulate import Answer
    from boundcheck.theory import Theory
    from simulation.running.estimates import Estimation
    from simulation.world.instance import Instance

# -- bounds --------------------------------------------------------------------------------

MOST_LINES = 40  # lines of the first screen, at 80 columns


def first_screen(
    instance: Instance, question: Question, found: Sequence[Bound], theory: Theory
) -> Iterator[str]:
    """The questions that the theory answers, then as many other results as fit on a screen."""
    head = headline_of(found, theory, instance.label)
    opening = [about(instance), question_line(question), *_questions(head)]
    more = f" (also {len(head.elsewhere)} that do not apply here)" if head.elsewhere else ""
    waiting = list(dict.fromkeys(bound.claim for bound in found if bound.on_demand))
    slow = f"On demand, since it takes long for so many arms: {', '.join(waiting)}."
    closing = [
        *([slow] if waiting else []),
        *([f"Refuted, do not rely on: {ids_with_titles(head.refuted)}"] if head.refuted else []),
        f"Every result: --all{more}. One result, term by term: --claim ID.",
    ]
    left = MOST_LINES - height(opening) - height(closing)
    yield from opening
    yield from _fitting(head.groups, left)
    yield from closing


def _questions(head: Headline) -> Iterator[str]:
    for number, section in enumerate(head.questions, 1):
        title, *said = section_lines(section)
        yield f"{number}. {title}"
        yield from said


def _fitting(groups: Sequence[Section], room: int) -> Iterator[str]:
    """Whole groups and single results, as long as there is room for a line that counts the rest."""
    left = sum(len(group.said) for group in groups)
    for group in groups:
        title, *said = section_lines(group)
        if room < 1 + height(said[:1]) + (left > 1):
            break
        yield title
        room -= 1
        for line in said:
            if room < height([line]) + (left > 1):
                break
            yield line
            room, left = room - height([line]), left - 1
        else:
            continue
        break
    if left:
        first = left == sum(len(group.said) for group in groups)
        yield (
            f"{left} other results apply: --all"
            if first
            else f"  and {left} more that apply: --all"
        )


def height(texts: Iterable[str]) -> int:
    """Number of lines on the terminal, or at 80 columns if it is narrower."""
    width = terminal_width()
    return sum(len(hanging(text, width).splitlines()) for text in texts)


BOUNDS_HEADERS = ("claim", "arm", "value", "quantity", "here")


def bounds_screen(
    instance: Instance, question: Question, found: Sequence[Bound], *, every: bool, digits: int
) -> Iterator[Any]:
    """Every bound in one row; by arm and by term if `every`."""
    yield about(instance)
    yield question_line(question)
    refuted = dict.fromkeys((b.claim, b.instead) for b in found if b.refuted)
    found = [b for b in found if every or not b.refuted]
    rows = (_each_bound if every else _one_row_each)(found, digits, instance)
    yield table("Bounds", BOUNDS_HEADERS, rows)
    if every and (terms := _term_rows(found, digits, instance)):
        yield table("Term by term", ("claim", "arm", "term", "value"), terms)
    if every and (levels := _level_rows(found, instance)):
        yield table("Free levels, as chosen", ("claim", "arm", "level", "value"), levels)
    for claim, instead in refuted:
        use = f"; use {instead} instead" if instead else ""
        yield f"{claim}: refuted: do not rely on it{use}"
    yield from _unmet(found)
    if any(bound.informative is False for bound in found):
        yield f"trivial: {NO_BETTER}, or not a finite number"
    since = {b.claim: human(b.informative_from) for b in found if b.informative_from is not None}
    if since:
        told = ", ".join(f"{name} {value}" for name, value in since.items())
        yield f"Better than the trivial bound from this horizon on: {told}"
    if not every:
        yield "Arm by arm and term by term: --claim ID, or --json."


def simulated_screen(instance: Instance, found: Answer[Any]) -> Iterator[Any]:
    """The results of a simulation."""
    yield about(instance)
    yield found.result


ESTIMATE_HEADERS = ("explorations", "wrong", "undecided", "right", "bounds up to here")


def estimate_screen(instance: Instance, found: Answer[Estimation]) -> Iterator[Any]:
    """How often the estimator is wrong, undecided and right by number of explorations, with each
    bound at the first number that reaches it.
    """
    seen = found.result
    arm = instance.label(seen.arm, "Arm {}")
    yield about(instance)
    yield (
        f"{arm}, capacity {seen.capacity}: {seen.interval} interval, "
        f"{seen.width} width, {seen.schedule}, {seen.runs:,} runs, seed {seen.seed}"
    )
    yield table("Share of runs, by explorations of each kind", ESTIMATE_HEADERS, _sizes(found))
    yield (
        "wrong: one capacity is left, not the true one. undecided: several are left. right: the "
        f"true one is left. Allowed: wrong in at most delta = {seen.delta:g} of the runs; seen: "
        f"{human(seen.failure)}."
    )
    beyond = [bound for bound in found.bounds if _beyond(bound, int(seen.samples[-1]))]
    if beyond:
        yield f"Beyond {seen.samples[-1]:,}: " + "; ".join(map(_size, beyond))
    yield "Coverage and the rounding estimator: -o FILE.csv or --json."


def _sizes(found: Answer[Estimation]) -> Iterator[list[str]]:
    """A row for each size at which something changes or a bound is reached."""
    seen, before, last = found.result, 0, None
    rows = zip(seen.samples.tolist(), seen.wrong, seen.undecided, seen.right, strict=True)
    for n, *shares in rows:
        own = [b for b in found.bounds if not _beyond(b, n) and (not before or _beyond(b, before))]
        if own or shares != last or n == seen.samples[-1]:
            yield [f"{n:,}", *(human(float(x)) for x in shares), "; ".join(map(_size, own))]
        before, last = n, shares


def _beyond(bound: Bound, size: int) -> bool:
    return bound.value is None or bound.value > size


def _size(bound: Bound) -> str:
    state = "refuted" if bound.refuted else "applies" if bound.applies else "does not apply"
    return f"{bound.claim} {human(bound.value)} ({state}): {bound.quantity}"


def _one_row_each(found: Sequence[Bound], digits: int, instance: Instance) -> Iterator[list[str]]:
    """A quantity of a claim in one row; for several arms, the range of values."""
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
    """Whether the bounds apply on this instance, and whether they are trivial."""
    if all(bound.refuted for bound in group):
        return "refuted"
    applying = sum(bound.listed for bound in group)
    said = "no" if not applying else f"applies to {applying}"
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
        yield "no: an assumption fails (see `check`):"
        yield from (f"  {name}: {', '.join(claims)}" for name, claims in needed.items())


# -- check ---------------------------------------------------------------------------------


def check_screen(
    instance: Instance,
    question: Question,
    found: Sequence[CheckedAssumption],
    theory: Theory,
    *,
    every: bool,
    opening: bool,
) -> Iterator[Any]:
    """The main answers; what fails, with its formula and its worst arm; all rows if `every`."""
    failing = [row for row in found if not row.condition.holds]
    stated = [row for row in failing if not row.condition.implicit]
    silent = [row for row in failing if row.condition.implicit]
    yield about(instance)
    yield question_line(question)
    if opening:
        yield from _questions(headline(instance, question, theory=theory))
    if every:
        yield table("Assumptions", CHECK_HEADERS, (check_row(row, instance) for row in found))
        yield "Formulas"
        stated_as = ((row.condition.name, row.condition.assumption.statement) for row in found)
        yield from (f"  {name}: {formula}" for name, formula in dict.fromkeys(stated_as))
    else:
        yield from _failing("Stated assumptions that fail", stated, instance)
        yield from _failing("Assumptions that only the proof uses, that fail", silent, instance)
    yield from sorted({row.condition.witness for row in failing if row.condition.witness})
    unwell = {row.claim for row in stated}
    clean = [claim for claim in dict.fromkeys(row.claim for row in found) if claim not in unwell]
    yield f"All stated assumptions hold for: {', '.join(clean) or 'none'}"
    if not every and failing:
        yield "Every arm, and what holds: --all."


def _failing(title: str, rows: Sequence[CheckedAssumption], instance: Instance) -> Iterator[str]:
    if rows:
        yield title
    for formula, found in failing_formulas(rows, instance.label).items():
        yield f"  {formula}"
        yield from (f"    {told}: {', '.join(claims)}" for told, claims in found.items())
