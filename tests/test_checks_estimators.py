"""Checks of the estimator and of the sizes that suffice: exact where they can be, and not blind.

False alarms: what is sampled is refuted falsely with probability at most the run's budget, 1e-6.
"""

from dataclasses import replace
from fractions import Fraction
from math import ceil, floor, log, sqrt

import numpy as np
import pytest

from boundcheck.balls import precision
from boundcheck.checks import registered
from boundcheck.checks.sizes import _failures
from boundcheck.claims import find
from boundcheck.crossvalidate import Run, crossvalidate
from boundcheck.evidence import Budget, Verdict
from boundcheck.evidence.binomial import interval
from boundcheck.functions import phi
from boundcheck.lab import Effort
from boundcheck.lattices import Lattice, enclosing
from boundcheck.question import Question
from boundcheck.sizing import Sized, sizes
from boundcheck.tails import Arm, arms
from simulation.instance import Instance
from simulation.rewards import Bernoulli, Beta, Gaussian

CLAIMS = (
    "thm-5.3a",
    "thm-5.3b",
    "lem-E.6",
    "cor-J.3",
    "sharp-5.3a",
    "sharp-5.3b",
)
SMALL = Effort("small", trials=4_000, runs=10, horizon=10_000)
PAPER = Instance.load("paper")
HALF = Instance.load("paper-gaussian")
TEXTBOOK = Instance.load("textbook")


def findings(instance, card, effort=SMALL, seed=0):
    return list(registered()[card.id](card, Run(instance, effort, Budget(1e-6), seed)))


def only(found, words):
    (finding,) = [f for f in found if words in f.reading]
    return finding


def multiplied(card, factor):
    """The card with a first quantity that asks for `factor` times as much."""
    first = card.quantities[0]
    terms = tuple(replace(term, expression=factor * term.expression) for term in first.terms)
    return replace(card, quantities=(replace(first, terms=terms), *card.quantities[1:]))


def float_phi(x, delta):
    return sqrt((1 + 1 / x) * log(2 * sqrt(x + 1) / delta) / (2 * x))


# -- sizes: algebra ----------------------------------------------------------------------


def test_the_published_sizes_pass_in_their_own_range_and_the_range_is_empty_in_practice():
    for claim in ("thm-5.3a", "thm-5.3b", "lem-E.6"):
        found = findings(PAPER, find(claim))
        assert found[0].verdict is Verdict.NOT_APPLICABLE
        assert float(found[0].evidence["widest_admitted"]["delta"]) < 1e-30
        printed = [f for f in found if "at the widest" in f.reading]
        assert [f.verdict for f in printed] == [Verdict.HOLDS] * 2


def test_without_its_condition_5_3a_fails_for_small_means_with_a_witness():
    found = only(findings(TEXTBOOK, find("thm-5.3a")), "without its condition confidence-range: by")
    assert found.verdict is Verdict.REFUTED
    arm, n = found.evidence["arm"] - 1, found.evidence["size"]
    m, s = TEXTBOOK.capacities[arm], 2 * float_phi(n, 0.05)
    muhat, nuhat = float(found.evidence["mu_hat"]), float(found.evidence["nu_hat"])
    assert abs(muhat - float(TEXTBOOK.means[arm])) <= s / 2 + 1e-5
    assert abs(nuhat / m - float(TEXTBOOK.means[arm])) <= s / 2 + 1e-5
    assert ceil(nuhat / (muhat + s) - 1e-4) == m < floor(nuhat / (muhat - s) + 1e-4)


def test_the_published_condition_is_not_sufficient_for_means_of_ten_capacities():
    strong = Instance([10, 1, 1], [1, 1, 1], 2, Gaussian(Fraction(1, 4)))
    found = only(findings(strong, find("thm-5.3a")), "at the widest confidence-range: by algebra")
    assert (found.verdict, found.evidence["arms_that_fail"]) == (Verdict.REFUTED, [1])


@pytest.mark.parametrize("claim", ["thm-5.3a", "lem-E.6", "cor-J.3", "sharp-5.3a", "sharp-5.3b"])
def test_a_tenth_of_the_size_is_caught(claim):
    card = find(claim)
    for found, expected in ((findings(PAPER, card), False), (findings(PAPER, tenth(card)), True)):
        algebra = [f for f in found if "by algebra" in f.reading]
        assert any(f.verdict is Verdict.REFUTED for f in algebra) is expected


def tenth(card):
    return multiplied(card, Fraction(1, 10))


@pytest.mark.parametrize(
    ("claim", "d"), [("sharp-5.3a", None), ("sharp-5.3b", 2), ("sharp-5.3b", 3)]
)
def test_the_smallest_size_is_smallest(claim, d):
    """One exploration fewer no longer suffices, for every arm."""
    quantity = find(claim).quantities[0]
    usable = [arm for arm in arms(PAPER) if (d or 1) <= arm.capacity < PAPER.plays]
    for each in sizes(quantity, PAPER, Question(threshold=d), usable, phi):
        with precision(128):
            left, right = each.sides()
            assert left < right
            left, right = replace(each, size=each.size - 1).sides()
            assert left >= right


