"""The output of `boundcheck try`: at most 25 lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import sympy
from sympy.printing.pretty.pretty import PrettyPrinter
from sympy.printing.pretty.stringpict import prettyForm

from boundcheck.claims.card import Kind
from boundcheck.judging.finding import Verdict
from boundcheck.language.names import UNKNOWN, drawn_over
from boundcheck.language.reading import subject
from boundcheck.trying.words import place
from simulation.formatting import number

if TYPE_CHECKING:
    from boundcheck.claims.card import Claim
    from boundcheck.trying.outcome import Trial

WIDEST, TALLEST = 76, 9  # limits in columns and lines for a drawn formula


def _drawn(card: Claim) -> list[str]:
    """The claim as parsed, its formula in Unicode art."""
    printer = PrettyPrinter({"use_unicode": True, "wrap_line": False, "order": "none"})
    form = None
    for part in _parts(card, printer):
        form = part if form is None else prettyForm(*form.right(" + ", part))
    lines = [line.rstrip() for line in str(form).splitlines()]
    if len(lines) > TALLEST or max(map(len, lines)) > WIDEST:
        lines = [card.title]  # as typed
    return [subject(card), *(f"    {line}" for line in lines)]


def _parts(card: Claim, printer: PrettyPrinter) -> Iterator[prettyForm]:
    if not card.quantities:
        yield printer._print(_shown(card.formula))
        return
    quantity = card.quantities[0]
    for term in quantity.terms:
        expression = _shown(term.expression)
        body = printer._print(expression)
        yield body if term.over is None else drawn_over("∑", term.over, body, expression)


def _shown(expression: Any) -> Any:
    from boundcheck.claims.symbols import sigma2

    return expression.subs(sigma2, sympy.Symbol("sigma", positive=True) ** 2)


def lines(trial: Trial) -> list[str]:
    """All lines of output."""
    return [*_drawn(trial.line.card), "", *said(trial)]


def said(trial: Trial) -> list[str]:
    """The results, and the assumptions."""
    return [*found_of(trial), "assumed", *(f"  {each}" for each in trial.assumed)]


def found_of(trial: Trial) -> list[str]:
    """The results, the most important first."""
    return [*(_constant(trial) if trial.constant is not None else _verdict(trial))]


def _verdict(trial: Trial) -> Iterator[str]:
    finding, loose = trial.finding, trial.looseness
    yield f"{finding.answer}: {finding.explanation}"
    if trial.worst is not None and finding.compared is not None:
        failing = "fails" if finding.verdict is Verdict.REFUTED else "comes closest to failing"
        yield f"  it {failing} at {place(finding.case)}"
    if loose is not None:
        told = ", ".join(f"{name} {number(value)}" for name, value in loose.items())
        yield f"  bound over actual, in {len(finding.judged)} cases: {told}"
    if trial.line.card.kind is Kind.UPPER_BOUND:
        yield f"  {said_from(trial)}"


def said_from(trial: Trial) -> str:
    if trial.informative_from is None:
        return "on no instance of the panel is it better than the trivial bound, up to T = 10^300"
    start = number(float(trial.informative_from))
    return f"better than the trivial bound from T = {start} on, where that is earliest"


def _constant(trial: Trial) -> Iterator[str]:
    found = trial.constant
    assert found is not None
    low, high = (number(found[name]) for name in ("false_below", "supported_from"))
    yield f"{UNKNOWN} below {low}: refuted; from {high} on: supported in {found['cases']} cases"
    yield f"  at level {found['level']:g} for all cases of T = {found['horizons']} together"
    yield f"  {low} comes from {found['false_at']}"
    if found["supported_at"] != found["false_at"]:
        yield f"  {high} comes from {found['supported_at']}"
    if found["unsettled"]:
        more = number(found["supported_everywhere_from"])
        count, one = len(found["unsettled"]), found["unsettled"][0]
        yield f"  {count} cases need more runs (supported from {more} on), such as"
        yield f"    {one}"
    if found["published"] is not None:
        yield f"  published: {found['published']}"
    yield "  these are numbers of the panel, not the constant of a theorem"
