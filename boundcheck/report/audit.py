"""`boundcheck audit`: the paper as a whole, claim by claim, from evidence gathered by the run.

Every claim is verified on the shipped instances, searched for counterexamples where its conclusion
can be computed, and the steps of its proof are checked; then come the errata these amount to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import resources
from math import log
from pathlib import Path
from typing import Any

from boundcheck.calculator import bounds
from boundcheck.claim import Claim
from boundcheck.claims import catalogue
from boundcheck.crossvalidate import Verification, crossvalidate, effort_named
from boundcheck.evidence import Finding, Verdict
from boundcheck.falsification import Falsification, Kind, falsifiable, falsify
from boundcheck.present import human
from boundcheck.proofs import Entry, ledger
from boundcheck.report.study import Progress, Study, exact_constant
from boundcheck.report.writing import (
    SEVERITY,
    known_form,
    page_of,
    provenance,
    rendered,
    worst,
)
from simulation.escaping import markdown
from simulation.files import folder
from simulation.instance import Instance
from simulation.numbers import decimal
from simulation.replicate import replicate
from simulation.results import Replication
from simulation.tables import number

OURS, THEIRS = "likelihood", "orch-explore"
INSTANCES = ("paper", "paper-gaussian", "5g-4g", "textbook")
EXAMPLES = {"quick": 150, "standard": 1_000, "thorough": 20_000}
_NOWHERE = {True: "in none of the readings checked", False: ""}
SECONDS = 120.0  # for the search against one claim


@dataclass(frozen=True)
class Evidence:
    """What the audit rests on."""

    verifications: tuple[Verification, ...]
    searches: dict[str, list[Falsification]]
    proofs: tuple[Entry, ...]
    played: tuple[Replication, ...] = ()  # `OURS` and `THEIRS` on the instances

    def findings(self, claim: str) -> list[tuple[str, Finding]]:
        """Findings on a claim with the name of the instance each is about, as markdown."""
        return [(markdown(v.instance.name), f) for v in self.verifications for f in v.of(claim)]

    def counterexamples(self, claim: str) -> list[Falsification]:
        """Examples that satisfy the assumptions and violate the conclusion."""
        return self._searched(claim, Kind.COUNTEREXAMPLE)

    def gaps(self, claim: str) -> list[Falsification]:
        """Examples at which only the proof fails."""
        return self._searched(claim, Kind.GAP)

    def _searched(self, claim: str, kind: Kind) -> list[Falsification]:
        return [row for row in self.searches.get(claim, []) if row.kind is kind]

    def steps(self, claim: str) -> list[Entry]:
        return [entry for entry in self.proofs if entry.step.claim == claim]


def write_audit(
    output: str | Path,
    effort: str = "standard",
    *,
    seed: int = 0,
    jobs: int | None = None,
    form: str = "markdown",
    studies: Sequence[Study] | None = None,
    progress: Progress | None = None,
) -> Path:
    """Gather the evidence (studies already made can be given) and write audit.md."""
    spent = effort_named(effort)
    known_form(form)
    out = folder(output)
    tell = progress or (lambda _: None)
    instances = [Instance.load(name) for name in INSTANCES]
    if studies is not None:
        verified = [study.verification for study in studies]
        played = [study.comparison for study in studies]
    else:
        verified = [
            crossvalidate(instance, effort, seed=seed, jobs=jobs, progress=progress)
            for instance in instances
        ]
        tell("policies")
        played = [
            replicate(instance, [OURS, THEIRS], spent.horizon, spent.runs, seed, jobs=jobs)
            for instance in instances
        ]
    searches = {}
    for claim in falsifiable():
        tell(f"search: {claim}")
        searches[claim] = falsify(claim, None, EXAMPLES[effort], SECONDS, seed)
    proofs = ledger(progress=lambda step: tell(f"proof: {step}"))
    evidence = Evidence(tuple(verified), searches, tuple(proofs), tuple(played))
    return write(evidence, out, effort, seed, form)


def write(evidence: Evidence, out: Path, effort: str, seed: int, form: str = "markdown") -> Path:
    searches = {c: _saved(rows, out / "counterexamples") for c, rows in evidence.searches.items()}
    evidence = replace(evidence, searches=searches)
    cards = list(catalogue().values())
    text = rendered(
        "audit.md.jinja",
        instances=[markdown(v.instance.name) for v in evidence.verifications],
        overview=[_overview(card, evidence) for card in cards],
        claims=[_section(card, evidence, out) for card in cards],
        errata=[line for card in cards for line in _errata(card, evidence)],
        counts=_counts(cards, evidence),
        in_short=_in_short(cards, evidence),
        steps=_step_counts(evidence.proofs),
        beyond=[_beyond(found) for found in evidence.played],
        pseudo_code=_resolutions(),
        meanings=[(verdict, verdict.meaning) for verdict in SEVERITY],
        effort=effort,
        examples=EXAMPLES[effort],
        seed=seed,
        provenance=provenance(),
        budget=evidence.verifications[0].budget.total,
    )
    return page_of(text, out, "audit", form)


def _saved(rows: list[Falsification], where: Path) -> list[Falsification]:
    """Counterexamples that are instances, as files that `verify` and `bounds` accept."""
    saved, count = [], 0
    for row in rows:
        if row.found and row.instance is not None:
            count += 1
            saved.append(row.saved(folder(where) / f"{row.claim}-{count}.toml"))
        else:
            saved.append(row)
    return saved


def verdict_of(card: Claim, evidence: Evidence) -> Verdict:
    """The gravest verdict any instance, reading or search gave."""
    verdicts = [finding.verdict for _, finding in evidence.findings(card.id)]
    if evidence.counterexamples(card.id):
        verdicts.append(Verdict.REFUTED)
    decided = [v for v in verdicts if v not in (Verdict.NOT_APPLICABLE, Verdict.INCONCLUSIVE)]
    return worst(decided or verdicts)


def _overview(card: Claim, evidence: Evidence) -> list[str]:
    """A row of the table of all claims."""
    steps = evidence.steps(card.id)
    failing = sum(entry.refuted for entry in steps)
    proof = f"{failing} of {len(steps)} steps fail" if steps else "-"
    return [
        f"[{card.id}](#{_anchor(card)})",
        card.title,
        f"**{verdict_of(card, evidence)}**",
        _reason(card, evidence),
        _stands(card, evidence) or _NOWHERE[verdict_of(card, evidence) is Verdict.REFUTED],
        _searched(card, evidence),
        proof,
        ", ".join(dict.fromkeys(f"`{r.claim}`" for r in card.repairs if r.claim)),
    ]


def _reason(card: Claim, evidence: Evidence) -> str:
    """The reading and the finding behind the verdict of the table."""
    verdict = verdict_of(card, evidence)
    for name, finding in evidence.findings(card.id):
        if finding.verdict is verdict:
            return f"{finding.reading}: {finding.explanation} (`{name}`)"
    row = evidence.counterexamples(card.id)[0]
    return f"{row.reading}: {row.explanation}"


def _stands(card: Claim, evidence: Evidence) -> str:
    """The best that some other reading came to, if the gravest verdict is a refutation."""
    if verdict_of(card, evidence) is not Verdict.REFUTED:
        return ""
    for verdict in (Verdict.HOLDS, Verdict.CONSISTENT):
        for name, finding in evidence.findings(card.id):
            if finding.verdict is verdict:
                return f"{verdict}: {finding.reading} (`{name}`)"
    return ""


def _searched(card: Claim, evidence: Evidence) -> str:
    rows = evidence.searches.get(card.id)
    if rows is None:
        return "-"
    found, gaps = len(evidence.counterexamples(card.id)), len(evidence.gaps(card.id))
    if not found and not gaps:
        return f"none in {max(row.examples for row in rows):,} examples"
    told = [f"{found} counterexample" + "s" * (found > 1)] if found else []
    return ", ".join(told + ["a gap in the proof"] * (gaps > 0))


def _section(card: Claim, evidence: Evidence, out: Path) -> dict[str, Any]:
    return {
        "id": card.id,
        "title": card.title,
        "source": card.source,
        "kind": card.kind.value + (", ours" if card.ours else ""),
        "statement": card.statement,
        "latex": card.latex,
        "verdict": verdict_of(card, evidence),
        "assumptions": [
            [a.name + (" (implicit)" if a in card.implicit else ""), a.statement]
            for a in (*card.stated, *card.implicit)
        ],
        "findings": [
            [name, f"**{f.verdict}**", f.reading, f.explanation]
            for name, f in _distinct(evidence.findings(card.id))
        ],
        "counterexamples": [
            _counterexample(row, out)
            for row in (*evidence.counterexamples(card.id), *evidence.gaps(card.id))
        ],
        "failing": [
            [
                entry.step.step,
                entry.step.display,
                f"**{entry.verdict}**",
                entry.checked.region,
                entry.checked.detail,
                entry.step.repair or "-",
                {True: "yes", False: "no", None: "not known"}[entry.step.survives],
            ]
            for entry in evidence.steps(card.id)
            if entry.verdict in (Verdict.REFUTED, Verdict.INCONCLUSIVE)
        ],
        "steps": len(evidence.steps(card.id)),
        "repairs": [
            f"{r.what}: {r.instead}" + (f" (`{r.claim}`)" if r.claim else "") for r in card.repairs
        ],
    }


def _distinct(findings: list[tuple[str, Finding]]) -> list[tuple[str, Finding]]:
    """Findings of the same words on several instances in one line, gravest first."""
    merged: dict[tuple[Verdict, str, str], tuple[list[str], Finding]] = {}
    for name, finding in findings:
        key = (finding.verdict, finding.reading, finding.explanation)
        merged.setdefault(key, ([], finding))[0].append(name)
    rows = [(", ".join(names), finding) for names, finding in merged.values()]
    return sorted(rows, key=lambda row: SEVERITY.index(row[1].verdict))


def _counterexample(row: Falsification, out: Path) -> dict[str, Any]:
    instance = row.instance
    told = ", ".join(f"{name} {value}" for name, value in row.parameters.items())
    if instance is not None:
        means = ", ".join(decimal(mean, 6) for mean in instance.means)
        held = ", ".join(map(str, instance.capacities))
        law = f"{instance.reward.name} rewards"
        variance = instance.reward.variance
        if variance is not None:
            law += f" of variance {decimal(variance, 6)}"
        told = f"means {means}; capacities {held}; {instance.plays} plays; {law}" + (
            f"; {told}" if told else ""
        )
    return {
        "kind": "Counterexample" if row.kind is Kind.COUNTEREXAMPLE else "Gap in the proof",
        "reading": row.reading,
        "explanation": row.explanation,
        "told": told,
        "published": human(row.published),
        "actual": human(row.actual),
        "ratio": human(row.ratio),
        "file": None if row.file is None else Path(row.file).relative_to(out).as_posix(),
    }


def _errata(card: Claim, evidence: Evidence) -> list[str]:
    """What should be corrected: refuted readings and failing steps, with their repairs."""
    lines = []
    wrong = [
        (name, f)
        for name, f in _distinct(evidence.findings(card.id))
        if f.verdict is Verdict.REFUTED
    ]
    if wrong or evidence.counterexamples(card.id):
        name, finding = wrong[0] if wrong else ("", None)
        told = (
            f"{finding.reading}: {finding.explanation} (`{name}`)"
            if finding is not None
            else evidence.counterexamples(card.id)[0].explanation
        )
        repairs = "; ".join(f"{r.what}: {r.instead}" for r in card.repairs)
        lines.append(f"**{card.id}**, {told}." + (f" Repair: {repairs}." if repairs else ""))
    for entry in evidence.steps(card.id):
        if entry.refuted:
            repair = f" Repair: {entry.step.repair}." if entry.step.repair else ""
            alive = {True: "survives", False: "does not survive", None: "is left open"}
            lines.append(
                f"{card.id}, proof step {entry.step.step} ({entry.step.display}): "
                f"{entry.step.statement.rstrip('.')} fails where {entry.checked.region}.{repair} "
                f"The claim {alive[entry.step.survives]}."
            )
    return lines


def _in_short(cards: Sequence[Claim], evidence: Evidence) -> list[str]:
    """What a busy reader takes along."""
    theirs = [card for card in cards if not card.ours]
    wrong = [card for card in theirs if verdict_of(card, evidence) is Verdict.REFUTED]
    lost = [card.id for card in wrong if not _stands(card, evidence)]
    failing = [entry for entry in evidence.proofs if entry.refuted]
    fatal = sum(entry.step.survives is False for entry in failing)
    unknown = sum(entry.step.survives is None for entry in failing)
    examples = sum(len(evidence.counterexamples(card.id)) for card in theirs)
    return [
        f"Of the {len(theirs)} claims of the paper {len(wrong)} are refuted in at least one "
        "reading; in another reading, or on another instance, "
        + (f"all of these but {', '.join(lost)}" if lost else "each of these")
        + " can stand.",
        f"{examples} counterexamples that satisfy every stated assumption were found by search.",
        f"{len(failing)} of {len(evidence.proofs)} steps of the proofs fail; for {fatal} of them "
        f"the claim does not survive as printed, for {unknown} that is not known, and the others "
        "are harmless.",
    ]


def _counts(cards: Sequence[Claim], evidence: Evidence) -> list[list[object]]:
    """How many claims of the paper, and of ours, got each verdict."""
    rows: list[list[object]] = []
    for verdict in SEVERITY:
        ids = [c for c in cards if verdict_of(c, evidence) is verdict]
        if ids:
            theirs = sum(not c.ours for c in ids)
            rows.append([f"**{verdict}**", theirs, len(ids) - theirs, ", ".join(c.id for c in ids)])
    return rows


def _step_counts(proofs: Sequence[Entry]) -> list[list[object]]:
    return [
        [f"**{verdict}**", sum(entry.verdict is verdict for entry in proofs)]
        for verdict in SEVERITY
        if any(entry.verdict is verdict for entry in proofs)
    ]


def _beyond(found: Replication) -> list[str]:
    """Our policy beside the paper's on one instance, and beside the exact constant."""
    ours, theirs = found[OURS], found[THEIRS]
    constant = exact_constant(bounds(found.instance, claims=["sharp-4.3"]))
    least = None if not constant else constant * log(found.horizon)
    return [
        markdown(found.instance.name),
        f"{found.horizon:,}",
        number(ours.mean[-1]),
        number(ours.total[:, -1].max()),
        number(theirs.mean[-1]),
        number(theirs.total[:, -1].max()),
        f"{ours.mean[-1] / theirs.mean[-1]:.3f}",
        "-" if constant is None else number(constant),
        "-" if least is None else number(ours.mean[-1] / least),
    ]


def _resolutions() -> str:
    """How the pseudo-code was read, without the title of that page."""
    text = (resources.files("boundcheck") / "report" / "pseudo_code.md").read_text("utf-8")
    return text.split("\n", 1)[1].strip()


def _anchor(card: Claim) -> str:
    """The anchor that markdown viewers give to the claim's heading."""
    heading = f"{card.id}: {card.title}".lower()
    kept = "".join(c for c in heading if c.isalnum() or c in " -_")
    return kept.replace(" ", "-")
