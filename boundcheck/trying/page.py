"""A page about a trial: claim.md and claim.html, the worst instance, a figure."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boundcheck.claims.card import Kind
from boundcheck.language.reading import subject
from boundcheck.pages.chart import Chart
from boundcheck.pages.drawing import canvas
from boundcheck.pages.palette import LOWER, UPPER
from boundcheck.pages.saving import page_of
from boundcheck.pages.writing import provenance, rendered
from boundcheck.trying.outcome import Trial
from boundcheck.trying.screen import found_of
from boundcheck.trying.words import place
from simulation.files.writing import folder

HIGHEST = 1e6  # the largest ratio that is drawn


def write_trial(trial: Trial, out: Path, parameters: Mapping[str, Any]) -> Path:
    """Write the page and its files; `parameters` are the options of the trial. Returns the path of
    the HTML page.
    """
    chart, card = _chart(trial), trial.line.card
    if chart is not None:
        chart.save(folder(out / "figures", "--report"))
    if trial.worst is not None:
        trial.saved(out / "worst.toml")
    first, *rest = found_of(trial)
    verdict = str(trial.finding.verdict or "")
    options = [f"--{name} {value}" for name, value in parameters.items() if value is not None]
    text = rendered(
        "pages/trial.md.jinja",
        line=trial.line.text,
        subject=subject(card),
        latex=card.latex,
        levels=[level.words for quantity in card.quantities for level in quantity.levels],
        verdict=verdict,
        first=first.removeprefix(verdict),
        rest=[each.strip() for each in rest],
        worst=trial.worst is not None,
        chart=chart,
        assumed=trial.assumed,
        command=" ".join(["boundcheck try", shlex.quote(trial.line.text), *options]),
        provenance=provenance(),
    )
    return page_of(text, out, "claim", "html", ["figures/cases.svg"])


def _chart(trial: Trial) -> Chart | None:
    """How loose the bound is in each case, or which constant each case requires."""
    size, of = ("n", "count") if trial.line.card.kind is Kind.COVERAGE else ("T", "horizon")
    rows = [
        (place(case), getattr(case, of), ratio)
        for case, ratio in trial.by_case
        if hasattr(case, of)  # a growth rate has no horizon
    ]
    if not rows:
        return None
    name, caption = "bound over actual", "Bound over actual in each case; below 1 the bound fails"
    levels = [1.0]
    if trial.constant is not None:
        name, caption = "constant", "The constant from which on each case supports the bound"
        levels = [trial.constant["false_below"], trial.constant["supported_from"]]
    drawn = [min(ratio, HIGHEST) for *_, ratio in rows]
    if max(drawn) == HIGHEST:
        caption += f"; what is above {HIGHEST:g} is drawn there"
    with canvas() as (figure, ax):
        ax.scatter([x for _, x, _ in rows], drawn, color=UPPER.colour, s=18)
        for level in levels:
            ax.axhline(level, color=LOWER.colour, linestyle=LOWER.dash)
        ax.set(xscale="log", yscale="log", xlabel=size, ylabel=name)
    return Chart("cases", caption, figure, ("case", size, name), rows)
