"""What happens: `simulate`, `estimate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from boundcheck.cli.shared import Cluster, InstanceName, Json, StoreFolder, app, loaded, show

if TYPE_CHECKING:
    from simulation.instance import Instance


@app.command()
def simulate(
    instance: InstanceName,
    policy: Annotated[list[str], typer.Option(help="Which policy; repeatable.")],
    horizon: Annotated[str, typer.Option(help="Slots, such as 1e5.")] = "1e5",
    runs: Annotated[str, typer.Option()] = "200",
    seed: Annotated[str, typer.Option()] = "0",
    jobs: Annotated[str | None, typer.Option(help="Threads.")] = None,
    cluster: Cluster = None,
    store: StoreFolder = None,
    interval: Annotated[
        str | None, typer.Option(help="For capacities: uniform, hoeffding, joint or likelihood.")
    ] = None,
    option: Annotated[list[str] | None, typer.Option(help="key=value; repeatable.")] = None,
    leap: Annotated[
        bool, typer.Option("--leap", help="Draw stretches of one action at once: up to 9e18 slots.")
    ] = False,
    output: Annotated[str | None, typer.Option("-o", "--output", help="CSV file.")] = None,
    json: Json = False,
) -> None:
    """Many runs of policies: regret at checkpoints, its spread, its phases."""
    from boundcheck.commands.simulate import progress_on_stderr
    from boundcheck.commands.simulate import simulate as compute
    from simulation.files import require_writable

    arms = loaded(instance)
    if output is not None:
        require_writable(output)
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
            leap=leap,
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
    cluster: Cluster = None,
    store: StoreFolder = None,
    output: Annotated[str | None, typer.Option("-o", "--output", help="CSV file.")] = None,
    json: Json = False,
) -> None:
    """The capacity estimator by itself: failure against sample size, with the bounds."""
    from boundcheck.commands.simulate import estimate as compute
    from simulation.files import require_writable

    arms = loaded(instance)
    if output is not None:
        require_writable(output)
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
        cluster=cluster,
        store=store,
    )
    _answered("estimate", arms, answer, output, json)


def _answered(command: str, arms: Instance, answer: Any, output: str | None, json: bool) -> None:
    """A simulated result, shown even if its CSV cannot be written."""
    try:
        if output is not None:
            answer.result.to_csv(output)
    finally:
        _show(command, arms, answer, json)


def _show(command: str, arms: Instance, answer: Any, json: bool) -> None:
    """JSON, or the table and the bounds beside it."""
    from boundcheck import present

    if json:
        print(present.envelope(command, arms, answer.parameters, answer.rows))
        return
    parts: list[Any] = [present.about(arms), answer.result]
    if answer.bounds:
        rows, _ = present.bounds_rows(answer.bounds, arms, every=True)
        parts.append(present.table("Bounds", present.BOUNDS_HEADERS, rows))
    show(*parts)
