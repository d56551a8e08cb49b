"""Remark 8.1: OrchExplore's bound is the tighter one; and what the figures show.

- The remark compares the coefficients of log T of the three bounds term by term, by their orders.
  Here they are compared with their constants, by enclosures, on every instance where the three
  theorems speak.
- "A loses less than B" in a figure is read of a typical run on that figure's instance, with its
  parameters: in more than half of the runs, paired by their seed, A loses less (an exact sign test,
  ties left out). It is supported only if the reverse is refuted.
- A figure of appendix J sets phi(t, 1/T) beside rho(t, 1/T^2), for section 5 calls the uniform
  interval sharper "in some instances": no more is claimed, and t = 1 is none of them. phi < rho,
  squared, is g(t) = (1 + 1/t)(log(2T) + log(t+1)/2) < log(2T^2). As g'(t) t^2 =
  t/2 - log(2T) - log(t+1)/2 increases in t, g first falls and then rises: true at both ends of a
  range, it is true within.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import ceil, comb
from typing import Any

from flint import arb
from sympy import Symbol

from boundcheck.calculator.numbers.widths import enclosed
from boundcheck.calculator.question import Question
from boundcheck.claims.card import Claim
from boundcheck.evidence.binomial import proportion_at_least, proportion_at_most
from boundcheck.evidence.inputs import FloatArray
from boundcheck.judging.default_statements.whole import InstanceCase
from boundcheck.judging.finding import Leaning, Role, Verdict
from boundcheck.judging.measured import Compared, Enclosed, Measured, Number, Relation
from boundcheck.judging.run_context import RunContext
from boundcheck.judging.statement import Measurement, Statement
from boundcheck.search.strategies import instances
from boundcheck.theories.shareable_arms import functions as fn
from boundcheck.theories.shareable_arms.rem_8_1.panels import IMPLICIT, PANELS, Panel
from boundcheck.theories.shareable_arms.setting import derive
from simulation.world.instance import Instance

WIDTH_HORIZON = 10**6
MOST_RUNS = 50
# allocations times slots that implicit learners may weigh for each slot of the effort's horizon:
# Thompson sampling draws a normal number for each
IMPLICIT_WORK = dict(zip(IMPLICIT, (50_000, 5_000, 50_000), strict=True))


# -- coefficients ----------------------------------------------------------------------------


def coefficient(card: Claim, case: InstanceCase, context: RunContext) -> Measured | None:
    """Of log T in OrchExplore's bound, less the smaller one of the other two."""
    values = {q.name: case.number(card, derive, place) for place, q in enumerate(card.quantities)}
    more = {name: {"value": str(float(x.mid()))} for name, x in values.items()}
    first = case.number(card, derive)
    return Enclosed(first.lower(), first.upper(), more) if first.is_finite() else None


def smallest_other(card: Claim, case: InstanceCase) -> Number:
    others = [case.number(card, derive, place) for place in (1, 2)]
    return min(others, key=lambda x: float(x.mid()))


# -- typical runs ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Ordering(InstanceCase):
    """Two policies on the instance of a panel, the better one first: it should lose less than a
    share of what the worse one loses."""

    panel: str = ""
    better: str = ""
    worse: str = ""
    horizon: int = 0
    runs: int = 0
    share: Fraction = Fraction(1)

    def parameters(self) -> dict[str, Any]:
        pair = {"better": self.better, "worse": self.worse, "T": self.horizon}
        size = {} if self.share == 1 else {"share": str(self.share)}
        return {"panel": self.panel, **pair, **size}

    @property
    def behind(self) -> str:
        """What a run shows that counts against it."""
        return "behind" if self.share == 1 else f"above {self.share} of"


@dataclass(frozen=True)
class Paired:
    """Runs of two policies paired by their seed: in how many the better one loses more."""

    wins: int
    losses: int
    more: dict[str, Any]
    sampled = True

    def compare(self, relation: Relation, claimed: Number, level: float) -> Compared:
        pairs, share = self.wins + self.losses, float(Fraction(claimed))
        if not pairs:
            words = "nothing, as both lose the same in every run"
            return Compared(None, 0.0, words, "half", self.more)
        order = proportion_at_most(self.losses, pairs, share, level / 2)
        reverse = proportion_at_least(self.losses, pairs, share, level / 2)
        evidence = {**self.more, **order.evidence, "reverse_p_value": reverse.evidence["p_value"]}
        return Compared(
            False if order.refuted else None,
            self.losses / pairs - share,
            f"{self.losses} of {pairs} runs",
            "half of them",
            evidence,
            supported=order.supported,
            leans=Leaning.AGAINST if order.against else Leaning.FOR,
            missing=f"about {ceil(order.needed):,} runs would decide" if order.needed else "",
        )


def lost_pairs(card: Claim, case: Ordering, context: RunContext) -> Measured | None:
    panel = next(panel for panel in PANELS if panel.name == case.panel)

    def lost(policy: str) -> FloatArray:
        options = panel.options.get(policy)
        runs = context.simulated(case.instance, policy, case.horizon, case.runs, options)
        return -runs.reward[:, -1] if panel.throughput else runs.total[:, -1]

    first, second = lost(case.better), lost(case.worse)
    most = float(case.share) * second
    wins, losses = int((first < most).sum()), int((first > most).sum())
    ties = len(first) - wins - losses
    means = {"mean_of_the_better": float(first.mean()), "mean_of_the_worse": float(second.mean())}
    return Paired(wins, losses, means | {"ties": ties})


