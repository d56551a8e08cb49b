"""What a stranger meets first: the answers on one screen, and Python that does what one types."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from paper import recorded

import boundcheck
from boundcheck import headline
from boundcheck.judging.finding import Verdict
from boundcheck.pages.headline import APPLIES, NOT, REFUTED
from boundcheck.theories import default
from simulation.world.instance import Instance, shipped

PAPER = Instance.load("paper")
QUESTIONS = [topic.words for topic in default().questions]


@pytest.fixture(autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("name", shipped())
def test_bounds_open_with_the_questions_on_one_screen(run: Any, name: str) -> None:
    code, out, _ = run("bounds", name)
    lines = out.splitlines()
    assert code == 0
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    places = [lines.index(f"{n}. {words}") for n, words in enumerate(QUESTIONS, 1)]
    assert places == sorted(places)
    assert places[0] <= 3
    assert "inf" not in out.replace("informative", "")


@pytest.mark.parametrize("name", shipped())
def test_every_screen_gives_the_same_answers(run: Any, name: str) -> None:
    """`check` repeats what `bounds` opens with, and Python has it as data."""

    def opening(text: str) -> str:
        start = text.index(f"1. {QUESTIONS[0]}")
        last = text.index(QUESTIONS[-1])
        end = next(
            n for n, line in enumerate(text[last:].splitlines()[1:], 1) if line[:1] not in (" ", "")
        )
        return text[start:last] + "\n".join(text[last:].splitlines()[:end])

    shown = opening(run("bounds", name)[1])
    assert shown == opening(run("check", name)[1])
    flat = " ".join(shown.split())
    for section in headline(Instance.load(name)).questions:
        for said in section.said:
            assert f"{said.card.id}: {said.number}" in flat
            assert said.here in flat


@pytest.mark.parametrize("name", shipped())
def test_a_refuted_result_is_never_among_those_that_apply(name: str) -> None:
    found = headline(Instance.load(name))
    false = {
        claim
        for claim, row in recorded().items()
        if row.verdict is Verdict.REFUTED and str(row.severity) != "scope"
    }
    listed = {said.card.id for group in found.groups for said in group.said}
    assert not listed & false
    every = [said for section in found.questions for said in section.said]
    for said in (*every, *found.refuted):
        assert (said.state == REFUTED) >= (said.card.id in false)
        assert said.here.startswith("refuted: do not rely on it") == (said.state == REFUTED)
    asked = {said.card.id for said in every}
    others = [*listed, *(said.card.id for said in (*found.refuted, *found.elsewhere))]
    assert len(others) == len(set(others))  # each once
    assert not asked & set(others)
    numbers = {card.id for card in default().cards.values() if card.quantities}
    assert asked | set(others) == numbers


def test_what_fails_is_said_with_its_formula_and_numbers(run: Any) -> None:
    said = {x.card.id: x for section in headline(PAPER).questions for x in section.said}
    assert "needs mu^2/(m^2 sigma^2) >= 2; arm 8 has 0.01" in said["thm-4.1a"].here
    assert said["thm-4.1a"].state == NOT
    assert said["sharp-7.1"].state == APPLIES
    _, out, _ = run("check", "paper")
    assert "mu^2/(m^2 sigma^2) >= 2" in out
    assert "nothing to learn" in out
    _, full, _ = run("check", "paper", "--all")
    assert "inf" not in full
    assert "  confidence-range: delta <= 2 exp(-49 m^2/mu^2)" in full


def test_no_arguments_name_three_commands(run: Any) -> None:
    code, out, _ = run()
    assert code == 0
    for command in ("bounds", "verify", "report"):
        assert f"boundcheck {command} paper" in out


def test_estimate_says_wrong_undecided_right_with_the_bounds(run: Any) -> None:
    code, out, _ = run("estimate", "paper", "--arm", "1", "--runs", "50")
    assert code == 0
    heads = next(line for line in out.splitlines() if "wrong" in line)
    assert heads.split()[:4] == ["explorations", "wrong", "undecided", "right"]
    assert "sharp-5.3a 510 (applies)" in out
    assert max(map(len, out.splitlines())) <= 80


# -- Python ----------------------------------------------------------------------------------


def test_keywords_ask_what_a_question_asks() -> None:
    asked = boundcheck.Question(horizon="1e7", delta="1/100")
    assert boundcheck.bounds(PAPER, horizon=1e7, delta="0.01") == boundcheck.bounds(PAPER, asked)
    assert boundcheck.check(PAPER, horizon="1e7", delta=0.01) == boundcheck.check(PAPER, asked)
    found = boundcheck.verify(PAPER, "quick", claims=["thm-4.1a"], horizon=1e7, delta=0.01)
    assert found.question == asked


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"horizon": 1}, "horizon: 1: expected a number of 2 or more"),
        ({"delta": "x"}, "delta: x"),
        ({"horzion": 5}, "horzion: argument: unknown: expected one of delta, horizon"),
    ],
)
def test_errors_name_the_argument(given: dict[str, Any], told: str) -> None:
    with pytest.raises(boundcheck.InputError) as error:
        boundcheck.bounds(PAPER, **given)
    assert str(error.value).startswith(told)
    assert "--" not in str(error.value)


def test_the_command_line_names_the_option(run: Any) -> None:
    code, _, err = run("bounds", "paper", "--horizon", "1")
    assert code == 2
    assert err.startswith("--horizon: horizon: 1: expected")


def test_an_instance_by_the_name_of_its_law() -> None:
    arms: dict[str, Any] = {"means": [0.9, 0.5, 0.2], "capacities": [1, 2, 1], "plays": 2}
    named = Instance(**arms, reward="gaussian", variance=0.01)
    assert named == Instance(**arms, reward=boundcheck.Gaussian("1/100"))
    assert repr(named) == "<Instance instance: 3 arms, 2 plays, gaussian, variance 0.01>"
    by_arm = Instance(**arms, reward="gaussian", variance=(0.1, 0.2, 0.3))
    assert by_arm.reward.arms == 3
    with pytest.raises(boundcheck.InputError, match="instance: variance: missing"):
        Instance(**arms, reward="gaussian")
    with pytest.raises(boundcheck.InputError, match="reward: gauss: expected one of"):
        Instance(**arms, reward="gauss")
    with pytest.raises(boundcheck.InputError, match="beside a law"):
        Instance(**arms, reward=boundcheck.Bernoulli(), variance=1)


def test_a_sweep_takes_text_and_a_gap() -> None:
    noisy = Instance.load("paper-gaussian")
    table = boundcheck.sweep(noisy, "sharp-4.1", variance=["1/1000", 0.5], delta=0.01)
    again = boundcheck.sweep(
        noisy, "sharp-4.1", {"variance": [0.001, 0.5]}, boundcheck.Question(delta="0.01")
    )
    assert table == again
    same = boundcheck.sweep(PAPER, "sharp-7.1", gap=[0.05, 0.1])
    plain = float(boundcheck.bounds(PAPER, claims=["sharp-7.1"])[0].value or 0)
    assert same.columns["value"][1] == pytest.approx(plain, rel=1e-9)
    halved = PAPER.with_(means=[(9 + k) / 20 for k in range(9, 0, -1)])
    exact = float(boundcheck.bounds(halved, claims=["sharp-7.1"])[0].value or 0)
    assert same.columns["value"][0] == pytest.approx(exact, rel=1e-9)
    with pytest.raises(boundcheck.InputError, match="gap"):
        boundcheck.sweep(PAPER, "sharp-7.1", gap=[0.2])  # a mean below 0
    with pytest.raises(boundcheck.InputError, match="given twice"):
        boundcheck.sweep(PAPER, "sharp-7.1", {"plays": [2]}, plays=[3])


def test_simulated_regret_beside_a_bound() -> None:
    table = boundcheck.sweep(
        PAPER, "sharp-7.1", horizon=[300, 1000], simulate="ts-kc", runs=5, plays=[2, 3]
    )
    points = list(zip(*(table.cells()[name] for name in ("plays", "horizon")), strict=True))
    assert sorted(points) == [(2, 300), (2, 1000), (3, 300), (3, 1000)]
    for (plays, horizon), simulated in zip(points, table.cells()["simulated"], strict=True):
        alone = boundcheck.simulate(PAPER.with_(plays=plays), "ts-kc", horizon, 5)
        assert simulated == alone["ts-kc"].mean[-1]
    assert (table.columns["simulated"] < table.columns["value"]).all()


def test_a_missing_pandas_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        boundcheck.bounds(PAPER, claims=["thm-7.1"]).to_pandas()


def test_latex_is_a_table_without_commands_from_text() -> None:
    text = boundcheck.sweep(PAPER, "sharp-7.1", plays=[2]).to_latex()
    assert text.startswith("\\begin{tabular}{l")
    assert text.count("\\\\\n") == 2
    assert text.replace("\\_", "").count("_") == 0


def test_old_names_are_the_new_ones() -> None:
    assert boundcheck.simulate is boundcheck.replicate


# -- what is written -------------------------------------------------------------------------

ROOT = Path(__file__).parents[2]
PROSE = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SNIPPETS = [
    pytest.param(path, text.split("```")[0], id=f"{path.name}-{n}")
    for path in PROSE
    for n, text in enumerate(path.read_text(encoding="utf-8").split("```python\n")[1:])
]


@pytest.mark.parametrize(("path", "code"), SNIPPETS)
def test_every_snippet_runs(
    path: Path, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    exec(compile(code, f"{path.name} (a snippet)", "exec"), {"__name__": "snippet"})
    assert os.getcwd() == str(tmp_path)


# -- instances inside the assumptions --------------------------------------------------------

INSIDE = {
    "thm-4.1a": ("textbook", {}),
    "thm-4.1b": ("textbook", {}),
    "thm-4.3": ("textbook", {}),
    "thm-5.3a": ("certain", {"delta": "1e-21"}),
    "thm-5.3b": ("certain-shared", {"delta": "1e-85"}),
    "thm-7.1": ("certain", {"horizon": "2e21"}),
}


@pytest.mark.parametrize("claim", INSIDE)
def test_each_main_theorem_applies_on_a_shipped_instance(claim: str) -> None:
    name, asked = INSIDE[claim]
    found = boundcheck.bounds(Instance.load(name), claims=[claim], **asked)
    assert any(bound.applies and bound.value is not None for bound in found)


def test_with_means_up_to_1_theorem_7_1_needs_the_horizon_that_is_said() -> None:
    certain = Instance.load("certain")
    before, after = (
        boundcheck.bounds(certain, claims=["thm-7.1"], horizon=horizon)[0].applies
        for horizon in ("1.9e21", "1.91e21")
    )
    assert (before, after) == (False, True)  # e^49 = 1.907e21
