"""Which steps go to Coq, and why the others do not.

A step that stands is exported as far as it consists of formulas.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from boundcheck.proofs import coq
from boundcheck.proofs.coq_terms import NotExported
from boundcheck.proofs.goal import Goal
from boundcheck.proofs.step import STANDING, Entry


@dataclass(frozen=True)
class Certificate:
    """A step's formulas as a file of Coq. `whole`: the step is nothing else."""

    step: str
    goals: tuple[Goal, ...]
    text: str
    whole: bool

    @property
    def file(self) -> str:
        """Coq wants the name of a module."""
        return f"step_{re.sub(r'[^A-Za-z0-9]+', '_', self.step)}.v"

    @property
    def digest(self) -> str:
        return coq.digest(self.goals)


def exported(entries: Iterable[Entry]) -> tuple[list[Certificate], dict[str, str]]:
    """The files, and of every other step why there is none."""
    found, left = [], {}
    for entry in entries:
        try:
            found.append(_certificate(entry))
        except NotExported as why:
            left[entry.step.step] = str(why)
    return found, left


def _certificate(entry: Entry) -> Certificate:
    goals = entry.checked.formulas
    if entry.verdict not in STANDING:
        raise NotExported(f"it is {entry.verdict}")
    if not goals:
        raise NotExported(f"no formula: {entry.checked.method}")
    title = f"{entry.step.step}: {entry.step.statement}"
    return Certificate(entry.step.step, goals, coq.file(title, goals), entry.checked.formal)
