"""Remark 4.2: only loads above the capacity count, and they cost regret.

For the pair {m, m + 1} loads up to m tell nothing: the bound of 4.1 counts loads above m. Its use
on the last arm fails. Whether m_L reaches mbar is told by the optimal load mbar itself, which costs
nothing: an arm that serves all of it shows mbar X, one of capacity c < mbar shows c X. The
divergence of the two falls with c, so that against mbar - 1 is the least.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from boundcheck.claim import Claim
from boundcheck.evidence.tails import arms
from boundcheck.finding import Role, Verdict
from boundcheck.lab import Lab
from boundcheck.measured import Enclosed, Measured
from boundcheck.question import Question
from boundcheck.shareable_arms import assumptions as given
from boundcheck.shareable_arms.lower_explorations.telling_apart import (
    Hypotheses,
    Telling,
    divergence,
    near_the_condition,
    one_above,
    too_few,
)
from boundcheck.shareable_arms.lower_explorations.thm_4_1 import sharp_thresholds
from boundcheck.statement import Measurement, Statement
from boundcheck.strategies import decimals, variances
from boundcheck.theory import find
from simulation.instance import Instance
from simulation.rewards import Gaussian


def free_information(card: Claim, case: Telling, lab: Lab) -> Measured | None:
    """The divergence that one optimal slot, free of regret, gives against capacity mbar - 1."""
    instance, load = case.instance, case.instance.remaining_plays
    if case.arm != instance.last_arm + 1 or case.threshold != load:
        return None
    return Enclosed.of(divergence(load, load - 1, case.theta2), optimal_load=load)


def nothing(card: Claim, case: Telling) -> Fraction:
    return Fraction(0)


def last_arm(card: Claim, instance: Instance, question: Question, lab: Lab) -> Iterator[Telling]:
    """Arm L, whose capacity is to reach d = mbar."""
    arm, d = arms(instance)[instance.last_arm], instance.remaining_plays
    if d > 1:
        yield Telling.of(instance, arm, question.delta, threshold=d, hypotheses=Hypotheses.EDGE)


@st.composite
def alone(draw: st.DrawFn) -> Telling:
    """One arm that takes all plays, so that it is arm L."""
    plays, mean, law = draw(st.integers(2, 4)), draw(decimals(1, 10, 1)), draw(variances())
    delta, kind = Fraction(1, 20), Hypotheses.EDGE
    return Telling(mean, plays, plays, Gaussian(law), delta, plays, hypotheses=kind)


def drawn() -> SearchStrategy[Telling]:
    return near_the_condition((Hypotheses.ABOVE,))


LOADS_ABOVE = too_few(
    "with so few loads above m_k the larger of the errors at m_k and m_k + 1 is at least delta",
    one_above,
    drawn,
)
ARM_L = Statement(
    Role.FURTHER,
    "the optimal load of arm L tells nothing of whether its capacity reaches mbar, so that "
    "validating it needs loads that cost regret",
    (Measurement("divergence", free_information),),
    nothing,
    last_arm,
    alone,
    assumes=find("thm-4.1b").assumptions,  # of the second part of 4.1, with d = mbar
    complete=True,
    nowhere="the optimal action leaves one play for arm L, which every capacity serves",
    name="arm-L",
    seen={
        Verdict.REFUTED: "every optimal slot puts the load {optimal_load} on arm {arm}, and so "
        "tells its capacity from smaller ones without any regret (divergence {actual} or more)"
    },
)
STATEMENTS = {"rem-4.2": (LOADS_ABOVE, ARM_L)}
THRESHOLDS = {
    ("rem-4.2", given.SIGNAL_TO_NOISE.name): partial(sharp_thresholds, "rem-4.2", Hypotheses.ABOVE)
}
