"""Evidence about limits: regret, or plays of an arm, at powers of ten up to 10^12 slots.

Runs leap (docs/leaping.md). Each horizon has runs and random numbers of its own: a policy that
knows T explores for it from the first slot on, and growth within one run depends on the few slots
in which that run explored. The number of decades and of runs is limited by counted steps, never by
a clock, so equal inputs give equal results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from boundcheck.evidence.groups import Groups
from boundcheck.judging.effort import FURTHER
from boundcheck.judging.measured import Growth
from boundcheck.judging.run_context import Options, RunContext
from simulation.world.instance import Instance

if TYPE_CHECKING:
    import numpy as np

    from simulation.policies import Policy
    from simulation.running.results import PolicyRuns

FURTHEST = 10**12
STEPS = 3  # limit on steps in units of the effort's horizon: for one run, and about for a decade
LEAST = 6  # at least so many runs for each decade


def runs_by_decade(
    context: RunContext, instance: Instance, policy: str | Policy, options: Options = None
) -> Iterator[PolicyRuns]:
    """Runs for 10, 100, ... times the effort's horizon, until the limit on steps is reached."""
    effort, most = context.effort, STEPS * context.effort.horizon
    horizon, runs = FURTHER * effort.horizon, effort.further_runs
    while horizon <= FURTHEST and context.leaps(instance, policy, options):
        found = context.simulated(instance, policy, horizon, runs, options, leap=True)
        yield found
        if found.steps > most:
            return
        horizon, runs = 10 * horizon, min(effort.runs, max(LEAST, int(most / found.steps)))


def final_regret(runs: PolicyRuns) -> np.ndarray:
    return runs.total[:, -1]


def by_decade(
    context: RunContext,
    instance: Instance,
    policy: str | Policy,
    of: Callable[[PolicyRuns], np.ndarray] = final_regret,
) -> Groups | None:
    """A number of each run, grouped by horizon; None if fewer than two horizons are reached."""
    found = list(runs_by_decade(context, instance, policy))
    if len(found) < 2:
        return None
    return Groups([runs.horizon for runs in found], [of(runs) for runs in found])


def growth_over_decades(groups: Groups, **more: Any) -> Growth:
    """The slope per log T over all decades, with the mean at each as evidence."""
    slope, first, last = groups.slope(), groups.times[0], groups.times[-1]
    seen: dict[str, Any] = {
        **more,
        "from": first,
        "horizon": last,
        "over": f"between T = {first:.4g} and {last:.4g}",
        "decades": [
            {"T": time, "runs": len(group), "mean": mean, "standard_error": error}
            for time, group, mean, error in zip(
                groups.times, groups.values, groups.means, groups.errors, strict=True
            )
        ],
        "differences": [
            {"from": before, "to": after, "mean": step.value, "standard_error": step.error}
            for before, after, step in groups.differences()
        ],
    }
    return Growth(slope.value, slope.error, seen, slope.freedom)
