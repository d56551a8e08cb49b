"""Statements of a card with one number for all instances of K arms.

An upper bound claims: whatever the means, regret up to T is at most the number. Regret is largest
where gaps are of order sqrt(K/T). So the search draws gaps c sqrt(K/T) for up to 20 arms, one arm
better or one worse than the others, and maximises log(actual/claimed). `verify` uses the horizon
asked for, up to the effort's: it screens gaps of several sizes with few runs and other random
numbers, then judges the worst of them and the given instance.

A lower bound claims: for every policy there is an instance with regret of at least the number. Runs
of one policy cannot show that. It is refuted if some policy is known to do better on all instances:
a uniformly random arm loses at most T (1 - 1/K) for means in [0, 1], and a proved card may give a
policy with less.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import inf, isqrt
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from boundcheck.calculator.numbers.balls import ball
from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim, Kind
from boundcheck.judging.comparison import Measured, Relation
from boundcheck.judging.decide import compared, unmet
from boundcheck.judging.default_statements.regret import (
    SHORT,
    AtHorizon,
    bound,
    claimed_number,
    upper_regret,
)
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Enclosed
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.search.simplify import smaller_numbers
from boundcheck.search.strategies import decimals
from simulation.rewards.laws import RewardLaw
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from boundcheck.theory import Theory

MOST_ARMS = 20
FACTORS = tuple(Fraction(x) for x in ("0.5", "1", "1.5", "2", "3", "4", "6"))
SCREENING_RUNS, WORST = 24, 2
BEST_FIRST, WORST_LAST = "one best arm", "one worse arm"


def spread_out(
    law: RewardLaw, arms: int, horizon: int, factor: Fraction, shape: str = BEST_FIRST
) -> Instance | None:
    """An instance with gaps c sqrt(K/T); None where the law does not admit such means."""
    gap = factor * Fraction(isqrt(10**8 * arms // horizon), 10**4)
    low = Fraction(1, 2) - gap / 2 if law.bounded else Fraction(0)
    good = 1 if shape == BEST_FIRST else arms - 1
    means = [low + gap] * good + [low] * (arms - good)
    if not all(map(law.admits, means)) or gap == 0:
        return None
    return Instance(means, [1] * arms, 1, law)


def near_ties(
    card: Claim, instance: Instance, question: Question, context: RunContext, *, theory: Theory
) -> Iterator[AtHorizon]:
    """The worst of some instances with gaps like sqrt(K/T), and the given instance."""
    horizon = min(int(question.horizon), context.effort.horizon)
    (statement,) = theory.statements(card.id)
    numbers = dict.fromkeys((instance.arms, 2, 10))
    found = {
        AtHorizon.at(made, horizon)
        for arms in numbers
        for factor in FACTORS
        for shape in (BEST_FIRST, WORST_LAST)
        if arms <= min(MOST_ARMS, horizon)
        and (made := spread_out(instance.reward, arms, horizon, factor, shape)) is not None
    }
    cases = [case for case in found if not unmet(case, card.assumptions, theory.derive)]
    scores = {case: _score(card, statement, case, context) for case in cases}
    yield from sorted(cases, key=lambda case: -scores[case])[:WORST]
    yield AtHorizon.at(instance, question.horizon, question=question)


def _score(card: Claim, statement: Statement, case: AtHorizon, context: RunContext) -> float:
    """log(actual/claimed), estimated by a few runs with other random numbers."""
    if statement.uninformative and statement.uninformative(card, case, context):
        return -inf
    few = context.for_search()
    slots = SCREENING_RUNS * case.horizon * max(1, case.instance.arms // 10)
    effort = replace(context.effort, slots=slots)
    return compared(card, statement, case, replace(few, effort=effort, progress=None)).excess


@st.composite
def _drawn(draw: DrawFn, theory: Theory) -> AtHorizon:
    """Gaps c sqrt(K/T), or a random instance of the theory."""
    own, horizon = draw(theory.instances()), draw(st.sampled_from(SHORT))
    arms, factor = draw(st.integers(2, MOST_ARMS)), draw(decimals(0, 6, 2))
    shape = draw(st.sampled_from((BEST_FIRST, WORST_LAST)))
    made = spread_out(own.reward, arms, horizon, factor, shape)
    return AtHorizon.at(made or own, horizon)


def over_instances(card: Claim, theory: Theory) -> Statement:
    """The statement: the policy's expected regret is at most the card's number on every
    instance.
    """
    return upper_regret(
        card.reading,
        cases=partial(near_ties, theory=theory),
        strategy=partial(_drawn, theory),
        theory=theory,
    )


def _at_most(card: Claim, case: AtHorizon, context: RunContext) -> Measured | None:
    """The smallest regret known to be attainable on all instances: by a proved card, or else by
    playing a uniformly random arm (means in [0, 1]).
    """
    chance = ball(case.question.horizon * (1 - Fraction(1, case.instance.arms)))
    known = {
        other.id: value
        for other in context.cards.values()
        if other.over == "instances"
        and other.kind is Kind.UPPER_BOUND
        and context.theory.proved(other)
        if not unmet(case, other.assumptions, context.theory.derive)
        and (value := bound(other, case, context.theory).ball) is not None
        and value < chance
    }
    if not known:
        return Enclosed.at_most(chance, policy="an arm chosen at random")
    least = min(known, key=lambda claim: float(known[claim].mid()))
    return Enclosed.at_most(known[least], premise=least, policy=context.cards[least].policy_name)


class Size(AtHorizon):
    """A number of arms and a horizon; the means do not matter."""

    def parameters(self) -> dict[str, Any]:
        return {"arms": self.instance.arms, **super().parameters()}

    def simpler(self) -> Iterator[Size]:
        arms = self.instance.arms
        for less in sorted({2, *(arms - max(1, arms >> k) for k in range(1, 9)), arms - 1}):
            if 2 <= less < arms:
                yield Size.at(self.instance.kept(range(less)), self.horizon)
        yield from (Size.at(self.instance, slots) for slots in smaller_numbers(self.horizon, 2))


def arms_and_slots(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[Size]:
    yield Size.at(instance, question.horizon, question=question)


@st.composite
def sized(draw: DrawFn, theory: Theory) -> Size:
    """Random sizes: few or many arms, few or many slots."""
    many = draw(st.booleans())  # many arms with few slots, or the reverse
    arms = draw(st.integers(2, 2_000 if many else 20))
    horizon = draw(st.integers(2, 20) if many else st.sampled_from(SHORT))
    law = draw(theory.instances()).reward
    means = [Fraction(1, 2)] + [Fraction(0)] * (arms - 1)
    return Size.at(Instance(means, [1] * arms, 1, law), horizon)


def for_every_policy(card: Claim, theory: Theory) -> Statement:
    """The statement: for every policy, regret on some instance is at least the card's number."""
    return Statement(
        role=Role.INTENDED,
        text="for every policy there is an instance with E regret up to T >= the bound; "
        f"{card.reading}",
        actual=(Measurement("what is known to suffice", _at_most),),
        claimed=partial(claimed_number, theory=theory),
        cases=arms_and_slots,
        strategy=partial(sized, theory),
        relation=Relation.AT_LEAST,
        explanations={
            Verdict.REFUTED: "{policy} loses {actual} up to T = {horizon} on every instance of "
            "{arms} arms, claimed is that some instance costs {claimed}",
            Verdict.UNDECIDED: "claimed {claimed}; {policy} loses {actual} on every instance",
        },
    )
