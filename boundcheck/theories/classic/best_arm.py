"""How few samples a policy takes that is right often enough: what refutes a larger lower bound.

For delta >= 1/2 a policy may take one sample and name an arm by a fair coin. For the two instances
(p, 1 - p) and (1 - p, p) every sample moves the logarithm of the likelihood ratio by
+- log(p / (1 - p)). Stopping at +- j steps errs with probability 1/(1 + (p / (1 - p))^j), and takes
j (1 - 2 error) / (2 p - 1) samples in the mean (gambler's ruin). With the least j that errs with
probability delta at most, that is the number a policy attains.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from boundcheck.calculator.numbers.balls import ball
from boundcheck.calculator.question import Question
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
from simulation.numbers import decimal
from simulation.rewards.laws import Gaussian
from simulation.world.instance import Instance

MOST_STEPS = 10_000
NONE_KNOWN = (
    "no policy is known to take fewer, and runs of some policies cannot show that none does"
)


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
    for delta in dict.fromkeys((question.delta, Fraction(1, 10), Fraction(9, 10))):
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
        return Enclosed(arb.neg_inf(), arb.pos_inf(), missing=NONE_KNOWN)
    return Enclosed.at_most(ball(Fraction(1)), policy="one sample and a fair coin")


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


def _statement(way: Measurement, drawn: object) -> Statement:
    return Statement(
        role=Role.INTENDED,
        text="E samples of every policy that errs with probability delta at most >= the number",
        actual=(way,),
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


_COIN, _RATIO = Measurement("a coin", by_a_coin), Measurement("likelihood", by_likelihood)
STATEMENTS = {
    "best-arm": (_statement(_COIN, gaussian_pairs),),
    "best-arm-printed": (_statement(_COIN, gaussian_pairs),),
    "best-arm-two-points": (_statement(_RATIO, mirrored_pairs),),
}
