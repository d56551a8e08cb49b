"""Every bound of the catalogue for one instance, certified, with the state of its assumptions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from boundcheck import symbols as s
from boundcheck.calculator.conditions import ByArm, Condition, States, laws_with
from boundcheck.calculator.epsilon import best_epsilon, require_admissible
from boundcheck.calculator.levels import best_levels
from boundcheck.calculator.vacuity import nonvacuous_from, vacuous
from boundcheck.calculator.values import certified_rows, live
from boundcheck.claim import Assumption, Claim, Quantity
from boundcheck.numbers import balls
from boundcheck.question import Question
from boundcheck.record import recorded, slack
from boundcheck.results import Number, Results, written
from boundcheck.setting import Setting, exact_setting
from boundcheck.theory import Theory, default
from simulation.escaping import one_line
from simulation.instance import Instance
from simulation.numbers import decimal

BOUND_COLUMNS = ("claim", "arm", "value", "quantity", "applies", "vacuous")
LEVEL_DIGITS = 12
CHECK_COLUMNS = ("claim", "name", "arm", "lhs", "rhs", "margin", "holds")


@dataclass(frozen=True)
class Bound:
    """One number that a claim gives for an instance (for one arm, or in all).

    `value` lies between `lower` and `upper`, which are certain; None where there is no number.

    >>> (bound,) = bounds(Instance.load("paper"), Question(digits=6), ["cor-7.2"])
    >>> bound.text, bound.unit, bound.applies, bound.to_json()["terms"][1]["value"]
    ('5787.64', 'reward per log T', True, '5326.48')
    """

    claim: str
    quantity: str
    arm: int | None
    unit: str
    value: Number | None
    lower: Number | None
    upper: Number | None
    terms: tuple[tuple[str, Number | None], ...]
    assumptions: tuple[Condition, ...]
    implicit: tuple[Condition, ...]
    vacuous: bool | None
    nonvacuous_from: Number | None
    epsilon: Number | None
    levels: tuple[tuple[str, int | None, Fraction], ...]  # free ones, by arm, as they were chosen
    ball: arb = field(repr=False, compare=False)

    @property
    def text(self) -> str | None:
        """The value, all its digits."""
        return written(self.value)

    @property
    def applies(self) -> bool:
        """Whether there is a number, and every stated assumption holds."""
        return self.value is not None and all(c.holds for c in self.assumptions)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"ball": None}  # which cannot be pickled: its ends are enough

    def __setstate__(self, state: dict[str, Any]) -> None:
        low, high = (written(state[end]) or "nan" for end in ("lower", "upper"))
        self.__dict__.update(state | {"ball": balls.between(low, high)})

    def to_json(self) -> dict[str, Any]:
        """The row of `boundcheck bounds --json`: numbers as text, with all their digits."""
        return {
            "claim": self.claim,
            "quantity": self.quantity,
            "arm": self.arm,
            "value": written(self.value),
            "lower": written(self.lower),
            "upper": written(self.upper),
            "unit": self.unit,
            "applies": self.applies,
            "vacuous": self.vacuous,
            "nonvacuous_from": written(self.nonvacuous_from),
            "epsilon": written(self.epsilon),
            **self._levels(),
            "terms": [
                {
                    "name": name,
                    "value": written(value),
                    "slack": slack(self.claim, self.quantity, name),
                }
                for name, value in self.terms
            ],
            "trust": known.trust if (known := recorded().get(self.claim)) else {},
            "assumptions": [condition.to_json() for condition in self.assumptions],
            "implicit_assumptions": [condition.to_json() for condition in self.implicit],
        }

    def _levels(self) -> dict[str, Any]:
        rows = [
            {"name": name, "arm": arm, "value": decimal(value, LEVEL_DIGITS)}
            for name, arm, value in self.levels
        ]
        return {"levels": rows} if rows else {}


def bounds(
    instance: Instance,
    question: Question | None = None,
    claims: Iterable[str | Claim] | None = None,
    *,
    theory: Theory | None = None,
) -> Results[Bound]:
    """All bounds of a theory (or those of some claims, by id or as cards) for an instance.

    >>> paper = Instance.load("paper")
    >>> [b.value for b in bounds(paper, Question(horizon="1e5", digits=6), ["cor-7.2"])]
    [Number('5787.64')]
    """
    theory = theory or default()
    return bounds_of(theory.chosen(claims), instance, question or Question(), theory)


def bounds_of(
    cards: Iterable[Claim],
    instance: Instance,
    question: Question,
    theory: Theory,
    *,
    since: bool = True,
) -> Results[Bound]:
    """The bounds of these cards; without `since` not asked from which T on they say anything."""
    setting = exact_setting(instance, question, theory.derive)
    if question.epsilon is not None:
        require_admissible(instance, question.epsilon, setting)
    states = States(instance, question.digits)
    out: list[Bound] = []
    for card in cards:
        for quantity in card.quantities:
            out.extend(_of_quantity(theory, card, quantity, states, question, setting, since))
    return Results(out, f"{one_line(instance.name)}: bounds", BOUND_COLUMNS)


def _of_quantity(
    theory: Theory,
    card: Claim,
    quantity: Quantity,
    states: States,
    question: Question,
    setting: Setting,
    since: bool,
) -> Iterator[Bound]:
    instance, epsilon = states.instance, None
    if s.epsilon in quantity.symbols:
        epsilon = question.epsilon
        if epsilon is None:
            epsilon = best_epsilon(quantity, setting)
        if epsilon is not None:
            setting = setting.given({s.epsilon: np.array([[epsilon]], dtype=object)})
    rows = _rows(quantity, theory, instance, question, setting)
    levels = best_levels(quantity, setting)
    setting = setting.given(levels or {})
    solvable = levels is not None and (epsilon is not None or s.epsilon not in quantity.symbols)
    solvable = solvable and not _speaks_of_one_law(card, instance)
    enclosures = certified_rows(quantity, setting, rows, question.digits) if solvable else None
    stated = [states.of(a, setting) for a in (*card.assumptions, *quantity.assumptions)]
    silent = [states.of(a, setting, implicit=True) for a in card.implicit]
    said = nonvacuous_from(quantity, setting) if solvable and since else None
    for position, rank in enumerate(rows if rows is not None else [None]):
        arm = None if rank is None else instance.order[rank - 1] + 1
        terms, total = ([], arb.nan()) if enclosures is None else enclosures[position]
        yield Bound(
            claim=card.id,
            quantity=quantity.name,
            arm=arm,
            unit=quantity.unit,
            value=Number.of(balls.midpoint(total, question.digits)),
            lower=Number.of(balls.lower(total, question.digits)),
            upper=Number.of(balls.upper(total, question.digits)),
            terms=tuple(
                (term.name, Number.of(balls.midpoint(value, question.digits)))
                for term, value in zip(quantity.terms, terms, strict=False)
            ),
            assumptions=_relevant(stated, quantity, arm),
            implicit=_relevant(silent, quantity, arm),
            vacuous=vacuous(quantity, total, setting),
            nonvacuous_from=Number.of(said),
            epsilon=None if epsilon is None else Number(decimal(epsilon, question.digits)),
            levels=_chosen(quantity, setting, instance) if solvable else (),
            ball=total,
        )


def _speaks_of_one_law(card: Claim, instance: Instance) -> bool:
    """Of rewards that follow one law: where each arm has its own, a number would be a wrong one."""
    named = [assumption.fact for assumption in card.assumptions if assumption.fact is not None]
    by_arm = instance.reward.arms is not None
    return by_arm and any(instance.reward.name not in laws_with(fact) for fact in named)


def _chosen(
    quantity: Quantity, setting: Setting, instance: Instance
) -> tuple[tuple[str, int | None, Fraction], ...]:
    """The levels in use, for each arm or once."""
    found: list[tuple[str, int | None, Fraction]] = []
    for level in quantity.levels:
        values, name = setting.values[level.symbol][0], str(level.symbol)
        if level.over is not None:
            ranks = np.flatnonzero(setting.mask(level.over)[0])
            found += [(name, instance.order[rank] + 1, values[rank]) for rank in ranks]
        elif live(level.when, setting).any():
            found.append((name, None, values[0]))
    return tuple(found)


def _relevant(groups: list[ByArm], quantity: Quantity, arm: int | None) -> tuple[Condition, ...]:
    """All conditions, or for a row of one arm those that speak of it."""
    if quantity.rows is None:
        return tuple(condition for group in groups for condition in group.values())
    return tuple(group[key] for group in groups for key in (None, arm) if key in group)


def _rows(
    quantity: Quantity, theory: Theory, instance: Instance, question: Question, setting: Setting
) -> list[int] | None:
    """Ranks of the arms that get a row; None if the quantity is one number in all."""
    wanted = quantity.rows
    if wanted is None:
        return None
    if s.d in quantity.symbols and question.threshold is None:
        wanted = theory.unasked or wanted
    ranks = setting.ranks[0][setting.mask(wanted)[0]]
    by_arm = sorted(ranks.tolist(), key=lambda rank: instance.order[rank - 1])
    return [int(rank) for rank in by_arm]


@dataclass(frozen=True)
class CheckedAssumption:
    """An assumption of a claim on this instance."""

    claim: str
    condition: Condition

    def to_json(self) -> dict[str, Any]:
        c = self.condition
        return {
            "claim": self.claim,
            **c.to_json(),
            "margin": c.margin,
            "implicit": c.implicit,
            "statement": c.assumption.statement,
            "witness": c.witness,
        }


def check(
    instance: Instance,
    question: Question | None = None,
    claims: Iterable[str | Claim] | None = None,
    *,
    theory: Theory | None = None,
) -> Results[CheckedAssumption]:
    """The assumptions of all claims (or of some) on an instance.

    >>> [c.condition.arm for c in check(Instance.load("paper-gaussian"), claims=["thm-4.1a"])
    ...  if not c.condition.holds]
    [1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    question, theory = question or Question(), theory or default()
    setting = exact_setting(instance, question, theory.derive)
    if question.epsilon is not None:
        require_admissible(instance, question.epsilon, setting)
    cards, states = theory.chosen(claims), States(instance, question.digits)
    found = []
    for card in cards:
        for assumption in (*card.stated, *card.implicit):
            implicit = assumption in card.implicit
            rows = list(states.of(assumption, setting, implicit=implicit).values())
            if question.threshold is None and _concerns_threshold(assumption) and theory.unasked:
                ranks = setting.ranks[0][setting.mask(theory.unasked)[0]]
                asked = {instance.order[rank - 1] + 1 for rank in ranks}
                rows = [c for c in rows if c.arm is None or c.arm in asked]
            found += [CheckedAssumption(card.id, row) for row in rows]
    return Results(found, f"{one_line(instance.name)}: assumptions", CHECK_COLUMNS)


def _concerns_threshold(assumption: Assumption) -> bool:
    return assumption.relation is not None and s.d in assumption.relation.free_symbols
