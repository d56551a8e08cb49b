"""How results look to people: tables for a terminal of 80 columns, cards, HTML, JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from math import inf, isfinite, isnan, log10, nan
from typing import TYPE_CHECKING, Any

from boundcheck import __version__
from simulation.files import escaping
from simulation.files.amounts import amount
from simulation.files.escaping import one_line
from simulation.numbers import decimal
from simulation.world.instance import Instance
from simulation.world.laws import described

if TYPE_CHECKING:
    from boundcheck.calculator.bounds import CheckedAssumption
    from boundcheck.calculator.conditions import Condition
    from boundcheck.calculator.question import Question
    from boundcheck.evidence.error_plan import Spent
    from boundcheck.judging.finding import Finding
    from boundcheck.judging.verification import Verification

SCHEMA = 1
MOST = 1e300  # the largest exponent that is told from larger ones


def envelope(
    command: str, instance: Instance | None, parameters: dict[str, Any], rows: list[Any]
) -> str:
    """The JSON document every command prints with --json, a line for each row."""
    head = {
        "schema": SCHEMA,
        "command": command,
        "version": __version__,
        "instance": None if instance is None else instance.to_json(),
        "parameters": parameters,
    }
    opening = json.dumps(head, indent=1, allow_nan=False).removesuffix("\n}")
    lines = (f"\n  {json.dumps(row, allow_nan=False)}" for row in rows)  # without indent: in C
    return f'{opening},\n "rows": [{",".join(lines)}]\n}}'


def human(value: object, digits: int = 4) -> str:
    """A number for people: four digits, thousands, powers of ten where it is astronomic.

    >>> human("32523720.4038017"), human("1.0250388631784935e+532"), human("inf"), human(None)
    ('32,520,000', '10^532.01', 'inf', '-')
    >>> human("32523720.4038017", 12), human("0.000012345")
    ('32,523,720.4038', '1.234e-5')
    """
    if value is None:
        return "-"
    text = str(value)
    power = power_of_ten(text)
    if isnan(power):
        return text
    if power == inf:
        return text.lower().replace("infinity", "inf")
    if power != -inf and not -11 <= power < 15:
        log = f"{power:.2f}" if abs(power) < 1e15 else f"({_exponent(text):.6g})"
        return ("-" if text.startswith("-") else "") + f"10^{log}"
    number = Decimal(text)
    rounded = Decimal(f"{number:.{digits}g}")
    if rounded == rounded.to_integral_value():
        return f"{int(rounded):,}"
    return f"{rounded.normalize():,f}" if power >= -4 else f"{number:.{digits - 1}e}"


def power_of_ten(text: str) -> float:
    """The decimal logarithm of the size of a decimal string, however large; nan of other text.

    An exponent that is itself too large for a float counts as 1e300.

    >>> power_of_ten("-1e400"), power_of_ten("inf"), power_of_ten("0"), power_of_ten("gaussian")
    (400.0, inf, -inf, nan)
    >>> human("1e-" + "9" * 400), human("-2.5e+" + "1" + "0" * 5000)
    ('10^(-1.00000e+400)', '-10^(1.00000e+5000)')
    """
    mantissa, _, _ = text.lower().partition("e")
    try:
        size = abs(float(mantissa))
    except ValueError:
        return nan
    if not 0 < size < inf:
        return inf if size else -inf
    return min(max(float(_exponent(text)), -MOST), MOST) + log10(size)


def _exponent(text: str) -> Decimal:
    """What stands after the e of a decimal string, of however many digits."""
    return Decimal(text.lower().partition("e")[2] or 0)


def about(instance: Instance, named: Callable[[str], str] = one_line) -> str:
    """The instance in one line; `named` writes its name for the place the line will stand in."""
    used = sum(load > 0 for load in instance.optimal_action)
    last = instance.remaining_plays
    left = "the last play" if last == 1 else f"the last {last} plays"
    measured = "" if instance.unit is None else f" ({named(amount(instance, 1))} each)"
    return (
        f"{named(instance.name)}: {instance.arms} arms, {_counted(instance.plays, 'play')}, "
        f"{described(instance.reward)}; optimal reward {decimal(instance.optimal_reward, 6)}"
        f"{measured} a slot on {_counted(used, 'arm')} "
        f"({named(instance.label(instance.last_arm + 1))} gets {left})"
    )


def arm_cell(instance: Instance, arm: int | None, none: str = "") -> str:
    """An arm for a column of arms: its name, or its number alone."""
    return none if arm is None else instance.label(arm, "{}")


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" + "s" * (number != 1)


LONGEST_NAME = 28  # characters in the first column of a table


def table(title: str, headers: Sequence[str], rows: Iterable[Sequence[str]]) -> Any:
    """A rich table; numbers and short words to the right, text folded."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    out = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False, padding=0)
    lines = list(rows)
    names_fit = all(len(row[0]) <= LONGEST_NAME for row in lines)  # then they are not broken
    for place, header in enumerate(headers):
        justify: Any = "right" if header in ("arm", "value", "needs", "margin") else "left"
        unbroken = place == 0 and names_fit
        out.add_column(header, justify=justify, overflow="fold", no_wrap=unbroken)
    for row in lines:
        # plain: a reading in brackets is not markup
        out.add_row(*(Text(escaping.printable(cell)) for cell in row))
    return out


