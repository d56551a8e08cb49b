"""Neighbouring cases, for the local search for a worse case."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from boundcheck.judging.default_statements.one_mean import SUMMED, Rewards
from boundcheck.judging.default_statements.regret import AtHorizon
from boundcheck.judging.effort import Effort
from simulation.world.instance import Instance

MOST_ARMS = 40
FACTORS = (Fraction(1, 2), Fraction(3, 4), Fraction(4, 3), Fraction(2))


def neighbours(case: Any, effort: Effort) -> Iterator[Any]:
    """Other gaps, horizons and numbers of arms; for one arm other means, counts and levels."""
    if isinstance(case, AtHorizon):
        for instance in _instances(case.instance):
            yield AtHorizon.at(instance, case.horizon)
        for horizon in (case.horizon // 3, 3 * case.horizon):
            if case.instance.arms <= horizon <= effort.horizon:
                yield AtHorizon.at(case.instance, horizon)
    elif isinstance(case, Rewards) and case.count is not None:
        for factor in FACTORS:
            count = int(case.count * factor)
            if 1 <= count <= SUMMED and count != case.count:
                yield replace(case, count=count)
            delta = _short(case.question.delta * factor)
            if 0 < delta < 1:
                yield replace(case, question=replace(case.question, delta=delta))
        for instance in _instances(case.instance, moved_together=True):
            yield replace(case, instance=instance)


def _instances(instance: Instance, *, moved_together: bool = False) -> Iterator[Instance]:
    """The same best mean with scaled gaps, all means moved, or one arm more or fewer."""
    means, best = instance.means, max(instance.means)
    scaled = [[best - _short((best - mean) * factor) for mean in means] for factor in FACTORS]
    if moved_together:
        scaled = [[_short(mean * factor) for mean in means] for factor in FACTORS]
    elif len(means) < MOST_ARMS:
        scaled += [[*means, min(means)], [*means, *[min(means)] * len(means)]]
    if len(means) > 2 and not moved_together:
        scaled.append(list(means[:-1]))
    for each in scaled:
        distinct = len(set(each)) == len(set(means)) and each != list(means)
        if distinct and all(map(instance.reward.admits, each)):
            yield Instance(each, [1] * len(each), 1, instance.reward, name="worst found")


def _short(value: Fraction) -> Fraction:
    """Rounded to four digits."""
    return Fraction(f"{float(value):.3e}")
