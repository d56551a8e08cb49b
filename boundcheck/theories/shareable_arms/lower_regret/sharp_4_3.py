"""The exact constant `sharp-4.3`, and lemma C.3 (its first term), beside the Graves-Lai program.

The value of the linear program over all actions and alternatives is enclosed by weak duality; on an
instance too large for it, without the arms that earn least. Where that leaves nothing, or floats
find no solution to certify, the growth of simulated regret is what is seen of the limit, and
decides nothing.

Over decades a policy is compared with a claim about every consistent policy as T grows: slopes
over finitely many decades agree with it or lie below it, at the stated level; in neither case is a
limit decided. C.3 is about one play at a time. It bounds the slots of a suboptimal arm with several
plays just as well: a slot shows one reward of it at most, whatever its load, and an arm that would
be better than arm L, with all capacities as they are, must be found by a consistent policy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from flint import arb
from hypothesis.strategies import SearchStrategy

from boundcheck.calculator.numbers.balls import ball
from boundcheck.calculator.question import Question
from boundcheck.calculator.setting import exact_setting
from boundcheck.calculator.values import certified_rows
from boundcheck.claims.card import Claim
from boundcheck.judging.decide import unmet
from boundcheck.judging.default_statements.decades import by_decade
from boundcheck.judging.default_statements.growth import Learner, slope_between, slope_over_decades
from boundcheck.judging.default_statements.whole import InstanceCase
from boundcheck.judging.finding import Role, Verdict
from boundcheck.judging.measured import Enclosed, Growth, Measured, Number, Relation
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.search.strategies import instances
from boundcheck.theories.shareable_arms.exact.graves_lai import LARGEST, Unsolved, graves_lai
from boundcheck.theories.shareable_arms.setting import derive
from simulation.policies import find, refused
from simulation.world.instance import Instance

EQUAL = 1e-9  # numbers that differ by less than this share count as equal
LEARNERS = ("orch-explore", "likelihood")  # they do not know the capacities


def constant(card: Claim, case: InstanceCase) -> Number:
    return case.number(card, derive)


def _sharp(question: Question) -> Question:
    return replace(question, digits=20)


def whole(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[InstanceCase]:
    yield InstanceCase(instance, _sharp(question))


# -- beside the program -------------------------------------------------------------------


@dataclass(frozen=True)
class Reduced(InstanceCase):
    """An instance, perhaps without the arms that earn least."""

    left_out: int = 0

    def parameters(self) -> dict[str, Any]:
        return {"arms_left_out": self.left_out} if self.left_out else {}


def program(card: Claim, case: Reduced, context: RunContext) -> Measured | None:
    """Least regret per log T over all actions and alternatives, enclosed."""
    try:
        found = graves_lai(case.instance)
    except Unsolved:  # beyond what floats can solve
        return None
    if found is None:
        return None
    return Enclosed(ball(found.low), ball(found.high), digits=15, tolerance=EQUAL)


def slowest_growth(card: Claim, case: Reduced, context: RunContext) -> Measured | None:
    """Of the regret of policies that do not know the capacities, over the last decade."""
    last, grown = context.effort.horizon, []
    for policy in LEARNERS:
        if refused(find(policy), case.instance, last) is None:
            late, early = (
                context.simulated(case.instance, policy, horizon, context.effort.runs)
                for horizon in (last, last // 10)  # with runs of their own
            )
            grown.append((*slope_between(early, late), policy))
    slope, error, policy = min(grown)
    return Growth(slope, error, {"policy": policy})


def _slots(card: Claim, case: InstanceCase, ranks: list[int]) -> list[arb]:
    """1 / kl for the arms of these ranks."""
    setting = exact_setting(case.instance, case.question, derive)
    rows = certified_rows(card.quantities[0], setting, ranks, case.question.digits)
    return [needed for _, needed in rows]


def weighted_slots(card: Claim, case: InstanceCase) -> Number:
    """Slots on the arms beyond the best, each weighted by what it loses."""
    best, *others = (case.instance.means[k] for k in case.instance.order)
    slots = _slots(card, case, list(range(2, case.instance.arms + 1)))
    return sum((ball(best - mean) * n for mean, n in zip(others, slots, strict=True)), arb(0))


def on_instance(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[Reduced]:
    kept = max(min(instance.arms, LARGEST // instance.plays), instance.plays)
    asked = _sharp(question)
    if kept in (instance.plays, instance.arms):
        yield Reduced(instance, asked)
        return
    smaller = instance.kept(sorted(instance.order[:kept]))
    yield Reduced(smaller, asked, left_out=instance.arms - kept)


def one_play(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[Reduced]:
    """Arm L and those that earn less, one play: no capacity is to be learnt there."""
    kept = instance.order[instance.L - 1 :]
    if len(kept) > 1:
        alone = instance.kept(kept, capacities=[1] * len(kept), plays=1)
        yield Reduced(alone, _sharp(question), left_out=instance.L - 1)


def drawn_one_play() -> SearchStrategy[Reduced]:
    def alone(instance: Instance) -> Reduced:
        return Reduced(instance.with_(capacities=[1] * instance.arms, plays=1))

    return instances(smallest=2, largest=5, distinct=True).map(alone)


def drawn() -> SearchStrategy[Reduced]:
    return instances(smallest=2, largest=4, distinct=True).map(Reduced)


EXACT = Statement(
    role=Role.INTENDED,
    text="the smallest possible growth of regret per log T, a linear program, is this constant "
    "(numbers closer than a share of 1e-9 count as equal)",
    actual=(Measurement("Graves-Lai program", program), Measurement("growth", slowest_growth)),
    claimed=constant,
    cases=on_instance,
    strategy=drawn,
    relation=Relation.EQUAL,
    explanations={
        Verdict.REFUTED: "the Graves-Lai program gives {actual}, the formula {claimed}",
        Verdict.HOLDS: "the Graves-Lai program gives {actual}, the formula {claimed}",
        Verdict.UNDECIDED: "the slowest growth seen is {actual} per log T, the formula gives "
        "{claimed}; the program on a smaller instance would tell more",
    },
)
TRIED = Statement(
    role=Role.INTENDED,
    text="with one play at a time, the least regret per log T is at least what these slots on arms "
    "other than the best lose (up to a share of 1e-9)",
    actual=(Measurement("Graves-Lai program", program),),
    claimed=weighted_slots,
    cases=one_play,
    strategy=drawn_one_play,
    relation=Relation.AT_LEAST,
    inapplicable_reason="every arm has the mean of arm L or a larger one",
    explanations={
        Verdict.REFUTED: EXACT.explanations[Verdict.REFUTED],
        Verdict.HOLDS: "the Graves-Lai program gives {actual}, the slots of the lemma lose "
        "{claimed}",
        Verdict.UNDECIDED: "the Graves-Lai program needs more digits than floats have",
    },
)

# -- over decades ------------------------------------------------------------------------


def learners(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[Learner]:
    """Those that leap over two decades or more, where the claim applies."""
    for policy in LEARNERS:
        case = Learner(instance, _sharp(question), policy=policy)
        if (
            unmet(case, card.assumptions, derive)
            or by_decade(context, instance, policy) is not None
        ):
            yield case


def suboptimal_arms(
    card: Claim, instance: Instance, question: Question, context: RunContext
) -> Iterator[Learner]:
    for case in learners(card, instance, question, context):
        yield from (replace(case, arm=k + 1) for k in instance.order[instance.L :])


def slots(card: Claim, case: Learner) -> Number:
    """1 / kl for the arm of the case."""
    (needed,) = _slots(card, case, [case.instance.order.index((case.arm or 0) - 1) + 1])
    return needed


def _over_decades(
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
STATEMENTS = {"sharp-4.3": (EXACT, REGRET), "lem-C.3": (TRIED, PLAYS)}
