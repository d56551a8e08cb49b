"""All that the engine knows of a paper: a value, with the statements of each card on demand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import Any

from boundcheck.claim import Assumption, Claim
from boundcheck.evidence.error_plan import ErrorPlan
from boundcheck.finding import Role
from boundcheck.lab import Effort, Lab
from boundcheck.statement import Statement
from simulation.errors import InputError, shown


@dataclass(frozen=True)
class Theory:
    """Cards, the conditions of the model that every case satisfies, and where statements live.

    `modules` names, for each claim, the module whose `STATEMENTS[claim]` are its statements; it is
    imported when they are asked for, so that the calculator starts at once.
    """

    name: str
    cards: Mapping[str, Claim]
    model: tuple[Assumption, ...]
    modules: Mapping[str, str]
    grounds: str | None = None  # the module that says what `selftest` tries it on

    def statements(self, claim: str) -> tuple[Statement, ...]:
        """The statements written down for a claim, intended ones first, or those of its kind."""
        if claim not in self.modules:
            from boundcheck.kinds import of_kind

            return of_kind(self.cards[claim])
        found: tuple[Statement, ...] = import_module(self.modules[claim]).STATEMENTS[claim]
        return found

    def statement(self, claim: str, name: str) -> Statement:
        """A statement by its id, a derived one too (`charitable`, `without:ASSUMPTION`)."""
        written = {statement.id: statement for statement in self.statements(claim)}
        if name in written:
            return written[name]
        card, (first, *_) = self.cards[claim], self.statements(claim)
        if name == Role.CHARITABLE:
            return first.charitable(card)
        for assumption in (*card.assumptions, *card.implicit):
            if name == f"{Role.WITHOUT}:{assumption.name}":
                return first.without(card, assumption)
        raise InputError(claim, "statement", shown(name), f"one of {', '.join(written)}")

    def thresholds(self, claim: str, dropped: str | None) -> list[Any]:
        """How far a dropped assumption could be weakened, where a result has such a table."""
        if claim not in self.modules or dropped is None:
            return []
        tables = getattr(import_module(self.modules[claim]), "THRESHOLDS", {})
        return list(tables[claim, dropped]()) if (claim, dropped) in tables else []

    def with_card(self, card: Claim) -> Theory:
        """The same theory with one card replaced or added."""
        return replace(self, cards={**self.cards, card.id: card})

    @cached_property
    def weights(self) -> dict[str, float]:
        """Of everything that may be judged by observation, in the error budget."""
        return {
            f"{claim} {each.id}": each.weight
            for claim in self.cards
            for statement in self.statements(claim)
            for each in (statement, *self._derived(claim, statement))
            if each.sampled
        }

    def _derived(self, claim: str, statement: Statement) -> list[Statement]:
        if statement.role is not Role.INTENDED:
            return []
        card = self.cards[claim]
        dropped = [statement.without(card, a) for a in (*card.assumptions, *card.implicit)]
        return [statement.charitable(card), *dropped]

    def lab(self, effort: Effort, budget: float = 1e-6, **more: Any) -> Lab:
        """What decisions about this theory share."""
        return Lab(effort, self.plan(budget), cards=self.cards, **more)

    def plan(self, budget: float) -> ErrorPlan:
        """Levels for every statement of the theory, whichever are asked for."""
        return ErrorPlan(budget, self.weights)
