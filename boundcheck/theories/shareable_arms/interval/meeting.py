"""The statement common to 5.2 and J.2: the estimator is right when its bounds meet.

Printed, it is a probability conditional on the bounds meeting. After few explorations they meet
mostly, or only, at a wrong value: they can be m with 1 < m < N only if muhat > m s, but they are 1
wherever

    s + h <= muhat <= s + 3h/2  and  3h/2 <= nuhat < 2h,      0 < h <= 2s.                    (1)
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from flint import arb

from boundcheck.calculator.numbers.balls import ball
from boundcheck.claims.card import Claim
from boundcheck.evidence.tails import Arm, Enclosure, Explored
from boundcheck.judging.comparison import Measured
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.theories.shareable_arms.exact.lattices import Lattice
from boundcheck.theories.shareable_arms.interval import failure
from boundcheck.theories.shareable_arms.interval.failure import ExplorationCounts
from boundcheck.theories.shareable_arms.one_arm import confidence_of, earning
from simulation.rewards.laws import Gaussian
from simulation.world.instance import Instance

_FEW = tuple((n, n) for n in (4, 6, 8, 12, 16, 24, 32, 48, 64))

_STEPS = (Fraction(1, 8), Fraction(1, 4), Fraction(1, 2), Fraction(1))  # h as a share of s


def wrong_given_meeting(
    card: Claim, case: ExplorationCounts, context: RunContext
) -> Measured | None:
    """P(the bounds are not m | muhat > s and they meet) at one look."""

    def summed(lattice: Lattice) -> Fraction | None:
        right, other = lattice.meeting(case.capacity, case.plays)
        return other / (right + other) if right + other else None

    def by_tails(explored: Explored, s: arb) -> Enclosure | None:
        if not isinstance(case.law, Gaussian) or not 1 < case.capacity < case.plays:
            return None
        right = explored.tail(1, 0, case.capacity * s - ball(case.mean))  # an upper bound
        at_one = (_rectangle(explored, s, ball(part) * s) for part in _STEPS)
        other = max(at_one, key=lambda x: x.mid())  # a lower bound
        return (other / (other + right)).lower(), arb(1)

    return case.chance(card, summed, by_tails)


def _rectangle(explored: Explored, s: arb, h: arb) -> arb:
    """The probability of (1)."""
    mean, m = ball(explored.arm.mean), explored.arm.capacity
    muhat = explored.tail(1, 0, s + h - mean) - explored.tail(1, 0, s + 3 * h / 2 - mean)
    nuhat = explored.tail(0, 1, 3 * h / 2 / m - mean) - explored.tail(0, 1, 2 * h / m - mean)
    return muhat * nuhat


def never_meet(card: Claim, case: ExplorationCounts, context: RunContext) -> str | None:
    lattice = case.lattice(card)
    silent = lattice is not None and not any(lattice.meeting(case.capacity, case.plays))
    return "the bounds meet with probability 0" if silent else None


def decidable(instance: Instance, most: int = 2) -> list[Arm]:
    """Arms with a smaller and a larger possible capacity, the easiest to learn first."""
    arms = earning(instance) if instance.plays > 1 else []
    between = [arm for arm in arms if 1 < arm.capacity < instance.plays]
    return sorted(between or arms, key=lambda arm: arm.mean / arm.capacity, reverse=True)[:most]


AT_ANY_TIME = Statement(
    role=Role.INTENDED,
    text="P(there is a time at which the bounds meet at another number than m) <= delta",
    actual=(
        Measurement("one look", failure.wrong),
        Measurement("paths", failure.wrong_somewhere, sampled=True),
    ),
    claimed=confidence_of,
    cases=partial(failure.all_looks, arms=decidable),
    strategy=failure.exploration_cases,
    inapplicable_reason="no capacity to learn: one play, or no arm that earns and can be filled",
    explanations={
        Verdict.REFUTED: "the bounds meet at a wrong value with probability {actual}, above "
        "delta = {claimed}",
        Verdict.UNDECIDED: "the share of paths on which the bounds meet at a wrong value is "
        "{actual}, delta = {claimed}",
    },
)

GIVEN_MEETING = Statement(
    role=Role.PRINTED,
    text="P(the bounds are not m | they meet) <= delta, at one time",
    actual=(Measurement("exact", wrong_given_meeting),),
    claimed=confidence_of,
    cases=partial(failure.single_looks, arms=partial(decidable, most=1), counts=_FEW),
    strategy=failure.few_successes,
    uninformative=never_meet,
    inapplicable_reason=AT_ANY_TIME.inapplicable_reason,
    explanations={
        Verdict.REFUTED: "when the bounds meet after so few explorations they are wrong with "
        "probability {actual}, above delta = {claimed}",
        Verdict.UNDECIDED: failure.NOT_SUMMED,
    },
)
