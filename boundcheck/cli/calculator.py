"""What the theory says: `claims`, `bounds`, `check`, `sweep`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from boundcheck.cli.shared import (
    Claims,
    InstanceName,
    Json,
    Strict,
    Text,
    app,
    asked,
    loaded,
    say,
    show,
    theory,
)

if TYPE_CHECKING:
    from boundcheck.question import Question
    from simulation.instance import Instance


@app.command()
def claims(
    claim: Annotated[str | None, typer.Argument(metavar="[ID]", help="One card.")] = None,
    json: Json = False,
) -> None:
    """The catalogue of claims, or one card."""
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
    delta: Text = None,
    horizon: Text = None,
    epsilon: Text = None,
    threshold: Text = None,
    samples: Text = None,
    gamma: Text = None,
    xi: Text = None,
    digits: Text = None,
    json: Json = False,
    strict: Strict = False,
) -> None:
    """Every bound on an instance, term by term, with the state of its assumptions."""
    from boundcheck import present
    from boundcheck.calculator import bounds as compute

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
        _show_bounds(arms, question, found, every=claim is not None)
    if strict and not all(bound.applies for bound in found):
        raise typer.Exit(1)


def _show_bounds(arms: Instance, question: Question, found: Any, every: bool) -> None:
    from boundcheck import present

    asked = ", ".join(
        f"{name} {present.human(str(value))}"
        for name, value in question.to_json().items()
        if value is not None and name != "digits"
    )
    rows, hidden = present.bounds_rows(found, arms, every)
    parts: list[Any] = [present.about(arms), asked]
    parts.append(present.table("Bounds", present.BOUNDS_HEADERS, rows))
    if terms := present.term_rows(found, every):
        parts.append(present.table("Term by term", ("claim", "arm", "term", "value"), terms))
    if reasons := present.unmet(found):
        parts += ["Does not apply, because these assumptions fail (see `check`):"]
        parts += [f"  {reason}" for reason in reasons]
    since = {
        b.claim: present.human(b.nonvacuous_from) for b in found if b.nonvacuous_from is not None
    }
    if since:
        told = ", ".join(f"{name} {value}" for name, value in since.items())
        parts.append(f"Below the trivial bound from this horizon on: {told}")
    if hidden:
        parts.append(f"{hidden} rows for other arms are left out: --claim ID or --json shows them.")
    show(*parts)


@app.command()
def check(
    instance: InstanceName,
    claim: Claims = None,
    delta: Text = None,
    horizon: Text = None,
    epsilon: Text = None,
    threshold: Text = None,
    gamma: Text = None,
    xi: Text = None,
    digits: Text = None,
    json: Json = False,
    strict: Strict = False,
    all_rows: Annotated[bool, typer.Option("--all", help="Show what holds, too.")] = False,
) -> None:
    """The assumptions of each claim: value, threshold, margin, which arm."""
    from boundcheck import present
    from boundcheck.calculator import check as compute

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
        shown = found if all_rows else [row for row in found if not row.condition.holds]
        clean = sorted({r.claim for r in found} - {r.claim for r in failed})
        parts: list[Any] = [present.about(arms)]
        if shown:
            lines = [present.check_row(row) for row in shown]
            title = "Assumptions" if all_rows else "Assumptions that fail"
            parts.append(present.table(title, present.CHECK_HEADERS, lines))
        parts += sorted({row.condition.witness for row in shown if row.condition.witness})
        parts.append(f"All stated assumptions hold for: {', '.join(clean) or 'none'}")
        silent = sorted({r.claim for r in found if r.condition.implicit and not r.condition.holds})
        if silent:
            told = "An implicit assumption, which only the proof uses, fails for"
            parts.append(f"{told}: {', '.join(silent)}")
        show(*parts)
    if strict and failed:
        raise typer.Exit(1)


@app.command()
def sweep(
    instance: InstanceName,
    vary: Annotated[list[str], typer.Option(help="name=a:b, a:b:count[:log] or a,b,c.")],
    claim: Annotated[str | None, typer.Option(help="Which claim; the main one if none.")] = None,
    output: Annotated[str | None, typer.Option("-o", "--output", help="CSV file.")] = None,
    delta: Text = None,
    horizon: Text = None,
    epsilon: Text = None,
    threshold: Text = None,
    samples: Text = None,
    gamma: Text = None,
    xi: Text = None,
    json: Json = False,
) -> None:
    """One claim over a grid of parameters, as CSV."""
    from boundcheck import present
    from boundcheck.sweeps import sweep as compute
    from boundcheck.sweeps import values
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
