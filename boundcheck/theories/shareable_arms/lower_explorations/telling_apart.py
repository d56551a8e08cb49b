"""Distinguishing capacities a < b of an arm: the least possible error after n explorations.

At load l an arm of capacity c shows min(l, c) X. Loads up to a give no information, loads of b and
more show a X or b X. With known mean, the larger of the two errors of any test is at least

    e*(n)         Gaussian X, n loads of b or more: exact (`two_point`), enclosed
    A(n)^2/4      Gaussian X, any n loads: A, the affinity at loads of b or more, falls with the
                  load, and Le Cam bounds the error by it; e*(n) is at most A(n)/2
    (1 - mu)^n/2  Bernoulli X: a success reveals the capacity, without one the test must guess

and where b = a + 1 no load lies between: e*(n) is the least error at any loads. A bound says "with
at most B explorations the error is at least delta", decided at the whole part of B: errors fall
with n.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import partial
from itertools import product
from math import ceil, log, sqrt
from typing import Any

from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from sympy import symbols

from boundcheck.calculator.numbers.balls import ball, precision
from boundcheck.calculator.numbers.widths import enclosed
from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.evidence.tails import Arm, arms_of
from boundcheck.judging.comparison import Measured, Relation, written
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Enclosed
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.search.strategies import decimals, fractions_of_one, variances
from boundcheck.theories.shareable_arms.exact.first_count import first_whole
from boundcheck.theories.shareable_arms.exact.two_point import enclosed_error, error_between
from boundcheck.theories.shareable_arms.functions import KL
from boundcheck.theories.shareable_arms.one_arm import OneArm, confidence_of, representatives
from simulation.rewards.laws import Bernoulli, Gaussian
from simulation.world.instance import Instance

# confidences at which a bound is tested; small ones make it larger than 1
DELTAS = tuple(Fraction(1, 10**k) for k in (1, 2, 4, 8, 16))
# largest number of explorations with an exact law; beyond, affinities enclose the error
MOST = 2_000
_COARSE = 64  # bits


class Hypotheses(Enum):
    """Which two capacities are to be distinguished; d is the threshold of the case."""

    BELOW = "{m - 1, m}"
    ABOVE = "{m, m + 1}"
    EDGE = "{d - 1, d}"
    NAMED = "{d - 1, m} if m >= d, else {m, d}"

    def pair(self, m: int, d: int | None) -> tuple[int, int]:
        edge = d or 0
        return {
            Hypotheses.BELOW: (m - 1, m),
            Hypotheses.ABOVE: (m, m + 1),
            Hypotheses.EDGE: (edge - 1, edge),
            Hypotheses.NAMED: (edge - 1, m) if m >= edge else (m, edge),
        }[self]


@dataclass(frozen=True)
class TwoCapacities(OneArm):
    """An arm and two capacities that it may have."""

    hypotheses: Hypotheses = Hypotheses.ABOVE

    @property
    def pair(self) -> tuple[int, int]:
        return self.hypotheses.pair(self.capacity, self.threshold)

    @property
    def theta2(self) -> Fraction:
        return self.mean**2 / self.law.proxy_variance

    def parameters(self) -> dict[str, Any]:
        return super().parameters() | {"capacities": list(self.pair)}

    def error(self, n: int) -> tuple[arb, arb] | None:
        """Lower and upper bound on the least error; None if it is not known. Loads are at most
        N.
        """
        a, b = self.pair[0], min(self.pair[1], self.plays)
        if a < 1 or not isinstance(self.law, Gaussian | Bernoulli):
            return None
        if n == 0 or a >= b:
            return arb(1) / 2, arb(1) / 2
        if isinstance(self.law, Bernoulli):
            guessed = ball(1 - self.mean) ** n / 2
            return guessed.lower(), guessed.upper()
        problem = arb(a), arb(b), ball(self.theta2)
        lower, upper = error_between(*problem, n)
        if n > MOST:
            return lower, upper
        exact = enclosed_error(*problem, arb(n))
        return exact.lower() if b == a + 1 else lower, exact.upper()

    def enough(self, n: int) -> int:
        """The fewest explorations that certainly bring the error below delta; n of them do."""

        def suffice(count: int) -> bool:
            found = self.error(count)
            return found is not None and bool(found[1] < ball(self.delta))

        with precision(_COARSE):
            return first_whole(suffice, n)


def whole_part(size: arb) -> int:
    """The largest integer that is certainly at most the size; for an infinite size any large
    one.
    """
    if not size > 0:
        return 0
    return int(size.lower().fmpq().floor()) if size.is_finite() else MOST


def divergence(a: int, b: int, theta2: Fraction) -> arb:
    """The divergence of a X from b X, for Gaussian X with mu^2/sigma^2 = theta2."""
    (found,) = enclosed(KL(*symbols("a b theta2")), {"a": a, "b": b, "theta2": theta2})
    return found


# -- what is measured ------------------------------------------------------------------------


def error_at_size(
    card: Claim, case: TwoCapacities, context: RunContext, place: int = 0
) -> Measured | None:
    """The least error with as many explorations as the card says are too few."""
    size = case.given_by(card, place)
    n = whole_part(size)
    found = case.error(n)
    if found is None:
        return None
    lower, upper = found
    more: dict[str, Any] = {"size": written(size), "explorations": n}
    if upper < ball(case.delta):
        more["enough"] = case.enough(n)
    return Enclosed(lower, upper, more)


def _below_one(card: Claim, case: TwoCapacities, context: RunContext, place: int = 0) -> str | None:
    """Without any exploration an error of 1/2 is certain."""
    silent = not case.given_by(card, place) >= 1
    return "the bound is below one exploration, without which nothing is known" if silent else None


# -- cases -----------------------------------------------------------------------------------


def tellable(instance: Instance) -> list[Arm]:
    """Arms with a law whose least error is known, and a capacity that the plays can fill; a
    selection if there are many.
    """
    known = isinstance(instance.reward, Gaussian | Bernoulli)
    found = [arm for arm in arms_of(instance) if known and arm.capacity <= instance.plays]
    return representatives(found)


def arms_and_confidences(instance: Instance, question: Question) -> Iterator[tuple[Arm, Fraction]]:
    """Every such arm, at every confidence."""
    return product(tellable(instance), dict.fromkeys([question.delta, *DELTAS]))


def one_above(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[TwoCapacities]:
    """Every arm's capacity and the next one."""
    yield from (
        TwoCapacities.of(instance, *pair) for pair in arms_and_confidences(instance, question)
    )


