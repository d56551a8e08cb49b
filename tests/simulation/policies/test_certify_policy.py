"""`certify`: its kernel against its twin, its mixtures, and what its proof says of it."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.arena import Arena, assert_same, kernel_record
from twins.certify import Certify, Stack
from twins.instances import small_instances

from simulation.learning.likelihoods import Model
from simulation.learning.load_mixtures import STACK, add, span
from simulation.policies import find
from simulation.policies.certify import ARM, NOW, State, beta_at, certified, first_open
from simulation.rewards.laws import Bernoulli, Beta, Gaussian, RewardLaw
from simulation.running.runs import run_many
from simulation.world.draws import rewards, stream
from simulation.world.instance import Instance

LAWS = (Bernoulli(), Gaussian(Fraction(1, 10)), Beta(Fraction(4)))
LAW_NAMES = [law.name for law in LAWS]
SMALL = [Instance(["0.9", "0.5", "0.1"], [1, 2, 1], 2, law, law.name) for law in LAWS]


# -- kernel and twin ----------------------------------------------------------------------------


def compare(instance: Instance, horizon: int, seed: int) -> None:
    twin = Certify(Arena(instance, horizon, seed))
    twin.run()
    record = kernel_record(twin.arena, "certify")
    assert_same(twin.arena, record, "certify")
    for k in range(instance.arms):
        possible = list(twin.region(k, twin.level(horizon))) or [1, instance.plays]
        assert (record.lower[0, k], record.upper[0, k]) == (min(possible), max(possible))
    assert record.learned[0].tolist() == twin.learned


@given(
    instance=small_instances(arms=4).filter(lambda i: not isinstance(i.reward, Beta)),
    horizon=st.sampled_from([1, 2, 3, 60, 120]),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=25, deadline=None, derandomize=True)
def test_the_kernel_does_slot_by_slot_what_its_twin_does(
    instance: Instance, horizon: int, seed: int
) -> None:
    compare(instance, horizon, seed)


@pytest.mark.parametrize(
    ("instance", "horizon"), [*zip(SMALL, (300, 300, 90), strict=True)], ids=LAW_NAMES
)
def test_a_longer_run_follows_its_twin(instance: Instance, horizon: int) -> None:
    compare(instance, horizon, 3)


# -- stacks -------------------------------------------------------------------------------------


def kernel_stack(law: RewardLaw, load: int, seen: list[float]) -> tuple[Model, Any, np.ndarray]:
    model = Model(law.code, float(law.parameter))
    stacks, rests = np.zeros(1, dtype=STACK), np.zeros(load)
    for y in seen:
        add(model, stacks[0], rests, load, y)
    return model, stacks[0], rests


@given(
    law=st.sampled_from([*LAWS, Gaussian(Fraction(1, 2)), Beta(Fraction(1, 2)), Beta(30)]),
    load=st.integers(1, 4),
    served=st.integers(1, 4),
    mean=st.integers(1, 9),
    n=st.integers(1, 30),
    level=st.floats(1.0, 12.0),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=40, deadline=None, derandomize=True)
def test_what_a_stack_leaves_possible_is_what_its_likelihood_says(
    law: RewardLaw, load: int, served: int, mean: int, n: int, level: float, seed: int
) -> None:
    served, x = min(load, served), mean / 10
    drawn = rewards(stream(seed, 0), law.code, float(law.parameter), x, n)
    seen = [served * float(value) for value in drawn]
    twin = Stack(law.name, float(law.parameter), load)
    twin.seen = seen
    mixture = twin.log_mixture()
    model, stack, rests = kernel_stack(law, load, seen)
    for c in range(1, load + 1):
        expected = twin.span(c, level, mixture)
        found = span(model, stack, rests, c, level)
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("load", [1, 2, 3])
def test_the_mixture_of_a_bernoulli_stack_is_a_law(load: int) -> None:
    """The chances it gives to all courses of 5 entries, whatever the capacity, sum to 1."""
    courses = {course for c in range(1, load + 1) for course in product((0.0, float(c)), repeat=5)}
    chances = []
    for course in courses:
        _, stack, _ = kernel_stack(Bernoulli(), load, list(course))
        chances.append(math.exp(stack["log_mixture"]))
    assert math.fsum(chances) == pytest.approx(1.0, abs=1e-12)


def test_the_level_gives_away_less_than_its_sum() -> None:
    chances = [math.exp(-beta_at(t)) for t in range(3, 2000)]
    expected = [1 / (t * math.log(t) ** 2) for t in range(3, 2000)]
    assert chances == pytest.approx(expected, rel=1e-12)
    assert beta_at(1) == beta_at(2) == beta_at(3)


# -- certificates ---------------------------------------------------------------------------------

Region = tuple[int, int, tuple[int, ...]]  # lo, hi, capacities
REGIONS: list[Region] = [
    (low, high, capacities)
    for low, high in ((0, 0), (0, 1), (1, 1), (1, 2), (2, 3))
    for capacities in ((1,), (2,), (1, 2), (2, 3))
]


LOADS = np.array([2, 2, 0])


def team_of(first: Region, last: Region, outside: Region) -> State:
    """Two plays on the first arm, two on the last, none on the third; four plays."""
    arms = np.zeros(3, dtype=ARM)
    for arm, (low, high, capacities) in zip(arms, (first, last, outside), strict=True):
        arm["lo"], arm["hi"] = low, high
        arm["fewest"], arm["most"] = min(capacities), max(capacities)
    order = np.arange(3)
    stacks = np.zeros((3, 4), dtype=STACK)
    now, rests = np.zeros(1, dtype=NOW), np.zeros((3, 4, 0))
    return State(arms, stacks, rests, order, order, order, now, 4, Model(0, 0.0))


@pytest.mark.parametrize("last", REGIONS, ids=str)
def test_a_certificate_and_an_open_arm_are_what_they_are_defined_as(last: Region) -> None:
    for first, outside in product(REGIONS, repeat=2):
        team = team_of(first, last, outside)
        sure = first[2] == (2,) and first[0] > last[1] and min(last[2]) >= 2
        assert certified(team, LOADS, 2) == (sure and outside[1] < last[0])
        may_hold_more, reaches = max(first[2]) > 2, outside[1] >= last[0]
        assert first_open(team, LOADS, 2) == (0 if may_hold_more else 2 if reaches else -1)


# -- what its proof says of it ------------------------------------------------------------------


def test_a_shorter_run_is_the_beginning_of_a_longer_one() -> None:
    assert find("certify").told == "law"  # and no horizon
    grid = np.array([7, 50, 200])
    for instance in SMALL:
        long = run_many(instance, "certify", 300, grid, 2, 0, 2)
        short = run_many(instance, "certify", 200, grid, 2, 0, 2)
        for field in ("regret", "reward", "optimal"):
            assert np.array_equal(getattr(long, field), getattr(short, field))


@pytest.mark.parametrize("instance", SMALL, ids=LAW_NAMES)
def test_what_it_certifies_is_the_best_action_and_soon_it_does(instance: Instance) -> None:
    horizon = 1500 if instance.reward.name == "beta" else 5000
    record = run_many(instance, "certify", horizon, np.array([horizon // 2, horizon]), 1, 0, 5)
    exploitation, repetition = record.regret[:, 0], record.regret[:, 2]
    assert np.all(exploitation == 0.0)
    assert np.all(repetition[:, 1] <= 10 * float(instance.largest_regret))
    late = np.diff(record.optimal, axis=1)[:, 0]
    assert np.all(late >= 0.98 * (horizon - horizon // 2))


def test_forced_plays_follow_the_ticks_and_cost_what_they_cost() -> None:
    instance = SMALL[1]
    record = run_many(instance, "certify", 3, np.array([1, 2, 3]), 1, 0, 1)
    united = sorted(float(instance.regret(action)) for action in ((2, 0, 0), (0, 2, 0), (0, 0, 2)))
    assert sorted(np.diff(record.regret[0, 1], prepend=0.0)) == pytest.approx(united)


def test_with_one_play_no_capacity_is_explored() -> None:
    instance = Instance(["0.2", "0.9", "0.6"], [3, 1, 2], 1, Gaussian(Fraction(1, 10)))
    record = run_many(instance, "certify", 2000, np.array([2000]), 4, 0, 5)
    assert np.all(record.regret[:, 4] == 0.0)
    assert np.all(record.upper == 1)
