"""Named assumptions on an instance: the values of both sides, and whether they hold.

Relations are decided in exact fractions, or by enclosures where a side is irrational.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from math import inf, isnan
from typing import Any

import numpy as np
import sympy
from flint import arb

from boundcheck.calculator.numbers import balls
from boundcheck.calculator.numbers.evaluate import BALLS, EXACT, Domain, Irrational
from boundcheck.calculator.setting import Setting
from boundcheck.calculator.values import MOST_BITS, compare_values, enough_bits
from boundcheck.claims import symbols as s
from boundcheck.claims.card import EVERY_ARM, Assumption, Claim
from simulation.formatting import human, power_of_ten
from simulation.numbers import decimal
from simulation.world.instance import Instance

# the reward laws that have a property; a fact not listed here is the name of a law
LAWS_WITH = {
    "one-parameter": ("gaussian", "bernoulli", "beta"),
    "rewards in [0, 1]": ("bernoulli", "beta", "empirical"),
    "gaussian or gaussian-by-arm": ("gaussian", "gaussian-by-arm"),
}
MARGIN_DIGITS = 30
Called = Callable[[int], str]  # how messages name an arm
NUMBERED: Called = "arm {}".format


def laws_with(fact: str) -> tuple[str, ...]:
    return LAWS_WITH.get(fact, (fact,))


def foreign_law(card: Claim, instance: Instance) -> str | None:
    """The law that a card assumes for all arms, if the instance's arms have laws of their own and
    it is not theirs: its number would then be wrong. None otherwise.
    """
    if instance.reward.arms is None:
        return None
    facts = (assumption.fact for assumption in card.assumptions if assumption.fact is not None)
    return next((fact for fact in facts if instance.reward.name not in laws_with(fact)), None)


@dataclass(frozen=True)
class Condition:
    """An assumption on this instance: both sides, and whether it holds."""

    name: str
    arm: int | None
    holds: bool
    lhs: str | None
    rhs: str | None
    assumption: Assumption
    implicit: bool = False
    witness: str | None = None

    def to_json(self) -> dict[str, Any]:
        shown = ("name", "arm", "holds", "lhs", "rhs")
        return {name: getattr(self, name) for name in shown}

    @cached_property
    def margin(self) -> str | None:
        """By how much it holds (negative: by how much it fails): the difference of the two
        sides.
        """
        relation = self.assumption.relation
        if relation is None or self.lhs is None or self.rhs is None:
            return None
        with balls.precision(4 * max(len(self.lhs), len(self.rhs)) + 128):
            lhs, rhs = balls.ball_of_decimal(self.lhs), balls.ball_of_decimal(self.rhs)
            excess = lhs - rhs if relation.rel_op in (">=", ">") else rhs - lhs
            excess = -abs(excess) if relation.rel_op == "==" else excess
            return balls.midpoint(excess, MARGIN_DIGITS)

    def found(self, called: Called = NUMBERED) -> str:
        """The value in words, such as "arm 8 has 0.01", and the limit unless the formula shows
        it.
        """

        if self.assumption.fact is not None:
            return f"here they are {self.lhs}"
        if (must := needed(self)) == NOTHING_TO_LEARN:
            return must if self.arm is None else f"{called(self.arm)}: {must}"
        if self.assumption.statement.endswith(must):
            return f"{'it is' if self.arm is None else f'{called(self.arm)} has'} {side(self.lhs)}"
        if self.lhs is None:
            return f"none is {must}"
        where = "" if self.arm is None else f"for {called(self.arm)} "
        return f"{where}it is {side(self.lhs)}, must be {must}"

    @property
    def tightness(self) -> tuple[bool, arb]:
        """Sort key: conditions that fail first, by margin; then those that hold, tightest first."""
        return self.holds, balls.ball_of_decimal("inf" if self.margin is None else self.margin)


def conditions(
    assumption: Assumption,
    instance: Instance,
    setting: Setting,
    digits: int,
    implicit: bool = False,
) -> list[Condition]:
    """The assumption on each arm of its range (or once), decided exactly or by enclosures."""

    def condition(arm: int | None, holds: bool, lhs: str | None, rhs: str | None) -> Condition:
        witness = None
        if assumption.name == "distinct-means" and instance.equal_means:
            groups = (
                " = ".join(instance.label(arm, "{}") for arm in group)
                for group in instance.equal_means
            )
            witness = "equal means: arms " + ", ".join(groups)
        return Condition(assumption.name, arm, holds, lhs, rhs, assumption, implicit, witness)

    if assumption.fact is not None:
        allowed = laws_with(assumption.fact)
        return [condition(None, setting.law in allowed, setting.law, " or ".join(allowed))]
    relation = assumption.relation
    assert relation is not None
    if s.epsilon in relation.free_symbols and s.epsilon not in setting.values:
        limit = setting.values[s.smallest_gap].item() / 2
        return [condition(None, limit > 0, None, decimal(limit, digits))]
    if not setting.per_arm(relation):
        (result,) = _decided(relation, setting, [], digits)
        return [condition(None, *result)]
    ranks = setting.ranks_in(assumption.over or EVERY_ARM)
    results = _decided(relation, setting, ranks, digits) if ranks else []
    found = [
        condition(instance.order[rank - 1] + 1, *result)
        for rank, result in zip(ranks, results, strict=True)
    ]
    return sorted(found, key=lambda c: c.arm or 0)


def _decided(
    relation: sympy.Rel, setting: Setting, ranks: list[int], digits: int
) -> list[tuple[bool, str | None, str | None]]:
    """Whether a relation holds, and both sides as text: for each rank, or once if there are
    none.
    """

    def sides(domain: Domain) -> list[tuple[Any, Any]]:
        evaluate = setting.evaluator(domain, np.array(ranks) - 1 if ranks else slice(None))
        shape = (1, len(ranks) or 1)
        lhs, rhs = (
            np.broadcast_to(evaluate(side), shape)[0] for side in (relation.lhs, relation.rhs)
        )
        return list(zip(lhs, rhs, strict=True))

    try:
        return [
            (bool(compare_values(relation, a, b)), decimal(a, digits), decimal(b, digits))
            for a, b in sides(EXACT)
        ]
    except (Irrational, ZeroDivisionError):
        bits = enough_bits(setting, digits)
    while True:
        with balls.precision(bits):
            found = sides(BALLS)
            decided = all(
                compare_values(relation, a, b)
                or compare_values(relation.negated, a, b)
                or (a.is_nan() or b.is_nan())
                for a, b in found
            )
        if decided or bits > MOST_BITS:
            return [
                (
                    bool(compare_values(relation, a, b)),
                    balls.midpoint(a, digits),
                    balls.midpoint(b, digits),
                )
                for a, b in found
            ]
        bits *= 4


def failing(rows: Iterable[Condition]) -> list[dict[str, Any]]:
    """The assumptions that fail, as JSON: formula, value found, value needed."""
    distinct = {(row.name, row.arm): row for row in rows if not row.holds}
    return [
        {
            "name": row.name,
            "arm": row.arm,
            "formula": row.assumption.statement,
            "value": row.lhs,
            "needs": row.rhs,
            "margin": row.margin,
        }
        for row in distinct.values()
    ]


def needs(rows: Iterable[Condition], called: Called = NUMBERED) -> str:
    """The failing assumptions in words, each for the arm that misses it by most."""
    groups: dict[str, list[Condition]] = {}
    for row in rows:
        if not row.holds:
            groups.setdefault(row.name, []).append(row)
    return "; ".join(
        _need(max(group, key=decades_from_holding), called) for group in groups.values()
    )


def _need(row: Condition, called: Called) -> str:
    formula = any(sign in row.assumption.statement for sign in "<>=")
    return f"needs {'' if formula else 'that '}{row.assumption.statement}; {row.found(called)}"


def decades_from_holding(row: Condition) -> float:
    """Distance of a condition's two sides in powers of ten; 0 if they are equal or not numbers."""
    from simulation.formatting import power_of_ten

    lhs, rhs = power_of_ten(str(row.lhs)), power_of_ten(str(row.rhs))
    return 0.0 if lhs == rhs or isnan(lhs - rhs) else abs(lhs - rhs)


_SIGNS = {">=": ">= ", ">": "> ", "<=": "<= ", "<": "< ", "==": "= "}
NOTHING_TO_LEARN = "nothing to learn, only one answer is possible"


def needed(condition: Condition) -> str:
    """The limit in words. It is infinite if the question has one answer (d = 1) or a term is
    empty.
    """
    relation = condition.assumption.relation
    if condition.rhs is not None and power_of_ten(condition.rhs) == inf:
        return NOTHING_TO_LEARN
    sign = "" if relation is None else _SIGNS.get(relation.rel_op, "")
    return sign + side(condition.rhs)


def side(text: str | None) -> str:
    return human(text) if text is None or text[:1] in "-.0123456789i" else text
