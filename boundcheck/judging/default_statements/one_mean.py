"""Statements about the mean of some rewards of one arm.

A card of kind `coverage` claims: for every n, the mean of n rewards deviates from their expectation
by more than a width with probability at most delta. Its formula is the width, in terms of n, delta,
the arm's symbols and the sample variance; `side` restricts it to one direction. A card of kind
`sample size` claims this for one n, the number that it gives for the arm; its formula is the
accuracy reached. The probability is summed for few Bernoulli rewards, is a normal tail for Gaussian
ones, is otherwise enclosed (`tails`) and, if that does not decide, estimated by simulation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import comb
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from boundcheck.calculator.numbers import balls
from boundcheck.calculator.numbers.evaluate import BALLS
from boundcheck.calculator.question import Question
from boundcheck.calculator.setting import exact_setting
from boundcheck.calculator.values import certified_rows
from boundcheck.claims import symbols as s
from boundcheck.claims.card import Claim
from boundcheck.evidence import paths
from boundcheck.evidence.tails import Arm, Explored
from boundcheck.judging.comparison import Measured
from boundcheck.judging.default_statements.whole import InstanceCase
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Counted, Enclosed
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.search.simplify import rounder, rounder_counts, simpler_instances
from boundcheck.search.strategies import confidences, exploration_counts
from simulation.numbers import decimal
from simulation.rewards.laws import Bernoulli, Beta, RewardLaw
from simulation.rewards.samples import Empirical
from simulation.world.instance import Instance

if TYPE_CHECKING:
    from boundcheck.theory import Theory

COUNTS = (1, 2, 5, 10, 100, 1000)  # numbers of rewards that are judged on an instance
MOST_ARMS = 10
SUMMED = 5_000  # up to so many Bernoulli rewards, the probability is summed
SAMPLED = 500  # the same where the width depends on the sample variance
DRAWN = 2 * 10**7  # limit on rewards drawn for one case
_DIGITS = 20


@dataclass(frozen=True)
class Rewards(InstanceCase):
    """A number of rewards of one arm; `count` None means the number that the card gives."""

    count: int | None = None
    arm: int = field(default=1, kw_only=True)

    @classmethod
    def of(cls, instance: Instance, delta: Fraction, arm: int, count: int | None) -> Self:
        return cls(instance, Question(delta=delta, digits=_DIGITS), arm=arm, count=count)

    @property
    def mean(self) -> Fraction:
        return self.instance.means[self.arm - 1]

    @property
    def rank(self) -> int:
        return self.instance.order.index(self.arm - 1) + 1

    @property
    def law(self) -> RewardLaw:
        return self.instance.reward.of_arm(self.arm - 1)

    def parameters(self) -> dict[str, Any]:
        shown: dict[str, Any] = {"arm": self.arm, "mean": decimal(self.mean, 6)}
        if self.count is not None:
            shown["rewards"] = self.count
        return shown | {"delta": decimal(self.question.delta, 6)}

    def simpler(self) -> Iterator[Self]:
        for delta in rounder(self.question.delta):
            if 0 < delta < 1:
                yield replace(self, question=replace(self.question, delta=delta))
        if self.count is not None:
            yield from (replace(self, count=count) for count in rounder_counts(self.count))
        for instance in simpler_instances(self.instance):
            if self.arm <= instance.arms:
                yield replace(self, instance=instance)


def _on_instance(
    card: Claim, instance: Instance, question: Question, context: RunContext, *, sized: bool
) -> Iterator[Rewards]:
    """The best arms, at the delta asked for and at 1/5, which is easier to refute."""
    for arm, delta in product(instance.order[:MOST_ARMS], (question.delta, Fraction(1, 5))):
        for count in (None,) if sized else counted_by(card, COUNTS):
            yield Rewards.of(instance, delta, arm + 1, count)


def counted_by(card: Claim, every: tuple[int, ...]) -> tuple[int, ...]:
    """The counts at which a card can be judged: a sample variance needs two rewards."""
    if not of_sample(card):
        return every
    return tuple(count for count in every if 2 <= count <= SAMPLED)


def of_sample(card: Claim) -> bool:
    """Whether the width depends on the sample variance."""
    return card.formula is not None and s.sample_variance in card.formula.free_symbols


@st.composite
def _drawn(draw: DrawFn, theory: Theory, sized: bool, most: int = SUMMED) -> Rewards:
    """A random arm of the theory's instances with a random number of rewards."""
    instance = draw(theory.instances())
    number = draw(st.integers(1, instance.arms))
    count = None if sized else draw(exploration_counts(most))
    return Rewards.of(instance, draw(confidences(Fraction(1, 2))), number, count)


def size(card: Claim, case: Rewards, theory: Theory) -> int | None:
    """The number of rewards: that of the case, or the card's number rounded up."""
    if case.count is not None:
        return case.count
    setting = exact_setting(case.instance, case.question, theory.derive)
    ((_, total),) = certified_rows(card.quantities[0], setting, [case.rank], _DIGITS)
    most = total.upper().ceil()
    return max(int(most.unique_fmpz()), 1) if most.is_finite() and most < 10**15 else None


def allowed_deviation(card: Claim, case: Rewards, count: int, theory: Theory) -> arb:
    """The deviation that the card allows."""
    setting = exact_setting(case.instance, case.question, theory.derive)
    setting = setting.given({s.n: np.array([[Fraction(count)]], dtype=object)})
    found: arb = setting.evaluator(BALLS, np.array([case.rank - 1]))(card.formula).item()
    return found


