"""Lemma E.4: the number of bad slots.

The regret of a slot is at most that of filling the worst arms first, so that

    slots that are surely bad >= regret of all slots but the deliberate explorations / that regret.

Slots with a right action and a bad estimate are not counted, so the count can only be too small.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from flint import arb

from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.judging.comparison import Measured
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Observed
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.theories.shareable_arms.counting.known_capacities import (
    Runs,
    beyond_the_slots,
    runs_on_instance,
)
from boundcheck.theories.shareable_arms.models import filled
from simulation.rewards.laws import Gaussian
from simulation.world.instance import Instance


def _far_apart() -> Iterator[Runs]:
    """Means so far apart that epsilon^-2 is small and the bound of E.4 is below T."""
    question = Question(horizon=Fraction(10_000), epsilon=Fraction("4.99"))
    for law in (Gaussian(Fraction(1, 4)), Gaussian(Fraction(1, 2))):
        for arms, plays in ((2, 1), (3, 1), (3, 2)):
            means = [10 * (arms - 1 - k) for k in range(arms)]
            yield Runs(Instance(means, [1] * arms, plays, law), question)


def surely_bad(card: Claim, case: Runs, context: RunContext) -> Measured:
    counted = case.lost(context, deliberately=False) / float(worst_loss(case.instance))
    return Observed(counted, partial="bad slots that are not surely bad go uncounted")


def worst_loss(instance: Instance) -> Fraction:
    """The largest regret of a slot that overloads no arm: the worst arms filled first."""
    return instance.regret(filled(instance.order[::-1], instance.capacities, instance.plays))


def _bad_slots(card: Claim, case: Runs) -> arb:
    (total,) = case.claimed(card)
    return total


BAD_SLOTS = Statement(
    role=Role.INTENDED,
    text="the number of slots of the three kinds together; counted are those that are surely bad",
    actual=(Measurement("lost without exploring", surely_bad, sampled=True),),
    claimed=_bad_slots,
    cases=runs_on_instance,
    known_cases=_far_apart,
    rests_on=("lem-E.3",),
    uninformative=beyond_the_slots,
    explanations={
        Verdict.REFUTED: "at least {actual} slots are bad, claimed are {claimed}",
        Verdict.UNDECIDED: "at least {actual} slots were bad on average, claimed are {claimed}",
    },
)

STATEMENTS = {"lem-E.4": (BAD_SLOTS,)}
