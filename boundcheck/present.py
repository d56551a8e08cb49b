"""How results look to people: tables for a terminal of 80 columns, cards, HTML, JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from math import isfinite, log10
from typing import TYPE_CHECKING, Any

from simulation import escaping
from simulation.escaping import one_line
from simulation.instance import Instance
from simulation.numbers import decimal
from simulation.rewards import described

if TYPE_CHECKING:
    from boundcheck.calculator import Bound, CheckedAssumption
    from boundcheck.claim import Claim
    from boundcheck.crossvalidate import Verification
    from boundcheck.evidence.error_plan import Spent
    from boundcheck.finding import Finding

SCHEMA = 1


def package_version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # slow, and tables need it not

    try:
        return version("boundcheck")
    except PackageNotFoundError:  # run from a checkout that is not installed
        return "0+unknown"


def envelope(
    command: str, instance: Instance | None, parameters: dict[str, Any], rows: list[Any]
) -> str:
    """The JSON document every command prints with --json."""
    document = {
        "schema": SCHEMA,
        "command": command,
        "version": package_version(),
        "instance": None if instance is None else instance.to_json(),
        "parameters": parameters,
        "rows": rows,
    }
    return json.dumps(document, indent=1, allow_nan=False)


def human(text: str | None, digits: int = 6) -> str:
    """A decimal string for people: six digits, and powers of ten where it is astronomic.

    >>> human("32523720.4038017"), human("1.0250388631784935e+532"), human("inf"), human(None)
    ('32523700', '10^532.01', 'inf', '-')
    """
    if text is None:
        return "-"
    mantissa, _, exponent = text.lower().partition("e")
    try:
        size = abs(float(mantissa))
    except ValueError:
        return text
    if not isfinite(size):
        return mantissa.replace("infinity", "inf")
    power = int(exponent or 0) + log10(size) if size else 0.0
    if not -11 <= power < 15:
        log = f"{power:.2f}" if abs(power) < 1e15 else f"({power:.6g})"
        return ("-" if mantissa.startswith("-") else "") + f"10^{log}"
    number = Decimal(text)
    rounded = Decimal(f"{number:.{digits}g}")
    if rounded == rounded.to_integral_value():
        return str(int(rounded))
    return f"{rounded.normalize():f}" if power >= -4 else f"{number:.3e}"


def about(instance: Instance, named: Callable[[str], str] = one_line) -> str:
    """The instance in one line; `named` writes its name for the place the line will stand in."""
    last = instance.last_arm + 1
    return (
        f"{named(instance.name)}: {instance.arms} arms, {instance.plays} plays, "
        f"{described(instance.reward)}; optimal reward {decimal(instance.optimal_reward, 6)} "
        f"on {instance.L} arms ({instance.remaining_plays} left for arm {last})"
    )


def table(title: str, headers: Sequence[str], rows: Iterable[Sequence[str]]) -> Any:
    """A rich table; numbers and short words to the right, text folded."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    out = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False, padding=0)
    for header in headers:
        text = header not in ("arm", "value", "needs", "margin", "holds", "applies", "vacuous")
        overflow: Any = "fold"
        out.add_column(header, justify="left" if text else "right", overflow=overflow)
    for row in rows:
        # plain: a reading in brackets is not markup
        out.add_row(*(Text(escaping.printable(cell)) for cell in row))
    return out


def bounds_rows(
    found: Sequence[Bound], instance: Instance, every: bool
) -> tuple[list[list[str]], int]:
    """Rows for people. Unless `every`, an arm-by-arm quantity shows the optimal arms only."""
    optimal = {k + 1 for k in instance.order[: instance.L]}
    first_beyond = instance.order[instance.L] + 1
    rows, hidden = [], 0
    for bound in found:
        alone = bound.claim in ("lem-C.3", "lem-E.5")  # stated for suboptimal arms
        shown_arms = {None, first_beyond} if alone else {None, *optimal}
        if not every and bound.arm not in shown_arms:
            hidden += 1
            continue
        rows.append(
            [
                bound.claim,
                "all" if bound.arm is None else str(bound.arm),
                human(bound.value),
                bound.quantity,
                "yes" if bound.applies else "no",
                {None: "", True: "yes", False: "no"}[bound.vacuous],
            ]
        )
    return rows, hidden


