"""OrchExplore that knows the capacities: what its runs show of the slots that E.4 and E.5 count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from flint import arb

from boundcheck import symbols as s
from boundcheck.calculator.free import best_epsilon
from boundcheck.calculator.values import certified_rows, vacuous
from boundcheck.claim import Claim
from boundcheck.evidence.inputs import FloatArray
from boundcheck.kinds.whole import Whole
from boundcheck.lab import Lab
from boundcheck.measured import written
from boundcheck.question import Question
from boundcheck.setting import exact_setting
from simulation.instance import Instance
from simulation.numbers import decimal

POLICY = "orch-explore-kc"
DELIBERATE = "deliberate"


class Runs(Whole):
    """An instance with a horizon, and an admissible epsilon if there is one."""

    @property
    def horizon(self) -> int:
        return int(self.question.horizon)

    def lost(self, lab: Lab, *, deliberately: bool) -> FloatArray:
        """Regret of each run by deliberate explorations, or by all other slots."""
        runs = lab.simulated(self.instance, POLICY, self.horizon, lab.effort.runs)
        kept = [(phase == DELIBERATE) == deliberately for phase in runs.phases]
        return np.asarray(runs.regret[:, kept, -1].sum(axis=1))

    def claimed(self, card: Claim) -> list[arb]:
        """The numbers of the card: one for each arm it speaks of, best first, or one in all."""
        (quantity,) = card.quantities
        setting = exact_setting(self.instance, self.question)
        ranks = None
        if quantity.rows is not None:
            ranks = [int(rank) for rank in setting.ranks[0][setting.mask(quantity.rows)[0]]]
        rows = certified_rows(quantity, setting, ranks, self.question.digits)
        return [total for _, total in rows]

    def told(self) -> dict[str, Any]:
        shown: dict[str, Any] = {"policy": POLICY, "T": self.horizon}
        if self.question.epsilon is not None:
            shown["epsilon"] = decimal(self.question.epsilon, 6)
        return shown


def on_instance(card: Claim, instance: Instance, question: Question, lab: Lab) -> Iterator[Runs]:
    """The epsilon that was asked for, or the one that makes the bound smallest."""
    if question.epsilon is None:
        setting = exact_setting(instance, question)
        gap = setting.values[s.smallest_gap].item()
        best = best_epsilon(card.quantities[0], setting) or gap / 4  # a gap too small for floats
        question = replace(question, epsilon=best or None)
    yield Runs(instance, question)


def beyond_the_slots(card: Claim, case: Runs, lab: Lab) -> str | None:
    """There are no more slots than T."""
    setting, claimed = exact_setting(case.instance, case.question), case.claimed(card)
    if not all(vacuous(card.quantities[0], total, setting) for total in claimed):
        return None
    smallest = min(claimed, key=lambda total: total.mid())
    return f"the bound is {written(smallest, 4)}, and there are only {case.horizon:,} slots"
