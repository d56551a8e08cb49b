"""Where a twin plays: rewards arm by arm, exact regret, and a log to compare a kernel with."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from simulation.policies import find
from simulation.running.runs import Record, run_many
from simulation.world.draws import stream
from simulation.world.instance import Instance
from twins.sources import Drawn


class Slot(NamedTuple):
    phase: str
    action: tuple[int, ...]
    regret: Fraction
    reward: float


class TimeIsUp(Exception):
    """The horizon has been reached, possibly in the middle of a procedure."""


@dataclass
class Arena:
    """An instance with a clock that stops the policy, by `TimeIsUp`, after the last slot."""

    instance: Instance
    horizon: int
    seed: int
    slots: list[Slot] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.source = Drawn(self.instance, stream(self.seed, 0))
        self.gen = self.source.gen
        self.K, self.N = self.instance.arms, self.instance.plays
        self.sigma = math.sqrt(self.instance.reward.proxy_variance)

    @property
    def t(self) -> int:
        """Slots played so far."""
        return len(self.slots)

    def play(
        self,
        phase: str,
        loads: dict[int, int],
        idle: int = 0,
        witness: Callable[[int, float], None] = lambda k, y: None,
    ) -> dict[int, float]:
        """Play arms in this order; returns what each earned in all, which is what a policy sees.

        The witness is told of each arm before the next is played.
        """
        if self.t == self.horizon:
            raise TimeIsUp
        assert sum(loads.values()) + idle == self.N
        assert min(loads.values()) >= 1
        reward, seen, gained = 0.0, {}, Fraction(0)
        for k, load in loads.items():
            X = self.source.reward(k)
            served = min(load, self.instance.capacities[k])
            reward += served * X
            seen[k] = served * X
            gained += served * self.instance.means[k]
            witness(k, seen[k])
        action = tuple(loads.get(k, 0) for k in range(self.K))
        lost = self.instance.optimal_reward - gained
        self.slots.append(Slot(phase, action, lost, reward))
        return seen


def filled(order: Sequence[int], capacities: Sequence[int], plays: int) -> dict[int, int]:
    """Arms in this order, each with its capacity of plays, till no play is left."""
    loads: dict[int, int] = {}
    for k in order:
        if plays > 0:
            loads[k] = min(plays, capacities[k])
            plays -= loads[k]
    assert plays == 0
    return loads


def kernel_record(arena: Arena, policy: str, options: dict[str, object] | None = None) -> Record:
    """The kernel's run of the same seed, with a checkpoint at every slot."""
    every = np.arange(1, arena.horizon + 1)
    return run_many(arena.instance, policy, arena.horizon, every, arena.seed, 0, 1, options)


def assert_same(arena: Arena, record: Record, policy: str) -> None:
    """Same phase, regret and reward in every slot; the regret of the kernel is never negative."""
    assert arena.t == arena.horizon
    phases = find(policy).phases
    regret = np.diff(record.regret[0], axis=1, prepend=0.0)
    expected = np.zeros_like(regret)
    for t, slot in enumerate(arena.slots):
        expected[phases.index(slot.phase), t] = float(slot.regret)
    # the kernel adds up floats, the twin has exact numbers: they differ by rounding only
    np.testing.assert_allclose(regret, expected, rtol=0, atol=1e-9)
    assert np.all(regret >= 0)
    assert record.optimal[0].tolist() == np.cumsum([s.regret == 0 for s in arena.slots]).tolist()
    # the rewards show every random number and every load, to the bit
    assert record.reward[0].tolist() == np.cumsum([s.reward for s in arena.slots]).tolist()
    assert record.played[0].tolist() == slots_played(
        arena.instance, [s.action for s in arena.slots]
    )


def slots_played(instance: Instance, actions: Sequence[Sequence[int]]) -> list[list[int]]:
    """In how many slots each arm had a play, and more plays than its capacity."""
    columns = list(zip(*actions, strict=True))
    above = zip(columns, instance.capacities, strict=True)
    return [[sum(a > 0 for a in c) for c in columns], [sum(a > m for a in c) for c, m in above]]
