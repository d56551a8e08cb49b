"""`law-free`: its kernel against its twin, what its proof says of it, and where it might fail."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.arena import Arena, assert_same, kernel_record
from twins.instances import LAWS, small_instances
from twins.law_free import LawFree

from simulation.policies import find
from simulation.rewards.laws import Bernoulli, Beta, Gaussian, RewardLaw
from simulation.running.runs import run_many
from simulation.world.instance import Instance

PAPER = Instance.load("paper")


def with_law(instance: Instance, law: RewardLaw) -> Instance:
    return Instance(instance.means, instance.capacities, instance.plays, law, law.name)


SMOOTH = with_law(PAPER, Beta(Fraction(4)))
SHARP = with_law(PAPER, Beta(Fraction(50)))  # no large values: averages alone tell capacities


# -- kernel and twin


def compare(instance: Instance, horizon: int, seed: int) -> None:
    twin = LawFree(Arena(instance, horizon, seed))
    twin.run()
    record = kernel_record(twin.arena, "law-free")
    assert_same(twin.arena, record, "law-free")
    assert record.learned[0].tolist() == twin.learned
    for k in range(instance.arms):
        b, closed = twin.capacity(k, twin.level(horizon))
        assert (record.lower[0, k], record.upper[0, k]) == (b, b if closed else instance.plays)


@given(
    instance=small_instances(),
    horizon=st.sampled_from([1, 2, 3, 60, 200]),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=50, deadline=None, derandomize=True)
def test_the_kernel_does_slot_by_slot_what_its_twin_does(
    instance: Instance, horizon: int, seed: int
) -> None:
    compare(instance, horizon, seed)


@pytest.mark.parametrize(
    "instance",
    [*map(Instance.load, ("paper", "paper-gaussian", "5g-4g")), SMOOTH, SHARP],
    ids=lambda instance: instance.name,
)
def test_a_longer_run_follows_its_twin(instance: Instance) -> None:
    compare(instance, 400, 3)


ALWAYS = replace(find("law-free"), name="law-free-always", stands=None)
STANDING = [Bernoulli(), Beta(Fraction(1, 2)), Beta(Fraction(4)), Gaussian(Fraction(1, 4))]


def always_the_same(instance: Instance, horizon: int, runs: int) -> None:
    slots = np.arange(1, horizon + 1)
    one, other = (
        run_many(instance, policy, horizon, slots, 8, 0, runs) for policy in ("law-free", ALWAYS)
    )
    for name, values in one._asdict().items():
        assert np.array_equal(values, getattr(other, name)), name


@pytest.mark.parametrize("law", STANDING, ids=lambda law: f"{law.name} {float(law.parameter):g}")
def test_an_action_that_stands_is_what_it_would_decide(law: RewardLaw) -> None:
    chance = np.random.default_rng(3)
    for _ in range(25):
        plays = int(chance.integers(2, 6))
        arms = plays + int(chance.integers(1, 4))
        means = [str(mean) for mean in np.round(chance.choice([0.3, 0.5, 0.85], arms), 2)]
        if chance.random() < 0.5:
            means = [str(mean) for mean in np.round(chance.uniform(0.1, 0.95, arms), 2)]
        capacities = chance.integers(1, plays + 1, arms).tolist()
        always_the_same(Instance(means, capacities, plays, law), 2_000, 4)


@pytest.mark.parametrize("name", ["paper", "paper-gaussian", "5g-4g"])
def test_so_it_is_for_long(name: str) -> None:
    always_the_same(Instance.load(name), 20_000, 2)


# -- what its proof says of it


def test_a_shorter_run_is_the_beginning_of_a_longer_one() -> None:
    assert find("law-free").told == "scale"  # and no horizon
    grid = np.array([7, 50, 300])
    for instance in (PAPER, Instance.load("paper-gaussian"), SHARP):
        long = run_many(instance, "law-free", 1000, grid, 2, 0, 3)
        short = run_many(instance, "law-free", 300, grid, 2, 0, 3)
        for field in ("regret", "reward", "optimal"):
            assert np.array_equal(getattr(long, field), getattr(short, field))


@pytest.mark.parametrize("instance", [PAPER, SMOOTH, SHARP], ids=lambda i: i.name)
def test_what_it_proves_of_capacities_is_true(instance: Instance) -> None:
    record = run_many(instance, "law-free", 20_000, np.array([20_000]), 5, 0, 20)
    assert np.all(record.lower <= instance.capacities)
    assert np.all(record.upper >= instance.capacities)
    assert np.all(record.learned[:, :2] > 0)


def test_with_one_play_no_capacity_is_explored() -> None:
    instance = Instance([0.2, 0.9, 0.6], [3, 1, 2], 1, Beta(Fraction(1, 2)))
    record = run_many(instance, "law-free", 3000, np.array([3000]), 4, 0, 10)
    assert np.all(record.regret[:, 2] == 0.0)
    assert np.all(record.upper == 1)
    assert np.all(record.learned == 1)


# -- what it is good for, and where it might fail


@pytest.mark.parametrize(
    ("instance", "share"),
    [(PAPER, 0.12), (SMOOTH, 0.1), (Instance.load("paper-gaussian"), 0.5)],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_it_loses_a_fraction_of_what_orch_explore_loses(instance: Instance, share: float) -> None:
    # shares seen: 0.09, 0.08 and 0.39, with standard errors of 5 percent of them
    last = np.array([30_000])
    ours, theirs = (
        run_many(instance, policy, 30_000, last, 1, 0, 12).regret.sum(axis=1)
        for policy in ("law-free", "orch-explore")
    )
    assert ours.mean() <= share * theirs.mean()


HARD = {
    "all plays on one arm": ([0.9, *(0.5 - i / 100 for i in range(8))], [8] * 9, 8),
    "small means": ([0.42 - i / 20 for i in range(9)], [8] * 9, 8),
    "equal means": ([0.5] * 6, [1, 2, 1, 3, 1, 1], 5),
    "last arm overfull": ([0.8, 0.5, 0.3, 0.2, 0.1], [1, 2, 2, 1, 1], 4),
}
EXTREME = Instance(["1", "0.5", "0", "0"], [2, 2, 2, 1], 3, Bernoulli(), "means of 0 and 1")


@pytest.mark.parametrize(
    "law", [*LAWS, Beta(Fraction(50))], ids=lambda law: f"{law.name} {float(law.parameter):g}"
)
@pytest.mark.parametrize("case", HARD)
def test_no_run_gets_stuck_where_learning_is_hard(case: str, law: RewardLaw) -> None:
    means, capacities, plays = HARD[case]
    instance = Instance([str(round(mean, 3)) for mean in means], capacities, plays, law)
    assert worst_lost_late(instance) <= 0.03


def test_means_at_the_ends_of_the_range_are_learnt() -> None:
    assert worst_lost_late(EXTREME) <= 0.002


def worst_lost_late(instance: Instance) -> float:
    """The share of f(a*) that the worst of some runs loses in the second half of its slots."""
    record = run_many(instance, "law-free", 20_000, np.array([10_000, 20_000]), 1, 0, 10)
    late = np.diff(record.regret.sum(axis=1), axis=1)[:, 0] / 10_000
    return float(late.max() / float(instance.optimal_reward))
