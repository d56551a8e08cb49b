"""Theorem 4.1: explorations to learn a capacity (a), or whether it reaches d (b); remark 4.2.

a. The larger of the errors at m and at a neighbouring capacity, for either neighbour. Printed, it
   is the error at m alone, where the estimator that always answers m is never wrong.

b. The largest error over all capacities 1..N of a test whether the capacity is at least d. That is
   the least error e* of the pair {d - 1, d}. No test has less on this pair. With theta = mu/sigma,
   a = d - 1, b = d and h = ab/(a + b) its best test compares |Y/sigma - theta h| with a radius r;
   under capacity c the vector Y/sigma - theta h is c Z + (c - h) theta 1, and
   - c < a: |c - h| <= a - h, and r is above (a - h) theta sqrt(n), else the error would exceed 1/2;
     from any point inside it a ball is left the more often, the larger c and the farther the point:
     the error is at most that under a;
   - c > b: (c - h)/c is larger and r/c smaller than for b: so is the chance to stay inside.
   Printed, it is the pair of its proof, {d - 1, m} if m >= d and {m, d} otherwise. For m <= d - 2
   the published size is that of {d - 1, m}, which is closer than {m, d}: there it fails.

The proofs need KL(a || b) <= R = mu^2/(m^2 sigma^2), for b <= (m - d + 1)^2 R. This holds from some
R on: the sharp thresholds of the signal-to-noise conditions, found by bisection.

Remark 4.2: for the pair {m, m + 1} loads up to m tell nothing, so the bound counts loads above m,
which cost regret. Its use on the last arm fails. Whether m_L reaches mbar is told by the optimal
load mbar itself, which costs nothing: an arm that serves all of it shows mbar X, one of capacity
c < mbar shows c X. The divergence of the two falls with c, so that against mbar - 1 is the least.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from boundcheck.calculator.numbers.balls import ball, precision
from boundcheck.calculator.numbers.widths import enclosed
from boundcheck.calculator.question import Question
from boundcheck.claims.card import Assumption, Claim
from boundcheck.evidence.tails import arms
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Enclosed, Exact, Measured, Relation
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.search.falsify import Falsification, Kind, compared
from boundcheck.search.hunt import bisected
from boundcheck.search.strategies import decimals, variances
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.lower_explorations import telling_apart as telling
from boundcheck.theories.shareable_arms.lower_explorations.telling_apart import (
    Hypotheses,
    TwoCapacities,
    too_few,
)
from boundcheck.theories.shareable_arms.one_arm import OneArm, confidence_of
from simulation.world.instance import Instance
from simulation.world.laws import Gaussian

_LARGEST_CAPACITY = 10  # of the table of thresholds
_BITS = 128


# -- a: a capacity and its neighbours ----------------------------------------------------------


def neighbours(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[TwoCapacities]:
    """Every arm's capacity and each neighbour of it."""
    for arm, delta in telling.asked(instance, question):
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
    neighbours,
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

# -- b: a capacity and a threshold -------------------------------------------------------------


def thresholds_asked(
    card: Claim, instance: Instance, question: Question, context: RunContext, hypotheses: Hypotheses
) -> Iterator[TwoCapacities]:
    """Thresholds 2 and N, the capacity, and two above it: the nearest that the condition admits."""
    for arm in telling.tellable(instance):
        near = (question.threshold or 2, 2, arm.capacity, arm.capacity + 2, instance.plays)
        for d in (d for d in dict.fromkeys(near) if 2 <= d <= instance.plays):
            for delta in dict.fromkeys([question.delta, *telling.DELTAS]):
                yield TwoCapacities.of(instance, arm, delta, threshold=d, hypotheses=hypotheses)


REACHED = too_few(
    "the largest error over all capacities of a test whether the capacity is at least d, that of "
    "the pair {d - 1, d}, is at least delta",
    partial(thresholds_asked, hypotheses=Hypotheses.EDGE),
    partial(telling.near_the_condition, (Hypotheses.EDGE,), threshold=True),
)
TWO_POINTS = too_few(
    "the larger of the errors at d - 1 and m_k if m_k >= d, else at m_k and d, is at least delta",
    partial(thresholds_asked, hypotheses=Hypotheses.NAMED),
    partial(telling.near_the_condition, (Hypotheses.NAMED,), threshold=True),
    Role.PRINTED,
)

# -- remark 4.2: loads above a capacity --------------------------------------------------------


def free_information(card: Claim, case: TwoCapacities, context: RunContext) -> Measured | None:
    """The divergence that one optimal slot, free of regret, gives against capacity mbar - 1."""
    instance, load = case.instance, case.instance.remaining_plays
    if case.arm != instance.last_arm + 1 or case.threshold != load:
        return None
    return Enclosed.of(telling.divergence(load, load - 1, case.theta2), optimal_load=load)


