"""Commands that simulate: `policies`, `simulate`, `estimate`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from boundcheck.terminal import options
from boundcheck.terminal.options import Group, option
from boundcheck.terminal.shared import command, loaded, policies_named, print_answer, theory

if TYPE_CHECKING:
    from simulation.world.instance import Instance


@command
def _policies(json: bool = options.JSON) -> None:
    """What each policy does, and what it must be told."""
    from boundcheck.pages.present import table
    from boundcheck.terminal.run_simulate import policies as known

    found = known(theory())

    def parts() -> Iterator[Any]:
        rows = [
            # lists vertically, to leave room for the description
            [each.policy, each.title, *(x.replace(", ", ",\n") for x in (each.told, each.proved))]
            for each in found
        ]
        headers = ("policy", "what it does", "must be told", "regret bounded by")
        yield table("Policies", headers, rows)

    print_answer("policies", None, {}, (policy.to_json() for policy in found), parts(), json)


@command
def _simulate(
    instance: str = options.INSTANCE,
    policy: list[str] = option(..., "Which policy; may be repeated. See `policies`.", "NAME"),
    horizon: str = option("1e5", "Slots of a run.", "T"),
    runs: str = options.runs("200"),
    running: dict[str, Any] = options.RUNNING,
    interval: str | None = option(
        None, "Interval for capacities: uniform, hoeffding, joint, likelihood.", "NAME"
    ),
    option: list[str] | None = option(
        None, "Of a policy, such as gamma=0.1; may be repeated.", "KEY=VALUE"
    ),
    leap: bool = option(
        False, "Draw many slots of one action at once: up to 1e30 slots.", None, "--leap"
    ),
    output: str | None = options.CSV,
    json: bool = options.JSON,
) -> None:
    """Regret of policies over many runs: its growth, spread and phases.

    Example: boundcheck simulate paper --policy likelihood --policy orch-explore
    """
    from boundcheck.terminal.run_simulate import progress_on_stderr
    from boundcheck.terminal.run_simulate import simulate as compute

    arms = loaded(instance, output)
    chosen = policies_named(policy)
    given = [*(option or ()), *([] if interval is None else [f"interval={interval}"])]
    with progress_on_stderr("simulate") as progress:
        found = compute(
            arms, chosen, horizon, runs, **running, option=given, leap=leap, progress=progress
        )
    _answered("simulate", arms, found, output, json)


EXPLORING: Any = Group(
    delta=(str, option("0.05", "Confidence level, between 0 and 1.", "D")),
    interval=(str, option("uniform", "uniform, hoeffding, joint or likelihood.", "NAME")),
    width=(str, option("paper", "paper, or scaled: by 2 sigma.", "NAME")),
    schedule=(str, option("lockstep", "lockstep, individual-first or united-first.", "NAME")),
    samples=(str, option("1000", "Explorations of each kind, at most.", "n")),
    runs=(str, options.runs("10000")),
)


@command
def _estimate(
    instance: str = options.INSTANCE,
    arm: str = option(..., "Which arm; the first is 1.", "K"),
    exploring: dict[str, Any] = EXPLORING,
    running: dict[str, Any] = options.RUNNING,
    output: str | None = options.CSV,
    json: bool = options.JSON,
) -> None:
    """How often the capacity estimator is wrong, beside the bounds.

    Example: boundcheck estimate paper --arm 1 --delta 0.01
    """
    from boundcheck.terminal.run_simulate import estimate as compute

    arms = loaded(instance, output)
    found = compute(arms, arm, theory(), **exploring, **running)
    _answered("estimate", arms, found, output, json)


def _answered(name: str, arms: Instance, found: Any, output: str | None, json: bool) -> None:
    """Print a simulated result and its bounds, even if the CSV cannot be written."""
    from boundcheck.terminal.screens import estimate_screen, simulated_screen

    try:
        if output is not None:
            found.result.to_csv(output)
    finally:
        screen = estimate_screen if name == "estimate" else simulated_screen
        print_answer(name, arms, found.parameters, found.rows, screen(arms, found), json)
