"""MP-SE-SA, MP-SE and MP-SE-SA-KC: one kernel against three twins, and what they promise."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.arena import Arena, assert_same, kernel_record
from twins.elimination import MPSE, MPSESA, MPSESAKC, Elimination
from twins.instances import small_instances
from twins.procedures import Options

from simulation.errors import InputError
from simulation.rewards.laws import Gaussian
from simulation.running.runs import Record, run_many
from simulation.world.instance import Instance

# a small gamma and a large xi, so that arms are eliminated and capacities learnt in a few slots
TUNING = {
    "gamma": st.sampled_from([0.05, 0.2, 1.0]),
    "reading": st.sampled_from(["resolved", "resolved", "literal"]),
}
LEARNING = {
    "xi": st.sampled_from([1.0, 30.0, 1000.0]),
    "interval": st.sampled_from(["uniform", "hoeffding", "joint"]),
    "width": st.sampled_from(["paper", "scaled"]),
}
HORIZONS = st.sampled_from([1, 2, 5, 60, 61, 600])


def compared(policy: str, twin: Elimination, options: dict[str, Any]) -> Record:
    twin.run()
    record = kernel_record(twin.arena, policy, options)
    assert_same(twin.arena, record, policy)
    assert record.lower[0].tolist() == twin.lower
    assert record.upper[0].tolist() == twin.upper
    assert record.learned[0].tolist() == twin.learned
    standing = [
        twin.arena.K - sum(last < slot for last in twin.eliminated.values())
        for slot in range(1, twin.arena.horizon + 1)
    ]
    assert record.candidates[0].tolist() == standing
    return record


@given(small_instances(), HORIZONS, st.integers(0, 10**6), st.builds(Options, **TUNING, **LEARNING))
@settings(max_examples=120, deadline=None, derandomize=True)
def test_mp_se_sa_does_slot_by_slot_what_its_twin_does(
    instance: Instance, horizon: int, seed: int, options: Options
) -> None:
    compared("mp-se-sa", MPSESA(Arena(instance, horizon, seed), options), asdict(options))


@given(small_instances(), HORIZONS, st.integers(0, 10**6), st.builds(Options, **TUNING))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_mp_se_and_se_kc_do_slot_by_slot_what_their_twins_do(
    instance: Instance, horizon: int, seed: int, options: Options
) -> None:
    chosen = {"gamma": options.gamma, "reading": options.reading}
    compared("mp-se", MPSE(Arena(instance, horizon, seed), options), chosen)
    compared("se-kc", MPSESAKC(Arena(instance, horizon, seed), options), chosen)


@pytest.mark.parametrize("name", ["paper", "paper-gaussian"])
def test_a_long_run_passes_through_all_phases_with_its_twin(name: str) -> None:
    options = Options(gamma=0.2, xi=1000.0)
    twin = MPSESA(Arena(Instance.load(name), 6000, 2), options)
    record = compared("mp-se-sa", twin, asdict(options))
    assert np.all(record.regret[0, :, -1] > 0)
    assert len(twin.eliminated) >= 2
    assert any(twin.learned)


def test_a_capacity_taken_for_too_large_is_played_as_its_twin_plays_it() -> None:
    # the published width is far too narrow for this variance, so m^l soon passes some m
    instance = Instance([0.9, 0.7, 0.5, 0.4], [1, 1, 1, 1], 3, Gaussian(Fraction(4)))
    options = Options(gamma=0.2, xi=1000.0)
    wrong = 0
    for seed in range(8):
        twin = MPSESA(Arena(instance, 800, seed), options)
        compared("mp-se-sa", twin, asdict(options))
        wrong += sum(m > 1 for m in twin.lower)
    assert wrong > 0


def test_the_hfd_policy_is_the_hoeffding_interval() -> None:
    arena = Arena(Instance.load("paper"), 2000, 1)
    record = kernel_record(arena, "mp-se-sa-hfd", {"gamma": 0.1})
    same = kernel_record(arena, "mp-se-sa", {"gamma": 0.1, "interval": "hoeffding"})
    other = kernel_record(arena, "mp-se-sa", {"gamma": 0.1})
    assert np.array_equal(record.reward, same.reward)
    assert not np.array_equal(record.upper, other.upper)


@given(small_instances(), st.integers(0, 10**6))
@settings(max_examples=20, deadline=None, derandomize=True)
def test_unit_capacities_make_mp_se_and_se_kc_the_same(instance: Instance, seed: int) -> None:
    unit = instance.with_(capacities=[1] * instance.arms)
    arena = Arena(unit, 300, seed)
    for one, other in zip(
        kernel_record(arena, "mp-se"), kernel_record(arena, "se-kc"), strict=True
    ):
        assert np.array_equal(one, other)


@given(small_instances(), st.integers(0, 10**6))
@settings(max_examples=20, deadline=None, derandomize=True)
def test_with_one_play_nothing_is_left_to_learn_about_capacities(
    instance: Instance, seed: int
) -> None:
    arena = Arena(instance.with_(plays=1), 300, seed)
    unknown = kernel_record(arena, "mp-se-sa", {"gamma": 0.2})
    known = kernel_record(arena, "se-kc", {"gamma": 0.2})
    for one, other in zip(unknown, known, strict=True):
        assert np.array_equal(one, other)


def test_wasted_plays_cost_mp_se_half_a_slot_each_round() -> None:
    # K = N + 1: two slots a round, N / 2 plays left over in each
    means = [0.9 - 0.001 * k for k in range(21)]
    instance = Instance(means, [1] * 21, 20)
    last = np.array([2000])
    resolved, literal = (
        run_many(instance, "mp-se", 2000, last, 1, 0, 2, {"reading": reading}).regret.sum()
        for reading in ("resolved", "literal")
    )
    assert resolved < 2 * 2000 * 0.9  # no more than one arm is ever exchanged
    assert literal > 2 * 2000 * 9 * 0.88


def test_known_capacities_are_worth_much_on_the_paper_instance() -> None:
    paper, last = Instance.load("paper"), np.array([30_000])
    known, unknown = (
        run_many(paper, policy, 30_000, last, 1, 0, 4).regret[:, :, -1].sum(axis=1).mean()
        for policy in ("se-kc", "mp-se-sa")
    )
    assert known < unknown / 3


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("gamma", 0, "options: gamma: 0: expected a finite number above 0"),
        ("gamma", "nan", "options: gamma: nan: expected a finite number above 0"),
        ("xi", -1.0, "options: xi: -1.0: expected a finite number above 0"),
        ("xi", "1e400", "options: xi: 1e400: expected a finite number above 0"),
        ("reading", "free", "options: reading: free: expected one of resolved, literal"),
        ("interval", "wald", "options: interval: wald: expected one of uniform, hoeffding, joint"),
        ("delta", 0.1, "mp-se-sa: delta: unknown option: expected one of"),
    ],
)
def test_a_bad_option_is_one_line(option: str, value: object, expected: str) -> None:
    with pytest.raises(InputError) as error:
        run_many(Instance.load("paper"), "mp-se-sa", 5, np.array([5]), 1, 0, 1, {option: value})
    assert str(error.value).startswith(expected)
