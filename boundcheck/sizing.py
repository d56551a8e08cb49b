"""Sizes that are said to suffice (5.3, E.6, J.3 and ours), and what suffices by algebra.

With w = w(n) the width of one mean after n explorations of each kind, and both means within w,

    learn m:  the interval holds m alone       if (4m + 3) w < mu,                            (1)
    reach d:  the lower bound is at least d    if (m + 3d - 3) w < (m - d + 1) mu.            (2)

Both are sharp: where (1) fails, muhat = mu - w and nuhat = m (mu + w) put m + 1 into the interval;
where (2) fails, muhat = mu + w and nuhat = m (mu - w) leave the lower end at d - 1 or below. w
decreases, so what holds for n of each kind holds for more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb
from sympy import Symbol

from boundcheck import symbols as s
from boundcheck.balls import ball, lower, precision, upper
from boundcheck.certified import BITS
from boundcheck.claim import Assumption, Claim, Quantity
from boundcheck.evaluate import BALLS
from boundcheck.functions import Defined
from boundcheck.question import Question
from boundcheck.setting import exact_setting
from boundcheck.tails import Arm, Enclosure, Explored
from boundcheck.values import certified_rows
from boundcheck.widths import enclosed
from simulation.instance import Instance

_COUNT = Symbol("count", positive=True)
_DIGITS = 20
_ROW = 40  # confidences from the largest one down, 0.85 apart
MOST_DIGITS = 20_000  # of an admissible confidence; beyond, an arm is left out


@dataclass(frozen=True)
class Sized:
    """An arm and the explorations of each kind that a claim asks for at confidence delta."""

    arm: Arm
    delta: Fraction
    size: int
    mean_width: type[Defined]
    threshold: int | None = None  # d, if d is to be reached and not m learnt

    def width(self, count: int) -> arb:
        (w,) = enclosed(self.mean_width(_COUNT, s.delta), {"count": count, "delta": self.delta})
        return w

    def sides(self) -> tuple[arb, arb]:
        """Both sides of (1) or (2) at the claimed size."""
        m, d = self.arm.capacity, self.threshold
        factor, share = (4 * m + 3, 1) if d is None else (m + 3 * d - 3, m - d + 1)
        return factor * self.width(self.size), share * ball(self.arm.mean)

    def failure(self, individual: int, united: int) -> Enclosure:
        """P(m is not learnt, or d not reached) after so many explorations."""
        explored = Explored(self.arm, individual, united)
        both = self.width(individual) + self.width(united)
        if self.threshold is None:
            return explored.unlearned(both)
        return explored.unreached(self.threshold, both)

    def worst_means(self) -> dict[str, Any]:
        """Means within their widths at which (1) or (2) goes wrong, if it does."""
        mean, w, m = ball(self.arm.mean), self.width(self.size), self.arm.capacity
        muhat, rate = (mean - w, mean + w) if self.threshold is None else (mean + w, mean - w)
        return {"mu_hat": lower(muhat, 6), "nu_hat": upper(m * rate, 6)}


def sizes(
    quantity: Quantity,
    instance: Instance,
    question: Question,
    chosen: Sequence[Arm],
    mean_width: type[Defined],
) -> list[Sized]:
    """What the quantity asks for, rounded up to whole explorations."""
    setting = exact_setting(instance, question)
    ranks = [rank_of(instance, arm) for arm in chosen]
    if not ranks:
        return []
    delta = 2 / question.horizon if s.T in quantity.symbols else question.delta
    d = question.threshold if s.d in quantity.symbols else None
    rows = certified_rows(quantity, setting, ranks, _DIGITS)
    return [
        Sized(arm, delta, max(_whole(total), 1), mean_width, d)
        for arm, (_, total) in zip(chosen, rows, strict=True)
    ]


def _whole(size: arb) -> int:
    with precision(BITS):
        return int(size.upper().ceil().unique_fmpz())


def rank_of(instance: Instance, arm: Arm) -> int:
    """The place of the arm by mean, from 1."""
    return instance.order.index(arm.number - 1) + 1


# -- confidences that a claim admits -----------------------------------------------------


def confidence_condition(card: Claim) -> Assumption | None:
    """The card's condition on delta or on the horizon, if it has one."""
    for assumption in card.assumptions:
        if assumption.relation is not None and assumption.relation.lhs in (s.delta, s.T):
            return assumption
    return None


def admitted(
    condition: Assumption, instance: Instance, question: Question, arm: Arm
) -> list[Question]:
    """The question at the confidences that are hardest among those the condition admits.

    (l + log(n + 1)/2)/n at n = A l decreases in l = log(2/delta), so (1) and (2) are hardest at the
    largest delta (the shortest horizon); where n is so small that rounding it up matters, at some
    smaller one, just before n grows. None: the largest has too many digits.
    """
    relation = condition.relation
    assert relation is not None
    setting = exact_setting(instance, question)
    column = np.array([rank_of(instance, arm) - 1])
    with precision(BITS):
        limit = setting.evaluator(BALLS, column)(relation.rhs).item()
        if not limit.is_finite() or not limit > 0 or abs(limit.log()) > MOST_DIGITS * 2.3:
            return []
        if relation.lhs == s.delta:
            return [replace(question, delta=x) for x in _hardest(limit, Fraction(1))]
        return [replace(question, horizon=1 / x) for x in _hardest(1 / limit, Fraction(1, 2))]


def _hardest(limit: arb, below: Fraction) -> list[Fraction]:
    """At most `limit` and less than `below`: a power of ten, or a falling row if it is large."""
    if limit > arb(1) / 10_000:
        top = min(Fraction(float(limit.lower())), below)
        return [Fraction(f"{float(top) * 0.999999 * 0.85**k:.9f}") for k in range(_ROW)]
    digits = int((-(limit.log() / arb(10).log())).upper().ceil().unique_fmpz())
    return [Fraction(1, 10**digits)]