def deviation_enclosed(card: Claim, case: Rewards, context: RunContext) -> Measured | None:
    """The probability of a larger deviation, enclosed."""
    count = size(card, case, context.theory)
    if count is None:
        return None
    if of_sample(card):
        return summed_by_sample(card, case, count, context.theory)
    allowed = allowed_deviation(card, case, count, context.theory)
    if isinstance(case.law, Bernoulli) and count <= SUMMED:
        low, high = binomial_deviation(case.mean, count, allowed, card.side)
    else:
        explored = Explored(Arm(case.arm, case.mean, 1, case.law), count, 1)
        signs = {"both": (1, -1), "above": (1,), "below": (-1,)}[card.side]
        either = sum((explored.tail(sign, 0, allowed) for sign in signs), arb(0))
        low, high = either.lower().max(arb(0)), either.upper().min(arb(1))
    return Enclosed(low, high, {"rewards": count})


def summed_by_sample(card: Claim, case: Rewards, count: int, theory: Theory) -> Measured | None:
    """The probability that Bernoulli rewards deviate by more than a width that depends on their
    sample variance: n rewards with s ones have the variance s (n - s) / (n (n - 1)).
    """
    if not isinstance(case.law, Bernoulli) or not 2 <= count <= SAMPLED:
        return None
    ones = range(count + 1)
    spread = [[Fraction(k * (count - k), count * (count - 1))] for k in ones]
    setting = exact_setting(case.instance, case.question, theory.derive).given(
        {
            s.n: np.array([[Fraction(count)]], dtype=object),
            s.sample_variance: np.array(spread, dtype=object),
        }
    )
    allowed = setting.evaluator(BALLS, np.array([case.rank - 1]))(card.formula)
    p, sure, possible = balls.ball(case.mean), arb(0), arb(0)
    for k in ones:
        away = balls.ball(Fraction(k, count) - case.mean)
        away = {"both": abs(away), "above": away, "below": -away}[card.side]
        if away <= allowed[k, 0]:
            continue
        chance = arb(comb(count, k)) * p**k * (1 - p) ** (count - k)
        possible += chance
        if away > allowed[k, 0]:
            sure += chance
    return Enclosed(sure.lower().max(arb(0)), possible.upper().min(arb(1)), {"rewards": count})


def binomial_deviation(
    mean: Fraction, count: int, allowed: arb, side: str = "both"
) -> tuple[arb, arb]:
    """Enclosure of P(the mean of Bernoulli(p) variables deviates by more than `allowed`): outcomes
    too close to decide count in the upper bound only.
    """
    sure, possible = arb(0), arb(0)
    ends = {"both": (mean, 1 - mean), "below": (mean,), "above": (1 - mean,)}[side]
    for p in ends:  # outcomes from either end towards the mean
        chance = balls.ball(1 - p) ** count
        for successes in range(count):
            away = balls.ball(p - Fraction(successes, count))
            if away <= allowed or away <= 0:
                break
            possible += chance
            if away > allowed:
                sure += chance
            if p == 1:  # the rewards are constant
                break
            chance = chance * (count - successes) / (successes + 1) * balls.ball(p / (1 - p))
    return sure.lower().max(arb(0)), possible.upper().min(arb(1))


def deviations_counted(card: Claim, case: Rewards, context: RunContext) -> Measured | None:
    """Simulated means that deviate by more, for Beta and empirical rewards."""
    count, law = size(card, case, context.theory), case.law
    drawn_singly = isinstance(law, Beta | Empirical)
    if count is None or not drawn_singly or count * context.effort.trials > DRAWN:
        return None
    if of_sample(card):
        return None
    allowed, mean = allowed_deviation(card, case, count, context.theory), float(case.mean)
    sign = {"both": np.abs, "above": np.positive, "below": np.negative}[card.side]
    rng = context.generator(f"{card.id} {case.arm} {count} {case.question.delta}")
    sums = np.zeros(context.effort.trials)
    for _ in range(count):
        if isinstance(law, Beta):
            c = float(law.concentration)
            sums += rng.beta(mean * c, (1 - mean) * c, sums.size)
        else:
            sums += paths.sums(law, mean, np.ones(1, dtype=np.int64), sums.size, rng)[:, 0]
    hits = int(np.sum(sign(sums / count - mean) > float(allowed.upper())))
    return Counted(hits, sums.size, {"rewards": count})


def deviation_statement(card: Claim, theory: Theory, *, sized: bool) -> Statement:
    """The statement: the mean deviates by more than the card's formula with probability at most
    delta.
    """
    size_words = "the card's number of rewards" if sized else "n rewards"
    how = {"both": "deviates", "above": "is too large", "below": "is too small"}[card.side]
    return Statement(
        role=Role.INTENDED,
        text=f"P(the mean of {size_words} {how} by more than claimed) <= delta; {card.reading}",
        actual=(
            Measurement("enclosed", deviation_enclosed),
            Measurement("counted", deviations_counted, sampled=True),
        ),
        claimed=lambda card, case: case.question.delta,
        cases=partial(_on_instance, sized=sized),
        strategy=partial(_drawn, theory, sized, SAMPLED if of_sample(card) else SUMMED),
        inapplicable_reason="it gives no number of rewards here",
        explanations={
            Verdict.REFUTED: "the mean of {rewards} rewards of arm {arm} deviates by more with "
            "probability {actual}, above delta = {claimed}",
            Verdict.HOLDS: "true in every case; in the closest one the probability is {actual}, "
            "delta = {claimed}",
        },
    )
