"""Counting lemmas: enclosures against plain sums, enumeration, and planted mistakes."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom, norm
from small_runs import PAPER, TEXTBOOK, found, scaled_bounds, small_run

from boundcheck.checks import events, orders
from boundcheck.checks.events import (
    bad_estimates,
    bad_slots,
    bad_slots_in_all,
    deliberate_explorations,
    low_index_counts,
    low_index_slots,
    low_indices,
    printed_parts,
)
from boundcheck.checks.orders import exceptional, inclusion, random_cases, small_cases
from boundcheck.evidence import Verdict
from boundcheck.lab import Effort
from simulation.instance import Instance
from simulation.rewards import Beta, Gaussian

NOISY = Instance([3, 2, 1], [1, 1, 1], 1, Gaussian("8"), "noisy")
FAR = Instance([30, 20, 10], [1, 1, 1], 1, Gaussian("0.25"), "far")
TWO_ARMS = Instance(["0.9", "0.1"], [1, 1], 1, name="two-arms")
WIDE = Instance(["0.9", "0.5", "0.1"], [1, 1, 1], 1, name="wide")
EQUAL = Instance(["0.5", "0.5", "0.1"], [1, 1, 1], 1, name="equal")


# -- E.1


@pytest.mark.parametrize("variance", ["0.01", "0.25", "0.5", "3"])
def test_gaussian_enclosure_holds_the_sum_of_tails(variance: str) -> None:
    instance, epsilon = NOISY.with_(reward=Gaussian(variance)), Fraction(1, 10)
    n = np.arange(1, 40_000)
    total = 2 * norm.sf(0.1 * np.sqrt(n / float(variance))).sum()
    least, most = bad_slots(instance, epsilon)
    assert least <= total <= most - 1  # the slot before the first play is the last 1
    assert most - least <= 2


def test_bernoulli_limit_is_above_the_exact_sums() -> None:
    _, most = bad_slots(PAPER, Fraction(1, 10))
    (finding,) = found(bad_estimates, "lem-E.1", small_run(PAPER))
    epsilon = float(finding.evidence["epsilon"])
    exact = events._binomial_sums(PAPER, epsilon)
    assert max(exact) < float(bad_slots(PAPER, Fraction(finding.evidence["epsilon"]))[1])
    n = np.arange(1, 5_000)
    tails = binom.cdf(np.floor(n * 0.4), n, 0.5) + binom.sf(np.ceil(n * 0.6) - 1, n, 0.5)
    half = Instance(["0.5", "0.1"], [1, 1], 1)
    assert events._binomial_sums(half, 0.1)[0] == pytest.approx(1 + tails.sum(), rel=1e-6)
    assert float(most) > 1 + tails.sum()


def test_bad_estimates_hold_up_to_variance_one_half_and_fail_far_above() -> None:
    for reward in (Gaussian("0.25"), Gaussian("0.5")):
        (finding,) = found(bad_estimates, "lem-E.1", small_run(NOISY.with_(reward=reward)))
        assert finding.verdict is Verdict.HOLDS
    for instance in (PAPER, EQUAL, EQUAL.with_(reward=Beta("4"))):
        (finding,) = found(bad_estimates, "lem-E.1", small_run(instance))
        assert finding.verdict is Verdict.HOLDS
    (finding,) = found(bad_estimates, "lem-E.1", small_run(NOISY))
    assert finding.verdict is Verdict.REFUTED  # 8/eps^2 - 1 slots, 2/eps^2 + 4 claimed


# -- E.2


def test_certified_index_sum_is_that_of_plain_floats_and_shrinks_with_the_horizon() -> None:
    total = 2.0
    for t in range(3, 501):
        level = math.log(t) + 4 * math.log(math.log(t))
        total += min(1.0, math.e * math.ceil(level * math.log(t)) * math.exp(-level))
    u = math.log(500)
    total += math.e * (1 / u + (2 * math.log(u) + 1) / u**2 + 1 / (3 * u**3))
    assert float(low_index_slots(500)) == pytest.approx(total, rel=1e-9)
    later = [float(low_index_slots(horizon)) for horizon in (50, 500, 2_000)]
    assert later == sorted(later, reverse=True)


@pytest.mark.parametrize("reward", [None, Gaussian("0.5"), Beta("4")])
def test_no_rule_sees_more_low_indices_than_the_count_over_all_rules(reward: object) -> None:
    run = small_run(WIDE if reward is None else WIDE.with_(reward=reward))
    always, any_rule = low_index_counts(run)
    assert (always <= any_rule).all()
    assert any_rule.mean() < float(low_index_slots(2_000))


def test_low_indices_of_a_run_are_those_of_a_plain_loop() -> None:
    from simulation.draws import stream

    run = small_run(PAPER, Effort("", 10, 200, 1_000))
    always, any_rule = low_index_counts(run)
    index = int(np.argmax(any_rule - always))
    assert any_rule[index] > always[index]
    mean, gen = 0.7, stream(0, index)
    hits = (gen.random(events.SIMULATED_SLOTS) < mean).tolist()
    successes, count, worst_count, worst = 0, 0, 0, 0.0
    for t in range(2, 1_000):
        n = t - 1
        successes += hits[n - 1]
        p, cost = successes / n, 0.0
        if p < mean:
            for a, b in ((p, mean), (1 - p, 1 - mean)):
                cost += n * a * math.log(a / b) if a > 0 else 0.0
        worst = max(worst, cost)
        level = math.log(t) + 4 * math.log(math.log(t)) if t > 2 else 0.0
        count += cost > level
        worst_count += worst > level
    assert (count, worst_count) == (always[index], any_rule[index])  # all of them come early


def test_low_index_lemma_holds_and_a_bound_below_the_certified_one_does_not_follow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (finding,) = found(low_indices, "lem-E.2", small_run(TEXTBOOK))
    assert finding.verdict is Verdict.HOLDS
    assert finding.evidence["certified"] < 8
    monkeypatch.setattr(events, "PRINTED_INDEX_BOUND", 15)
    (finding,) = found(low_indices, "lem-E.2", small_run(TEXTBOOK))
    assert finding.verdict is Verdict.INCONCLUSIVE
    monkeypatch.setattr(events, "PRINTED_INDEX_BOUND", 0.01)
    (finding,) = found(low_indices, "lem-E.2", small_run(TEXTBOOK))
    assert finding.verdict is Verdict.REFUTED


def test_low_index_lemma_needs_its_variance() -> None:
    (finding,) = found(low_indices, "lem-E.2", small_run(NOISY))
    assert finding.verdict is Verdict.NOT_APPLICABLE


# -- E.3


def test_every_case_of_two_and_three_arms_is_covered_and_none_is_an_exception() -> None:
    cases, exceptions = small_cases()
    assert cases > 20_000
    assert exceptions == 0


def test_exceptions_appear_when_epsilon_exceeds_half_the_gap() -> None:
    means = np.array([1.0, 0.0])
    # arm 1 looks worse than arm 2, both within 0.6 of their means
    concerned, wrong = exceptional(
        means, 0.6, np.array([1, 1]), 1, np.array([[0.45, 0.55]]), np.array([0, 1])
    )
    assert concerned.tolist() == [True]
    assert wrong.tolist() == [True]
    concerned, wrong = exceptional(
        means, 0.4, np.array([1, 1]), 1, np.array([[0.3, 0.35]]), np.array([0, 1])
    )
    assert concerned.tolist() == [True]
    assert wrong.tolist() == [False]


def test_loads_fill_arms_in_the_order_given() -> None:
    order = np.array([[2, 0, 1], [1, 2, 0]])
    assert orders._action(order, np.array([2, 3, 2]), 3).tolist() == [[1, 0, 2], [0, 3, 0]]


def test_inclusion_is_checked_on_the_instance_and_needs_distinct_means() -> None:
    small, own = found(inclusion, "lem-E.3", small_run(PAPER))
    assert small.verdict is Verdict.HOLDS
    assert own.verdict is Verdict.CONSISTENT
    assert 0 < own.evidence["detectable"] < 0.1
    assert random_cases(PAPER, 2_000, seed=3)[0] > 50
    assert found(inclusion, "lem-E.3", small_run(EQUAL))[1].verdict is Verdict.NOT_APPLICABLE


# -- E.4 and E.5


def test_printed_parts_fit_except_for_two_arms_and_one_play() -> None:
    for arms in range(2, 8):
        for plays in range(1, arms):
            for inverse_square in (Fraction(5), Fraction(400)):
                parts, total = printed_parts(arms, plays, inverse_square)
                assert (sum(parts) <= total) == ((arms, plays) != (2, 1))


def test_arithmetic_of_bad_slots_is_refuted_for_two_arms_and_holds_for_others() -> None:
    assert found(bad_slots_in_all, "lem-E.4", small_run(TWO_ARMS))[0].verdict is Verdict.REFUTED
    holds, counted = found(bad_slots_in_all, "lem-E.4", small_run(FAR))
    assert holds.verdict is Verdict.HOLDS
    assert counted.verdict is Verdict.CONSISTENT  # 12 * 9 * (4 + 1/25) of 2000 slots
    assert counted.evidence["surely_bad_slots"] < counted.evidence["detectable"]
    assert found(bad_slots_in_all, "lem-E.4", small_run(PAPER))[1].verdict is Verdict.VACUOUS
    (equal,) = found(bad_slots_in_all, "lem-E.4", small_run(EQUAL))
    assert equal.verdict is Verdict.NOT_APPLICABLE


def test_deliberate_explorations_stay_below_their_bound_and_a_false_one_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (finding,) = found(deliberate_explorations, "lem-E.5", small_run(TEXTBOOK))
    assert finding.verdict is Verdict.CONSISTENT
    assert finding.evidence["mean"] < finding.evidence["detectable"]
    scaled_bounds(monkeypatch, 1e-4)
    (finding,) = found(deliberate_explorations, "lem-E.5", small_run(TEXTBOOK))
    assert finding.verdict is Verdict.INCONCLUSIVE
    assert "bad slots would decide" in finding.explanation
