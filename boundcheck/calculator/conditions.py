"""The state of named assumptions on an instance: both sides, and whether they hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy
from flint import arb

from boundcheck import symbols as s
from boundcheck.calculator.values import MOST_BITS, compare, enough_bits
from boundcheck.claim import EVERY_ARM, Assumption
from boundcheck.numbers import balls
from boundcheck.numbers.evaluate import BALLS, EXACT, Irrational
from boundcheck.setting import Setting
from simulation.instance import Instance
from simulation.numbers import decimal

# which reward laws have a property that an assumption names: a law's own name, or one of these
LAWS_WITH = {
    "one-parameter": ("gaussian", "bernoulli", "beta"),
    "rewards in [0, 1]": ("bernoulli", "beta", "empirical"),
}


def laws_with(fact: str) -> tuple[str, ...]:
    return LAWS_WITH.get(fact, (fact,))


MARGIN_DIGITS = 30


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
        return {
            "name": self.name,
            "arm": self.arm,
            "holds": self.holds,
            "lhs": self.lhs,
            "rhs": self.rhs,
        }

    @cached_property
    def margin(self) -> str | None:
        """How far it holds (or, negative, falls short): the difference of the two sides."""
        relation = self.assumption.relation
        if relation is None or self.lhs is None or self.rhs is None:
            return None
        with balls.precision(4 * max(len(self.lhs), len(self.rhs)) + 128):
            lhs, rhs = balls.written(self.lhs), balls.written(self.rhs)
            excess = lhs - rhs if relation.rel_op in (">=", ">") else rhs - lhs
            excess = -abs(excess) if relation.rel_op == "==" else excess
            return balls.midpoint(excess, MARGIN_DIGITS)

    @property
    def tightness(self) -> tuple[bool, arb]:
        """Sorts conditions, worst first: what fails by most, ..., what holds with most to spare."""
        return self.holds, balls.written("inf" if self.margin is None else self.margin)


ByArm = dict[int | None, "Condition"]


@dataclass
class States:
    """The assumptions on an instance, each decided once though many claims share them."""

    instance: Instance
    digits: int
    _known: dict[tuple[Assumption, bool, Fraction | None], ByArm] = field(default_factory=dict)

    def of(self, assumption: Assumption, setting: Setting, *, implicit: bool = False) -> ByArm:
        epsilon = setting.values[s.epsilon].item() if s.epsilon in setting.values else None
        key = (assumption, implicit, epsilon)
        if key not in self._known:
            found = conditions(assumption, self.instance, setting, self.digits, implicit)
            self._known[key] = {condition.arm: condition for condition in found}
        return self._known[key]


def conditions(
    assumption: Assumption,
    instance: Instance,
    setting: Setting,
    digits: int,
    implicit: bool = False,
) -> list[Condition]:
    """The assumption for each arm it speaks of (or once), decided exactly or by enclosures."""

    def condition(arm: int | None, holds: bool, lhs: str | None, rhs: str | None) -> Condition:
        witness = None
        if assumption.name == "distinct-means" and instance.equal_means:
            groups = (" = ".join(map(str, group)) for group in instance.equal_means)
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
        (result,) = _decided(relation, setting, None, digits)
        return [condition(None, *result)]
    mask = setting.mask(assumption.over or EVERY_ARM)[0]
    ranks = [int(rank) for rank in setting.ranks[0][mask]]
    results = _decided(relation, setting, ranks, digits) if ranks else []
    found = [
        condition(instance.order[rank - 1] + 1, *result)
        for rank, result in zip(ranks, results, strict=True)
    ]
    return sorted(found, key=lambda c: c.arm or 0)


def _decided(
    relation: sympy.Rel, setting: Setting, ranks: list[int] | None, digits: int
) -> list[tuple[bool, str | None, str | None]]:
    columns = slice(None) if ranks is None else np.array(ranks) - 1
    count = 1 if ranks is None else len(ranks)
    try:
        evaluate = setting.evaluator(EXACT, columns)
        sides = [
            np.broadcast_to(evaluate(side), (1, count))[0] for side in (relation.lhs, relation.rhs)
        ]
        return [
            (bool(compare(relation, a, b)), decimal(a, digits), decimal(b, digits))
            for a, b in zip(*sides, strict=True)
        ]
    except (Irrational, ZeroDivisionError):
        return _decided_by_balls(relation, setting, columns, count, digits)


def _decided_by_balls(
    relation: sympy.Rel, setting: Setting, columns: Any, count: int, digits: int
) -> list[tuple[bool, str | None, str | None]]:
    bits = enough_bits(setting, digits)
    while True:
        with balls.precision(bits):
            evaluate = setting.evaluator(BALLS, columns)
            left, right = (
                np.broadcast_to(evaluate(side), (1, count))[0].tolist()
                for side in (relation.lhs, relation.rhs)
            )
            decided = all(
                compare(relation, a, b) or compare(relation.negated, a, b) or _nan(a, b)
                for a, b in zip(left, right, strict=True)
            )
        if decided or bits > MOST_BITS:
            return [
                (
                    bool(compare(relation, a, b)),
                    balls.midpoint(a, digits),
                    balls.midpoint(b, digits),
                )
                for a, b in zip(left, right, strict=True)
            ]
        bits *= 4


def _nan(a: arb, b: arb) -> bool:
    return bool(a.is_nan() or b.is_nan())
