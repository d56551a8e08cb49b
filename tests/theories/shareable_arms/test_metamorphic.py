"""Relations between numbers of the catalogue that hold whatever the formulas are."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from boundcheck import bounds, catalogue
from boundcheck.calculator.bounds import Bound
from boundcheck.search.extreme import extreme_instances
from boundcheck.search.strategies import confidences, horizons, instances, one_action
from boundcheck.theories.shareable_arms.question import Question
from simulation import Beta, Gaussian, Instance
from simulation.numbers import exact

QUICK = [name for name in catalogue() if name != "sharp-4.1-test"]
THRESHOLDED = ("thm-4.1b", "thm-5.3b", "sharp-5.3b")


def value(bound: Bound) -> Fraction:
    assert bound.value is not None
    return exact(bound.value)


def single(instance: Instance, claim: str, **question: Any) -> Fraction:
    """The number of a claim that is one in all."""
    (bound,) = bounds(instance, Question(**question), [claim])
    return value(bound)


def of_arm(instance: Instance, claim: str, arm: int = 1, **question: Any) -> Fraction:
    """The first quantity of a claim for one arm."""
    return next(value(b) for b in bounds(instance, Question(**question), [claim]) if b.arm == arm)


def same(a: Fraction, b: Fraction, digits: int = 26) -> bool:
    return abs(a - b) <= max(abs(a), abs(b)) * Fraction(1, 10**digits)


# -- arms are just numbered --------------------------------------------------------------


@settings(max_examples=8)
@given(instance=instances(distinct=True, largest=5), data=st.data())
def test_renaming_arms_permutes_rows_and_leaves_totals(instance, data):
    order = data.draw(st.permutations(range(instance.arms)))
    renamed = instance.with_(
        means=[instance.means[k] for k in order], capacities=[instance.capacities[k] for k in order]
    )
    was_arm = {new + 1: old + 1 for new, old in enumerate(order)}

    def numbers(found: list[Bound], arm_of: Any) -> dict[Any, Any]:
        return {
            (b.claim, b.quantity, arm_of(b.arm)): (
                (b.value, b.lower, b.upper, b.terms, b.informative, b.applies, b.epsilon),
                sorted((c.name, arm_of(c.arm) or 0, c.holds, c.lhs, c.rhs) for c in b.assumptions),
            )
            for b in found
        }

    before = numbers(bounds(instance, Question(), QUICK), lambda arm: arm)
    after = numbers(bounds(renamed, Question(), QUICK), lambda arm: arm and was_arm[arm])
    assert after == before


@settings(max_examples=20)
@given(instance=instances(largest=5) | extreme_instances())
def test_rows_come_in_the_users_order(instance):
    for claim in ("thm-5.3a", "lem-C.3", "lem-E.2"):
        arms = [b.arm for b in bounds(instance, Question(), [claim])]
        assert arms == sorted(arms)


# -- scaling -----------------------------------------------------------------------------

factors = st.sampled_from([Fraction(1, 10), Fraction(1, 3), Fraction(7, 2), Fraction(1000)])
gaussians = instances(laws=("gaussian",), distinct=True, largest=5).filter(
    lambda i: min(i.means) > 0
)


def scaled(instance: Instance, factor: Fraction) -> Instance:
    """Rewards in another unit: means and standard deviation times the factor."""
    return instance.with_(
        means=[factor * mean for mean in instance.means],
        reward=Gaussian(factor**2 * instance.reward.variance),
    )


@settings(max_examples=25)
@given(instance=gaussians, factor=factors)
def test_the_unit_of_a_gaussian_reward_does_not_matter(instance, factor):
    other = scaled(instance, factor)
    for claim in ("thm-4.1a", "rem-4.2", "sharp-4.1", "lem-C.3"):
        pairs = zip(*(bounds(i, Question(), [claim]) for i in (instance, other)), strict=True)
        assert all(same(value(a), value(b)) for a, b in pairs)
    for claim in ("thm-4.3", "sharp-4.3"):
        (before,), (after,) = (bounds(i, Question(), [claim]) for i in (instance, other))
        for (_, x), (_, y) in zip(before.terms, after.terms, strict=True):
            assert same(factor * exact(x), exact(y))


@settings(max_examples=25)
@given(instance=gaussians, factor=factors)
def test_the_interval_knows_no_variance_so_sizes_fall_with_the_square_of_the_mean(instance, factor):
    other = instance.with_(means=[factor * mean for mean in instance.means])
    for claim in ("thm-5.3a", "cor-J.3", "lem-E.6"):
        pairs = zip(*(bounds(i, Question(), [claim]) for i in (instance, other)), strict=True)
        assert all(same(value(a), factor**2 * value(b)) for a, b in pairs)


@settings(max_examples=25)
@given(instance=gaussians, factor=st.integers(2, 9))
def test_variance_scales_the_lower_bounds_linearly(instance, factor):
    noisier = instance.with_(reward=Gaussian(factor * instance.reward.variance))
    for claim in ("thm-4.1a", "thm-4.3", "lem-C.3"):
        pairs = zip(*(bounds(i, Question(), [claim]) for i in (instance, noisier)), strict=True)
        assert all(same(factor * value(a), value(b)) for a, b in pairs)


@settings(max_examples=25)
@given(instance=instances(largest=5, distinct=True), power=st.integers(2, 5))
def test_squaring_the_horizon_doubles_what_is_linear_in_log_t(instance, power):
    assume(min(instance.means) > 0)
    first, second = (
        bounds(instance, Question(horizon=10**p), ["thm-H.1", "thm-7.1"]) for p in (6, 6 * power)
    )
    for before, after in zip(first, second, strict=True):
        terms = dict(before.terms), dict(after.terms)
        for name in ("capacities", "capacities of filled arms", "last arm"):
            if name in terms[0]:
                assert same(power * exact(terms[0][name]), exact(terms[1][name]))


# -- limits ------------------------------------------------------------------------------


def test_learning_a_large_capacity_takes_a_number_that_grows_like_its_square():
    def arm(m: int) -> Instance:
        return Instance([1, 0], [m, 1], 1, Gaussian(Fraction(1, 4)))

    for claim in ("thm-4.1a", "thm-5.3a", "sharp-4.1"):
        sizes = [of_arm(arm(m), claim, delta="0.01") for m in (10**6, 2 * 10**6)]
        assert float(sizes[1] / sizes[0]) == pytest.approx(4, rel=1e-5)
    # for large m: D -> (1 + mu^2/(2 sigma^2))/m^2, F(1 + 2/m)/2 being about 1/m^2
    ratio = of_arm(arm(10**6), "thm-4.1a", delta="0.01") / of_arm(
        arm(10**6), "sharp-4.1", delta="0.01"
    )
    assert float(ratio) == pytest.approx(3 / 4, rel=1e-5)


def test_a_vanishing_mean_makes_capacities_unlearnable_by_the_mean_alone():
    def arm(mean: Fraction) -> Instance:
        return Instance([mean, 0], [2, 1], 1, Gaussian(Fraction(1, 4)))

    tiny = arm(Fraction(1, 10**100))
    assert of_arm(tiny, "thm-4.1a") > 10**190
    assert of_arm(tiny, "sharp-5.3a") > 10**190
    # the variance still tells: F(9/4)/2 at capacities 2 and 3
    with_no_mean = of_arm(arm(Fraction(0)), "sharp-4.1")
    assert same(of_arm(tiny, "sharp-4.1"), with_no_mean)
    assert float(with_no_mean) == pytest.approx(1.6094379124341003 / 0.12768733044, rel=1e-9)


def test_an_arm_with_mean_zero_is_never_learnt():
    arm = Instance([Fraction(1, 2), 0], [1, 1], 1)
    found = {b.claim: b for b in bounds(arm, Question(), ["thm-5.3a", "sharp-5.3a"]) if b.arm == 2}
    for bound in found.values():
        assert bound.value == float("inf")
        assert not bound.applies


def test_lower_bounds_vanish_at_an_error_of_one_quarter_and_one_half():
    arm = Instance([1, 0], [1, 1], 1, Gaussian(Fraction(1, 10)))
    assert of_arm(arm, "thm-4.1a", delta="0.25") == 0
    assert of_arm(arm, "thm-4.1a", delta="0.3") < 0
    fixed, expected = (b for b in bounds(arm, Question(delta="1/2"), ["sharp-4.1"]) if b.arm == 1)
    assert value(fixed) < 0
    assert value(expected) == 0


@given(delta=confidences(), instance=gaussians)
@settings(max_examples=25)
def test_a_smaller_error_asks_for_more(delta, instance):
    for claim in ("thm-4.1a", "thm-5.3a", "sharp-5.3a", "cor-J.3"):
        pairs = zip(
            *(bounds(instance, Question(delta=x), [claim]) for x in (delta, delta / 10)),
            strict=True,
        )
        assert all(value(a) <= value(b) for a, b in pairs if a.quantity != "closed form")


def test_theorem_7_1_per_log_t_tends_to_its_corollary():
    paper = Instance.load("paper")
    limit = single(paper, "cor-7.2")
    log_t = Fraction(100000) * exact("2.302585092994045684017991454684")
    far = {"horizon": "10^100000", "epsilon": "0.000001"}
    published = single(paper, "thm-7.1", **far)
    # what is left of the constant and of log log T: 13 K^2 N^2 / epsilon^2 over log T
    constant = 13 * 81 * 49 * (4 + Fraction(10**12))
    assert abs((published - constant) / log_t / limit - 1) < Fraction(1, 1000)
    # and the first term alone approaches as epsilon shrinks
    first = [
        exact(bounds(paper, Question(horizon="10^100000", epsilon=e), ["thm-7.1"])[0].terms[0][1])
        for e in ("0.01", "0.001", "0.000001")
    ]
    aim = exact(bounds(paper, Question(), ["cor-7.2"])[0].terms[0][1])
    off = [abs(term / log_t / aim - 1) for term in first]
    assert off[0] > off[1] > off[2]
    assert off[2] < Fraction(1, 1000)


# -- a hopeless arm ----------------------------------------------------------------------


@settings(max_examples=20)
@given(instance=instances(laws=("gaussian",), distinct=True, largest=4))
def test_a_hopeless_arm_adds_one_summand_and_changes_nothing_else(instance):
    assume(min(instance.means) > Fraction(1, 1000))
    hopeless = min(instance.means) / 2
    larger = instance.with_(means=[*instance.means, hopeless], capacities=[*instance.capacities, 1])
    for claim in ("thm-4.3", "sharp-4.3", "cor-7.2"):
        (before,), (after,) = (bounds(i, Question(), [claim]) for i in (instance, larger))
        terms = [
            (exact(x), exact(y)) for (_, x), (_, y) in zip(before.terms, after.terms, strict=True)
        ]
        gap = sorted(instance.means)[-instance.L] - hopeless
        # (mu_L - mu)/kl(mu, mu_L) = 2 sigma^2/(mu_L - mu)
        assert same(terms[0][0] + 2 * instance.reward.variance / gap, terms[0][1])
        assert all(same(x, y) for x, y in terms[1:])
    for claim in ("thm-4.1a", "thm-5.3a", "sharp-5.3a", "lem-C.3"):
        before = {(b.quantity, b.arm): b.value for b in bounds(instance, Question(), [claim])}
        after = {(b.quantity, b.arm): b.value for b in bounds(larger, Question(), [claim])}
        assert before.items() <= after.items()


# -- the world ---------------------------------------------------------------------------


def actions(arms: int, plays: int) -> Any:
    if arms == 1:
        yield (plays,)
        return
    for first in range(plays + 1):
        for rest in actions(arms - 1, plays - first):
            yield (first, *rest)


small = instances(largest=5) | extreme_instances()


@settings(max_examples=60)
@given(instance=small)
def test_the_optimal_action_is_the_best_of_all(instance):
    best = max(instance.expected_reward(a) for a in actions(instance.arms, instance.plays))
    assert instance.expected_reward(instance.optimal_action) == best == instance.optimal_reward
    assert sum(instance.optimal_action) == instance.plays
    assert sum(1 for load in instance.optimal_action if load) == instance.L
    assert instance.optimal_action[instance.last_arm] == instance.remaining_plays


@settings(max_examples=60)
@given(instance=small)
def test_the_gap_identity_holds_for_every_action(instance):
    ranked = sorted(range(instance.arms), key=lambda k: -instance.means[k])
    mu = [instance.means[k] for k in ranked]
    m = [instance.capacities[k] for k in ranked]
    last = instance.L - 1
    for action in actions(instance.arms, instance.plays):
        load = [action[k] for k in ranked]
        lost = Fraction(0)
        for k, a in enumerate(load):
            idle, surplus = max(m[k] - a, 0), max(a - m[k], 0)
            if k < last:
                lost += idle * (mu[k] - mu[last])
            elif k > last:
                lost += min(a, m[k]) * (mu[last] - mu[k])
            lost += surplus * mu[last]
        assert instance.regret(action) == lost


@settings(max_examples=40)
@given(data=st.data(), instance=small)
def test_no_action_beats_the_optimal_one(data, instance):
    assert instance.regret(data.draw(one_action(instance))) >= 0


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_equal_means_leave_every_order_optimal(order):
    means, capacities = [Fraction(1, 2)] * 2 + [Fraction(1, 4)], [1, 2, 1]
    instance = Instance([means[k] for k in order], [capacities[k] for k in order], 2)
    assert instance.optimal_reward == 1


# -- results that restate each other -----------------------------------------------------


@settings(max_examples=20)
@given(instance=instances(distinct=True, largest=5), delta=confidences(), horizon=horizons())
def test_results_that_restate_another_agree_with_it(instance, delta, horizon):
    asked = Question(delta=delta, horizon=horizon)

    def rows(claim: str, question: Question = asked) -> list[str | None]:
        return [b.value for b in bounds(instance, question, [claim])]

    assert rows("rem-4.2") == rows("thm-4.1a")
    assert rows("cor-7.2") == [bounds(instance, asked, ["rem-8.1"])[0].value]
    (whole,), (known,) = (bounds(instance, asked, [c]) for c in ("thm-G.1", "thm-G.5"))
    assert known.terms == whole.terms[:2]
    if horizon > 2:
        at_horizon = rows("thm-5.3a", Question(delta=2 / horizon, horizon=horizon))
        for restated, original in zip(rows("lem-E.6"), at_horizon, strict=True):
            assert restated == original or same(exact(restated), exact(original))
    for half, full in zip(rows("cor-J.3"), rows("thm-5.3a"), strict=True):
        assert half == full == float("inf") or same(2 * exact(half), exact(full))
    law = instance.reward.name
    (published,), (sharp,) = (bounds(instance, asked, [c]) for c in ("thm-4.3", "sharp-4.3"))
    if law == "beta":
        # a coin of bias X turns the two Beta laws into Bernoulli ones: it cannot tell more
        assert exact(sharp.terms[0][1]) < exact(published.terms[0][1])
    else:
        assert published.terms[0] == sharp.terms[0]
    assert law != "bernoulli" or sharp.terms[1][1] == 0


@settings(max_examples=4)
@given(
    instance=instances(laws=("beta",), distinct=True, largest=4), concentration=st.integers(1, 50)
)
def test_how_peaked_a_beta_law_is_enters_its_own_divergences_alone(instance, concentration):
    assume(instance.reward.parameter != concentration)
    other = instance.with_(reward=Beta(Fraction(concentration)))
    before, after = (bounds(i, Question(), QUICK) for i in (instance, other))
    changed = {x.claim for x, y in zip(before, after, strict=True) if x.value != y.value}
    ours = {"sharp-4.3", "sharp-4.3-law-free", "sharp-law-free"}
    assert {"sharp-4.3", "lem-C.3"} <= changed <= ours | {"lem-C.3"}


@settings(max_examples=20)
@given(instance=instances(largest=5, distinct=True))
def test_a_threshold_equal_to_the_default_gives_the_same_row_for_the_last_arm(instance):
    given_threshold = Question(threshold=instance.remaining_plays)
    last = instance.last_arm + 1
    for claim in THRESHOLDED:
        default = bounds(instance, Question(), [claim])
        asked = [b for b in bounds(instance, given_threshold, [claim]) if b.arm == last]
        assert [b.value for b in default] == [b.value for b in asked]
        assert {b.arm for b in default} == {last}


@settings(max_examples=20)
@given(instance=instances(largest=5))
def test_seeing_that_a_capacity_reaches_itself_costs_what_learning_it_does(instance):
    # d = m: (m - d + 1) = 1, so 4.1b and 5.3b are 4.1a and 5.3a
    for arm, capacity in enumerate(instance.capacities, 1):
        asked = Question(threshold=capacity)
        for part, whole in (("thm-4.1b", "thm-4.1a"), ("thm-5.3b", "thm-5.3a")):
            pair = [
                next(b.value for b in bounds(instance, asked, [claim]) if b.arm == arm)
                for claim in (part, whole)
            ]
            assert pair[0] == pair[1]
