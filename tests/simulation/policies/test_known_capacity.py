"""KL-UCB and Thompson sampling with known capacities: kernels against their twins, and the root."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.arena import Arena, assert_same, kernel_record
from twins.instances import small_instances
from twins.known_capacity import KLUCB, Thompson

from simulation.learning.kl_index import upper_index
from simulation.policies import find
from simulation.policies.kl_ucb_kc import index_slope
from simulation.running.runs import run_many
from simulation.world.compiled import World
from simulation.world.instance import Instance

TWINS = {"kl-ucb-kc": KLUCB, "ts-kc": Thompson}


def compare(policy: str, instance: Instance, horizon: int, seed: int) -> None:
    twin = TWINS[policy](Arena(instance, horizon, seed))
    twin.run()
    record = kernel_record(twin.arena, policy)
    assert_same(twin.arena, record, policy)
    assert record.lower[0].tolist() == World.of(instance).capacities.tolist()
    assert record.upper[0].tolist() == record.lower[0].tolist()
    assert not record.learned.any()


@pytest.mark.parametrize("policy", TWINS)
@given(
    instance=small_instances(),
    horizon=st.sampled_from([1, 2, 3, 60, 250]),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_the_kernel_does_slot_by_slot_what_its_twin_does(
    policy: str, instance: Instance, horizon: int, seed: int
) -> None:
    compare(policy, instance, horizon, seed)


@pytest.mark.parametrize("policy", TWINS)
@pytest.mark.parametrize("name", ["paper", "paper-gaussian", "5g-4g"])
def test_a_long_run_follows_its_twin(policy: str, name: str) -> None:
    compare(policy, Instance.load(name), 1500, 3)


# -- the index


def exact_index(p: float, spend: float) -> float:
    """The root of kl(p, q) = spend above p, by bisection with 40 digits."""
    with mpmath.workdps(40):
        mean, low, high = mpmath.mpf(p), mpmath.mpf(p), mpmath.mpf(1)
        for _ in range(60):
            q = (low + high) / 2
            success = mean * mpmath.log(mean / q) if p > 0 else mpmath.mpf(0)
            failure = (1 - mean) * mpmath.log((1 - mean) / (1 - q))
            low, high = (q, high) if success + failure <= spend else (low, q)
        return float(low)


ESTIMATES = st.one_of(st.integers(0, 12).map(lambda i: i / 12), st.floats(1e-12, 0.999999))


@given(muhat=ESTIMATES, count=st.integers(1, 10**7), level=st.floats(0.01, 60.0))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_the_index_is_the_root_to_thirteen_digits(muhat: float, count: int, level: float) -> None:
    index = upper_index(muhat, count, level, 0, 0.0)
    expected = exact_index(muhat, level / count) if muhat < 1 else 1.0
    assert index == pytest.approx(expected, abs=1e-13)


@given(
    muhat=ESTIMATES,
    count=st.integers(1, 10**5),
    level=st.floats(0.01, 60.0),
    more=st.floats(0.0, 5.0),
    law=st.sampled_from([0, 1, 2]),
)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_the_index_stays_below_its_tangent_in_the_level(
    muhat: float, count: int, level: float, more: float, law: int
) -> None:
    index = upper_index(muhat, count, level, law, 0.5)
    later = upper_index(muhat, count, level + more, law, 0.5)
    slope = index_slope(muhat, count, index, law, 0.5)
    assert index <= later + 1e-13
    assert later <= index + slope * more + 1e-13


def test_an_arm_never_seen_comes_first() -> None:
    for law in (0, 1, 2):
        assert upper_index(0.0, 0, 1.0, law, 0.5) == np.inf


# -- what they are good for


def test_known_capacity_policies_learn_the_optimal_action_of_the_paper_instance() -> None:
    # at T = 20,000 both play it in well over nine slots of ten; elimination has hardly begun
    last = np.array([20_000])
    for policy in TWINS:
        record = run_many(Instance.load("paper"), policy, 20_000, last, 1, 0, 4)
        assert record.optimal.min() > 18_000
        assert find(policy).phases == ("play",)