def in_figure(
    card: Claim, instance: Instance, question: Question, context: RunContext, *, figure: str
) -> Iterator[Ordering]:
    """The panels of a figure that are about this instance, at the horizon of the effort."""
    for panel in PANELS:
        named = panel.figure == figure and panel.instance == instance.name
        if named and Instance.load(panel.instance) == instance:
            yield from orderings(panel, context.effort.horizon, context.effort.runs)


def orderings(panel: Panel, horizon: int, runs: int, most: int = MOST_RUNS) -> Iterator[Ordering]:
    """What a panel says, policy by policy, as far as it can be simulated."""
    instance, count = Instance.load(panel.instance), min(runs, most)
    for better, worse in panel.orderings:
        slots = min(horizon, panel.horizon)
        if worse in IMPLICIT_WORK:
            slots = min(slots, _affordable(instance, IMPLICIT_WORK[worse] * horizon // count))
        if slots > instance.arms:
            share = panel.shares.get((better, worse), Fraction(1))
            pair = Ordering(instance, panel=panel.name, better=better, worse=worse, share=share)
            yield replace(pair, horizon=slots, runs=count)


def _affordable(instance: Instance, weighed: int) -> int:
    """Slots in which every allocation can be weighed; 0 if there are too many to hold."""
    from simulation.learning.allocations import LIMIT

    allocations = comb(instance.arms + instance.plays - 1, instance.plays)
    return 0 if allocations > LIMIT else weighed // allocations


# -- widths ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class WidthAt(InstanceCase):
    """A time t up to T."""

    t: int = 1

    def parameters(self) -> dict[str, Any]:
        return {"t": self.t, "T": WIDTH_HORIZON}


def widths(t: int, horizon: int) -> tuple[arb, arb]:
    """Enclosures of phi(t, 1/T) and rho(t, 1/T^2)."""
    count, level = Symbol("t"), Symbol("delta")
    (uniform,) = enclosed(fn.phi(count, level), {"t": t, "delta": Fraction(1, horizon)})
    (hoeffding,) = enclosed(fn.rho(count, level), {"t": t, "delta": Fraction(1, horizon**2)})
    return uniform, hoeffding


def uniform_width(card: Claim, case: WidthAt, context: RunContext) -> Measured:
    return Enclosed.of(widths(case.t, WIDTH_HORIZON)[0])


def hoeffding_width(card: Claim, case: WidthAt) -> Number:
    return widths(case.t, WIDTH_HORIZON)[1]


def last_sharper(horizon: int) -> int:
    """The last t at which phi is certainly the smaller one, by bisection beyond t = 2."""

    def wider(t: int) -> bool:
        uniform, hoeffding = widths(t, horizon)
        return not uniform < hoeffding

    return 2 + bisect_left(range(3, 2 * horizon**2), True, key=wider)


# -- statements ------------------------------------------------------------------------------

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
_FIGURES = {
    "a": "OrchExplore loses less than MP-SE-SA, and MP-SE-SA less than ETC-UCB",
    "b": "the uniform interval loses less than Hoeffding's",
    "c": "knowing the capacities loses less than learning them, and OrchExplore less than half",
    "d": "OrchExplore loses less than learners that try every allocation",
    "throughput": "OrchExplore serves more than MP-SE-SA, and MP-SE-SA more than ETC-UCB",
}
FIGURES = {
    figure: Statement(
        role=Role.FURTHER,
        text=f"figure {figure}, in more than half of the runs: {text}",
        actual=(Measurement("paired runs", lost_pairs, sampled=True),),
        claimed=lambda card, case: Fraction(1, 2),
        cases=partial(in_figure, figure=figure),
        assumes=(),
        inapplicable_reason="the paper shows no such figure for this instance, or it cannot be "
        "simulated",
        name=f"figure-{figure}",
        explanations={
            Verdict.REFUTED: "the order is reversed: the better one loses more in {actual}",
            Verdict.SUPPORTED: "where it is closest, the better one loses more in {actual}",
            Verdict.UNDECIDED: "the better one loses more in {actual}: neither order is refuted",
        },
    )
    for figure, text in _FIGURES.items()
}


def ends(instance: Instance) -> list[WidthAt]:
    """What is true at both is true within."""
    return [WidthAt(instance, t=t) for t in (2, WIDTH_HORIZON)]


SHARPER = Statement(
    role=Role.FURTHER,
    text="appendix J, figure of the widths: the uniform interval is the sharper one, phi(t, 1/T) "
    f"at most rho(t, 1/T^2) for 2 <= t <= T = {WIDTH_HORIZON:,}",
    actual=(Measurement("enclosed widths", uniform_width),),
    claimed=hoeffding_width,
    cases=lambda card, instance, question, context: ends(instance),
    known_cases=lambda: ends(Instance.load("paper")),
    assumes=(),
    complete=True,
    name="widths",
    explanations={
        Verdict.HOLDS: "where they are closest, phi is {actual} and rho {claimed} (t = {t})",
        Verdict.REFUTED: "phi is {actual} and rho only {claimed} at t = {t}",
    },
)
STATEMENTS = {"rem-8.1": (TIGHTER, *FIGURES.values(), SHARPER)}
