"""`boundcheck selftest`: all mutants, what caught each, and the slack of every term."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

from boundcheck.judging.run_context import Progress
from boundcheck.pages import present
from boundcheck.selftest.outcome import Outcome, Result
from boundcheck.selftest.run import selftest as all_mutants
from boundcheck.selftest.run import slacks_found
from boundcheck.theory import Theory
from simulation.files.writing import require_writable, write
from simulation.tables import Table

HEADERS = ("mutant", "outcome", "by", "slack")


@dataclass(frozen=True)
class Selftest:
    outcomes: tuple[Outcome, ...]

    def _of(self, result: Result) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.result is result]

    @property
    def uncaught(self) -> list[Outcome]:
        return self._of(Result.UNCAUGHT)

    @property
    def undecided(self) -> list[Outcome]:
        return self._of(Result.UNDECIDED)

    @property
    def parameters(self) -> dict[str, Any]:
        return {"mutants": len(self.outcomes)} | {
            str(result).replace(" ", "_"): len(self._of(result)) for result in Result
        }

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [outcome.to_json() for outcome in self.outcomes]


def selftest(theory: Theory, progress: Progress | None, output: str | None) -> Selftest:
    if output is not None:
        require_writable(output)
    found = Selftest(tuple(all_mutants(theory, progress)))
    if output is not None:
        write(output, json.dumps(slacks_found(found.outcomes), indent=1) + "\n")
    return found


def selftest_screen(found: Selftest) -> tuple[Table, str]:
    """A row for each mutant, and the number of each kind."""
    rows = [
        [o.mutation, str(o.result), "; ".join(o.by), "" if o.slack is None else f"{o.slack:g}"]
        for o in found.outcomes
    ]
    counted = Counter((outcome.kind, outcome.result) for outcome in found.outcomes)
    lines = [f"{kind}: {count} {result}" for (kind, result), count in counted.items()]
    lines.append(
        f"{len(rows)} mutants, {len(found.uncaught)} uncaught, {len(found.undecided)} undecided"
    )
    return present.table("Mutants", HEADERS, rows), "\n".join(lines)
