"""sharp-4.3, ours in place of 4.3: the exact constant, compared with the Graves-Lai program.

If an instance is too large for the program, the arms with the smallest means are left out. If
nothing remains, or floats find no solution to certify, the growth of simulated regret is reported
as evidence about the limit, without a decision.
"""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis.strategies import SearchStrategy

from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.judging.comparison import Measured, Relation
from boundcheck.judging.default_statements.growth import slope_between
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Growth
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.search.strategies import instances
from boundcheck.theories.shareable_arms.exact.graves_lai import LARGEST
from boundcheck.theories.shareable_arms.lower_regret.decades import LEARNERS, REGRET
from boundcheck.theories.shareable_arms.lower_regret.program import (
    FOUND,
    Reduced,
    constant,
    program,
    sharp,
)
from simulation.policies import find, refused
from simulation.world.instance import Instance


def slowest_growth(card: Claim, case: Reduced, context: RunContext) -> Measured | None:
    """The growth of regret over the last decade, for policies that do not know the capacities."""
    last, grown = context.effort.horizon, []
    for policy in LEARNERS:
        if refused(find(policy), case.instance, last) is None:
            late, early = (
                context.simulated(case.instance, policy, horizon, context.effort.runs)
                for horizon in (last, last // 10)  # separate runs for each
            )
            grown.append((*slope_between(early, late), policy))
    slope, error, policy = min(grown)
    return Growth(slope, error, {"policy": policy})


def _on_instance(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[Reduced]:
    kept = max(min(instance.arms, LARGEST // instance.plays), instance.plays)
    asked = sharp(question)
    if kept in (instance.plays, instance.arms):
        yield Reduced(instance, asked)
        return
    smaller = instance.kept(sorted(instance.order[:kept]))
    yield Reduced(smaller, asked, left_out=instance.arms - kept)


def _drawn() -> SearchStrategy[Reduced]:
    return instances(smallest=2, largest=4, distinct=True).map(Reduced)


EXACT = Statement(
    role=Role.INTENDED,
    text="the smallest possible growth of regret per log T, a linear program, is this constant "
    "(numbers closer than a share of 1e-9 count as equal)",
    actual=(Measurement("Graves-Lai program", program), Measurement("growth", slowest_growth)),
    claimed=constant,
    cases=_on_instance,
    strategy=_drawn,
    relation=Relation.EQUAL,
    explanations={
        Verdict.REFUTED: FOUND,
        Verdict.HOLDS: FOUND,
        Verdict.UNDECIDED: "the slowest growth seen is {actual} per log T, the formula gives "
        "{claimed}; the program on a smaller instance would tell more",
    },
)

STATEMENTS = {"sharp-4.3": (EXACT, REGRET)}
