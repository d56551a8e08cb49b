"""Theorem 4.1, first part: explorations needed to learn a capacity.

Intended: the larger of the errors at m and at a neighbouring capacity, for either neighbour.
Printed: the error at m only, where the estimator that always answers m is never wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from hypothesis.strategies import SearchStrategy

from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.judging.comparison import Measured, Relation
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Exact
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms.lower_explorations import telling_apart as telling
from boundcheck.theories.shareable_arms.lower_explorations.telling_apart import (
    Hypotheses,
    TwoCapacities,
    too_few,
)
from boundcheck.theories.shareable_arms.lower_explorations.thresholds import smallest_ratios
from boundcheck.theories.shareable_arms.one_arm import OneArm, confidence_of
from simulation.world.instance import Instance


def _neighbours(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[TwoCapacities]:
    """Every arm's capacity and each neighbour of it."""
    for arm, delta in telling.arms_and_confidences(instance, question):
        if arm.capacity > 1:
            yield TwoCapacities.of(instance, arm, delta, hypotheses=Hypotheses.BELOW)
        if arm.capacity < instance.plays:
            yield TwoCapacities.of(instance, arm, delta, hypotheses=Hypotheses.ABOVE)


def each_arm(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[OneArm]:
    for arm in telling.tellable(instance):
        yield OneArm.of(instance, arm, question.delta)


DRAWN_NEIGHBOURS = partial(telling.near_the_condition, (Hypotheses.BELOW, Hypotheses.ABOVE))


def drawn_arms() -> SearchStrategy[OneArm]:
    return DRAWN_NEIGHBOURS().map(lambda c: OneArm(c.mean, c.capacity, c.plays, c.law, c.delta))


def always_m(card: Claim, case: OneArm, context: RunContext) -> Measured | None:
    """The error, at capacity m, of the estimator that always answers m."""
    return Exact(Fraction(0), estimator=f"always answers {case.capacity}")


NEIGHBOURS = too_few(
    "the larger of the errors at m_k and at a neighbouring capacity is at least delta",
    _neighbours,
    DRAWN_NEIGHBOURS,
)

AT_ONE_CAPACITY = Statement(
    role=Role.PRINTED,
    text="P(estimate != m_k) >= delta at the one capacity m_k, for any estimator",
    actual=(Measurement("always m", always_m),),
    claimed=confidence_of,
    cases=each_arm,
    strategy=drawn_arms,
    relation=Relation.AT_LEAST,
    inapplicable_reason=NEIGHBOURS.inapplicable_reason,
    explanations={
        Verdict.REFUTED: "an estimator that always answers {capacity} is never wrong where that is "
        "the capacity: its error is {actual}, below delta = {claimed}"
    },
)

STATEMENTS = {"thm-4.1a": (NEIGHBOURS, AT_ONE_CAPACITY)}

THRESHOLDS = {
    ("thm-4.1a", given.SIGNAL_TO_NOISE.name): partial(
        smallest_ratios, "thm-4.1a", Hypotheses.BELOW, Hypotheses.ABOVE
    )
}
