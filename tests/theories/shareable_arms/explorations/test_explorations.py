"""Explorations that suffice: exact where they can be, against independent numbers, and not blind.

False alarms: what is sampled is refuted falsely with probability at most the plan's budget, 1e-6.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import comb

import mpmath
import pytest
from decisions import SMALL, context, further, search, verify
from scipy.stats import binom, norm
from sympy import Integer, Rational

import boundcheck
from boundcheck import falsify, find
from boundcheck.calculator.numbers.balls import ball, precision
from boundcheck.claims.card import Claim
from boundcheck.evidence.binomial import interval
from boundcheck.evidence.tails import Arm, Explored
from boundcheck.judging.comparison import Relation
from boundcheck.judging.falsification import RowKind
from boundcheck.judging.finding import Severity, Verdict
from boundcheck.judging.severity import searched, standings
from boundcheck.search import SearchLimit
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.exact.lattices import Lattice
from boundcheck.theories.shareable_arms.explorations.enough import (
    SufficientSize,
    failure_chance,
    failures_drawn,
)
from boundcheck.theories.shareable_arms.explorations.learning import FAR_ABOVE
from boundcheck.theories.shareable_arms.one_arm import MOST_ARMS, earning, representatives
from simulation.rewards.laws import Bernoulli, Beta, Gaussian
from simulation.running.estimation import estimate
from simulation.world.instance import Instance

CLAIMS = ("thm-5.3a", "thm-5.3b", "lem-E.6", "cor-J.3", "sharp-5.3a", "sharp-5.3b")
CONDITIONS = {
    "thm-5.3a": "confidence-range",
    "thm-5.3b": "threshold-confidence-range",
    "lem-E.6": "horizon",
}
PAPER = Instance.load("paper")
HALF = Instance.load("paper-gaussian")
TEXTBOOK = Instance.load("textbook")
QUARTER = Gaussian(Fraction(1, 4))


def multiplied(card: Claim, factor: Rational, place: int = 0) -> Claim:
    """The card with a quantity that asks for `factor` times as much."""
    quantity = card.quantities[place]
    terms = tuple(replace(t, expression=factor * t.expression) for t in quantity.terms)
    changed = replace(quantity, terms=terms)
    return replace(
        card, quantities=(*card.quantities[:place], changed, *card.quantities[place + 1 :])
    )


def asking_for(size: int) -> Claim:
    """A card on the uniform interval that asks for so many explorations, whatever the arm."""
    card = find("thm-5.3a")
    return multiplied(card, Integer(size) / card.quantities[0].terms[0].expression)


def phi(x: object, delta: object) -> mpmath.mpf:
    x, delta = mpmath.mpf(x), mpmath.mpf(delta)
    return mpmath.sqrt((1 + 1 / x) * mpmath.log(2 * mpmath.sqrt(x + 1) / delta) / (2 * x))


# -- the published sizes -----------------------------------------------------------------


@pytest.mark.parametrize("claim", CONDITIONS)
def test_published_sizes_hold_in_their_own_range_which_is_empty_in_practice(claim: str) -> None:
    found = verify(PAPER, claim)
    assert not found["intended"].applies
    assert CONDITIONS[claim] in {row["name"] for row in found["intended"].evidence["failing"]}
    beyond = found["intended elsewhere"]
    assert beyond.verdict is Verdict.HOLDS
    claimed = mpmath.mpf(beyond.compared.claimed)
    assert 0 < claimed < mpmath.mpf("1e-30")
    assert beyond.evidence["cases_outside"].keys() == {CONDITIONS[claim]}
    assert found[f"without:{CONDITIONS[claim]}"].verdict is Verdict.HOLDS


@pytest.mark.parametrize("claim", ["thm-5.3a", "lem-E.6", "cor-J.3"])
def test_variance_a_half_breaks_them_when_one_kind_is_far_ahead(claim: str) -> None:
    found = further(verify(HALF, claim))
    assert found.verdict is Verdict.REFUTED
    tau, iota = found.evidence["individual"], found.evidence["united"]
    assert max(tau, iota) == 10**6 * min(tau, iota)
    # one mean alone leaves the interval: the other kind has next to no width and no deviation
    n, delta = min(tau, iota), mpmath.mpf(found.compared.claimed)
    width = mpmath.sqrt(mpmath.log(2 / delta) / (2 * n)) if claim == "cor-J.3" else phi(n, delta)
    with mpmath.workdps(30):
        left_out = mpmath.erfc(width * mpmath.sqrt(n) * mpmath.mpf("1.01"))
    assert left_out > delta
    low, high = (mpmath.mpf(end) for end in found.evidence["actual"])
    assert delta < low <= high


@pytest.mark.parametrize("case", FAR_ABOVE)
def test_far_above_the_capacity_the_proof_fails_and_the_statement_stands(
    case: SufficientSize,
) -> None:
    card, m = find("thm-5.3a"), case.capacity
    n, mean, delta = case.explorations(card), mpmath.mpf(case.mean.numerator), float(case.delta)
    scale = 49 * m**2 / mean**2
    assert delta <= 2 * mpmath.exp(-scale)
    assert n == mpmath.ceil(scale * mpmath.log(2 / delta))
    assert (4 * m + 3) * phi(n, delta) >= mean
    for ahead in ("", "individual", "united"):
        measured = failure_chance(card, replace(case, ahead=ahead), context())
        assert measured.compare(Relation.AT_MOST, case.delta, 0.0).holds


@pytest.mark.parametrize("claim", ["thm-5.3a", "lem-E.6", "cor-J.3"])
def test_false_as_stated_true_with_what_the_proof_uses_silently(claim: str) -> None:
    found = searched(THEORY, claim, context(), SearchLimit(60, 60.0))
    (standing,) = [s for s in standings(THEORY, found) if s.card.id == claim]
    assert (standing.verdict, standing.severity) == (Verdict.REFUTED, Severity.SCOPE)
    case = standing.decisive.case
    assert case.law.variance > Fraction(1, 4)
    assert case.law.variance <= Fraction(1, 2)
    assert len(set(case.instance.means)) == case.instance.arms


def test_reaching_a_threshold_takes_so_few_that_any_admitted_variance_will_do() -> None:
    assert search("thm-5.3b", examples=80).verdict is Verdict.HOLDS  # every case is decided
    found = verify(HALF, "thm-5.3b")
    assert not found["intended"].applies
    assert found["intended elsewhere"].verdict is Verdict.HOLDS


def test_5_3a_needs_no_mean_below_the_capacity_although_its_proof_does() -> None:
    found = search("thm-5.3a", "without:mean-within-capacity", examples=80)
    assert (found.verdict, found.extent.cases > 5) == (Verdict.HOLDS, True)


# -- our sizes ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "d"), [("sharp-5.3a", None), ("sharp-5.3b", 2), ("sharp-5.3b", 3)]
)
def test_the_smallest_size_is_smallest(claim: str, d: int | None) -> None:
    """One exploration fewer no longer suffices, for every arm."""
    for mean, m in zip(PAPER.means, PAPER.capacities, strict=True):
        if m >= (d or 1):
            case = SufficientSize(mean, m, PAPER.plays, Bernoulli(), Fraction(1, 20), threshold=d)
            n, mu = case.explorations(find(claim)), mpmath.mpf(mean.numerator) / mean.denominator
            factor, share = (4 * m + 3, 1) if d is None else (m + 3 * d - 3, m - d + 1)
            assert factor * phi(n, 0.05) < share * mu <= factor * phi(n - 1, 0.05)


def test_a_closed_form_that_is_too_small_is_caught() -> None:
    card = find("sharp-5.3a")
    assert verify(PAPER, card)["further:closed-form"].verdict is Verdict.HOLDS
    assert search("sharp-5.3a", "further:closed-form", 40).verdict is Verdict.HOLDS
    halved = verify(PAPER, multiplied(card, Rational(1, 2), place=1))
    assert halved["further:closed-form"].verdict is Verdict.REFUTED


def test_our_sizes_do_not_apply_above_variance_a_quarter() -> None:
    for claim in ("sharp-5.3a", "sharp-5.3b"):
        found = verify(HALF, claim)["intended"]
        assert not found.applies
        assert found.evidence["failing"][0]["name"] == "sub-gaussian-half"


def test_the_estimator_stops_near_the_typical_size_and_well_before_the_sufficient_one() -> None:
    card = find("sharp-5.3a")
    for instance, number in ((PAPER, 7), (TEXTBOOK, 1)):
        mean, m = instance.means[number - 1], instance.capacities[number - 1]
        case = SufficientSize(mean, m, instance.plays, instance.reward, Fraction(1, 20))
        enough = case.explorations(card)
        runs = estimate(instance, number, samples=enough, runs=200, seed=0, delta=0.05)
        typical = case.explorations(card, place=2)
        assert runs.stopping_time(0.5) == pytest.approx(typical, rel=0.1)
        assert runs.stopping_time(0.95) < enough
        assert runs.right[-1] == 1


# -- wrong sizes are noticed -------------------------------------------------------------


@pytest.mark.parametrize("claim", [claim for claim in CLAIMS if claim != "thm-5.3b"])
def test_a_tenth_of_the_size_is_caught(claim: str) -> None:
    tenth = verify(PAPER, multiplied(find(claim), Rational(1, 10)))
    assert further(tenth).verdict is Verdict.REFUTED


def test_a_quarter_of_5_3a_is_caught_without_sampling() -> None:
    for instance in (TEXTBOOK, PAPER):
        found = verify(instance, multiplied(find("thm-5.3a"), Rational(1, 4)))
        seen = [f for f in found.values() if f.verdict is Verdict.REFUTED]
        assert seen
        assert all("hits" not in f.evidence for f in seen)


# -- the measurements --------------------------------------------------------------------


@pytest.mark.parametrize("law", [Bernoulli(), Gaussian(Fraction(1, 2))], ids=lambda law: law.name)
@pytest.mark.parametrize(
    ("size", "m", "threshold"),
    [(120, 2, None), (250, 2, None), (12, 2, 2), (40, 1, None), (30, 7, None)],
)
def test_counted_failures_agree_with_what_is_computed(law, size, m, threshold) -> None:
    """A Clopper-Pearson interval of level 1e-6 must meet the enclosure (or hold the sum)."""
    case = SufficientSize(Fraction(9, 10), m, 7, law, Fraction(1, 20), threshold)
    card, effort = asking_for(size), replace(SMALL, trials=20_000)
    with precision(128):
        sure, counted = (
            failure_chance(card, case, context()),
            failures_drawn(card, case, context(effort)),
        )
        low, high = interval(counted.hits, counted.trials, 1e-6)
        assert sure.lower <= high
        assert low <= sure.upper


@pytest.mark.parametrize("capacity", [1, 2, 5])
@pytest.mark.parametrize("counts", [(200, 200), (300, 60), (60, 300)])
def test_the_enclosure_of_not_learning_holds_the_exact_sum(capacity, counts) -> None:
    """With five plays, so that 5 is where no larger capacity has to be excluded."""
    likely = 0
    for s in (Fraction(1, 50), Fraction(1, 10), Fraction(1, 6), Fraction(2, 5), Fraction(3, 5)):
        right, _ = Lattice(Fraction(1, 2), *counts, (s, s)).meeting(capacity, 5)
        with precision(128):
            explored = Explored(Arm(1, Fraction(1, 2), capacity, Bernoulli()), *counts)
            low, high = explored.unlearned(ball(s), 5)
            assert low <= ball(1 - right) <= high
            likely += bool(low > 0.5)
    assert likely


@pytest.mark.parametrize("n", [50, 400, 3_000])
@pytest.mark.parametrize("mean", [Fraction(1, 2), Fraction(1, 10), Fraction(1)])
def test_a_tail_of_one_mean_holds_the_binomial_one(n: int, mean: Fraction) -> None:
    arm = Arm(1, mean, 1, Bernoulli())
    for places in (-30, -7, 0, 3, 11, 40):
        least = int(mean * n) + places
        exact = binom.sf(least - 1, n, float(mean))
        with precision(128):
            found = Explored(arm, n, n).tail(1, 0, ball(Fraction(least, n) - mean))
        low, high = float(found.lower()), float(found.upper())
        assert low <= exact * (1 + 1e-9)
        assert exact * (1 - 1e-9) <= high
        assert high - low <= 1.13 / (n * float(arm.variance or 1)) ** 0.5


def test_lattice_of_the_lower_bound_by_hand() -> None:
    """d = 2, m = 2 and n = 3: 2 J/3 <= I/3 + s, summed over all successes I and J."""
    p, s = Fraction(2, 3), Fraction(1, 5)
    chance = sum(
        comb(3, i) * p**i * (1 - p) ** (3 - i) * comb(3, j) * p**j * (1 - p) ** (3 - j)
        for i in range(4)
        for j in range(4)
        if Fraction(2 * j, 3) <= Fraction(i, 3) + s
    )
    assert Lattice(p, 3, 3, (s, s)).unreached(2, 2) == chance


# -- without the condition on delta ------------------------------------------------------


@pytest.mark.parametrize("claim", ["thm-5.3a", "lem-E.6"])
def test_5_3a_without_its_condition_fails_for_a_normal_law(claim: str) -> None:
    row, *_ = falsify(claim, CONDITIONS[claim], examples=300, seconds=60)
    assert row.kind is RowKind.COUNTEREXAMPLE
    told = row.parameters
    mu, m, n = mpmath.mpf(told["mean"]), told["capacity"], told["individual"]
    delta = mpmath.mpf(told["delta"]) if claim == "thm-5.3a" else 2 / mpmath.mpf(told["horizon"])
    assert n == told["united"] == mpmath.ceil(49 * m * m / mu / mu * mpmath.log(2 / delta))
    assert delta > 2 * mpmath.exp(-49 * m * m / mu / mu)
    # m + 1 stays possible where (m + 1)(muhat - s) <= nuhat
    spread = mpmath.sqrt(mpmath.mpf(told["variance"]) * ((m + 1) ** 2 + m**2) / n)
    assert norm.sf(float((mu - (m + 1) * 2 * phi(n, delta)) / spread)) > delta


@pytest.mark.parametrize(("claim", "count"), [("thm-5.3a", 12), ("lem-E.6", 12), ("thm-5.3b", 9)])
def test_thresholds_of_the_condition_are_where_the_inequality_turns(claim: str, count: int) -> None:
    table = THEORY.thresholds(claim, CONDITIONS[claim])
    assert [row.kind for row in table] == [RowKind.THRESHOLD] * count
    for row in table:
        mu, m = mpmath.mpf(row.parameters["mean"]), row.parameters["capacity"]
        d = row.parameters.get("threshold")
        factor, share = (4 * m + 3, 1) if d is None else (m + 3 * d - 3, m - d + 1)

        def ratio(delta: mpmath.mpf) -> mpmath.mpf:
            n = 49 * m * m / (share * mu) ** 2 * mpmath.log(2 / delta)  # noqa: B023
            return factor * phi(n, delta) / (share * mu)  # noqa: B023

        sharp = mpmath.mpf(row.actual)
        sharp = 2 / sharp if claim == "lem-E.6" else sharp
        near = mpmath.mpf("1e-11")
        assert ratio(sharp * (1 - near)) < 1 < ratio(sharp * (1 + near))
        assert sharp > 2 * mu**2 / (49 * m**2)


# -- any instance ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "instance",
    [
        PAPER.with_(reward=Beta(Fraction(4))),
        Instance([1, 1, 0], [1, 1, 1], 1),
        Instance([1, "1/2", "-1/3"], [1, 2, 1], 2, QUARTER),
        Instance([Fraction(1, 10**40), Fraction(1, 10**41), 0], [2, 1, 1], 2),
        Instance([10**40, 1, "1e-30"], [2, 9, 1], 2, Gaussian(Fraction(1, 2))),
        Instance([0, 0], [1, 1], 1),
    ],
    ids=["beta", "one play", "negative mean", "faint", "strong", "nothing earned"],
)
def test_every_claim_is_decided_on_any_instance(instance: Instance) -> None:
    for claim in CLAIMS:
        found = verify(instance, claim)
        assert "intended" in found
        for finding in found.values():
            nothing = finding.explanation.startswith("nothing to decide here")
            assert (finding.verdict is Verdict.UNDECIDED) == nothing
            assert not nothing or instance.plays == 1  # then there is no capacity to learn
        if not any(mean > 0 for mean in instance.means):
            assert not found["intended"].applies


# -- very many arms --------------------------------------------------------------------------


def _many(count: int, different: int) -> Instance:
    means = [Fraction(1 + k % different, different + 1) for k in range(count)]
    return Instance(means, [1 + k % 5 % different for k in range(count)], 10)


def test_of_equal_arms_one_is_decided_and_none_is_left_out() -> None:
    found = representatives(earning(_many(1000, 5)))
    assert len({(arm.mean, arm.capacity) for arm in found}) == len(found) == 5
    assert {arm.left_out for arm in found} == {0}


def test_of_very_many_arms_the_weakest_is_first_and_the_rest_is_counted() -> None:
    every = earning(_many(500, 499))
    found = representatives(every)
    strength = [arm.mean / arm.capacity for arm in found[: MOST_ARMS - 1]]
    assert strength == sorted(strength)
    assert strength[0] == min(arm.mean / arm.capacity for arm in every)
    assert max(strength) == max(arm.mean / arm.capacity for arm in every)
    assert max(arm.mean for arm in every) in {arm.mean for arm in found}
    alike = {(arm.mean, arm.capacity) for arm in found}
    looked_at = sum((arm.mean, arm.capacity) in alike for arm in every)
    assert {arm.left_out for arm in found} == {len(every) - looked_at}
    assert len(found) <= MOST_ARMS
    assert representatives(every[:MOST_ARMS]) == every[:MOST_ARMS]


def test_a_finding_on_many_arms_says_how_many_were_left_out() -> None:
    cards = ("thm-5.3a", "thm-5.3b", "thm-4.1b")
    found = boundcheck.verify(_many(100, 99), "quick", claims=cards)
    here, elsewhere, *_ = found.of("thm-5.3a")
    assert (here.statement, here.applies, elsewhere.statement) == ("intended", False, "intended")
    assert elsewhere.evidence["arms_left_out"] == 100 - MOST_ARMS
