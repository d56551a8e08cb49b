"""The proof ledger: every displayed relation of the paper's proofs, and of ours, is judged.

A theory names for each claim the module with its proof, or with a few that belong together; its
tuple `STEPS` holds the steps in the order of the paper. No step is good by assertion: what decides
it are its `parts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from boundcheck.calculator.results import Results
from boundcheck.proof_steps.step import Entry, Part, Step, combined
from boundcheck.theory import Theory, default
from simulation.errors import InputError, shown

__all__ = ["Entry", "Part", "Step", "combined", "ledger", "proved", "steps"]

COLUMNS = ("step", "verdict", "method", "display")  # that people look at


def proved(theory: Theory | None = None) -> tuple[str, ...]:
    """The claims that have a proof in the ledger."""
    return tuple((theory or default()).proofs)


def steps(claim: str | None = None, theory: Theory | None = None) -> Iterator[Step]:
    """The steps of one proof, or of all, unchecked; only the modules needed are imported."""
    spoken = theory or default()
    wanted = spoken.proofs if claim is None else [_named(claim, spoken)]
    for module in dict.fromkeys(spoken.proofs[name] for name in wanted):
        yield from (step for step in import_module(module).STEPS if step.claim in wanted)


def ledger(
    claim: str | None = None,
    progress: Callable[[str], None] | None = None,
    theory: Theory | None = None,
) -> Results[Entry]:
    """Check the steps of one proof, or of all.

    >>> [(str(entry.step), str(entry.verdict)) for entry in ledger("cor-7.2")]
    [('7.2-a', 'holds'), ('7.2-b', 'refuted')]
    """
    entries = []
    for step in steps(claim, theory):
        if progress is not None:
            progress(f"{step.claim} {step.step}")
        entries.append(step.entry(theory))
    return Results(entries, "steps of proofs", COLUMNS)


def _named(claim: str, theory: Theory) -> str:
    by_lower = {name.lower(): name for name in theory.proofs}
    if claim.lower() not in by_lower:
        raise InputError("proofs", "ID", shown(claim), f"one of {', '.join(theory.proofs)}")
    return by_lower[claim.lower()]
