"""The proof ledger: every displayed relation of the paper's proofs, and of ours, is judged.

A module here is one proof, or a few that belong together; its tuple `STEPS` holds the steps in the
order of the paper. No step is good by assertion: what decides it are its `parts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from boundcheck.proofs.step import Entry, Part, Step, combined
from boundcheck.results import Results
from simulation.errors import InputError, shown

__all__ = ["Entry", "Part", "Step", "combined", "ledger", "proved", "steps"]

COLUMNS = ("step", "verdict", "method", "display")  # that people look at

# module -> the claims whose proofs it holds
_PROOFS = {
    "sample_lower": ("thm-4.1a",),
    "sample_threshold": ("thm-4.1b", "rem-4.2"),
    "regret_lower": ("lem-C.3", "thm-4.3"),
    "capacity": ("lem-D.1", "lem-5.1", "lem-5.2"),
    "sample_upper": ("thm-5.3a", "thm-5.3b"),
    "orch_explore": (*(f"lem-E.{n}" for n in range(1, 7)), "thm-7.1", "cor-7.2"),
    "elimination": ("thm-G.1", "cor-G.2", "thm-G.3", "lem-G.4", "thm-G.5"),
    "explore_then_commit": ("thm-H.1",),
    "hoeffding": ("lem-J.1", "lem-J.2", "cor-J.3"),
    "sharp_explorations": ("sharp-4.1", "sharp-4.1-test"),
    "regret_program": ("sharp-4.3",),
    "sharp_intervals": ("sharp-5.1", "sharp-5.3a", "sharp-5.3b"),
    "orch_counts": ("sharp-7.1",),
    "law_free": ("sharp-law-free",),
}


def proved() -> tuple[str, ...]:
    """The claims that have a proof in the ledger."""
    return tuple(claim for claims in _PROOFS.values() for claim in claims)


def steps(claim: str | None = None) -> Iterator[Step]:
    """The steps of one proof, or of all, unchecked; only the modules needed are imported."""
    wanted = None if claim is None else _named(claim)
    for module, claims in _PROOFS.items():
        if wanted is None or wanted in claims:
            for step in import_module(f"{__name__}.{module}").STEPS:
                if wanted in (None, step.claim):
                    yield step


def ledger(
    claim: str | None = None, progress: Callable[[str], None] | None = None
) -> Results[Entry]:
    """Check the steps of one proof, or of all.

    >>> [(str(entry.step), str(entry.verdict)) for entry in ledger("cor-7.2")]
    [('7.2-a', 'holds'), ('7.2-b', 'refuted')]
    """
    entries = []
    for step in steps(claim):
        if progress is not None:
            progress(f"{step.claim} {step.step}")
        entries.append(step.entry())
    return Results(entries, "steps of proofs", COLUMNS)


def _named(claim: str) -> str:
    by_lower = {name.lower(): name for name in proved()}
    if claim.lower() not in by_lower:
        raise InputError("proofs", "ID", shown(claim), f"one of {', '.join(proved())}")
    return by_lower[claim.lower()]
