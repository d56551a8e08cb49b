"""Regret of classic policies beside what others publish.

    python benchmarks/classic_outside.py book      an experiment of Lattimore and Szepesvari 2020
    python benchmarks/classic_outside.py FOLDER    the folder that holds the package SMPyBandits

SMPyBandits (Besson 2018): five policies on one instance, with slots per second of CPU. Only its
policies are used, each called slot by slot; rewards are drawn here. The package file of its
policies imports all of them and what they need: an empty one in its place is enough.

The book prints curves and no numbers. Its Experiment 6.1 is explore-then-commit with two unit
Gaussian arms, n = 1000 and the m of its (6.5), drawn beside its bound (6.6) on axes that end at a
gap of 1 and at a regret a little above 80. The curve has a formula: both are compared with it here.
"""

from __future__ import annotations

import sys
import time
from importlib import import_module
from math import ceil, erfc, hypot, log, sqrt
from typing import Any

import numpy as np
import scipy.special

from simulation.rewards.laws import Gaussian
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


def theirs(name: str, arguments: dict[str, Any]) -> tuple[np.ndarray, float]:
    """Pseudo-regret of so many runs, and slots per second of CPU."""
    made = getattr(import_module(f"SMPyBandits.Policies.{name}"), name)
    rng, lost, start = np.random.default_rng(1), np.zeros(RUNS), time.process_time()
    for run in range(RUNS):
        np.random.seed(run)  # noqa: NPY002 (what these policies draw from)
        policy = made(len(MEANS), **arguments)
        policy.startGame()
        for _ in range(SLOTS):
            arm = int(policy.choice())
            policy.getReward(arm, float(rng.random() < MEANS[arm]))
            lost[run] += MEANS[0] - MEANS[arm]
    return lost, RUNS * SLOTS / (time.process_time() - start)


def book(slots: int = 1_000, runs: int = 10_000) -> None:
    """Simulated regret, its formula, and the bound (6.6), by gap."""
    for tenths in range(1, 11):
        gap = tenths / 10
        spent = max(0.0, log(slots * gap**2 / 4))
        m = max(1, ceil(4 / gap**2 * spent))
        pair = Instance([f"{gap:.1f}", 0], [1, 1], 1, Gaussian(1))
        found = replicate(pair, ["etc"], slots, runs, tenths, options={"m": m})["etc"]
        lost, wrong = found.total[:, -1], erfc(gap * sqrt(m) / 2) / 2
        exact = gap * (m + (slots - 2 * m) * wrong)
        error = gap * (slots - 2 * m) * sqrt(wrong * (1 - wrong) / runs)
        bound = min(slots * gap, gap + 4 / gap * (1 + spent))
        apart = (lost.mean() - exact) / error
        print(
            f"gap {gap:.1f}, m = {m}: {lost.mean():.2f} +- {error:.2f}, by the formula {exact:.2f} "
            f"({apart:+.1f} standard errors), bound {bound:.2f}"
        )


def main(folder: str) -> None:
    sys.path.insert(0, folder)
    special: Any = scipy.special
    special.btdtri = special.betaincinv  # its name in the SciPy that this package was written for
    instance = Instance([str(mean) for mean in MEANS], [1] * len(MEANS), 1)
    for ours, (name, arguments, options) in POLICIES.items():
        other, speed = theirs(name, arguments)
        found = replicate(instance, [ours], SLOTS, 10 * RUNS, 0, options=options)[ours].total[:, -1]
        errors = [x.std(ddof=1) / len(x) ** 0.5 for x in (found, other)]
        apart = (found.mean() - other.mean()) / hypot(*errors)
        print(
            f"{ours}: {found.mean():.2f} +- {errors[0]:.2f}, {name} {other.mean():.2f} "
            f"+- {errors[1]:.2f}: {apart:+.1f} standard errors apart, {speed:,.0f} slots/s there",
            flush=True,
        )


if __name__ == "__main__":
    book() if sys.argv[1] == "book" else main(sys.argv[1])
