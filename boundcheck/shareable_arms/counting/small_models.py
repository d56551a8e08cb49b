"""Slots as the oracle sees them: bounds on capacities, estimates, and which slots E.3 covers.

As only the order of estimates matters and on which side of mu_j +- epsilon they lie, whole numbers
stand for the means: GAP apart, with EPSILON below half of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise, permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt

from boundcheck.kinds.whole import Whole
from boundcheck.question import Question
from simulation.instance import Instance
from simulation.numbers import decimal

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[Any]  # floats, or fractions where it is exact

GAP, EPSILON = 8, 3


class EverySlot(Whole):
    """All slots that an instance can come to."""

    @property
    def capacities(self) -> list[int]:
        """By rank, as far as the plays can fill them."""
        every = (self.instance.capacities[k] for k in self.instance.order)
        return [min(m, self.instance.plays) for m in every]

    def told(self) -> dict[str, Any]:
        return {"K": self.instance.arms, "N": self.instance.plays}


@dataclass(frozen=True)
class Slot:
    """One slot, arms by rank: what the oracle believed and saw, and the estimates now."""

    instance: Instance
    epsilon: Fraction
    lower: tuple[int, ...]
    seen: tuple[Fraction, ...]
    ties: tuple[int, ...]  # equal estimates: the arm that comes first here
    now: tuple[Fraction, ...]
    arm = None

    @property
    def question(self) -> Question:
        return Question(epsilon=self.epsilon)

    def told(self) -> dict[str, Any]:
        shown: dict[str, Any] = {"m^l": list(self.lower), "epsilon": decimal(self.epsilon, 6)}
        shown["estimates"] = [decimal(x, 6) for x in self.seen]
        if len({*self.seen}) < len(self.seen):
            shown["of_equal_ones_first"] = [arm + 1 for arm in self.ties]
        if self.now != self.seen:
            shown["estimates_one_slot_later"] = [decimal(x, 6) for x in self.now]
        return shown

    def simpler(self) -> Iterator[Slot]:
        return iter(())


def uncovered(
    means: Numbers,
    epsilon: Any,
    lower: Integers,
    plays: int,
    seen: Numbers,
    ties: Integers,
    now: Numbers | None = None,
) -> tuple[Flags, Flags]:
    """For each row of estimates: does the lemma say something, and is it wrong?

    `means` fall from arm to arm; `ties` ranks equal estimates; `now` are the estimates at the slot
    where they are no longer those that its action was computed from.
    """
    wanted = loads(np.arange(len(means))[None, :], lower, plays)
    acted = loads(ties[np.argsort(-seen[:, ties], axis=1, kind="stable")], lower, plays)
    off = np.asarray(abs((seen if now is None else now) - means) >= epsilon, dtype=np.bool_)
    concerned = (acted != wanted).any(axis=1) & ~((acted > 0) & off).any(axis=1)
    explained = ((wanted > 0) & (acted == 0) & off).any(axis=1)
    return concerned, concerned & ~explained


def loads(order: Integers, lower: Integers, plays: int) -> Integers:
    """Oracle: the arms filled to `lower` in this order (one row each)."""
    filled = lower[order]
    room = np.clip(plays - (np.cumsum(filled, axis=1) - filled), 0, filled)
    given = np.zeros(order.shape, dtype=np.int64)
    np.put_along_axis(given, order, room, axis=1)
    return given


@cache
def all_slots(plays: int, capacities: tuple[int, ...]) -> tuple[int, int]:
    """How many slots the lemma speaks of, and how many are exceptions."""
    arms, total = len(capacities), np.zeros(2, dtype=np.int64)
    means, estimates = spread_means(arms), positions(arms)
    every_lower = product(*(range(1, m + 1) for m in capacities))
    for lower, ties in product(every_lower, permutations(range(arms))):
        flags = uncovered(means, EPSILON, np.array(lower), plays, estimates, np.array(ties))
        total += [flag.sum() for flag in flags]
    return int(total[0]), int(total[1])


def spread_means(arms: int) -> Numbers:
    return np.arange(GAP * arms, 0, -GAP, dtype=np.float64)


def positions(arms: int) -> Numbers:
    """Every vector of estimates at the points mu_j +- epsilon, or between neighbouring ones."""
    points = np.sort(np.concatenate([spread_means(arms) + shift for shift in (-EPSILON, EPSILON)]))
    edges = np.concatenate([[points[0] - GAP], points, [points[-1] + GAP]])
    between = [np.linspace(a, b, arms + 2)[1:-1] for a, b in pairwise(edges)]
    return np.array(list(product(np.concatenate([points, *between]), repeat=arms)))
