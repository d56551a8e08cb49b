"""An instance and a question in a theory: what all bounds of the instance share."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

import sympy

from boundcheck.calculator.conditions import Condition, conditions
from boundcheck.calculator.optimise import require_admissible
from boundcheck.calculator.question import Question
from boundcheck.calculator.setting import Setting, default_arms, exact_setting
from boundcheck.claims import symbols as s
from boundcheck.claims.card import Assumption, Range
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from boundcheck.theory import Theory

ByArm = dict[int | None, Condition]


class Evaluation:
    """An instance and a question in a theory, with a cache of decided assumptions, since many
    claims share them.
    """

    def __init__(self, instance: Instance, question: Question, theory: Theory) -> None:
        question = theory.question.of(question)
        self.instance, self.question, self.theory = instance, question, theory
        self.setting = exact_setting(instance, question, theory.derive)
        if question.epsilon is not None:
            require_admissible(instance, question.epsilon, self.setting)
        self._known: dict[tuple[Assumption, bool, Fraction | None], ByArm] = {}

    def arm(self, rank: int) -> int:
        return self.instance.order[rank - 1] + 1

    def state(self, assumption: Assumption, setting: Setting, *, implicit: bool = False) -> ByArm:
        """The conditions of an assumption by arm. They depend on epsilon where the setting has
        one.
        """
        epsilon = setting.values[s.epsilon].item() if s.epsilon in setting.values else None
        key = (assumption, implicit, epsilon)
        if key not in self._known:
            digits = self.question.digits
            found = conditions(assumption, self.instance, setting, digits, implicit)
            self._known[key] = {condition.arm: condition for condition in found}
        return self._known[key]

    def narrowed(self, rows: Range, symbols: Iterable[sympy.Symbol]) -> Range:
        """The arms for which something with these symbols is computed: `rows`, unless a parameter
        in it that is left open has default arms.
        """
        return default_arms(symbols, self.question) or rows
