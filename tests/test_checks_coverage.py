"""Checks of coverage: they separate laws without being told, and see a wrong width.

False alarms: a run refutes a true claim by sampling with probability at most its budget, 1e-6; the
exact findings cannot. The tests with 50 seeds below would fail by chance with probability 5e-5.
"""

from dataclasses import replace
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom, norm

from boundcheck.balls import ball, precision
from boundcheck.checks import registered
from boundcheck.checks.coverage import at_one_time
from boundcheck.claims import find
from boundcheck.crossvalidate import EFFORTS, Effort, Run, crossvalidate
from boundcheck.evidence import Budget, Verdict
from boundcheck.paths import Reach, misses, schedules
from boundcheck.symbols import delta
from boundcheck.tails import Arm, Explored
from boundcheck.widths import along
from simulation.instance import Instance
from simulation.rewards import Beta, Gaussian

CLAIMS = ("lem-5.1", "sharp-5.1", "lem-J.1", "lem-D.1", "lem-G.4")
SMALL = Effort("small", trials=2_000, runs=10, horizon=10_000)
PAPER = Instance.load("paper")


def gaussian(variance):
    return Instance.load("paper-gaussian").with_(reward=Gaussian(Fraction(variance)))


def findings(instance, card, effort=SMALL, seed=0):
    run = Run(instance, effort, Budget(1e-6), seed)
    return list(registered()[card.id](card, run))


def verdicts(found):
    """Of a check of 5.1: one time, the three schedules, and the conditional form."""
    return [str(finding.verdict) for finding in found]


def phi(x, level):
    return sqrt((1 + 1 / x) * np.log(2 * sqrt(x + 1) / level) / (2 * x))


# -- 5.1 ---------------------------------------------------------------------------------


def test_5_1_tells_variance_a_quarter_from_a_half_by_unbalanced_counts_alone():
    card = find("lem-5.1")
    quick = EFFORTS["quick"]
    quarter = findings(gaussian("1/4"), card, quick)
    half = findings(gaussian("1/2"), card, quick)
    assert verdicts(quarter)[:4] == ["holds", "consistent", "consistent", "consistent"]
    assert verdicts(half)[:4] == ["refuted", "consistent", "refuted", "refuted"]
    assert ["lockstep" in finding.reading for finding in half[1:4]] == [True, False, False]


def test_5_1_refutation_by_one_time_agrees_with_a_normal_tail():
    found = findings(gaussian("1/2"), find("lem-5.1"))[2].evidence
    level = float(found["delta"])
    s = phi(found["tau"], level) + phi(found["iota"], level)
    spread = sqrt(0.5 * (1 / found["tau"] + 1 / found["iota"]))
    assert float(found["probability_lower"]) == pytest.approx(2 * norm.sf(s / spread), rel=1e-4)
    assert float(found["probability_lower"]) > level


def test_5_1_conditional_counter_case_agrees_with_binomial_tables():
    found = findings(PAPER, find("lem-5.1"))[-1]
    assert found.verdict is Verdict.REFUTED
    tau, iota = found.evidence["tau"], found.evidence["iota"]
    mean, level = float(found.evidence["mean"]), float(found.evidence["delta"])
    s = phi(tau, level) + phi(iota, level)
    i, j = np.arange(tau + 1)[:, None], np.arange(iota + 1)[None, :]
    chance = binom.pmf(i, tau, mean) * binom.pmf(j, iota, mean)
    signal = (i / tau > s) & (j >= 0)
    conditional = chance[signal & (abs(i / tau - j / iota) > s)].sum() / chance[signal].sum()
    assert conditional == pytest.approx(float(found.evidence["probability_lower"]), rel=1e-4)
    assert conditional > level


def test_5_1_does_not_apply_above_variance_a_half():
    (found,) = findings(gaussian("3/5"), find("lem-5.1"))
    assert found.verdict is Verdict.NOT_APPLICABLE
    assert found.evidence["unmet"][0]["name"] == "variance-at-most-half"


@pytest.mark.parametrize("claim", ["lem-5.1", "sharp-5.1"])
def test_a_true_interval_is_not_refuted_over_fifty_seeds(claim):
    card, tiny = find(claim), replace(SMALL, trials=500)
    for seed in range(50):
        found = findings(gaussian("1/4"), card, tiny, seed)
        refuted = [
            f for f in found if f.verdict is Verdict.REFUTED and "as printed" not in f.reading
        ]
        assert refuted == []


def test_consistent_findings_say_what_they_would_have_seen():
    for found in findings(PAPER, find("lem-5.1"))[1:4]:
        assert found.verdict is Verdict.CONSISTENT
        assert 0 < found.evidence["level"] < 1e-6
        assert float(found.evidence["delta"]) < found.evidence["detectable"] < 1


def test_a_failure_rate_at_the_detectable_level_is_detected():
    """Power: widths so small that failure is certain are refuted at every confidence asked."""
    card = find("sharp-5.1")
    found = findings(PAPER, replace(card, formula=card.formula / 3))
    assert verdicts(found) == ["refuted"] * 4


def test_unbalanced_paths_fail_more_often_than_balanced_ones():
    """At variance 1/2 and delta 0.05 by more than 4 times; 20 standard errors apart."""
    law, trials, level = Gaussian(Fraction(1, 2)), 20_000, 0.05
    rates = {}
    for schedule in schedules(Reach.of(law)):
        counts = {"tau": schedule.individual * 1.0, "iota": schedule.united * 1.0, "delta": level}
        s = along(find("lem-5.1").formula, counts)
        (hits,) = misses(law, 0.9, schedule, [s], trials, np.random.default_rng(1))
        rates[schedule.name] = hits / trials
    assert rates["individual-first"] > 4 * rates["lockstep"] > 0
    assert rates["united-first"] > 4 * rates["lockstep"]