BOUNDS_HEADERS = ("claim", "arm", "value", "quantity", "applies", "vacuous")


def term_rows(found: Sequence[Bound], every: bool) -> list[list[str]]:
    """The terms of each sum; arm by arm only if `every`."""
    return [
        [bound.claim, "all" if bound.arm is None else str(bound.arm), name, human(value)]
        for bound in found
        if len(bound.terms) > 1 and (every or bound.arm is None)
        for name, value in bound.terms
    ]


def unmet(found: Sequence[Bound]) -> list[str]:
    """For each claim that does not apply, the assumptions that fail."""
    reasons: dict[str, dict[str, None]] = {}
    for bound in found:
        for condition in bound.assumptions:
            if not condition.holds:
                reasons.setdefault(bound.claim, {})[condition.name] = None
    return [f"{claim}: {', '.join(names)}" for claim, names in reasons.items()]


CHECK_HEADERS = ("claim", "assumption", "arm", "value", "needs", "margin", "holds")


def check_row(row: CheckedAssumption) -> list[str]:
    condition = row.condition
    relation = condition.assumption.relation
    sign = {">=": ">= ", ">": "> ", "<=": "<= ", "<": "< ", "==": "= "}
    needs = (sign.get(relation.rel_op, "") if relation is not None else "") + _side(condition.rhs)
    return [
        row.claim,
        condition.name + (" (implicit)" if condition.implicit else ""),
        "" if condition.arm is None else str(condition.arm),
        _side(condition.lhs),
        needs,
        "" if condition.margin is None else human(condition.margin),
        "yes" if condition.holds else "NO",
    ]


def _side(text: str | None) -> str:
    return human(text) if text is None or text[:1] in "-.0123456789i" else text


VERIFY_HEADERS = ("claim", "verdict", "statement")


def verify_row(finding: Finding) -> list[str]:
    """A finding for people: what was read into the claim, and what was found."""
    told = f"[{finding.reading}] {finding.explanation}"
    return [finding.claim, str(finding.verdict), told]


def verification(found: Verification) -> list[Any]:
    """The verdict table for a terminal."""
    rows = [verify_row(finding) for finding in found.findings]
    return [
        about(found.instance),
        table(f"Verdicts, {found.effort.name} effort", VERIFY_HEADERS, rows),
        budget_line(found.budget),
    ]


def verdicts_markdown(found: Verification) -> str:
    """The verdict table as markdown; the same run gives the same bytes."""
    lines = [
        f"# Verdicts on {escaping.code(found.instance.name)}",
        "",
        about(found.instance, escaping.markdown),
        "",
        f"Effort {found.effort.name}, seed {found.seed}, boundcheck {package_version()}. "
        f"{budget_line(found.budget)}.",
        "",
        "| claim | verdict | reading | what was found |",
        "|---|---|---|---|",
    ]
    for finding in found.findings:
        cells = (finding.claim, f"**{finding.verdict}**", finding.reading, finding.explanation)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def budget_line(budget: Spent) -> str:
    counted = sum(1 for entry in budget.entries)
    return (
        f"{counted} statements were decided by observation; the chance that a true one is refuted "
        f"is at most {budget.total:g} (spent {budget.spent:.3g})"
    )


def progress_line() -> Callable[[str], None]:
    """Writes what is being done, with the time since the start, to standard error."""
    started = time.perf_counter()
    live = sys.stderr.isatty()

    def tell(what: str) -> None:
        line = f"{time.perf_counter() - started:6.1f} s  {what}"
        print(
            f"\r{line:<78}" if live else line, end="" if live else "\n", file=sys.stderr, flush=True
        )

    return tell


