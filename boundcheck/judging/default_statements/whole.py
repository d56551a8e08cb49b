"""`InstanceCase`: an instance, or one arm of it, with a question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Self

from flint import arb

from boundcheck.calculator.question import Question
from boundcheck.calculator.setting import Derive, exact_setting
from boundcheck.calculator.values import certified_rows
from boundcheck.claims.card import Claim
from boundcheck.search.simplify import simpler_instances
from simulation.world.instance import Instance

QUESTION = Question(digits=20)


@dataclass(frozen=True)
class InstanceCase:
    instance: Instance
    question: Question = QUESTION
    fixed: bool = False  # a known example, which is not simplified
    arm: int | None = field(default=None, kw_only=True)  # the arm that the case is about, from 1

    def parameters(self) -> dict[str, Any]:
        return {}

    def simpler(self) -> Iterator[Self]:
        if not self.fixed:
            yield from (replace(self, instance=i) for i in simpler_instances(self.instance))

    def number(
        self, card: Claim, derive: Derive, place: int = 0, terms: slice = slice(None)
    ) -> arb:
        """The number that one quantity of a card gives, or the sum of some of its terms."""
        part = replace(card.quantities[place], terms=card.quantities[place].terms[terms])
        setting = exact_setting(self.instance, self.question, derive)
        ((_, total),) = certified_rows(part, setting, None, self.question.digits)
        return total
