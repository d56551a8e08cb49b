"""Regret of five classic policies beside those of SMPyBandits (Besson 2018), on one instance.

    python benchmarks/classic_outside.py FOLDER    the folder that holds the package SMPyBandits

Only its policies are used, each called slot by slot; rewards are drawn here. The package file of
its policies imports all of them and what they need: an empty one in its place is enough.
"""

from __future__ import annotations

import sys
from importlib import import_module
from math import hypot
from typing import Any

import numpy as np
import scipy.special

from simulation.running.replicate import replicate
from simulation.world.instance import Instance

MEANS, SLOTS, RUNS = (0.6, 0.5, 0.3), 1_000, 150
POLICIES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "ucb1": ("UCB", {}, {}),
    "alpha-ucb": ("UCBalpha", {"alpha": 3}, {"alpha": 3.0}),
    "moss": ("MOSSH", {"horizon": SLOTS}, {}),
    "kl-ucb": ("klUCBloglog", {"c": 3.0}, {}),
    "thompson": ("Thompson", {}, {}),
}


def theirs(name: str, arguments: dict[str, Any]) -> np.ndarray:
    """Pseudo-regret of so many runs."""
    made = getattr(import_module(f"SMPyBandits.Policies.{name}"), name)
    rng, lost = np.random.default_rng(1), np.zeros(RUNS)
    for run in range(RUNS):
        np.random.seed(run)  # noqa: NPY002 (what these policies draw from)
        policy = made(len(MEANS), **arguments)
        policy.startGame()
        for _ in range(SLOTS):
            arm = int(policy.choice())
            policy.getReward(arm, float(rng.random() < MEANS[arm]))
            lost[run] += MEANS[0] - MEANS[arm]
    return lost


def main(folder: str) -> None:
    sys.path.insert(0, folder)
    special: Any = scipy.special
    special.btdtri = special.betaincinv  # its name in the SciPy that this package was written for
    instance = Instance([str(mean) for mean in MEANS], [1] * len(MEANS), 1)
    for ours, (name, arguments, options) in POLICIES.items():
        other = theirs(name, arguments)
        found = replicate(instance, [ours], SLOTS, 10 * RUNS, 0, options=options)[ours].total[:, -1]
        errors = [x.std(ddof=1) / len(x) ** 0.5 for x in (found, other)]
        apart = (found.mean() - other.mean()) / hypot(*errors)
        print(
            f"{ours}: {found.mean():.2f} +- {errors[0]:.2f}, {name} {other.mean():.2f} "
            f"+- {errors[1]:.2f}: {apart:+.1f} standard errors apart",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1])
