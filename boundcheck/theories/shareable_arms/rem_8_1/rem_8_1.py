"""Remark 8.1: OrchExplore's bound is the tightest; and what the figures show.

The remark compares the coefficients of log T in the three bounds term by term, by their orders.
Here they are compared with their constants, by enclosures, on every instance to which all three
theorems apply.
"""

from __future__ import annotations

from dataclasses import replace

from boundcheck.claims.card import Claim
from boundcheck.judging.comparison import Measured, Number
from boundcheck.judging.default_statements.whole import InstanceCase
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Enclosed
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.search.strategies import instances
from boundcheck.theories.shareable_arms.rem_8_1.orderings import FIGURES
from boundcheck.theories.shareable_arms.rem_8_1.widths import SHARPER
from boundcheck.theories.shareable_arms.setting import derive
from simulation.world.instance import Instance


def coefficient(card: Claim, case: InstanceCase, context: RunContext) -> Measured | None:
    """The coefficient of log T in OrchExplore's bound."""
    values = {q.name: case.number(card, derive, place) for place, q in enumerate(card.quantities)}
    more = {name: {"value": str(float(x.mid()))} for name, x in values.items()}
    first = case.number(card, derive)
    return Enclosed(first.lower(), first.upper(), more) if first.is_finite() else None


def smallest_other(card: Claim, case: InstanceCase) -> Number:
    others = [case.number(card, derive, place) for place in (1, 2)]
    return min(others, key=lambda x: float(x.mid()))


TIGHTER = Statement(
    role=Role.INTENDED,
    text="the coefficient of log T in OrchExplore's bound is at most those of MP-SE-SA and ETC-UCB",
    actual=(Measurement("enclosed coefficients", coefficient),),
    claimed=smallest_other,
    cases=lambda card, instance, question, context: [
        InstanceCase(instance, replace(question, digits=20))
    ],
    strategy=lambda: instances(smallest=2, largest=5, distinct=True).map(InstanceCase),
    known_cases=lambda: map(
        InstanceCase, map(Instance.load, ("paper", "paper-gaussian", "textbook"))
    ),
    complete=True,
    explanations={
        Verdict.HOLDS: "OrchExplore's coefficient is {actual}, the smaller of the others {claimed}",
        Verdict.REFUTED: "OrchExplore's coefficient is {actual}, that of another only {claimed}",
    },
)

STATEMENTS = {"rem-8.1": (TIGHTER, *FIGURES.values(), SHARPER)}
