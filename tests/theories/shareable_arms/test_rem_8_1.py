"""Remark 8.1 and the orders of the figures: statements that can fail."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from decisions import SMALL, context, search, verify
from paper import steps

from boundcheck import find
from boundcheck.calculator.numbers.balls import precision
from boundcheck.judging.comparison import Compared, Relation
from boundcheck.judging.default_statements.whole import InstanceCase
from boundcheck.judging.effort import Effort
from boundcheck.judging.finding import Role, Verdict
from boundcheck.theories import default
from boundcheck.theories.shareable_arms.pages import figures
from boundcheck.theories.shareable_arms.rem_8_1.orderings import FIGURES, Paired, orderings
from boundcheck.theories.shareable_arms.rem_8_1.panels import PANELS
from boundcheck.theories.shareable_arms.rem_8_1.widths import last_sharper, widths
from boundcheck.theories.shareable_arms.setting import derive
from simulation.rewards.laws import Gaussian
from simulation.world.instance import Instance

CARD = find("rem-8.1")
PAPER = Instance.load("paper")
TINY = Effort("tiny", trials=100, runs=40, horizon=2_000)
LEVEL = 1e-6


# -- coefficients


def test_coefficients_are_those_of_plain_arithmetic_on_the_papers_instance() -> None:
    mu = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
    m = [2, 4, 3, 3, 2, 1, 3, 4, 2]
    f, last = 5.7, 0.7

    def learn(k: int) -> float:
        return (f - m[k] * mu[k] + mu[0]) * 49 * m[k] ** 2 / mu[k] ** 2

    def kl(p: float, q: float) -> float:
        return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))

    below = range(3, 9)
    ours = sum((last - mu[k]) / kl(mu[k], last) for k in below) + learn(0) + learn(1)
    ours += learn(2) / 3**2  # m_L - mbar + 1 = 3
    elimination = sum(342 * m[k] * (mu[0] - mu[k]) / (last - mu[k]) ** 2 for k in below)
    elimination += sum(learn(k) for k in range(7))
    commit = sum(8 * (mu[0] - mu[k]) * m[k] / (last - mu[k]) ** 2 for k in below)
    commit += 8 * (mu[0] - last) * m[2] / (mu[1] - last) ** 2 + sum(learn(k) for k in range(9))
    for place, value in enumerate((ours, elimination, commit)):
        assert float(InstanceCase(PAPER).number(CARD, derive, place).mid()) == pytest.approx(
            value, rel=1e-12
        )
    assert verify(PAPER, CARD)["intended"].verdict is Verdict.HOLDS


def test_it_is_the_tighter_one_wherever_the_three_theorems_speak() -> None:
    # 2 variance / gap is OrchExplore's first term, 342 / gap that of MP-SE-SA
    noisy = Instance([100, 99], [1, 1], 1, Gaussian("1000"))
    assert InstanceCase(noisy).number(CARD, derive) > InstanceCase(noisy).number(CARD, derive, 1)
    assert not verify(noisy, CARD)["intended"].applies
    quiet = noisy.with_(reward=Gaussian("0.5"))
    assert verify(quiet, CARD)["intended"].verdict is Verdict.HOLDS
    assert search("rem-8.1").verdict is not Verdict.REFUTED


def test_a_bound_of_orch_explore_a_hundred_times_as_large_is_noticed() -> None:
    first, *others = CARD.quantities
    terms = tuple(replace(t, expression=100 * t.expression) for t in first.terms)
    planted = replace(CARD, quantities=(replace(first, terms=terms), *others))
    assert verify(PAPER, planted)["intended"].verdict is Verdict.REFUTED


def test_equal_means_leave_the_remark_without_an_instance() -> None:
    finding = verify(Instance.load("5g-4g"), CARD, TINY)["intended"]
    assert not finding.applies
    assert finding.evidence["failing"]


# -- widths


def test_widths_are_the_formulas() -> None:
    for t, horizon in ((1, 100), (7, 10**6), (10**6, 10**6)):
        uniform, hoeffding = (float(width) for width in widths(t, horizon))
        inner = math.log(2 * math.sqrt(t + 1) * horizon)
        assert uniform == pytest.approx(math.sqrt((1 + 1 / t) * inner / (2 * t)))
        assert hoeffding == pytest.approx(math.sqrt(math.log(2 * horizon**2) / (2 * t)))


@pytest.mark.parametrize("horizon", [10, 30])
def test_last_sharper_width_is_found_by_scanning(horizon: int) -> None:
    sharper = [t for t in range(1, 2 * horizon**2) if _float_sharper(t, horizon)]
    assert sharper == list(range(sharper[0], sharper[-1] + 1))
    assert last_sharper(horizon) == sharper[-1]


def _float_sharper(t: int, horizon: int) -> bool:
    left = (1 + 1 / t) * (math.log(2 * horizon) + math.log(t + 1) / 2)
    return left < math.log(2 * horizon**2)


def test_uniform_width_loses_at_one_sample_and_wins_from_two_to_the_horizon() -> None:
    with precision(256):
        (uniform, hoeffding) = widths(1, 10**6)
    assert uniform > hoeffding
    assert search("rem-8.1", "further:widths").verdict is not Verdict.REFUTED
    with precision(256):
        assert last_sharper(10**6) == 10**12 - 58


def test_the_remark_is_charged_with_no_words_that_it_does_not_contain() -> None:
    # the widths are a figure of appendix J, said to be sharper "in some instances"
    roles = [statement.role for statement in default().statements("rem-8.1")]
    assert roles.count(Role.INTENDED) == 1
    assert set(roles) == {Role.INTENDED, Role.FURTHER}
    (step,) = (step for step in steps("cor-J.3") if step.step == "J.3-e")
    assert step.check().agrees
    assert step.check(first=1).verdict is Verdict.REFUTED


# -- orderings


def _compared(better: np.ndarray, worse: np.ndarray) -> Compared:
    wins, losses = int((better < worse).sum()), int((better > worse).sum())
    return Paired(wins, losses, {}).compare(Relation.AT_MOST, Fraction(1, 2), LEVEL)


def test_a_clear_ordering_is_seen_and_its_reverse_refuted() -> None:
    gen = np.random.default_rng(1)
    small, large = gen.uniform(0, 1, 50), gen.uniform(1.1, 2, 50)
    seen, reverse = _compared(small, large), _compared(large, small)
    assert (seen.holds, seen.supported) == (None, True)
    assert 0.5 < seen.evidence["detectable"] < 1
    assert (reverse.holds, reverse.supported) == (False, False)


def test_policies_that_cannot_be_told_apart_are_left_open_in_100_repetitions() -> None:
    """Refuted at 1e-6: a false order in 100 repetitions has probability below 1e-4. Supported at
    5 %: more than 15 of 100 have a probability below 1e-4 too."""
    gen = np.random.default_rng(3)
    found = [_compared(*gen.exponential(1, (2, 40))) for _ in range(100)]
    assert {one.holds for one in found} == {None}
    assert sum(one.supported for one in found) <= 15
    same = _compared(np.ones(50), np.ones(50))
    assert (same.holds, same.supported, same.leans) == (None, False, "none")


def test_each_figure_is_asked_on_its_own_instance_with_its_own_parameters() -> None:
    found = verify(PAPER, CARD, TINY)
    assert found["further:figure-c"].verdict is Verdict.SUPPORTED
    assert not found["further:figure-throughput"].applies
    other = verify(Instance.load("textbook"), CARD, TINY)
    assert not any(other[f"further:{s.name}"].applies for s in FIGURES.values())
    renamed = PAPER.with_(means=[*PAPER.means[:-1], "0.05"])
    assert not verify(renamed, CARD, TINY)["further:figure-a"].applies
    (stations,) = [p for p in PANELS if p.name == "5g-4g-regret"]
    assert stations.options["mp-se-sa"] == {"gamma": 0.1}


def test_the_options_of_a_panel_reach_the_policy() -> None:
    shared = context(TINY)
    (stations,) = [p for p in PANELS if p.name == "5g-4g-regret"]
    first = next(orderings(stations, 300, 2))
    FIGURES["a"].actual[0].of(CARD, first, shared)
    asked = {key[1].name: dict(key[-2]) for key in shared._simulated if key[2] == first.horizon}
    assert asked["mp-se-sa"] == {"gamma": 0.1}
    assert asked["orch-explore"] == {}


def test_implicit_learners_have_no_case_where_allocations_are_too_many() -> None:
    (panel,) = [p for p in PANELS if p.name == "1d"]
    stations = replace(panel, instance="5g-4g")
    assert list(orderings(stations, 1_000, 4)) == []
    assert len(list(orderings(panel, SMALL.horizon, 10))) == 3


def test_a_size_is_claimed_and_decided_where_the_paper_says_by_how_much() -> None:
    (panel,) = [p for p in PANELS if p.name == "1c"]
    shared = context(TINY)
    asked = {case.better: case for case in orderings(panel, TINY.horizon, TINY.runs)}
    assert {name: case.share for name, case in asked.items() if case.share != 1} == {
        "orch-explore-kc": Fraction(1, 2)
    }
    pairs = {name: FIGURES["c"].actual[0].of(CARD, case, shared) for name, case in asked.items()}
    assert pairs["orch-explore-kc"].losses == 0


def test_a_policy_that_saves_a_fifth_does_not_save_half() -> None:
    losses = {"se-kc": 80.0, "orch-explore": 100.0}

    def simulated(arms, policy, horizon, runs, options):  # type: ignore[no-untyped-def]
        return SimpleNamespace(total=np.full((runs, 1), losses[policy]))

    (panel,) = [p for p in PANELS if p.name == "1c"]
    (case,) = [case for case in orderings(panel, 1_000, 30) if case.better == "se-kc"]
    measure, known = FIGURES["c"].actual[0].of, SimpleNamespace(simulated=simulated)
    less, half = (measure(CARD, replace(case, share=Fraction(s)), known) for s in ("1", "1/2"))
    assert (less.wins, less.losses, half.wins, half.losses) == (30, 0, 0, 30)
    assert half.more["mean_of_the_worse"] == 100


def test_the_page_of_figures_tells_sizes(tmp_path) -> None:  # type: ignore[no-untyped-def]
    page = figures.write_figures(tmp_path, runs=10, horizon=2_000, only=["1c"])
    told = page.read_text(encoding="utf-8")
    assert "saves most" not in told
    (saved,) = re.findall(r"Regret saved: (.*)\. Data", told)
    shares = {name: int(share) for name, share in re.findall(r"(\S+) (-?\d+) % of", saved)}
    assert list(shares) == ["orch-explore-kc", "kl-ucb-kc", "ts-kc", "se-kc"]
    assert shares["orch-explore-kc"] > 50
