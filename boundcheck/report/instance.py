"""`boundcheck report INSTANCE`: one markdown file, its figures, their data, and the evidence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from math import log
from os import PathLike
from pathlib import Path
from shlex import quote
from typing import Any

from flint import arb

from boundcheck.balls import written
from boundcheck.calculator import Bound
from boundcheck.claim import Claim
from boundcheck.claims import catalogue
from boundcheck.lab import effort_named
from boundcheck.present import about, budget_line, check_row, envelope
from boundcheck.report.advice import advice, summary
from boundcheck.report.charts import CHARTS, INTERVAL_NAMES, Chart
from boundcheck.report.drawing import save
from boundcheck.report.study import KNOWN_CAPACITY, Progress, Study, study
from boundcheck.report.writing import (
    SEVERITY,
    known_form,
    page_of,
    provenance,
    quantity,
    rendered,
)
from simulation import files
from simulation.errors import InputError, shown
from simulation.escaping import markdown, one_line
from simulation.executors import Workers
from simulation.files import folder
from simulation.instance import Instance
from simulation.numbers import decimal
from simulation.tables import number, write_csv

SIZES = (  # claim, quantity, heading
    ("thm-4.1a", "explorations", "lower 4.1a"),
    ("sharp-4.1", "explorations above the capacity, fixed number", "lower, sharp"),
    ("sharp-5.3a", "explorations of each kind", "enough, sharp-5.3a"),
    ("thm-5.3a", "explorations of each kind", "enough, 5.3a"),
)

SHARPER = (  # published, ours, the quantity of ours
    ("thm-4.1a", "sharp-4.1", "explorations above the capacity, fixed number"),
    ("thm-4.3", "sharp-4.3", None),
    ("thm-5.3a", "sharp-5.3a", "explorations of each kind"),
    ("thm-5.3b", "sharp-5.3b", "explorations of each kind"),
    ("thm-7.1", "sharp-7.1", None),
)


def write_report(
    instance: Instance,
    output: str | Path,
    effort: str = "standard",
    *,
    seed: int = 0,
    jobs: int | None = None,
    executor: Workers | None = None,
    cluster: str | None = None,
    store: str | PathLike[str] | None = None,
    form: str = "markdown",
    progress: Progress | None = None,
    studied: Callable[[Study], None] = lambda _: None,
) -> tuple[Path, Study]:
    """Study the instance and write the report; the path of the file to open, and the study.

    jobs, executor, cluster, store   where to simulate and what to keep, as for `replicate`
    `studied` is told the study before anything is written: that may fail.
    """
    known_form(form)
    effort_named(effort)
    out = folder(output)
    if store is not None:
        folder(store, "store")
    found = study(
        instance,
        effort,
        seed,
        jobs=jobs,
        executor=executor,
        cluster=cluster,
        store=store,
        progress=progress,
    )
    studied(found)
    return write(found, out, form), found


def write_plots(
    instance: Instance, output: str | Path, kind: str = "svg", effort: str = "standard", **how: Any
) -> list[Path]:
    """The figures of a report alone, as SVG or PNG: nothing is verified for them."""
    if kind not in ("svg", "png"):
        raise InputError("plot", "--format", shown(kind), "svg or png")
    out = folder(output)
    found = study(instance, effort, claims=(), **how)
    drawn = {out / f"{chart.name}.{kind}": chart for chart in (draw(found) for draw in CHARTS)}
    for path, chart in drawn.items():
        save(chart.figure, path)
    return list(drawn)


def write(found: Study, out: Path, form: str = "markdown") -> Path:
    """The report on a study: report.md (and report.html), figures/, verdicts.json."""
    charts = [draw(found) for draw in CHARTS]
    folder(out / "figures")
    for chart in charts:
        save(chart.figure, out / "figures" / f"{chart.name}.svg")
        write_csv(out / "figures" / f"{chart.name}.csv", chart.headings, chart.rows)
    _write_evidence(found, out / "verdicts.json")
    text = rendered("report.md.jinja", **facts(found, charts))
    figures = [f"figures/{chart.name}.svg" for chart in charts]
    return page_of(text, out, "report", form, figures)


def _write_evidence(found: Study, path: Path) -> None:
    parameters = {
        "effort": found.effort.name,
        "seed": found.seed,
        "budget": found.verification.budget.to_json(),
    }
    rows = found.verification.to_json_rows()
    document = json.loads(envelope("verify", found.instance, parameters, rows))
    files.write(path, json.dumps(document) + "\n")


def facts(found: Study, charts: Iterable[Chart]) -> dict[str, Any]:
    """Everything the template says."""
    instance = found.instance
    return {
        "instance": instance,
        "effort": found.effort,
        "seed": found.seed,
        "summary": summary(found),
        "advice": advice(found),
        "about": about(instance, markdown),
        "arms": [
            [k + 1, decimal(instance.means[k], 6), instance.capacities[k], a]
            for k, a in enumerate(instance.optimal_action)
        ],
        "charts": {chart.name: chart for chart in charts},
        "constant": found.exact_constant,
        "policies": _policies(found),
        "ladder": _ladder(found),
        "phase_rows": _phases(found),
        "size_headings": _size_headings(found),
        "sizes": [_sizes(found, arm) for arm in found.studied_arms],
        "claims": [_claim(found, card) for card in catalogue().values() if card.quantities],
        "sharper": _sharper(found),
        "assumptions": _assumptions(found),
        "horizons": _horizons(found),
        "meanings": [(verdict, verdict.meaning) for verdict in SEVERITY],
        "verdict_counts": verdict_counts(found),
        "refuted": [
            [f.claim, str(severity or "-"), f.reading, f.explanation]
            for f, severity in found.verification.refutations
        ],
        "findings": [
            [f.claim, f"**{f.verdict}**", f.reading, f.explanation]
            for f in found.verification.findings
        ],
        "provenance": provenance(),
        "digest": found.digest,
        "command": f"boundcheck report {quote(one_line(instance.name))} "
        f"--effort {found.effort.name} --seed {found.seed}",
        "budget": budget_line(found.verification.budget),
    }


def verdict_counts(found: Study) -> list[list[object]]:
    """How often each verdict was reached, and on which claims."""
    rows: list[list[object]] = []
    for verdict in SEVERITY:
        findings = [f for f in found.verification.findings if f.verdict is verdict]
        claims = dict.fromkeys(f.claim for f in findings)
        if findings:
            rows.append([f"**{verdict}**", len(findings), ", ".join(claims)])
    return rows


def _policies(found: Study) -> list[list[str]]:
    scale = None
    if found.exact_constant:
        scale = found.exact_constant * log(found.effort.horizon)
    return [
        [
            runs.policy,
            "yes" if runs.policy in KNOWN_CAPACITY else "no",
            number(runs.mean[-1]),
            number(runs.standard_error[-1]),
            number(runs.quantile(0.95)[-1]),
            number(runs.total[:, -1].max()),
            f"{runs.optimal_share[-1]:.1%}",
            "-" if scale is None else number(runs.mean[-1] / scale),
        ]
        for runs in sorted(found.comparison, key=lambda r: r.mean[-1])
    ]


def _ladder(found: Study) -> list[list[str]]:
    return [
        [
            claim,
            rung.runs.policy,
            f"{rung.runs.horizon:,}",
            number(rung.claimed),
            number(rung.simulated),
            number(rung.ratio),
            "no" if rung.bound.vacuous else "yes",
        ]
        for claim, rungs in found.ladders.items()
        for rung in rungs
    ]


def _phases(found: Study) -> list[list[str]]:
    """Theorem 7.1 term by term beside the regret its phases really caused."""
    return [
        [
            " + ".join(row["terms"]),
            number(row["claimed"]),
            " + ".join(row["phases"]),
            number(row["simulated"]),
            number(row["claimed"] / row["simulated"]) if row["simulated"] else "-",
        ]
        for row in found.phase_rows("thm-7.1")
    ]


def _size_headings(found: Study) -> list[str]:
    stops = [f"stops at (median), {INTERVAL_NAMES[interval]}" for interval in found.intervals]
    return ["arm", "capacity", *(heading for _, _, heading in SIZES), *stops]


def _sizes(found: Study, arm: int) -> list[str]:
    cells = [str(arm), str(found.instance.capacities[arm - 1])]
    for claim, name, _ in SIZES:
        bound = found.size(claim, arm, name)
        if bound is None or bound.value is None:
            cells.append("-")
        else:
            cells.append(_bracketed(bound))
    for interval in found.intervals:
        estimation = found.estimations[arm, interval]
        median = estimation.stopping_time(0.5)
        last = int(estimation.samples[-1])
        cells.append(f"{median:,.0f}" if median <= last else f"> {last:,}")
    return cells


def _claim(found: Study, card: Claim) -> dict[str, Any]:
    """A card with its numbers on this instance; arm by arm numbers for the optimal arms."""
    wanted = {k + 1 for k in found.instance.order[: found.instance.L]} | {None}
    rows = [b for b in found.of(card.id) if b.arm in wanted] or found.of(card.id)[:3]
    numbers = [
        [
            b.quantity + ("" if b.arm is None else f", arm {b.arm}"),
            quantity(b.value),
            "yes" if b.applies else "no",
            {None: "", True: "yes", False: "no"}[b.vacuous],
            "" if b.nonvacuous_from is None else quantity(b.nonvacuous_from),
        ]
        for b in rows
    ]
    unmet = dict.fromkeys(c.name for b in rows for c in b.assumptions if not c.holds)
    over = {t.name: t.over.words if t.over else "" for q in card.quantities for t in q.terms}
    return {
        "id": card.id,
        "title": card.title,
        "statement": card.statement,
        "latex": card.latex,
        "numbers": numbers,
        "terms": [
            [name, over[name], quantity(value)]
            for b in rows
            if b.arm is None and len(b.terms) > 1
            for name, value in b.terms
        ],
        "unmet": ", ".join(unmet),
        "repairs": [
            f"As printed: {r.what}. Instead: {r.instead}" + (f" (`{r.claim}`)." if r.claim else ".")
            for r in card.repairs
        ],
    }


def _sharper(found: Study) -> list[list[str]]:
    """Published numbers beside ours: how many times smaller (or larger), and from which T."""
    rows = []
    for published, sharp, name in SHARPER:
        wanted = [None] if found.of(published)[0].arm is None else found.studied_arms
        for arm in wanted:
            first, second = found.size(published, arm), found.size(sharp, arm, name)
            if first is None or second is None or first.value is None or second.value is None:
                continue
            pair = sorted((float(first.value), float(second.value)))
            rows.append(
                [
                    first.quantity + ("" if arm is None else f", arm {arm}"),
                    _bracketed(first),
                    published,
                    _bracketed(second),
                    sharp,
                    number(pair[1] / pair[0]) if pair[0] > 0 else "-",
                    quantity(first.nonvacuous_from),
                    quantity(second.nonvacuous_from),
                ]
            )
    return rows


def _bracketed(bound: Bound) -> str:
    text = quantity(bound.value)
    return text if bound.applies else f"({text})"


def _assumptions(found: Study) -> list[list[str]]:
    """For each claim and assumption, the arm with the smallest margin."""
    tightest: dict[tuple[str, str], Any] = {}
    for row in found.assumptions:
        key = (row.claim, row.condition.name)
        if key not in tightest or _margin(row) < _margin(tightest[key]):
            tightest[key] = row
    return [check_row(row) for row in tightest.values()]


def _margin(row: Any) -> tuple[bool, arb]:
    margin = row.condition.margin
    return row.condition.holds, written("inf" if margin is None else margin)


def _horizons(found: Study) -> list[list[str]]:
    """The largest horizon any arm asks for, beside the one from which a bound says something."""
    asked: dict[str, str] = {}
    for row in found.assumptions:
        if row.condition.name == "horizon" and row.condition.rhs is not None:
            needs = row.condition.rhs
            asked[row.claim] = max(asked.get(row.claim, needs), needs, key=written)
    since = {b.claim: b.nonvacuous_from for b in found.bounds if b.nonvacuous_from is not None}
    return [
        [claim, quantity(asked.get(claim)), quantity(since.get(claim))]
        for claim in dict.fromkeys([*asked, *since])
    ]
