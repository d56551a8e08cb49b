"""Theorem 4.1, second part: explorations needed to see whether a capacity reaches d.

The largest error over all capacities 1..N of a test whether the capacity is at least d. That is
the least error e* of the pair {d - 1, d}. No test has less on this pair. With theta = mu/sigma,
a = d - 1, b = d and h = ab/(a + b) its best test compares |Y/sigma - theta h| with a radius r;
under capacity c the vector Y/sigma - theta h is c Z + (c - h) theta 1, and
- c < a: |c - h| <= a - h, and r is above (a - h) theta sqrt(n), else the error would exceed 1/2;
  from any point inside it a ball is left the more often, the larger c and the farther the point:
  the error is at most that under a;
- c > b: (c - h)/c is larger and r/c smaller than for b: so is the chance to stay inside.
Printed, it is the pair of its proof, {d - 1, m} if m >= d and {m, d} otherwise. For m <= d - 2
the published size is that of {d - 1, m}, which is closer than {m, d}: there it fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.judging.finding import Role
from boundcheck.judging.run_context import RunContext
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms import question as own
from boundcheck.theories.shareable_arms.lower_explorations import telling_apart as telling
from boundcheck.theories.shareable_arms.lower_explorations.telling_apart import (
    Hypotheses,
    TwoCapacities,
    too_few,
)
from boundcheck.theories.shareable_arms.lower_explorations.thresholds import reaching_thresholds
from simulation.world.instance import Instance


def thresholds_asked(
    card: Claim, instance: Instance, question: Question, context: RunContext, hypotheses: Hypotheses
) -> Iterator[TwoCapacities]:
    """Thresholds 2 and N, the capacity, and the capacity plus 2, the nearest that the condition
    admits.
    """
    for arm in telling.tellable(instance):
        near = (
            own.Question.of(question).threshold or 2,
            2,
            arm.capacity,
            arm.capacity + 2,
            instance.plays,
        )
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

STATEMENTS = {"thm-4.1b": (REACHED, TWO_POINTS)}

THRESHOLDS = {("thm-4.1b", given.SIGNAL_TO_NOISE_THRESHOLD.name): reaching_thresholds}
