"""Regret bounds and growth: true ones stand, planted mistakes and unavoidable losses are seen."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from math import exp, log, sqrt

import mpmath
import numpy as np
import pytest
import sympy
from decisions import context, scaled, search, verify
from flint import arb
from paper import RunContext, unmet

from boundcheck import bounds, catalogue, find
from boundcheck.calculator.numbers.balls import ball
from boundcheck.calculator.question import Question
from boundcheck.claims import symbols as s
from boundcheck.claims.card import Claim, Kind, Term
from boundcheck.evidence.error_plan import ErrorPlan
from boundcheck.judging.comparison import Measured, Relation
from boundcheck.judging.decide import decide
from boundcheck.judging.default_statements.growth import Limit, upper_growth
from boundcheck.judging.default_statements.regret import (
    LEAST_RUNS,
    AtHorizon,
    batches,
    bound,
    claimed_number,
    ladder,
    simulated,
    small,
    upper_regret,
)
from boundcheck.judging.effort import Effort
from boundcheck.judging.finding import DOES_NOT_APPLY, NO_BETTER, Leaning, Role, Severity, Verdict
from boundcheck.judging.measured import Enclosed, Observed
from boundcheck.judging.searching import search as search_for
from boundcheck.judging.severity import Standing
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.pages.study import Rung
from boundcheck.search import SearchLimit
from boundcheck.theories.shareable_arms import THEORY, symbols
from boundcheck.theories.shareable_arms.elimination import thm_g_3
from boundcheck.theories.shareable_arms.elimination.cor_g_2 import with_constants_of_g_1
from boundcheck.theories.shareable_arms.elimination.waiting import (
    NEAR_TIE,
    elimination_chance,
    quiet_rounds,
    round_loss,
    three_arms,
    waiting,
    waiting_growth,
)
from boundcheck.theories.shareable_arms.first_slot import first_loss
from boundcheck.theories.shareable_arms.lower_regret.cards import SUBOPTIMAL
from boundcheck.theories.shareable_arms.pages.paper import by_phase
from simulation.policies import POLICIES
from simulation.rewards.laws import Beta, Gaussian
from simulation.world.instance import Instance

TEXTBOOK, PAPER = Instance.load("textbook"), Instance.load("paper")
NO_LEAPS = TEXTBOOK.with_(means=["0.9", "0.8", "0.5", "0.4", "0.3"], reward=Beta(4))
TINY = Effort("tiny", trials=100, runs=40, horizon=2_000)
CLAIMS = ("thm-7.1", "sharp-7.1", "thm-G.1", "thm-G.5", "thm-H.1")
UNIT = Instance(["0.9", "0.5", "0.2"], [1, 1, 1], 2, name="unit")


# -- on an instance --------------------------------------------------------------------------


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_true_bound_is_not_refuted(claim: str) -> None:
    findings = verify(TEXTBOOK, claim, TINY).values()
    assert {f.answer for f in findings} <= {Verdict.SUPPORTED, NO_BETTER, DOES_NOT_APPLY}
    # the bound of ETC-UCB says something only where no run of this effort gets to
    assert any(f.verdict is Verdict.SUPPORTED for f in findings) == (claim != "thm-H.1")
    for finding in findings:
        assert all(one.case.instance == TEXTBOOK for one in finding.judged)


def test_a_bound_divided_by_a_thousand_is_refuted() -> None:
    asked = verify(TEXTBOOK, "thm-G.5", TINY)
    assert asked["intended"].answer == NO_BETTER
    true = asked["intended elsewhere"]
    assert true.verdict is Verdict.SUPPORTED
    assert (true.evidence["policy"], true.at["horizon"]) == ("se-kc", "10000")
    assert true.evidence["mean"] < true.evidence["bound"] < float(true.evidence["trivial_bound"])
    assert true.evidence["log10_e_value_for"] >= np.log10(20)
    false = verify(TEXTBOOK, scaled("thm-G.5", "0.001"), TINY)["intended"]
    assert false.verdict is Verdict.REFUTED
    assert false.evidence["log10_e_value"] >= -np.log10(false.evidence["level"])
    assert "the regret of se-kc up to T = " in false.explanation


def test_a_failing_assumption_is_named_with_its_margin_and_the_bound_checked_without_it() -> None:
    found = verify(TEXTBOOK, "thm-7.1", TINY)
    stated, without = found["intended"], found["without:horizon"]
    assert not stated.applies
    assert {row["name"] for row in stated.evidence["failing"]} == {"horizon"}
    assert all(float(row["margin"]) < 0 for row in stated.evidence["failing"])
    # no better than the trivial bound up to the effort's horizon: runs leap to where it is
    (then,) = bounds(TEXTBOOK, Question(horizon=20_000), ["thm-7.1"])
    assert without.verdict is Verdict.SUPPORTED
    assert without.evidence["cases_that_say_nothing"] == 2
    assert int(without.evidence["horizon"]) / 10 < then.informative_from
    assert then.informative_from <= int(without.evidence["horizon"])
    assert 0 < without.evidence["tv_error"] < 1e-12
    beta = verify(NO_LEAPS, "thm-7.1", TINY)["without:horizon"]
    assert beta.answer == NO_BETTER  # nobody can leap there
    assert "it is better from T = " in beta.explanation


@pytest.mark.parametrize("claim", [*CLAIMS, "thm-G.3", "cor-7.2", "cor-G.2"])
def test_instances_at_the_edge_end_in_verdicts(claim: str) -> None:
    """Equal means, nothing to earn, one play, a capacity above N, a mean below 0, a tiny gap."""
    edge = Effort("edge", trials=10, runs=4, horizon=300)
    law = Gaussian("0.5")
    for instance in (
        Instance(["0.9", "0.5", "0.5"], [1, 1, 1], 1),
        Instance([0, 0, 0], [1, 1, 1], 2),
        Instance(["0.9", "0.5", "0.1"], [7, 1, 1], 2),
        Instance([2, 1, -3], [1, 1, 1], 2, law),
        Instance([1, Fraction(1, 2) + Fraction(1, 10**40), "0.5"], [1, 1, 1], 2),
        Instance([10**30, 10**29], [1, 1], 1, law),
    ):
        found = verify(instance, claim, edge)
        for f in found.values():
            assert f.verdict is not Verdict.HOLDS or f.answer == NO_BETTER
        beyond_last = claim == "sharp-7.1" and instance.means[0] > 0  # it minds ties of arm L only
        if instance.equal_means and not beyond_last:
            assert not found["intended"].applies


def test_a_bound_that_is_no_number_says_nothing() -> None:
    tie = Instance(["0.5", "0.5", "0.2"], [1, 1, 1], 1)
    found = verify(tie, "thm-G.5", TINY)["without:distinct-means"]
    assert found.answer == NO_BETTER
    assert "not a finite number" in found.explanation


def test_every_horizon_has_runs_of_its_own() -> None:
    card, at = find("thm-G.5"), context(TINY)
    cases = list(ladder(card, TEXTBOOK, Question(), at))
    # better than the trivial bound from 6,586 on; the horizon asked for comes last
    assert [case.horizon for case in cases] == [1_000, 2_000, 10_000, 1_000_000]
    found = [simulated(card, case, at) for case in cases[:-1]]
    assert [runs.horizon for runs in found] == [1_000, 2_000, 10_000]
    # a tenth of what deciding may take: slots / T / 10, at least a few
    assert [runs.runs for runs in found] == [40, 40, 8]
    first = batches(card, cases[2], at).draw(16)
    judged = verify(TEXTBOOK, card, TINY)["intended elsewhere"].judged
    assert [one.case.horizon for one in judged] == [10_000]  # the others say nothing
    assert judged[0].compared.evidence["mean"] == pytest.approx(first.total[:16, -1].mean())
    farthest = TINY.slots // LEAST_RUNS  # slot by slot, a few runs at least
    assert simulated(card, AtHorizon.at(NO_LEAPS, farthest), at).runs == LEAST_RUNS
    assert simulated(card, AtHorizon.at(NO_LEAPS, farthest + 1), at) is None


def test_terms_and_phases_add_up_to_the_bound_and_the_regret() -> None:
    card, at = find("thm-7.1"), context(TINY)
    for case in ladder(card, TEXTBOOK, Question(horizon=2_000), at):
        rung = Rung(bound(card, case, at.theory), simulated(card, case, at))
        terms, claimed, phases, caused = zip(*by_phase(rung), strict=True)
        assert sum(claimed) == pytest.approx(rung.claimed)
        assert sum(caused) == pytest.approx(rung.simulated)
        assert rung.ratio == pytest.approx(rung.claimed / rung.simulated)
        assert sorted(p for group in phases for p in group) == sorted(rung.runs.phases)
        assert [n for group in terms for n in group] == [name for name, _ in rung.bound.terms]


def test_mp_se_is_checked_where_every_capacity_is_one_and_nowhere_else() -> None:
    stated = verify(UNIT, "thm-G.3", Effort("", 10, 20, 10_000))["intended"]
    assert stated.verdict is Verdict.SUPPORTED
    assert stated.evidence["policy"] == "mp-se"
    (elsewhere, literal) = verify(TEXTBOOK, "thm-G.3").values()
    assert not elsewhere.applies
    assert not literal.applies
    assert "needs that every capacity is 1" in elsewhere.explanation


def test_policies_stand_on_the_cards_and_can_be_run() -> None:
    named = {card.id: card.policy for card in catalogue().values() if card.policy}
    law_free = {"sharp-law-free", "sharp-law-free-scale"}
    assert set(named) == {*CLAIMS, *law_free, "thm-G.3", "cor-7.2", "cor-G.2"}
    assert set(named.values()) <= set(POLICIES)
    for claim in named:
        kind = THEORY.cards[claim].kind
        assert kind is (Kind.ASYMPTOTIC if claim.startswith("cor") else Kind.UPPER_BOUND)


def test_a_search_keeps_only_so_many_runs_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boundcheck.judging.run_context.KEPT", 2)
    at = THEORY.context(TINY)
    first, *_ = (at.simulated(UNIT, "mp-se", T, 2) for T in (10, 20, 30))
    assert [key[2] for key in at._simulated] == [20, 30]
    assert at.simulated(UNIT, "mp-se", 10, 2) == first


# -- the first slot --------------------------------------------------------------------------


def _best_average(instance: Instance, same: list[tuple[int, ...]]) -> Fraction:
    """The most that an action earns on average over relabelings of the arms."""
    actions = product(range(instance.plays + 1), repeat=instance.arms)
    earned = [
        sum(instance.expected_reward([a[k] for k in labels]) for labels in same)
        for a in actions
        if sum(a) == instance.plays
    ]
    return Fraction(max(earned), len(same))


def test_what_the_first_slot_loses_is_the_best_over_actions_averaged_over_labels() -> None:
    instance = Instance([30, 7, 2], [1, 2, 1], 2, Gaussian("0.5"))
    every = list(permutations(range(3)))
    assert first_loss(instance) == instance.optimal_reward - _best_average(instance, every)
    alike = [(0, 1, 2), (2, 1, 0)]  # arms 1 and 3 have the capacity 1
    best = _best_average(instance, alike)
    assert first_loss(instance, told=True) == instance.optimal_reward - best


def test_knowing_capacities_that_differ_can_save_the_first_slot() -> None:
    instance = Instance([30, 7, 2], [2, 1, 1], 2, Gaussian("0.5"))
    assert first_loss(instance) == 60 - 2 * Fraction(39, 3)
    assert first_loss(instance, told=True) == 0


def test_a_mean_below_zero_earns_nothing_in_the_first_slot() -> None:
    instance = Instance([3, 1, -100], [1, 1, 1], 1, Gaussian("0.5"))
    assert first_loss(instance) == 3 - Fraction(4, 3)


@pytest.mark.parametrize("claim", ["thm-7.1", "thm-H.1", "thm-G.3", "thm-G.5"])
def test_regret_bounds_are_false_for_means_far_above_one_and_open_below(claim: str) -> None:
    found = search(claim)
    assert found.verdict is Verdict.REFUTED
    case = found.case
    assert max(case.instance.means) > 10
    assert not unmet(case, (*THEORY.model, *find(claim).assumptions))
    (published,) = bounds(case.instance, case.question, [claim])
    assert published.applies
    lost = first_loss(case.instance, told=claim.startswith("thm-G"))
    assert float(published.upper) < lost
    assert found.compared.actual == f"at least {float(lost):g}"
    kind = search(claim, "charitable", examples=100)
    assert (kind.verdict, kind.leans) == (Verdict.UNDECIDED, Leaning.FOR)
    assert kind.extent.cases > 5
    assert Standing(find(claim), (found, kind)).severity is Severity.SCOPE


def test_7_1_without_bounded_means_needs_no_other_exception() -> None:
    found = search("thm-7.1", "without:means-in-unit-interval")
    assert found.verdict is Verdict.REFUTED
    (published,) = bounds(found.case.instance, found.case.question, ["thm-7.1"])
    assert {c.name for c in published.implicit if not c.holds} == {"means-in-unit-interval"}


def test_our_bound_survives_the_search_that_refutes_7_1() -> None:
    found = search("sharp-7.1", examples=60)
    assert (found.verdict, found.leans) == (Verdict.UNDECIDED, Leaning.FOR)
    assert found.extent.cases > 10


# -- waiting for an elimination --------------------------------------------------------------


def test_the_chance_of_an_elimination_is_above_its_sum_over_rounds_and_what_is_seen() -> None:
    """In floats: the events of three arms round by round, and 200 simulated runs."""
    instance, horizon, n = NEAR_TIE.with_(means=["0.6", "0.5", "0.4"]), 2_000, 100
    chance = float(elimination_chance(AtHorizon.at(instance, horizon), n).upper())
    rounds = np.arange(1, n + 1)
    width = np.sqrt(8 / rounds * np.log(horizon / rounds))
    gaps = (0.1, -0.1, -0.2)  # arm 2 above arm 3, arm 3 above arm 2, arm 3 above arm 1
    summed = sum(np.exp(-rounds * (width - gap) ** 2).sum() for gap in gaps)
    assert 1e-9 < summed < chance < 1e-3
    gen, means = np.random.default_rng(0), np.array([0.6, 0.5, 0.4])
    seen = (gen.random((200, n, 3)) < means).cumsum(axis=1) / rounds[:, None]
    ordered = np.sort(seen, axis=2)
    assert (ordered[..., 0] > ordered[..., 1] - width).all()


def test_the_variance_of_the_rewards_enters_the_chance() -> None:
    loud = NEAR_TIE.with_(reward=Gaussian("0.5"))
    quiet = elimination_chance(AtHorizon.at(NEAR_TIE, 10**4), 100)
    louder = elimination_chance(AtHorizon.at(loud, 10**4), 100)
    # (N + 1) n exp(-x/(4 v)): halving the exponent takes the square root of exp(-x)
    assert float(louder) == pytest.approx(sqrt(float(quiet) * 300), rel=1e-9)


@pytest.mark.parametrize("horizon", [100, 10**4, 10**6, 10**20, 10**300])
def test_quiet_rounds_are_nearly_as_many_as_can_be(horizon: int) -> None:
    case = AtHorizon.at(NEAR_TIE, horizon)
    rounds = quiet_rounds(case)
    limit = ball(Fraction(1, 20))
    assert not rounds or elimination_chance(case, rounds) < limit
    more = max(rounds * 9 // 8 + 1, 1)
    assert 2 * more > horizon or not elimination_chance(case, more) < limit


def test_no_simulated_regret_is_below_what_is_unavoidable() -> None:
    """MP-SE-SA waits, MP-SE that wastes plays waits: means of a few runs beside (1) and (2)."""
    runs = context(TINY)
    tie = AtHorizon.at(NEAR_TIE, 5_000)
    least = waiting(find("thm-G.1"), tie, runs)
    seen = runs.simulated(tie.instance, "mp-se-sa", tie.horizon, 10).mean[-1]
    assert 0 < float(least.lower) < seen < 5 * float(least.lower)
    unit = AtHorizon.at(Instance([1, "0.995", "0.994"], [1, 1, 1], 2), 5_000)
    least = waiting(find("thm-G.3"), unit, runs, wasted=True)
    options = {"reading": "literal"}
    seen = runs.simulated(unit.instance, "mp-se", unit.horizon, 10, options).mean[-1]
    assert 0 < float(least.lower) < seen < 5 * float(least.lower)


def test_a_near_tie_that_the_bound_of_mp_se_sa_forgets_refutes_it_without_any_run() -> None:
    found = search("thm-G.1")
    assert found.verdict is Verdict.REFUTED
    assert found.evidence["method"] == "certified lower bound"
    case = found.case
    assert not unmet(case, (*THEORY.model, *find("thm-G.1").assumptions))
    # by hand, for fewer rounds: T/8 of them lose 2 1.8 - 1.8999 - 0.9 = 0.8001 each
    rounds, tie = 10**6 // 8, 1e-4
    chance = 3 * rounds * 8.0**-8 * exp(2 * tie * sqrt(8 * rounds * log(8)))
    (published,) = bounds(case.instance, case.question, ["thm-G.1"])
    assert (1 - chance) * 0.8001 * rounds > 3 * float(published.value)
    assert round_loss(case.instance, wasted=False) == Fraction("0.8001")
    kind = search("thm-G.1", "charitable")
    assert Standing(find("thm-G.1"), (found, kind)).severity is Severity.SUBSTANCE


def test_far_from_a_tie_the_bound_of_mp_se_sa_stands() -> None:
    apart = NEAR_TIE.with_(means=["0.9", "0.5", "0.1"])
    found = verify(apart, "thm-G.1", Effort("", 10, 20, 10_000))["intended"]
    assert found.verdict is Verdict.SUPPORTED


@pytest.mark.parametrize("claim", ["thm-G.3", "thm-G.5"])
def test_wasted_plays_refute_elimination_with_three_arms(claim: str) -> None:
    """The bound and the unavoidable regret once more, by mpmath alone."""
    found = search(claim, "pseudo-code")
    assert found.verdict is Verdict.REFUTED
    case = found.case
    assert not unmet(case, (*THEORY.model, *find(claim).assumptions, *find(claim).implicit))
    mpmath.mp.dps = 30
    best, second, third = (mpmath.mpf(str(float(mean))) for mean in case.instance.means)
    gap, horizon = second - third, mpmath.mpf(10) ** 20
    elimination = 342 * (best - third) / gap**2 * mpmath.log(horizon * gap**2 / 18)
    order = (2 if claim == "thm-G.3" else 4) * (best + second - third) / (best - second) ** 2
    assert float(found.compared.claimed) == pytest.approx(float(elimination + order), rel=1e-9)
    n = 9 * 10**7
    width = mpmath.sqrt(8 * mpmath.log(horizon / n)) - gap * mpmath.sqrt(n)
    chance = 3 * n * mpmath.exp(-(width**2))
    assert chance < 1e-2
    assert (1 - chance) * n * (best + second - third) > 1.4 * (elimination + order)


def test_plays_that_are_used_leave_the_same_instance_open() -> None:
    (case,) = three_arms()
    found = decide(find("thm-G.3"), thm_g_3.G_3, [case], context())
    assert found.verdict is Verdict.UNDECIDED


def test_wasted_plays_refute_mp_se_in_runs_too_and_used_ones_do_not() -> None:
    plays = 60
    best = [Fraction(99, 100) - Fraction(k, 10_000) for k in range(plays - 1)]
    means = [*best, Fraction(49, 100), Fraction(44, 100)]
    case = AtHorizon.at(Instance(means, [1] * len(means), plays), 10_000)
    effort = Effort("", trials=10, runs=40, horizon=10_000)
    used, wasted = (
        decide(find("thm-G.3"), statement, [case], context(effort))
        for statement in (thm_g_3.G_3, thm_g_3.G_3_LITERAL)
    )
    assert used.verdict is Verdict.SUPPORTED
    assert wasted.verdict is Verdict.REFUTED
    assert wasted.evidence["mean"] > 1.9 * wasted.evidence["bound"]


# -- pseudo-code of OrchExplore --------------------------------------------------------------


def test_orch_explore_that_counts_nothing_loses_what_the_first_slot_does_for_ever() -> None:
    found = search("thm-7.1", "pseudo-code")
    assert found.verdict is Verdict.REFUTED
    case = found.case
    assert not unmet(case, (*THEORY.model, *find("thm-7.1").assumptions, *find("thm-7.1").implicit))
    loss = first_loss(case.instance)
    assert float(found.evidence["actual"][0]) == pytest.approx(float(loss) * 1e30)
    options = {"reading": "literal"}
    runs = context(TINY).simulated(case.instance, "orch-explore", 1_000, 40, options)
    # one play: which arm is played does not depend on what is seen, and all are alike
    assert runs.mean[-1] == pytest.approx(1_000 * float(loss), abs=4 * runs.standard_error[-1])


# -- growth ----------------------------------------------------------------------------------


@pytest.mark.parametrize("claim", ["cor-7.2", "cor-G.2"])
def test_a_limit_is_undecided_whatever_was_seen(claim: str) -> None:
    found = verify(NO_LEAPS, claim, TINY)["intended"]
    assert (found.verdict, found.leans) == (Verdict.UNDECIDED, Leaning.FOR)
    assert "no finite T decides a limit" in found.explanation
    assert found.evidence["seen"] < found.evidence["claimed"]
    within = found.evidence["within_runs"]
    assert within["slope"] >= within["sure_lower"] >= 0
    assert [row["T"] for row in found.evidence["per_log_T"]] == [1_000, 2_000]


def test_growth_above_the_claimed_limit_refutes_nothing() -> None:
    steep = upper_growth(
        "a limit that is far too small", claimed=partial(claimed_number, theory=THEORY)
    )
    card = scaled("cor-7.2", "1e-6")
    found, other = (
        decide(card, steep, [Limit(instance, seen_until=2_000)], context(TINY))
        for instance in (TEXTBOOK, NO_LEAPS)
    )
    assert (found.verdict, found.leans) == (Verdict.UNDECIDED, Leaning.AGAINST)
    assert "no finite T decides a limit" in found.explanation
    # a lower bound that is not proved either contradicts it: one of the two is false
    assert (other.verdict, other.leans) == (Verdict.UNDECIDED, Leaning.NONE)
    assert other.evidence["contradiction"] == "cor-7.2 and sharp-4.3-law-free"


def test_slope_between_horizons_is_the_difference_of_mean_regrets() -> None:
    found = verify(NO_LEAPS, "cor-7.2", TINY)["intended"].evidence["between_horizons"]
    at = context(TINY)
    short, long = (at.simulated(NO_LEAPS, "orch-explore", T, 40).mean[-1] for T in (1_000, 2_000))
    assert found["slope"] == pytest.approx((long - short) / np.log(2))


def test_a_limit_below_the_least_possible_growth_is_refuted() -> None:
    survived = search("cor-7.2", examples=60)
    assert (survived.verdict, survived.leans) == (Verdict.UNDECIDED, Leaning.FOR)
    few = verify(TEXTBOOK, scaled("cor-7.2", "0.0001"), TINY)["intended"]
    assert few.verdict is Verdict.REFUTED
    assert few.rests_on == ("sharp-4.3",)
    (least,) = bounds(TEXTBOOK, claims=["sharp-4.3"])
    assert float(few.evidence["actual"][0]) == pytest.approx(float(least.value), rel=1e-5)


def test_first_terms_of_upper_and_lower_bound_are_one_expression() -> None:
    first, *others = find("cor-7.2").quantities[0].terms
    assert sympy.simplify(first.expression - SUBOPTIMAL.expression) == 0
    assert [term.name for term in others] == ["capacities of filled arms", "last arm"]


def test_g_2_is_judged_as_printed_with_the_constants_of_g_1() -> None:
    case, card = Limit(PAPER), find("cor-G.2")
    (printed,) = bounds(PAPER, claims=["cor-G.2"])
    elimination, capacities = (float(value) for _, value in printed.terms)
    claimed = with_constants_of_g_1(card, case)
    assert float(claimed) == pytest.approx(342 * elimination + 49 * capacities)
    # with w_k in place of the printed w_k^2 it would be what G.1 has
    (order,) = card.quantities
    first, second = order.terms
    once = replace(second, expression=second.expression / symbols.w)
    repaired = replace(card, quantities=(replace(order, terms=(first, once)),))
    coefficient = next(
        b for b in bounds(PAPER, claims=["rem-8.1"]) if b.quantity.endswith("MP-SE-SA")
    )
    as_g_1 = with_constants_of_g_1(repaired, case)
    assert float(as_g_1) == pytest.approx(float(coefficient.value))


def test_a_near_tie_makes_mp_se_sa_grow_faster_than_g_2_allows() -> None:
    found = search("cor-G.2")
    assert found.verdict is Verdict.REFUTED
    assert Standing(find("cor-G.2"), (found,)).severity is Severity.SUBSTANCE
    # any constant fails: the growth times gap^2 is 8 times what a round loses, whatever the gap
    card = find("cor-G.2")
    for gap in ("1e-3", "1e-5", "1e-7"):
        means = ["0.9", "0.5", Fraction(1, 2) - Fraction(gap)]
        case = Limit(NEAR_TIE.with_(means=means))
        least = waiting_growth(card, case, context())
        ratio = least.compare(Relation.AT_MOST, with_constants_of_g_1(card, case))
        assert ratio.refutes
        loss = round_loss(case.instance, wasted=False)
        assert float(least.lower) * float(gap) ** 2 == pytest.approx(8 * float(loss))


def test_unavoidable_regret_per_log_T_rises_to_its_limit() -> None:
    tie = NEAR_TIE.with_(means=["0.9", "0.5", "0.4"])
    limit = waiting_growth(find("cor-G.2"), Limit(tie), context())
    seen = []
    for power in (100, 1_000, 10_000):
        least = waiting(find("thm-G.1"), AtHorizon.at(tie, 10**power), context())
        seen.append(float(least.lower) / (power * log(10)) / float(limit.lower))
    assert seen[0] < 0.8 < min(seen[1:])
    assert max(seen) < 1


# -- searches --------------------------------------------------------------------------------


def test_what_is_known_from_below_is_climbed_and_told_as_such() -> None:
    found = Enclosed.at_least(arb(100)).compare(Relation.AT_MOST, Fraction(200))
    assert found.holds is None
    assert found.excess == pytest.approx(log(100 / 200))
    assert found.actual == "at least 100"


def test_what_is_certain_is_not_simplified_into_what_is_only_observed() -> None:
    def certain(card: Claim, case: AtHorizon, at: RunContext) -> Measured | None:
        return Enclosed.at_least(arb(9)) if case.horizon >= 1_000 else None

    def observed(card: Claim, case: AtHorizon, at: RunContext) -> Measured:
        return Observed(np.full(100, 9.0))

    ways = Measurement("certain", certain), Measurement("observed", observed, sampled=True)
    card = replace(find("thm-G.5"), assumptions=())

    def simplest(*actual: Measurement) -> int:
        statement = Statement(
            role=Role.INTENDED,
            text="at most 1",
            actual=actual,
            claimed=lambda card, case: 1,
            cases=ladder,
            known_cases=lambda: [AtHorizon.at(TEXTBOOK, 10_000)],
        )
        found = search_for(card, statement, context(), SearchLimit(1, 60.0))
        assert found.verdict is Verdict.REFUTED
        return found.case.horizon

    assert simplest(*ways) == 1_000
    assert simplest(ways[1]) == 100


def test_what_fails_in_the_search_alone_is_not_refuted() -> None:
    """A search draws random numbers of its own; `decide` judges what it finds by others."""
    asked = context()

    def observed(card: Claim, case: AtHorizon, at: RunContext) -> Measured:
        return Observed(np.full(100, 0.5 if at.seed == asked.seed else 9.0))

    statement = Statement(
        role=Role.INTENDED,
        text="at most 1",
        actual=(Measurement("observed", observed, sampled=True),),
        claimed=lambda card, case: 1,
        cases=ladder,
        known_cases=lambda: [AtHorizon.at(TEXTBOOK, 10_000)],
    )
    card = replace(find("thm-G.5"), assumptions=())
    found = search_for(card, statement, asked, SearchLimit(1, 60.0))
    assert found.case is not None, "the search found a case"
    assert found.verdict is not Verdict.REFUTED


# -- from a card's kind alone ----------------------------------------------------------------


def _of_ones_own(factor: str) -> Claim:
    """A share of all there is to lose, as a bound on the regret of a policy that no card names."""
    card = find("thm-G.5")
    (regret,) = card.quantities
    term = Term("share", sympy.Rational(factor) * s.T * s.largest_regret)
    named = replace(card, id="own", assumptions=(), implicit=(), policy="ts-kc")
    return replace(named, quantities=(replace(regret, terms=(term,)),))


def test_a_card_that_names_a_policy_is_decided_and_searched_by_its_kind() -> None:
    own = replace(context(TINY), plan=ErrorPlan(1e-6, {"own intended"}))
    statement = upper_regret(
        "of one's own",
        known_cases=lambda: [AtHorizon.at(TEXTBOOK, 1_000, fixed=True)],
        strategy=partial(small, THEORY),
        theory=THEORY,
    )
    for factor, verdict in (("0.99", Verdict.SUPPORTED), ("0.00001", Verdict.REFUTED)):
        card = _of_ones_own(factor)
        question = Question(horizon=2_000)
        found = decide(card, statement, ladder(card, TEXTBOOK, question, own), own)
        assert found.verdict is verdict
        assert found.evidence["policy"] == "ts-kc"
        searched = search_for(card, statement, own, SearchLimit(20, 60.0), THEORY.model)
        # a search decides nothing unless it finds something
        assert searched.verdict is (verdict if factor != "0.99" else Verdict.UNDECIDED)
        assert searched.extent.cases == (1 if verdict is Verdict.REFUTED else 21)
