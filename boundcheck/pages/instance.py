"""`boundcheck report INSTANCE`: markdown pages, figures, their data, and the evidence."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache, partial
from os import PathLike
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from jinja2 import StrictUndefined

from boundcheck.calculator.bounds import CheckedAssumption
from boundcheck.calculator.numbers.balls import ball_of_decimal
from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.judging.effort import effort_named
from boundcheck.pages.chart import Chart, regret_chart
from boundcheck.pages.drawing import save
from boundcheck.pages.headline import failing_lines, headline_of
from boundcheck.pages.present import about, check_row, envelope, question_line
from boundcheck.pages.saving import known_form, page_of
from boundcheck.pages.study import Progress, Study, own_pages, study
from boundcheck.pages.summaries import (
    failing_words,
    looseness,
    of_interest,
    refutations,
    regret_row,
    results,
    truth,
    verdict_counts,
)
from boundcheck.pages.writing import attempted, provenance, rendered
from simulation.errors import InputError, shown
from simulation.escaping import markdown, one_line
from simulation.files import writing
from simulation.files.writing import folder
from simulation.formatting import human, number
from simulation.numbers import decimal
from simulation.policies import Policy
from simulation.running.executors import Workers
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from boundcheck.theory import Theory


def write_report(
    instance: Instance,
    output: str | Path = "report",
    effort: str = "standard",
    *,
    question: Question | None = None,
    seed: int = 0,
    jobs: int | None = None,
    executor: Workers | None = None,
    cluster: str | None = None,
    store: str | PathLike[str] | None = None,
    form: str = "markdown",
    progress: Progress | None = None,
    studied: Callable[[Study], None] = lambda _: None,
    claims: Iterable[str | Claim] | None = None,
    policies: Iterable[str | Policy] = (),
    theory: Theory,
    **given: Any,
) -> Path:
    """Study an instance and write a report about it; returns the path of the file to open.

    `studied` is called with the study before anything is written, since writing may fail.
    """
    known_form(form)
    effort_named(effort)
    # checked before anything is written
    claims = None if claims is None else theory.chosen(claims)
    policies = [*map(theory.policy, policies)]
    out = folder(output)
    if store is not None:
        folder(store, "store")
    found = study(
        instance,
        effort,
        seed,
        question=theory.question.asked(question, given),
        jobs=jobs,
        executor=executor,
        cluster=cluster,
        store=store,
        progress=progress,
        claims=claims,
        policies=policies,
        theory=theory,
    )
    studied(found)
    return write_study(found, out, form)


def write_plots(
    instance: Instance, output: str | Path, kind: str = "svg", effort: str = "standard", **how: Any
) -> list[Path]:
    """The figures of a report as SVG or PNG, without verification."""
    if kind not in ("svg", "png"):
        raise InputError("plot", "--format", shown(kind), "svg or png")
    out = folder(output)
    found = study(instance, effort, verdicts=False, **how)
    paths = []
    for chart in charts_of(found):
        paths.append(out / f"{chart.name}.{kind}")
        save(chart.figure, paths[-1])
    return paths


def charts_of(found: Study) -> list[Chart]:
    return [chart for draw in drawings_of(found) for chart in draw()]


def drawings_of(found: Study) -> list[Callable[[], list[Chart]]]:
    """Functions that draw a report's charts, separate because each may fail."""
    pages = pages_of(found)
    return [lambda: [regret_chart(found)]] if pages is None else pages.drawings(found)


def pages_of(found: Study) -> Any:
    """The theory's own pages, which add to a study of the whole theory."""
    return None if type(found) is Study else own_pages(found.theory)


def write_study(found: Study, out: Path, form: str = "markdown") -> Path:
    """Write the report on a study: report.md, details.md (also as HTML), figures/,
    verdicts.json.
    """
    beside = folder(out / "figures")
    _write_evidence(found, out / "verdicts.json")
    pages, charts = pages_of(found), _saved(found, beside)
    more = {} if pages is None else pages.facts(found)
    told = attempted(_facts(found, charts) | more)
    short, long = TEMPLATES if pages is None else pages.TEMPLATES
    figures = [f"figures/{chart.name}.svg" for chart in charts]
    page_of(rendered(long, **told), out, "details", form, figures, found.titles)
    return page_of(rendered(short, **told), out, "report", form, figures)


def _saved(found: Study, out: Path) -> list[Chart]:
    """Save the charts that can be drawn; sections of the others report the error."""
    charts: list[Chart] = []
    for draw in drawings_of(found):
        drawn = attempted({"charts": draw})["charts"]
        charts += () if isinstance(drawn, StrictUndefined) else drawn
    for chart in charts:
        chart.save(out)
    return charts


def _write_evidence(found: Study, path: Path) -> None:
    parameters = found.verification.question.to_json() | {
        "effort": found.effort.name,
        "seed": found.seed,
        "budget": found.verification.budget.to_json(),
    }
    rows = found.verification.to_json_rows()
    text = envelope("verify", found.instance, parameters, rows)
    writing.write(path, json.dumps(json.loads(text)) + "\n")  # on one line


TEMPLATES = "pages/report.md.jinja", "pages/details.md.jinja"


