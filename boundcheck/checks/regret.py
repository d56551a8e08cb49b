"""Simulated runs for checks that still ask a `Run`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boundcheck.crossvalidate import Run

if TYPE_CHECKING:
    from simulation.results import PolicyRuns

SHORTEST = 1_000
FURTHER, FURTHER_RUNS = 10, 20
# runs beyond which a bound that is many times the regret gains nothing; orch-explore is cheap and
# its growth is measured too, so it takes all the effort offers
MOST_RUNS = {"mp-se-sa": 100, "mp-se": 100, "se-kc": 100, "etc-ucb": 100}
MOST_RUNS_BESIDE = 50


def played(run: Run, policy: str, horizon: int | None = None) -> PolicyRuns:
    """Simulated runs of a policy, as many as the effort allows and the policy needs."""
    runs = run.effort.runs
    if horizon is not None and horizon > run.effort.horizon:
        runs = min(runs, max(runs // FURTHER, FURTHER_RUNS))
    elif policy != "orch-explore":
        runs = min(runs, MOST_RUNS.get(policy, MOST_RUNS_BESIDE))
    return run.simulated(policy, horizon=horizon, runs=runs)


def ladder(run: Run) -> list[int]:
    """The horizons that get runs of their own: powers of ten, and the effort's horizon."""
    horizons, horizon = [], SHORTEST
    while horizon < run.effort.horizon:
        horizons.append(horizon)
        horizon *= 10
    return [*horizons, run.effort.horizon]
