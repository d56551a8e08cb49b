"""`boundcheck proofs`: the proof steps as a table, and details of steps that fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

from boundcheck.judging.finding import Verdict
from boundcheck.pages import present
from boundcheck.proof_steps.ledger import COLUMNS, Entry, by_trust, ledger
from boundcheck.theory import Theory
from simulation.errors import InputError
from simulation.files import writing
from simulation.tables import Table

_SURVIVES = {True: "yes", False: "no", None: "not known"}


@dataclass(frozen=True)
class Proofs:
    """The steps of one proof or of all, and the parameters for the JSON envelope."""

    claim: str | None
    entries: tuple[Entry, ...]

    @property
    def parameters(self) -> dict[str, Any]:
        return {"claim": self.claim, "trust": by_trust(self.entries)}

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [entry.to_json() for entry in self.entries]

    @property
    def refuted(self) -> bool:
        return any(entry.refuted for entry in self.entries)


def proofs(
    claim: str | None = None, progress: Callable[[str], None] | None = None, *, theory: Theory
) -> Proofs:
    """Check the proofs of a theory."""
    if not theory.proofs:
        raise InputError("proofs", "theory", theory.name, "a theory with proofs")
    entries = ledger(claim, progress, theory=theory)
    return Proofs(entries[0].step.claim if claim and entries else None, tuple(entries))


def ledger_screen(found: Proofs) -> list[Any]:
    """The printed output: a table for each proof, then the steps that fail."""
    shown: list[Any] = []
    for card in dict.fromkeys(entry.card for entry in found.entries):
        rows = [entry.to_json() for entry in found.entries if entry.card is card]
        title = f"{card.id} (ours)" if card.ours else card.id
        shown.append(
            present.table(title, COLUMNS, [[row[x] or "-" for x in COLUMNS] for row in rows])
        )
    if found.claim is not None:
        shown += [_paragraph(_statement(entry)) for entry in found.entries]
        shown.append("")
    shown += _failures(found.entries)
    shown.append(ledger_summary(found.entries))
    return shown


def ledger_summary(entries: Sequence[Entry]) -> str:
    """The number of steps by verdict, the paper's and ours, and how they were established."""
    lines = []
    for whose, group in zip(("", " of ours"), _apart(entries), strict=True):
        counts = Counter(entry.verdict for entry in group)
        told = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
        if group:
            lines.append(f"{len(group)} steps{whose}: {told}")
    rests = ", ".join(f"{count} by {trust}" for trust, count in by_trust(entries).items())
    return "\n".join([*lines, f"established: {rests}"] if rests else lines)


def _apart(entries: Sequence[Entry]) -> list[list[Entry]]:
    """The paper's steps, and ours."""
    return [[e for e in entries if e.card.ours is ours] for ours in (False, True)]


def export_lines(found: Proofs, folder: str) -> Iterator[str]:
    """Write the steps as Coq files; then lines about what was written and what was not, and why."""
    from boundcheck.proof_steps.coq import exported as export

    where = writing.folder(folder)
    certificates, left = export(found.entries)
    for one in certificates:
        writing.write(where / one.file, one.text)
    for step, why in left.items():
        yield f"{step}: not exported: {why}"
    yield f"{len(certificates)} files in {folder}, {len(left)} steps without one"


def _statement(entry: Entry) -> str:
    premises = ", ".join(entry.step.premises)
    after = f" (from {premises})" if premises else ""
    looked = "Fails" if entry.refuted else "Looked at"
    return f"{entry.step.step}: {entry.step.statement}{after}. {looked}: {entry.checked.region}"


def _failures(entries: Sequence[Entry]) -> Iterator[str]:
    for entry in entries:
        if entry.refuted or entry.checked.open:
            yield f"{entry.step.step} {entry.verdict}: {entry.step.display}"
            lines = [
                f"where: {entry.checked.region}",
                f"found: {entry.checked.detail}" if entry.checked.detail else "",
                f"repair: {entry.repair or 'none known'}",
                f"claim survives: {_SURVIVES[entry.survives]}",
                entry.step.consequence,
            ]
            yield from (_paragraph(words, "  ") for words in lines if words)
            yield ""


def _paragraph(words: str, indent: str = "") -> str:
    return fill(words, 78, initial_indent=indent, subsequent_indent=indent + "  ")


# -- the table in the docs -----------------------------------------------------------------

BEGIN, END = "<!-- ledger: begin -->", "<!-- ledger: end -->"


def ledger_markdown(entries: Sequence[Entry]) -> str:
    """The table of steps and verdicts, proof by proof, for docs/proofs.md."""
    paper, ours = (_rows(group) for group in _apart(entries))
    return f"{paper}\nProofs of our own:\n\n{ours}" if ours else paper


def _rows(entries: Sequence[Entry]) -> str:
    rows = [
        (
            f"`{entry.step.claim}`",
            entry.step.display,
            entry.step.step,
            entry.checked.method,
            f"**{entry.verdict}**" if entry.refuted else str(entry.verdict or "-"),
        )
        for entry in entries
    ]
    headers = ("claim", "display", "step", "method", "verdict")
    return Table("", headers, rows, ()).markdown(padded=False) + "\n" if rows else ""
