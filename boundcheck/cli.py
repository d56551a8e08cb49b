"""The command line: every command is one call in Python, and nothing is imported before needed."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from pathlib import Path

    from boundcheck.question import Question
    from simulation.instance import Instance

app = typer.Typer(
    name="boundcheck",
    help="Is a published bandit theory true, where does it apply, how tight is it?",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

InstanceName = Annotated[str, typer.Argument(metavar="INSTANCE", help="Name, TOML file, or -.")]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]
Strict = Annotated[bool, typer.Option("--strict", help="Exit 1 if something fails.")]
Claims = Annotated[list[str] | None, typer.Option("--claim", help="Only this claim; repeatable.")]
Text = Annotated[str | None, typer.Option()]


def _question(**given: str | None) -> Question:
    from boundcheck.question import Question

    chosen: dict[str, Any] = {name: text for name, text in given.items() if text is not None}
    return Question(**chosen)


def _instance(source: str) -> Instance:
    from simulation.instance import Instance

    instance = Instance.load(source)
    for warning in instance.warnings:
        _say(f"{source}: {warning}: a warning")
    return instance


def _say(line: str) -> None:
    print(line, file=sys.stderr)


def _show(*parts: Any) -> None:
    from rich.console import Console

    width = shutil.get_terminal_size().columns  # COLUMNS, the terminal, or 80
    console = Console(width=width, highlight=False, markup=False, emoji=False)
    for part in parts:
        console.print(part)


@app.command()
def claims(
    claim: Annotated[str | None, typer.Argument(metavar="[ID]", help="One card.")] = None,
    json: Json = False,
) -> None:
    """The catalogue of claims, or one card."""
    from boundcheck import present
    from boundcheck.claims import catalogue, find

    cards = list(catalogue().values()) if claim is None else [find(claim)]
    if json:
        print(present.envelope("claims", None, {"claim": claim}, [*map(present.card_json, cards)]))
    elif claim is not None:
        _show(present.card_text(cards[0]))
    else:
        rows = [[card.id, card.title, card.kind.value] for card in cards]
        _show(present.table("The catalogue", ("claim", "title", "kind"), rows))


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

    question = _question(
        delta=delta,
        horizon=horizon,
        epsilon=epsilon,
        threshold=threshold,
        samples=samples,
        gamma=gamma,
        xi=xi,
        digits=digits,
    )
    arms = _instance(instance)
    found = compute(arms, question, claim)
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
    _show(*parts)


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

    question = _question(
        delta=delta,
        horizon=horizon,
        epsilon=epsilon,
        threshold=threshold,
        gamma=gamma,
        xi=xi,
        digits=digits,
    )
    arms = _instance(instance)
    found = compute(arms, question, claim)
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
        parts.append(f"All assumptions hold for: {', '.join(clean) or 'none'}")
        _show(*parts)
    if strict and failed:
        raise typer.Exit(1)


@app.command()
def sweep(
    instance: InstanceName,
    vary: Annotated[list[str], typer.Option(help="name=a:b, a:b:count[:log] or a,b,c.")],
    claim: Annotated[str, typer.Option(help="Which claim.")] = "thm-7.1",
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

    grid = {}
    for item in vary:
        name, equals, text = item.partition("=")
        if not equals:
            raise InputError("--vary", shown(item), "no values", "name=values such as plays=2:8")
        if name.strip() in grid:
            raise InputError("--vary", shown(name), "given twice", "each parameter once")
        grid[name.strip()] = values(text, name)
    question = _question(
        delta=delta,
        horizon=horizon,
        epsilon=epsilon,
        threshold=threshold,
        samples=samples,
        gamma=gamma,
        xi=xi,
    )
    arms = _instance(instance)
    found = compute(arms, claim, grid, question)
    if json:
        names = list(found.columns)
        columns = [column.tolist() for column in found.columns.values()]
        rows = [
            {n: present.finite(x) for n, x in zip(names, r, strict=True)}
            for r in zip(*columns, strict=True)
        ]
        print(present.envelope("sweep", arms, question.to_json() | {"claim": claim}, rows))
    elif output is None:
        print(found.to_csv(), end="")
    else:
        _write(output, found.to_csv())
        _say(f"{len(found)} rows in {output}")


@app.command()
def simulate(
    instance: InstanceName,
    policy: Annotated[list[str], typer.Option(help="Which policy; repeatable.")],
    horizon: Annotated[str, typer.Option(help="Slots, such as 1e5.")] = "1e5",
    runs: Annotated[str, typer.Option()] = "200",
    seed: Annotated[str, typer.Option()] = "0",
    jobs: Annotated[str | None, typer.Option(help="Threads.")] = None,
    cluster: Annotated[str | None, typer.Option(help="Address of a Dask scheduler.")] = None,
    store: Annotated[str | None, typer.Option(help="Directory of finished chunks.")] = None,
    interval: Annotated[
        str | None, typer.Option(help="For capacities: uniform, hoeffding, joint or likelihood.")
    ] = None,
    option: Annotated[list[str] | None, typer.Option(help="key=value; repeatable.")] = None,
    output: Annotated[str | None, typer.Option("-o", "--output", help="CSV file.")] = None,
    json: Json = False,
) -> None:
    """Many runs of policies: regret at checkpoints, its spread, its phases."""
    from boundcheck.commands.simulate import progress_on_stderr
    from boundcheck.commands.simulate import simulate as compute

    arms = _instance(instance)
    with progress_on_stderr("simulate") as progress:
        answer = compute(
            arms,
            policy,
            horizon,
            runs,
            seed,
            jobs=jobs,
            cluster=cluster,
            store=store,
            option=[*(option or ()), *([] if interval is None else [f"interval={interval}"])],
            progress=progress,
        )
    _answered("simulate", arms, answer, output, json)


@app.command()
def estimate(
    instance: InstanceName,
    arm: Annotated[str, typer.Option(help="Which arm, from 1.")],
    delta: Annotated[str, typer.Option()] = "0.05",
    interval: Annotated[
        str, typer.Option(help="uniform, hoeffding, joint or likelihood.")
    ] = "uniform",
    width: Annotated[str, typer.Option(help="paper or scaled.")] = "paper",
    schedule: Annotated[
        str, typer.Option(help="lockstep, individual-first or united-first.")
    ] = "lockstep",
    samples: Annotated[str, typer.Option(help="Steps of exploration.")] = "1000",
    runs: Annotated[str, typer.Option()] = "10000",
    seed: Annotated[str, typer.Option()] = "0",
    jobs: Annotated[str | None, typer.Option(help="Threads.")] = None,
    output: Annotated[str | None, typer.Option("-o", "--output", help="CSV file.")] = None,
    json: Json = False,
) -> None:
    """The capacity estimator by itself: failure against sample size, with the bounds."""
    from boundcheck.commands.simulate import estimate as compute

    arms = _instance(instance)
    answer = compute(
        arms,
        arm,
        delta=delta,
        interval=interval,
        width=width,
        schedule=schedule,
        samples=samples,
        runs=runs,
        seed=seed,
        jobs=jobs,
    )
    _answered("estimate", arms, answer, output, json)


def _write(path: str, text: str, mode: str = "w") -> None:
    from simulation.errors import InputError, shown

    try:
        with open(path, mode, encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        reason = str(error.strerror)
        raise InputError("--output", shown(path), reason, "a writable file") from None


def _answered(command: str, arms: Instance, answer: Any, output: str | None, json: bool) -> None:
    """A simulated result: JSON, or its table and the bounds beside it; CSV where asked."""
    from boundcheck import present
    from simulation.errors import InputError, shown

    if output is not None:
        try:
            answer.result.to_csv(output)
        except OSError as error:
            reason = str(error.strerror)
            raise InputError("--output", shown(output), reason, "a writable file") from None
    if json:
        print(present.envelope(command, arms, answer.parameters, answer.rows))
        return
    parts: list[Any] = [present.about(arms), answer.result]
    if answer.bounds:
        rows, _ = present.bounds_rows(answer.bounds, arms, every=True)
        parts.append(present.table("Bounds", present.BOUNDS_HEADERS, rows))
    _show(*parts)


@app.command()
def verify(
    instance: InstanceName,
    effort: Annotated[str, typer.Option(help="quick, standard or thorough.")] = "standard",
    claim: Claims = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    jobs: Annotated[int | None, typer.Option(min=1, help="Threads.")] = None,
    budget: Annotated[float, typer.Option(help="Chance of any false refutation.")] = 1e-6,
    output: Annotated[str | None, typer.Option("-o", "--output", help="Markdown file.")] = None,
    json: Json = False,
    strict: Strict = False,
) -> None:
    """Cross-validation: every claim against exact computation or simulation, with a verdict."""
    from boundcheck import present
    from boundcheck.crossvalidate import crossvalidate

    arms = _instance(instance)
    if output is not None:
        _write(output, "", mode="a")  # an unwritable file is refused before the work, not after
    progress = None if not sys.stderr.isatty() and json else present.progress_line()
    found = crossvalidate(
        arms, effort, claims=claim, seed=seed, jobs=jobs, budget=budget, progress=progress
    )
    if output is not None:
        _write(output, present.verdicts_markdown(found))
    if json:
        parameters = {"effort": effort, "seed": seed, "budget": found.budget.to_json()}
        print(present.envelope("verify", arms, parameters, found.to_json_rows()))
    else:
        _show(*present.verification(found), *([] if output is None else [f"written to {output}"]))
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
    if json:
        print(present.envelope("falsify", None, searched.parameters, searched.rows))
    else:
        _show(*parts(searched))


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
        _show(*command.parts(found))
    if strict and found.refuted:
        raise typer.Exit(1)


@app.command()
def report(
    instance: InstanceName,
    output: Annotated[str, typer.Option("-o", "--output", help="Directory.")] = "report",
    effort: Annotated[str, typer.Option(help="quick, standard or thorough.")] = "standard",
    seed: Annotated[int, typer.Option(min=0)] = 0,
    jobs: Annotated[int | None, typer.Option(min=1, help="Threads.")] = None,
    form: Annotated[str, typer.Option("--format", help="markdown or html.")] = "markdown",
    store: Annotated[str | None, typer.Option(help="Directory of finished chunks.")] = None,
    json: Json = False,
) -> None:
    """All there is to say of an instance, as markdown with figures or as one HTML page."""
    from boundcheck import present
    from boundcheck.report.instance import write_report

    arms = _instance(instance)
    path, found = write_report(
        arms,
        output,
        effort,
        seed=seed,
        jobs=jobs,
        store=store,
        form=form,
        progress=None if json else present.progress_line(),
    )
    if not json:
        _show(*present.verification(found.verification))
    _wrote("report", arms, {"effort": effort, "seed": seed, "format": form}, path, json)


@app.command()
def audit(
    output: Annotated[str, typer.Option("-o", "--output", help="Directory.")] = "audit",
    effort: Annotated[str, typer.Option(help="quick, standard or thorough.")] = "standard",
    seed: Annotated[int, typer.Option(min=0)] = 0,
    jobs: Annotated[int | None, typer.Option(min=1, help="Threads.")] = None,
    form: Annotated[str, typer.Option("--format", help="markdown or html.")] = "markdown",
    json: Json = False,
) -> None:
    """The paper as a whole: every claim with verdict, evidence, counterexample and repair."""
    from boundcheck import present
    from boundcheck.report.audit import write_audit

    progress = None if json else present.progress_line()
    path = write_audit(output, effort, seed=seed, jobs=jobs, form=form, progress=progress)
    _wrote("audit", None, {"effort": effort, "seed": seed, "format": form}, path, json)


@app.command()
def figures(
    output: Annotated[str, typer.Option("-o", "--output", help="Directory.")] = "figures",
    runs: Annotated[int, typer.Option(min=2)] = 200,
    horizon: Annotated[str, typer.Option(help="Slots; some panels stop earlier.")] = "1e5",
    seed: Annotated[int, typer.Option(min=0)] = 0,
    jobs: Annotated[int | None, typer.Option(min=1, help="Threads.")] = None,
    store: Annotated[str | None, typer.Option(help="Directory of finished chunks.")] = None,
    figure: Annotated[list[str] | None, typer.Option(help="Only this one; repeatable.")] = None,
    json: Json = False,
) -> None:
    """The paper's figures from simulation, each with what it shows."""
    from boundcheck import present
    from boundcheck.report.figures import write_figures

    progress = None if json else present.progress_line()
    path = write_figures(
        output,
        runs=runs,
        horizon=horizon,
        seed=seed,
        jobs=jobs,
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
        _say("")
        print(f"written to {path}")


@app.command()
def selftest(json: Json = False, strict: Strict = False) -> None:
    """Plant mistakes in the toolkit, one at a time, and see which are noticed."""
    from boundcheck import present
    from boundcheck.selftest import selftest as plant_all

    outcomes = plant_all(None if json else present.progress_line())
    caught = sum(outcome.caught for outcome in outcomes)
    if json:
        parameters = {"mutations": len(outcomes), "caught": caught}
        print(present.envelope("selftest", None, parameters, [o.to_json() for o in outcomes]))
    else:
        rows = [
            [o.mutation, "caught" if o.caught else "SURVIVED", "; ".join(o.by[:2])]
            for o in outcomes
        ]
        _show(
            present.table("Planted mistakes", ("mutation", "outcome", "noticed by"), rows),
            f"kill rate: {caught} of {len(outcomes)}",
        )
    if strict and caught < len(outcomes):
        raise typer.Exit(1)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; bad input is one line on standard error and exit code 2."""
    from simulation.errors import InputError

    gc.set_threshold(100_000, 20, 20)  # SymPy makes many small objects, and none are garbage
    # typer carries its own copy of click in some versions: its usage error is found by descent
    usage_error: Any = typer.BadParameter.__mro__[1]
    try:
        code = app(arguments, prog_name="boundcheck", standalone_mode=False)
    except InputError as error:
        _say(str(error))
        code = 2
    except usage_error as error:
        _say(f"boundcheck: command line: {_one_line(error.format_message)}")
        code = 2
    except typer.Abort:
        _say("boundcheck: interrupted")
        code = 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code if isinstance(code, int) else 0)


def _one_line(message: Callable[[], str]) -> str:
    text = " ".join(message().split())
    return f"{text} (see --help)"


if __name__ == "__main__":
    main()
