"""Instances at the edges of what the model admits: every check ends, in bounded time and memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, combinations_with_replacement, product

import numpy as np
import pytest
from boundcheck.checks.events import MOST_TAILS, bad_estimates
from boundcheck.checks.lower import exact_constant
from boundcheck.checks.orders import inclusion
from boundcheck.checks.statements import _mean_difference
from small_runs import found, small_run

from boundcheck import symbols as s
from boundcheck.calculator import bounds, check
from boundcheck.checks import registered
from boundcheck.checks.sizes import LARGEST_DRAWN
from boundcheck.claims import find
from boundcheck.conditions import Condition
from boundcheck.evidence import Verdict
from boundcheck.present import human
from boundcheck.question import Question
from boundcheck.report.writing import quantity
from boundcheck.setting import exact_setting
from simulation import Bernoulli, Beta, Gaussian, Instance

GAPS = ("1e-3", "2e-4", "1e-10", "1e-20", "1e-40", "1e-200")
LAWS = (Bernoulli(), Gaussian("0.25"), Beta("4"))


def close(gap: str, law: object = None) -> Instance:
    """Two means this far apart."""
    return Instance(["0.5", Fraction(1, 2) - Fraction(gap), "0.3"], [1, 1, 1], 1, law)


# -- close means


@pytest.mark.parametrize("gap", GAPS)
def test_counting_bad_slots_takes_no_more_for_closer_means(gap: str) -> None:
    tracemalloc.start()
    (finding,) = found(bad_estimates, "lem-E.1", small_run(close(gap)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert finding.verdict is Verdict.HOLDS
    assert "binomial tails" in finding.evidence["exact_sums_left_out"]
    assert peak < 100 * MOST_TAILS  # bytes: a few arrays of that many floats


@pytest.mark.parametrize("gap", GAPS)
def test_random_orders_are_drawn_however_close_the_means(gap: str) -> None:
    _, own = found(inclusion, "lem-E.3", small_run(close(gap)))
    assert own.verdict is Verdict.CONSISTENT
    assert own.evidence["trials"] > 50


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
@pytest.mark.parametrize("gap", GAPS[2:5])
def test_the_exact_constant_is_the_program_s_however_close_the_means(gap: str, law: object) -> None:
    (finding,) = found(exact_constant, "sharp-4.3", small_run(close(gap, law)))
    assert finding.verdict is Verdict.CONSISTENT
    assert finding.evidence["relative_difference"] < 1e-6


def test_means_too_close_for_floats_leave_the_exact_constant_open() -> None:
    (finding,) = found(exact_constant, "sharp-4.3", small_run(close("1e-200")))
    assert finding.verdict is Verdict.INCONCLUSIVE
    assert "means so close are 0 in floats" in finding.explanation


# -- numbers of any size


def test_a_margin_is_a_number_whatever_its_size() -> None:
    """The horizon that E.6 asks for is exp(4.8e7) on this arm, and exp(1e20) on the next."""
    small = Instance(["0.02", *["0.5"] * 16], [14, *[1] * 16], 16, Gaussian("0.1"))
    tiny = Instance(["1e-10", "0.5", "0.6"], [2, 1, 1], 2)
    for instance, least in ((small, 10**6), (tiny, 10**19)):
        rows = [r.condition for r in check(instance, claims=["lem-E.6"])]
        margins = [c.margin for c in rows if c.name == "horizon" and not c.holds]
        exponents = [int(margin.partition("e")[2] or 0) for margin in margins if margin]
        assert max(exponents) > least
        assert all(margin.startswith("-") for margin in margins if margin)


def test_the_margin_of_nearly_equal_sides_keeps_its_digits() -> None:
    (law,) = (a for a in find("lem-E.6").assumptions if a.name == "horizon")
    near = Condition("horizon", None, True, "1.00000000000000000001", "1", law)
    assert near.margin == "1e-20"
    assert replace(near, lhs="inf").margin == "inf"
    assert replace(near, lhs="inf", rhs="inf").margin is None


def test_people_read_exponents_of_any_size() -> None:
    assert human("-1.5e+10416666") == "-10^10416666.18"
    assert human("2e+874000000000000000000000000") == "10^(8.74e+26)"
    assert quantity("3e-2000000") == "10^-1999999.52"
    assert quantity("0") == human("0") == "0"


def test_sizes_beyond_what_can_be_drawn_are_still_certified() -> None:
    """A mean of 1e-20 asks for 1e43 explorations of each kind."""
    faint = Instance(["0.5", "0.4", "1e-20"], [1, 1, 1], 2)
    findings = found(registered()["sharp-5.3a"], "sharp-5.3a", small_run(faint))
    by_algebra = next(f for f in findings if "by algebra" in f.reading)
    assert by_algebra.verdict is Verdict.HOLDS
    simulated = next(f for f in findings if "simulated failures" in f.reading)
    assert simulated.evidence["size"] <= LARGEST_DRAWN


# -- one play


ABOUT_CAPACITIES = ("lem-5.2", "lem-J.2", "thm-5.3a", "thm-5.3b", "lem-E.6", "cor-J.3")
OURS_ABOUT_CAPACITIES = ("sharp-5.3a", "sharp-5.3b", "thm-4.1a", "thm-4.1b", "sharp-4.1-test")


@pytest.mark.parametrize("capacities", [[1, 1, 1], [3, 1, 2]], ids=["one", "above"])
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_one_play_leaves_no_capacity_to_learn(law: object, capacities: list[int]) -> None:
    single = Instance(["0.7", "0.5", "0.2"], capacities, 1, law)
    checks, run = registered(), small_run(single)
    for claim in ABOUT_CAPACITIES + OURS_ABOUT_CAPACITIES:
        findings = found(checks[claim], claim, run)
        assert {f.verdict for f in findings} == {Verdict.NOT_APPLICABLE}, claim
        assert all(f.explanation for f in findings)


def test_one_play_makes_policies_that_learn_capacities_differently_the_same() -> None:
    single = Instance(["0.9", "0.2"], [1, 1], 1)
    findings = found(registered()["rem-8.1"], "rem-8.1", small_run(single))
    alike = [f for f in findings if f.verdict is Verdict.NOT_APPLICABLE]
    assert len(alike) == 4
    assert all("one play" in f.explanation for f in alike)
    for pair in (("orch-explore", "orch-explore-hfd"), ("orch-explore-kc", "orch-explore")):
        one, other = (small_run(single).simulated(policy, runs=5) for policy in pair)
        assert (one.total == other.total).all()


def test_where_nothing_can_be_lost_no_policy_is_better() -> None:
    *_, last = found(registered()["rem-8.1"], "rem-8.1", small_run(Instance([1, 1], [1, 1], 1)))
    assert last.verdict is Verdict.NOT_APPLICABLE
    assert "loses anything" in last.explanation


def test_a_negative_bound_is_refuted_by_regret_that_is_not() -> None:
    """A capacity above N makes exploring it cost less than nothing, by the formula of G.1."""
    instance = Instance(["0.92", "0.18", "0.12", "0.17", "0.32"], [4, 1, 1, 2, 1], 1)
    beyond = found(registered()["thm-G.1"], "thm-G.1", small_run(instance))[1]
    assert beyond.verdict is Verdict.REFUTED
    assert beyond.evidence["bound"] < 0
    assert "never negative" in beyond.explanation


# -- the range of regret


def small_instances() -> Iterator[Instance]:
    """Three or four arms, with as many negative means as the model admits."""
    for arms, plays in ((3, 2), (4, 3)):
        for means in combinations_with_replacement((2, 0, -1, -3), arms):
            for capacities in product((1, 3), repeat=arms):
                served = accumulate(capacities)
                last = next(k for k, room in enumerate(served) if room >= plays)
                if means[last] >= 0:
                    yield Instance(means, capacities, plays, Gaussian("0.25"))


def test_the_largest_regret_is_the_worst_action_s() -> None:
    for instance in small_instances():
        placed = combinations_with_replacement(range(instance.arms), instance.plays)
        losses = [instance.regret([p.count(k) for k in range(instance.arms)]) for p in placed]
        assert instance.largest_regret == max(losses), instance
        values = exact_setting(instance, Question()).values
        assert values[s.largest_regret].item() == max(losses), instance


def test_negative_means_widen_the_range_in_which_a_bound_says_something() -> None:
    """A slot loses up to 1 - (-99): a bound on regret may exceed T f(a*) = T and say something."""
    steep = Instance([1, -99, -98], [1, 1, 1], 1, Gaussian("0.01"))
    assert steep.largest_regret == 100
    (bound,) = bounds(steep, Question(horizon=100), ["thm-G.1"])
    assert bound.value is not None
    assert 100 < float(bound.value) < 10_000
    assert bound.vacuous is False
    limits = _mean_difference(small_run(steep), np.array([500.0, -9_000.0]), 100, 0.5)
    assert limits["surely_above"] < -4_250  # a run may lose 10 000, not only T f(a*) = 100
