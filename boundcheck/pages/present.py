"""Results as shown to people: tables for a terminal of 80 columns, cards, HTML, JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from boundcheck import __version__
from boundcheck.calculator.conditions import needed, side
from simulation import escaping
from simulation.escaping import one_line
from simulation.formatting import human
from simulation.numbers import decimal
from simulation.rewards.laws import described
from simulation.tables import Table, counted
from simulation.world.amounts import amount
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from boundcheck.calculator.bounds import CheckedAssumption
    from boundcheck.calculator.question import Question
    from boundcheck.judging.finding import Finding
    from boundcheck.judging.verification import Verification

SCHEMA = 1


def envelope(
    command: str, instance: Instance | None, parameters: dict[str, Any], rows: list[Any]
) -> str:
    """The JSON document that every command prints with --json, with one line for each row."""
    head = {
        "schema": SCHEMA,
        "command": command,
        "version": __version__,
        "instance": None if instance is None else instance.to_json(),
        "parameters": parameters,
    }
    opening = json.dumps(head, indent=1, allow_nan=False).removesuffix("\n}")
    # without indent, so that the C encoder is used
    lines = (f"\n  {json.dumps(row, allow_nan=False)}" for row in rows)
    return f'{opening},\n "rows": [{",".join(lines)}]\n}}'


def about(instance: Instance, named: Callable[[str], str] = one_line) -> str:
    """The instance in one line; `named` escapes its name for the output format."""
    used = sum(load > 0 for load in instance.optimal_action)
    last = instance.remaining_plays
    left = "the last play" if last == 1 else f"the last {last} plays"
    best = instance.optimal_reward
    reward = decimal(best, 6) if instance.unit is None else named(amount(instance, float(best)))
    return (
        f"{named(instance.name)}: {instance.arms} arms, {counted(instance.plays, 'play')}, "
        f"{described(instance.reward)}; optimal reward {reward}"
        f" a slot on {counted(used, 'arm')} "
        f"({named(instance.label(instance.last_arm + 1))} gets {left})"
    )


def arm_cell(instance: Instance, arm: int | None, none: str = "") -> str:
    """An arm for a table column: its name, or its number."""
    return none if arm is None else instance.label(arm, "{}")


TO_THE_RIGHT = ("arm", "value", "needs", "margin")


def table(title: str, headers: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """A table of text; columns of numbers are right-aligned."""
    return Table(title, headers, list(rows), TO_THE_RIGHT)


CHECK_HEADERS = ("claim", "assumption", "arm", "value", "needs", "margin", "holds")


def check_row(row: CheckedAssumption, instance: Instance) -> list[str]:
    condition = row.condition
    return [
        row.claim,
        condition.name + (" (implicit)" if condition.implicit else ""),
        arm_cell(instance, condition.arm),
        side(condition.lhs),
        needed(condition),
        "" if condition.margin is None or condition.margin == "-inf" else human(condition.margin),
        "yes" if condition.holds else "NO",
    ]


def question_line(question: Question) -> str:
    """The question in one line, for every command."""
    return ", ".join(
        f"{name} {human(value)}"
        for name, value in question.to_json().items()
        if value is not None and name != "digits"
    )


VERIFY_HEADERS = ("claim", "verdict", "statement")


def verify_row(finding: Finding, told: str) -> list[str]:
    """A finding for people: the statement, and what was found."""
    return [finding.claim, finding.answer, f"[{finding.reading}] {told}"]


def verdicts_markdown(found: Verification) -> str:
    """The verdict table as markdown; the same run gives the same bytes."""
    rows = (
        (f.claim, f"**{f.answer}**", f.reading, found.told(f, escaping.markdown))
        for f in found.findings
    )
    return "\n".join(
        [
            f"# Verdicts on {escaping.code(found.instance.name)}",
            "",
            about(found.instance, escaping.markdown),
            "",
            f"Effort {found.effort.name}, seed {found.seed}, boundcheck {__version__}. "
            f"{found.budget}.",
            "",
            Table("", ("claim", "verdict", "reading", "what was found"), list(rows), ()).markdown(
                padded=False
            )
            + "\n",
        ]
    )


def json_cell(value: Any) -> Any:
    """A value for JSON: infinities and nan become text."""
    return repr(value) if isinstance(value, float) and not isfinite(value) else value
