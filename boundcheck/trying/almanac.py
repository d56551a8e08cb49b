"""The almanac: every result of a theory compared with measurements, loosest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path

from boundcheck.claims.card import Kind
from boundcheck.judging.decide import unmet
from boundcheck.judging.default_statements.regret import AtHorizon, batches
from boundcheck.judging.effort import EFFORTS, Effort
from boundcheck.judging.finding import Verdict
from boundcheck.judging.run_context import Progress, RunContext
from boundcheck.pages.chart import finish_regret, regret_curves
from boundcheck.pages.colours import GREY
from boundcheck.pages.drawing import canvas, curve, name_curves, save
from boundcheck.pages.palette import Style, styles
from boundcheck.pages.saving import known_form, page_of
from boundcheck.pages.writing import markdown_table, provenance
from boundcheck.theory import Theory
from boundcheck.trying.almanac_rows import LAWS, LEVEL, RUNS, UNIT, Entry, bound_at, measured
from boundcheck.trying.panel import arms
from simulation.files.writing import folder
from simulation.formatting import number

SHOWN = UNIT["two arms, close"]
ALMANAC = replace(EFFORTS["quick"], name="almanac", slots=4 * 10**6)


def span(values: Sequence[float]) -> str:
    """The range of values, as text.

    >>> span([2.0, 12.5]), span([3.0]), span([])
    ('2 to 12.5', '3', '-')
    """
    finite = [x for x in values if isfinite(x)]
    if not finite:
        return "-"
    low, high = number(min(finite)), number(max(finite))
    return low if low == high else f"{low} to {high}"


HEADINGS = (
    *("result", "says", "verdict", "informative from T", "bound over actual"),
    *("first constant: published; false below, supported from", "growth over the least", "erratum"),
)


def row(entry: Entry) -> list[str]:
    card = entry.card
    constant = ""
    if entry.published is not None:
        constant = f"{number(entry.published)}; {number(entry.false_below or 0.0)}, "
        constant += number(entry.supported_from or 0.0)
    verdict = "-" if entry.verdict is None else f"**{entry.verdict}**"
    if entry.verdict is Verdict.REFUTED:
        verdict += f": {entry.said}"
    elif entry.leans in ("for", "against"):
        verdict += f", leans {entry.leans}"
    return [
        f"`{card.id}` {card.title} ({card.source})",
        f"${card.latex}$",
        verdict,
        "; ".join(entry.since) or "-",
        span(entry.ratios),
        ": ".join(filter(None, (constant, entry.out_of_reach))) or "-",
        span(entry.growth),
        " ".join(repair.sentence for repair in card.repairs) or "-",
    ]


def write_almanac(
    theory: Theory,
    out: str | Path = "almanac",
    *,
    effort: Effort = ALMANAC,
    seed: int = 0,
    form: str = "markdown",
    progress: Progress | None = None,
) -> tuple[Path, list[Entry]]:
    """Measure every result of a theory and write the page; returns its path and the rows."""
    known_form(form)
    where = folder(out)
    context = theory.context(effort, seed=seed)
    entries = []
    for card in theory.cards.values():
        if progress:
            progress(card.id)
        entries.append(measured(card, context, seed))
    entries.sort(key=lambda entry: entry.rank)
    figure(theory, context, where)
    names = "; ".join(UNIT)
    text = f"""# Almanac: {theory.name}

Every result beside what was measured of it: bounds on regret, other numbers, probabilities, in each
group the loosest first. "Bound over actual" is at least 1 where a result is true; for a lower bound
it is what is known to suffice over the bound. Standard instances: {names}, of the
first law that a result admits; T = {effort.horizon:,} and {RUNS} runs where regret is simulated.
"Informative from T" has a number for each standard instance that the result admits, in that order:
from there on the bound is below the largest possible regret; "never" if at no T. "First constant":
the number before the first term as published, below which number the bound is refuted on these
instances and on near ties at level {LEVEL}, and from which it is supported there. "Growth over the
least": the constant before log T, over that of the lower bound for every policy. What the letters
of a bound mean: `boundcheck claims {theory.name}:ID`.

![Regret and bounds for two arms of means {" and ".join(SHOWN)}](almanac.svg)

{markdown_table(HEADINGS, map(row, entries))}

Made with {provenance()}, seed {seed}.
"""
    titles = {entry.card.id: entry.card.title for entry in entries}
    return page_of(text, where, "almanac", form, figures=["almanac.svg"], claims=titles), entries


def figure(theory: Theory, context: RunContext, out: Path) -> None:
    """Simulated regret on a standard instance, and the upper bounds against T."""
    instance = arms(SHOWN, LAWS[0], "standard")
    assert instance is not None
    case = AtHorizon.at(instance, context.effort.horizon)
    cards = [
        card
        for card in theory.cards.values()
        if card.kind is Kind.UPPER_BOUND
        and not unmet(case, card.assumptions, theory.derive)
        and not card.repairs
    ]
    runs = {}
    for card in cards:
        found = batches(card, case, context)
        if found is not None and card.policy_name not in runs:
            runs[card.policy_name] = found.draw(min(RUNS, found.limit))
    drawn = styles([str(name) for name in runs])
    slots = [10**k for k in range(2, 9)]
    with canvas(2) as (figure, (above, below)):
        regret_curves(above, runs.values(), drawn, None)
        finish_regret(above, "Simulated: mean (line) and middle 90 % of the runs (band)")
        for card in cards:
            values = [bound_at(card, AtHorizon.at(instance, t), theory) for t in slots]
            style = drawn.get(str(card.policy_name), Style(GREY))
            curve(below, style, slots, values, card.id)
        most = [t * float(instance.largest_regret) for t in slots]
        curve(below, Style(GREY), slots, most, "largest possible", linewidth=0.9)
        below.set(xscale="log", yscale="log", xlabel="T", ylabel="bound on regret")
        below.set_title("Upper bounds")
        name_curves(below)
        save(figure, out / "almanac.svg")
