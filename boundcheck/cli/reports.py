"""What people read: `report`, `audit`, `figures`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from boundcheck.cli.shared import (
    Claims,
    Cluster,
    InstanceName,
    Json,
    StoreFolder,
    app,
    loaded,
    say,
    show,
    theory,
)
from simulation.escaping import printable

if TYPE_CHECKING:
    from pathlib import Path

    from boundcheck.pages.study import Study
    from simulation.instance import Instance


@app.command()
def report(
    instance: InstanceName,
    claim: Claims = None,
    policy: Annotated[list[str] | None, typer.Option(help="Compare it too; repeatable.")] = None,
    output: Annotated[str, typer.Option("-o", "--output", help="Directory.")] = "report",
    effort: Annotated[str, typer.Option(help="quick, standard or thorough.")] = "standard",
    seed: Annotated[int, typer.Option(min=0)] = 0,
    jobs: Annotated[int | None, typer.Option(min=1, help="Threads.")] = None,
    cluster: Cluster = None,
    store: StoreFolder = None,
    form: Annotated[str, typer.Option("--format", help="markdown or html.")] = "markdown",
    json: Json = False,
) -> None:
    """All there is to say of an instance, as markdown with figures or as one HTML page."""
    from boundcheck import present
    from boundcheck.pages.instance import write_report

    def studied(found: Study) -> None:
        if not json:
            show(*present.verification(found.verification))

    arms = loaded(instance)
    path = write_report(
        arms,
        output,
        effort,
        seed=seed,
        jobs=jobs,
        cluster=cluster,
        store=store,
        form=form,
        progress=None if json else present.progress_line(),
        studied=studied,
        claims=claim,
        policies=policy or (),
        theory=theory(),
    )
    _wrote("report", arms, {"effort": effort, "seed": seed, "format": form}, path, json)


@app.command()
def audit(
    output: Annotated[str, typer.Option("-o", "--output", help="Directory.")] = "audit",
    effort: Annotated[str, typer.Option(help="quick, standard or thorough.")] = "standard",
    seed: Annotated[int, typer.Option(min=0)] = 0,
    jobs: Annotated[int | None, typer.Option(min=1, help="Threads.")] = None,
    cluster: Cluster = None,
    store: StoreFolder = None,
    form: Annotated[str, typer.Option("--format", help="markdown or html.")] = "markdown",
    json: Json = False,
) -> None:
    """The paper as a whole: every claim with verdict, evidence, counterexample and repair."""
    from boundcheck import present
    from boundcheck.pages.audit import write_audit

    progress = None if json else present.progress_line()
    rows: list[dict[str, Any]] = []
    path = write_audit(
        output,
        effort,
        seed=seed,
        jobs=jobs,
        cluster=cluster,
        store=store,
        form=form,
        progress=progress,
        told=rows.extend,
        theory=theory(),
    )
    parameters = {"effort": effort, "seed": seed, "format": form, "file": str(path)}
    if json:
        print(present.envelope("audit", None, parameters, rows))
    else:
        _wrote("audit", None, parameters, path, json)


@app.command()
def figures(
    output: Annotated[str, typer.Option("-o", "--output", help="Directory.")] = "figures",
    runs: Annotated[int, typer.Option(min=2)] = 200,
    horizon: Annotated[str, typer.Option(help="Slots; some panels stop earlier.")] = "1e5",
    seed: Annotated[int, typer.Option(min=0)] = 0,
    jobs: Annotated[int | None, typer.Option(min=1, help="Threads.")] = None,
    cluster: Cluster = None,
    store: StoreFolder = None,
    figure: Annotated[list[str] | None, typer.Option(help="Only this one; repeatable.")] = None,
    json: Json = False,
) -> None:
    """The paper's figures from simulation, each with what it shows."""
    from boundcheck import present
    from boundcheck.pages.figures import write_figures

    progress = None if json else present.progress_line()
    path = write_figures(
        output,
        runs=runs,
        horizon=horizon,
        seed=seed,
        jobs=jobs,
        cluster=cluster,
        store=store,
        only=figure,
        progress=progress,
    )
    _wrote("figures", None, {"runs": runs, "horizon": horizon, "seed": seed}, path, json)


def _wrote(
    command: str, arms: Instance | None, parameters: dict[str, Any], path: Path, json: bool
) -> None:
    """Say where the page is, and what else was written with it."""
    from boundcheck import present

    if json:
        print(present.envelope(command, arms, parameters, [{"file": str(path)}]))
    else:
        say("")
        print(printable(f"written to {path}"))