@st.composite
def near_the_condition(
    draw: DrawFn, hypotheses: tuple[Hypotheses, ...], threshold: bool = False
) -> TwoCapacities:
    """Arms on both sides of the signal-to-noise condition, most of them close to it."""
    most = draw(st.sampled_from((3, 5, 12)))  # a counterexample with few plays is simpler
    plays = draw(st.integers(2, most))
    capacity = draw(st.integers(1, plays))
    d = draw(st.one_of(st.just(plays), st.integers(2, plays + 1))) if threshold else None
    delta, kind = Fraction(1, 10 ** draw(st.integers(1, 12))), draw(st.sampled_from(hypotheses))
    if kind is Hypotheses.BELOW and capacity == 1:  # there is no capacity 0
        kind = Hypotheses.ABOVE
    if draw(st.integers(0, 9)) == 9:
        mean = draw(st.one_of(st.just(Fraction(1)), fractions_of_one()))
        return TwoCapacities(mean, capacity, plays, Bernoulli(), delta, d, hypotheses=kind)
    variance = draw(variances())
    multiple = draw(st.one_of(st.just(Fraction(1)), decimals(0, 1, 2), decimals(1, 10, 1)))
    edge = 2.0 if d is None else 2 * log(plays / (d - 1))
    distance = 1 if d is None else abs(capacity - d + 1) or 1
    size = sqrt(float(multiple * variance) * edge) * capacity / distance
    mean = Fraction(ceil(size * 1000) + 1, 1000) * draw(st.sampled_from((1, 1, 1, -1)))
    return TwoCapacities(mean, capacity, plays, Gaussian(variance), delta, d, hypotheses=kind)


ABOVE = partial(near_the_condition, (Hypotheses.ABOVE,))

# -- statements ------------------------------------------------------------------------------

Cases = Callable[[Claim, Instance, Question, RunContext], Iterator[TwoCapacities]]
Drawn = Callable[[], st.SearchStrategy[TwoCapacities]]


def too_few(
    text: str,
    cases: Cases,
    drawn: Drawn,
    role: Role = Role.INTENDED,
    place: int = 0,
    name: str = "",
) -> Statement:
    """The statement: with at most as many explorations as a quantity of the card, the error is at
    least delta.
    """
    return Statement(
        role=role,
        text=text,
        actual=(Measurement("least error", partial(error_at_size, place=place)),),
        claimed=confidence_of,
        cases=cases,
        strategy=drawn,
        relation=Relation.AT_LEAST,
        uninformative=partial(_below_one, place=place),
        inapplicable_reason="no arm can have one of two capacities that the plays can fill, with "
        "rewards (Gaussian or Bernoulli) for which the least error is known",
        name=name,
        explanations={
            Verdict.REFUTED: "it says that {size} explorations are too few to tell the capacities "
            "{capacities} apart, but the least error after {explorations} is {actual}, below "
            "delta = {claimed} (explorations that are enough: {enough})",
            Verdict.HOLDS: "in every case the best test errs with probability delta or more; where "
            "it is closest, with probability {actual} for delta = {claimed} (explorations: "
            "{explorations})",
            Verdict.UNDECIDED: "the least error over all loads is only known to lie in "
            "{actual}, beside delta = {claimed}",
        },
    )
