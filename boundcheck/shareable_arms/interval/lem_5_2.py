"""Lemmas 5.2 and J.2: the estimator is right when its bounds meet.

Printed, it is a probability given that the bounds meet. After few explorations they meet mostly, or
only, at a wrong value: they can be m with 1 < m < N only if muhat > m s, but they are 1 wherever

    s + h <= muhat <= s + 3h/2  and  3h/2 <= nuhat < 2h,      0 < h <= 2s.                    (1)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from flint import arb

from boundcheck.claim import Claim
from boundcheck.evidence.tails import Arm, Explored
from boundcheck.finding import Role, Verdict
from boundcheck.lab import Lab
from boundcheck.measured import Enclosed, Exact, Measured
from boundcheck.numbers.balls import ball
from boundcheck.question import Question
from boundcheck.shareable_arms.interval.failure import (
    FEW,
    Looks,
    confidences_asked,
    delta_of,
    drawn,
    few_successes,
    on_instance,
    single_looks,
    where_decided,
    wrong,
    wrong_somewhere,
)
from boundcheck.shareable_arms.one_arm import earning
from boundcheck.statement import Measurement, Statement
from simulation.instance import Instance
from simulation.rewards import Gaussian

_STEPS = (Fraction(1, 8), Fraction(1, 4), Fraction(1, 2), Fraction(1))  # h as a part of s
_NOWHERE = "no capacity to learn: one play, or no arm that earns and can be filled"


@where_decided
def wrong_given_meeting(card: Claim, case: Looks, lab: Lab) -> Measured | None:
    """P(the bounds are not m | muhat > s and they meet) at one look."""
    lattice = case.lattice(card)
    if lattice is not None:
        right, other = lattice.meeting(case.capacity, case.plays)
        return Exact(other / (right + other)) if right + other else None
    if not isinstance(case.law, Gaussian) or not 1 < case.capacity < case.plays:
        return None
    s, explored = case.width(card), case.explored()
    right_at_most = explored.tail(1, 0, case.capacity * s - ball(case.mean))
    wrong_at_least = max(
        (_rectangle(explored, s, ball(part) * s) for part in _STEPS), key=lambda x: x.mid()
    )
    return Enclosed((wrong_at_least / (wrong_at_least + right_at_most)).lower(), arb(1))


def _rectangle(explored: Explored, s: arb, h: arb) -> arb:
    """P of (1)."""
    mean, m = ball(explored.arm.mean), explored.arm.capacity
    muhat = explored.tail(1, 0, s + h - mean) - explored.tail(1, 0, s + 3 * h / 2 - mean)
    nuhat = explored.tail(0, 1, 3 * h / 2 / m - mean) - explored.tail(0, 1, 2 * h / m - mean)
    return muhat * nuhat


def never_meet(card: Claim, case: Looks, lab: Lab) -> str | None:
    lattice = case.lattice(card)
    silent = lattice is not None and not any(lattice.meeting(case.capacity, case.plays))
    return "the bounds meet with probability 0" if silent else None


def _decidable(instance: Instance) -> list[Arm]:
    """Arms that can be taken for a smaller and a larger capacity, the easiest to learn first."""
    arms = earning(instance) if instance.plays > 1 else []
    between = [arm for arm in arms if 1 < arm.capacity < instance.plays]
    return sorted(between or arms, key=lambda arm: arm.mean / arm.capacity, reverse=True)[:2]


def at_single_looks(
    card: Claim, instance: Instance, question: Question, lab: Lab
) -> Iterator[Looks]:
    yield from single_looks(instance, question, _decidable(instance))


def at_all_looks(card: Claim, instance: Instance, question: Question, lab: Lab) -> Iterator[Looks]:
    yield from at_single_looks(card, instance, question, lab)
    if _decidable(instance):
        yield from (c for c in on_instance(card, instance, question, lab) if not c.single)


def at_few_looks(card: Claim, instance: Instance, question: Question, lab: Lab) -> Iterator[Looks]:
    for arm in _decidable(instance)[:1]:
        for delta in confidences_asked(question):
            for tau, iota in FEW:
                yield Looks.of(instance, arm, delta, individual=(tau,), united=(iota,))


INTENDED = Statement(
    Role.INTENDED,
    "P(there is a time at which the bounds meet at another number than m) <= delta",
    (Measurement("one look", wrong), Measurement("paths", wrong_somewhere, sampled=True)),
    delta_of,
    at_all_looks,
    drawn,
    nowhere=_NOWHERE,
    seen={
        Verdict.INCONCLUSIVE: "floats cannot follow rewards so far above their widths",
        Verdict.REFUTED: "the bounds meet at a wrong value with probability {actual}, above "
        "delta = {claimed}",
        Verdict.CONSISTENT: "the share of paths on which the bounds meet at a wrong value is "
        "{actual}, delta = {claimed}",
    },
)
AT_ONE_TIME = replace(
    INTENDED,
    words="P(the bounds meet at another number than m) <= delta, at one time",
    actual=INTENDED.actual[:1],
    cases=at_single_looks,
)
PRINTED = Statement(
    Role.PRINTED,
    "P(the bounds are not m | they meet) <= delta, at one time",
    (Measurement("exact", wrong_given_meeting),),
    delta_of,
    at_few_looks,
    few_successes,
    vacuous=never_meet,
    nowhere=_NOWHERE,
    seen={
        Verdict.REFUTED: "when the bounds meet after so few explorations they are wrong with "
        "probability {actual}, above delta = {claimed}",
        Verdict.INCONCLUSIVE: "the exact law of sums of these rewards would decide",
    },
)
STATEMENTS = {"lem-5.2": (INTENDED, PRINTED), "lem-J.2": (AT_ONE_TIME, PRINTED)}
