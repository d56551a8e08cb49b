"""The verdict on a claim's own statement, for a step of a proof that is such a statement.

The search of `boundcheck falsify` decides, in the reading that a role names:

intended     what the authors use the claim for, under the stated assumptions
charitable   the same with the assumptions that its proof uses silently added
printed      the words taken literally
pseudo-code  the algorithm taken literally
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from typing import Literal, TypeAlias

from boundcheck.evidence import Verdict
from boundcheck.falsification import Falsification, falsify
from boundcheck.proofs.step import Part
from simulation.numbers import decimal

Role: TypeAlias = Literal["intended", "charitable", "printed", "pseudo-code"]

_INTERVALS: dict[Role, str] = {
    "intended": "unconditional, Gaussian variance in (1/4, 1/2]",
    "charitable": "unconditional, Bernoulli rewards",
    "printed": "as printed",
}
# how the reading begins
_READINGS: dict[str, dict[Role, str]] = {
    "thm-4.3": {"intended": "common known variance"},
    "lem-5.1": _INTERVALS,
    "lem-5.2": _INTERVALS,
    "lem-J.1": _INTERVALS,
    "lem-J.2": {**_INTERVALS, "printed": "a conditional probability"},
    "cor-J.3": {"charitable": "Gaussian rewards of variance 1/4"},
}


def statement_verdict(claim: str, role: Role, examples: int) -> Part:
    """What is known of a claim in one of its roles."""
    begins = _READINGS[claim][role]
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
def _searches(claim: str, examples: int) -> tuple[Falsification, ...]:
    return tuple(falsify(claim, examples=examples))


def _place(row: Falsification) -> str:
    if row.parameters or row.instance is None:
        return ", ".join(f"{name} {value}" for name, value in row.parameters.items())
    means, held = (_list(values) for values in (row.instance.means, row.instance.capacities))
    return f"means {means}, capacities {held}, {row.instance.plays} plays"


def _list(values: Iterable[Fraction | int]) -> str:
    return " ".join(decimal(Fraction(value), 6) for value in values)
