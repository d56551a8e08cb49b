"""ETC-UCB: the kernel against its twin, and what the two phases do."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.arena import Arena, assert_same, kernel_record
from twins.etc_ucb import ETCUCB
from twins.instances import small_instances
from twins.procedures import Options

from simulation.errors import InputError
from simulation.rewards.laws import Beta
from simulation.running.runs import Record, run_many
from simulation.world.instance import Instance

# a large xi, so that the UCB phase is reached in a few slots
OPTIONS = st.builds(
    Options,
    xi=st.sampled_from([1.0, 30.0, 1000.0]),
    interval=st.sampled_from(["uniform", "hoeffding", "joint"]),
    width=st.sampled_from(["paper", "scaled"]),
    reading=st.sampled_from(["resolved", "resolved", "literal"]),
)


def settled(options: Options) -> dict[str, Any]:
    return {name: value for name, value in asdict(options).items() if name != "gamma"}


def compared(twin: ETCUCB) -> Record:
    twin.run()
    record = kernel_record(twin.arena, "etc-ucb", settled(twin.options))
    assert_same(twin.arena, record, "etc-ucb")
    assert record.lower[0].tolist() == twin.lower
    assert record.upper[0].tolist() == twin.upper
    assert record.learned[0].tolist() == twin.learned
    return record


@given(small_instances(), st.sampled_from([1, 2, 5, 60, 61, 600]), st.integers(0, 10**6), OPTIONS)
@settings(max_examples=120, deadline=None, derandomize=True)
def test_the_kernel_does_slot_by_slot_what_its_twin_does(
    instance: Instance, horizon: int, seed: int, options: Options
) -> None:
    compared(ETCUCB(Arena(instance, horizon, seed), options))


@pytest.mark.parametrize(("law", "horizon"), [(None, 3000), (Beta(4), 3000)])
def test_a_long_run_reaches_the_ucb_phase_with_its_twin(law: Any, horizon: int) -> None:
    instance = Instance([0.9, 0.8, 0.6, 0.5], [2, 1, 2, 1], 2, law)
    twin = ETCUCB(Arena(instance, horizon, 4), Options(xi=100.0))
    record = compared(twin)
    assert np.all(record.regret[0, :, -1] > 0)
    assert np.all(record.learned[0] > 0)
    assert twin.arena.slots[-1].phase == "ucb"


def test_capacities_are_committed_and_bounds_reported_after_the_last_exploration() -> None:
    instance = Instance([0.9, 0.8, 0.6, 0.5], [2, 1, 2, 1], 2)
    twin = ETCUCB(Arena(instance, 3000, 4), Options(xi=100.0))
    record = compared(twin)
    phases = [slot.phase for slot in twin.arena.slots]
    assert record.learned[0].max() == phases.index("ucb")
    assert [twin.committed(k) for k in range(4)] == [2, 1, 2, 1]


def test_the_hfd_policy_is_the_hoeffding_interval() -> None:
    arena = Arena(Instance([0.9, 0.5, 0.4], [2, 1, 1], 2), 4000, 1)
    record = kernel_record(arena, "etc-ucb-hfd")
    same = kernel_record(arena, "etc-ucb", {"interval": "hoeffding"})
    other = kernel_record(arena, "etc-ucb")
    assert np.array_equal(record.reward, same.reward)
    assert not np.array_equal(record.learned, other.learned)


def test_the_policies_of_the_paper_are_in_its_order() -> None:
    # 4 runs each; the means lie many standard errors apart, so the fixed seed decides nothing
    paper, last = Instance.load("paper"), np.array([30_000])
    orch, se, etc = (
        run_many(paper, policy, 30_000, last, 1, 0, 4).regret[:, :, -1].sum(axis=1).mean()
        for policy in ("orch-explore", "mp-se-sa", "etc-ucb")
    )
    assert orch < se / 1.5
    assert se < etc / 3


def test_gamma_is_not_an_option_of_etc_ucb() -> None:
    with pytest.raises(InputError, match=r"^etc-ucb: gamma: unknown option: expected one of xi,"):
        run_many(Instance.load("paper"), "etc-ucb", 5, np.array([5]), 1, 0, 1, {"gamma": 1})
