"""Commands that compute bounds: `claims`, `bounds`, `check`, `sweep`; and `init`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from boundcheck.terminal import options
from boundcheck.terminal.options import argument, option
from boundcheck.terminal.shared import (
    command,
    loaded,
    print_answer,
    say,
    show,
    theory,
    theory_and_claims,
)
from boundcheck.theories import PACKAGES, short_name

if TYPE_CHECKING:
    from boundcheck.theory import Theory

ALL = "all"  # in the place of a theory


@command
def _claims(
    claim: str | None = argument(None, "One card, such as thm-7.1 or classic:ucb1.", "[ID]"),
    theory_name: str | None = option(
        None, f"The theory: {', '.join(PACKAGES)}; or {ALL} of them.", "NAME", "--theory"
    ),
    symbols: bool = option(
        False, "The names that a bound typed as text may use.", None, "--symbols"
    ),
    json: bool = options.JSON,
) -> None:
    """The catalogue of claims with their verdicts, or one card."""
    from boundcheck.pages import present

    if symbols:
        _symbols(theory(theory_name), json)
        return
    from boundcheck.claims.card_text import card_json, card_text, standing

    every = theory_name == ALL and claim is None
    names = PACKAGES if every else (None if theory_name == ALL else theory_name,)
    asked = [theory_and_claims(None if claim is None else [claim], name) for name in names]
    cards = [
        (f"{short_name(spoken)}:{card.id}" if every else card.id, card, spoken)
        for spoken, ids in asked
        for card in spoken.chosen(ids)
    ]
    if json:
        listed = [card_json(card, spoken) | {"claim": name} for name, card, spoken in cards]
        print(present.envelope("claims", None, {"claim": claim}, listed))
    elif claim is not None:
        show(*(card_text(card, spoken) for _, card, spoken in cards))
    else:
        rows = [[name, card.title, *standing(card, spoken)] for name, card, spoken in cards]
        headers = ("claim", "title", "verdict", "what is wrong")
        show(present.table("The catalogue", headers, rows))
        if unaudited := sorted({short_name(t) for _, card, t in cards if t.recorded(card) is None}):
            show(f"No verdicts are recorded for {', '.join(unaudited)}: `verify` finds them.")


def _symbols(spoken: Theory, json: bool) -> None:
    from boundcheck.language.reading import listed_names
    from boundcheck.pages import present

    names = listed_names(spoken)
    cells = [[row["name"], row["kind"], row["meaning"]] for row in names]
    title = "Names in bounds typed as text"
    shown = present.table(title, ("name", "kind", "meaning"), cells)
    print_answer("claims", None, {"symbols": True}, names, [shown], json)


@command
def _bounds(
    instance: str = options.INSTANCE,
    claim: list[str] | None = options.CLAIMS,
    asked: dict[str, Any] = options.QUESTION,
    json: bool = options.JSON,
    strict: bool = options.STRICT,
    all_rows: bool = option(False, "Every result, also those that do not apply.", None, "--all"),
) -> None:
    """What the theory says of an instance, and whether it applies.

    Example: boundcheck bounds paper --claim thm-7.1 --horizon 1e9
    """
    from boundcheck.calculator.bounds import bounds_of
    from boundcheck.terminal.screens import bounds_screen, first_screen

    spoken, ids = theory_and_claims(claim)
    question, arms = spoken.question.asked(None, asked), loaded(instance, theory=spoken)
    first = claim is None and not all_rows
    # a tenth of the time is for the T from which on a bound is informative: not on the first screen
    since = json or not first
    every = all_rows or claim is not None
    found = bounds_of(spoken.chosen(ids), arms, question, spoken, since=since, every=every)
    rows = (bound.to_json() for bound in found)
    if first:
        screen = first_screen(arms, question, found, spoken)
    else:
        shown = question.digits if "digits" in asked else 4
        screen = bounds_screen(arms, question, found, every=claim is not None, digits=shown)
    print_answer("bounds", arms, question.to_json(), rows, screen, json)
    if strict and not all(bound.applies for bound in found):
        raise typer.Exit(1)


@command
def _check(
    instance: str = options.INSTANCE,
    claim: list[str] | None = options.CLAIMS,
    asked: dict[str, Any] = options.QUESTION,
    json: bool = options.JSON,
    strict: bool = options.STRICT,
    all_rows: bool = option(False, "Every arm, and what holds, too.", None, "--all"),
) -> None:
    """Which assumptions hold, which fail, and by how much.

    Example: boundcheck check paper --claim thm-4.3
    """
    from boundcheck.calculator.bounds import check as compute
    from boundcheck.terminal.screens import check_screen

    spoken, ids = theory_and_claims(claim)
    question, arms = spoken.question.asked(None, asked), loaded(instance, theory=spoken)
    found = compute(arms, question, ids, theory=spoken)
    rows = (row.to_json() for row in found)
    screen = check_screen(arms, question, found, spoken, every=all_rows, opening=claim is None)
    print_answer("check", arms, question.to_json(), rows, screen, json)
    if strict and any(not row.condition.holds and not row.condition.implicit for row in found):
        raise typer.Exit(1)


@command
def _sweep(
    instance: str = options.INSTANCE,
    vary: list[str] = option(
        ...,
        "NAME=a:b, a:b:count, a:b:count:log or a,b,c, such as plays=2:8; may be repeated.",
        "GRID",
    ),
    claim: str | None = option(None, "Which claim.  [default: the main one]", "ID"),
    output: str | None = options.CSV,
    asked: dict[str, Any] = options.WITHOUT_DIGITS,
    json: bool = options.JSON,
) -> None:
    """One claim over a grid of parameters, as CSV.

    Example: boundcheck sweep paper --vary plays=2:8 --vary horizon=1e3:1e9:7:log
    """
    from boundcheck.calculator.sweeps import sweep as compute
    from boundcheck.calculator.sweeps import sweep_values
    from boundcheck.pages import present
    from simulation.errors import InputError, shown

    grid = {}
    for item in vary:
        name, equals, text = item.partition("=")
        if not equals:
            raise InputError("--vary", shown(item), "no values", "name=values such as plays=2:8")
        if name.strip() in grid:
            raise InputError("--vary", shown(name), "given twice", "each parameter once")
        grid[name.strip()] = sweep_values(text, name)
    spoken, ids = theory_and_claims(None if claim is None else [claim])
    question, arms = spoken.question.asked(None, asked), loaded(instance, output, spoken)
    card = spoken.find(ids[0] if ids else spoken.main or next(iter(spoken.cards)))
    found = compute(arms, card, grid, question, theory=spoken)
    if json:
        cells = found.cells()
        rows = [
            {n: present.json_cell(x) for n, x in zip(cells, row, strict=True)}
            for row in zip(*cells.values(), strict=True)
        ]
        print(present.envelope("sweep", arms, question.to_json() | {"claim": card.id}, rows))
    elif output is None:
        print(found.to_csv(), end="")
    else:
        try:
            found.to_csv(output)
        except InputError:
            print(found.to_csv(), end="")
            raise
        say(f"{len(found)} rows in {output}")


@command
def _init(
    data: str | None = option(
        None, "CSV, NPY or Parquet file of measurements, a column for each arm.", "FILE"
    ),
    output: str | None = option(
        None, "File to write; printed unless given.", "FILE", "-o", "--output"
    ),
    json: bool = options.JSON,
) -> None:
    """A commented instance file to start from, or one for measurements.

    Example: boundcheck init -o mine.toml, edit it, then boundcheck report mine.toml
    """
    from boundcheck.pages import present
    from boundcheck.terminal.run_init import ARM_HEADERS, Understood, starter
    from simulation.files.writing import require_new, write

    found = None if data is None else Understood.of(data, output)
    text = starter() if found is None else found.toml(output or data or "")
    if output is not None:
        require_new(output)
        write(output, text)
    if json:
        rows = [] if output is None else [{"file": output}]
        print(present.envelope("init", None, {"text": text}, rows))
    elif output is None:
        print(text, end="")
    else:
        if found is not None:
            show(*found.sentences(), present.table("", ARM_HEADERS, found.arm_rows()))
        say(f"{output} is written: edit it, then try `boundcheck report {output}`")
