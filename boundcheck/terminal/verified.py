"""The output of `verify` and `report`: verdicts, gravest first, on one screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from boundcheck.judging.finding import ANSWERS, DOES_NOT_APPLY, Verdict, in_short
from boundcheck.judging.verification import ClaimOutcome, Verification
from boundcheck.pages.present import VERIFY_HEADERS, about, question_line, table, verify_row
from boundcheck.terminal.screens import MOST_LINES, height


def verify_screen(found: Verification, *, full: bool) -> Iterator[Any]:
    """One line for each claim, gravest first; every statement with its evidence if `full`."""
    yield about(found.instance)
    yield question_line(found.question)
    if full:
        title = f"Verdicts, {found.effort.name} effort"
        yield table(title, VERIFY_HEADERS, (verify_row(f, found.told(f)) for f in found.findings))
        yield str(found.budget)
        return
    closing = [
        str(found.budget),
        "Every statement with its evidence: --full. One claim: --claim ID.",
    ]
    yield from _groups(
        found, MOST_LINES - height([about(found.instance), question_line(found.question)])
    )
    yield from closing


def _groups(found: Verification, room: int) -> Iterator[str]:
    """A line for each claim, gravest group first; if there are too many, the last groups become
    paragraphs.
    """
    room -= height([str(found.budget), "One claim: --claim ID."])
    answers = [
        (group, [outcome for outcome in found.outcomes if outcome.here.answer == group])
        for group in ANSWERS
    ]
    answers = [(group, members) for group, members in answers if members]
    texts = [[_heading(group), *map(_line, members)] for group, members in answers]
    for place in reversed(range(len(answers))):
        group, members = answers[place]
        total = height(line for text in texts for line in text)
        if group == DOES_NOT_APPLY or (total > room and group != Verdict.REFUTED):
            told = ", ".join(_in_passing(x, title=group != DOES_NOT_APPLY) for x in members)
            texts[place] = [_heading(group), f"  {told}"]
    for text in texts:
        yield from text


def _heading(group: str) -> str:
    """An answer and its meaning, in one line."""
    meaning = in_short(group)
    return f"{group}, {meaning}" if meaning.startswith("or ") else f"{group}: {meaning}"


def _line(outcome: ClaimOutcome) -> str:
    note = f" [{outcome.note}]" if outcome.note else ""
    return f"  {outcome.card.id:<15} {outcome.card.title}{note}"


def _in_passing(outcome: ClaimOutcome, *, title: bool) -> str:
    told = [outcome.card.title] * title + [outcome.note] * bool(outcome.note)
    return f"{outcome.card.id} ({'; '.join(told)})" if told else outcome.card.id


def findings_screen(found: Verification) -> Iterator[Any]:
    """The results of a report, in a few lines."""
    counts = Counter(outcome.here.answer for outcome in found.outcomes)
    yield about(found.instance)
    yield f"{found.checked}, {found.effort.name} effort:"
    yield from (f"  {counts[g]:>3} {g}: {says}" for g, says in ANSWERS.items() if counts[g])
    wrong = [o for o in found.outcomes if o.severity is not None or o.here.answer == "refuted"]
    if wrong:
        yield "Problems (type in parentheses):"
    for outcome in wrong:
        kind = "refuted" if outcome.severity is None else outcome.severity.phrase
        yield f"  {outcome.card.id} ({kind}): {outcome.card.title}"
    yield str(found.budget)
