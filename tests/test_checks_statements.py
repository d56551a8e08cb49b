"""Remark 8.1 and the statements around the figures."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from small_runs import PAPER, TEXTBOOK, found, small_run

from boundcheck.checks import statements as module
from boundcheck.checks.statements import _coefficients, _typical_run, last_sharper, widths
from boundcheck.claims import find
from boundcheck.evidence import Finding, Verdict
from boundcheck.lab import Effort
from simulation.instance import Instance
from simulation.rewards import Gaussian

CARD = find("rem-8.1")


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
    finding = _coefficients(CARD, small_run(PAPER))
    assert finding.verdict is Verdict.HOLDS
    for name, value in (("OrchExplore", ours), ("MP-SE-SA", elimination), ("ETC-UCB", commit)):
        enclosure = finding.evidence[f"log T coefficient of {name}"]
        assert float(enclosure["upper"]) == pytest.approx(value, rel=1e-12)


def test_a_first_term_that_loses_refutes_the_remark() -> None:
    # 2 variance / gap is OrchExplore's first term, 342 / gap that of MP-SE-SA
    noisy = Instance([100, 99], [1, 1], 1, Gaussian("1000"))
    finding = _coefficients(CARD, small_run(noisy))
    assert finding.verdict is Verdict.REFUTED
    assert (
        finding.evidence["log T coefficient of OrchExplore"]["terms"]["suboptimal arms"] == "2000"
    )


def test_equal_means_leave_the_remark_without_an_instance() -> None:
    finding = _coefficients(CARD, small_run(Instance.load("5g-4g")))
    assert finding.verdict is Verdict.NOT_APPLICABLE
    assert finding.evidence["unmet"]


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
    every, later = module._widths(CARD)
    assert every.verdict is Verdict.REFUTED
    assert later.verdict is Verdict.HOLDS
    assert float(every.evidence["at_1"]["phi"]) > float(every.evidence["at_1"]["rho"])
    assert every.evidence["sharper_from_2_to"] == 10**12 - 58


# -- orderings


def _compared(better: np.ndarray, worse: np.ndarray) -> Finding:
    pair = [SimpleNamespace(runs=len(x), total=x[:, None], horizon=1_000) for x in (better, worse)]
    return _typical_run(CARD, small_run(TEXTBOOK), "A < B", *pair)  # type: ignore[arg-type]


def test_a_clear_ordering_is_consistent_and_its_reverse_refuted() -> None:
    gen = np.random.default_rng(1)
    small, large = gen.uniform(0, 1, 50), gen.uniform(1.1, 2, 50)
    assert _compared(small, large).verdict is Verdict.CONSISTENT
    assert _compared(large, small).verdict is Verdict.REFUTED


def test_policies_that_cannot_be_told_apart_are_left_open() -> None:
    gen = np.random.default_rng(2)
    finding = _compared(gen.uniform(0, 1, 50), gen.uniform(0, 1, 50))
    assert finding.verdict is Verdict.INCONCLUSIVE
    same = np.ones(50)
    assert _compared(same, same).verdict is Verdict.INCONCLUSIVE
    assert _compared(same, same).evidence["ties"] == 50


def test_equal_policies_are_never_ordered_in_100_repetitions() -> None:
    # two-sided at 5e-7 / 3 each: a false order in 100 repetitions has probability below 1e-4
    gen = np.random.default_rng(3)
    verdicts = {_compared(*gen.exponential(1, (2, 40))).verdict for _ in range(100)}
    assert verdicts == {Verdict.INCONCLUSIVE}


def test_pairs_are_runs_of_the_same_number() -> None:
    finding = _compared(np.arange(40.0), np.arange(1.0, 61.0))
    assert finding.evidence["trials"] == 40
    assert finding.evidence["mean_difference"]["mean"] == 1
    assert finding.evidence["mean_difference"]["surely_above"] < 1


def test_statements_of_the_figures_on_a_small_instance() -> None:
    run = small_run(TEXTBOOK)
    findings = found(module.statements, "rem-8.1", run)
    readings = [finding.reading for finding in findings]
    assert len(set(readings)) == len(readings) == 15
    by_reading = dict(zip(readings, findings, strict=True))
    assert (
        by_reading["figure 1c: orch-explore-kc < orch-explore after 2000 slots"].verdict
        is Verdict.CONSISTENT
    )
    assert all(entry.verdict is not None for entry in run.budget.entries)


def test_implicit_learners_are_left_out_with_a_reason_where_allocations_are_too_many() -> None:
    run = small_run(Instance.load("5g-4g"), Effort("", 10, 4, 1_000))
    findings = list(module._implicit(CARD, run))
    assert [finding.verdict for finding in findings] == [Verdict.INCONCLUSIVE] * 3
    assert all("17672631900 allocations" in finding.explanation for finding in findings)
    assert not run._simulated
