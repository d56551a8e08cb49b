"""The brute-force Graves-Lai program: what it gives, and that it left no alternative out."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import inf, log

import pytest
from flint import arb
from hypothesis import example, given, settings
from reference import beta_divergence_by_quadrature

from boundcheck import bounds, find
from boundcheck.calculator.numbers import balls
from boundcheck.calculator.question import Question
from boundcheck.judging.default_statements.whole import InstanceCase
from boundcheck.search.strategies import instances
from boundcheck.theories.shareable_arms.exact.alternatives import Alternative
from boundcheck.theories.shareable_arms.exact.beta_law import enclosed_divergence
from boundcheck.theories.shareable_arms.exact.graves_lai import Unsolved, _World, graves_lai
from boundcheck.theories.shareable_arms.setting import derive
from simulation.rewards.laws import Bernoulli, Beta, Gaussian, RewardLaw
from simulation.world.instance import Instance

FOUR = Instance([3, "1.5", "0.7", "0.2"], [1, 2, 3, 1], 3, Gaussian("0.5"))
UNEVEN = Instance(["4", "0.1", "1e-9", 0], [1, 1, 1, 1], 3, Gaussian("0.5"))  # costs apart by 1e10
SURPRISING = Instance([3, 2, 1], [2, 2, 2], 2, Gaussian("0.5"))
FILLED_BETA = Instance(["0.9", "0.6", "0.5", "0.2", "0.1"], [2, 1, 3, 1, 2], 4, Beta("2.5"))


def sharp(instance: Instance) -> arb:
    return InstanceCase(instance).number(find("sharp-4.3"), derive)


@given(instances(largest=5, distinct=True))
@example(FOUR)
@example(SURPRISING)
@example(UNEVEN)
@example(FILLED_BETA)
@settings(max_examples=80)
def test_the_closed_form_of_the_exact_constant_is_the_value_of_the_program(
    instance: Instance,
) -> None:
    found = graves_lai(instance)
    if instance.means[instance.last_arm] == 0:
        assert found is None  # any action without a wasted mean is as good
    else:
        assert found is not None
        assert found.value.overlaps(sharp(instance))
        assert found.width < 1e-9


def divergence(instance: Instance, action: tuple[int, ...], other: Instance) -> float:
    """KL_a(theta, lambda) arm by arm, from the densities."""
    total = 0.0
    for k, load in enumerate(action):
        if load == 0:
            continue
        b, c = min(load, instance.capacities[k]), min(load, other.capacities[k])
        x, y = float(instance.means[k]), float(other.means[k])
        if instance.reward.name == "gaussian":
            variance = float(instance.reward.parameter)
            ratio = b / c
            total += (-2 * log(ratio) + ratio**2 - 1) / 2 + (b * x - c * y) ** 2 / (
                2 * c * c * variance
            )
        elif instance.reward.name == "beta":
            if b > c:
                return inf
            parameter = float(instance.reward.parameter)
            total += beta_divergence_by_quadrature(x, y, b / c, parameter)
        elif b != c and x > 0:
            return inf
        else:
            total += sum(
                p * log(p / q) if p else 0.0 for p, q in ((x, y), (1 - x, 1 - y)) if q or p
            )
    return total


def beta_told(*arguments: Fraction) -> float:
    with balls.precision(192):
        return float(enclosed_divergence(*arguments))


LAWS = {"gaussian": Gaussian("0.3"), "bernoulli": None, "beta": Beta("3")}


@pytest.mark.parametrize("law", LAWS)
def test_every_joint_alternative_that_looks_the_same_is_told_apart(law: str) -> None:
    """Many arms change at once; whether a* is still best is asked of `Instance`, not derived."""
    rng = random.Random(5)
    tried = 0
    for _ in range(8):
        arms = rng.randint(3, 5)
        plays = rng.randint(2, arms - 1)
        means = [Fraction(x, 100) for x in rng.sample(range(5, 96), arms)]
        capacities = [rng.randint(1, plays) for _ in range(arms)]
        theta = Instance(means, capacities, plays, LAWS[law])
        program = graves_lai(theta)
        assert program is not None
        for _ in range(250):
            changed = [
                (mu, rng.randint(load, plays))
                if load
                else (Fraction(rng.randint(1, 99), 100), rng.randint(1, plays))
                for mu, load in zip(means, theta.optimal_action, strict=True)
            ]
            other = theta.with_(means=[mu for mu, _ in changed], capacities=[m for _, m in changed])
            if other.regret(theta.optimal_action) == 0:
                continue
            assert divergence(theta, theta.optimal_action, other) == pytest.approx(0, abs=1e-11)
            told = [float(c) * divergence(theta, a, other) for a, c in program.effort.items()]
            # what one action tells for certain costs nothing: it is tried once in a while
            finite = not any(divergence(theta, a, other) == inf for a in _piled(theta))
            assert sum(told) >= 1 - 1e-8 or not finite
            tried += finite
    assert tried > 50


def test_the_larger_the_supposed_mean_or_capacity_the_easier_a_beta_arm_is_told_apart() -> None:
    """So the program need not search for the hardest mean, nor look beyond capacity m + 1."""
    for served, supposed in ((1, 1), (1, 2), (2, 3), (1, 4)):
        r = Fraction(served, supposed)
        told = [beta_told(Fraction(3, 10), Fraction(x, 20), r, Fraction(3)) for x in range(7, 20)]
        assert told == sorted(told)
    mean = Fraction(3, 5)
    told = [beta_told(mean, mean, Fraction(2, m), Fraction(3)) for m in (2, 3, 4, 9)]
    assert told == sorted(told)


@pytest.mark.parametrize("c", ["0.5", "1", "7"])
def test_the_divergences_the_program_uses_are_those_of_the_beta_densities(c: str) -> None:
    for p, q, r in product(("0.2", "0.7"), ("0.2", "0.9"), ("1", "1/2", "3/4")):
        found = beta_told(Fraction(p), Fraction(q), Fraction(r), Fraction(c))
        truth = beta_divergence_by_quadrature(*(float(Fraction(x)) for x in (p, q, r, c)))
        assert found == pytest.approx(truth, rel=1e-9, abs=1e-11)


def _piled(theta: Instance) -> list[tuple[int, ...]]:
    """All plays on one arm: the loads at which capacities show the most."""
    return [
        tuple(theta.plays if j == k else 0 for j in range(theta.arms)) for k in range(theta.arms)
    ]


def every_action(theta: Instance) -> Iterator[tuple[int, ...]]:
    for placed in combinations_with_replacement(range(theta.arms), theta.plays):
        yield tuple(placed.count(arm) for arm in range(theta.arms))


@pytest.mark.parametrize("theta", [FOUR, FILLED_BETA, Instance.load("paper")])
def test_the_two_points_satisfy_every_constraint_and_cost_what_is_said(theta: Instance) -> None:
    """All actions, listed: 6,435 for `paper`, none of its arms left out."""
    found = graves_lai(theta)
    assert found is not None
    assert found.high == sum(c * theta.regret(a) for a, c in found.effort.items())
    assert found.low == sum(found.weights.values())
    with balls.precision(200):
        world = _World(theta)
        for row in world.first_alternatives:
            assert world.gathered(world.hardest(row, found.effort), found.effort) >= 1
        told = {row: world.told(row) for row in found.weights}
        for action in every_action(theta):
            if action != theta.optimal_action:
                weighed = sum(
                    balls.ball(y) * told[r][action[r.arm]] for r, y in found.weights.items()
                )
                assert weighed <= balls.ball(theta.regret(action))


def test_the_best_of_all_actions_but_one_is_found_arm_by_arm() -> None:
    rng = random.Random(3)
    for _ in range(20):
        gains = [[Fraction(rng.randint(0, 99)) for _ in range(4)] for _ in range(4)]
        value, action = _World(FOUR).best_other(gains)
        sums = {
            a: sum(row[load] for row, load in zip(gains, a, strict=True))
            for a in every_action(FOUR)
            if a != FOUR.optimal_action
        }
        assert value == max(sums.values()) == sums[action]


def test_points_that_are_far_from_feasible_are_no_solution() -> None:
    with balls.precision(200):
        world = _World(FOUR)
        effort, weights = world.settled()
        with pytest.raises(Unsolved, match="effort"):
            world.enclosed({a: c / 2 for a, c in effort.items()}, weights)
        with pytest.raises(Unsolved, match="weights"):
            world.enclosed(effort, {row: 2 * y for row, y in weights.items()})


def test_the_arm_that_takes_the_remaining_plays_needs_no_exploration() -> None:
    """One optimal arm, K = 3, N = 2: the published constant has a term for it, the program none."""
    (published,) = bounds(SURPRISING, Question(digits=17), ["thm-4.3"])
    found = graves_lai(SURPRISING)
    assert found is not None
    assert published.applies
    excess = float(published.value) - float(found.high)
    assert excess == pytest.approx(float(dict(published.terms)["last arm"]), rel=1e-9)


def test_a_mean_above_the_smallest_admissible_one_can_be_the_hardest_alternative() -> None:
    """Were arm 3 (capacity 2) only tried at load 2, capacity 1 with twice its mean is close."""
    theta = Instance([3, 2, "1.9"], [1, 1, 2], 2, Gaussian("0.5"))
    world = _World(theta)
    only = {(0, 0, 2): Fraction(1)}
    start = Alternative(2, Fraction(2), 1)
    hardest = world.hardest(start, only)
    assert hardest.mean == Fraction("3.8")
    assert world.gathered(hardest, only) < world.gathered(start, only)


@pytest.mark.parametrize(
    "instance",
    [
        Instance(range(1, 52), [1] * 51, 20, Gaussian("0.5")),
        Instance(["0.5", "0.4", "0.4"], [1, 1, 1], 2),
        Instance(["0.5", 0, 0], [1, 1, 1], 2),
    ],
    ids=["too many arms and plays", "two best actions", "last arm earns nothing"],
)
def test_none_where_the_program_is_not_defined_or_too_large(instance: Instance) -> None:
    assert graves_lai(instance) is None


@pytest.mark.parametrize("law", [Gaussian("0.5"), Bernoulli()], ids=["gaussian", "bernoulli"])
def test_equal_means_are_no_harm_unless_the_last_arm_shares_its_mean(law: RewardLaw) -> None:
    tied = Instance(["0.9", "0.9", "0.5", "0.3", "0.3"], [1, 1, 1, 2, 1], 3, law)
    found = graves_lai(tied)
    assert found is not None
    assert found.value.overlaps(sharp(tied))
    for shared in (["0.9", "0.5", "0.5", "0.3", "0.2"], ["0.9", "0.7", "0.5", "0.5", "0.2"]):
        (bound,) = bounds(Instance(shared, [1, 1, 1, 2, 1], 3, law), claims=["sharp-4.3"])
        assert not bound.applies
