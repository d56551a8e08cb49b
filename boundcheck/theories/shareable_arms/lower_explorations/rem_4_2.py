"""Remark 4.2: loads above a capacity are needed to learn it, and cost regret.

For the pair {m, m + 1} loads up to m give no information, so the bound counts loads above m, which
cost regret. Its application to the last arm is wrong: whether m_L reaches mbar is shown by the
optimal load mbar itself, which costs nothing: an arm that serves all of it shows mbar X, one of
capacity c < mbar shows c X. The divergence of the two decreases with c, so c = mbar - 1 is the
worst case.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.evidence.tails import arms_of
from boundcheck.judging.comparison import Measured
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Enclosed
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.search.strategies import decimals, variances
from boundcheck.theories.shareable_arms import assumptions as given
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.lower_explorations import telling_apart as telling
from boundcheck.theories.shareable_arms.lower_explorations.telling_apart import (
    Hypotheses,
    TwoCapacities,
    too_few,
)
from boundcheck.theories.shareable_arms.lower_explorations.thresholds import smallest_ratios
from simulation.rewards.laws import Gaussian
from simulation.world.instance import Instance


def free_information(card: Claim, case: TwoCapacities, context: RunContext) -> Measured | None:
    """The divergence against capacity mbar - 1 that one optimal slot gives without regret."""
    instance, load = case.instance, case.instance.remaining_plays
    if case.arm != instance.last_arm + 1 or case.threshold != load:
        return None
    return Enclosed.of(telling.divergence(load, load - 1, case.theta2), optimal_load=load)


def _last_arm(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[TwoCapacities]:
    """Arm L, with threshold d = mbar for its capacity."""
    arm, d = arms_of(instance)[instance.last_arm], instance.remaining_plays
    if d > 1:
        yield TwoCapacities.of(
            instance, arm, question.delta, threshold=d, hypotheses=Hypotheses.EDGE
        )


@st.composite
def alone(draw: DrawFn) -> TwoCapacities:
    """One arm that takes all plays, so that it is arm L."""
    plays, mean, law = draw(st.integers(2, 4)), draw(decimals(1, 10, 1)), draw(variances())
    delta, kind = Fraction(1, 20), Hypotheses.EDGE
    return TwoCapacities(mean, plays, plays, Gaussian(law), delta, plays, hypotheses=kind)


LOADS_ABOVE = too_few(
    "with so few loads above m_k the larger of the errors at m_k and m_k + 1 is at least delta",
    telling.one_above,
    telling.ABOVE,
)

ARM_L = Statement(
    role=Role.FURTHER,
    text="the optimal load of arm L tells nothing of whether its capacity reaches mbar, so that "
    "validating it needs loads that cost regret",
    actual=(Measurement("divergence", free_information),),
    claimed=lambda card, case: Fraction(0),
    cases=_last_arm,
    strategy=alone,
    assumes=find("thm-4.1b").assumptions,  # of the second part of 4.1, with d = mbar
    complete=True,
    inapplicable_reason="the optimal action leaves one play for arm L, which every capacity serves",
    name="arm-L",
    explanations={
        Verdict.REFUTED: "every optimal slot puts the load {optimal_load} on arm {arm}, and so "
        "tells its capacity from smaller ones without any regret (divergence {actual} or more)"
    },
)

STATEMENTS = {"rem-4.2": (LOADS_ABOVE, ARM_L)}

THRESHOLDS = {
    ("rem-4.2", given.SIGNAL_TO_NOISE.name): partial(smallest_ratios, "rem-4.2", Hypotheses.ABOVE)
}
