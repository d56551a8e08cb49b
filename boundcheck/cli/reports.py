"""What people read: `report`, `audit`, `figures`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from boundcheck.cli.shared import (
    Claims,
    Cluster,
    Directory,
    Effort,
    Format,
    InstanceName,
    Jobs,
    Json,
    Seed,
    StoreFolder,
    app,
    loaded,
    option,
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
    policy: Annotated[
        list[str] | None, option("Compare this policy too; may be repeated.", metavar="NAME")
    ] = None,
    output: Directory = "report",
    effort: Effort = "standard",
    seed: Seed = 0,
    jobs: Jobs = None,
    cluster: Cluster = None,
    store: StoreFolder = None,
    form: Format = "markdown",
    json: Json = False,
) -> None:
    """All there is to say of an instance: what to play, what holds.

    Markdown with figures, or one HTML page: boundcheck report paper --format html
    """
    from boundcheck.cli.progress import telling
    from boundcheck.cli.screens import findings_screen
    from boundcheck.pages.instance import write_report

    def studied(found: Study) -> None:
        if not json:
            show(*findings_screen(found.verification))

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
        progress=telling("report"),
        studied=studied,
        claims=claim,
        policies=policy or (),
        theory=theory(),
    )
    _wrote("report", arms, {"effort": effort, "seed": seed, "format": form}, path, json)


@app.command()
def audit(
    output: Directory = "audit",
    effort: Effort = "standard",
    seed: Seed = 0,
    jobs: Jobs = None,
    cluster: Cluster = None,
    store: StoreFolder = None,
    form: Format = "markdown",
    json: Json = False,
) -> None:
    """The paper as a whole: every claim, its evidence and repair."""
    from boundcheck import present
    from boundcheck.cli.progress import telling
    from boundcheck.pages.audit import write_audit

    rows: list[dict[str, Any]] = []
    path = write_audit(
        output,
        effort,
        seed=seed,
        jobs=jobs,
        cluster=cluster,
        store=store,
        form=form,
        progress=telling("audit"),
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
    output: Directory = "figures",
    runs: Annotated[int, option("Runs of each policy.", metavar="R", min=2)] = 200,
    horizon: Annotated[str, option("Slots; some panels stop earlier.", metavar="T")] = "1e5",
    seed: Seed = 0,
    jobs: Jobs = None,
    cluster: Cluster = None,
    store: StoreFolder = None,
    figure: Annotated[
        list[str] | None, option("Only this one, such as 1a; may be repeated.", metavar="NAME")
    ] = None,
    json: Json = False,
) -> None:
    """The paper's figures from simulation, each with what it shows."""
    from boundcheck.cli.progress import telling
    from boundcheck.shareable_arms.pages.figures import write_figures

    path = write_figures(
        output,
        runs=runs,
        horizon=horizon,
        seed=seed,
        jobs=jobs,
        cluster=cluster,
        store=store,
        only=figure,
        progress=telling("figures"),
    )
    _wrote("figures", None, {"runs": runs, "horizon": horizon, "seed": seed}, path, json)


@app.command()
def plot(
    instance: InstanceName,
    output: Directory = "plots",
    form: Annotated[str, option("svg, or png for slides.", "--format", metavar="FORM")] = "svg",
    effort: Effort = "standard",
    seed: Seed = 0,
    jobs: Jobs = None,
    cluster: Cluster = None,
    store: StoreFolder = None,
    json: Json = False,
) -> None:
    """The figures of a report alone, as SVG or PNG."""
    from boundcheck import present
    from boundcheck.cli.progress import telling
    from boundcheck.pages.instance import write_plots

    arms = loaded(instance)
    paths = write_plots(
        arms,
        output,
        form,
        effort,
        seed=seed,
        jobs=jobs,
        cluster=cluster,
        store=store,
        progress=telling("plot"),
        theory=theory(),
    )
    parameters = {"effort": effort, "seed": seed, "format": form}
    if json:
        rows = [{"file": str(path)} for path in paths]
        print(present.envelope("plot", arms, parameters, rows))
    else:
        show(*(f"written to {path}" for path in paths))


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