# -- planted mistakes --------------------------------------------------------------------


@pytest.mark.parametrize("instance", [PAPER, gaussian("1/4")], ids=["bernoulli", "gaussian"])
@pytest.mark.parametrize(("claim", "factor"), [("lem-5.1", 2), ("lem-J.1", 2), ("lem-D.1", 2)])
def test_a_width_that_is_too_small_is_caught(instance, claim, factor):
    card = find(claim)
    right = findings(instance, card)
    wrong = findings(instance, replace(card, formula=card.formula / factor))
    unconditional = [f for f in wrong if "as printed" not in f.reading]
    assert any(f.verdict is Verdict.REFUTED for f in unconditional)
    assert not any(f.verdict is Verdict.REFUTED for f in right if "as printed" not in f.reading)


def test_a_width_for_ten_times_the_confidence_is_caught():
    card = find("lem-D.1")
    planted = replace(card, formula=_tenfold("lem-D.1"))
    (found,) = findings(gaussian("1/2"), planted, EFFORTS["quick"])
    assert found.verdict is Verdict.REFUTED
    interval = findings(gaussian("1/4"), replace(find("lem-5.1"), formula=_tenfold("lem-5.1")))
    assert "refuted" in verdicts(interval)[:4]


def _tenfold(claim):
    return find(claim).formula.subs(delta, 10 * delta)


def test_the_martingale_width_is_loose_but_not_by_a_factor_of_four():
    card = find("lem-G.4")
    (found,) = findings(PAPER, card)
    (planted,) = findings(PAPER, replace(card, formula=card.formula / 4))
    assert (found.verdict, planted.verdict) == (Verdict.CONSISTENT, Verdict.REFUTED)


def test_the_martingale_lemma_needs_bounded_rewards():
    (found,) = findings(gaussian("1/4"), find("lem-G.4"))
    assert found.verdict is Verdict.NOT_APPLICABLE


# -- J.1 and D.1 -------------------------------------------------------------------------


def test_hoeffding_interval_fails_at_variance_a_half_with_one_count_far_ahead():
    card = find("lem-J.1")
    assert verdicts(findings(gaussian("1/4"), card)) == ["holds", "holds"]
    assert verdicts(findings(gaussian("1/2"), card)) == ["holds", "refuted"]
    assert verdicts(findings(PAPER, card)) == ["holds", "holds"]


def test_hoeffding_interval_is_asked_only_where_its_widths_are_below_the_mean():
    run, arm = Run(PAPER, SMALL, Budget(1e-6)), Arm(5, Fraction(1, 2), 2, PAPER.reward)
    asked = at_one_time(find("lem-J.1"), run, arm, "lockstep", signal=False)
    assert 0 < len(asked) < len(at_one_time(find("lem-J.1"), run, arm, "lockstep", signal=True))
    for chance in asked:
        rho = sqrt(np.log(2 / float(chance.delta)) / (2 * chance.case["tau"]))
        assert 2 * rho < 0.5


def test_deviation_of_a_mean_scales_with_its_law():
    for instance in (PAPER, gaussian("1/100"), gaussian(4)):
        (found,) = findings(instance, find("lem-D.1"))
        assert found.verdict is Verdict.CONSISTENT


# -- tails -------------------------------------------------------------------------------


@pytest.mark.parametrize("counts", [(1_000_000, 8), (8, 1_000_000), (30, 30)])
@pytest.mark.parametrize("s", [0.35, 0.6])
def test_enclosure_of_a_gaussian_miss_holds_the_integral(counts, s):
    mean, variance = 0.9, 0.5
    arm = Arm(1, Fraction(9, 10), 2, Gaussian(Fraction(1, 2)))
    sd_mu, sd_nu = (sqrt(variance / count) for count in counts)

    def failing(u):
        beyond = norm.sf(u + s - mean, scale=sd_nu) + norm.cdf(u - s - mean, scale=sd_nu)
        return norm.pdf(u, mean, sd_mu) * beyond

    points = [mean - 3 * sd_mu, mean, mean + 3 * sd_mu]
    high = max(mean + 40 * sd_mu, s + 1e-9)
    inside = [p for p in points if s < p < high]
    exact, _ = quad(failing, s, high, points=inside, epsabs=1e-14, limit=500)
    with precision(128):
        low, top = Explored(arm, *counts).missed(ball(Fraction(str(s))), signal=True)
        assert float(low) - 1e-10 <= exact <= float(top) + 1e-10


# -- the frame ---------------------------------------------------------------------------


def test_without_its_check_a_claim_is_inconclusive():
    table = crossvalidate(PAPER, "quick", claims=CLAIMS, checks={})
    assert {finding.verdict for finding in table.findings} == {Verdict.INCONCLUSIVE}


def test_the_same_seed_gives_the_same_findings():
    card = find("lem-5.1")
    assert findings(PAPER, card, seed=3) == findings(PAPER, card, seed=3)
    assert findings(PAPER, card, seed=3) != findings(PAPER, card, seed=4)


def test_every_claim_has_a_verdict_on_beta_rewards_within_budget():
    beta = PAPER.with_(reward=Beta(Fraction(4)))
    run = Run(beta, SMALL, Budget(1e-6))
    found = [f for claim in CLAIMS for f in registered()[claim](find(claim), run)]
    assert {finding.claim for finding in found} == set(CLAIMS)
    assert not any(finding.verdict is Verdict.REFUTED for finding in found)
    assert run.budget.spent < 1e-6
    assert all(entry.verdict is not None for entry in run.budget.entries)
