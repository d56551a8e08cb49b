"""Theorem G.3: the regret of MP-SE, which is told that every capacity is 1.

Elsewhere that is wrong, and its regret means nothing. Pseudo-code: plays left over in an individual
exploration are wasted, which with K = N + 1 costs about N plays a round; three arms are enough.
"""

from __future__ import annotations

from collections.abc import Iterator

from boundcheck.claim import Claim
from boundcheck.finding import Role
from boundcheck.kinds import Upto, ladder, upper_regret
from boundcheck.lab import Lab
from boundcheck.question import Question
from boundcheck.shareable_arms.elimination.unavoidable import wasting
from boundcheck.shareable_arms.first_slot import FIRST_SLOT_TOLD, drawn
from boundcheck.statement import Measurement
from simulation.instance import Instance

USED = "left-over plays of an individual exploration are used, not wasted"
WASTED = "pseudo-code taken literally: plays left over in an individual exploration are wasted"
WASTING = Measurement("wait for an elimination, plays wasted", wasting)
NOT_ONE = "some capacity is not 1, but MP-SE takes every capacity for 1"


def on_unit_capacities(
    card: Claim, instance: Instance, question: Question, lab: Lab
) -> Iterator[Upto]:
    if set(instance.capacities) == {1}:
        yield from ladder(card, instance, question, lab)


def three_arms() -> tuple[Upto, ...]:
    instance = Instance([1, "0.995", "0.994"], [1, 1, 1], 2, name="one-arm-too-many")
    return (Upto.at(instance, 10**20, fixed=True),)


INTENDED = upper_regret(
    USED, FIRST_SLOT_TOLD, cases=on_unit_capacities, drawn=drawn(unit=True), nowhere=NOT_ONE
)
LITERAL = upper_regret(
    WASTED,
    FIRST_SLOT_TOLD,
    WASTING,
    role=Role.PSEUDO_CODE,
    options={"reading": "literal"},
    cases=on_unit_capacities,
    drawn=drawn(unit=True),
    hard=three_arms,
    nowhere=NOT_ONE,
)
STATEMENTS = {"thm-G.3": (INTENDED, LITERAL)}
