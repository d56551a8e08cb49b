"""sharp-4.1-test: the least error of distinguishing m from m + 1 after n explorations.

No estimator has both errors below it, and the likelihood-ratio test has neither above it; errors
are counted in simulations. The larger of two counts shows that one error reaches the claimed one,
but that neither exceeds it takes two tests, each a case of its own. An estimator observes n plays
at a load of b or more; those that do not know the mean observe n single plays, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chndtr

from boundcheck.calculator.numbers.balls import precision
from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.judging.comparison import Measured, Relation
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Counted
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.theories.shareable_arms import question as own
from boundcheck.theories.shareable_arms.lower_explorations import telling_apart as telling
from boundcheck.theories.shareable_arms.lower_explorations.telling_apart import TwoCapacities
from simulation.rewards.laws import Gaussian
from simulation.world.instance import Instance

FREQUENT = 0.2  # errors in simulations are at most this frequent, if explorations allow,

RAREST = 1e-4  # and at least this, so that a million trials show a hundred

LARGEST = 256  # largest number of explorations for counting errors

_AT_ONCE = 2_000_000  # rewards held in memory at once

_LEAST_SHIFT = 1e-100  # smaller ones have no effect, and chndtr is inaccurate for some

_HALVINGS = 100  # bisection steps: enough to reach the last bit

Rewards = NDArray[np.float64]  # one row for each trial, in units of sigma


@dataclass(frozen=True)
class Problem:
    """Capacities a < b of an arm with signal-to-noise ratio theta = mu/sigma."""

    a: int
    b: int
    theta: float

    def threshold(self, n: int) -> float:
        """The threshold for sum (Y - theta h)^2 at which both errors of the likelihood-ratio test
        are equal.
        """
        shift = n * (self.theta / (self.a + self.b)) ** 2
        shift = shift if shift > _LEAST_SHIFT else 0.0

        def too_low(q: float) -> bool:
            # scipy.stats.ncx2 overflows for tiny shifts; errors this rare are not needed
            above = 1 - chndtr(q / self.a**2, n, shift * self.a**2)
            return bool(above > chndtr(q / self.b**2, n, shift * self.b**2))

        low, high = 0.0, 4 * self.b**2 * (n + shift * self.b**2) + 100
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if too_low(middle) else (low, middle)
        return high


def likelihood_ratio(problem: Problem, united: Rewards, single: Rewards) -> Any:
    """The minimax test; it knows the mean."""
    centre = problem.theta * problem.a * problem.b / (problem.a + problem.b)
    return ((united - centre) ** 2).sum(1) > problem.threshold(united.shape[1])


def profile_likelihood(problem: Problem, united: Rewards, single: Rewards) -> Any:
    """The capacity with the larger likelihood, maximised over the mean."""

    def log_likelihood(m: int) -> Any:
        every = np.concatenate([single, united / m], axis=1)
        return -every.var(1) * every.shape[1] / 2 - united.shape[1] * np.log(m)

    return log_likelihood(problem.b) > log_likelihood(problem.a)


def rounding(problem: Problem, united: Rewards, single: Rewards) -> Any:
    """The capacity whose multiple of the single plays' mean is closer."""
    shown, mean = united.mean(1), single.mean(1)
    return np.abs(shown - problem.b * mean) < np.abs(shown - problem.a * mean)


# returns whether the estimate is b
ESTIMATORS: dict[str, Callable[[Problem, Rewards, Rewards], Any]] = {
    "likelihood ratio": likelihood_ratio,
    "profile likelihood": profile_likelihood,
    "rounding": rounding,
}


def wrong_answers(
    name: str, problem: Problem, truth: int, n: int, trials: int, rng: np.random.Generator
) -> int:
    """How often an estimator is wrong if the capacity is `truth`."""
    wrong, size = 0, max(1, _AT_ONCE // n)
    for start in range(0, trials, size):
        shape = min(size, trials - start), n
        single = problem.theta + rng.standard_normal(shape)
        united = truth * (problem.theta + rng.standard_normal(shape))
        says_b = ESTIMATORS[name](problem, united, single)
        wrong += int(np.count_nonzero(says_b != (truth == problem.b)))
    return wrong


@dataclass(frozen=True)
class Estimated(TwoCapacities):
    """Distinguishing m from m + 1 after n explorations above both, by an estimator."""

    n: int = 1
    estimator: str = "likelihood ratio"
    truth: int | None = None  # None: the capacity at which it errs more

    @property
    def question(self) -> own.Question:
        return replace(super().question, samples=self.n)

    @property
    def exact_error(self) -> float:
        found = self.error(self.n)
        assert found is not None
        return float(found[1])

    def parameters(self) -> dict[str, Any]:
        shown = super().parameters() | {"explorations": self.n, "estimator": self.estimator}
        return shown if self.truth is None else shown | {"truth": self.truth}


def _larger_error(card: Claim, case: Estimated, context: RunContext) -> Measured | None:
    """Counted at the true capacity, or at the one where the estimator errs more."""
    problem, trials = Problem(*case.pair, sqrt(case.theta2)), context.effort.trials

    def wrong(truth: int) -> int:
        rng = context.generator(f"{card.id} {case.estimator} {truth}")
        return wrong_answers(case.estimator, problem, truth, case.n, trials, rng)

    return Counted(max(map(wrong, (case.truth,) if case.truth else case.pair)), trials)


def _hardest(
    card: Claim, instance: Instance, question: Question, context: RunContext, *, each: str
) -> Iterator[Estimated]:
    """The arm that is hardest to learn, and enough explorations for errors to be rare: for each
    estimator, or for each capacity (`truth`).
    """
    tried = [
        Estimated.of(instance, arm, question.delta)
        for arm in telling.tellable(instance)
        if arm.capacity < instance.plays and isinstance(arm.law, Gaussian)
    ]
    with precision(96):
        case = max(tried, key=lambda one: one.exact_error, default=None)
        while case and case.exact_error > FREQUENT and case.n < LARGEST:
            case = replace(case, n=2 * case.n)
        if case and case.exact_error > RAREST:
            values: Iterable[Any] = case.pair if each == "truth" else ESTIMATORS
            yield from (replace(case, **{each: value}) for value in values)


UNBEATEN = Statement(
    role=Role.INTENDED,
    text="no estimator has both errors below the exact one",
    actual=(Measurement("simulated", _larger_error, sampled=True),),
    claimed=lambda card, case: case.given_by(card),
    cases=partial(_hardest, each="estimator"),
    relation=Relation.AT_LEAST,
    inapplicable_reason="no arm has Gaussian rewards, a capacity below N, and after one "
    "exploration errors that are frequent enough to be counted",
    explanations={
        Verdict.REFUTED: "{estimator}: its larger error is {actual}, below the exact {claimed}",
        Verdict.SUPPORTED: "of the estimators simulated {estimator} comes closest: the larger of "
        "its errors is {actual}, the exact one {claimed}",
        Verdict.UNDECIDED: "of the estimators simulated {estimator} comes closest: the larger of "
        "its errors is {actual}, the exact one {claimed}",
    },
)

ATTAINED = replace(
    UNBEATEN,
    text="the likelihood-ratio test has no error above the exact one",
    cases=partial(_hardest, each="truth"),
    relation=Relation.AT_MOST,
    name="attained",
    explanations={
        Verdict.REFUTED: "at capacity {truth} its error is {actual}, above the exact {claimed}",
        Verdict.SUPPORTED: "at capacity {truth}, where it errs more, its error is {actual} beside "
        "the exact {claimed}",
    },
)

STATEMENTS = {"sharp-4.1-test": (UNBEATEN, ATTAINED)}
