"""`boundcheck falsify`: search, save counterexamples as instance files, show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from boundcheck.judging.falsification import Falsification, RowKind
from boundcheck.judging.falsify import EXAMPLES, POLICY, SECONDS
from boundcheck.judging.falsify import falsify as search
from boundcheck.pages import present
from boundcheck.theory import Theory
from simulation.errors import InputError, shown
from simulation.files.writing import require_writable
from simulation.formatting import human
from simulation.numbers import exact, listed

HEADERS = ("row", "found", "published", "actual", "ratio", "examples")
THRESHOLD_HEADERS = ("where", "stated", "needed", "ratio")


@dataclass(frozen=True)
class Searched:
    """The rows of a search, the parameters for the JSON envelope, and the first file to save to."""

    parameters: dict[str, Any]
    found: tuple[Falsification, ...]
    first: Path | None

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [row.to_json() for row in self.found]

    def saved(self) -> Searched:
        """Write counterexamples to files: the first name, then -2, -3, ... before the suffix."""
        first, found, count = self.first, list(self.found), 0
        for place, row in enumerate(found):
            if first is not None and row.found and row.instance is not None:
                count += 1
                name = first.name if count == 1 else f"{first.stem}-{count}{first.suffix}"
                found[place] = row.saved(first.with_name(name))
        return replace(self, found=tuple(found))


def searched_against(claim: str, policy: str | None) -> str:
    """The search target: a claim, or the words `policy NAME`."""
    if (claim == "policy") != (policy is not None):
        found = "no policy named" if policy is None else f"{shown(claim)} and {shown(policy)}"
        raise InputError("falsify", "claim", found, "a claim, or policy and the name of one")
    return claim if policy is None else f"policy {policy}"


def falsify(
    claim: str,
    drop: str | None = None,
    examples: str | int = EXAMPLES,
    seconds: str | float = SECONDS,
    seed: str | int = 0,
    output: str | None = None,
    *,
    theory: Theory,
) -> Searched:
    """Search for counterexamples; numbers may be text, counterexamples are saved to `output`."""
    count = int(_number("examples", examples, whole=True, least=1))
    limit = float(_number("seconds", seconds, whole=False, least=0))
    start = int(_number("seed", seed, whole=True, least=0))
    if output is not None:
        require_writable(output)
    if claim.startswith(POLICY) and drop is not None:
        raise InputError("falsify", "--drop", shown(drop), "a claim, whose assumption it is")
    found = search(claim, drop, count, limit, start, theory=theory)
    name = found[0].claim
    parameters = {"claim": name, "drop": drop, "examples": count, "seconds": limit, "seed": start}
    return Searched(parameters, tuple(found), None if output is None else Path(output))


def _number(name: str, value: object, *, whole: bool, least: int) -> Fraction:
    expected = f"a {'whole ' if whole else ''}number of {least} or more"
    try:
        number = exact(value)
    except ValueError as error:
        found = f"{shown(value)} ({error})"
        raise InputError("falsify", f"--{name}", found, expected) from None
    if number < least or number > 10**9 or (whole and number.denominator != 1):
        raise InputError("falsify", f"--{name}", shown(value), expected)
    return number


def search_screen(searched: Searched) -> list[Any]:
    """The printed output: a small table, then an explanation of each row; thresholds in a separate
    table.
    """
    thresholds = [row for row in searched.found if row.kind is RowKind.THRESHOLD]
    searches = [row for row in searched.found if row.kind is not RowKind.THRESHOLD]
    lines = [
        [
            str(number),
            "yes" if row.found else "no",
            human(row.published),
            human(row.actual, 6),
            human(row.ratio),
            str(row.examples),
        ]
        for number, row in enumerate(searches, 1)
    ]
    claim, drop = searched.parameters["claim"], searched.parameters["drop"]
    title = f"{claim}: counterexamples" + (f" without {drop}" if drop else "")
    shown = [present.table(title, HEADERS, lines), *_notes(searches)]
    return [*shown, *_thresholds(thresholds, drop)] if thresholds else shown


def _thresholds(rows: list[Falsification], drop: str) -> Iterator[Any]:
    """How far an assumption can be weakened, a line for each case."""
    lines = [
        [_values(row.parameters), human(row.published), human(row.actual, 13), human(row.ratio)]
        for row in rows
    ]
    yield present.table(f"How far {drop} can be weakened", THRESHOLD_HEADERS, lines)
    yield "needed: " + "; ".join(dict.fromkeys(row.explanation for row in rows))


def _values(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in parameters.items())


def _notes(found: list[Falsification]) -> Iterator[str]:
    """The explanation of each row of the table."""
    for number, row in enumerate(found, 1):
        yield f"{number}. {row.reading}\n   {row.explanation}"
        if row.instance is not None:
            yield f"   {present.about(row.instance)}"
            held = listed(row.instance.capacities, 8)
            yield f"   means {listed(row.instance.means, 8)}, capacities {held}"
        if row.parameters:
            yield f"   {_values(row.parameters)}"
        if row.file is not None:
            yield f"   saved as {row.file}"
