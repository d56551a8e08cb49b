"""What runs over decades show of the lower bounds: 4.3, C.3 and the exact constant.

A policy is set beside a claim about every consistent policy as T grows. Slopes over finitely many
decades agree with it or lie below it, at the stated level; in neither case is a limit decided.

C.3 is about one play at a time. It bounds the slots of a suboptimal arm with several plays just as
well: a slot shows one reward of it at most, whatever its load, and an arm that would be better than
arm L, with all capacities as they are, must be found by a consistent policy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from boundcheck.calculator.values import certified_rows
from boundcheck.claim import Claim
from boundcheck.decision import unmet
from boundcheck.finding import Role, Verdict
from boundcheck.kinds.decades import by_decade
from boundcheck.kinds.growth import Learner, slope_over_decades
from boundcheck.lab import Lab
from boundcheck.measured import Number, Relation
from boundcheck.question import Question
from boundcheck.setting import exact_setting
from boundcheck.statement import Measurement, Statement
from simulation.instance import Instance

LEARNERS = ("orch-explore", "likelihood")  # they do not know the capacities
_DIGITS = 20


def learners(card: Claim, instance: Instance, question: Question, lab: Lab) -> Iterator[Learner]:
    """Those that leap over two decades or more, where the claim applies."""
    for policy in LEARNERS:
        case = Learner(instance, replace(question, digits=_DIGITS), policy=policy)
        if unmet(case, card.assumptions) or by_decade(lab, instance, policy) is not None:
            yield case


def suboptimal_arms(
    card: Claim, instance: Instance, question: Question, lab: Lab
) -> Iterator[Learner]:
    for case in learners(card, instance, question, lab):
        yield from (replace(case, arm=k + 1) for k in instance.order[instance.L :])


def constant(card: Claim, case: Learner) -> Number:
    return case.number(card)


def slots(card: Claim, case: Learner) -> Number:
    """1 / kl for the arm of the case."""
    rank = case.instance.order.index((case.arm or 0) - 1) + 1
    setting = exact_setting(case.instance, case.question)
    ((_, needed),) = certified_rows(card.quantities[0], setting, [rank], case.question.digits)
    return needed


def _over_decades(
    words: str,
    claimed: Callable[[Claim, Any], Number],
    cases: Callable[[Claim, Instance, Question, Lab], Iterable[Learner]],
    told: str,
) -> Statement:
    return Statement(
        Role.FURTHER,
        words,
        (Measurement("slope over decades", slope_over_decades, sampled=True),),
        claimed,
        cases,
        relation=Relation.AT_LEAST,
        nowhere="no policy leaps over two decades within this effort, or there is no such arm",
        name="decades",
        seen={
            Verdict.CONSISTENT: f"{told}, claimed at least {{claimed}} in the limit; no finite T "
            "decides that",
            Verdict.INCONCLUSIVE: f"{told}, below the {{claimed}} claimed of the limit: evidence "
            "of the growth up to there, at this level, and of nothing beyond",
        },
    )


REGRET = _over_decades(
    "over decades of horizons with runs of their own the regret of policies that do not know the "
    "capacities grows per log T by the constant or more",
    constant,
    learners,
    "{over} the regret of {policy} grows by {actual} per log T",
)
PLAYS = _over_decades(
    "over decades of horizons with runs of their own the slots in which policies play a suboptimal "
    "arm grow per log T by 1/kl or more",
    slots,
    suboptimal_arms,
    "{over} the slots in which {policy} plays arm {arm} grow by {actual} per log T",
)
