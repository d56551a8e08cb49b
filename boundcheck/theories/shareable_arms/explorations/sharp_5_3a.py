"""sharp-5.3a, ours in place of 5.3: the smallest number of explorations to learn a capacity."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.judging.comparison import Measured
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Exact
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.theories.shareable_arms.cards import find
from boundcheck.theories.shareable_arms.explorations.enough import SufficientSize, sizes_on_instance
from boundcheck.theories.shareable_arms.explorations.learning import LEARNT, QUARTER
from simulation.world.instance import Instance


def smallest(card: Claim, case: SufficientSize, context: RunContext) -> Measured | None:
    """The smallest n that satisfies (1) of learning.py."""
    return Exact(Fraction(case.explorations(card)))


def balanced(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[SufficientSize]:
    yield from (
        case for case in sizes_on_instance(card, instance, question, context) if not case.ahead
    )


@st.composite
def any_confidence(draw: DrawFn) -> SufficientSize:
    m = draw(st.integers(1, 100))
    mean = m * Fraction(1, draw(st.sampled_from((2, 10))) ** draw(st.integers(0, 12)))
    delta = Fraction(draw(st.integers(1, 99)), 10 ** draw(st.integers(2, 300)))
    return SufficientSize(mean, m, m, QUARTER, delta)


CLOSED_FORM = Statement(
    role=Role.FURTHER,
    text="the smallest size is at most the closed form, where (4m + 3)^2/mu^2 >= 49",
    actual=(Measurement("certified sizes", smallest),),
    claimed=lambda card, case: case.size(card, place=1),
    cases=balanced,
    strategy=any_confidence,
    assumes=find("sharp-5.3a").stated,
    inapplicable_reason=LEARNT.inapplicable_reason,
    name="closed-form",
    explanations={
        Verdict.REFUTED: "{actual} explorations are needed, above the closed form {claimed}"
    },
)

STATEMENTS = {"sharp-5.3a": (LEARNT, CLOSED_FORM)}
