"""Estimators that tell capacity a from b, simulated in units of sigma.

Each sees n plays at a load of b or more; those that do not know the mean see n single plays too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chndtr

_AT_ONCE = 2_000_000  # rewards
LEAST_SHIFT = 1e-100  # smaller ones change nothing, and chndtr loses digits at some
HALVINGS = 100  # of an interval of floats: beyond the last bit

Rewards = NDArray[np.float64]  # one row for each trial


@dataclass(frozen=True)
class Problem:
    """Capacities a < b of an arm of signal-to-noise theta = mu/sigma."""

    a: int
    b: int
    theta: float

    def threshold(self, n: int) -> float:
        """Of sum (Y - theta h)^2, at which both errors of the likelihood-ratio test are equal."""
        shift = n * (self.theta / (self.a + self.b)) ** 2
        shift = shift if shift > LEAST_SHIFT else 0.0

        def too_low(q: float) -> bool:
            # scipy.stats.ncx2 overflows for tiny shifts; errors this rare are not looked at
            above = 1 - chndtr(q / self.a**2, n, shift * self.a**2)
            return bool(above > chndtr(q / self.b**2, n, shift * self.b**2))

        low, high = 0.0, 4 * self.b**2 * (n + shift * self.b**2) + 100
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if too_low(middle) else (low, middle)
        return high


def likelihood_ratio(problem: Problem, united: Rewards, single: Rewards) -> Any:
    """The minimax test; it knows the mean."""
    centre = problem.theta * problem.a * problem.b / (problem.a + problem.b)
    return ((united - centre) ** 2).sum(1) > problem.threshold(united.shape[1])


def profile_likelihood(problem: Problem, united: Rewards, single: Rewards) -> Any:
    """The capacity with the larger likelihood, the mean maximised out for each."""

    def log_likelihood(m: int) -> Any:
        every = np.concatenate([single, united / m], axis=1)
        return -every.var(1) * every.shape[1] / 2 - united.shape[1] * np.log(m)

    return log_likelihood(problem.b) > log_likelihood(problem.a)


def rounding(problem: Problem, united: Rewards, single: Rewards) -> Any:
    """The capacity whose multiple of the mean of single plays is nearer."""
    shown, mean = united.mean(1), single.mean(1)
    return np.abs(shown - problem.b * mean) < np.abs(shown - problem.a * mean)


ESTIMATORS: dict[str, Callable[[Problem, Rewards, Rewards], Any]] = {  # who says b?
    "likelihood ratio": likelihood_ratio,
    "profile likelihood": profile_likelihood,
    "rounding": rounding,
}


def wrong_answers(
    name: str, problem: Problem, truth: int, n: int, trials: int, rng: np.random.Generator
) -> int:
    """How often an estimator is wrong where the capacity is `truth`."""
    wrong, size = 0, max(1, _AT_ONCE // n)
    for start in range(0, trials, size):
        shape = min(size, trials - start), n
        single = problem.theta + rng.standard_normal(shape)
        united = truth * (problem.theta + rng.standard_normal(shape))
        says_b = ESTIMATORS[name](problem, united, single)
        wrong += int(np.count_nonzero(says_b != (truth == problem.b)))
    return wrong