def standing(claim: Claim) -> tuple[str, str]:
    """Verdict and severity as the last audit found them; a card of the user's own has none."""
    from boundcheck.record import recorded

    found = recorded().get(claim.id)
    return ("-", "-") if found is None else (str(found.verdict), str(found.severity or "-"))


def _spare(slack: float) -> str:
    """What the slack of a term means."""
    if slack >= 1e6:
        return "it could all but vanish: no evidence of the selftest would refute the claim"
    return "by this factor it could change before evidence of the selftest refutes the claim"


def card_text(claim: Claim) -> str:
    """A card as plain text."""
    from boundcheck.record import recorded, slack

    found = recorded().get(claim.id)
    lines = [f"{claim.id}: {claim.title}", "", claim.statement, ""]
    fields = [
        ("source", claim.source),
        ("kind", claim.kind.value + (", ours" if claim.ours else "")),
        ("reading", claim.reading),
        ("checked by", claim.checked_by),
        ("verdict", "not audited" if found is None else str(found)),
        ("read on", f"reports/audit/claims/{claim.id}.md, or boundcheck verify INSTANCE"),
    ]
    lines += [f"{name}: {text}" for name, text in fields]
    for quantity in claim.quantities:
        lines += ["", f"{quantity.name} [{quantity.unit}]"]
        for term in quantity.terms:
            over = f" (sum over {term.over.words})" if term.over else ""
            lines.append(f"  {term.name}{over}: {term.latex}")
            if (spare := slack(claim.id, quantity.name, term.name)) is not None:
                lines.append(f"    slack: {spare:g} ({_spare(spare)})")
    if not claim.quantities:
        lines += ["", f"formula: {claim.latex}"]
    for title, assumptions in (("assumptions", claim.stated), ("implicit", claim.implicit)):
        if assumptions:
            lines += ["", title]
            lines += [f"  {a.name}: {a.statement}" for a in assumptions]
    if claim.repairs:
        lines += ["", "repairs"]
        lines += [
            f"  {r.what} -> {r.instead}" + (f" ({r.claim})" if r.claim else "")
            for r in claim.repairs
        ]
    return "\n".join(lines)


def card_json(claim: Claim) -> dict[str, Any]:
    verdict, severity = standing(claim)
    return {
        "claim": claim.id,
        "title": claim.title,
        "source": claim.source,
        "kind": claim.kind.value,
        "ours": claim.ours,
        "statement": claim.statement,
        "reading": claim.reading,
        "checked_by": claim.checked_by,
        "latex": claim.latex,
        "verdict": None if verdict == "-" else verdict,
        "severity": None if severity == "-" else severity,
        "quantities": [
            {
                "quantity": q.name,
                "unit": q.unit,
                "latex": q.latex,
                "terms": [
                    {
                        "name": t.name,
                        "over": t.over.words if t.over else None,
                        "expression": str(t.expression),
                        "latex": t.latex,
                    }
                    for t in q.terms
                ],
            }
            for q in claim.quantities
        ],
        "assumptions": [
            {"name": a.name, "statement": a.statement, "latex": a.latex, "implicit": implicit}
            for implicit, group in ((False, claim.stated), (True, claim.implicit))
            for a in group
        ],
        "repairs": [
            {"what": r.what, "instead": r.instead, "claim": r.claim} for r in claim.repairs
        ],
    }


def card_html(claim: Claim) -> str:
    lines = escaping.html(card_text(claim)).split("\n")
    return f"<h4>{lines[0]}</h4>$${claim.latex}$$<pre>" + "\n".join(lines[2:]) + "</pre>"


def finite(value: Any) -> Any:
    """A JSON-safe cell: infinities and nan as strings, everything else as it is."""
    if isinstance(value, float) and value not in (float("inf"), float("-inf")) and value == value:
        return value
    return repr(value) if isinstance(value, float) else value
