"""Lemma E.1: slots in which an arm may be played and its empirical mean is off by epsilon.

Intended: the coin C_t that allows the arm to be played is tossed once the past determines whether t
is in H. Whatever the rule for H, the arm then spends at most 1/c slots of H, on average, at each
number n of observations, and 1/c if H is every slot. With p_n the probability that the mean of n
rewards is off by epsilon, the expected number of bad slots under the worst rule is

    (p_0 + p_1 + p_2 + ...)/c,     p_0 between 0 and 1: what the mean of an unseen arm is taken for.

Chernoff: p_n <= 2 exp(-n x), x = epsilon^2/(2 sigma^2), a geometric series for every epsilon.
Gaussian: p_n falls with n and its integral is sigma^2/epsilon^2, which the sum misses by at most 1.
Bernoulli: the first p_n are binomial tails, each from the one before; Chernoff for the rest.

Printed: C_t is independent of the other coins and known at t, but nothing keeps it from being known
at t - 1. Then H may be the slots whose coin shows 0: the arm need not be played in any of them, its
estimate stays at the 0 it starts from, and (1 - c) n of the first n slots are bad.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil
from typing import Any, Self

from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from boundcheck.calculator.numbers.balls import ball
from boundcheck.calculator.numbers.widths import enclosed
from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.evidence.tails import arms_of
from boundcheck.judging.comparison import Measured
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Enclosed, Exact
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.search.simplify import rounder
from boundcheck.search.strategies import fractions_of_one
from boundcheck.theories.shareable_arms.one_arm import Rewarded, exposed
from simulation.numbers import decimal
from simulation.rewards.laws import Bernoulli, Gaussian, RewardLaw
from simulation.world.instance import Instance

TAILS = 5_000  # number of binomial tails that are summed; Chernoff bounds the others
_NEGLIGIBLE = 40  # tails below exp(-40) are negligible
_ROUND = Fraction(1, 10)  # an epsilon for every instance
_VARIANCES = [Fraction(x) for x in ("1/4", "1/2", "1", "2", "3", "8")]


@dataclass(frozen=True)
class Coin(Rewarded):
    """An arm, the probability c that it is played, and the deviation that makes its mean bad."""

    epsilon: Fraction = _ROUND
    chance: Fraction = Fraction(1, 2)

    def parameters(self) -> dict[str, Any]:
        coin = {"epsilon": decimal(self.epsilon, 6), "c": decimal(self.chance, 6)}
        return super().parameters() | coin

    def simpler(self) -> Iterator[Self]:
        yield from super().simpler()
        if self.inside is None:
            yield from (replace(self, epsilon=e) for e in rounder(self.epsilon) if e > 0)
            yield from (replace(self, chance=c) for c in rounder(self.chance) if 0 < c <= 1)


@dataclass(frozen=True)
class Foreseen(Coin):
    """The coins are known one slot ahead, and H is the set of slots whose coin shows 0."""

    slots: int = 1

    def parameters(self) -> dict[str, Any]:
        return super().parameters() | {"slots": self.slots, "H": "the slots with C_t = 0"}


# -- what is measured ------------------------------------------------------------------------


def bad_slots(card: Claim, case: Coin, context: RunContext) -> Measured | None:
    """The expected number of bad slots in all slots, under the worst rule."""
    least, most = tails(case.mean, case.law, case.epsilon)
    c = ball(case.chance)
    return Enclosed((least / c).lower(), ((1 + most) / c).upper())


@lru_cache(maxsize=256)
def tails(mean: Fraction, law: RewardLaw, epsilon: Fraction) -> tuple[arb, arb]:
    """Lower and upper bound on p_1 + p_2 + ..."""
    if isinstance(law, Gaussian):
        total = ball(law.variance / epsilon**2)
        return (total - 1).max(arb(0)), total
    rate = epsilon**2 / (2 * law.proxy_variance)
    count = min(TAILS, ceil(_NEGLIGIBLE / rate)) if isinstance(law, Bernoulli) else 0
    sides = (mean, 1 - mean)  # too few successes, too few failures
    first = sum((_few(p, p - epsilon, count) for p in sides if epsilon <= p < 1), arb(0))
    rest = 2 * (-count * ball(rate)).exp() / ball(rate).expm1()
    return first, first + rest


def _few(p: Fraction, share: Fraction, last: int) -> arb:
    """The sum of P(Bin(n, p) <= n share) over n = 1, ..., last; 0 <= share < p < 1."""
    hit, miss, odds = ball(p), ball(1 - p), ball(p / (1 - p))
    most, mass, tail, total = 0, arb(1), arb(1), arb(0)
    for n in range(1, last + 1):
        tail -= hit * mass  # P(Bin(n, p) <= most) from that of n - 1, mass is P(= most)
        mass *= miss * n / (n - most)
        if n * share >= most + 1:
            most += 1
            mass *= odds * (n - most + 1) / most
            tail += mass
        total += tail
    return total


def never_played(card: Claim, case: Foreseen, context: RunContext) -> Measured | None:
    """The bad slots among the first slots with C_t = 0: all of them if 0 is off by epsilon."""
    bad = abs(case.mean) >= case.epsilon
    return Exact((1 - case.chance) * case.slots * bad)


def _bound(card: Claim, case: Coin) -> arb:
    (claimed,) = enclosed(card.formula, {"c": case.chance, "epsilon": case.epsilon})
    return claimed


# -- cases -----------------------------------------------------------------------------------


def _on_instance(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[Coin]:
    """The arm with the largest variance; half the smallest gap and a round epsilon; the coins of
    E.4.
    """
    for arm in exposed(arms_of(instance)):
        for epsilon in _epsilons(instance, question):
            for chance in (Fraction(1), Fraction(1, 2), Fraction(1, 2 * instance.arms)):
                yield Coin.of(instance, arm, question.delta, epsilon=epsilon, chance=chance)


def _epsilons(instance: Instance, question: Question) -> list[Fraction]:
    half = min(b - a for a, b in pairwise(sorted(instance.means))) / 2
    return [*dict.fromkeys(e for e in (question.epsilon or half, _ROUND) if e > 0)]


def foreseen_on_instance(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[Foreseen]:
    """The arm with the largest mean and a fair coin, for a power of ten of slots such that at least
    twice the claimed number are bad.
    """
    arm = max(arms_of(instance), key=lambda arm: arm.mean)
    for epsilon in _epsilons(instance, question):
        if arm.mean >= epsilon:
            case = Foreseen.of(instance, arm, question.delta, epsilon=epsilon)
            twice = 2 * _bound(card, case) / ball(1 - case.chance)
            exponent = int((twice.log() / arb(10).log()).upper().ceil().unique_fmpz())
            yield replace(case, slots=10**exponent)


@st.composite
def _drawn(draw: DrawFn) -> Coin:
    """Bernoulli arms with an epsilon that needs few tails, Gaussian arms with any epsilon."""
    chance = draw(st.one_of(st.just(Fraction(1)), fractions_of_one(2)))
    mean, epsilon = draw(fractions_of_one(2)), Fraction(draw(st.integers(5, 99)), 100)
    law: RewardLaw = Bernoulli()
    if draw(st.booleans()):
        law = Gaussian(draw(st.sampled_from(_VARIANCES)))
        epsilon *= Fraction(10) ** draw(st.integers(-40, 2))
    return Coin(mean, 1, 1, law, Question().delta, epsilon=epsilon, chance=chance)


def fair_coins() -> Iterator[Foreseen]:
    """A fair arm and a fair coin: half of the first hundred slots are bad."""
    half = Fraction(1, 2)
    yield Foreseen(half, 1, 1, Bernoulli(), Question().delta, epsilon=half, slots=100)


# -- statements ------------------------------------------------------------------------------

INTENDED = Statement(
    role=Role.INTENDED,
    text="the number of bad slots of an arm that may be played where a coin, independent of the "
    "past, shows 1 (probability c), for any rule",
    actual=(Measurement("tails", bad_slots),),
    claimed=_bound,
    cases=_on_instance,
    strategy=_drawn,
    explanations={
        Verdict.REFUTED: "the worst rule has {actual} bad slots, claimed are at most {claimed}",
        Verdict.HOLDS: "true in every case; in the closest one the worst rule has {actual} bad "
        "slots, claimed are at most {claimed}",
    },
)
PRINTED = Statement(
    role=Role.PRINTED,
    text="the number of bad slots of an arm that may be played where a coin shows 1 (probability "
    "c), if the coins are independent of each other but may be known one slot ahead",
    actual=(Measurement("the slots with C_t = 0", never_played),),
    claimed=_bound,
    cases=foreseen_on_instance,
    known_cases=fair_coins,
    inapplicable_reason="no arm has a mean that 0, where estimates start, misses by epsilon",
    explanations={
        Verdict.REFUTED: "take for H the slots whose coin shows 0: the arm is never played there, "
        "and {actual} of them are bad; claimed are at most {claimed}"
    },
)
STATEMENTS = {"lem-E.1": (INTENDED, PRINTED)}
