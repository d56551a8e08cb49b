"""Lemmas E.4 and E.5: slots that are bad, and deliberate explorations in the others.

Both are read off runs of OrchExplore that knows the capacities. There every slot is one of
individual exploration, and one that loses anything without exploring has a wrong action; by E.3 it
is of one of the three kinds. A slot loses at most what filling the worst arms first loses, so that

    slots that are surely bad >= what all slots but the deliberate explorations lost / that loss.

Slots with a right action and a bad estimate go unseen: this can only count too few.

In a slot that is not bad the action would be optimal, and exploring arm k > L costs mu_L - mu_k.
Runs record what the deliberate explorations cost together, those in bad slots among them. E.5
implies that without these they cost at most the sum over k > L of (mu_L - mu_k) times its bound;
what is seen is at least what it speaks of, so it may agree with the lemma and cannot refute it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from boundcheck.calculator.numbers.balls import ball
from boundcheck.calculator.optimise import best_epsilon
from boundcheck.calculator.question import Question
from boundcheck.calculator.setting import exact_setting
from boundcheck.calculator.values import certified_rows, informative
from boundcheck.claims.card import Claim
from boundcheck.evidence.inputs import FloatArray
from boundcheck.judging.default_statements.whole import InstanceCase
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Measured, Observed, written
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.models import filled
from boundcheck.theories.shareable_arms.setting import derive
from simulation.numbers import decimal
from simulation.world.instance import Instance
from simulation.world.laws import Gaussian

POLICY = "orch-explore-kc"


class Runs(InstanceCase):
    """An instance with a horizon, and an admissible epsilon if there is one."""

    @property
    def horizon(self) -> int:
        return int(self.question.horizon)

    def lost(self, context: RunContext, *, deliberately: bool) -> FloatArray:
        """Regret of each run by deliberate explorations, or by all other slots."""
        runs = context.simulated(self.instance, POLICY, self.horizon, context.effort.runs)
        kept = [(phase == "deliberate") == deliberately for phase in runs.phases]
        return np.asarray(runs.regret[:, kept, -1].sum(axis=1))

    def claimed(self, card: Claim) -> list[arb]:
        """The numbers of the card: one for each arm it speaks of, best first, or one in all."""
        (quantity,) = card.quantities
        setting = exact_setting(self.instance, self.question, derive)
        ranks = None
        if quantity.rows is not None:
            ranks = [int(rank) for rank in setting.ranks[0][setting.mask(quantity.rows)[0]]]
        rows = certified_rows(quantity, setting, ranks, self.question.digits)
        return [total for _, total in rows]

    def parameters(self) -> dict[str, Any]:
        shown: dict[str, Any] = {"policy": POLICY, "T": self.horizon}
        if self.question.epsilon is not None:
            shown["epsilon"] = decimal(self.question.epsilon, 6)
        return shown


def on_instance(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[Runs]:
    """The epsilon that was asked for, or the one that makes the bound smallest."""
    if question.epsilon is None:
        setting = exact_setting(instance, question, derive)
        gap = setting.values[s.smallest_gap].item()
        best = best_epsilon(card.quantities[0], setting) or gap / 4  # a gap too small for floats
        question = replace(question, epsilon=best or None)
    yield Runs(instance, question)


def far_apart() -> Iterator[Runs]:
    """So far that epsilon^-2 is small and the bound of E.4 is below T."""
    question = Question(horizon=Fraction(10_000), epsilon=Fraction("4.99"))
    for law in (Gaussian(Fraction(1, 4)), Gaussian(Fraction(1, 2))):
        for arms, plays in ((2, 1), (3, 1), (3, 2)):
            means = [10 * (arms - 1 - k) for k in range(arms)]
            yield Runs(Instance(means, [1] * arms, plays, law), question)


def beyond_the_slots(card: Claim, case: Runs, context: RunContext) -> str | None:
    """There are no more slots than T."""
    setting, claimed = exact_setting(case.instance, case.question, derive), case.claimed(card)
    if any(informative(card.quantities[0], total, setting) for total in claimed):
        return None
    smallest = min(claimed, key=lambda total: total.mid())
    return f"the bound is {written(smallest, 4)}, and there are only {case.horizon:,} slots"


def surely_bad(card: Claim, case: Runs, context: RunContext) -> Measured:
    counted = case.lost(context, deliberately=False) / float(worst_loss(case.instance))
    return Observed(counted, partial="bad slots that are not surely bad go uncounted")


def worst_loss(instance: Instance) -> Fraction:
    """Of one slot that overloads no arm: the worst arms first."""
    return instance.regret(filled(instance.order[::-1], instance.capacities, instance.plays))


def bad_slots(card: Claim, case: Runs) -> arb:
    (total,) = case.claimed(card)
    return total


def explored(card: Claim, case: Runs, context: RunContext) -> Measured:
    most = case.horizon * float(case.instance.largest_regret)
    return Observed(case.lost(context, deliberately=True), inflated=True, most=most)


def explorations(card: Claim, case: Runs) -> arb:
    """Each weighted by what it loses."""
    instance = case.instance
    last = instance.means[instance.last_arm]
    gaps = [last - instance.means[k] for k in instance.order[instance.L :]]
    rows = zip(gaps, case.claimed(card), strict=True)
    return sum((ball(gap) * total for gap, total in rows), arb(0))


BAD_SLOTS = Statement(
    role=Role.INTENDED,
    text="the number of slots of the three kinds together; counted are those that are surely bad",
    actual=(Measurement("lost without exploring", surely_bad, sampled=True),),
    claimed=bad_slots,
    cases=on_instance,
    known_cases=far_apart,
    rests_on=("lem-E.3",),
    uninformative=beyond_the_slots,
    explanations={
        Verdict.REFUTED: "at least {actual} slots are bad, claimed are {claimed}",
        Verdict.UNDECIDED: "at least {actual} slots were bad on average, claimed are {claimed}",
    },
)
EXPLORATIONS = Statement(
    role=Role.INTENDED,
    text="what deliberate explorations outside the bad slots lose",
    actual=(Measurement("lost by exploring", explored, sampled=True),),
    claimed=explorations,
    cases=on_instance,
    uninformative=beyond_the_slots,
    explanations={
        Verdict.SUPPORTED: "deliberate explorations lose {actual}, those in bad slots included; "
        "the bounds allow {claimed}",
        Verdict.UNDECIDED: "deliberate explorations lose {actual}, the bounds allow {claimed}; "
        "counts that leave out the bad slots would decide",
    },
)
STATEMENTS = {"lem-E.4": (BAD_SLOTS,), "lem-E.5": (EXPLORATIONS,)}
