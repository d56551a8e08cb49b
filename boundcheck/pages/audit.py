"""`boundcheck audit`: a page about the whole theory, and one page for each claim.

Every statement is decided on the shipped instances and searched for counterexamples, and every
proof step is checked; `boundcheck.judging.severity` combines the results by claim.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boundcheck.claims.card import Claim
from boundcheck.judging.effort import effort_named
from boundcheck.judging.finding import Severity, Verdict
from boundcheck.judging.severity import Standing, searched, standings
from boundcheck.judging.verification import verify
from boundcheck.pages.claim_page import added, failed_steps, proof_words, write_claim
from boundcheck.pages.saving import known_form, page_of
from boundcheck.pages.study import Progress, Study, own_pages
from boundcheck.pages.writing import provenance, rendered
from boundcheck.proof_steps.ledger import by_trust, ledger
from boundcheck.search import SearchLimit
from simulation.errors import InputError
from simulation.files import writing
from simulation.files.writing import folder
from simulation.running.executors import Workers
from simulation.running.pools import open_pool
from simulation.running.replicate import replicate
from simulation.running.results import Replication
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from boundcheck.theory import Theory

EXAMPLES = {"quick": 150, "standard": 300, "thorough": 20_000}
SECONDS = 60.0  # time limit for the search against one statement
CERTIFICATES = "../certificates/README.md"  # written by `make certify`
RECORD = "record.json"  # read by `claims` and `proofs`
# what an author should correct, most important first
ERRATA = {
    "False statements": (Severity.SUBSTANCE, Severity.CONSTANT, Severity.SCOPE),
    "Proofs that fail, of statements that stand or are open": (Severity.PROOF,),
    "Misprints: only the words, or the algorithm, taken literally": (
        Severity.PSEUDO_CODE,
        Severity.WORDING,
    ),
}


@dataclass(frozen=True)
class Audit:
    """All results, by claim."""

    standings: tuple[Standing, ...]
    effort: str
    seed: int
    theory: Theory
    # policies compared on the instances, for the theory's own pages
    played: tuple[Replication, ...] = ()

    @property
    def theirs(self) -> list[Standing]:
        return [standing for standing in self.standings if not standing.card.ours]

    def counts(self) -> list[list[object]]:
        """For each severity: its phrase, the number of the paper's claims with it, and its
        meaning.
        """
        found = [x.severity for x in self.theirs]
        wrong = [[f"**{s.phrase}**", found.count(s), s.meaning] for s in Severity if s in found]
        return [*wrong, ["-", found.count(None), "nothing wrong was found"]]

    @property
    def numbered(self) -> str:
        """The number of numbered results, as a sentence: some have several cards."""
        whole = Counter(x.card.part_of or x.card.id for x in self.theirs)
        split = [f"{name} ({count} parts)" for name, count in whole.items() if count > 1]
        if not split:
            return f"{len(whole)} numbered results"
        return (
            f"{len(whole)} numbered results of the paper, judged as {whole.total()} claims: "
            f"{', '.join(split)}"
        )

    @property
    def ideas(self) -> str:
        """How many of the false claims fail for a reason of their own, as a sentence: a claim whose
        proof cites another false claim inherits that defect.
        """
        false = {x.card.id: x for x in self.theirs if x.severity is Severity.SUBSTANCE}
        same = {
            claim: names[0]
            for claim, x in false.items()
            if (names := [e.step.claim for e in x.cited if e.step.claim in false])
        }
        if not same:
            return ""
        shared = "; ".join(f"{claim} has the defect of {other}" for claim, other in same.items())
        own = len(false) - len(same)
        return f"{len(false)} claims are false, for {own} reason{'s' * (own > 1)}: {shared}."

    def record(self) -> dict[str, dict[str, Any]]:
        """By claim, what other commands quote from the audit."""
        return {
            x.card.id: {
                "verdict": str(x.verdict),
                "severity": None if x.severity is None else str(x.severity),
                "proof": str(x.proof),
                **({"proved": x.proved} if x.proved else {}),
                **({"trust": by_trust(x.steps)} if x.steps else {}),
            }
            for x in self.standings
        }


def gather(
    effort: str = "standard",
    *,
    seed: int = 0,
    executor: Workers | None = None,
    store: str | PathLike[str] | None = None,
    studies: Sequence[Study] | None = None,
    progress: Progress | None = None,
    claims: Sequence[str] | None = None,
    theory: Theory,
) -> Audit:
    """Decide, search and check every claim (or these); existing studies can be passed in."""
    tell, spent = progress or (lambda _: None), effort_named(effort)
    instances = [Instance.load(name) for name in audited(theory)]
    if studies is not None:
        verified = [study.verification for study in studies]
        played = [study.comparison for study in studies]
    else:
        shared: dict[str, Any] = {"executor": executor, "store": store}
        verified = [
            verify(
                arms, effort, claims=claims, seed=seed, progress=progress, theory=theory, **shared
            )
            for arms in instances
        ]
        tell("policies")
        pages = own_pages(theory)
        played = [
            replicate(arms, pages.RIVALS, spent.horizon, spent.runs, seed, **shared)
            for arms in instances
            if pages is not None and claims is None
        ]
    found = [replace(f, scope=v.instance.name) for v in verified for f in v.findings]
    context = theory.context(effort_named("quick"), seed=seed, executor=executor, store=store)
    for claim in claims or theory.cards:
        tell(f"search: {claim}")
        limit = SearchLimit(EXAMPLES[effort], SECONDS, seed)
        found += searched(theory, claim, context, limit)
    steps = ledger(progress=lambda step: tell(f"proof: {step}"), theory=theory)
    kept = [x for x in standings(theory, found, steps) if claims is None or x.card.id in claims]
    return Audit(tuple(kept), effort, seed, theory, tuple(played))


def audited(theory: Theory) -> tuple[str, ...]:
    """The instances on which a theory is decided."""
    if not theory.audited:
        raise InputError("audit", "theory", theory.name, "a theory that names instances")
    return theory.audited


def write_audit(
    output: str | Path = "audit",
    effort: str = "standard",
    *,
    seed: int = 0,
    jobs: int | None = None,
    executor: Workers | None = None,
    cluster: str | None = None,
    store: str | PathLike[str] | None = None,
    form: str = "markdown",
    studies: Sequence[Study] | None = None,
    progress: Progress | None = None,
    told: Callable[[list[dict[str, Any]]], None] = lambda _: None,
    theory: Theory,
) -> Path:
    """Audit a theory; write audit.md, a page for each claim and the counterexamples.

    Returns the path of the page; `told` is called with a list of rows, one for each claim.
    """
    effort_named(effort)
    known_form(form)
    audited(theory)
    out = folder(output)
    with open_pool(jobs, executor, cluster) as pool:
        shared: dict[str, Any] = {"executor": pool, "store": store, "progress": progress}
        found = gather(effort, seed=seed, studies=studies, theory=theory, **shared)
    path, saved = write_page(found, out, form)
    told([x.to_json(saved[x.card.id]) for x in found.standings])
    return path


def write_page(
    audit: Audit, out: Path, form: str = "markdown"
) -> tuple[Path, dict[str, list[str]]]:
    """Write the page; returns its path and the files of counterexamples by claim."""
    pages = folder(out / "claims")
    linked = {x.card.id for x in audit.standings}
    saved = {
        x.card.id: write_claim(x, pages, out / "counterexamples", form, audit.theory, linked)
        for x in audit.standings
    }
    writing.write(out / RECORD, json.dumps(audit.record(), indent=1) + "\n")
    pages = own_pages(audit.theory)
    wrong = [x for severity in Severity for x in audit.theirs if x.severity is severity]
    text = rendered(
        "pages/audit.md.jinja" if pages is None else pages.AUDIT_TEMPLATE,
        title=audit.theory.name if pages is None else pages.TITLE,
        instances=[Path(name).stem for name in audit.theory.audited],
        counts=audit.counts(),
        unharmed=[f"{x.card.id} ({x.card.title})" for x in audit.theirs if not x.severity],
        numbered=audit.numbered,
        ideas=audit.ideas,
        first="" if pages is None else pages.said_first(),
        musts=[_must_know(x) for x in wrong],
        rows=[_row(x) for x in audit.standings],
        errata=[
            (title, [_erratum(x) for x in wrong if x.severity in severities])
            for title, severities in ERRATA.items()
        ],
        verdicts=[(v, v.meaning) for v in Verdict],
        steps=_steps(audit, (out / CERTIFICATES).is_file()),
        files=sum(map(len, saved.values())),
        beyond=[] if pages is None else [pages.beyond(found) for found in audit.played],
        told="" if pages is None else pages.told(audit.theory),
        effort=audit.effort,
        examples=EXAMPLES[audit.effort],
        seed=audit.seed,
        provenance=provenance(),
    )
    for name, content in () if pages is None else pages.beside_the_audit():
        writing.write(out / name, content)
    titles = {x.card.id: x.card.title for x in audit.standings}
    return page_of(text, out, "audit", form, claims=titles), saved


def _linked(card: Claim) -> str:
    return f"[{card.id}](claims/{card.id}.md) {card.title}"


def _must_know(standing: Standing) -> str:
    finding = standing.failing
    why = finding.explanation if finding is not None else failed_steps(standing)
    if standing.severity is Severity.SCOPE:
        why += f". {added(standing)}"
    return f"**{_phrase(standing)}** {_linked(standing.card)}: {why}"


def _phrase(standing: Standing) -> str:
    return standing.severity.phrase if standing.severity else "-"


def _row(standing: Standing) -> list[str]:
    card = standing.card
    return [
        card.id + (" (ours)" if card.ours else ""),
        f"[{card.title}](claims/{card.id}.md)",
        f"**{standing.verdict}**",
        "-" if standing.severity is None else f"**{standing.severity.phrase}**",
        # quoted results are on its own page
        (standing.proved or proof_words(standing)).partition(";")[0],
        standing.decisive.reading,
    ]


def _erratum(standing: Standing) -> str:
    told = "".join(f" {repair.sentence}" for repair in standing.card.repairs)
    return f"**{_phrase(standing)}** {_linked(standing.card)}, {standing.card.source}.{told}"


def _steps(audit: Audit, certificates: bool) -> str:
    entries = [entry for standing in audit.standings for entry in standing.steps]
    failing = [entry for entry in entries if entry.refuted]
    repaired = sum(bool(entry.repaired) for entry in failing)
    rests = ", ".join(f"{count} by {trust}" for trust, count in by_trust(entries).items())
    linked = f" ([certificates]({CERTIFICATES}))" if certificates else ""
    certified = f". By what: {rests}{linked}" if rests else ""
    return (
        f"{len(entries)} steps of the proofs were judged by computation: {len(failing)} are "
        f"refuted, and for {repaired} of these what should stand instead was decided{certified}"
    )
