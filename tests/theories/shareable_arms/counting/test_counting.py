"""The counting lemmas: enclosures against plain sums, enumeration, runs, and planted mistakes."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb

import numpy as np
import pytest
from decisions import SMALL, context, search, verify
from scipy.stats import binom, norm
from sympy import Integer

from boundcheck import find
from boundcheck.calculator.numbers.balls import precision
from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.evidence.tails import arms_of
from boundcheck.judging.decide import decide
from boundcheck.judging.effort import EFFORTS
from boundcheck.judging.finding import NO_BETTER, Cover, Leaning, Verdict
from boundcheck.theories.shareable_arms import THEORY
from boundcheck.theories.shareable_arms.counting import lem_e_3
from boundcheck.theories.shareable_arms.counting.known_capacities import Runs
from boundcheck.theories.shareable_arms.counting.lem_e_1 import (
    Coin,
    Foreseen,
    bad_slots,
    never_played,
    tails,
)
from boundcheck.theories.shareable_arms.counting.lem_e_2 import INTENDED as LOW
from boundcheck.theories.shareable_arms.counting.lem_e_2 import (
    low_index_slots,
    low_slots,
    under_any_rule,
)
from boundcheck.theories.shareable_arms.counting.lem_e_3 import (
    EverySlot,
    all_slots,
    few_arms,
    in_drawn_slots,
    loads,
    seen_to_happen,
    uncovered,
)
from boundcheck.theories.shareable_arms.counting.lem_e_4 import worst_loss
from boundcheck.theories.shareable_arms.one_arm import Rewarded
from simulation.rewards.laws import Bernoulli, Beta, Gaussian
from simulation.world.instance import Instance

PAPER = Instance.load("paper")
TEXTBOOK = Instance.load("textbook")
NOISY = Instance([3, 2, 1], [1, 1, 1], 1, Gaussian("8"), "noisy")
FAR = Instance([30, 20, 10], [1, 1, 1], 1, Gaussian("0.25"), "far")
TWO_ARMS = Instance(["0.9", "0.1"], [1, 1], 1, name="two-arms")
WIDE = Instance(["0.9", "0.5", "0.1"], [1, 1, 1], 2, name="wide")
EQUAL = Instance(["0.5", "0.5", "0.1"], [1, 1, 1], 1, name="equal")
CLAIMS = ("lem-E.1", "lem-E.2", "lem-E.3", "lem-E.4", "lem-E.5")


def times(claim: str, factor: Fraction) -> Claim:
    """The card with every number it claims multiplied."""
    card, by = find(claim), Integer(factor.numerator) / factor.denominator
    if card.formula is not None:
        return replace(card, formula=card.formula * by)
    (quantity,) = card.quantities
    scaled = tuple(replace(term, expression=term.expression * by) for term in quantity.terms)
    return replace(card, quantities=(replace(quantity, terms=scaled),))


# -- E.1 -----------------------------------------------------------------------------------


def enclosing(mean: str, law: object, epsilon: Fraction) -> tuple[float, float]:
    with precision(256):
        low, high = tails.__wrapped__(Fraction(mean), law, epsilon)
    return float(low.lower()), float(high.upper())


@pytest.mark.parametrize("variance", ["0.01", "0.25", "0.5", "3"])
def test_the_gaussian_enclosure_holds_the_sum_of_tails(variance: str) -> None:
    n = np.arange(1, 40_000)
    total = 2 * norm.sf(0.1 * np.sqrt(n / float(variance))).sum()
    low, high = enclosing("1", Gaussian(Fraction(variance)), Fraction(1, 10))
    assert low <= total <= high
    assert high - low <= 1


@pytest.mark.parametrize(("mean", "epsilon"), [("0.5", "0.1"), ("0.3", "0.07"), ("0.9", "0.25")])
def test_binomial_tails_are_those_of_scipy_however_few_are_added_up(
    mean: str, epsilon: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    p, off, n = Fraction(mean), Fraction(epsilon), range(1, 4_000)
    few = [math.floor(k * (p - off)) for k in n]
    many = [math.ceil(k * (p + off)) for k in n]
    total = sum(binom.cdf(few, n, float(p)) + binom.sf(np.array(many) - 1, n, float(p)))
    low, high = enclosing(mean, Bernoulli(), off)
    assert low == pytest.approx(total, rel=1e-9)
    assert high == pytest.approx(total, rel=1e-9)
    monkeypatch.setattr("boundcheck.theories.shareable_arms.counting.lem_e_1.TAILS", 20)
    low, high = enclosing(mean, Bernoulli(), off)
    assert low < total < high
    rate = 2 * float(off) ** 2
    assert high - low == pytest.approx(2 * math.exp(-20 * rate) / math.expm1(rate), rel=1e-9)


def test_a_coin_that_falls_half_as_often_makes_twice_the_bad_slots() -> None:
    arm = arms_of(PAPER)[4]
    seen = [
        bad_slots(find("lem-E.1"), Coin.of(PAPER, arm, Fraction(1, 20), chance=chance), context())
        for chance in (Fraction(1), Fraction(1, 2))
    ]
    low, high = enclosing("1/2", Bernoulli(), Fraction(1, 10))
    assert [float(x.lower) for x in seen] == pytest.approx([low, 2 * low])
    assert [float(x.upper) for x in seen] == pytest.approx([high + 1, 2 * (high + 1)])


@pytest.mark.parametrize("mean", ["0", "1"])
def test_an_arm_that_is_never_off_has_no_bad_slot(mean: str) -> None:
    low, high = enclosing(mean, Bernoulli(), Fraction(1, 10))
    assert low == 0 <= high < 1e-9


def worst_rule(chance: Fraction, epsilon: Fraction, slots: int, *, foresight: bool) -> Fraction:
    """The most bad slots in H over all rules, for a fair Bernoulli arm, by dynamic programming."""

    @cache
    def most(left: int, plays: int, successes: int) -> Fraction:
        if left == 0:
            return Fraction(0)
        bad = abs(Fraction(successes, max(plays, 1)) - Fraction(1, 2)) >= epsilon
        stay = most(left - 1, plays, successes)
        moved = sum(most(left - 1, plays + 1, successes + reward) for reward in (0, 1)) / 2
        outside, unplayed, played = max(stay, moved), bad + max(stay, moved), bad + moved
        if foresight:
            return chance * max(outside, played) + (1 - chance) * unplayed
        return max(outside, chance * played + (1 - chance) * unplayed)

    return most(slots, 0, 0)


@pytest.mark.parametrize("chance", [Fraction(1), Fraction(1, 2), Fraction(1, 4)])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(3, 10)])
def test_no_rule_without_foresight_exceeds_the_sum_of_the_tails(
    chance: Fraction, epsilon: Fraction
) -> None:
    slots = 12
    total = Fraction(0)
    for n in range(slots + 1):
        off = (abs(Fraction(i, max(n, 1)) - Fraction(1, 2)) >= epsilon for i in range(n + 1))
        total += Fraction(sum(comb(n, i) for i, bad in enumerate(off) if bad), 2**n)
    assert worst_rule(chance, epsilon, slots, foresight=False) <= total / chance
    assert 1 + enclosing("1/2", Bernoulli(), epsilon)[1] >= float(total)


def test_a_rule_that_knows_the_next_coin_exceeds_what_is_printed() -> None:
    """c = 1/4, epsilon = 1/2: claimed are 8 (8 + 4) = 96 slots of all there are."""
    c, half = Fraction(1, 4), Fraction(1, 2)
    for slots, bad in ((16, 12), (200, 150)):
        case = Foreseen(half, 1, 1, Bernoulli(), half, epsilon=half, chance=c, slots=slots)
        measured = never_played(find("lem-E.1"), case, context())
        assert measured is not None
        assert float(measured.lower) == bad
    assert worst_rule(c, half, 16, foresight=True) > 12 > worst_rule(c, half, 16, foresight=False)
    found = search("lem-E.1", "printed")
    assert found.verdict is Verdict.REFUTED
    told = found.case.parameters()
    c, epsilon = Fraction(told["c"]), Fraction(told["epsilon"])
    assert Fraction(told["mean"]) >= epsilon
    assert (1 - c) * told["slots"] > 2 / c * (2 / c + epsilon**-2)


def test_bad_estimates_hold_up_to_variance_one_half_and_fail_far_above() -> None:
    for reward in (Gaussian("0.25"), Gaussian("0.5")):
        found = verify(NOISY.with_(reward=reward), "lem-E.1")
        assert found["intended"].verdict is Verdict.HOLDS
        assert found["printed"].verdict is Verdict.REFUTED
    for instance in (PAPER, EQUAL, EQUAL.with_(reward=Beta("4"))):
        assert verify(instance, "lem-E.1")["intended"].verdict is Verdict.HOLDS
    beyond = verify(NOISY, "lem-E.1")
    assert not beyond["intended"].applies
    assert beyond["without:variance-at-most-half"].verdict is Verdict.REFUTED
    dropped = search("lem-E.1", "without:variance-at-most-half")
    assert dropped.verdict is Verdict.REFUTED
    assert (
        Fraction(dropped.case.parameters()["variance"]) > 2
    )  # sigma^2/epsilon^2 beside 2/epsilon^2


@pytest.mark.parametrize("instance", [PAPER, Instance.load("paper-gaussian")])
def test_a_bound_on_bad_estimates_that_is_too_small_is_refuted(instance: Instance) -> None:
    found = verify(instance, times("lem-E.1", Fraction(1, 20)))["intended"]
    assert found.verdict is Verdict.REFUTED
    assert verify(instance, "lem-E.1")["intended"].verdict is Verdict.HOLDS


def test_no_coin_of_chance_c_exceeds_the_bound_on_bad_estimates() -> None:
    found = search("lem-E.1", examples=100)
    assert found.verdict is Verdict.HOLDS  # in every case of the search, by certified sums
    assert found.extent.cases > 50


# -- E.2 -----------------------------------------------------------------------------------


def test_the_certified_index_sum_is_that_of_plain_floats_and_shrinks_with_the_horizon() -> None:
    total = 2.0
    for t in range(3, 501):
        level = math.log(t) + 4 * math.log(math.log(t))
        total += min(1.0, math.e * math.ceil(level * math.log(t)) * math.exp(-level))
    u = math.log(500)
    total += math.e * (1 / u + (2 * math.log(u) + 1) / u**2 + 1 / (3 * u**3))
    assert float(low_index_slots(500)) == pytest.approx(total, rel=1e-9)
    later = [float(low_index_slots(horizon)) for horizon in (50, 500, 2_000)]
    assert later == sorted(later, reverse=True)
    assert later[-1] < 8


def indexed(instance: Instance, arm: int) -> Rewarded:
    return Rewarded.of(instance, arms_of(instance)[arm - 1], Question().delta)


@pytest.mark.parametrize("reward", [Bernoulli(), Gaussian("0.5"), Beta("4")])
def test_low_slots_lie_between_what_one_slot_has_and_what_any_rule_has(reward: object) -> None:
    case = indexed(WIDE.with_(reward=reward), 1)
    (low,) = (way for way in LOW.actual if way.sampled)
    seen = low.of(find("lem-E.2"), case, context(EFFORTS["standard"])).values
    limits = under_any_rule(find("lem-E.2"), case, context())
    error = 4 * seen.std() / math.sqrt(len(seen))
    assert float(limits.lower) - error < seen.mean() < float(limits.upper) / 2
    assert seen.mean() > 0.05


def test_low_slots_of_a_run_are_those_of_a_plain_loop() -> None:
    mean, slots = 0.9, np.arange(2, 100)
    hits = np.random.default_rng(3).random((1_000, slots.size)) < mean
    found = low_slots(indexed(WIDE, 1), slots, np.cumsum(hits, axis=1) / (slots - 1))
    run = int(np.argmax(found))
    assert found[run] > 2
    successes = count = 0
    for t in range(2, 100):
        successes += int(hits[run, t - 2])
        n, p, cost = t - 1, successes / (t - 1), 0.0
        if p < mean:
            for a, b in ((p, mean), (1 - p, 1 - mean)):
                cost += n * a * math.log(a / b) if a > 0 else 0.0
        level = math.log(t) + 4 * math.log(math.log(t)) if t > 2 else 0.0
        count += cost > level
    assert count == found[run]


def test_the_low_index_lemma_holds_for_every_arm_and_30_comes_from_its_card() -> None:
    found = verify(TEXTBOOK, "lem-E.2")["intended"]
    assert found.verdict is Verdict.HOLDS
    assert found.extent.cover is Cover.EVERY
    # 15 is below twice the certified sum: only runs speak for it
    halved = verify(TEXTBOOK, times("lem-E.2", Fraction(1, 2)))["intended"]
    assert (halved.verdict, halved.extent.cover) == (Verdict.UNDECIDED, Cover.SAMPLE)
    assert halved.leans is Leaning.FOR  # how many slots may be bad is known up to T only
    assert halved.evidence["mean"] < 1
    tiny = verify(TEXTBOOK, times("lem-E.2", Fraction(1, 100)))["intended"]
    assert (tiny.verdict, tiny.evidence["claimed"]) == (Verdict.REFUTED, "0.3")


def test_the_low_index_lemma_needs_its_variance() -> None:
    found = verify(NOISY, "lem-E.2")
    assert not found["intended"].applies
    assert found["without:variance-at-most-half"].verdict is Verdict.HOLDS


# -- E.3 -----------------------------------------------------------------------------------


def test_every_case_of_two_and_three_arms_is_covered_and_none_is_an_exception() -> None:
    each = [all_slots(case.instance.plays, tuple(case.capacities)) for case in few_arms()]
    assert [sum(counts) for counts in zip(*each, strict=True)] == [21652, 0]
    assert [case.parameters() for case in few_arms()] == [
        {"K": 2, "N": 1},
        {"K": 3, "N": 1},
        {"K": 3, "N": 2},
    ]


def test_exceptions_appear_when_epsilon_exceeds_half_the_gap() -> None:
    means, ones, first = np.array([1.0, 0.0]), np.array([1, 1]), np.array([0, 1])
    # arm 1 looks worse than arm 2, both within 0.6 of their means
    concerned, wrong = uncovered(means, 0.6, ones, 1, np.array([[0.45, 0.55]]), first)
    assert (concerned.tolist(), wrong.tolist()) == ([True], [True])
    concerned, wrong = uncovered(means, 0.4, ones, 1, np.array([[0.3, 0.35]]), first)
    assert (concerned.tolist(), wrong.tolist()) == ([True], [False])
    found = search("lem-E.3", "without:epsilon-range")
    assert found.verdict is Verdict.REFUTED
    case = found.case
    gaps = -np.diff([float(m) for m in case.instance.means])
    assert 2 * float(case.epsilon) >= min(gaps)


def test_a_wider_epsilon_is_noticed_where_all_slots_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lem_e_3, "EPSILON", 5)  # means are 8 apart
    all_slots.cache_clear()
    assert verify(WIDE, "lem-E.3")["intended"].verdict is Verdict.REFUTED
    all_slots.cache_clear()
    many = in_drawn_slots(find("lem-E.3"), EverySlot(PAPER, Question()), context())
    assert many.hits > 0


def test_loads_fill_arms_in_the_order_given() -> None:
    order = np.array([[2, 0, 1], [1, 2, 0]])
    assert loads(order, np.array([2, 3, 2]), 3).tolist() == [[1, 0, 2], [0, 3, 0]]


def test_equal_estimates_are_ranked_as_told() -> None:
    means, same = np.array([1.0, 0.0]), np.array([[0.5, 0.5]])
    for ties, wrong_action in (((0, 1), False), ((1, 0), True)):
        concerned, _ = uncovered(means, 0.51, np.array([1, 1]), 1, same, np.array(ties))
        assert concerned.tolist() == [wrong_action]


def test_the_cover_is_checked_on_the_instance_and_needs_distinct_means() -> None:
    few, many = verify(WIDE, "lem-E.3")["intended"], verify(PAPER, "lem-E.3")["intended"]
    assert (few.verdict, few.extent.cover) == (Verdict.HOLDS, Cover.EVERY)
    assert (many.verdict, many.extent.cover) == (Verdict.UNDECIDED, Cover.SAMPLE)
    assert many.leans is Leaning.NONE  # no slot of those drawn is uncovered; the lemma is of all
    assert many.evidence["trials"] > 50
    assert 0 < many.evidence["detectable"] < 0.1
    equal = EQUAL.with_(plays=2, reward=Gaussian("0.5"))
    for finding in verify(equal, "lem-E.3").values():
        assert not finding.applies
        assert "no two means are equal" in finding.explanation
    survived = search("lem-E.3", examples=100)
    assert (survived.verdict, survived.extent.cover) == (Verdict.HOLDS, Cover.SEARCH)
    assert survived.extent.cases > 50
    assert EverySlot(WIDE.with_(capacities=[1, 7, 1])).capacities == [1, 2, 1]


def test_a_stale_action_escapes_the_cover_by_a_history_that_can_happen() -> None:
    """Two plays, m^l = 1 and m^u = 2 throughout: slots 1 and 3 are of individual exploration."""
    (slot,) = seen_to_happen()
    means, unseen = slot.instance.means, Fraction(0)
    seen: dict[int, list[int]] = {1: [], 2: [0], 3: [0]}  # slot 1 played arms 2 and 3
    estimates = [Fraction(sum(x), len(x)) if x else unseen for x in seen.values()]
    assert slot.seen == tuple(estimates) == (0, 0, 0)
    chosen = [arm + 1 for arm in slot.ties[:2]]  # a tie of all three
    assert chosen == [1, 3]
    seen[1] += [1]
    seen[2] += [1]  # explored in place of arm 3, the last one chosen
    assert slot.now == tuple(Fraction(sum(x), len(x)) for x in seen.values())
    assert all(abs(x - mean) < slot.epsilon for x, mean in zip(slot.now, means, strict=True))
    assert slot.epsilon < (means[0] - means[1]) / 2 == (means[1] - means[2]) / 2
    # arms 1 and 2 are best, and as their estimates are not below their means, nor are indices
    assert all(x >= mean for x, mean in zip(slot.now[:2], means[:2], strict=True))
    found = search("lem-E.3", "printed")
    assert found.verdict is Verdict.REFUTED
    assert found.case == slot
    assert found.evidence["of_equal_ones_first"] == [1, 3, 2]


def test_the_cover_as_printed_fails_where_one_reward_can_turn_an_estimate() -> None:
    found = verify(TEXTBOOK, "lem-E.3")["printed"]
    assert found.verdict is Verdict.REFUTED
    assert found.case.seen != found.case.now == tuple(sorted(TEXTBOOK.means, reverse=True))
    for instance in (PAPER, FAR):
        assert not verify(instance, "lem-E.3")["printed"].applies


# -- E.4 and E.5 ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "instance", [WIDE, FAR, TEXTBOOK, Instance([2, 1, -3], [1, 2, 1], 2, Gaussian("0.5"))]
)
def test_no_action_within_capacities_loses_more_than_the_worst(instance: Instance) -> None:
    each = (range(m + 1) for m in instance.capacities)
    actions = [action for action in product(*each) if sum(action) == instance.plays]
    assert worst_loss(instance) == max(map(instance.regret, actions))


def test_runs_lose_by_exploring_or_otherwise() -> None:
    case = Runs(TEXTBOOK, Question(horizon=SMALL.horizon))
    runs = context().simulated(TEXTBOOK, "orch-explore-kc", SMALL.horizon, SMALL.runs)
    explored = case.lost(context(), deliberately=True)
    assert explored.tolist() == runs.regret[:, runs.phases.index("deliberate"), -1].tolist()
    assert (explored + case.lost(context(), deliberately=False)) == pytest.approx(runs.total[:, -1])


def test_bad_slots_are_counted_where_the_bound_is_below_the_horizon() -> None:
    found = verify(FAR, "lem-E.4")["intended"]
    # 12 * 9 * (4 + 1/25) of 10,000 slots; only those that are surely bad are counted
    assert (found.verdict, found.leans) == (Verdict.UNDECIDED, Leaning.FOR)
    assert found.rests_on == ("lem-E.3",)
    assert 0 < found.evidence["mean"] < 12 * 9 * (4 + 1 / 25)
    wrong = verify(FAR, times("lem-E.4", Fraction(1, 10_000)))["intended"]
    assert wrong.verdict is Verdict.REFUTED
    assert verify(PAPER, "lem-E.4")["intended"].answer == NO_BETTER
    assert not verify(EQUAL, "lem-E.4")["intended"].applies


def test_two_arms_with_one_play_do_not_refute_the_number_of_bad_slots() -> None:
    """There the parts of the proof do not fit into its total: a step of it, not the lemma."""
    found = verify(TWO_ARMS, "lem-E.4", EFFORTS["quick"])["intended"]
    assert (found.verdict, found.leans) == (Verdict.UNDECIDED, Leaning.FOR)
    dropped = search("lem-E.4", "without:more-than-two-arms")
    assert (dropped.verdict, dropped.leans) == (Verdict.UNDECIDED, Leaning.FOR)
    assert dropped.extent.cases == 1


def test_deliberate_explorations_agree_or_say_nothing() -> None:
    found = verify(TEXTBOOK, "lem-E.5")["intended"]
    assert (found.verdict, found.leans) == (Verdict.UNDECIDED, Leaning.FOR)
    assert 0 < found.evidence["mean"] < float(found.compared.claimed)
    small = verify(TEXTBOOK, times("lem-E.5", Fraction(1, 10_000)))["intended"]
    assert small.verdict is Verdict.UNDECIDED
    assert "bad slots would decide" in small.explanation


def test_the_bound_on_deliberate_explorations_is_the_weighted_sum_of_those_of_arms() -> None:
    found = verify(FAR, "lem-E.5")["intended"]
    epsilon, log_t = float(found.evidence["epsilon"]), math.log(SMALL.horizon)
    total = 0.0
    for gap in (10, 20):
        kl = (gap - 2 * epsilon) ** 2 / (2 * 0.25)
        total += gap * ((log_t + 4 * math.log(log_t)) / kl + 2 * (2 + epsilon**-2))
    assert float(found.compared.claimed) == pytest.approx(total, rel=1e-9)


# -- all of them -----------------------------------------------------------------------------


@pytest.mark.parametrize("gap", ["1e-10", "1e-20", "1e-40", "1e-400"])
@pytest.mark.parametrize("claim", CLAIMS)
def test_no_gap_is_too_small(gap: str, claim: str) -> None:
    instance = Instance(["0.5", Fraction(1, 2) - Fraction(gap), "0.3"], [2, 1, 1], 2)
    assert verify(instance, claim)["intended"].answer in (Verdict.HOLDS, NO_BETTER)


ODD = {
    "two certain arms": Instance([1, 0], [1, 1], 1),
    "nothing to earn": Instance([0, 0, 0], [1, 1, 1], 2),
    "a negative mean": Instance([2, 1, -3], [1, 1, 1], 2, Gaussian("0.5")),
    "huge means": Instance([10**30, 10**20, 1], [1, 1, 1], 2, Gaussian("0.5")),
    "forty arms": Instance([Fraction(41 - k, 50) for k in range(40)], [300] * 40, 39),
    "a Beta law": Instance(["0.9", "0.5", "0.1"], [1, 7, 1], 2, Beta("1e6")),
}


@pytest.mark.parametrize("instance", ODD.values(), ids=ODD)
def test_odd_instances_have_verdicts(instance: Instance) -> None:
    for claim in CLAIMS:
        found = verify(instance, claim)
        assert found["intended"].verdict is not Verdict.REFUTED
        assert all(finding.explanation for finding in found.values())


def test_what_cannot_be_refuted_is_not_searched() -> None:
    assert {"lem-E.1", "lem-E.3", "lem-E.4"} == set(CLAIMS) & set(THEORY.falsifiable)


def test_cases_that_are_not_slots_of_the_lemma_do_not_decide_it() -> None:
    """A refuting slot given by hand is refuted by the same decision that verify makes."""
    card, (slot,) = find("lem-E.3"), seen_to_happen()
    printed = lem_e_3.STATEMENTS["lem-E.3"][1]
    assert decide(card, printed, [slot], context()).verdict is Verdict.REFUTED
    fresh = replace(slot, now=slot.seen)
    assert decide(card, printed, [fresh], context()).verdict is Verdict.HOLDS


def test_a_coin_is_told_with_what_a_reader_needs() -> None:
    case = Coin.of(NOISY, arms_of(NOISY)[0], Fraction(1, 20), epsilon=Fraction(1, 8))
    assert case.parameters() == {
        "arm": 1,
        "mean": "3",
        "variance": "8",
        "epsilon": "0.125",
        "c": "0.5",
    }
