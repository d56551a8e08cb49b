"""Results behave: numbers of any size, lists that are tables, both through a pickle."""

from __future__ import annotations

import csv
import io
import json
import pickle
import sys
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from multiprocessing import get_context
from types import ModuleType
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boundcheck import (
    Instance,
    Number,
    Question,
    bounds,
    catalogue,
    check,
    estimate,
    falsify,
    ledger,
    replicate,
    sweep,
    verify,
)
from boundcheck.pages.present import check_row
from boundcheck.terminal.screens import check_screen
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.web.answers import answer
from simulation.files.reading import parsed
from simulation.formatting import human
from simulation.numbers import decimal

PAPER = Instance.load("paper")

exact = st.fractions(min_value=-(10**6), max_value=10**6, max_denominator=10**6)


# -- numbers -------------------------------------------------------------------------------------


def test_bounds_of_any_size_sort_compare_and_compute():
    faint = Instance(["0.5", "1e-266", "1e-270"], [1, 1, 1], 2)
    found = bounds(faint, claims=["thm-5.3a"])
    near, far, _ = (bound.value for bound in found)
    assert str(far) < str(near), "texts would be in the wrong order"
    assert sorted((far, near)) == [near, far]
    assert max(found, key=lambda bound: bound.value) is found[2]
    assert far > 1e300 > near > 5
    assert far / near > 10**500
    assert 2 * far - far == far
    assert float(far) == np.inf
    assert found[1].to_json()["value"].partition("e")[2] == "+534"


def test_the_text_of_a_value_has_all_its_digits():
    (bound,) = bounds(PAPER, Question(digits=40), ["sharp-4.3"])
    assert bound.text == str(bound.value) == bound.to_json()["value"]
    assert len(bound.text) == 41
    assert f"{bound.value:.3f}" == "11.156"
    assert f"{bound.value}" == bound.text
    assert bound.lower <= bound.value <= bound.upper


@given(exact, exact.filter(bool))
def test_arithmetic_is_that_of_fractions(x: Fraction, y: Fraction):
    a, b = Number(decimal(x, 12)), Number(decimal(y, 12))
    x, y = Fraction(str(a)), Fraction(str(b))
    for found, true in (
        (a + b, x + y),
        (a - b, x - y),
        (a * b, x * y),
        (a / b, x / y),
        (a + y, x + y),
        (y - a, y - x),
        (3 * a, 3 * x),
        (a**2, x**2),
        (-abs(a), -abs(x)),
    ):
        assert isinstance(found, Number)
        assert abs(Fraction(str(found)) - true) <= abs(true) / 10**28
    assert (a < b, a == b, a > y) == (x < y, x == y, x > y)


def test_floats_mix_in_as_they_are_written():
    huge = Number("1.5e+532")
    assert str(Number("0.25") + 0.1) == "0.35"
    assert str(0.5 * huge) == "7.5e+531"
    assert str(np.float64(2) * huge) == "3e+532"
    assert sum([huge, 1, 0.5]) == huge
    assert str(1e300 / huge) == "6.66666666666666666666666666667e-233"
    assert mpmath.mpf(huge) == 15 * mpmath.mpf(10) ** 531
    assert mpmath.mpf(Number("-inf")) == -mpmath.inf
    with pytest.raises(TypeError):
        _ = huge + "1"


def test_beyond_what_a_decimal_can_hold_there_is_no_number():
    assert Number.of("1e+10000000000000000000") is None
    assert str(Number.of("inf")) == "inf"
    assert Number.of(None) is None


# -- tables --------------------------------------------------------------------------------------


def results() -> dict[str, Any]:
    return {
        "bounds": bounds(PAPER, claims=["thm-5.3a", "thm-7.1"]),
        "check": check(PAPER, claims=["thm-G.1"]),
        "falsify": falsify("thm-4.3", examples=30),
        "ledger": ledger("rem-4.2"),
        "sweep": sweep(PAPER, "cor-7.2", {"plays": [2, 3]}),
        "verify": verify(PAPER, "quick", claims=["lem-J.2"]),
        "replicate": replicate(PAPER, ["kl-ucb-kc"], 100, 2),
        "estimate": estimate(PAPER, 1, samples=10, runs=20),
    }


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return results()


@pytest.fixture
def frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """In place of pandas, which is optional: a frame is the columns it was made of."""
    pandas = ModuleType("pandas")
    pandas.DataFrame = dict  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pandas", pandas)


