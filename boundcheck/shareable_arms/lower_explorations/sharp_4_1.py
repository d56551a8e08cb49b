"""Ours in place of 4.1: telling m from m + 1, without a condition.

sharp-4.1 says how many explorations above the capacity are too few: fixed in number, or on average
where one may stop early. What holds on average holds for a fixed number too, and is set beside it.

sharp-4.1-test gives the least error itself. No estimator has both errors below it, and the
likelihood-ratio test has neither above it; errors are counted. The larger of two counts says that
one error reaches the claimed one, but that neither exceeds it is two tests, each a case of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

from flint import arb

from boundcheck.claim import Claim
from boundcheck.finding import Role, Verdict
from boundcheck.lab import Lab
from boundcheck.measured import Counted, Measured, Relation
from boundcheck.numbers.balls import precision
from boundcheck.question import Question
from boundcheck.shareable_arms.lower_explorations.estimators import (
    ESTIMATORS,
    Problem,
    wrong_answers,
)
from boundcheck.shareable_arms.lower_explorations.rem_4_2 import drawn
from boundcheck.shareable_arms.lower_explorations.telling_apart import (
    Telling,
    one_above,
    tellable,
    too_few,
)
from boundcheck.statement import Measurement, Statement
from simulation.instance import Instance
from simulation.rewards import Gaussian

FREQUENT = 0.2  # errors to be counted are at most this frequent, if explorations allow,
RAREST = 1e-4  # and at least this: a million trials show a hundred
LARGEST = 256  # explorations with which errors are counted


@dataclass(frozen=True)
class Estimated(Telling):
    """Telling m from m + 1 after n explorations above both, by an estimator."""

    n: int = 1
    estimator: str = "likelihood ratio"
    truth: int | None = None  # None: the capacity at which it errs more

    @property
    def question(self) -> Question:
        return replace(super().question, samples=self.n)

    @property
    def exact_error(self) -> float:
        found = self.error(self.n)
        assert found is not None
        return float(found[1])

    def told(self) -> dict[str, Any]:
        shown = super().told() | {"explorations": self.n, "estimator": self.estimator}
        return shown if self.truth is None else shown | {"truth": self.truth}


def larger_error(card: Claim, case: Estimated, lab: Lab) -> Measured | None:
    """Counted at the true capacity, or at both and taken where the estimator errs more."""
    problem = Problem(*case.pair, sqrt(case.theta2))
    hits = max(
        wrong_answers(
            case.estimator,
            problem,
            truth,
            case.n,
            lab.effort.trials,
            lab.generator(f"{card.id} {case.estimator} {truth}"),
        )
        for truth in (case.pair if case.truth is None else (case.truth,))
    )
    return Counted(hits, lab.effort.trials)


def least_error(card: Claim, case: Estimated) -> arb:
    return case.given_by(card)


# -- cases -----------------------------------------------------------------------------------


def _hardest(instance: Instance, question: Question) -> Iterator[Estimated]:
    """The arm that is hardest to tell, and explorations with which that is often done rightly."""
    tried = [
        Estimated.of(instance, arm, question.delta)
        for arm in tellable(instance)
        if arm.capacity < instance.plays and isinstance(arm.law, Gaussian)
    ]
    with precision(96):
        case = max(tried, key=lambda one: one.exact_error, default=None)
        while case and case.exact_error > FREQUENT and case.n < LARGEST:
            case = replace(case, n=2 * case.n)
        if case and case.exact_error > RAREST:
            yield case


def by_estimators(
    card: Claim, instance: Instance, question: Question, lab: Lab
) -> Iterator[Estimated]:
    for case in _hardest(instance, question):
        yield from (replace(case, estimator=name) for name in ESTIMATORS)


def at_each_capacity(
    card: Claim, instance: Instance, question: Question, lab: Lab
) -> Iterator[Estimated]:
    for case in _hardest(instance, question):
        yield from (replace(case, truth=truth) for truth in case.pair)


# -- statements ------------------------------------------------------------------------------

FIXED = too_few(
    "with so few explorations above m_k, fixed in number, the larger of the errors at m_k and "
    "m_k + 1 is at least delta",
    one_above,
    drawn,
)
ON_AVERAGE = too_few(
    "with a fixed number of explorations above m_k that is too small for an average, the larger of "
    "the errors at m_k and m_k + 1 is at least delta",
    one_above,
    drawn,
    place=1,
    name="expected",
)
UNBEATEN = Statement(
    Role.INTENDED,
    "no estimator has both errors below the exact one",
    (Measurement("simulated", larger_error, sampled=True),),
    least_error,
    by_estimators,
    relation=Relation.AT_LEAST,
    nowhere="no arm has Gaussian rewards, a capacity below N, and after one exploration errors "
    "that are frequent enough to be counted",
    seen={
        Verdict.REFUTED: "{estimator}: its larger error is {actual}, below the exact {claimed}",
        Verdict.CONSISTENT: "of the estimators simulated {estimator} comes closest: the larger of "
        "its errors is {actual}, the exact one {claimed}",
        Verdict.INCONCLUSIVE: "errors of probability {claimed} are too rare to be counted in so "
        "few trials: more effort would tell",
    },
)
ATTAINED = replace(
    UNBEATEN,
    words="the likelihood-ratio test has no error above the exact one",
    cases=at_each_capacity,
    relation=Relation.AT_MOST,
    name="attained",
    seen={
        Verdict.REFUTED: "at capacity {truth} its error is {actual}, above the exact {claimed}",
        Verdict.CONSISTENT: "at capacity {truth}, where it errs more, its error is {actual} beside "
        "the exact {claimed}",
    },
)
STATEMENTS = {"sharp-4.1": (FIXED, ON_AVERAGE), "sharp-4.1-test": (UNBEATEN, ATTAINED)}
