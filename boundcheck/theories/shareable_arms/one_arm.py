"""Cases about one arm, of a given instance or of one constructed around the arm."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Self

from flint import arb

from boundcheck.calculator.setting import Setting, exact_setting
from boundcheck.calculator.values import certified_rows
from boundcheck.claims.card import Claim
from boundcheck.evidence.tails import Arm, arms_of
from boundcheck.search.simplify import rounder, shorter, smaller_numbers
from boundcheck.theories.shareable_arms.question import Question
from boundcheck.theories.shareable_arms.setting import derive
from simulation.numbers import decimal
from simulation.rewards.laws import Gaussian, RewardLaw
from simulation.world.instance import Instance

_DIGITS = 20
MOST_ARMS = 24  # arms that are examined, if an instance has more


@dataclass(frozen=True)
class OneArm:
    """An arm and a confidence; for some claims a threshold d or a horizon T."""

    mean: Fraction
    capacity: int
    plays: int
    law: RewardLaw
    delta: Fraction
    threshold: int | None = None
    horizon: Fraction | None = None
    inside: Instance | None = None  # the arm's instance; None: constructed around the arm
    number: int = 1
    left_out: int = 0  # arms of the instance that are not examined

    @classmethod
    def of(cls, instance: Instance, arm: Arm, delta: Fraction, **more: Any) -> Self:
        """An arm of a given instance."""
        more |= {"inside": instance, "number": arm.number, "left_out": arm.left_out}
        return cls(arm.mean, arm.capacity, instance.plays, arm.law, delta, **more)

    @property
    def arm(self) -> int:
        return self.number

    @property
    def confidence(self) -> Fraction:
        """delta, or 2/T in a case about a horizon."""
        return self.delta if self.horizon is None else 2 / self.horizon

    @cached_property
    def instance(self) -> Instance:
        """A constructed instance has further arms of capacity 1 with smaller, distinct, positive
        means.
        """
        if self.inside is not None:
            return self.inside
        parts = 10 ** len(str(self.plays))
        most = self.mean if self.mean > 0 else Fraction(1)
        others = [most * Fraction(parts - k, parts) for k in range(1, self.plays + 1)]
        held = [self.capacity, *(1 for _ in others)]
        return Instance([self.mean, *others], held, self.plays, self.law)

    @cached_property
    def question(self) -> Question:
        horizon = self.horizon or Fraction(10**6)
        return Question(delta=self.delta, threshold=self.threshold, horizon=horizon, digits=_DIGITS)

    def given_by(self, card: Claim, place: int = 0) -> arb:
        """A number that the card gives for this arm."""
        rank = self.instance.order.index(self.arm - 1) + 1
        setting = _setting(self.instance, self.question)
        ((_, total),) = certified_rows(card.quantities[place], setting, [rank], _DIGITS)
        return total

    def parameters(self) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "arm": self.number,
            "mean": decimal(self.mean, 6 if self.inside else 30),
            "capacity": self.capacity,
        }
        if self.law.variance is not None:
            shown["variance"] = decimal(self.law.variance)
        if self.threshold is not None:
            shown["threshold"] = self.threshold
        if self.left_out:
            shown["arms_left_out"] = self.left_out
        name, value = ("delta", self.delta) if self.horizon is None else ("horizon", self.horizon)
        return shown | {name: decimal(value, 6)}

    def simpler(self) -> Iterator[Self]:
        """Fewer plays, a smaller capacity or threshold, rounder numbers; for a constructed instance
        only.
        """
        if self.inside is not None:
            return
        if self.threshold is not None and min(self.plays, self.threshold - 1) > 1:
            for capacity in dict.fromkeys((max(self.capacity - 1, 1), self.capacity)):
                fewer_plays = replace(self, plays=self.plays - 1, threshold=self.threshold - 1)
                yield replace(fewer_plays, capacity=capacity)
        law = self.law
        rows: list[tuple[str, Iterable[Any]]] = [
            ("plays", smaller_numbers(self.plays, max(self.capacity, self.threshold or 1))),
            ("capacity", smaller_numbers(self.capacity)),
            ("threshold", smaller_numbers(self.threshold or 2, 2)),
            ("horizon", (T for T in rounder(self.horizon or Fraction(0)) if T >= 2)),
            ("law", map(Gaussian, shorter(law.variance)) if isinstance(law, Gaussian) else ()),
            ("mean", (mean for mean in rounder(self.mean) if mean > 0 and law.admits(mean))),
            ("delta", (x for x in rounder(self.delta) if 0 < x < 1 and self.horizon is None)),
        ]
        for name, values in rows:
            yield from (replace(self, **{name: value}) for value in values)


class Rewarded(OneArm):
    """An arm of which only the rewards matter, not the capacity or a confidence."""

    def parameters(self) -> dict[str, Any]:
        shown = super().parameters()
        return {name: shown[name] for name in ("arm", "mean", "variance") if name in shown}


@lru_cache(maxsize=256)
def _setting(instance: Instance, question: Question) -> Setting:
    """Cached because cases of an instance share it: it has the values of all arms."""
    return exact_setting(instance, question, derive)


def representatives(found: list[Arm]) -> list[Arm]:
    """If there are many arms: those with the weakest and strongest signals and some in between,
    weakest first, and the arm with the largest mean; one of equal arms. `left_out` counts the
    others.
    """
    if len(found) <= MOST_ARMS:
        return found
    alike: dict[tuple[Fraction, int, RewardLaw], list[Arm]] = defaultdict(list)
    for arm in found:
        alike[arm.mean, arm.capacity, arm.law].append(arm)
    groups = sorted(alike.values(), key=lambda group: _signal(group[0]))
    if len(groups) > MOST_ARMS:
        best = max(groups, key=lambda group: group[0].mean)
        steps = (len(groups) - 1) / (MOST_ARMS - 2)
        even = [groups[round(place * steps)] for place in range(MOST_ARMS - 1)]
        groups = even if best in even else [*even, best]
    left_out = len(found) - sum(map(len, groups))
    return [replace(group[0], left_out=left_out) for group in groups]


def _signal(arm: Arm) -> Fraction:
    """The signal-to-noise ratio, which conditions on an arm require to be large."""
    return (arm.mean / arm.capacity) ** 2 / arm.law.proxy_variance


def earning(instance: Instance) -> list[Arm]:
    """Arms with positive mean and a capacity that the plays can fill."""
    return [arm for arm in arms_of(instance) if arm.mean > 0 and arm.capacity <= instance.plays]


def exposed(found: list[Arm]) -> list[Arm]:
    """The arm with the largest variance; among equals the one with the strongest signal."""
    return sorted(found, key=lambda arm: (arm.variance, arm.mean))[-1:]


def confidence_of(card: Claim, case: OneArm) -> Fraction:
    return case.confidence
