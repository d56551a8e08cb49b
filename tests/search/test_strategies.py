"""The strategies reach the places they promise, and what they draw is legal and readable."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from boundcheck import bounds
from boundcheck.search import strategies as draw
from boundcheck.search.degenerate import DEGENERATE
from boundcheck.search.extreme import admitted_instances, extreme_instances
from boundcheck.search.hunt import example_of_seed
from boundcheck.search.strategies import as_file, instances
from boundcheck.theories.shareable_arms.outside import outside
from simulation.world.instance import Instance

SEARCH = settings(
    max_examples=3000,
    phases=(Phase.generate,),
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@given(instances())
@settings(max_examples=100)
def test_what_fails_can_be_saved_and_read_back(instance: Instance) -> None:
    assert Instance.from_toml(as_file(instance)) == instance


@given(instances(laws=draw.BY_ARM))
@settings(max_examples=40)
def test_laws_by_arm_can_be_saved_and_have_bounds_where_no_law_is_named(instance: Instance) -> None:
    again = Instance.from_toml(as_file(instance))
    assert again == instance
    assert {instance, again} == {instance}
    found = {
        bound.claim: bound.value for bound in bounds(instance, claims=["sharp-4.3", "lem-E.2"])
    }
    assert found["sharp-4.3"] is None
    assert found["lem-E.2"] is not None


@given(instances(distinct=True, laws=("gaussian",), largest_variance=Fraction(1, 4)))
@settings(max_examples=60)
def test_the_options_are_kept(instance: Instance) -> None:
    assert not instance.equal_means
    assert instance.reward.name == "gaussian"
    assert instance.reward.parameter <= Fraction(1, 4)


PLACES: dict[str, Callable[[Instance], bool]] = {
    "a tie": lambda i: bool(i.equal_means),
    "capacity 1 beside capacity N": lambda i: i.plays > 2 and {1, i.plays} <= set(i.capacities),
    "one optimal arm": lambda i: i.L == 1 and i.plays > 1,
    "one play left": lambda i: i.L > 1 and i.remaining_plays == 1 < i.capacities[i.last_arm],
    "last arm exactly full": lambda i: 1 < i.remaining_plays == i.capacities[i.last_arm],
    "two arms, one play": lambda i: (i.arms, i.plays) == (2, 1),
    "K = N + 1 > 3": lambda i: i.arms == i.plays + 1 > 3,
    "a mean of 1": lambda i: 1 in i.means,
    "a mean of 0": lambda i: 0 in i.means,
    "a mean far above 1": lambda i: max(i.means) > 1000,
    "a tiny variance": lambda i: (i.reward.variance or 1) < Fraction(1, 1000),
    "beta": lambda i: i.reward.name == "beta",
}


@pytest.mark.parametrize("place", PLACES)
def test_the_places_where_theories_break_are_reached(place: str) -> None:
    assert PLACES[place](find(instances(), PLACES[place], settings=SEARCH))


def smallest_gap(instance: Instance) -> Fraction:
    """Between neighbours that differ."""
    means = sorted(set(instance.means))
    return min((b - a for a, b in pairwise(means)), default=Fraction(1))


CORNERS: dict[str, Callable[[Instance], bool]] = {
    "K near 40": lambda i: i.arms >= 36,
    "N = 1 of many": lambda i: i.plays == 1 and i.arms > 10,
    "N = K - 1 of many": lambda i: i.plays == i.arms - 1 > 10,
    "N between": lambda i: 1 < i.plays < i.arms - 1,
    "a capacity N beside one above": lambda i: (
        i.plays in i.capacities and any(i.plays < m < 2**31 - 1 for m in i.capacities)
    ),
    "the largest capacity": lambda i: 2**31 - 1 in i.capacities,
    "a tie": lambda i: bool(i.equal_means),
    "no gap below 1e-1": lambda i: smallest_gap(i) >= Fraction(1, 10),
    "a gap near 1e-40": lambda i: smallest_gap(i) <= Fraction(1, 10**36),
    "the same far from 0 and 1": lambda i: (
        min(i.means) > Fraction(1, 100)
        and max(i.means) < Fraction(99, 100)
        and smallest_gap(i) <= Fraction(1, 10**30)
    ),
    "a tiny mean": lambda i: 0 < min(i.means) <= Fraction(1, 10**30),
    "a huge mean": lambda i: max(i.means) >= 10**30,
    "a negative mean": lambda i: min(i.means) < 0,
    "a mean of 0": lambda i: 0 in i.means,
    "a mean of 1": lambda i: 1 in i.means,
    "a mean next to 1": lambda i: 0 < 1 - max(i.means) <= Fraction(1, 10**30),
    "no finite decimal": lambda i: any(10**99 % mean.denominator for mean in i.means),
    **{f"law {law}": (lambda i, law=law: i.reward.name == law) for law in draw.LAWS},
    "tiny variance": lambda i: i.reward.name == "gaussian" and i.reward.parameter < 1e-9,
    "huge variance": lambda i: i.reward.name == "gaussian" and i.reward.parameter > 1e9,
    "tiny concentration": lambda i: i.reward.name == "beta" and i.reward.parameter < 1e-9,
    "huge concentration": lambda i: i.reward.name == "beta" and i.reward.parameter > 1e9,
    "a parameter of 1/3": lambda i: i.reward.parameter == Fraction(1, 3),
    "round means, ordinary law": lambda i: (
        i.arms > 10 and all(mean.denominator <= 100 for mean in i.means) and not outside(i)
    ),
}


@pytest.mark.parametrize("corner", CORNERS)
def test_every_corner_of_the_model_is_drawn(corner: str) -> None:
    assert any(map(CORNERS[corner], admitted()))


@cache
def admitted() -> list[Instance]:
    """As many as a fuzz of the commands draws."""
    return [example_of_seed(admitted_instances(), number) for number in range(300)]


@given(admitted_instances())
@settings(max_examples=60)
def test_whatever_is_admitted_can_be_saved_and_read_back(instance: Instance) -> None:
    assert instance.arms <= 40
    assert Instance.from_toml(as_file(instance)) == instance


def test_failing_instances_shrink_to_few_arms_and_round_numbers() -> None:
    found = find(
        instances(laws=("gaussian",), distinct=True, largest=4),
        lambda i: max(i.means) > 3,
        settings=settings(SEARCH, phases=(Phase.generate, Phase.shrink)),
    )
    assert found.arms == 2
    assert all(mean.denominator == 1 for mean in found.means)


@given(st.data())
@settings(max_examples=60)
def test_loads_are_actions(data: st.DataObject) -> None:
    instance = data.draw(instances())
    action = data.draw(draw.one_action(instance))
    assert instance.regret(action) >= 0


@given(
    draw.confidences(Fraction(1, 1000)),
    draw.exploration_counts(500),
    draw.horizons(),
    draw.one_arm(plays=5),
)
@settings(max_examples=60)
def test_parameters_stay_in_their_ranges(
    delta: Fraction, count: int, horizon: Fraction, arm: tuple[Fraction, int]
) -> None:
    assert 0 < delta <= Fraction(1, 1000)
    assert 1 <= count <= 500
    assert horizon >= 2
    assert 1 <= arm[1] <= 5


def test_horizons_reach_beyond_floats_and_next_to_e() -> None:
    assert find(draw.horizons(), lambda T: T > 10**308, settings=SEARCH) > 10**308
    assert find(draw.horizons(), lambda T: 2 < T < 3, settings=SEARCH) < 3


@given(extreme_instances())
@settings(max_examples=30)
def test_degenerate_instances_survive_the_calculator(instance: Instance) -> None:
    from boundcheck import bounds, check
    from boundcheck.calculator.question import Question

    assert bounds(instance, Question(digits=6), ["thm-7.1", "sharp-4.3", "thm-5.3a", "thm-G.3"])
    assert check(instance, Question(digits=6))


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_instances_are_what_their_names_say(name: str) -> None:
    instance = DEGENERATE[name]
    facts: dict[str, Callable[[Instance], bool]] = {
        "two-arms-one-play": lambda i: (i.arms, i.plays) == (2, 1),
        "all-means-equal": lambda i: len(set(i.means)) == 1,
        "tie-at-the-last-optimal-arm": lambda i: i.means[i.last_arm] == i.means[i.order[i.L]],
        "means-at-zero-and-one": lambda i: {0, 1} <= set(i.means),
        "last-optimal-mean-zero": lambda i: i.means[i.last_arm] == 0,
        "all-capacities-one": lambda i: set(i.capacities) == {1},
        "all-capacities-full": lambda i: set(i.capacities) == {i.plays},
        "one-optimal-arm": lambda i: i.L == 1,
        "one-play-left": lambda i: i.remaining_plays == 1 < i.capacities[i.last_arm],
        "last-arm-exactly-full": lambda i: 1 < i.remaining_plays == i.capacities[i.last_arm],
        "no-spare-arm": lambda i: i.arms == i.plays + 1,
        "means-far-above-one": lambda i: min(i.means) > 1000,
        "means-almost-equal": lambda i: 0 < i.gap(1, 3) < Fraction(1, 10**8),
        "tiny-means": lambda i: max(i.means) < Fraction(1, 10**8),
        "tiny-variance": lambda i: i.reward.parameter < Fraction(1, 10**8),
        "variance-above-the-model": lambda i: i.reward.parameter > Fraction(1, 2),
        "capacity-above-plays": lambda i: max(i.capacities) > i.plays,
        "negative-suboptimal-mean": lambda i: min(i.means) < 0,
        "peaked-beta": lambda i: i.reward.parameter > 1000,
        "two-valued-beta": lambda i: i.reward.parameter < 1,
    }
    assert instance.name == name
    assert facts[name](instance)
