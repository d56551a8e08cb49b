"""Whether it is true: `verify`, `falsify`, `proofs`, `selftest`."""

from __future__ import annotations

from typing import Annotated

import typer

from boundcheck.cli import options
from boundcheck.cli.options import option
from boundcheck.cli.shared import answer, command, loaded, show, theory
from simulation.errors import InputError, shown


@command
def verify(
    instance: options.Instance,
    effort: options.Effort = "standard",
    claim: options.Claims = None,
    *,
    work: options.Work,
    budget: Annotated[
        float, option("Chance of any false refutation, at most.", metavar="P")
    ] = 1e-6,
    output: Annotated[
        str | None, option("Markdown file to write.", "-o", "--output", metavar="FILE")
    ] = None,
    full: Annotated[bool, option("Every statement, with its evidence.", "--full")] = False,
    json: options.Json = False,
    strict: options.Strict = False,
) -> None:
    """A verdict on every claim, by exact computation and simulation.

    Example: boundcheck verify paper --effort quick --claim lem-5.1
    """
    from boundcheck import present
    from boundcheck.cli.progress import telling
    from boundcheck.cli.screens import verify_screen
    from boundcheck.crossvalidate import crossvalidate
    from simulation.files import write

    arms = loaded(instance, output)
    found = crossvalidate(
        arms,
        effort,
        claims=claim,
        **work,
        budget=budget,
        progress=telling("verify", len(claim) if claim else None),
        theory=theory(),
    )
    try:
        if output is not None:
            write(output, present.verdicts_markdown(found))
    finally:
        parameters = {"effort": effort, "seed": work["seed"], "budget": found.budget.to_json()}
        screen = verify_screen(found, full=full)
        answer("verify", arms, parameters, found.to_json_rows(), screen, json)
    if output is not None and not json:
        show(f"written to {output}")
    if strict and found.refuted:
        raise typer.Exit(1)


@command
def falsify(
    claim: Annotated[
        str,
        typer.Argument(metavar="CLAIM", help="Which claim, such as thm-4.3; or the word `policy`."),
    ],
    policy: Annotated[
        str | None,
        typer.Argument(metavar="[POLICY]", help="After `policy`: is there a law it fails on?"),
    ] = None,
    drop: Annotated[
        str | None, option("An assumption to do without. See `claims ID`.", metavar="NAME")
    ] = None,
    examples: Annotated[str, option("Instances to try, at most.", metavar="N")] = "2000",
    seconds: Annotated[str, option("Time to search, at most.", metavar="S")] = "240",
    seed: options.Seed = "0",
    output: Annotated[
        str | None,
        option("Save counterexamples: FILE, FILE-2, ...", "-o", "--output", metavar="FILE"),
    ] = None,
    json: options.Json = False,
) -> None:
    """Search for a smallest counterexample to a claim, or a policy.

    Example: boundcheck falsify thm-4.3 -o counterexample.toml
    """
    from boundcheck.commands.falsify import falsify as search
    from boundcheck.commands.falsify import named, parts

    searched = search(named(claim, policy), drop, examples, seconds, seed, output, theory())
    try:
        searched = searched.saved()
    finally:
        answer("falsify", None, searched.parameters, searched.rows, parts(searched), json)


@command
def proofs(
    claim: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="One proof, such as lem-5.1.")
    ] = None,
    markdown: Annotated[bool, option("As a table in markdown.", "--markdown")] = False,
    export: Annotated[
        str | None,
        option("Write the formulas as files for other software: coq.", "--export", metavar="KIND"),
    ] = None,
    output: Annotated[
        str | None, option("The folder for --export.", "-o", "--output", metavar="DIR")
    ] = None,
    json: options.Json = False,
    strict: options.Strict = False,
) -> None:
    """The proofs step by step, each judged by computation."""
    from boundcheck.cli.progress import telling
    from boundcheck.commands import proofs as within

    if (export is None) != (output is None):
        raise InputError("proofs", "--export, --output", "one without the other", "both")
    if export not in (None, "coq"):
        raise InputError("proofs", "--export", shown(export), "coq")
    found = within.proofs(claim, telling("proofs"), theory())
    if output is not None:
        show(*within.exported(found, output))
    elif markdown and not json:
        print(within.markdown(found.entries), end="")
    else:
        answer("proofs", None, found.parameters, found.rows, within.parts(found), json)
    if strict and found.refuted:
        raise typer.Exit(1)


@command
def selftest(
    output: Annotated[
        str | None,
        option("Write the slack of each term here, too.", "-o", "--output", metavar="FILE"),
    ] = None,
    json: options.Json = False,
    strict: options.Strict = False,
) -> None:
    """Plant mistakes in every card and kernel: is each one noticed?"""
    from boundcheck.cli.progress import telling
    from boundcheck.commands.selftest import parts
    from boundcheck.commands.selftest import selftest as plant

    found = plant(telling("selftest"), output)
    answer("selftest", None, found.parameters, found.rows, parts(found), json)
    if found.uncaught or (strict and found.undecided):
        raise typer.Exit(1)
