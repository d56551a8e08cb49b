"""What the optimal action makes of an instance, however many arms it has."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boundcheck.calculator.question import Question
from boundcheck.calculator.setting import exact_setting
from boundcheck.theories import default
from boundcheck.theories.shareable_arms import symbols as s
from simulation import Instance


def others_needed(capacities: Sequence[int], plays: int, arm: int) -> int:
    """The least number of other arms with room for all plays, by trying; K if there are none."""
    others = [m for k, m in enumerate(capacities) if k != arm]
    sizes = range(1, len(others) + 1)
    enough = (n for n in sizes for some in combinations(others, n) if sum(some) >= plays)
    return next(enough, len(capacities))


@settings(max_examples=60)
@given(st.lists(st.integers(1, 9), min_size=2, max_size=7), st.data())
def test_an_arm_waits_as_long_as_the_others_have_room_without_it(capacities, data):
    arms = len(capacities)
    plays = data.draw(st.integers(1, arms - 1))
    means = [Fraction(arms - k, arms + 1) for k in range(arms)]
    found = exact_setting(Instance(means, capacities, plays), Question(), default().derive)
    for arm, wait in enumerate(found.values[s.wait][0]):
        assert wait == 2 * max(1, arms - others_needed(capacities, plays, arm))


@pytest.mark.parametrize("plays", [1000, 1001])  # with 1001 one play is left over for arm L
def test_thousands_of_arms_are_not_compared_in_pairs(plays: int) -> None:
    arms = 3000
    means = [Fraction(arms - k, arms + 1) for k in range(arms)]
    instance = Instance(means, [2] * arms, plays)
    started = process_time()
    found = exact_setting(instance, Question(), default().derive)
    assert process_time() - started < 6  # 25 s by pairs, and minutes with one play left over
    assert found.values[s.mbar].item() == (1 if plays % 2 else 2)
