"""The likelihood policy: its kernel against its twin, its likelihoods, and where it might fail."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.arena import Arena, assert_same, kernel_record
from twins.instances import small_instances
from twins.likelihood import Likelihood

from simulation.instance import Instance


def compare(instance: Instance, horizon: int, seed: int) -> None:
    twin = Likelihood(Arena(instance, horizon, seed))
    twin.run()
    record = kernel_record(twin.arena, "likelihood")
    assert_same(twin.arena, record, "likelihood")
    level = np.log(horizon) + twin.margin(horizon)
    spans = [twin.span(k, level) for k in range(instance.arms)]
    assert record.lower[0].tolist() == [span[0] for span in spans]
    assert record.upper[0].tolist() == [span[-1] for span in spans]
    assert record.learned[0].tolist() == twin.learned


@given(
    instance=small_instances(),
    horizon=st.sampled_from([1, 2, 3, 60, 200]),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=80, deadline=None, derandomize=True)
def test_the_kernel_does_slot_by_slot_what_its_twin_does(
    instance: Instance, horizon: int, seed: int
) -> None:
    compare(instance, horizon, seed)
