"""Lemma E.4: how many slots have a wrong action, a bad estimate or a low index.

Where the capacities are known every slot is one of individual exploration, and one that loses
anything without exploring has a wrong action; by E.3 it is of one of the three kinds. A slot loses
at most what filling the worst arms first loses, so that

    slots that are surely bad >= what all slots but the deliberate explorations lost / that loss.

Slots with a right action and a bad estimate go unseen: this can only count too few.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from flint import arb

from boundcheck.claim import Claim
from boundcheck.finding import Role, Verdict
from boundcheck.lab import Lab
from boundcheck.measured import Measured, Observed
from boundcheck.question import Question
from boundcheck.shareable_arms.counting.known_capacities import (
    Runs,
    beyond_the_slots,
    on_instance,
)
from boundcheck.statement import Measurement, Statement
from simulation.instance import Instance
from simulation.rewards import Gaussian


def surely_bad(card: Claim, case: Runs, lab: Lab) -> Measured | None:
    lost = case.lost(lab, deliberately=False)
    return Observed(lost / float(worst_loss(case.instance)))


def worst_loss(instance: Instance) -> Fraction:
    """Of one slot that overloads no arm: the worst arms first."""
    action, left = [0] * instance.arms, instance.plays
    for k in reversed(instance.order):
        action[k] = min(left, instance.capacities[k])
        left -= action[k]
    return instance.regret(action)


def bound(card: Claim, case: Runs) -> arb:
    (total,) = case.claimed(card)
    return total


def far_apart() -> Iterator[Runs]:
    """So far that epsilon^-2 is small and the bound is below T."""
    question = Question(horizon=Fraction(10_000), epsilon=Fraction("4.99"))
    for law in (Gaussian(Fraction(1, 4)), Gaussian(Fraction(1, 2))):
        for arms, plays in ((2, 1), (3, 1), (3, 2)):
            means = [10 * (arms - 1 - k) for k in range(arms)]
            yield Runs(Instance(means, [1] * arms, plays, law), question)


INTENDED = Statement(
    Role.INTENDED,
    "the number of slots of the three kinds together; counted are those that are surely bad",
    (Measurement("lost without exploring", surely_bad, sampled=True),),
    bound,
    on_instance,
    hard=far_apart,
    rests_on=("lem-E.3",),
    vacuous=beyond_the_slots,
    seen={
        Verdict.REFUTED: "at least {actual} slots are bad, claimed are {claimed}",
        Verdict.CONSISTENT: "at least {actual} slots were bad on average, claimed are {claimed}",
    },
)
STATEMENTS = {"lem-E.4": (INTENDED,)}
