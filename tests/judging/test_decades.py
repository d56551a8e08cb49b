"""Growth over decades of horizons: what is estimated, from which runs, and what it may say."""

from __future__ import annotations

from itertools import islice, pairwise

import numpy as np
import pytest
from decisions import context, scaled, verify
from scipy import stats

from boundcheck import find
from boundcheck.claims.card import Claim
from boundcheck.evidence.groups import Groups
from boundcheck.judging.comparison import Relation
from boundcheck.judging.decide import decide
from boundcheck.judging.default_statements.decades import LEAST, STEPS, by_decade, runs_by_decade
from boundcheck.judging.default_statements.regret import AtHorizon, simulated
from boundcheck.judging.effort import Effort
from boundcheck.judging.finding import Cover, Finding, Leaning, Verdict
from boundcheck.judging.measured import Growth
from boundcheck.theories.shareable_arms import THEORY
from simulation.rewards.laws import Beta
from simulation.running.replicate import replicate
from simulation.world.instance import Instance

TEXTBOOK, PAPER = Instance.load("textbook"), Instance.load("paper")
NO_LEAPS = Instance(["0.9", "0.6", "0.5"], [1, 1, 1], 1, Beta(4))  # such sums cannot be drawn
TINY = Effort("tiny", trials=100, runs=40, horizon=2_000)


# -- means of independent groups


def test_a_difference_has_the_interval_of_welch() -> None:
    gen = np.random.default_rng(1)
    before, after = gen.gamma(2.0, 3.0, 9), gen.gamma(5.0, 4.0, 30)
    ((_, _, step),) = Groups((10, 100), (before, after)).differences()
    known = stats.ttest_ind(after, before, equal_var=False)
    assert step.value == pytest.approx(after.mean() - before.mean())
    assert step.freedom == pytest.approx(known.df)
    for level in (0.05, 1e-8):
        span = known.confidence_interval(1 - level)
        assert step.interval(level) == pytest.approx((span.low, span.high))


def test_a_slope_is_that_of_least_squares_and_its_interval_covers() -> None:
    gen, times = np.random.default_rng(2), (10, 100, 1000, 10_000)
    truth = [7.0 + 3.0 * np.log(t) for t in times]
    missed = 0
    for _ in range(400):
        groups = Groups(times, [mean + gen.normal(0, 1 + k, 5 + k) for k, mean in enumerate(truth)])
        slope = groups.slope()
        assert slope.value == pytest.approx(np.polyfit(np.log(times), groups.means, 1)[0])
        low, high = slope.interval(0.1)
        missed += not low <= 3.0 <= high
    assert 20 <= missed <= 60  # 40 expected, with a standard deviation of 6


def test_groups_without_spread_have_no_interval_to_speak_of() -> None:
    slope = Groups((10, 100), ([1.0, 1.0], [3.0, 3.0])).slope()
    assert slope.interval(1e-9) == (slope.value, slope.value)


@pytest.mark.parametrize(("seen", "agrees"), [(9.0, True), (5.0, True), (4.0, False)])
def test_a_slope_agrees_with_a_limit_from_below_within_its_interval(
    seen: float, agrees: bool
) -> None:
    found = Growth(seen, 1.0, freedom=10.0).compare(Relation.AT_LEAST, 8, 0.01)  # reach: 3.17
    assert found.holds is None, "no finite T decides a limit"
    assert found.leans is (Leaning.FOR if agrees else Leaning.AGAINST)
    assert found.evidence["interval"] == pytest.approx([seen - 3.169, seen + 3.169], abs=1e-3)


# -- the runs


def test_decades_go_on_while_a_run_takes_few_steps_and_have_more_runs_where_it_does() -> None:
    far, near = (list(runs_by_decade(context(TINY), i, "orch-explore")) for i in (TEXTBOOK, PAPER))
    assert [runs.horizon for runs in far] == [2 * 10**k for k in range(4, 12)]
    assert [runs.horizon for runs in near] == [20_000]
    most = STEPS * TINY.horizon
    assert all(runs.steps <= most for runs in far)
    assert near[-1].steps > most
    for before, after in pairwise(far):
        assert after.runs == max(LEAST, int(most / before.steps))
    assert far[0].runs == 20
    assert not list(runs_by_decade(context(TINY), NO_LEAPS, "orch-explore"))
    assert by_decade(context(TINY), PAPER, "orch-explore") is None


