"""What happens: `policies`, `simulate`, `estimate`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from boundcheck.cli import options
from boundcheck.cli.options import option
from boundcheck.cli.shared import answer, command, loaded, policies_named, theory

if TYPE_CHECKING:
    from simulation.instance import Instance


@command
def policies(json: options.Json = False) -> None:
    """What each policy does, and what it must be told."""
    from boundcheck.commands.simulate import policies as known
    from boundcheck.present import table

    found = known(theory())

    def parts() -> Iterator[Any]:
        rows = [
            # lists downwards, which leaves room for what a policy does
            [each.policy, each.title, *(x.replace(", ", ",\n") for x in (each.told, each.proved))]
            for each in found
        ]
        headers = ("policy", "what it does", "must be told", "regret bounded by")
        yield table("Policies", headers, rows)

    answer("policies", None, {}, (policy.to_json() for policy in found), parts(), json)


@command
def simulate(
    instance: options.Instance,
    policy: Annotated[
        list[str], option("Which policy; may be repeated. See `policies`.", metavar="NAME")
    ],
    horizon: Annotated[str, option("Slots of a run.", metavar="T")] = "1e5",
    runs: options.Runs = "200",
    *,
    running: options.Running,
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
    output: options.CsvFile = None,
    json: options.Json = False,
) -> None:
    """Regret of policies over many runs: its growth, spread and phases.

    Example: boundcheck simulate paper --policy likelihood --policy orch-explore
    """
    from boundcheck.commands.simulate import progress_on_stderr
    from boundcheck.commands.simulate import simulate as compute

    arms = loaded(instance, output)
    given = [*(option or ()), *([] if interval is None else [f"interval={interval}"])]
    with progress_on_stderr("simulate") as progress:
        found = compute(
            arms,
            policies_named(policy),
            horizon,
            runs,
            **running,
            option=given,
            leap=leap,
            progress=progress,
        )
    _answered("simulate", arms, found, output, json)


@command
def estimate(
    instance: options.Instance,
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
    runs: options.Runs = "10000",
    *,
    running: options.Running,
    output: options.CsvFile = None,
    json: options.Json = False,
) -> None:
    """How often the capacity estimator is wrong, beside the bounds.

    Example: boundcheck estimate paper --arm 1 --delta 0.01
    """
    from boundcheck.commands.simulate import estimate as compute

    arms = loaded(instance, output)
    found = compute(
        arms,
        arm,
        theory(),
        delta=delta,
        interval=interval,
        width=width,
        schedule=schedule,
        samples=samples,
        runs=runs,
        **running,
    )
    _answered("estimate", arms, found, output, json)


def _answered(name: str, arms: Instance, found: Any, output: str | None, json: bool) -> None:
    """A simulated result and the bounds beside it, shown even if its CSV cannot be written."""
    from boundcheck.cli.screens import simulated_screen

    try:
        if output is not None:
            found.result.to_csv(output)
    finally:
        answer(name, arms, found.parameters, found.rows, simulated_screen(arms, found), json)