def _facts(found: Study, charts: Iterable[Chart]) -> dict[str, Callable[[], Any]]:
    """The values for the templates, computed when needed."""
    instance = found.instance
    spoken = replace(found.theory, cards={card.id: card for card in found.cards})
    called = partial(_arm, found, number="arm {}")
    head = cache(lambda: headline_of(found.bounds, spoken, called))
    return {
        "questions": lambda: head().questions,
        "groups": lambda: head().groups,
        "untrue": lambda: head().refuted,
        "elsewhere": lambda: head().elsewhere,
        "judged": lambda: _judged(found),
        "measured": lambda: [""] * len(head().questions),
        "beside": lambda: [""] * len(head().questions),
        "unmet": lambda: list(failing_lines(found.assumptions, found.titles, called)),
        "asked": lambda: question_line(found.question),
        "horizon": lambda: human(decimal(found.question.horizon, 6)),
        "instance": lambda: instance,
        "effort": lambda: found.effort,
        "seed": lambda: found.seed,
        "summary": lambda: [truth(found)],
        "results": lambda: results(found, looseness(found)),
        "about": lambda: about(instance, markdown),
        "arms": lambda: [
            [_arm(found, k + 1), decimal(instance.means[k], 6), instance.capacities[k], a]
            for k, a in enumerate(instance.optimal_action)
        ],
        "charts": lambda: {chart.name: chart for chart in charts},
        "policies": lambda: [
            [runs.policy, *regret_row(runs)]
            for runs in sorted(found.comparison, key=lambda runs: runs.mean[-1])
        ],
        "ladder": lambda: _ladder(found),
        "claims": lambda: [_claim(found, card) for card in found.cards],
        "assumptions": lambda: _assumptions(found),
        "horizons": lambda: _horizons(found),
        "verdict_counts": lambda: verdict_counts(found),
        "refuted": lambda: refutations(found),
        "findings": lambda: [
            [f.claim, f"**{f.answer}**", f.reading, found.verification.told(f, markdown)]
            for f in found.verification.findings
        ],
        "provenance": provenance,
        "digest": lambda: found.digest,
        "command": lambda: (
            f"boundcheck report {quote(one_line(instance.name))} "
            f"--effort {found.effort.name} --seed {found.seed}"
        ),
        "budget": lambda: str(found.verification.budget),
    }


def _judged(found: Study) -> dict[str, str]:
    """The verdict of each claim that applies here, as a sentence."""
    return {
        outcome.card.id: f" Verdict here: **{outcome.here.answer}**"
        + (f" ({outcome.note})." if outcome.note else ".")
        for outcome in found.verification.outcomes
        if outcome.here.verdict is not None
    }


def _ladder(found: Study) -> list[list[str]]:
    return [
        [
            claim,
            rung.runs.policy,
            f"{rung.runs.horizon:,}",
            number(rung.claimed),
            number(rung.simulated),
            number(rung.ratio),
            "no" if rung.bound.informative is False else "yes",
        ]
        for claim, rungs in found.ladders.items()
        for rung in rungs
    ]


def _claim(found: Study, card: Claim) -> dict[str, Any]:
    """A card with its numbers on this instance; numbers by arm are for the optimal arms."""
    rows = [b for q in card.quantities for b in of_interest(found, card, q.name)]
    numbers = [
        [
            b.quantity + ("" if b.arm is None else f", {_arm(found, b.arm, 'arm {}')}"),
            human(b.value),
            "yes" if b.applies else "no",
            {None: "", True: "yes", False: "no"}[b.informative],
            "" if b.informative_from is None else human(b.informative_from),
        ]
        for b in rows
    ]
    over = {t.name: t.over.words if t.over else "" for q in card.quantities for t in q.terms}
    return {
        "card": card,
        "numbers": numbers,
        "terms": [
            [name, over[name], human(value)]
            for b in rows
            if b.arm is None and len(b.terms) > 1
            for name, value in b.terms
        ],
        "unmet": failing_words(rows),
    }


def _assumptions(found: Study) -> list[list[str]]:
    """For each claim and assumption, the arm with the smallest margin."""
    rows: dict[tuple[str, str], list[CheckedAssumption]] = defaultdict(list)
    for row in found.assumptions:
        rows[row.claim, row.condition.name].append(row)
    worst = (min(group, key=lambda r: r.condition.tightness) for group in rows.values())
    cells = (check_row(row, found.instance) for row in worst)
    return [[claim, name, markdown(arm), *others] for claim, name, arm, *others in cells]


def _arm(found: Study, arm: int, number: str = "{}") -> str:
    return markdown(found.instance.label(arm, number))


def _horizons(found: Study) -> list[list[str]]:
    """The largest horizon that any arm requires, and the one from which a bound is informative."""
    asked: dict[str, str] = {}
    for row in found.assumptions:
        if row.condition.name == "horizon" and row.condition.rhs is not None:
            needs = row.condition.rhs
            asked[row.claim] = max(asked.get(row.claim, needs), needs, key=ball_of_decimal)
    since = {b.claim: b.informative_from for b in found.bounds if b.informative_from is not None}
    return [
        [claim, human(asked.get(claim)), human(since.get(claim))]
        for claim in dict.fromkeys([*asked, *since])
    ]
