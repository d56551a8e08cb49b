"""Lower bounds on the growth of regret, compared with policies simulated over decades of horizons.

The claim is about every consistent policy as T grows. Slopes over finitely many decades agree with
it or are below it, at the stated level; neither decides a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.judging.comparison import Number, Relation
from boundcheck.judging.decide import unmet
from boundcheck.judging.default_statements.decades import by_decade
from boundcheck.judging.default_statements.growth import Learner, slope_over_decades
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.theories.shareable_arms.lower_regret.program import constant, sharp
from boundcheck.theories.shareable_arms.setting import derive
from simulation.world.instance import Instance

LEARNERS = ("orch-explore", "likelihood")  # policies that do not know the capacities


def learners(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[Learner]:
    """The policies that leap over at least two decades, if the claim applies."""
    for policy in LEARNERS:
        case = Learner(instance, sharp(question), policy=policy)
        if (
            unmet(case, card.assumptions, derive)
            or by_decade(context, instance, policy) is not None
        ):
            yield case


def over_decades(
    text: str,
    claimed: Callable[[Claim, Any], Number],
    cases: Callable[[Claim, Instance, Question, RunContext], Iterable[Learner]],
    told: str,
) -> Statement:
    return Statement(
        role=Role.FURTHER,
        text=text,
        actual=(Measurement("slope over decades", slope_over_decades, sampled=True),),
        claimed=claimed,
        cases=cases,
        relation=Relation.AT_LEAST,
        inapplicable_reason="no policy leaps over two decades within this effort, or there is no "
        "such arm",
        name="decades",
        explanations={Verdict.UNDECIDED: f"{told}, claimed at least {{claimed}} in the limit"},
    )


REGRET = over_decades(
    "over decades of horizons with runs of their own the regret of policies that do not know the "
    "capacities grows per log T by the constant or more",
    constant,
    learners,
    "{over} the regret of {policy} grows by {actual} per log T",
)
