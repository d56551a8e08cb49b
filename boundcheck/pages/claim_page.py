"""The audit's page of one claim: statements, counterexamples, proof, repair."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from boundcheck.collected import Standing
from boundcheck.finding import ANSWERS, Finding, Role, Verdict
from boundcheck.pages.writing import page_of, rendered
from boundcheck.proofs.step import by_trust
from boundcheck.statement import Case
from simulation import files
from simulation.instance import Instance
from simulation.numbers import decimal


def write_claim(standing: Standing, pages: Path, examples: Path, form: str) -> list[str]:
    """Write the page and the counterexamples; the names of their files."""
    card = standing.card
    counterexamples = [(f, _saved(f, examples)) for f in _counterexamples(standing)]
    text = rendered(
        "pages/claim.md.jinja",
        card=card,
        standing=standing,
        assumptions=[
            [a.name + (" (implicit)" if a in card.implicit else ""), a.statement]
            for a in (*card.stated, *card.implicit)
        ],
        statements=_statements(standing.findings),
        counterexamples=[
            {"finding": f, "told": _told(f.case), "file": file} for f, file in counterexamples
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
        trust=", ".join(f"{count} by {kind}" for kind, count in by_trust(standing.steps).items()),
    )
    page_of(text, pages, card.id, form)
    return [file for _, file in counterexamples if file]


def _counterexamples(standing: Standing) -> list[Finding]:
    """Cases drawn or known that refute a statement, one for each statement."""
    roles = (Role.INTENDED, Role.PRINTED, Role.PSEUDO_CODE, Role.FURTHER)
    found: dict[str, Finding] = {}
    for f in standing.findings:
        if f.verdict is Verdict.REFUTED and f.role in roles and f.extent.cover == "a search":
            found.setdefault(f.statement, f)
    return list(found.values())


def _statements(findings: Iterable[Finding]) -> list[tuple[str, str, list[list[str]]]]:
    """For each statement its words and what was found, gravest first; the intended one first."""
    by_statement: dict[tuple[str, str], dict[tuple[str, str], list[str]]] = {}
    for f in sorted(findings, key=lambda f: (list(Role).index(f.role), f.statement)):
        found = by_statement.setdefault((f.statement, f.reading), {})
        found.setdefault((f.answer, f"{f.explanation} ({f.extent})"), []).append(f.scope)
    order = list(ANSWERS)
    return [
        (
            statement,
            words,
            [
                [", ".join(dict.fromkeys(scopes)), f"**{verdict}**", told]
                for (verdict, told), scopes in sorted(
                    found.items(), key=lambda item: order.index(item[0][0])
                )
            ],
        )
        for (statement, words), found in by_statement.items()
    ]


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
        *(f"parameter: {key.replace(' ', '_')} = {value}" for key, value in case.told().items()),
    ]
    text = "".join(f"# {line}\n" for line in lines) + case.instance.with_(name=name).to_toml()
    files.write(files.folder(where) / f"{name}.toml", text)
    return f"counterexamples/{name}.toml"
