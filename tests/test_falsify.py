"""Falsification: what is found is a counterexample by an independent computation too."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from pathlib import Path

import mpmath
import pytest
from scipy.stats import ncx2

from boundcheck.calculator import bounds, check
from boundcheck.commands.falsify import falsify as command
from boundcheck.commands.falsify import parts
from boundcheck.falsification import Falsification, Kind, falsifiable, falsify
from boundcheck.falsification.regret import _unavoidable
from boundcheck.question import Question
from boundcheck.search.hunt import bisected
from boundcheck.search.simpler import complexity, rounder, rounder_counts, simpler_instances
from boundcheck.strategies import DEGENERATE
from simulation.errors import InputError
from simulation.instance import Instance
from simulation.rewards import Gaussian


@cache
def rows(claim: str, drop: str | None = None, examples: int = 100) -> tuple[Falsification, ...]:
    return tuple(falsify(claim, drop, examples=examples, seconds=60))


def unmet(row: Falsification, **question: object) -> set[str]:
    assert row.instance is not None
    found = check(row.instance, Question(**question), [row.claim])
    arm = row.parameters.get("arm")
    about = [r.condition for r in found if not r.condition.implicit]
    return {c.name for c in about if not c.holds and (arm is None or c.arm in (None, arm))}


# -- two points --------------------------------------------------------------------------


def F(x: mpmath.mpf) -> mpmath.mpf:
    return mpmath.log(x) + 1 / x - 1


def test_sharp_thresholds_of_4_1a_to_twelve_digits_for_each_capacity_and_both_pairs() -> None:
    found = {
        (*row.parameters["pair"], row.parameters["m"]): row.actual
        for row in rows("thm-4.1a", "signal-to-noise", 120)
        if row.kind is Kind.THRESHOLD
    }
    expected = {}
    for m in range(1, 11):
        up = mpmath.mpf(m + 1) / m
        expected[m, m + 1, m] = F(up**2) / (2 - 1 / up**2)
        if m > 1:
            expected[m - 1, m, m] = F((mpmath.mpf(m) / (m - 1)) ** 2)
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        assert abs(mpmath.mpf(found[key]) / value - 1) < mpmath.mpf("1e-13")


def error_after(row: Falsification, n: int) -> float:
    """The minimax error from noncentral chi-square laws, by a plain bisection in floats."""
    a, b = row.parameters["pair"]
    theta2 = float(Fraction(row.parameters["mean"])) ** 2 / float(row.parameters["variance"])
    shift = theta2 * n / (a + b) ** 2
    low, high = 0.0, 1e4 * b * b * (n + shift)
    for _ in range(200):
        x = (low + high) / 2
        above = ncx2.sf(x / a**2, n, shift * a**2)
        low, high = (x, high) if above > ncx2.cdf(x / b**2, n, shift * b**2) else (low, x)
    return float(ncx2.sf(low / a**2, n, shift * a**2))


@pytest.mark.parametrize(
    ("claim", "drop", "place"),
    [
        ("thm-4.1a", "signal-to-noise", 0),
        ("thm-4.1a", "signal-to-noise", 1),
        ("thm-4.1b", None, 0),
        ("thm-4.1b", None, 1),
    ],
)
def test_the_smaller_number_of_explorations_really_suffices(
    claim: str, drop: str | None, place: int
) -> None:
    row = rows(claim, drop, 120 if drop else 400)[place]
    assert row.found
    enough, level = int(row.actual), float(row.parameters["delta"])
    assert enough <= float(row.published)
    assert error_after(row, enough) < level
    if enough > 1:
        assert error_after(row, enough - 1) >= level
    missing = unmet(row, delta=row.parameters["delta"], threshold=row.parameters.get("threshold"))
    assert missing == ({drop} if drop else set())


def test_4_1_holds_under_its_condition_where_the_pair_is_the_right_one() -> None:
    assert not any(row.found for row in rows("thm-4.1a", None, 80))
    assert not rows("thm-4.1b", None, 400)[2].found
    assert "m >= d" in rows("thm-4.1b", None, 400)[2].reading


# -- regret ------------------------------------------------------------------------------


def test_what_the_first_slot_loses_is_the_best_over_actions_averaged_over_labels() -> None:
    instance = Instance([30, 7, 2], [1, 2, 1], 2, Gaussian("0.5"))
    actions = [a for a in product(range(3), repeat=3) if sum(a) == 2]
    best = max(
        Fraction(sum(instance.expected_reward(labels) for labels in permutations(a)), 6)
        for a in actions
    )
    assert _unavoidable(instance) == instance.optimal_reward - best


@pytest.mark.parametrize("claim", ["thm-7.1", "thm-H.1", "thm-G.3"])
def test_regret_bounds_are_false_for_means_far_above_one(claim: str) -> None:
    row = rows(claim)[1 if claim == "thm-G.3" else 0]
    assert row.found
    assert row.instance is not None
    assert max(row.instance.means) > 10
    question = Question(horizon=row.parameters["horizon"])
    (bound,) = bounds(row.instance, question, [claim])
    assert bound.applies
    assert float(bound.upper) < float(_unavoidable(row.instance))


def test_7_1_without_bounded_means_needs_no_other_exception() -> None:
    (row,) = rows("thm-7.1", "means-in-unit-interval")
    assert row.found
    (bound,) = bounds(row.instance, Question(horizon=100), ["thm-7.1"])
    assert {c.name for c in bound.implicit if not c.holds} == {"means-in-unit-interval"}


def test_mp_se_that_wastes_plays_exceeds_g_3_with_bounded_rewards() -> None:
    row = rows("thm-G.3")[0]
    assert row.found
    assert row.instance is not None
    assert row.instance.arms == row.instance.plays + 1
    rounds = row.parameters["rounds before any elimination"]
    log_horizon = mpmath.log(10) * int(row.parameters["horizon"][2:])
    # one round less leaves every arm: 2 sqrt(2 log(T/tau)/tau) > 1 at tau = rounds
    assert 8 * (log_horizon - mpmath.log(rounds)) > rounds
    lost = rounds * float(row.instance.optimal_reward - min(row.instance.means))
    assert lost == pytest.approx(float(row.actual), rel=1e-9)
    assert lost > float(row.published)


def test_comparisons_that_hold_are_left_standing() -> None:
    for claim in ("cor-7.2", "rem-8.1", "thm-G.1"):
        found = [row for row in rows(claim, None, 60) if row.statement == "intended"]
        assert not any(row.found for row in found)


# -- the command -------------------------------------------------------------------------


def test_the_same_seed_finds_the_same_examples() -> None:
    again = falsify("lem-5.2", examples=100, seconds=60)
    assert [row.to_json() for row in again] == [row.to_json() for row in rows("lem-5.2")]


def test_counterexamples_are_saved_as_files_that_the_calculator_reads(tmp_path: Path) -> None:
    searched = command("thm-4.3", examples="150", output=str(tmp_path / "found.toml"))
    assert [Path(row["file"]).name for row in searched.rows] == ["found.toml", "found-2.toml"]
    for row in searched.found:
        loaded = Instance.load(row.file)
        assert loaded == row.instance.with_(name=Path(row.file).stem)
        (bound,) = bounds(loaded, claims=["thm-4.3"])
        assert bound.applies
        if row.statement == "intended":
            assert float(bound.value) == pytest.approx(float(row.published))
    assert len(parts(searched)) > 4


def test_rows_have_the_fields_of_the_envelope() -> None:
    fields = {
        "claim",
        "reading",
        "dropped",
        "found",
        "instance",
        "parameters",
        "published",
        "actual",
    }
    fields |= {"ratio", "examples", "file", "kind", "explanation", "statement"}
    for row in (
        *rows("thm-4.3"),
        *rows("lem-D.1", None, 400),
        *rows("thm-4.1a", "signal-to-noise", 120),
    ):
        shown = row.to_json()
        assert shown.keys() == fields
        if shown["instance"] is not None:
            assert shown["instance"].keys() == {
                "means",
                "capacities",
                "plays",
                "reward",
                "variance",
            }


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"claim": "thm-9.9"}, "id"),
        ({"claim": "lem-E.2"}, "not computable"),
        ({"claim": "thm-4.1a", "drop": "nonsense"}, "signal-to-noise"),
        ({"claim": "lem-D.1", "drop": "nonsense"}, "no --drop"),
        ({"claim": "thm-4.3", "examples": "many"}, "whole number"),
        ({"claim": "thm-4.3", "seconds": "-1"}, "0 or more"),
    ],
)
def test_bad_requests_are_one_line(arguments: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        command(**arguments)
    assert "\n" not in str(caught.value)


def test_claims_that_cannot_be_computed_name_those_that_can() -> None:
    with pytest.raises(InputError) as caught:
        falsify("cor-G.2")
    for claim in falsifiable():
        assert claim in str(caught.value)


@pytest.mark.parametrize("claim", ["thm-4.3", "lem-D.1", "thm-5.3a", "thm-G.3", "thm-4.1b"])
def test_no_time_is_no_traceback(claim: str) -> None:
    assert falsify(claim, examples=50, seconds=0)


# -- simplifying -------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["0.123", "820", "7.5", "1e-30", "0.0404", "1/3", "12345.678"])
def test_rounder_numbers_are_simpler_and_never_the_same(text: str) -> None:
    value = Fraction(text)
    near = list(rounder(value))
    assert near
    assert all(complexity(x) < complexity(value) for x in near)


def test_counts_become_rounder_or_smaller() -> None:
    assert 90_000 in rounder_counts(92_806)
    assert 100_000 in rounder_counts(92_806)
    assert 92_807 not in rounder_counts(92_806)


@pytest.mark.parametrize("name", ["all-capacities-full", "one-play-left", "means-far-above-one"])
def test_simpler_instances_have_no_more_arms_plays_or_capacity(name: str) -> None:
    instance = DEGENERATE[name]
    found = list(simpler_instances(instance))
    assert found
    for simple in found:
        assert simple.arms <= instance.arms
        assert simple.plays <= instance.plays
        assert sum(simple.capacities) <= sum(instance.capacities)


def test_bisection_encloses_the_place_where_a_predicate_turns() -> None:
    low, high = bisected(lambda x: x * x >= 2, Fraction(0), Fraction(4))
    assert low**2 < 2 <= high**2
    assert high - low < Fraction(1, 10**15)


def test_a_file_that_cannot_be_written_is_refused_before_the_search(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere" / "found.toml"):
        with pytest.raises(InputError, match="a writable file"):
            command("thm-4.3", examples="1000000", output=str(path))


HUNTS = """
import sys
from pathlib import Path
from hypothesis import strategies as st
from boundcheck.search.hunt import SearchLimit, hunt

def drawn():
    seen = []
    hunt(st.integers(0, 10**9), lambda n: seen.append(n) or -1.0, bool, SearchLimit(300, 30.0))
    return seen

before = drawn()
sys.path.insert(0, sys.argv[1])
import loaded
assert drawn() == before, "the numbers in the module were drawn"
"""


def test_examples_do_not_depend_on_the_modules_that_are_loaded(tmp_path):
    # a process of its own: here the examples of all tests are already kept from it
    numbers = ", ".join(str(10**8 + 7 * n) for n in range(200))
    (tmp_path / "loaded.py").write_text(f"NUMBERS = [{numbers}]\n")
    subprocess.run([sys.executable, "-c", HUNTS, str(tmp_path)], check=True, timeout=60)
