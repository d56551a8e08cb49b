"""The audit's page of one claim: statements, counterexamples, proof, repair."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from boundcheck.collected import Standing
from boundcheck.finding import Finding, Role, Verdict
from boundcheck.pages.writing import page_of, rendered
from boundcheck.proofs.step import by_trust
from boundcheck.statement import Case
from simulation import files
from simulation.instance import Instance
from simulation.numbers import decimal


def write_claim(standing: Standing, pages: Path, examples: Path, form: str) -> list[str]:
    """Write the page and the counterexamples; the names of their files."""
    card = standing.card
    saved = {id(f): _saved(f, examples) for f in _counterexamples(standing)}
    text = rendered(
        "pages/claim.md.jinja",
        card=card,
        standing=standing,
        assumptions=[
            [a.name + (" (implicit)" if a in card.implicit else ""), a.statement]
            for a in (*card.stated, *card.implicit)
        ],
        statements=[*_statements(standing.findings)],
        counterexamples=[
            {"finding": f, "told": _told(f.case), "file": saved[id(f)]}
            for f in _counterexamples(standing)
        ],
        failing=[
            [
                entry.step.step,
                entry.step.display,
                entry.step.statement,
                entry.checked.region,
                entry.repair or "-",
                {True: "decided", False: "does not stand", None: "not decided"}[entry.repaired],
            ]
            for entry in standing.steps
            if entry.refuted
        ],
        steps=len(standing.steps),
        trust=_trust(standing),
    )
    page_of(text, pages, card.id, form)
    return [name for name in saved.values() if name]


def _counterexamples(standing: Standing) -> list[Finding]:
    """Cases drawn or known that refute a statement, one for each statement."""
    found: dict[str, Finding] = {}
    for finding in standing.findings:
        roles = (Role.INTENDED, Role.PRINTED, Role.PSEUDO_CODE, Role.FURTHER)
        searched = finding.extent.cover == "a search"
        if finding.verdict is Verdict.REFUTED and finding.role in roles and searched:
            found.setdefault(finding.statement, finding)
    return list(found.values())


def _statements(findings: Iterable[Finding]) -> Iterable[list[str]]:
    """Findings of the same words in one line, gravest first, statement by statement."""
    merged: dict[tuple[str, Verdict, str, str], int] = {}
    for f in findings:
        key = (f.statement, f.verdict, f.reading, f"{f.explanation} ({f.extent})")
        merged[key] = merged.get(key, 0) + 1
    order = list(Verdict)
    for (statement, verdict, reading, told), _ in sorted(
        merged.items(), key=lambda item: (item[0][0], order.index(item[0][1]))
    ):
        yield [statement, f"**{verdict}**", reading, told]


def _told(case: Case | None) -> str:
    """A case so that it can be checked by hand."""
    if case is None:
        return ""
    instance: Instance = case.instance
    means = ", ".join(decimal(mean, 6) for mean in instance.means)
    held = ", ".join(map(str, instance.capacities))
    law = f"{instance.reward.name} rewards"
    if instance.reward.variance is not None:
        law += f" of variance {decimal(instance.reward.variance, 6)}"
    more = ", ".join(f"{name} {value}" for name, value in case.told().items())
    told = f"means {means}; capacities {held}; {instance.plays} plays; {law}"
    return f"{told}; {more}" if more else told


def _saved(finding: Finding, where: Path) -> str | None:
    """The counterexample as an instance file that `verify` and `bounds` accept."""
    case = finding.case
    if case is None or finding.compared is None:
        return None
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", f"{finding.claim}-{finding.statement}")
    lines = [
        f"counterexample to {finding.claim}, statement {finding.statement}",
        finding.reading,
        f"actual {finding.compared.actual}, claimed {finding.compared.claimed}",
        *(f"parameter: {key} = {value}" for key, value in _parameters(case).items()),
    ]
    text = "".join(f"# {line}\n" for line in lines) + case.instance.with_(name=name).to_toml()
    files.write(files.folder(where) / f"{name}.toml", text)
    return f"counterexamples/{name}.toml"


def _parameters(case: Case) -> dict[str, Any]:
    return {key.replace(" ", "_"): value for key, value in case.told().items()}


def _trust(standing: Standing) -> str:
    return ", ".join(f"{count} by {kind}" for kind, count in by_trust(standing.steps).items())
