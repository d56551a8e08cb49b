"""Whether it is true: `verify`, `falsify`, `proofs`, `selftest`."""

from __future__ import annotations

from typing import Annotated

import typer

from boundcheck.cli.shared import (
    Claims,
    Cluster,
    Effort,
    InstanceName,
    Jobs,
    Json,
    Seed,
    SeedText,
    StoreFolder,
    Strict,
    app,
    loaded,
    option,
    show,
    theory,
)
from simulation.errors import InputError, shown


@app.command()
def verify(
    instance: InstanceName,
    effort: Effort = "standard",
    claim: Claims = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    cluster: Cluster = None,
    store: StoreFolder = None,
    budget: Annotated[
        float, option("Chance of any false refutation, at most.", metavar="P")
    ] = 1e-6,
    output: Annotated[
        str | None, option("Markdown file to write.", "-o", "--output", metavar="FILE")
    ] = None,
    full: Annotated[bool, option("Every statement, with its evidence.", "--full")] = False,
    json: Json = False,
    strict: Strict = False,
) -> None:
    """A verdict on every claim, by exact computation and simulation.

    Example: boundcheck verify paper --effort quick --claim lem-5.1
    """
    from boundcheck import present
    from boundcheck.cli.progress import telling
    from boundcheck.cli.screens import verify_screen
    from boundcheck.crossvalidate import crossvalidate
    from simulation.files import require_writable, write

    arms = loaded(instance)
    if output is not None:
        require_writable(output)
    found = crossvalidate(
        arms,
        effort,
        claims=claim,
        seed=seed,
        jobs=jobs,
        cluster=cluster,
        store=store,
        budget=budget,
        progress=telling("verify", len(claim) if claim else None),
        theory=theory(),
    )
    try:
        if output is not None:
            write(output, present.verdicts_markdown(found))
    finally:
        if json:
            parameters = {"effort": effort, "seed": seed, "budget": found.budget.to_json()}
            print(present.envelope("verify", arms, parameters, found.to_json_rows()))
        else:
            show(*verify_screen(found, full=full))
    if output is not None and not json:
        show(f"written to {output}")
    if strict and found.refuted:
        raise typer.Exit(1)


@app.command()
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
    seed: SeedText = "0",
    output: Annotated[
        str | None,
        option("Save counterexamples: FILE, FILE-2, ...", "-o", "--output", metavar="FILE"),
    ] = None,
    json: Json = False,
) -> None:
    """Search for a smallest counterexample to a claim, or a policy.

    Example: boundcheck falsify thm-4.3 -o counterexample.toml
    """
    from boundcheck import present
    from boundcheck.commands.falsify import falsify as search
    from boundcheck.commands.falsify import named, parts

    searched = search(named(claim, policy), drop, examples, seconds, seed, output, theory())
    try:
        searched = searched.saved()
    finally:
        if json:
            print(present.envelope("falsify", None, searched.parameters, searched.rows))
        else:
            show(*parts(searched))


@app.command()
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
    json: Json = False,
    strict: Strict = False,
) -> None:
    """The proofs step by step, each judged by computation."""
    from boundcheck import present
    from boundcheck.cli.progress import telling
    from boundcheck.commands import proofs as command

    if (export is None) != (output is None):
        raise InputError("proofs", "--export, --output", "one without the other", "both")
    if export not in (None, "coq"):
        raise InputError("proofs", "--export", shown(export), "coq")
    found = command.proofs(claim, telling("proofs"), theory())
    if output is not None:
        show(*command.exported(found, output))
    elif json:
        print(present.envelope("proofs", None, found.parameters, found.rows))
    elif markdown:
        print(command.markdown(found.entries), end="")
    else:
        show(*command.parts(found))
    if strict and found.refuted:
        raise typer.Exit(1)


@app.command()
def selftest(
    output: Annotated[
        str | None,
        option("Write the slack of each term here, too.", "-o", "--output", metavar="FILE"),
    ] = None,
    json: Json = False,
    strict: Strict = False,
) -> None:
    """Plant mistakes in every card and kernel: is each one noticed?"""
    from boundcheck import present
    from boundcheck.cli.progress import telling
    from boundcheck.commands import selftest as command

    found = command.selftest(telling("selftest"), output)
    if json:
        print(present.envelope("selftest", None, found.parameters, found.rows))
    else:
        show(*command.parts(found))
    if found.uncaught or (strict and found.undecided):
        raise typer.Exit(1)
