"""Lemma C.3, the first term of the exact constant: how often suboptimal arms are played.

It is about one play at a time. It also bounds the slots of a suboptimal arm with several plays: a
slot shows at most one reward of it, whatever its load, and a consistent policy must find an arm
that would be better than arm L with all capacities unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from flint import arb
from hypothesis.strategies import SearchStrategy

from boundcheck.calculator.numbers.balls import ball
from boundcheck.calculator.question import Question
from boundcheck.calculator.setting import exact_setting
from boundcheck.calculator.values import certified_rows
from boundcheck.claims.card import Claim
from boundcheck.judging.comparison import Number, Relation
from boundcheck.judging.default_statements.growth import Learner
from boundcheck.judging.default_statements.whole import InstanceCase
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.search.strategies import instances
from boundcheck.theories.shareable_arms.lower_regret.decades import learners, over_decades
from boundcheck.theories.shareable_arms.lower_regret.program import FOUND, Reduced, program, sharp
from boundcheck.theories.shareable_arms.setting import derive
from simulation.world.instance import Instance


def _slots(card: Claim, case: InstanceCase, ranks: list[int]) -> list[arb]:
    """1 / kl for the arms of these ranks."""
    setting = exact_setting(case.instance, case.question, derive)
    rows = certified_rows(card.quantities[0], setting, ranks, case.question.digits)
    return [needed for _, needed in rows]


def weighted_slots(card: Claim, case: InstanceCase) -> Number:
    """Slots on the arms other than the best, each weighted by its loss."""
    best, *others = (case.instance.means[k] for k in case.instance.order)
    slots = _slots(card, case, list(range(2, case.instance.arms + 1)))
    return sum((ball(best - mean) * n for mean, n in zip(others, slots, strict=True)), arb(0))


def _one_play(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[Reduced]:
    """Arm L and the arms with smaller means, with one play, so that there is no capacity to
    learn.
    """
    kept = instance.order[instance.L - 1 :]
    if len(kept) > 1:
        alone = instance.kept(kept, capacities=[1] * len(kept), plays=1)
        yield Reduced(alone, sharp(question), left_out=instance.L - 1)


def drawn_one_play() -> SearchStrategy[Reduced]:
    def alone(instance: Instance) -> Reduced:
        return Reduced(instance.with_(capacities=[1] * instance.arms, plays=1))

    return instances(smallest=2, largest=5, distinct=True).map(alone)


TRIED = Statement(
    role=Role.INTENDED,
    text="with one play at a time, the least regret per log T is at least what these slots on arms "
    "other than the best lose (up to a share of 1e-9)",
    actual=(Measurement("Graves-Lai program", program),),
    claimed=weighted_slots,
    cases=_one_play,
    strategy=drawn_one_play,
    relation=Relation.AT_LEAST,
    inapplicable_reason="every arm has the mean of arm L or a larger one",
    explanations={
        Verdict.REFUTED: FOUND,
        Verdict.HOLDS: "the Graves-Lai program gives {actual}, the slots of the lemma lose "
        "{claimed}",
        Verdict.UNDECIDED: "the Graves-Lai program needs more digits than floats have",
    },
)


def suboptimal_arms(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[Learner]:
    for case in learners(card, instance, question, context):
        yield from (replace(case, arm=k + 1) for k in instance.order[instance.L :])


def slots(card: Claim, case: Learner) -> Number:
    """1 / kl for the arm of the case."""
    (needed,) = _slots(card, case, [case.instance.order.index((case.arm or 0) - 1) + 1])
    return needed


PLAYS = over_decades(
    "over decades of horizons with runs of their own the slots in which policies play a suboptimal "
    "arm grow per log T by 1/kl or more",
    slots,
    suboptimal_arms,
    "{over} the slots in which {policy} plays arm {arm} grow by {actual} per log T",
)

STATEMENTS = {"lem-C.3": (TRIED, PLAYS)}
