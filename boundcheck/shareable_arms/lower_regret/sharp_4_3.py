"""The exact constant `sharp-4.3`, and lemma C.3 (its first term), beside the Graves-Lai program.

The value of the linear program over all actions and alternatives is enclosed by weak duality; on an
instance too large for it, without the arms that earn least. Where that leaves nothing, or floats
find no solution to certify, the growth of simulated regret is what is seen of the limit, and
decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from flint import arb
from hypothesis.strategies import SearchStrategy

from boundcheck.calculator.values import certified_rows
from boundcheck.claim import Claim
from boundcheck.finding import Role, Verdict
from boundcheck.kinds.growth import slope_between
from boundcheck.kinds.whole import Whole
from boundcheck.lab import Lab
from boundcheck.measured import Enclosed, Growth, Measured, Number, Relation
from boundcheck.numbers.balls import ball
from boundcheck.question import Question
from boundcheck.setting import exact_setting
from boundcheck.shareable_arms.exact.graves_lai import LARGEST, Unsolved, graves_lai
from boundcheck.shareable_arms.lower_regret.seen import LEARNERS, PLAYS, REGRET, constant, sharp
from boundcheck.statement import Measurement, Statement
from boundcheck.strategies import instances
from simulation.instance import Instance
from simulation.policies import find, refused


@dataclass(frozen=True)
class Reduced(Whole):
    """An instance, perhaps without the arms that earn least."""

    left_out: int = 0

    def told(self) -> dict[str, Any]:
        return {"arms_left_out": self.left_out} if self.left_out else {}


def program(card: Claim, case: Reduced, lab: Lab) -> Measured | None:
    """Least regret per log T over all actions and alternatives, enclosed."""
    try:
        found = graves_lai(case.instance)
    except Unsolved:  # beyond what floats can solve
        return None
    if found is None:
        return None
    seen = f"a constant off by more than {found.width:.1g} of it"
    return Enclosed(ball(found.low), ball(found.high), detectable=seen, digits=15)


def slowest_growth(card: Claim, case: Reduced, lab: Lab) -> Measured | None:
    """Of the regret of policies that do not know the capacities, over the last decade."""
    horizon = lab.effort.horizon
    able = [p for p in LEARNERS if refused(find(p), case.instance, horizon) is None]
    grown = [_growth(case.instance, policy, lab) for policy in able]
    slope, error, policy = min(grown)
    return Growth(slope, error, {"policy": policy})


def _growth(instance: Instance, policy: str, lab: Lab) -> tuple[float, float, str]:
    """Regret per log T between two horizons with runs of their own."""
    last = lab.effort.horizon
    late, early = (
        lab.simulated(instance, policy, horizon, lab.effort.runs) for horizon in (last, last // 10)
    )
    return *slope_between(early, late), policy


def weighted_slots(card: Claim, case: Whole) -> Number:
    """Slots on the arms beyond the best, each weighted by what it loses."""
    instance, (quantity,) = case.instance, card.quantities
    ranks = list(range(2, instance.arms + 1))
    rows = certified_rows(quantity, exact_setting(instance, case.question), ranks, 20)
    means = [instance.means[k] for k in instance.order]
    lost = (ball(means[0] - mean) * slots for mean, (_, slots) in zip(means[1:], rows, strict=True))
    return sum(lost, arb(0))


def on_instance(card: Claim, instance: Instance, question: Question, lab: Lab) -> Iterator[Reduced]:
    kept = max(min(instance.arms, LARGEST // instance.plays), instance.plays)
    asked = sharp(question)
    if kept in (instance.plays, instance.arms):
        yield Reduced(instance, asked)
        return
    smaller = instance.kept(sorted(instance.order[:kept]))
    yield Reduced(smaller, asked, left_out=instance.arms - kept)


def one_play(card: Claim, instance: Instance, question: Question, lab: Lab) -> Iterator[Reduced]:
    """Arm L and those that earn less, one play: no capacity is to be learnt there."""
    kept = instance.order[instance.L - 1 :]
    if len(kept) > 1:
        alone = instance.kept(kept, capacities=[1] * len(kept), plays=1)
        yield Reduced(alone, sharp(question), left_out=instance.L - 1)


def drawn_one_play() -> SearchStrategy[Reduced]:
    def alone(instance: Instance) -> Reduced:
        return Reduced(instance.with_(capacities=[1] * instance.arms, plays=1))

    return instances(smallest=2, largest=5, distinct=True).map(alone)


def drawn() -> SearchStrategy[Reduced]:
    return instances(smallest=2, largest=4, distinct=True).map(Reduced)


EXACT = Statement(
    Role.INTENDED,
    "the smallest possible growth of regret per log T, a linear program, is this constant",
    (Measurement("Graves-Lai program", program), Measurement("growth", slowest_growth)),
    constant,
    on_instance,
    drawn,
    relation=Relation.EQUAL,
    seen={
        Verdict.REFUTED: "the Graves-Lai program gives {actual}, the formula {claimed}",
        Verdict.CONSISTENT: "the Graves-Lai program, or the slowest growth seen, gives {actual}, "
        "the formula {claimed}",
        Verdict.INCONCLUSIVE: "the slowest growth seen is {actual} per log T, the formula gives "
        "{claimed}; longer runs, or the program on a smaller instance, would tell",
    },
)
TRIED = Statement(
    Role.INTENDED,
    "with one play at a time, the least regret per log T is at least what these slots on arms "
    "other than the best lose",
    (Measurement("Graves-Lai program", program),),
    weighted_slots,
    one_play,
    drawn_one_play,
    relation=Relation.AT_LEAST,
    nowhere="every arm has the mean of arm L or a larger one",
    seen={
        Verdict.REFUTED: EXACT.seen[Verdict.REFUTED],
        Verdict.CONSISTENT: "the Graves-Lai program gives {actual}, the slots of the lemma lose "
        "{claimed}",
        Verdict.INCONCLUSIVE: "the Graves-Lai program needs more digits than floats have",
    },
)
STATEMENTS = {"sharp-4.3": (EXACT, REGRET), "lem-C.3": (TRIED, PLAYS)}
