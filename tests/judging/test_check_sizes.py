"""How often a decision refutes or supports by chance: measured at the boundary of the claim.

Each kind of observation is fed with values for which its claim is just true, many times, at a level
of 5 %. A statement is decided over several cases that are all just true and independent, so that a
level that is not shared shows. More refutations than `MOST` have a chance of at most 1e-6 with a
fresh seed if the size is 5 %; seeds are fixed. There the opposite is just true as well, so that
support has to be as rare.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from paper import RunContext
from scipy.stats import binom, norm

from boundcheck.claims.card import Claim, Kind
from boundcheck.evidence import binomial
from boundcheck.evidence.betting import lower_limit, mean_at_least, mean_at_most
from boundcheck.evidence.error_plan import ErrorPlan
from boundcheck.evidence.rare import crossing
from boundcheck.judging.comparison import Measured, Relation
from boundcheck.judging.decide import decide
from boundcheck.judging.default_statements.whole import InstanceCase
from boundcheck.judging.effort import EFFORTS
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Counted, Observed
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.theories.shareable_arms.lower_explorations import sharp_4_1_test
from boundcheck.theories.shareable_arms.rem_8_1.orderings import Paired
from simulation.world.instance import Instance

LEVEL = 0.05
REPETITIONS, FEWER = 500, 150
MOST, MOST_OF_FEWER = (int(binom.isf(1e-6, times, LEVEL)) for times in (REPETITIONS, FEWER))
TRIALS, RUNS, CASES = 2_000, 60, 3
CARD = Claim("null", "", "", Kind.UPPER_BOUND, "", "", "")
Null = Callable[[np.random.Generator], tuple[Measured, Fraction]]


@dataclass(frozen=True)
class Numbered(InstanceCase):
    number_of_case: int = 0


def probability(relation: Relation) -> Null:
    def drawn(rng: np.random.Generator) -> tuple[Measured, Fraction]:
        truth = Fraction(1, 20)
        return Counted(int(rng.binomial(TRIALS, float(truth))), TRIALS), truth

    return drawn


def mean(rng: np.random.Generator) -> tuple[Measured, Fraction]:
    """Values that hardly vary, or vary a lot, with mean 3."""
    shape = rng.choice([0.5, 5.0])
    return Observed(rng.gamma(shape, 3 / shape, RUNS)), Fraction(3)


def bounded_mean(rng: np.random.Generator) -> tuple[Measured, Fraction]:
    """Values in [0, 1] with mean 1/4: with a known range they may support, too."""
    return Observed(rng.beta(0.5, 1.5, RUNS), most=1.0), Fraction(1, 4)


def pairs(rng: np.random.Generator) -> tuple[Measured, Fraction]:
    wins = int(rng.binomial(RUNS, 0.5))
    return Paired(wins, RUNS - wins, {}), Fraction(1, 2)


@pytest.fixture(autouse=True)
def only_the_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a check could have seen takes most of its time, and decides nothing."""
    monkeypatch.setattr(binomial, "detectable", lambda *given: 1.0)


def verdict(null: Null, relation: Relation, rng: np.random.Generator, cases: int) -> Verdict | None:
    """A statement over some cases, all of them just true."""
    instance = Instance(["0.5", "0.2"], [1, 1], 1)
    drawn = [null(rng) for _ in range(cases)]
    statement = Statement(
        role=Role.INTENDED,
        text="just true",
        actual=(
            Measurement(
                "null", lambda card, case, context: drawn[case.number_of_case][0], sampled=True
            ),
        ),
        claimed=lambda card, case: drawn[case.number_of_case][1],
        cases=lambda *given: (),
        relation=relation,
        explanations=dict.fromkeys(Verdict, "just true"),
    )
    context = RunContext(EFFORTS["quick"], ErrorPlan(LEVEL, {"null intended"}))
    asked = [Numbered(instance, number_of_case=k) for k in range(cases)]
    return decide(CARD, statement, asked, context).verdict


@pytest.mark.parametrize("cases", [1, CASES])
@pytest.mark.parametrize(
    ("null", "relation"),
    [
        (probability(Relation.AT_MOST), Relation.AT_MOST),
        (probability(Relation.AT_LEAST), Relation.AT_LEAST),
        (mean, Relation.AT_MOST),
        (bounded_mean, Relation.AT_MOST),
        (pairs, Relation.AT_MOST),
    ],
    ids=["probability at most", "probability at least", "mean", "bounded mean", "paired runs"],
)
def test_a_statement_is_refuted_or_supported_no_more_often_than_its_level(
    null: Null, relation: Relation, cases: int
) -> None:
    rng = np.random.default_rng([7, cases])
    slow = null in (mean, bounded_mean)
    times, most = (FEWER, MOST_OF_FEWER) if slow else (REPETITIONS, MOST)
    found = Counter(verdict(null, relation, rng, cases) for _ in range(times))
    assert found[Verdict.REFUTED] <= most
    assert found[Verdict.SUPPORTED] <= most
    assert found.keys() <= {Verdict.REFUTED, Verdict.SUPPORTED, Verdict.UNDECIDED}


def test_a_level_given_to_every_case_would_show() -> None:
    """The test above can fail: three cases at the whole level each are refuted too often."""
    rng = np.random.default_rng(3)
    null = probability(Relation.AT_MOST)
    hits = 0
    for _ in range(REPETITIONS):
        drawn = [null(rng) for _ in range(CASES)]
        hits += any(m.compare(Relation.AT_MOST, truth, LEVEL).refutes for m, truth in drawn)
    assert hits > MOST


def test_the_test_that_attains_the_exact_error_shares_its_level_between_both_capacities() -> None:
    """Both errors of the likelihood-ratio test are cases of one statement."""
    attained = {s.id: s for s in sharp_4_1_test.STATEMENTS["sharp-4.1-test"]}["intended:attained"]
    textbook = Instance.load("textbook")
    from boundcheck.calculator.question import Question
    from boundcheck.theories.shareable_arms import THEORY

    context = THEORY.context(EFFORTS["quick"])
    card = THEORY.cards["sharp-4.1-test"]
    finding = decide(card, attained, attained.cases(card, textbook, Question(), context), context)
    levels = {one.compared.evidence["level"] for one in finding.judged if one.sampled}
    whole = context.plan.level("sharp-4.1-test intended:attained")
    assert len(finding.judged) >= 2
    assert max(levels) <= whole / 2


def test_limits_of_a_mean_miss_it_no_more_often_than_their_level() -> None:
    rng = np.random.default_rng(5)
    below = above = 0
    for _ in range(FEWER):
        values = rng.beta(0.5, 1.5, RUNS)
        below += lower_limit(values, LEVEL) > 0.25
        above += mean_at_least(values, 0.25, 1.0, LEVEL).refuted
    assert max(below, above) <= MOST_OF_FEWER


def test_a_rare_probability_is_refuted_no_more_often_than_its_level() -> None:
    """P(Z >= 3) by importance sampling, claimed to be at most what it is."""
    truth, hits = float(norm.sf(3)), 0
    for seed in range(FEWER):
        event = crossing([3.0], 100, np.random.default_rng([11, seed]), sides=1)
        hits += mean_at_most(event, truth, LEVEL).refuted
    assert hits <= MOST_OF_FEWER
