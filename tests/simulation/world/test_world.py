"""The world kernels read: regret by the gap identity, exactly zero where nothing is lost."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.instances import small_instances

from simulation.rewards.laws import Gaussian
from simulation.world.compiled import World, regret
from simulation.world.instance import Instance


def actions(instance: Instance) -> list[tuple[int, ...]]:
    loads = range(instance.plays + 1)
    every = itertools.product(loads, repeat=instance.arms)
    return [action for action in every if sum(action) == instance.plays]


@given(small_instances(arms=5), st.data())
@settings(max_examples=300, deadline=None, derandomize=True)
def test_the_gap_identity_gives_the_regret_of_every_action(
    instance: Instance, data: st.DataObject
) -> None:
    action = data.draw(st.sampled_from(actions(instance)))
    lost, exact = regret(World.of(instance), np.array(action)), instance.regret(action)
    assert lost >= 0.0
    assert (lost == 0.0) == (exact == 0)
    assert lost == pytest.approx(float(exact), rel=1e-14, abs=0)


def test_negative_means_outside_the_optimum_cost_their_distance() -> None:
    instance = Instance([1, 0.5, -2], [1, 1, 1], 2, Gaussian(1))
    world = World.of(instance)
    assert regret(world, np.array([1, 1, 0])) == 0.0
    assert regret(world, np.array([1, 0, 1])) == 2.5
    assert regret(world, np.array([2, 0, 0])) == 0.5


def test_capacities_beyond_the_plays_cannot_be_told_apart() -> None:
    small = World.of(Instance([0.5, 0.4, 0.3], [2, 2, 1], 2))
    large = World.of(Instance([0.5, 0.4, 0.3], [2, 9, 1], 2))
    assert all(np.array_equal(a, b) for a, b in zip(small, large, strict=True))