def test_every_decade_has_random_numbers_of_its_own() -> None:
    at = context(TINY)
    first, second = islice(runs_by_decade(at, TEXTBOOK, "likelihood"), 2)
    seeds = [at.leaping_seed(runs.horizon) for runs in (first, second)]
    assert len({at.seed, *seeds}) == 3
    for seed, runs in zip(seeds, (first, second), strict=True):
        slots = runs.horizon
        call = {"seed": seed, "checkpoints": [slots], "leap": True}
        assert replicate(TEXTBOOK, "likelihood", slots, runs.runs, **call)["likelihood"] == runs


# -- what is said of a limit


def over_decades(claim: str | Claim, statement: str) -> Finding:
    return verify(TEXTBOOK, claim, TINY)[statement]


@pytest.mark.parametrize(
    ("claim", "statement"),
    [
        ("cor-7.2", "intended"),
        ("cor-G.2", "intended"),
        ("thm-4.3", "further:decades"),
        ("sharp-4.3", "further:decades"),
        ("lem-C.3", "further:decades"),
    ],
)
def test_an_asymptotic_claim_is_set_beside_decades(claim: str, statement: str) -> None:
    found = over_decades(claim, statement)
    assert (found.verdict, found.leans) == (Verdict.UNDECIDED, Leaning.FOR)
    assert found.extent.cover is Cover.SAMPLE
    assert "no finite T decides" in found.explanation
    plan = context(TINY).plan
    level = plan.level(f"{claim} {statement}", found.extent.cases)
    assert found.evidence["level"] == pytest.approx(level)
    low, high = found.evidence["interval"]
    assert low < found.evidence["seen"] < high
    assert f"at level {found.evidence['level']:.1g}" in found.explanation
    horizons = [row["T"] for row in found.evidence["decades"]]
    assert (found.evidence["from"], found.evidence["horizon"]) == (horizons[0], horizons[-1])
    assert len(found.evidence["differences"]) == len(horizons) - 1


@pytest.mark.parametrize("claim", ["thm-4.3", "sharp-4.3", "lem-C.3"])
def test_a_slope_below_a_lower_bound_is_evidence_up_to_there_and_refutes_nothing(
    claim: str,
) -> None:
    found = over_decades(scaled(claim, "10"), "further:decades")
    assert found.verdict is Verdict.UNDECIDED
    assert found.evidence["interval"][1] < found.evidence["claimed"]
    assert found.leans is Leaning.AGAINST
    assert found.explanation.startswith("leans against: between T = 2e+04 and ")


def test_the_slots_of_an_arm_grow_by_one_over_kl() -> None:
    found = over_decades("lem-C.3", "further:decades")
    arms = {(one.case.policy, one.case.arm) for one in found.judged}
    assert arms == {(policy, arm) for policy in ("orch-explore", "likelihood") for arm in (3, 4, 5)}
    for one in found.judged:
        gap = float(TEXTBOOK.means[1] - TEXTBOOK.means[one.case.arm - 1])
        assert float(one.compared.claimed) == pytest.approx(2 * 0.01 / gap**2)
    groups = by_decade(context(TINY), TEXTBOOK, "likelihood", lambda runs: runs.played[:, 0, 2])
    seen = {(one.case.policy, one.case.arm): one.compared.evidence["seen"] for one in found.judged}
    assert seen["likelihood", 3] == groups.slope().value


def test_an_assumption_that_fails_is_named_before_anything_is_run() -> None:
    found = verify(PAPER, "thm-4.3", TINY)["further:decades"]
    assert not found.applies
    assert "needs that rewards are Gaussian; here they are bernoulli" in found.explanation
    outside = verify(NO_LEAPS, "sharp-4.3", TINY)["further:decades"]
    assert not outside.applies
    assert "leaps" in outside.explanation


def test_a_bound_that_is_too_small_is_refuted_where_it_says_something() -> None:
    """OrchExplore beside 7.1 without its horizon condition, where no slot by slot run goes."""
    stated = THEORY.statement("thm-7.1", "without:horizon")
    for factor, verdict in (("1", Verdict.SUPPORTED), ("1e-5", Verdict.REFUTED)):
        case = AtHorizon.at(TEXTBOOK, 2_000_000)
        found = decide(scaled("thm-7.1", factor), stated, [case], context(TINY))
        assert found.verdict is verdict
        assert found.evidence["leap"] is True
    assert simulated(find("thm-7.1"), AtHorizon.at(NO_LEAPS, 2_000_000), context(TINY)) is None
