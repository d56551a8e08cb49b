"""What people read: `report`, `audit`, `figures`, `plot`; and all of it on a page: `serve`."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

from boundcheck.cli import options
from boundcheck.cli.options import option
from boundcheck.cli.shared import answer, command, loaded, plugins, say, show, theory
from simulation.escaping import printable

if TYPE_CHECKING:
    from pathlib import Path

    from boundcheck.pages.study import Study
    from simulation.instance import Instance


@command
def report(
    instance: options.Instance,
    claim: options.Claims = None,
    policy: Annotated[
        list[str] | None, option("Compare this policy too; may be repeated.", metavar="NAME")
    ] = None,
    output: options.Directory = "report",
    effort: options.Effort = "standard",
    *,
    work: options.Work,
    form: options.Format = "markdown",
    json: options.Json = False,
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
        **work,
        form=form,
        progress=telling("report"),
        studied=studied,
        claims=claim,
        policies=policy or (),
        theory=theory(),
    )
    _wrote("report", arms, {"effort": effort, "seed": work["seed"], "format": form}, path, json)


@command
def audit(
    output: options.Directory = "audit",
    effort: options.Effort = "standard",
    *,
    work: options.Work,
    form: options.Format = "markdown",
    json: options.Json = False,
) -> None:
    """The paper as a whole: every claim, its evidence and repair."""
    from boundcheck.cli.progress import telling
    from boundcheck.pages.audit import write_audit

    rows: list[dict[str, Any]] = []
    path = write_audit(
        output,
        effort,
        **work,
        form=form,
        progress=telling("audit"),
        told=rows.extend,
        theory=theory(),
    )
    parameters = {"effort": effort, "seed": work["seed"], "format": form, "file": str(path)}
    _wrote("audit", None, parameters, path, json, rows)


@command
def figures(
    output: options.Directory = "figures",
    runs: Annotated[int, option("Runs of each policy.", metavar="R", min=2)] = 200,
    horizon: Annotated[str, option("Slots; some panels stop earlier.", metavar="T")] = "1e5",
    *,
    work: options.Work,
    figure: Annotated[
        list[str] | None, option("Only this one, such as 1a; may be repeated.", metavar="NAME")
    ] = None,
    json: options.Json = False,
) -> None:
    """The paper's figures from simulation, each with what it shows."""
    from boundcheck.cli.progress import telling
    from boundcheck.shareable_arms.pages.figures import write_figures

    drawn: dict[str, Any] = {"runs": runs, "horizon": horizon}
    path = write_figures(output, **drawn, **work, only=figure, progress=telling("figures"))
    _wrote("figures", None, drawn | {"seed": work["seed"]}, path, json)


@command
def plot(
    instance: options.Instance,
    output: options.Directory = "plots",
    form: Annotated[str, option("svg, or png for slides.", "--format", metavar="FORM")] = "svg",
    effort: options.Effort = "standard",
    *,
    work: options.Work,
    json: options.Json = False,
) -> None:
    """The figures of a report alone, as SVG or PNG."""
    from boundcheck.cli.progress import telling
    from boundcheck.pages.instance import write_plots

    arms = loaded(instance)
    paths = write_plots(
        arms, output, form, effort, **work, progress=telling("plot"), theory=theory()
    )
    parameters = {"effort": effort, "seed": work["seed"], "format": form}
    rows = ({"file": str(path)} for path in paths)
    answer("plot", arms, parameters, rows, (f"written to {path}" for path in paths), json)


def _wrote(
    name: str,
    arms: Instance | None,
    parameters: dict[str, Any],
    path: Path,
    json: bool,
    rows: list[dict[str, Any]] | None = None,
) -> None:
    """Say where the page is; the rows of JSON say so, too, unless others are given."""
    if json:
        found = [{"file": str(path)}] if rows is None else rows
        answer(name, arms, parameters, found, (), json)
    else:
        say("")
        print(printable(f"written to {path}"))


@command
def serve(
    port: Annotated[
        int, option("Port; 0: any that is free.", metavar="P", min=0, max=65535)
    ] = 8765,
    host: Annotated[
        str, option("Address to listen on; others than this machine may ask then.", metavar="H")
    ] = "127.0.0.1",
) -> None:
    """The calculator as a page on this machine.

    Change an instance there, see what the theory says: open the address that it prints.
    """
    from simulation.errors import InputError

    if any(find_spec(name) is None for name in ("starlette", "uvicorn")):
        expected = "the extra `web` (pip install boundcheck[web])"
        raise InputError("serve", "web", "not installed", expected)
    from boundcheck.web.serving import serve as until_stopped

    until_stopped(host, port, plugins())
