"""The simulated-regret column of a sweep."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from boundcheck.calculator.numbers.evaluate import Array
from boundcheck.calculator.question import Question
from boundcheck.calculator.stretching import stretched
from simulation.errors import InputError
from simulation.numbers import exact
from simulation.parameters import LARGEST_HORIZON
from simulation.policies import Policy
from simulation.rewards.laws import Gaussian
from simulation.running.replicate import replicate
from simulation.world.instance import Instance

MOST_SLOTS = 2 * 10**9  # total over all points; this takes minutes


def simulated_columns(
    instance: Instance, question: Question, points: dict[str, Array], policy: Policy, runs: int
) -> dict[str, Array]:
    """The mean regret of a policy and its standard error at the horizon of each point, as
    columns.
    """
    size = max((len(column) for column in points.values()), default=1)
    rows = [{name: float(column[n, 0]) for name, column in points.items()} for n in range(size)]
    horizons = [int(row.get("horizon", question.horizon)) for row in rows]
    if max(horizons) > LARGEST_HORIZON or sum(horizons) * runs > MOST_SLOTS:
        found = f"{sum(horizons) * runs:,} slots in all"
        raise InputError("--simulate", "slots", found, f"at most {MOST_SLOTS:,}: fewer points")
    mean, error = np.empty((size, 1)), np.empty((size, 1))
    for n, (row, horizon) in enumerate(zip(rows, horizons, strict=True)):
        runs_of = replicate(_at(instance, row), policy, horizon, runs)[policy.name]
        mean[n], error[n] = runs_of.mean[-1], runs_of.standard_error[-1]
    return {"simulated": mean, "standard_error": error}


def _at(instance: Instance, row: dict[str, float]) -> Instance:
    """The instance of a point; parameters of the question, such as the horizon, leave it
    unchanged.
    """
    means: list[Fraction] = [*instance.means]
    capacities = [*instance.capacities]
    if "gap" in row:
        floats = np.array([instance.means], dtype=float)
        means = [
            exact(x) for x in stretched(instance, floats, np.array([[row["gap"]]]))[0].tolist()
        ]
    changes: dict[str, object] = {}
    for name, value in row.items():
        base, _, arm = name.partition(".")
        if base == "mean":
            means[int(arm) - 1] = exact(value)
        elif base == "capacity":
            capacities[int(arm) - 1] = int(value)
        elif base == "plays":
            changes["plays"] = int(value)
        elif base == "variance":
            changes["reward"] = Gaussian(exact(value))
    return instance.with_(means=means, capacities=capacities, **changes)
