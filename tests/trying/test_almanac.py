"""The almanac: a row for each result, in order, with what was measured of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from schema import VALIDATOR

from boundcheck.cli import main
from boundcheck.judging.effort import Effort
from boundcheck.judging.finding import Verdict
from boundcheck.theories import classic
from boundcheck.theory import Theory
from boundcheck.trying import almanac
from boundcheck.trying.almanac import span, write_almanac
from boundcheck.trying.almanac_rows import Entry, measured

TINY = Effort("tiny", trials=2_000, runs=10, horizon=1_000, slots=10**5)
FEW = ("ucb1", "moss", "lai-robbins", "kl-ucb-limit", "hoeffding", "regression-printed")


@pytest.fixture(scope="module")
def few() -> Theory:
    cards = {name: classic.THEORY.cards[name] for name in FEW}
    return replace(classic.THEORY, cards=cards)


def test_a_page_with_a_row_for_each_result(few: Theory, tmp_path: Path) -> None:
    path, entries = write_almanac(few, tmp_path, effort=TINY)
    text = path.read_text(encoding="utf-8")
    assert {entry.card.id for entry in entries} == set(FEW)
    assert all(f"| `{name}` " in text for name in FEW)
    assert (tmp_path / "almanac.svg").is_file()
    assert [entry.rank for entry in entries] == sorted(entry.rank for entry in entries)
    found = {entry.card.id: entry for entry in entries}
    assert found["regression-printed"].verdict is Verdict.REFUTED
    assert "With log((1 + r)/delta^2) it holds." in text
    assert found["hoeffding"].verdict is Verdict.HOLDS
    assert found["lai-robbins"].leans == "for"
    moss = found["moss"]
    assert moss.published == 49
    assert 0.3 < (moss.false_below or 0) < (moss.supported_from or 0) < 49
    assert len(moss.since) == 5
    assert min(found["ucb1"].ratios) > 1
    share = moss.largest_share or 1.0
    assert share < 1 / 60
    assert f"which is {span([1 / share])} times it" in moss.out_of_reach
    assert moss.out_of_reach in text
    assert not replace(moss, largest_share=0.2).out_of_reach
    assert all(entry.card.checked_against for entry in entries)


def test_a_false_constant_shows(few: Theory) -> None:
    card = few.cards["moss"]
    (quantity,) = card.quantities
    (term,) = quantity.terms
    small = replace(term, expression=term.expression / 490)
    planted = replace(card, id="small", quantities=(replace(quantity, terms=(small,)),))
    entry = measured(planted, few.with_card(planted).context(TINY), 0)
    assert entry.verdict is Verdict.REFUTED
    assert entry.published == pytest.approx(0.1)
    assert (entry.false_below or 0) > 0.3


def test_growth_is_compared_with_the_least(few: Theory) -> None:
    """UCB1 has 8/gap before log T, the least is gap/kl: 16 times as much for a normal law."""
    entry = measured(few.cards["ucb1"], few.context(TINY), 0)
    assert min(entry.growth) == pytest.approx(16, rel=0.01)


def test_the_command_gives_rows(
    few: Theory, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = Entry(few.cards["ucb1"], Verdict.SUPPORTED, "so", ("7",), (2.0, 3.0))
    monkeypatch.setattr(almanac, "write_almanac", lambda *a, **k: (tmp_path / "a.md", [row]))
    with pytest.raises(SystemExit) as left:
        main(["almanac", "-o", str(tmp_path), "--json"])
    assert left.value.code == 0
    document = json.loads(capsys.readouterr().out)
    VALIDATOR.validate(document)
    found = document["rows"]
    assert found[0]["claim"] == "ucb1"
    assert found[0]["looseness"] == {"smallest": 2.0, "largest": 3.0}
    assert span([]) == "-"