def last_arm(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[TwoCapacities]:
    """Arm L, whose capacity is to reach d = mbar."""
    arm, d = arms(instance)[instance.last_arm], instance.remaining_plays
    if d > 1:
        yield TwoCapacities.of(
            instance, arm, question.delta, threshold=d, hypotheses=Hypotheses.EDGE
        )


@st.composite
def alone(draw: DrawFn) -> TwoCapacities:
    """One arm that takes all plays, so that it is arm L."""
    plays, mean, law = draw(st.integers(2, 4)), draw(decimals(1, 10, 1)), draw(variances())
    delta, kind = Fraction(1, 20), Hypotheses.EDGE
    return TwoCapacities(mean, plays, plays, Gaussian(law), delta, plays, hypotheses=kind)


LOADS_ABOVE = too_few(
    "with so few loads above m_k the larger of the errors at m_k and m_k + 1 is at least delta",
    telling.one_above,
    telling.ABOVE,
)
ARM_L = Statement(
    role=Role.FURTHER,
    text="the optimal load of arm L tells nothing of whether its capacity reaches mbar, so that "
    "validating it needs loads that cost regret",
    actual=(Measurement("divergence", free_information),),
    claimed=lambda card, case: Fraction(0),
    cases=last_arm,
    strategy=alone,
    assumes=find("thm-4.1b").assumptions,  # of the second part of 4.1, with d = mbar
    complete=True,
    inapplicable_reason="the optimal action leaves one play for arm L, which every capacity serves",
    name="arm-L",
    explanations={
        Verdict.REFUTED: "every optimal slot puts the load {optimal_load} on arm {arm}, and so "
        "tells its capacity from smaller ones without any regret (divergence {actual} or more)"
    },
)
STATEMENTS = {
    "thm-4.1a": (NEIGHBOURS, AT_ONE_CAPACITY),
    "thm-4.1b": (REACHED, TWO_POINTS),
    "rem-4.2": (LOADS_ABOVE, ARM_L),
}

# -- thresholds of the conditions --------------------------------------------------------------


def sharp_thresholds(claim: str, *hypotheses: Hypotheses) -> Iterator[Falsification]:
    """The smallest R with KL <= R, for each capacity and each pair."""
    for kind in hypotheses:
        for m in range(1 if kind is Hypotheses.ABOVE else 2, _LARGEST_CAPACITY + 1):
            yield _threshold(claim, given.SIGNAL_TO_NOISE, m, kind)


def reaching_thresholds() -> Iterator[Falsification]:
    """The smallest (m - d + 1)^2 R with KL(d - 1 || m) <= it; the published one at N = m."""
    for m in range(2, 6):
        for d in range(2, m + 1):
            yield _threshold("thm-4.1b", given.SIGNAL_TO_NOISE_THRESHOLD, m, Hypotheses.NAMED, d)


def _threshold(
    claim: str, condition: Assumption, m: int, kind: Hypotheses, d: int | None = None
) -> Falsification:
    """Where the divergence of the pair starts to be at most the left side of the condition."""
    a, b = kind.pair(m, d)

    def enough(ratio: Fraction) -> bool:
        theta2 = ratio * Fraction(m, b - a) ** 2  # b - a is m - d + 1, or 1 for neighbours
        return bool(telling.divergence(a, b, theta2) <= ball(ratio))

    assert condition.relation is not None
    with precision(_BITS):
        low, high = bisected(enough, Fraction(0), Fraction(16))
        (published,) = enclosed(condition.relation.rhs, {"N": m, "d": d or 0})
        numbers: dict[str, Any] = {**compared(published, ball(low).union(ball(high)))}
    numbers["parameters"] = {"m": m, "pair": [a, b]} | ({} if d is None else {"d": d})
    reading = f"{{{a}, {b}}}: divergence at most {condition.relation.lhs}"
    words = "the divergence of the pair is at most what the proof needs exactly from here on"
    return Falsification(claim, reading, Kind.THRESHOLD, 0, words, condition.name, **numbers)


THRESHOLDS = {
    ("thm-4.1a", given.SIGNAL_TO_NOISE.name): partial(
        sharp_thresholds, "thm-4.1a", Hypotheses.BELOW, Hypotheses.ABOVE
    ),
    ("rem-4.2", given.SIGNAL_TO_NOISE.name): partial(sharp_thresholds, "rem-4.2", Hypotheses.ABOVE),
    ("thm-4.1b", given.SIGNAL_TO_NOISE_THRESHOLD.name): reaching_thresholds,
}
