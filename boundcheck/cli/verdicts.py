"""Whether it is true: `verify`, `falsify`, `proofs`, `selftest`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from boundcheck.cli.shared import (
    Claims,
    Cluster,
    InstanceName,
    Json,
    StoreFolder,
    Strict,
    app,
    loaded,
    show,
)


@app.command()
def verify(
    instance: InstanceName,
    effort: Annotated[str, typer.Option(help="quick, standard or thorough.")] = "standard",
    claim: Claims = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    jobs: Annotated[int | None, typer.Option(min=1, help="Threads.")] = None,
    cluster: Cluster = None,
    store: StoreFolder = None,
    budget: Annotated[float, typer.Option(help="Chance of any false refutation.")] = 1e-6,
    output: Annotated[str | None, typer.Option("-o", "--output", help="Markdown file.")] = None,
    json: Json = False,
    strict: Strict = False,
) -> None:
    """Cross-validation: every claim against exact computation or simulation, with a verdict."""
    from boundcheck import present
    from boundcheck.crossvalidate import crossvalidate
    from simulation.files import require_writable, write

    arms = loaded(instance)
    if output is not None:
        require_writable(output)
    progress = None if not sys.stderr.isatty() and json else present.progress_line()
    found = crossvalidate(
        arms,
        effort,
        claims=claim,
        seed=seed,
        jobs=jobs,
        cluster=cluster,
        store=store,
        budget=budget,
        progress=progress,
    )
    try:
        if output is not None:
            write(output, present.verdicts_markdown(found))
    finally:
        if json:
            parameters = {"effort": effort, "seed": seed, "budget": found.budget.to_json()}
            print(present.envelope("verify", arms, parameters, found.to_json_rows()))
        else:
            show(*present.verification(found))
    if output is not None and not json:
        show(f"written to {output}")
    if strict and found.refuted:
        raise typer.Exit(1)


@app.command()
def falsify(
    claim: Annotated[str, typer.Argument(metavar="CLAIM", help="Which claim.")],
    drop: Annotated[str | None, typer.Option(help="An assumption to do without.")] = None,
    examples: Annotated[str, typer.Option(help="How many to try at most.")] = "2000",
    seconds: Annotated[str, typer.Option(help="How long to search at most.")] = "240",
    seed: Annotated[str, typer.Option()] = "0",
    output: Annotated[str | None, typer.Option("-o", "--output", help="Instance file.")] = None,
    json: Json = False,
) -> None:
    """Search for a minimal counterexample, decided exactly; saved as an instance file."""
    from boundcheck import present
    from boundcheck.commands.falsify import falsify as search
    from boundcheck.commands.falsify import parts

    searched = search(claim, drop, examples, seconds, seed, output)
    try:
        searched = searched.saved()
    finally:
        if json:
            print(present.envelope("falsify", None, searched.parameters, searched.rows))
        else:
            show(*parts(searched))


@app.command()
def proofs(
    claim: Annotated[str | None, typer.Argument(metavar="[ID]", help="One proof.")] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="As in docs/proofs.md.")] = False,
    json: Json = False,
    strict: Strict = False,
) -> None:
    """The proof ledger: every displayed step, judged by computation."""
    from boundcheck import present
    from boundcheck.commands import proofs as command

    found = command.proofs(claim, present.progress_line() if sys.stderr.isatty() else None)
    if json:
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
        str | None, typer.Option("--output", "-o", help="Also write the slack of each term here.")
    ] = None,
    json: Json = False,
    strict: Strict = False,
) -> None:
    """Make every number of every card stronger, change the kernels: is each mutant noticed?"""
    from boundcheck import present
    from boundcheck.commands import selftest as command

    found = command.selftest(present.progress_line(), output)
    if json:
        print(present.envelope("selftest", None, found.parameters, found.rows))
    else:
        show(*command.parts(found))
    if found.uncaught or (strict and found.undecided):
        raise typer.Exit(1)
