"""The interval of a capacity: decisions separate laws without being told, and see a wrong width.

False alarms: a run refutes a true statement by sampling with probability at most its level, and all
levels together are 1e-6; exact decisions cannot. Fifty seeds below fail by chance with 5e-5.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb, sqrt

import numpy as np
import pytest
from decisions import SMALL, context, further, search, verify
from scipy.integrate import quad
from scipy.stats import binom, norm

from boundcheck import find
from boundcheck.calculator.numbers.balls import ball, precision
from boundcheck.calculator.numbers.widths import in_floats
from boundcheck.calculator.question import Question
from boundcheck.claims.symbols import delta
from boundcheck.evidence.paths import missing_paths, schedules
from boundcheck.evidence.tails import Arm, Explored
from boundcheck.judging.effort import EFFORTS
from boundcheck.judging.finding import Cover, Leaning, Verdict
from boundcheck.theories.shareable_arms.interval.failure import ExplorationCounts
from boundcheck.theories.shareable_arms.interval.lem_j_1 import HOEFFDING
from boundcheck.theories.shareable_arms.interval.walks import Walk, _crossed, exact_crossing
from simulation.rewards.laws import Bernoulli, Beta, Gaussian
from simulation.world.instance import Instance

PAPER = Instance.load("paper")
HALF = Instance.load("paper-gaussian")
TEXTBOOK = Instance.load("textbook")
CLAIMS = ("lem-5.1", "sharp-5.1", "lem-5.2", "lem-J.1", "lem-J.2", "lem-D.1", "lem-G.4")


def gaussian(variance):
    return HALF.with_(reward=Gaussian(Fraction(variance)))


def phi(x, level):
    return sqrt((1 + 1 / x) * np.log(2 * sqrt(x + 1) / level) / (2 * x))


def rho(x, level):
    return sqrt(np.log(2 / level) / (2 * x))


def planted(claim, change):
    card = find(claim)
    return replace(card, formula=change(card.formula))


def enumerated(case, width, event):
    """P(event(muhat, nuhat, s)) over all successes, from binomial coefficients."""
    p, level = float(case["mean"]), float(case["delta"])
    tau, iota, m = case["individual"], case["united"], case["capacity"]
    s, total = width(tau, level) + width(iota, level), 0.0
    for i, j in product(range(tau + 1), range(iota + 1)):
        weight = comb(tau, i) * p**i * (1 - p) ** (tau - i)
        weight *= comb(iota, j) * p**j * (1 - p) ** (iota - j)
        total += weight * event(i / tau, m * j / iota, s)
    return total


# -- 5.1 ---------------------------------------------------------------------------------


def test_5_1_tells_variance_a_quarter_from_a_half_by_unbalanced_counts_alone():
    quarter = verify(gaussian("1/4"), "lem-5.1", EFFORTS["quick"])["intended"]
    half = further(verify(gaussian("1/2"), "lem-5.1", EFFORTS["quick"]))
    assert (quarter.verdict, quarter.leans) == (Verdict.UNDECIDED, Leaning.FOR)
    assert "failures at counts that are not looked at" in quarter.explanation
    assert half.verdict is Verdict.REFUTED
    assert quarter.extent.cover is Cover.SAMPLE
    refuting = [one.case for one in half.judged if one.compared.refutes]
    assert refuting
    assert all(case.individual != case.united for case in refuting)


def test_5_1_refutation_by_one_time_agrees_with_a_normal_tail():
    found = further(verify(HALF, "lem-5.1")).evidence
    level = float(found["delta"])
    s = phi(found["individual"], level) + phi(found["united"], level)
    spread = sqrt(0.5 * (1 / found["individual"] + 1 / found["united"]))
    assert float(found["actual"][0]) == pytest.approx(2 * norm.sf(s / spread), rel=1e-4)
    assert float(found["actual"][0]) > level


def test_5_1_conditional_counter_case_agrees_with_binomial_tables():
    found = verify(PAPER, "lem-5.1")["printed"]
    assert found.verdict is Verdict.REFUTED
    tau, iota = found.evidence["individual"], found.evidence["united"]
    mean, level = float(found.evidence["mean"]), float(found.evidence["delta"])
    s = phi(tau, level) + phi(iota, level)
    i, j = np.arange(tau + 1)[:, None], np.arange(iota + 1)[None, :]
    chance = binom.pmf(i, tau, mean) * binom.pmf(j, iota, mean)
    signal = (i / tau > s) & (j >= 0)
    conditional = chance[signal & (abs(i / tau - j / iota) > s)].sum() / chance[signal].sum()
    assert conditional == pytest.approx(float(found.evidence["actual"][0]), rel=1e-4)
    assert conditional > level


def test_5_1_does_not_apply_above_variance_a_half():
    found = verify(gaussian("3/5"), "lem-5.1")["intended"]
    assert not found.applies
    assert found.evidence["failing"][0]["name"] == "variance-at-most-half"


@pytest.mark.parametrize("claim", ["lem-5.1", "sharp-5.1"])
def test_a_true_interval_is_not_refuted_over_fifty_seeds(claim):
    tiny = replace(SMALL, trials=500)
    for seed in range(50):
        found = verify(gaussian("1/4"), claim, tiny, seed)["intended"]
        assert found.verdict is not Verdict.REFUTED


def test_open_findings_say_what_they_would_have_seen():
    """Three schedules of counts at the delta that was asked, as many at another; one level."""
    found = verify(PAPER, "lem-5.1")["intended"]
    assert (found.verdict, found.leans) == (Verdict.UNDECIDED, Leaning.FOR)
    sampled = [one for one in found.judged if one.sampled]
    assert len(sampled) == 3
    for one in sampled:
        assert one.case.delta == Fraction(1, 20)
        assert 0 < one.compared.evidence["level"] < 1e-7
        assert float(one.case.delta) < one.compared.evidence["detectable"] < 1


def test_unbalanced_paths_fail_more_often_than_balanced_ones():
    """At variance 1/2 and delta 0.05 by more than 4 times; 20 standard errors apart."""
    law, trials, level = Gaussian(Fraction(1, 2)), 20_000, 0.05
    rates = {}
    for schedule in schedules(law):
        counts = {"tau": schedule.individual * 1.0, "iota": schedule.united * 1.0, "delta": level}
        s = in_floats(find("lem-5.1").formula, counts)
        hits = missing_paths(law, 0.9, schedule, s, trials, np.random.default_rng(1))
        rates[schedule.name] = hits / trials
    assert rates["individual-first"] > 4 * rates["lockstep"] > 0
    assert rates["united-first"] > 4 * rates["lockstep"]


# -- planted mistakes --------------------------------------------------------------------


@pytest.mark.parametrize("instance", [PAPER, gaussian("1/4")], ids=["bernoulli", "gaussian"])
@pytest.mark.parametrize("claim", ["lem-5.1", "lem-5.2", "lem-J.1", "lem-J.2", "lem-D.1"])
def test_a_width_that_is_too_small_is_caught(instance, claim):
    wrong = verify(instance, planted(claim, lambda s: s / 3))["intended"]
    assert wrong.verdict is Verdict.REFUTED
    assert verify(instance, claim)["intended"].verdict is not Verdict.REFUTED


def test_a_width_for_ten_times_the_confidence_is_caught():
    def tenfold(formula):
        return formula.subs(delta, 10 * delta)

    mean = verify(HALF, planted("lem-D.1", tenfold), EFFORTS["quick"])["intended"]
    interval = further(verify(gaussian("1/4"), planted("lem-5.1", tenfold)))
    assert mean.verdict is interval.verdict is Verdict.REFUTED


def test_paths_alone_refute_a_joint_width_of_a_third():
    found = verify(PAPER, planted("sharp-5.1", lambda s: s / 3))["intended"]
    assert found.verdict is Verdict.REFUTED


def test_the_martingale_width_is_loose_but_not_by_a_factor_of_four():
    found = verify(PAPER, "lem-G.4")
    wrong = verify(PAPER, planted("lem-G.4", lambda width: width / 4))
    assert found["intended"].explanation == "nothing to decide here: it is judged at other points"
    assert wrong["intended elsewhere"].verdict is Verdict.REFUTED
    assert Verdict.REFUTED not in {f.verdict for f in found.values()}


def test_the_martingale_lemma_needs_bounded_rewards():
    (found,) = verify(gaussian("1/4"), "lem-G.4").values()
    assert found.explanation == "nothing to decide here: no arm earns bounded rewards"
    assert (found.verdict, found.leans, found.extent.cases) == ("undecided", "none", 0)


# -- 5.2 and J.2 -------------------------------------------------------------------------


@pytest.mark.parametrize("claim", ["lem-5.2", "lem-J.2"])
@pytest.mark.parametrize("instance", [PAPER, HALF, TEXTBOOK], ids=lambda i: i.name)
def test_conditionally_the_estimator_is_wrong_after_few_explorations(claim, instance):
    found = verify(instance, claim)["printed"]
    assert found.verdict is Verdict.REFUTED
    assert float(found.evidence["actual"][0]) > float(found.evidence["delta"])


@pytest.mark.parametrize("claim", ["lem-5.2", "lem-J.2"])
def test_unconditionally_it_fails_only_for_variance_a_half_and_unequal_counts(claim):
    for instance in (PAPER, gaussian("1/4")):
        found = verify(instance, claim)
        assert Verdict.REFUTED not in {found["intended"].verdict, further(found).verdict}
    found = further(verify(HALF, claim))
    assert found.verdict is Verdict.REFUTED
    assert found.case.individual != found.case.united


def test_wrong_meetings_on_paths_agree_with_the_exact_lattice():
    """One look by paths (level 1e-6) against the sum over successes."""
    from boundcheck.evidence.binomial import interval
    from boundcheck.theories.shareable_arms.interval.failure import wrong, wrong_somewhere

    card, trials = find("lem-5.2"), 20_000
    case = ExplorationCounts(
        Fraction(9, 10), 2, 7, Bernoulli(), Fraction(99, 100), individual=(30,), united=(30,)
    )
    with precision(128):
        exact = wrong(card, case, context())
    again = replace(case, individual=(30, 30), united=(30, 30))
    counted = wrong_somewhere(card, again, context(replace(SMALL, trials=trials)))
    low, high = interval(counted.hits, trials, 1e-6)
    assert exact.lower > 0
    assert low <= float(exact.upper)
    assert float(exact.lower) <= high


# -- J.1 and D.1 -------------------------------------------------------------------------


def test_hoeffding_interval_fails_at_variance_a_half_with_one_count_far_ahead():
    assert verify(gaussian("1/4"), "lem-J.1")["intended"].verdict is Verdict.HOLDS
    assert verify(PAPER, "lem-J.1")["intended"].verdict is Verdict.HOLDS
    found = verify(HALF, "lem-J.1")["intended"]
    assert found.verdict is Verdict.REFUTED
    assert all(
        one.case.individual != one.case.united for one in found.judged if one.compared.refutes
    )


def test_hoeffding_interval_is_asked_only_where_its_widths_are_below_the_mean():
    card, question = find("lem-J.1"), Question(horizon=10_000)
    found = verify(PAPER, "lem-J.1")["intended"]
    assert 0 < len(found.judged) < len(list(HOEFFDING.cases(card, PAPER, question, context())))
    for one in found.judged:
        level = float(one.case.delta)
        assert rho(one.case.individual[0], level) + rho(one.case.united[0], level) < one.case.mean


def test_deviation_of_a_mean_scales_with_its_law():
    for instance in (PAPER, gaussian("1/100"), gaussian(4)):
        found = verify(instance, "lem-D.1")["intended"]
        assert (found.verdict, found.leans) == (Verdict.UNDECIDED, Leaning.FOR)


def test_exact_and_float_crossing_agree_and_match_an_enumeration_of_one_step():
    card = find("lem-D.1")
    for mean, level in (("0.3", "0.5"), ("0.05", "0.9"), ("0.5", "0.1")):
        case = Walk(Fraction(mean), 1, 1, Bernoulli(), Fraction(level))
        with precision(128):
            exact = exact_crossing(card, case, context(), deviation=abs)
        floats = _crossed(card, np.array([float(mean)]), np.array([float(level)]), abs)
        assert floats[0] == pytest.approx(float(exact.lower), rel=1e-9)
    first = Walk(Fraction(1, 50), 1, 1, Bernoulli(), Fraction(9, 10), last=1)
    width = sqrt(0.25 * 2 * 2 * np.log(sqrt(2) / 0.9))
    with precision(128):
        one_step = exact_crossing(card, first, context(), deviation=abs)
    assert width < 0.98
    assert float(one_step.lower) == pytest.approx(0.02)


# -- searches ----------------------------------------------------------------------------


def test_5_1_as_a_conditional_probability_is_refuted_by_enumeration():
    found = search("lem-5.1", "printed")
    case = dict(found.case.parameters())
    signal = enumerated(case, phi, lambda mu, nu, s: mu > s)
    outside = enumerated(
        case,
        phi,
        lambda mu, nu, s: mu > s and not nu / (mu + s) <= case["capacity"] <= nu / (mu - s),
    )
    assert outside / signal == pytest.approx(float(found.evidence["actual"][0]), rel=1e-4)
    assert outside / signal > float(case["delta"])


@pytest.mark.parametrize(("claim", "width"), [("lem-5.2", phi), ("lem-J.2", rho)])
def test_the_estimator_given_that_its_bounds_meet_is_refuted_by_enumeration(claim, width):
    found = search(claim, "printed")
    case = dict(found.case.parameters())

    def bounds(mu, nu, s):
        return max(np.ceil(nu / (mu + s)), 1), min(np.floor(nu / (mu - s)), found.case.plays)

    met = enumerated(case, width, lambda mu, nu, s: mu > s and len({*bounds(mu, nu, s)}) == 1)
    right = enumerated(
        case, width, lambda mu, nu, s: mu > s and {*bounds(mu, nu, s)} == {case["capacity"]}
    )
    assert 1 - right / met >= float(found.evidence["actual"][0]) - 1e-6
    assert 1 - right / met > float(case["delta"])


@pytest.mark.parametrize("claim", ["lem-5.1", "lem-5.2", "lem-J.1", "lem-J.2"])
def test_what_fails_is_variance_above_a_quarter_and_nothing_else(claim):
    found = search(claim)
    assert found.verdict is Verdict.REFUTED
    assert Fraction(1, 4) < found.case.law.variance <= Fraction(1, 2)
    assert len(set(found.case.instance.means)) == found.case.instance.arms
    kind = search(claim, "charitable")
    assert (kind.verdict, kind.extent.cover) == (Verdict.HOLDS, Cover.SEARCH)  # of these cases
    assert kind.extent.cases > 100


def test_d_1_survives_a_large_search_that_says_how_large():
    found = search("lem-D.1", examples=2_000)
    assert (found.verdict, found.leans) == (Verdict.UNDECIDED, Leaning.FOR)
    assert found.extent.cases == 50_000


def test_d_1_with_half_the_width_is_refuted():
    from boundcheck.judging.searching import search as search_for
    from boundcheck.search import SearchLimit
    from boundcheck.theories.shareable_arms import THEORY

    card = planted("lem-D.1", lambda width: width / 2)
    stated = THEORY.statement("lem-D.1", "intended")
    found = search_for(card, stated, context(), SearchLimit(100, 60.0), THEORY.model)
    assert found.verdict is Verdict.REFUTED


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


def test_the_same_seed_gives_the_same_findings():
    assert verify(PAPER, "lem-5.1", seed=3) == verify(PAPER, "lem-5.1", seed=3)
    assert verify(PAPER, "lem-5.1", seed=3) != verify(PAPER, "lem-5.1", seed=4)


@pytest.mark.parametrize(
    "instance",
    [
        PAPER.with_(reward=Beta(Fraction(4))),
        Instance([1, 1, 0], [1, 1, 1], 1),
        Instance([1, "1/2", "-1/3"], [1, 2, 1], 2, Gaussian(Fraction(1, 4))),
        Instance([0, 0], [1, 1], 1),
    ],
    ids=["beta", "one play", "negative mean", "nothing to earn"],
)
def test_every_claim_has_a_verdict(instance):
    for claim in CLAIMS:
        found = verify(instance, claim)
        assert "intended" in found
        assert found["intended"].verdict is not Verdict.REFUTED


@pytest.mark.parametrize("variance", ["1e-38", "1e-20", "1/2"])
def test_a_deviation_is_judged_on_the_scale_of_its_law(variance):
    """A smallest width that is absolute made tiny variances cross with probability 0 and fail."""
    found = verify(gaussian(variance), "lem-D.1")["intended"]
    assert (found.verdict, found.leans) == (Verdict.UNDECIDED, Leaning.FOR)
    assert 0.01 < float(found.evidence["mean"]) < 0.2


@pytest.mark.parametrize("claim", ["lem-5.1", "sharp-5.1", "lem-5.2"])
def test_rounding_refutes_nothing_where_means_dwarf_the_widths(claim):
    huge = Instance(["6e40", "4e30", "82"], [1, 1, 1], 2, Gaussian("1e-26"))
    assert verify(huge, claim)["intended"].verdict is Verdict.UNDECIDED