def test_a_closed_form_that_is_too_small_is_caught():
    card = find("sharp-5.3a")
    halved = multiplied(replace(card, quantities=card.quantities[1:]), Fraction(1, 2)).quantities
    planted = replace(card, quantities=(card.quantities[0], *halved))
    assert only(findings(PAPER, card), "closed form").verdict is Verdict.HOLDS
    assert only(findings(PAPER, planted), "closed form").verdict is Verdict.REFUTED


# -- sizes: probability ------------------------------------------------------------------


def test_variance_a_half_breaks_5_3a_when_one_kind_is_far_ahead():
    found = only(findings(HALF, find("thm-5.3a")), "at the widest confidence-range: failure")
    assert found.verdict is Verdict.REFUTED
    assert found.evidence["tau"] != found.evidence["iota"]
    assert only(findings(HALF, find("cor-J.3")), "failure prob").verdict is Verdict.REFUTED


@pytest.mark.parametrize("law", [Bernoulli(), Gaussian(Fraction(1, 2))], ids=lambda law: law.name)
@pytest.mark.parametrize(("size", "threshold"), [(120, None), (220, None), (12, 2)])
def test_simulated_failures_lie_within_the_certified_enclosure(law, size, threshold):
    """A Clopper-Pearson interval of level 1e-6 must meet the enclosure."""
    each = Sized(Arm(1, Fraction(9, 10), 2, law), Fraction(1, 20), size, phi, threshold)
    trials = 40_000
    failures = _failures(each, 7, trials, np.random.default_rng(11))
    low, high = interval(failures, trials, 1e-6)
    with precision(128):
        at_least, at_most = each.failure(size, size)
        assert at_least <= high
        assert low <= at_most


@pytest.mark.parametrize(("size", "capacity"), [(40, 1), (110, 2), (150, 2), (30, 7)])
def test_simulated_failures_agree_with_the_exact_lattice(size, capacity):
    """A Clopper-Pearson interval of level 1e-6 must hold 1 - P(the bounds meet at m)."""
    each = Sized(Arm(1, Fraction(9, 10), capacity, Bernoulli()), Fraction(1, 20), size, phi)
    trials, plays = 20_000, 7
    failures = _failures(each, plays, trials, np.random.default_rng(5))
    with precision(128):
        lattice = Lattice(each.arm.mean, size, size, enclosing(2 * each.width(size)))
    right, _ = lattice.meeting(capacity, plays)
    low, high = interval(failures, trials, 1e-6)
    assert low <= 1 - right <= high


def test_failures_far_below_the_stopping_size_are_seen():
    card = find("sharp-5.3a")
    found = only(findings(PAPER, multiplied(card, Fraction(1, 20))), "simulated failures")
    assert found.verdict is Verdict.REFUTED


def test_stopping_sizes_are_near_the_typical_size_and_above_the_lower_bound():
    for instance in (PAPER, TEXTBOOK):
        finding = only(findings(instance, find("sharp-5.3a")), "step by step")
        found = finding.evidence
        assert (finding.verdict, found["hits"]) == (Verdict.CONSISTENT, 0)
        typical = sizes(
            find("sharp-5.3a").quantities[2],
            instance,
            Question(),
            [arm for arm in arms(instance) if arm.number == found["arm"]],
            phi,
        )[0].size
        assert found["stopping_size"]["0.5"] == pytest.approx(typical, rel=0.1)
        assert found["size"] > found["stopping_size"]["0.95"]
    assert found["median_per_lower_bound"] > 1


def test_our_sizes_do_not_apply_above_variance_a_quarter():
    for claim in ("sharp-5.3a", "sharp-5.3b"):
        (found,) = findings(HALF, find(claim))
        assert found.verdict is Verdict.NOT_APPLICABLE
        assert found.evidence["unmet"][0]["name"] == "sub-gaussian-half"


# -- the frame ---------------------------------------------------------------------------


def test_without_its_check_a_claim_is_inconclusive():
    table = crossvalidate(PAPER, "quick", claims=CLAIMS, checks={})
    assert {finding.verdict for finding in table.findings} == {Verdict.INCONCLUSIVE}


@pytest.mark.parametrize(
    "instance",
    [
        PAPER.with_(reward=Beta(Fraction(4))),
        Instance([1, 1, 0], [1, 1, 1], 1),
        Instance([1, "1/2", "-1/3"], [1, 2, 1], 2, Gaussian(Fraction(1, 4))),
    ],
    ids=["beta", "one play", "negative mean"],
)
def test_every_claim_has_a_verdict_and_keeps_within_the_budget(instance):
    run = Run(instance, SMALL, Budget(1e-6))
    found = [f for claim in CLAIMS for f in registered()[claim](find(claim), run)]
    assert {finding.claim for finding in found} == set(CLAIMS)
    assert run.budget.spent < 1e-6
    assert all(entry.verdict is not None for entry in run.budget.entries)
