"""Falsification: what is found is a counterexample by an independent computation too."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from functools import cache, partial
from pathlib import Path

import pytest

from boundcheck import bounds, check, falsify
from boundcheck.calculator.question import Question
from boundcheck.judging.falsification import Falsification
from boundcheck.search.degenerate import DEGENERATE
from boundcheck.search.hunt import bisected
from boundcheck.search.simplify import complexity, rounder, rounder_counts, simpler_instances
from boundcheck.terminal import run_falsify
from boundcheck.terminal.run_falsify import search_screen
from boundcheck.theories.shareable_arms import THEORY
from simulation.errors import InputError
from simulation.world.instance import Instance


@cache
def rows(claim: str, drop: str | None = None, examples: int = 100) -> tuple[Falsification, ...]:
    return tuple(falsify(claim, drop, examples=examples, seconds=60))


def unmet(row: Falsification, **question: object) -> set[str]:
    assert row.instance is not None
    found = check(row.instance, Question(**question), [row.claim])
    arm = row.parameters.get("arm")
    about = [r.condition for r in found if not r.condition.implicit]
    return {c.name for c in about if not c.holds and (arm is None or c.arm in (None, arm))}


# -- the command -------------------------------------------------------------------------

command = partial(run_falsify.falsify, theory=THEORY)


def test_the_same_seed_finds_the_same_examples() -> None:
    again = falsify("lem-5.2", examples=100, seconds=60)
    assert [row.to_json() for row in again] == [row.to_json() for row in rows("lem-5.2")]


def test_counterexamples_are_saved_as_files_that_the_calculator_reads(tmp_path: Path) -> None:
    searched = command("thm-4.3", examples="150", output=str(tmp_path / "found.toml")).saved()
    assert [Path(row["file"]).name for row in searched.rows] == ["found.toml", "found-2.toml"]
    for row in searched.found:
        loaded = Instance.load(row.file)
        assert loaded == row.instance.with_(name=Path(row.file).stem)
        (bound,) = bounds(loaded, claims=["thm-4.3"])
        assert bound.applies
        if row.statement == "intended":
            assert float(bound.value) == pytest.approx(float(row.published))
    assert len(search_screen(searched)) > 4


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
    fields |= {"ratio", "examples", "file", "kind", "explanation", "statement", "enclosure"}
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
        falsify("lem-E.2")
    for claim in THEORY.falsifiable:
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
    subprocess.run([sys.executable, "-c", HUNTS, str(tmp_path)], check=True)
