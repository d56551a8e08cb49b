"""The verdict on a claim's own statement, for a step of a proof that is such a statement.

A claim that has statements is asked for them by id (`intended`, `charitable`, `printed`, ...), and
the same search decides as in `boundcheck falsify`; for the others the reading that a role names.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache

from boundcheck.decision import search
from boundcheck.falsification import Falsification, falsify
from boundcheck.finding import Verdict
from boundcheck.lab import EFFORTS
from boundcheck.proofs.step import Part
from boundcheck.search import SearchLimit
from boundcheck.shareable_arms import THEORY
from simulation.numbers import decimal

_SECONDS = 60.0
# how the reading begins
_READINGS: dict[str, dict[str, str]] = {
    "thm-4.3": {"intended": "common known variance"},
    "cor-J.3": {"charitable": "Gaussian rewards of variance 1/4"},
}


def statement_verdict(claim: str, statement: str, examples: int) -> Part:
    """What is known of a statement of a claim."""
    if claim in THEORY.modules:
        return _searched(claim, statement, examples)
    begins = _READINGS[claim][statement]
    rows = [row for row in _searches(claim, examples) if row.reading.startswith(begins)]
    if not rows:
        raise LookupError(f"{claim}: no search reads it as '{begins}...'")
    row = next((row for row in rows if row.found), rows[0])
    if not row.found:
        words = f"{row.examples} examples looked at: {row.explanation}"
        return Part("statement", Verdict.CONSISTENT, row.reading, words)
    words = f"{row.explanation}: {row.actual} beside {row.published}"
    return Part("statement", Verdict.REFUTED, f"at {_place(row)}", words)


@cache
def _searched(claim: str, statement: str, examples: int) -> Part:
    lab = THEORY.lab(EFFORTS["quick"])
    stated, limit = THEORY.statement(claim, statement), SearchLimit(examples, _SECONDS)
    found = search(THEORY.cards[claim], stated, lab, limit, THEORY.model)
    region = found.reading
    if found.case is not None:
        told = found.case.told().items()
        region = "at " + ", ".join(f"{name} {value}" for name, value in told)
    return Part("statement", found.verdict, region, found.explanation)


@cache
def _searches(claim: str, examples: int) -> tuple[Falsification, ...]:
    return tuple(falsify(claim, examples=examples))


def _place(row: Falsification) -> str:
    if row.parameters or row.instance is None:
        return ", ".join(f"{name} {value}" for name, value in row.parameters.items())
    means, held = (_list(values) for values in (row.instance.means, row.instance.capacities))
    return f"means {means}, capacities {held}, {row.instance.plays} plays"


def _list(values: Iterable[Fraction | int]) -> str:
    return " ".join(decimal(Fraction(value), 6) for value in values)
