"""Implicit learners: kernels against their twins, all allocations, and the refusal of too many."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.arena import Arena, assert_same, kernel_record
from twins.implicit import UCB1, Implicit, SuccessiveElimination, Thompson
from twins.instances import small_instances

from simulation.errors import InputError
from simulation.learning.allocations import LIMIT, allocations, spread_of_total
from simulation.running.runs import run_many
from simulation.world.instance import Instance

TWINS = {"ucb-implicit": UCB1, "ts-implicit": Thompson, "se-implicit": SuccessiveElimination}


def compare(policy: str, twin: Implicit, options: dict[str, object]) -> None:
    twin.run()
    record = kernel_record(twin.arena, policy, options)
    assert_same(twin.arena, record, policy)
    assert not record.lower.any()
    assert not record.upper.any()
    assert not record.learned.any()


@pytest.mark.parametrize("policy", TWINS)
@given(
    instance=small_instances(arms=4),
    horizon=st.sampled_from([1, 2, 30, 400]),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=40, deadline=None, derandomize=True)
def test_the_kernel_does_slot_by_slot_what_its_twin_does(
    policy: str, instance: Instance, horizon: int, seed: int
) -> None:
    compare(policy, TWINS[policy](Arena(instance, horizon, seed)), {})


@given(small_instances(arms=4), st.integers(0, 10**6), st.sampled_from([0.02, 0.1, 0.3]))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_elimination_follows_its_twin_down_to_few_actions(
    instance: Instance, seed: int, gamma: float
) -> None:
    twin = SuccessiveElimination(Arena(instance, 900, seed))
    twin.gamma = gamma
    compare("se-implicit", twin, {"gamma": gamma})


@given(st.integers(2, 7), st.data())
@settings(max_examples=30, deadline=None, derandomize=True)
def test_every_allocation_is_there_once(arms: int, data: st.DataObject) -> None:
    plays = data.draw(st.integers(1, arms - 1))
    rows = allocations(Instance([0.5] * arms, [1] * arms, plays))
    assert len({tuple(np.bincount(row, minlength=arms)) for row in rows}) == len(rows)
    assert rows.shape == (comb(arms + plays - 1, plays), plays)


def test_the_spread_of_a_total_is_the_number_of_plays_for_laws_on_the_unit_interval() -> None:
    assert spread_of_total(Instance.load("paper")) == 7.0
    assert spread_of_total(Instance.load("paper-gaussian")) == pytest.approx(7 * 2**0.5)


@pytest.mark.parametrize("policy", TWINS)
def test_too_many_allocations_are_refused_in_one_line(policy: str) -> None:
    with pytest.raises(InputError) as error:
        run_many(Instance.load("5g-4g"), policy, 10, np.array([10]), 1, 0, 1)
    assert str(error.value) == (
        "5g-4g: allocations: 17672631900 ways to place 18 plays on 20 arms: "
        f"expected at most {LIMIT} for a policy that learns each of them"
    )


def test_implicit_learning_is_hopeless_on_the_paper_instance() -> None:
    # 6435 actions: after 30,000 slots none of them has found much
    paper, last = Instance.load("paper"), np.array([30_000])
    orch, ucb, se = (
        run_many(paper, policy, 30_000, last, 1, 0, 1).regret.sum()
        for policy in ("orch-explore", "ucb-implicit", "se-implicit")
    )
    assert ucb > 3 * orch
    assert se > 3 * orch


def test_implicit_learners_find_the_best_of_a_few_actions() -> None:
    instance = Instance([0.9, 0.2, 0.1], [1, 1, 1], 2)
    for policy in TWINS:
        options = {"gamma": 0.2} if policy == "se-implicit" else {}
        record = run_many(instance, policy, 20_000, np.array([20_000]), 1, 0, 1, options)
        uniform = 20_000 / 6
        assert record.optimal.min() > 2 * uniform