CHECK_HEADERS = ("claim", "assumption", "arm", "value", "needs", "margin", "holds")
_SIGNS = {">=": ">= ", ">": "> ", "<=": "<= ", "<": "< ", "==": "= "}


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


NOTHING_TO_LEARN = "nothing to learn"


def needed(condition: Condition) -> str:
    """What an assumption asks for; an infinite limit comes of a question with one answer (d = 1)
    or of an empty term."""
    relation = condition.assumption.relation
    if condition.rhs is not None and power_of_ten(condition.rhs) == inf:
        return NOTHING_TO_LEARN
    sign = "" if relation is None else _SIGNS.get(relation.rel_op, "")
    return sign + side(condition.rhs)


def side(text: str | None) -> str:
    return human(text) if text is None or text[:1] in "-.0123456789i" else text


def asked(question: Question) -> str:
    """The question in one line, the same for every command."""
    return ", ".join(
        f"{name} {human(value)}"
        for name, value in question.to_json().items()
        if value is not None and name != "digits"
    )


VERIFY_HEADERS = ("claim", "verdict", "statement")


def verify_row(finding: Finding) -> list[str]:
    """A finding for people: what was read into the claim, and what was found."""
    told = f"[{finding.reading}] {finding.explanation}"
    return [finding.claim, finding.answer, told]


def verdicts_markdown(found: Verification) -> str:
    """The verdict table as markdown; the same run gives the same bytes."""
    rows = ((f.claim, f"**{f.answer}**", f.reading, f.explanation) for f in found.findings)
    return "\n".join(
        [
            f"# Verdicts on {escaping.code(found.instance.name)}",
            "",
            about(found.instance, escaping.markdown),
            "",
            f"Effort {found.effort.name}, seed {found.seed}, boundcheck {__version__}. "
            f"{budget_line(found.budget)}.",
            "",
            markdown_table(("claim", "verdict", "reading", "what was found"), rows),
        ]
    )


def markdown_table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [" | ".join(cell.replace("|", "\\|") for cell in cells) for cells in (headers, *rows)]
    head, *body = (f"| {line} |\n" for line in lines)
    return head + "|---" * len(headers) + "|\n" + "".join(body)


def budget_line(budget: Spent) -> str:
    return (
        f"{len(budget.checks)} statements were decided by observation; the chance that a true "
        f"one is refuted is at most {budget.total:g} (spent {budget.spent:.3g})"
    )


def finite(value: Any) -> Any:
    """A JSON-safe cell: infinities and nan as strings, everything else as it is."""
    return repr(value) if isinstance(value, float) and not isfinite(value) else value
