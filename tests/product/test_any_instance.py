"""Instances at the edges of what the model admits: every check ends, in bounded time and memory."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, combinations_with_replacement, product

import pytest
from decisions import verify
from paper import exact_setting

from boundcheck import bounds, check, find
from boundcheck.calculator.conditions import Condition
from boundcheck.calculator.question import Question
from boundcheck.claims import symbols as s
from boundcheck.judging.effort import Effort
from boundcheck.judging.finding import Verdict
from simulation import Bernoulli, Beta, Gaussian, Instance
from simulation.formatting import human

TINY = Effort("tiny", trials=1_000, runs=10, horizon=1_000)
GAPS = ("1e-3", "2e-4", "1e-10", "1e-20", "1e-40", "1e-200")
LAWS = (Bernoulli(), Gaussian("0.25"), Beta("4"))


def close(gap: str, law: object = None) -> Instance:
    """Two means this far apart."""
    return Instance(["0.5", Fraction(1, 2) - Fraction(gap), "0.3"], [1, 1, 1], 1, law)


# -- close means


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("claim", ["lem-E.1", "lem-E.2", "lem-E.3", "lem-E.4", "lem-E.5"])
def test_counting_takes_no_more_for_closer_means(claim: str, gap: str) -> None:
    tracemalloc.start()
    started = time.process_time()
    finding = verify(close(gap), claim, TINY)["intended"]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert finding.verdict is not Verdict.REFUTED
    assert time.process_time() - started < 20
    assert peak < 200e6


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
@pytest.mark.parametrize("gap", GAPS[2:5])
def test_the_exact_constant_is_the_program_s_however_close_the_means(gap: str, law: object) -> None:
    finding = verify(close(gap, law), "sharp-4.3", TINY)["intended"]
    assert finding.verdict is Verdict.HOLDS
    assert finding.evidence["tolerance"] == 1e-9
    low, high = map(float, finding.evidence["actual"])
    assert low == pytest.approx(high, rel=1e-9)
    assert high == pytest.approx(float(finding.evidence["claimed"]), rel=1e-9)


def test_means_too_close_for_floats_leave_the_exact_constant_to_what_is_seen() -> None:
    finding = verify(close("1e-200"), "sharp-4.3", TINY)["intended"]
    assert finding.verdict is not Verdict.REFUTED
    assert finding.evidence["method"] == "growth seen so far"


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
    assert human("2e+874000000000000000000000000") == "10^(8.74000e+26)"
    assert human("3e-2000000") == "10^-1999999.52"
    assert human("0") == human("0") == "0"


# -- one play


ABOUT_CAPACITIES = (
    *("lem-5.2", "lem-J.2", "thm-5.3a", "thm-5.3b", "lem-E.6", "cor-J.3", "sharp-5.3a"),
    *("sharp-5.3b", "thm-4.1a", "thm-4.1b", "sharp-4.1-test"),
)


@pytest.mark.parametrize("capacities", [[1, 1, 1], [3, 1, 2]], ids=["one", "above"])
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_one_play_leaves_no_capacity_to_learn(law: object, capacities: list[int]) -> None:
    single = Instance(["0.7", "0.5", "0.2"], capacities, 1, law)
    for claim in ABOUT_CAPACITIES:
        found = verify(single, claim, TINY)
        assert not any(name.endswith("elsewhere") for name in found)
        for finding in found.values():
            if finding.applies:  # its assumptions hold, and no case is left
                assert finding.statement == "intended"
                assert finding.verdict is Verdict.UNDECIDED
                assert finding.explanation.startswith("nothing to decide here: no ")
            assert finding.extent.cases == 0, (claim, finding.statement)


def test_a_negative_bound_is_refuted_by_regret_that_is_not() -> None:
    """A capacity above N makes exploring it cost less than nothing, by the formula of G.1."""
    instance = Instance(["0.92", "0.18", "0.12", "0.17", "0.32"], [4, 1, 1, 2, 1], 1)
    beyond = verify(instance, "thm-G.1", TINY)
    refuted = [f for name, f in beyond.items() if name.startswith("without")]
    assert all(f.verdict is Verdict.REFUTED for f in refuted if f.evidence["bound"] < 0)


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
    assert bound.informative is True
