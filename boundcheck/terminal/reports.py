"""Commands that write pages and figures: `report`, `audit`, `almanac`, `figures`, `plot`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from boundcheck.terminal import options
from boundcheck.terminal.options import option
from boundcheck.terminal.progress import telling
from boundcheck.terminal.shared import (
    command,
    loaded,
    print_answer,
    say,
    show,
    theory,
    theory_and_claims,
)
from boundcheck.theories import shipped_theory
from simulation.errors import InputError
from simulation.escaping import printable

if TYPE_CHECKING:
    from pathlib import Path

    from boundcheck.pages.study import Study
    from simulation.world.instance import Instance


@command
def _report(
    instance: str = options.INSTANCE,
    claim: list[str] | None = options.CLAIMS,
    policy: list[str] | None = option(None, "Compare this policy too; may be repeated.", "NAME"),
    output: str = options.directory("report"),
    effort: str = options.EFFORT,
    asked: dict[str, Any] = options.WITHOUT_DIGITS,
    work: dict[str, Any] = options.WORK,
    form: str = options.FORMAT,
    json: bool = options.JSON,
) -> None:
    """A report: what to play, which policy, which results hold.

    Markdown with figures, or one HTML page: boundcheck report paper --format html
    """
    from boundcheck.pages.instance import write_report
    from boundcheck.terminal.verified import findings_screen

    def studied(found: Study) -> None:
        if not json:
            show(*findings_screen(found.verification))

    spoken, ids = theory_and_claims(claim)
    question, arms = spoken.question.asked(None, asked), loaded(instance, theory=spoken)
    path = write_report(
        arms,
        output,
        effort,
        question=question,
        **work,
        form=form,
        progress=telling("report"),
        studied=studied,
        claims=ids,
        policies=policy or (),
        theory=spoken,
    )
    how = {"effort": effort, "seed": work["seed"], "format": form}
    _wrote("report", arms, question.to_json() | how, path, json)


@command
def _audit(
    output: str = options.directory("audit"),
    effort: str = options.EFFORT,
    theory_name: str | None = options.THEORY,
    work: dict[str, Any] = options.WORK,
    form: str = options.FORMAT,
    json: bool = options.JSON,
) -> None:
    """The paper as a whole: every claim, its evidence and repair."""
    from boundcheck.pages.audit import write_audit

    rows: list[dict[str, Any]] = []
    progress, spoken = telling("audit"), theory(theory_name)
    path = write_audit(
        output, effort, **work, form=form, progress=progress, told=rows.extend, theory=spoken
    )
    parameters = {"effort": effort, "seed": work["seed"], "format": form, "file": str(path)}
    _wrote("audit", None, parameters, path, json, rows)


@command
def _almanac(
    output: str = options.directory("almanac"),
    seed: int = option(0, "The same seed gives the same numbers.", "N", min=0),
    form: str = options.FORMAT,
    json: bool = options.JSON,
) -> None:
    """Well-known results: verdicts, how loose they are, their errata."""
    from boundcheck.trying.almanac import write_almanac

    path, entries = write_almanac(
        shipped_theory("classic"), output, seed=seed, form=form, progress=telling("almanac")
    )
    rows = [entry.to_json() for entry in entries]
    _wrote("almanac", None, {"seed": seed, "format": form, "file": str(path)}, path, json, rows)


@command
def _figures(
    output: str = options.directory("figures"),
    runs: int = option(200, "Runs of each policy.", "R", min=2),
    horizon: str = option("1e5", "Slots; some panels stop earlier.", "T"),
    work: dict[str, Any] = options.WORK,
    figure: list[str] | None = option(None, "Only this one, such as 1a; may be repeated.", "NAME"),
    json: bool = options.JSON,
) -> None:
    """The paper's figures from simulation, each with what it shows."""
    from boundcheck.pages.study import own_pages

    module = getattr(own_pages(theory()), "FIGURES", None)
    if module is None:
        raise InputError("figures", "theory", theory().name, "a theory with figures of its own")
    drawn: dict[str, Any] = {"runs": runs, "horizon": horizon}
    path = import_module(module).write_figures(
        output, **drawn, **work, only=figure, progress=telling("figures")
    )
    _wrote("figures", None, drawn | {"seed": work["seed"]}, path, json)


@command
def _plot(
    instance: str = options.INSTANCE,
    output: str = options.directory("plots"),
    form: str = option("svg", "svg, or png for slides.", "FORM", "--format"),
    effort: str = options.EFFORT,
    work: dict[str, Any] = options.WORK,
    json: bool = options.JSON,
) -> None:
    """The figures of a report alone, as SVG or PNG."""
    from boundcheck.pages.instance import write_plots

    arms = loaded(instance)
    paths = write_plots(
        arms, output, form, effort, **work, progress=telling("plot"), theory=theory()
    )
    parameters = {"effort": effort, "seed": work["seed"], "format": form}
    rows = ({"file": str(path)} for path in paths)
    print_answer("plot", arms, parameters, rows, (f"written to {path}" for path in paths), json)


def _wrote(
    name: str,
    arms: Instance | None,
    parameters: dict[str, Any],
    path: Path,
    json: bool,
    rows: list[dict[str, Any]] | None = None,
) -> None:
    """Print where the page is; in JSON the rows contain the path, unless other rows are given."""
    if json:
        found = [{"file": str(path)}] if rows is None else rows
        print_answer(name, arms, parameters, found, (), json)
    else:
        say("")
        print(printable(f"written to {path}"))
