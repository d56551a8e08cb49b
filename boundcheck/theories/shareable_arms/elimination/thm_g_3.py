"""Theorem G.3: the regret of MP-SE.

MP-SE assumes that every capacity is 1; its regret is not meaningful on other instances.
"""

from __future__ import annotations

from collections.abc import Iterator

from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.judging.default_statements.regret import AtHorizon, ladder, upper_regret
from boundcheck.judging.run_context import RunContext
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.elimination.waiting import literal
from boundcheck.theories.shareable_arms.first_slot import FIRST_SLOT_TOLD, early_horizons
from simulation.world.instance import Instance

NOT_ONE = "some capacity is not 1, but MP-SE takes every capacity for 1"


def on_unit_capacities(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[AtHorizon]:
    if set(instance.capacities) == {1}:
        yield from ladder(card, instance, question, context)


G_3 = upper_regret(
    find("thm-G.3").reading,
    FIRST_SLOT_TOLD,
    cases=on_unit_capacities,
    strategy=early_horizons(unit=True),
    inapplicable_reason=NOT_ONE,
    theory=THEORY,
)

G_3_LITERAL = literal(cases=on_unit_capacities, inapplicable_reason=NOT_ONE)

STATEMENTS = {"thm-G.3": (G_3, G_3_LITERAL)}
