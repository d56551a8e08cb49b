"""What the theory says: `claims`, `bounds`, `check`, `sweep`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from boundcheck.cli.shared import (
    Claims,
    CsvFile,
    Delta,
    Digits,
    Epsilon,
    Gamma,
    Horizon,
    InstanceName,
    Json,
    Samples,
    Strict,
    Threshold,
    Xi,
    app,
    asked,
    loaded,
    option,
    say,
    show,
    theory,
)

if TYPE_CHECKING:
    pass


@app.command()
def claims(
    claim: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="One card, such as thm-7.1.")
    ] = None,
    json: Json = False,
) -> None:
    """The catalogue of claims with their verdicts, or one card."""
    from boundcheck import present

    cards = theory().chosen(None if claim is None else [claim])
    if json:
        print(present.envelope("claims", None, {"claim": claim}, [*map(present.card_json, cards)]))
    elif claim is not None:
        show(present.card_text(cards[0]))
    else:
        rows = [[card.id, card.title, *present.standing(card)] for card in cards]
        headers = ("claim", "title", "verdict", "what is wrong")
        show(present.table("The catalogue", headers, rows))


@app.command()
def bounds(
    instance: InstanceName,
    claim: Claims = None,
    delta: Delta = None,
    horizon: Horizon = None,
    epsilon: Epsilon = None,
    threshold: Threshold = None,
    samples: Samples = None,
    gamma: Gamma = None,
    xi: Xi = None,
    digits: Digits = None,
    json: Json = False,
    strict: Strict = False,
) -> None:
    """Every bound on an instance, term by term; where it applies.

    Example: boundcheck bounds paper --claim thm-7.1 --horizon 1e9
    """
    from boundcheck import present
    from boundcheck.calculator import bounds as compute
    from boundcheck.cli.screens import bounds_screen

    question = asked(
        delta=delta,
        horizon=horizon,
        epsilon=epsilon,
        threshold=threshold,
        samples=samples,
        gamma=gamma,
        xi=xi,
        digits=digits,
    )
    arms = loaded(instance)
    found = compute(arms, question, claim, theory=theory())
    if json:
        rows = [bound.to_json() for bound in found]
        print(present.envelope("bounds", arms, question.to_json(), rows))
    else:
        shown = 4 if digits is None else question.digits
        show(*bounds_screen(arms, question, found, every=claim is not None, digits=shown))
    if strict and not all(bound.applies for bound in found):
        raise typer.Exit(1)


@app.command()
def check(
    instance: InstanceName,
    claim: Claims = None,
    delta: Delta = None,
    horizon: Horizon = None,
    epsilon: Epsilon = None,
    threshold: Threshold = None,
    gamma: Gamma = None,
    xi: Xi = None,
    digits: Digits = None,
    json: Json = False,
    strict: Strict = False,
    all_rows: Annotated[bool, option("Every arm, and what holds, too.", "--all")] = False,
) -> None:
    """Which assumptions hold, which fail, and by how much."""
    from boundcheck import present
    from boundcheck.calculator import check as compute
    from boundcheck.cli.screens import check_screen

    question = asked(
        delta=delta,
        horizon=horizon,
        epsilon=epsilon,
        threshold=threshold,
        gamma=gamma,
        xi=xi,
        digits=digits,
    )
    arms = loaded(instance)
    found = compute(arms, question, claim, theory=theory())
    failed = [row for row in found if not row.condition.holds and not row.condition.implicit]
    if json:
        rows = [row.to_json() for row in found]
        print(present.envelope("check", arms, question.to_json(), rows))
    else:
        show(*check_screen(arms, found, every=all_rows))
    if strict and failed:
        raise typer.Exit(1)


@app.command()
def sweep(
    instance: InstanceName,
    vary: Annotated[
        list[str],
        option(
            "NAME=a:b, a:b:count, a:b:count:log or a,b,c, such as plays=2:8; may be repeated.",
            metavar="GRID",
        ),
    ],
    claim: Annotated[
        str | None, option("Which claim.  [default: the main one]", metavar="ID")
    ] = None,
    output: CsvFile = None,
    delta: Delta = None,
    horizon: Horizon = None,
    epsilon: Epsilon = None,
    threshold: Threshold = None,
    samples: Samples = None,
    gamma: Gamma = None,
    xi: Xi = None,
    json: Json = False,
) -> None:
    """One claim over a grid of parameters, as CSV.

    Example: boundcheck sweep paper --vary plays=2:8 --vary horizon=1e3:1e9:7:log
    """
    from boundcheck import present
    from boundcheck.calculator.sweeps import sweep as compute
    from boundcheck.calculator.sweeps import values
    from simulation.errors import InputError, shown
    from simulation.files import require_writable

    grid = {}
    for item in vary:
        name, equals, text = item.partition("=")
        if not equals:
            raise InputError("--vary", shown(item), "no values", "name=values such as plays=2:8")
        if name.strip() in grid:
            raise InputError("--vary", shown(name), "given twice", "each parameter once")
        grid[name.strip()] = values(text, name)
    question = asked(
        delta=delta,
        horizon=horizon,
        epsilon=epsilon,
        threshold=threshold,
        samples=samples,
        gamma=gamma,
        xi=xi,
    )
    arms = loaded(instance)
    if output is not None:
        require_writable(output)
    spoken = theory()
    card = spoken.find(claim or spoken.main or next(iter(spoken.cards)))
    found = compute(arms, card, grid, question, theory=spoken)
    if json:
        cells = found.cells()
        rows = [
            {n: present.finite(x) for n, x in zip(cells, row, strict=True)}
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


@app.command()
def init(
    data: Annotated[
        str | None,
        option("CSV or NPY file of measurements, a column for each arm.", metavar="FILE"),
    ] = None,
    output: Annotated[
        str | None, option("File to write; printed unless given.", "-o", "--output", metavar="FILE")
    ] = None,
    json: Json = False,
) -> None:
    """A commented instance file to start from, or one for measurements.

    Example: boundcheck init -o mine.toml, edit it, then boundcheck report mine.toml
    """
    from boundcheck import present
    from boundcheck.commands.init import from_data, starter
    from simulation.files import require_new, write

    text = starter() if data is None else from_data(data, output)
    if output is not None:
        require_new(output)
        write(output, text)
    if json:
        rows = [] if output is None else [{"file": output}]
        print(present.envelope("init", None, {"text": text}, rows))
    elif output is None:
        print(text, end="")
    else:
        say(f"{output} is written: edit it, then try `boundcheck report {output}`")