NAMES = (
    "bounds", "check", "falsify", "ledger", "sweep", "verify", "replicate", "estimate",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_every_result_is_a_table(name, found, frames, tmp_path):
    result = found[name]
    text = result.to_csv(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == text
    lines = list(csv.reader(io.StringIO(text)))
    frame = result.to_pandas()
    assert [column for column in frame if not column.endswith("_text")] == lines[0]
    assert {len(column) for column in frame.values()} == {len(lines) - 1}
    summary = result.summary()
    assert str(result).splitlines()[0] == summary.title
    page = result._repr_html_()
    assert page.count("<th>") == len(summary.headings)
    assert page.count("<tr>") == 1 + len(summary.rows)


@pytest.mark.parametrize("name", NAMES)
def test_every_result_equals_itself_through_a_pickle(name, found):
    again = pickle.loads(pickle.dumps(found[name]))
    assert again == found[name]
    assert again is not found[name]
    assert str(again) == str(found[name])


def test_a_frame_of_bounds_holds_numbers(found, frames):
    frame = found["bounds"].to_pandas()
    assert list(frame)[:9] == [
        "claim", "quantity", "arm", "value", "lower", "upper", "unit", "applies", "informative",
    ]  # fmt: skip
    assert all(isinstance(x, float) for x in frame["value"])  # the exact text stands beside it
    assert frame["value_text"] == [bound.text for bound in found["bounds"]]


def test_parts_of_a_list_are_tables_and_different_lists_differ(found):
    part = found["bounds"][2:4]
    assert part.summary().title == "paper: bounds, 2 rows"
    assert [bound.arm for bound in part] == [3, 4]
    assert part != found["bounds"]
    assert bounds(PAPER, Question(delta="0.01"), ["thm-5.3a", "thm-7.1"]) != found["bounds"]


def test_of_a_long_table_the_middle_is_left_out():
    every = bounds(PAPER)
    lines = str(every).splitlines()
    assert len(every) > 100
    assert len(lines) == 2 + 30 + 1 + 30
    assert set(lines[32].split()) == {"..."}
    assert max(map(len, lines)) <= 110


def test_a_bound_keeps_its_enclosure_through_a_pickle(found):
    for bound in found["bounds"]:
        again = pickle.loads(pickle.dumps(bound))
        assert again.ball.contains(bound.ball.mid())
        assert again.ball.rel_accuracy_bits() > 90


def test_every_card_equals_itself_through_a_pickle():
    for card in catalogue().values():
        assert pickle.loads(pickle.dumps(card)) == card


def test_bounds_can_be_computed_in_other_processes():
    asked = [Question(horizon=horizon) for horizon in ("1e5", "10^532")]
    wanted = [["thm-7.1", "thm-G.1"]] * 2
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        there = list(pool.map(bounds, [PAPER] * 2, asked, wanted))
    assert there == [bounds(PAPER, *both) for both in zip(asked, wanted, strict=True)]


# -- an instance ---------------------------------------------------------------------------------


def test_an_instance_prints_in_four_lines():
    assert str(PAPER).splitlines() == [
        "paper: 9 arms, 7 plays, rewards bernoulli",
        "means       0.9 0.8 0.7 0.6 0.5 0.4 0.3 0.2 0.1",
        "capacities  2 4 3 3 2 1 3 4 2",
        "best action 2 4 1 0 0 0 0 0 0: 5.7 a slot",
    ]
    many = Instance([Fraction(k, 1001) for k in range(1, 1001)], [1] * 1000, 5, name="two\nlines")
    lines = str(many).splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("two lines: 1000 arms")
    assert max(map(len, lines)) <= 150


@pytest.mark.parametrize("mean", ["1e-160", "1e-399", "1e-400"])
def test_numbers_of_any_size_fit_every_table(mean: str) -> None:
    """Conditions ask for horizons whose exponents are themselves beyond every float."""
    tiny = Instance([mean, 0], [1, 1], 1)
    found = check(tiny)
    assert max(len(row.condition.rhs or "") for row in found) > 150
    assert len(str(found)) > 0
    for row in found:
        assert all(isinstance(cell, str) for cell in check_row(row, tiny))
    for every in (True, False):
        list(check_screen(tiny, Question(), found, THEORY, every=every, opening=True))
    asked = {"table": parsed(tiny.to_toml(), "tiny"), "question": {}}
    json.dumps(answer(asked, THEORY), allow_nan=False)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1e-400", "10^-400"),
        ("-3e" + "9" * 320, "-10^(1.00000e+320)"),
        ("7e-" + "1" * 5000, "10^(-1.11111e+4999)"),
        ("1e999999999999999999", "10^(1.00000e+18)"),
    ],
)
def test_numbers_for_people_have_no_largest(text: str, shown: str) -> None:
    assert human(text) == shown
