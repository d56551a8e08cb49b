"""The proof of `sharp-7.1`: page and ledger agree, tails are as it says, and regret is below it.

What it says of single slots is in test_orch_slots.py.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from flint import arb
from orch_explore_bound import drawn, ratios
from paper import card_text
from scipy.stats import binom

from boundcheck import bounds, find, ledger
from boundcheck.calculator.numbers.balls import ball
from boundcheck.calculator.question import Question
from boundcheck.cli import main
from boundcheck.judging.finding import Verdict
from boundcheck.judging.severity import Standing
from boundcheck.proof_steps.ledger import Entry
from boundcheck.theories.shareable_arms.exact.tail_sums import BINOMIAL, CONVEX
from simulation.rewards.laws import Bernoulli
from simulation.world.instance import Instance

PAGE = Path(__file__).parents[4] / "docs" / "theorems" / "orch-explore.md"


@pytest.fixture(scope="module")
def entries() -> list[Entry]:
    return ledger("sharp-7.1")


def test_the_page_names_every_step_and_no_other(entries: list[Entry]) -> None:
    cited = re.findall(r"\[([a-z]\d(?:, [a-z]\d)*)\]", PAGE.read_text(encoding="utf-8"))
    labels = {label for group in cited for label in group.split(", ")}
    assert {f"sharp-7.1-{label}" for label in labels} == {entry.step.step for entry in entries}


def test_the_card_is_a_theorem_because_every_step_holds(entries: list[Entry]) -> None:
    said = Standing(find("sharp-7.1"), (), tuple(entries)).proved
    assert said is not None
    assert said.startswith("theorem; quoted: Hoeffding's lemma, Ville's inequality")
    assert f"proved: {said}" in card_text(find("sharp-7.1"))
    sampled = replace(entries[3].checked, verdict=Verdict.SUPPORTED)
    changed = (*entries[:3], replace(entries[3], checked=sampled), *entries[4:])
    less = Standing(find("sharp-7.1"), (), changed).proved
    assert less is not None
    assert less.startswith("proved up to steps sharp-7.1-a4; quoted")


def test_the_levels_are_shown_with_the_value(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["bounds", "paper", "--claim", "sharp-7.1", "--horizon", "1e5"]
    with pytest.raises(SystemExit):
        main([*arguments, "--json"])
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert float(row["value"]) <= 1e4
    once = ("theta_b", "theta_e", "theta_y", "theta_z", "x_1", "x_2", "x_3", "x_4")
    expected = {(name, None) for name in once} | {("theta_k", arm) for arm in range(4, 10)}
    assert {(level["name"], level["arm"]) for level in row["levels"]} == expected
    with pytest.raises(SystemExit):
        main(arguments)
    shown = capsys.readouterr().out
    assert "Free levels, as chosen" in shown
    with pytest.raises(SystemExit):
        main(["bounds", "paper", "--claim", "thm-7.1", "--json"])
    assert "levels" not in json.loads(capsys.readouterr().out)["rows"][0]


# -- tails -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("z", "mu"), [("3/4", "7/10"), ("9/10", "1/2"), ("1/5", "3/20")])
def test_tail_sums_are_above_the_chances_and_below_chernoff(z: str, mu: str) -> None:
    """Of Bernoulli rewards, and of two other laws of that mean, simulated nowhere."""
    level, mean = Fraction(z), Fraction(mu)
    x, p = float(level), float(mean)
    kl = x * np.log(x / p) + (1 - x) * np.log((1 - x) / (1 - p))
    counts = np.arange(1, int(40 / kl))
    exact = binom.sf(np.array([math.ceil(int(n) * level) for n in counts]) - 1, counts, p).sum()
    sums = [code.balls(ball(level), ball(mean), arb(20_000)) for code in (BINOMIAL, CONVEX)]
    assert exact < float(sums[0]) < 1.02 * exact
    assert float(sums[0]) < float(sums[1]) < 1 / np.expm1(kl)
    for code, found in zip((BINOMIAL, CONVEX), sums, strict=True):
        floats = code.floats(*(np.array([[y]]) for y in (x, p, 2e4)))
        assert floats.item() == pytest.approx(float(found), rel=1e-9)
    # rewards 0, 1/2 and 1: sums of n are those of 2n Bernoulli rewards, halved
    halves = binom.sf(np.array([math.ceil(2 * int(n) * level) for n in counts]) - 1, 2 * counts, p)
    assert halves.sum() < float(sums[1])


# -- simulated regret ---------------------------------------------------------------------------


def test_simulated_regret_is_below_the_bound() -> None:
    chance = np.random.default_rng(17)
    found = [row for seed in range(6) for row in ratios(drawn(chance), 2, seed, (100, 3_000))]
    assert min(least for _, _, least, _ in found) > 1
    assert not all(trivial for *_, trivial in found)


def test_a_filled_arm_may_have_all_plays_but_one() -> None:
    instance = Instance(["0.9", "0.5", "0.4", "0.1"], [2, 2, 1, 1], 3, Bernoulli())
    (bound,) = bounds(instance, Question(horizon=10**5, digits=6), ["sharp-7.1"])
    assert bound.informative
