"""Commands that compute bounds: `claims`, `bounds`, `check`, `sweep`; and `init`."""

from __future__ import annotations

from typing import Any

import typer

from boundcheck.terminal import options
from boundcheck.terminal.options import argument, option
from boundcheck.terminal.shared import command, loaded, print_answer, say, show, theory


@command
def _claims(
    claim: str | None = argument(None, "One card, such as thm-7.1.", "[ID]"),
    symbols: bool = option(
        False, "The names that a bound typed as text may use.", None, "--symbols"
    ),
    json: bool = options.JSON,
) -> None:
    """The catalogue of claims with their verdicts, or one card."""
    from boundcheck.pages import present

    if symbols:
        _symbols(json)
        return
    from boundcheck.claims.card_text import card_json, card_text, standing

    spoken = theory()
    cards = spoken.chosen(None if claim is None else [claim])
    if json:
        print(
            present.envelope(
                "claims", None, {"claim": claim}, [card_json(card, spoken) for card in cards]
            )
        )
    elif claim is not None:
        show(card_text(cards[0], spoken))
    else:
        rows = [[card.id, card.title, *standing(card, spoken)] for card in cards]
        headers = ("claim", "title", "verdict", "what is wrong")
        show(present.table("The catalogue", headers, rows))


def _symbols(json: bool) -> None:
    from boundcheck.language.reading import listed_names
    from boundcheck.pages import present

    names = listed_names(theory())
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

    spoken = theory()
    question, arms = spoken.question.asked(None, asked), loaded(instance)
    first = claim is None and not all_rows
    # a tenth of the time is for the T from which on a bound is informative: not on the first screen
    since = json or not first
    found = bounds_of(spoken.chosen(claim), arms, question, spoken, since=since)
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

    spoken = theory()
    question, arms = spoken.question.asked(None, asked), loaded(instance)
    found = compute(arms, question, claim, theory=spoken)
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
    spoken = theory()
    question, arms = spoken.question.asked(None, asked), loaded(instance, output)
    card = spoken.find(claim or spoken.main or next(iter(spoken.cards)))
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
