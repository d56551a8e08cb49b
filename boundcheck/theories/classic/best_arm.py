"""How few samples a policy takes that is right often enough: what refutes a larger lower bound.

For delta >= 1/2 a policy may take one sample and name an arm by a fair coin.

For delta < 1/2 and Gaussian arms a policy may play them in turn until the mixture bound tells them
apart (`gaussian-stop`). After v plays of each, the mean of the differences over sqrt(2) sigma is
that of v normal rewards of variance 1 and mean g = gap/(sqrt(2) sigma). The rule stops when it is
further from 0 than the width w_v, and so errs with probability delta at most. It has not
stopped after v with probability Phi(sqrt(v) (w_v - g)) at most; for delta < 1/2 the width falls
with v. So

    E samples  <=  2 (1 + sum over v >= 1 of Phi(sqrt(v) (w_v - g))),

summed in blocks a <= v < b with w_a for w_v, and from V on, where w_V <= g/2, as the geometric sum
of exp(-v g^2/8)/2.

For the two instances (p, 1 - p) and (1 - p, p) every sample moves the logarithm of the likelihood
ratio by +- log(p / (1 - p)). Stopping at +- j steps errs with probability
1/(1 + (p / (1 - p))^j), and takes j (1 - 2 error) / (2 p - 1) samples in the mean (gambler's ruin).
With the least j that errs with probability delta at most, that is the number a policy attains.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise

import numpy as np
from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from boundcheck.calculator.numbers.balls import ball
from boundcheck.calculator.numbers.evaluate import BALLS, Evaluator
from boundcheck.calculator.question import Question
from boundcheck.claims import symbols as s
from boundcheck.claims.card import Claim
from boundcheck.judging.comparison import Measured, Relation
from boundcheck.judging.default_statements.regret import claimed_number
from boundcheck.judging.default_statements.whole import InstanceCase
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Enclosed
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.search.simplify import rounder
from boundcheck.search.strategies import confidences, decimals
from boundcheck.theories.classic import THEORY
from boundcheck.theories.classic.means import MIXTURE
from simulation.numbers import decimal
from simulation.rewards.laws import Gaussian
from simulation.world.instance import Instance

DELTAS = (Fraction(1, 10), Fraction(9, 10), Fraction(1, 10**6))
MOST_STEPS = 10_000
MOST_PLAYS, PART = 2**60, 50  # of each arm; a block is this part of the plays before it
SMALL = 320  # the sum from V on counts for nothing once V g^2 exceeds it: exp(-40)


@dataclass(frozen=True)
class TwoArms(InstanceCase):
    """Two arms and the probability of an error that is allowed."""

    @classmethod
    def of(cls, instance: Instance, delta: Fraction) -> TwoArms:
        return cls(instance, Question(delta=delta, digits=20))

    def parameters(self) -> dict[str, str]:
        return {"delta": decimal(self.question.delta, 6)}

    def simpler(self) -> Iterator[TwoArms]:
        for delta in rounder(self.question.delta):
            if 0 < delta < 1:
                yield replace(self, question=replace(self.question, delta=delta))
        yield from super().simpler()


def _on_instance(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[TwoArms]:
    for delta in dict.fromkeys((question.delta, *DELTAS)):
        yield TwoArms.of(instance, delta)


@st.composite
def gaussian_pairs(draw: DrawFn) -> TwoArms:
    gap = draw(decimals(0, 10, 2).filter(lambda x: x > 0))
    pair = Instance([gap, 0], [1, 1], 1, Gaussian(Fraction(1)))
    return TwoArms.of(pair, draw(confidences()))


@st.composite
def mirrored_pairs(draw: DrawFn) -> TwoArms:
    p = Fraction(draw(st.integers(51, 99)), 100)
    return TwoArms.of(Instance([p, 1 - p], [1, 1], 1), draw(confidences(Fraction(1, 2))))


def by_a_coin(card: Claim, case: TwoArms, context: RunContext) -> Measured | None:
    """One sample and a fair coin err with probability 1/2."""
    if case.question.delta < Fraction(1, 2):
        return None
    return Enclosed.at_most(ball(Fraction(1)), policy="one sample and a fair coin")


def _width(delta: Fraction, plays: list[int]) -> list[arb]:
    """The width of the mixture bound after each of these numbers of plays."""
    n = np.array([[arb(v) for v in plays]], dtype=object)
    given = {s.n: n, s.delta: np.full(n.shape, ball(delta), dtype=object)}
    return list(Evaluator(BALLS, given)(MIXTURE.formula)[0])


def by_mixture(card: Claim, case: TwoArms, context: RunContext) -> Measured | None:
    """The plays of two Gaussian arms until the mixture bound tells them apart."""
    means, law, delta = case.instance.means, case.instance.reward, case.question.delta
    if delta >= Fraction(1, 2) or not isinstance(law, Gaussian):
        return None
    gap = ball(max(means) - min(means)) / (2 * ball(law.variance)).sqrt()
    last = 1
    while not (2 * _width(delta, [last])[0] <= gap and last * gap**2 >= SMALL):
        last *= 2
        if last > MOST_PLAYS:
            return None
    ends = [1]
    while ends[-1] < last:
        ends.append(min(last, ends[-1] + 1 + ends[-1] // PART))
    total = 1 + (-last * gap**2 / 8).exp() / (1 - (-(gap**2) / 8).exp()) / 2
    for (first, end), width in zip(pairwise(ends), _width(delta, ends), strict=False):
        apart = width - gap
        plays = end if apart > 0 else first  # sqrt(v) (w_v - g) is largest there
        total += (end - first) * (-apart * (arb(plays) / 2).sqrt()).erfc() / 2
    return Enclosed.at_most(2 * total, policy="gaussian-stop", premise="mixture")


def by_likelihood(card: Claim, case: TwoArms, context: RunContext) -> Measured | None:
    """Stopping at the least number of steps that errs with probability delta at most."""
    p, odds, steps = max(case.instance.means), Fraction(1), 0
    if p == 1:
        return Enclosed.at_most(ball(Fraction(1)), policy="one sample")
    while 1 / (1 + odds) > case.question.delta and steps < MOST_STEPS:
        steps += 1
        odds *= p / (1 - p)
    if 1 / (1 + odds) > case.question.delta:
        return None
    error = 1 / (1 + odds)
    taken = steps * (1 - 2 * error) / (2 * p - 1)
    more = {"policy": f"stopping at {steps} steps of the likelihood ratio", "error": error}
    return Enclosed.at_most(ball(taken), **{**more, "error": decimal(error, 6)})


def _statement(drawn: object, *ways: Measurement) -> Statement:
    return Statement(
        role=Role.INTENDED,
        text="E samples of every policy that errs with probability delta at most >= the number",
        actual=ways,
        claimed=partial(claimed_number, theory=THEORY),
        cases=_on_instance,
        strategy=drawn,  # type: ignore[arg-type]
        relation=Relation.AT_LEAST,
        explanations={
            Verdict.REFUTED: "{policy} takes {actual} samples in the mean, claimed is that none "
            "takes fewer than {claimed}",
            Verdict.UNDECIDED: "claimed is that none takes fewer than {claimed}",
        },
    )


_PAIR = (Measurement("a coin", by_a_coin), Measurement("the mixture bound", by_mixture))
_RATIO = Measurement("likelihood", by_likelihood)
STATEMENTS = {
    "best-arm": (_statement(gaussian_pairs, *_PAIR),),
    "best-arm-printed": (_statement(gaussian_pairs, *_PAIR),),
    "best-arm-two-points": (_statement(mirrored_pairs, _RATIO),),
}
