"""What happens: `simulate`, `estimate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from boundcheck.cli.shared import (
    Cluster,
    CsvFile,
    InstanceName,
    JobsText,
    Json,
    Runs,
    SeedText,
    StoreFolder,
    app,
    loaded,
    option,
    policies,
    show,
    theory,
)

if TYPE_CHECKING:
    from simulation.instance import Instance


@app.command(name="policies")
def list_policies(json: Json = False) -> None:
    """What each policy does, and what it must be told."""
    from boundcheck import present
    from boundcheck.commands.simulate import policies

    found = policies(theory())
    if json:
        print(present.envelope("policies", None, {}, [policy.to_json() for policy in found]))
    else:
        rows = [
            # lists downwards, which leaves room for what a policy does
            [
                known.policy,
                known.title,
                *(x.replace(", ", ",\n") for x in (known.told, known.proved)),
            ]
            for known in found
        ]
        show(
            present.table(
                "Policies", ("policy", "what it does", "must be told", "regret bounded by"), rows
            )
        )


@app.command()
def simulate(
    instance: InstanceName,
    policy: Annotated[
        list[str], option("Which policy; may be repeated. See `policies`.", metavar="NAME")
    ],
    horizon: Annotated[str, option("Slots of a run.", metavar="T")] = "1e5",
    runs: Runs = "200",
    seed: SeedText = "0",
    jobs: JobsText = None,
    cluster: Cluster = None,
    store: StoreFolder = None,
    interval: Annotated[
        str | None,
        option("Interval for capacities: uniform, hoeffding, joint, likelihood.", metavar="NAME"),
    ] = None,
    option: Annotated[
        list[str] | None,
        option("Of a policy, such as gamma=0.1; may be repeated.", metavar="KEY=VALUE"),
    ] = None,
    leap: Annotated[
        bool, option("Draw stretches of one action at once: up to 9e18 slots.", "--leap")
    ] = False,
    output: CsvFile = None,
    json: Json = False,
) -> None:
    """Regret of policies over many runs: its growth, spread and phases.

    Example: boundcheck simulate paper --policy likelihood --policy orch-explore
    """
    from boundcheck.commands.simulate import progress_on_stderr
    from boundcheck.commands.simulate import simulate as compute
    from simulation.files import require_writable

    arms = loaded(instance)
    if output is not None:
        require_writable(output)
    with progress_on_stderr("simulate") as progress:
        answer = compute(
            arms,
            policies(policy),
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
    arm: Annotated[str, option("Which arm; the first is 1.", metavar="K")],
    delta: Annotated[str, option("Confidence level, between 0 and 1.", metavar="D")] = "0.05",
    interval: Annotated[
        str, option("uniform, hoeffding, joint or likelihood.", metavar="NAME")
    ] = "uniform",
    width: Annotated[str, option("paper, or scaled: by 2 sigma.", metavar="NAME")] = "paper",
    schedule: Annotated[
        str, option("lockstep, individual-first or united-first.", metavar="NAME")
    ] = "lockstep",
    samples: Annotated[str, option("Explorations of each kind, at most.", metavar="n")] = "1000",
    runs: Runs = "10000",
    seed: SeedText = "0",
    jobs: JobsText = None,
    cluster: Cluster = None,
    store: StoreFolder = None,
    output: CsvFile = None,
    json: Json = False,
) -> None:
    """How often the capacity estimator is wrong, beside the bounds.

    Example: boundcheck estimate paper --arm 1 --delta 0.01
    """
    from boundcheck.commands.simulate import estimate as compute
    from simulation.files import require_writable

    arms = loaded(instance)
    if output is not None:
        require_writable(output)
    answer = compute(
        arms,
        arm,
        theory(),
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
    from boundcheck.cli.screens import BOUNDS_HEADERS, each_bound

    if json:
        print(present.envelope(command, arms, answer.parameters, answer.rows))
        return
    parts: list[Any] = [present.about(arms), answer.result]
    if answer.bounds:
        parts.append(present.table("Bounds", BOUNDS_HEADERS, each_bound(answer.bounds)))
    show(*parts)
