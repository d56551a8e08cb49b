"""The audit's page about one claim: statements, counterexamples, proof, repair."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from boundcheck.claims.card import Claim
from boundcheck.judging.finding import ANSWERS, Finding, Role, Severity, Verdict
from boundcheck.judging.severity import ProofState, Standing
from boundcheck.judging.statement import Case
from boundcheck.pages.arithmetic import Explanation, worked_out
from boundcheck.pages.saving import page_of
from boundcheck.pages.study import own_pages
from boundcheck.pages.writing import rendered
from boundcheck.proof_steps.ledger import Entry, by_trust
from simulation.files import writing
from simulation.numbers import decimal
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from boundcheck.theory import Theory

_LINK = re.compile(r"\[([^]]+)\]\(\1\.md\)")  # a link to the page of another claim


def write_claim(
    standing: Standing,
    pages: Path,
    examples: Path,
    form: str,
    theory: Theory,
    linked: Collection[str],
) -> list[str]:
    """Write the page and its counterexamples; returns their file names. `linked` claims have
    pages.
    """
    card = standing.card
    counterexamples = [(f, _saved(f, examples)) for f in _counterexamples(standing)]
    files_of = {id(f): file for f, file in counterexamples}
    failing = standing.failing
    text = rendered(
        "pages/claim.md.jinja",
        card=card,
        standing=standing,
        proof=proof_words(standing),
        gap=failed_steps(standing) if standing.proof is ProofState.FAILS else "",
        added=added(standing) if standing.severity is Severity.SCOPE else "",
        worked=failing
        and worked_out(card, failing, theory, files_of.get(id(failing)), _explained(card, theory)),
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
                _state_of_repair(entry),
            ]
            for entry in standing.steps
            if entry.refuted
        ],
        steps=len(standing.steps),
        trust=", ".join(f"{count} by {kind}" for kind, count in by_trust(standing.steps).items()),
    )
    # claims outside the audit have no pages
    text = _LINK.sub(lambda link: link[0] if link[1] in linked else f"`{link[1]}`", text)
    page_of(text, pages, card.id, form)
    return [file for _, file in counterexamples if file]


def _explained(card: Claim, theory: Theory) -> Explanation:
    """The explanation of its counterexample in the theory's own pages."""
    pages = own_pages(theory)
    found: Explanation = getattr(pages, "EXPLAINED", {}).get(card.id, Explanation())
    return found


def _state_of_repair(entry: Entry) -> str:
    state = {True: "decided", False: "does not stand", None: "not decided"}[entry.repaired]
    names = ", ".join(entry.repaired_by)
    return f"{state} by {names}" if entry.repaired and names else state


def proof_words(standing: Standing) -> str:
    """The state of a proof, and what repairs it if that is decided elsewhere."""
    names = ", ".join(standing.repaired_by)
    repaired = standing.proof is ProofState.REPAIRED and names
    return f"{standing.proof} by {names}" if repaired else str(standing.proof)


def failed_steps(standing: Standing) -> str:
    """Where a proof fails: in its own steps, and in those of proofs that it cites."""
    told = []
    if own := [entry.step.step for entry in standing.unrepaired]:
        told.append(f"its proof fails in {_listed(own)}, and nothing decided stands in its place")
    for claim in dict.fromkeys(entry.step.claim for entry in standing.inherited):
        fails = [e.step.step for e in standing.inherited if e.step.claim == claim]
        told.append(f"its proof rests on that of {claim}, which fails in {_listed(fails)}")
    return "; ".join(told)


def _listed(labels: list[str]) -> str:
    return f"step{'s' * (len(labels) > 1)} {', '.join(labels)}"


def added(standing: Standing) -> str:
    """What is known about a claim that is false as stated, with its implicit assumptions added."""
    assumed = ", and ".join(assumption.statement for assumption in standing.card.implicit)
    if standing.true_when_added:
        return f"It is true, and proved, once it is assumed that {assumed}"
    fails, steps = len(standing.failing_when_added), len(standing.steps)
    fail = "fails" if fails == 1 else "fail"
    counted = f"{fails} of {steps} steps of its proof {fail} even then" if fails else ""
    if steps and not fails:
        counted = f"none of the {steps} steps of its proof is refuted then"
    told = f"Nothing refutes it once it is assumed that {assumed}"
    return f"{told}; {counted}" if counted else told


def _counterexamples(standing: Standing) -> list[Finding]:
    """Refuting cases found by search or known, one for each statement."""
    roles = (Role.INTENDED, Role.PRINTED, Role.PSEUDO_CODE, Role.FURTHER)
    found: dict[str, Finding] = {}
    for f in standing.findings:
        if f.verdict is Verdict.REFUTED and f.role in roles and f.extent.cover == "a search":
            found.setdefault(f.statement, f)
    return list(found.values())


def _statements(findings: Iterable[Finding]) -> list[tuple[str, str, list[list[str]]]]:
    """For each statement its text and findings, gravest first; the intended statement first."""
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
    """A case with all numbers needed to check it by hand."""
    if case is None:
        return ""
    instance: Instance = case.instance
    means = ", ".join(decimal(mean, 6) for mean in instance.means)
    held = ", ".join(map(str, instance.capacities))
    law = f"{instance.reward.name} rewards"
    if instance.reward.variance is not None:
        law += f" of variance {decimal(instance.reward.variance, 6)}"
    more = ", ".join(f"{name} {value}" for name, value in case.parameters().items())
    told = f"means {means}; capacities {held}; {instance.plays} plays; {law}"
    return f"{told}; {more}" if more else told


def _saved(finding: Finding, where: Path) -> str | None:
    """Write the counterexample as an instance file for `verify` and `bounds`."""
    case = finding.case
    if case is None or finding.compared is None:
        return None
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", f"{finding.claim}-{finding.statement}")
    lines = [
        f"counterexample to {finding.claim}, statement {finding.statement}",
        finding.reading,
        f"actual {finding.compared.actual}, claimed {finding.compared.claimed}",
        *(
            f"parameter: {key.replace(' ', '_')} = {value}"
            for key, value in case.parameters().items()
        ),
    ]
    text = "".join(f"# {line}\n" for line in lines) + case.instance.with_(name=name).to_toml()
    writing.write(writing.folder(where) / f"{name}.toml", text)
    return f"counterexamples/{name}.toml"
