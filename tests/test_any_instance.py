"""Instances at the edges of what the model admits: every check ends, in bounded time and memory."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from fractions import Fraction

import pytest
from small_runs import found, small_run

from boundcheck.calculator import check
from boundcheck.checks.events import MOST_TAILS, bad_estimates
from boundcheck.checks.lower import exact_constant
from boundcheck.checks.orders import inclusion
from boundcheck.claims import find
from boundcheck.conditions import Condition
from boundcheck.evidence import Verdict
from boundcheck.present import human
from boundcheck.report.writing import quantity
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
