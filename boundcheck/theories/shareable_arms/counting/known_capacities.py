"""Runs of OrchExplore with known capacities, for Lemmas E.4 and E.5.

With known capacities every slot is one of individual exploration. A slot with regret but without
exploration has a wrong action, so by E.3 it is of one of the three kinds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from flint import arb

from boundcheck.calculator.numbers.domains import FloatArray
from boundcheck.calculator.optimise import best_epsilon
from boundcheck.calculator.question import Question
from boundcheck.calculator.setting import exact_setting
from boundcheck.calculator.values import certified_rows, informative
from boundcheck.claims.card import Claim
from boundcheck.judging.comparison import written
from boundcheck.judging.default_statements.whole import InstanceCase
from boundcheck.judging.run_context import RunContext
from boundcheck.theories.shareable_arms import symbols as s
from boundcheck.theories.shareable_arms.setting import derive
from simulation.numbers import decimal
from simulation.world.instance import Instance

POLICY = "orch-explore-kc"


class Runs(InstanceCase):
    """An instance with a horizon, and an admissible epsilon if there is one."""

    @property
    def horizon(self) -> int:
        return int(self.question.horizon)

    def lost(self, context: RunContext, *, deliberately: bool) -> FloatArray:
        """The regret of each run in deliberate explorations, or in all other slots."""
        runs = context.simulated(self.instance, POLICY, self.horizon, context.effort.runs)
        kept = [(phase == "deliberate") == deliberately for phase in runs.phases]
        return np.asarray(runs.regret[:, kept, -1].sum(axis=1))

    def claimed(self, card: Claim) -> list[arb]:
        """The card's numbers: one for each arm, best first, or one in all."""
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


def runs_on_instance(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[Runs]:
    """The instance with the epsilon asked for, or the one that makes the bound smallest."""
    if question.epsilon is None:
        setting = exact_setting(instance, question, derive)
        gap = setting.values[s.smallest_gap].item()
        # if the gap is too small for floats
        best = best_epsilon(card.quantities[0], setting) or gap / 4
        question = replace(question, epsilon=best or None)
    yield Runs(instance, question)


def beyond_the_slots(card: Claim, case: Runs, context: RunContext) -> str | None:
    """The bound is uninformative if it exceeds T."""
    setting, claimed = exact_setting(case.instance, case.question, derive), case.claimed(card)
    if any(informative(card.quantities[0], total, setting) for total in claimed):
        return None
    smallest = min(claimed, key=lambda total: total.mid())
    return f"the bound is {written(smallest, 4)}, and there are only {case.horizon:,} slots"
