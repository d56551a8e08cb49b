"""Theorem 4.3: the constant of the regret lower bound, compared with the exact one of `sharp-4.3`.

A lower bound above the smallest possible growth is false. The comparison rests on the fact that the
growth of `sharp-4.3` can be attained, which is proved (docs/theorems/attainment.md, by the policy
`certify`); every finding says so. The excess has two causes: the term of arm L, whose capacity can
be learnt for free under the optimal action, and the terms of the filled arms, which charge mu_k -
mu_L for a surplus play although it costs mu_L.

Neither counterexample needs a known variance (2.5 there): with a common unknown variance, ratios of
the spreads of two arms replace it, and the constant is the same if the greatest common divisor of
m_1, ..., m_{L-1} and the plays on arm L is 1, as in the second example. In the first it is 2, and
the exploration of the means also reveals the scale.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hypothesis.strategies import DrawFn, SearchStrategy, composite, integers, sampled_from

from boundcheck.claims.card import Claim
from boundcheck.judging.comparison import Measured, Number, Relation
from boundcheck.judging.default_statements.whole import InstanceCase
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Enclosed
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.search.strategies import instances
from boundcheck.theories.shareable_arms.lower_regret.decades import REGRET
from boundcheck.theories.shareable_arms.lower_regret.program import constant, whole
from boundcheck.theories.shareable_arms.setting import derive
from simulation.rewards.laws import Gaussian
from simulation.world.instance import Instance


def _exact_constant(card: Claim, case: InstanceCase, context: RunContext) -> Measured | None:
    """The smallest possible growth of regret per log T."""
    value = case.number(context.cards["sharp-4.3"], derive)
    return Enclosed.of(value) if value.is_finite() else None


def without_last_arm(card: Claim, case: InstanceCase) -> Number:
    """The published constant without its term for arm L."""
    return case.number(card, derive, terms=slice(0, 2))


def _drawn() -> SearchStrategy[InstanceCase]:
    return instances(smallest=3, largest=5, laws=("gaussian",), distinct=True).map(InstanceCase)


@composite
def dear_first_arm(draw: DrawFn) -> InstanceCase:
    """Arm 1 has a much larger mean than arm L, and the bound charges its surplus plays for that."""
    held, last, times = draw(integers(1, 4)), draw(integers(2, 3)), draw(integers(4, 12))
    plays = held + 2
    share = draw(integers(2, 8))  # mean of arm L in standard deviations, halved
    variance = draw(sampled_from([Fraction(1, 2), Fraction(1, 4), Fraction(1, 100)]))
    sd = Fraction(round(float(variance) ** 0.5 * 100), 100)
    low = share * sd / 2
    rest = [low * Fraction(10 - k, 20) for k in range(plays - 1)]
    capacities = [held, last, *(1 for _ in rest)]
    return InstanceCase(Instance([times * low, low, *rest], capacities, plays, Gaussian(variance)))


INTENDED = Statement(
    role=Role.INTENDED,
    text="the smallest possible growth of regret per log T is at least the published constant; "
    "common known variance",
    actual=(Measurement("exact constant", _exact_constant),),
    claimed=constant,
    cases=whole,
    strategy=_drawn,
    relation=Relation.AT_LEAST,
    complete=True,
    rests_on=("sharp-4.3",),
    explanations={
        Verdict.REFUTED: "the smallest possible growth is {actual} per log T, and the published "
        "lower bound {claimed} is above it",
        Verdict.HOLDS: "the published constant {claimed} is at most the smallest possible growth "
        "{actual}, as sharp-4.3 has it",
    },
)
FILLED_ARMS = replace(
    INTENDED,
    role=Role.FURTHER,
    name="filled-arms",
    text="the smallest possible growth is at least the published constant without its term for "
    "arm L: the filled arms alone are not charged too much",
    claimed=without_last_arm,
    strategy=dear_first_arm,
)
STATEMENTS = {"thm-4.3": (INTENDED, FILLED_ARMS, REGRET)}
